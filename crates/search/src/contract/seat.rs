//! The player at the table: it holds the position, keeps the clock, and lets a mind think.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng, Role};

use super::board::{Board, Thought, Watch};
use super::clock;
use super::mind::{self, Mind, Order};
use super::place::Latest;
use super::player::{Answer, Dismissal, Onlooker, PlayError, Player};
use super::report::Report;
use super::words::words;

/// A player made of a reasoner for the position and a mind for the moves.
pub(crate) struct Seat<R: Reasoner> {
    reasoner: R,
    role: Role,
    /// Where the match was when last worked out; none before the first question.
    state: Option<R::State>,
    /// Joint moves that were played since and are yet to be worked out.
    behind: VecDeque<Vec<MoveId>>,
    /// How many moves and jumps led to the state.
    turn: u64,
    /// What the mind knows of it, and is told.
    latest: Latest<R::State>,
    /// The legal moves in the last state where they could be worked out in time.
    legal: Vec<MoveId>,
    /// Whether those are all of the current state.
    is_current: bool,
    /// Whether those are some of the current state.
    is_legal: bool,
    /// The answer given in the current state.
    answered: Option<MoveId>,
    /// Chooses when the mind has said nothing.
    rng: Rng,
    board: Arc<Board>,
    orders: Sender<Order<R::State>>,
    /// The mind's.
    thread: Option<JoinHandle<()>>,
    begin: Instant,
    /// Whether the mind was last asked to ponder.
    pondering: bool,
}

impl<R: Reasoner + 'static> Seat<R> {
    pub(crate) fn new(
        mut reasoner: R,
        role: Role,
        seed: u64,
        mind: Box<dyn Mind<R>>,
    ) -> Result<Self, PlayError> {
        let count = reasoner.roles().len();
        if role >= count {
            return Err(PlayError::UnknownRole { role, count });
        }
        let board = Arc::new(Board::default());
        let latest = Latest::default();
        let (orders, thread) = mind::start(reasoner.fork(), role, mind, latest.clone())?;
        reasoner.set_cancel(Some(board.dismissed()));
        Ok(Self {
            reasoner,
            role,
            state: None,
            behind: VecDeque::new(),
            turn: 0,
            latest,
            legal: Vec::new(),
            is_current: false,
            is_legal: false,
            answered: None,
            rng: Rng::new(seed),
            board,
            orders,
            thread: Some(thread),
            begin: Instant::now(),
            pondering: false,
        })
    }

    fn name(&self) -> String {
        self.reasoner.roles()[self.role].clone()
    }

    /// Works out the current state and the legal moves in it.
    fn catch_up(&mut self) -> Result<(), ReasonError> {
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.reasoner.initial()?,
        };
        let mut result = Ok(());
        while let Some(joint_move) = self.behind.front() {
            let next = match self.latest.get(self.turn + 1) {
                Some(place) => Ok(place.state.clone()),
                None => self.reasoner.next(&state, joint_move),
            };
            match next {
                Ok(next) => state = next,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
            self.turn += 1;
            self.latest.tell(self.turn, &state, None);
            self.behind.pop_front();
        }
        if result.is_ok() && !self.is_current {
            let place = self.latest.get(self.turn);
            let known = place.and_then(|place| place.legal.clone());
            let mut legal = Vec::new();
            match known {
                Some(known) => legal = known,
                None => result = self.reasoner.legal_moves(&state, self.role, &mut legal),
            }
            self.is_current = result.is_ok();
            if self.is_current {
                self.latest.tell(self.turn, &state, Some(&legal));
            }
            self.is_legal = !legal.is_empty();
            if self.is_current || self.is_legal {
                self.legal = legal;
            }
        }
        self.state = Some(state);
        result
    }

    /// Lets the mind think; `until` is none for as long as nothing else is asked.
    ///
    /// Gives whether there is anybody to do it.
    fn order_thought(&mut self, until: Option<Instant>, chosen: Option<MoveId>) -> bool {
        let page = self.board.turn();
        self.pondering = until.is_none();
        self.begin = Instant::now();
        let watch = Watch::new(Arc::clone(&self.board), page, until);
        self.order(Order::Think { watch, chosen })
    }

    fn order(&mut self, order: Order<R::State>) -> bool {
        // The thread ends only when the sender does, or by a panic in an engine; without it there
        // are still legal moves.
        self.orders.send(order).is_ok()
    }

    /// An answer without any thought.
    fn blind(&mut self, trouble: Option<String>) -> Result<Answer, PlayError> {
        if self.legal.is_empty() {
            return Err(PlayError::NoMoveKnown { role: self.name() });
        }
        let index = self.rng.below(self.legal.len());
        let id = self.legal[index];
        self.answered = Some(id);
        Ok(Answer {
            text: self.reasoner.move_text(self.role, id),
            index,
            report: Report {
                seconds: self.begin.elapsed().as_secs_f64(),
                forced: self.is_current && self.legal.len() == 1,
                trouble,
                ..Report::default()
            },
        })
    }

    fn put_into_words(&mut self, thought: &Thought, deadline: Option<Instant>) -> Report {
        words(&mut self.reasoner, self.role, self.begin, thought, deadline)
    }
}

impl<R: Reasoner + 'static> Player for Seat<R> {
    fn role(&self) -> Role {
        self.role
    }

    fn roles(&self) -> Vec<String> {
        self.reasoner.roles().to_vec()
    }

    fn start(&mut self, deadline: Instant) -> Result<(), PlayError> {
        let until = clock::stop_before(deadline);
        self.order_thought(Some(until), None);
        self.reasoner.set_deadline(Some(until));
        match self.catch_up() {
            Ok(()) | Err(ReasonError::Stopped) => {}
            Err(error) => return Err(error.into()),
        }
        self.board.wait(until);
        Ok(())
    }

    fn play(&mut self, deadline: Instant) -> Result<Answer, PlayError> {
        let until = clock::stop_before(deadline);
        // Nothing is worse than having no legal move: to find one, the last moment is used.
        self.reasoner.set_deadline(Some(deadline));
        match self.catch_up() {
            Ok(()) => {}
            Err(ReasonError::Stopped) => {
                self.begin = Instant::now();
                let trouble = if self.is_legal {
                    "not all legal moves were known in time, this is one of them"
                } else {
                    "the legal moves were not known in time, this one was legal before"
                };
                return self.blind(Some(trouble.to_owned()));
            }
            Err(error) => return Err(error.into()),
        }
        match self.legal.len() {
            0 => return Err(PlayError::NoLegalMove { role: self.name() }),
            // The mind may ponder on.
            1 => {
                self.begin = Instant::now();
                return self.blind(None);
            }
            _ => {}
        }
        if !self.order_thought(Some(until), None) {
            return self.blind(Some("the search has broken down".to_owned()));
        }
        let patience = clock::wait_before(deadline, until);
        let (thought, trouble) = self.board.wait(patience);
        let found = thought.and_then(|thought| {
            let index = self.legal.iter().position(|id| *id == thought.choice)?;
            Some((index, thought))
        });
        let Some((index, thought)) = found else {
            let nothing = || "nothing was found in time".to_owned();
            return self.blind(Some(trouble.unwrap_or_else(nothing)));
        };
        self.answered = Some(thought.choice);
        let mut report = self.put_into_words(&thought, Some(deadline));
        report.trouble = trouble.or(report.trouble);
        Ok(Answer {
            text: self.reasoner.move_text(self.role, self.legal[index]),
            index,
            report,
        })
    }

    fn told(&mut self, joint_move: &[String]) -> Result<(), PlayError> {
        let expected = self.reasoner.roles().len();
        if joint_move.len() != expected {
            let got = joint_move.len();
            return Err(ReasonError::WrongMoveCount { expected, got }.into());
        }
        let mut ids = Vec::with_capacity(expected);
        for (role, text) in joint_move.iter().enumerate() {
            let id = self.reasoner.find_move(role, text);
            ids.push(id.ok_or_else(|| ReasonError::IllegalMove {
                role: self.reasoner.roles()[role].clone(),
                text: text.clone(),
            })?);
        }
        self.rest();
        self.order(Order::Advance(ids.clone()));
        self.behind.push_back(ids);
        self.is_current = false;
        self.is_legal = false;
        self.answered = None;
        Ok(())
    }

    fn go_to(&mut self, facts: &[String]) -> Result<(), PlayError> {
        self.reasoner.set_deadline(None);
        let state = self.reasoner.state_from_facts(facts)?;
        self.rest();
        self.order(Order::GoTo(state.clone()));
        self.state = Some(state);
        self.turn += self.behind.len() as u64 + 1;
        self.behind.clear();
        self.is_current = false;
        self.is_legal = false;
        self.answered = None;
        Ok(())
    }

    fn ponder(&mut self) {
        self.order_thought(None, self.answered);
    }

    fn is_pondering(&self) -> bool {
        self.pondering && !self.board.is_done()
    }

    fn rest(&mut self) {
        self.board.turn();
        self.pondering = false;
    }

    fn dismissal(&self) -> Dismissal {
        Dismissal(Arc::clone(&self.board))
    }

    fn leave(&mut self) {
        self.board.dismiss();
        // Nobody hears orders any more, and without anybody who could give some the thread ends.
        self.orders = channel().0;
        if let Some(thread) = self.thread.take() {
            // It may have ended by a panic; it has said so then.
            let _ = thread.join();
        }
    }

    fn report(&mut self) -> Option<Report> {
        let (thought, trouble) = self.board.read();
        let mut report = match thought {
            Some(thought) => self.put_into_words(&thought, None),
            None => Report {
                trouble: Some(trouble.clone()?),
                ..Report::default()
            },
        };
        report.trouble = trouble.or(report.trouble);
        Some(report)
    }

    fn onlooker(&self) -> Box<dyn Onlooker> {
        Box::new(Shoulder {
            reasoner: self.reasoner.fork(),
            role: self.role,
            board: Arc::clone(&self.board),
        })
    }
}

/// Reads the board of a seat, with words of its own.
struct Shoulder<R> {
    reasoner: R,
    role: Role,
    board: Arc<Board>,
}

impl<R: Reasoner> Onlooker for Shoulder<R> {
    fn report(&mut self) -> Option<Report> {
        let (thought, trouble) = self.board.read();
        let begin = self.board.begin().unwrap_or_else(Instant::now);
        let mut report = words(&mut self.reasoner, self.role, begin, &*thought?, None);
        report.trouble = trouble.or(report.trouble);
        Some(report)
    }
}

impl<R: Reasoner> Drop for Seat<R> {
    fn drop(&mut self) {
        // The mind stops there and then; nobody waits for it.
        self.board.turn();
    }
}
