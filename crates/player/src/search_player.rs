//! [`SearchPlayer`]: a player made of a searcher.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng, Role};

use crate::clock;
use crate::latest_position::LatestPosition;
use crate::player::{Answer, CancelHandle, PlayError, Player, ReportObserver};
use crate::report::Report;
use crate::report_text;
use crate::result_slot::ResultSlot;
use crate::search_context::SearchContext;
use crate::search_result::SearchResult;
use crate::searcher::{self, BROKEN, Command, Searcher};

/// A player that follows the match on a reasoner of its own and runs a [`Searcher`] in another
/// thread.
pub struct SearchPlayer<R: Reasoner> {
    reasoner: R,
    role: Role,
    /// The last state that was computed; none before the first question.
    state: Option<R::State>,
    /// Joint moves played since, whose successor states are not computed yet.
    pending_moves: VecDeque<Vec<MoveId>>,
    /// How many joint moves and state changes led to the state.
    step: u64,
    /// The position, shared with the search thread.
    latest: LatestPosition<R::State>,
    /// Legal moves of the role: those of the last state whose legal moves were known in time.
    legal: Vec<MoveId>,
    /// Whether these are all legal moves of the current state.
    is_legal_complete: bool,
    /// Whether these are legal in the current state, even if not all of them.
    is_legal_current: bool,
    /// The answer given in the current state.
    answered: Option<MoveId>,
    /// Chooses a move where the searcher published none.
    rng: Rng,
    slot: Arc<ResultSlot>,
    commands: Sender<Command<R::State>>,
    /// The search thread.
    thread: Option<JoinHandle<()>>,
    started: Instant,
    /// Whether the last search was for pondering.
    pondering: bool,
}

impl<R: Reasoner + 'static> SearchPlayer<R> {
    /// Makes the player of a role, and starts its search thread. The seed is that of moves chosen
    /// without a search result.
    pub fn new(
        mut reasoner: R,
        role: Role,
        seed: u64,
        searcher: Box<dyn Searcher<R>>,
    ) -> Result<Self, PlayError> {
        let count = reasoner.roles().len();
        if role >= count {
            return Err(PlayError::UnknownRole { role, count });
        }
        let slot = Arc::new(ResultSlot::default());
        let latest = LatestPosition::default();
        let (commands, thread) = searcher::start(reasoner.fork(), role, searcher, latest.clone())?;
        reasoner.set_cancel(Some(slot.cancel_flag()));
        Ok(Self {
            reasoner,
            role,
            state: None,
            pending_moves: VecDeque::new(),
            step: 0,
            latest,
            legal: Vec::new(),
            is_legal_complete: false,
            is_legal_current: false,
            answered: None,
            rng: Rng::new(seed),
            slot,
            commands,
            thread: Some(thread),
            started: Instant::now(),
            pondering: false,
        })
    }

    fn role_name(&self) -> String {
        self.reasoner.roles()[self.role].clone()
    }

    /// Computes the current state and its legal moves.
    fn catch_up(&mut self) -> Result<(), ReasonError> {
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.reasoner.initial()?,
        };
        let mut result = Ok(());
        while let Some(joint_move) = self.pending_moves.front() {
            let next = match self.latest.get(self.step + 1) {
                Some(known) => Ok(known.state.clone()),
                None => self.reasoner.next(&state, joint_move),
            };
            match next {
                Ok(next) => state = next,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
            self.step += 1;
            self.latest.update(self.step, &state, None);
            self.pending_moves.pop_front();
        }
        if result.is_ok() && !self.is_legal_complete {
            let known = self.latest.get(self.step);
            let known = known.and_then(|known| known.legal.clone());
            let mut legal = Vec::new();
            match known {
                Some(known) => legal = known,
                None => result = self.reasoner.legal_moves(&state, self.role, &mut legal),
            }
            self.is_legal_complete = result.is_ok();
            if self.is_legal_complete {
                self.latest.update(self.step, &state, Some(&legal));
            }
            self.is_legal_current = !legal.is_empty();
            if self.is_legal_complete || self.is_legal_current {
                self.legal = legal;
            }
        }
        self.state = Some(state);
        result
    }

    /// Starts a search; without a deadline it goes on until the next command.
    ///
    /// Gives whether the search thread is still there.
    fn start_search(&mut self, deadline: Option<Instant>, chosen: Option<MoveId>) -> bool {
        let generation = self.slot.advance();
        self.pondering = deadline.is_none();
        self.started = Instant::now();
        let context = SearchContext::new(Arc::clone(&self.slot), generation, deadline);
        self.send(Command::Search { context, chosen })
    }

    fn send(&mut self, command: Command<R::State>) -> bool {
        // Sending fails only after a panic in the search thread. Without the thread the player
        // still answers with legal moves.
        self.commands.send(command).is_ok()
    }

    /// An answer without a search: the only legal move, or a random one.
    fn answer_without_search(&mut self, trouble: Option<String>) -> Result<Answer, PlayError> {
        if self.legal.is_empty() {
            return Err(PlayError::NoMoveKnown {
                role: self.role_name(),
            });
        }
        let index = self.rng.below(self.legal.len());
        let id = self.legal[index];
        self.answered = Some(id);
        Ok(Answer {
            text: self.reasoner.move_text(self.role, id),
            index,
            report: Report {
                seconds: self.started.elapsed().as_secs_f64(),
                forced: self.is_legal_complete && self.legal.len() == 1,
                trouble,
                ..Report::default()
            },
        })
    }

    fn report_of(&mut self, result: &SearchResult, deadline: Option<Instant>) -> Report {
        let reasoner = &mut self.reasoner;
        report_text::report(reasoner, self.role, self.started, result, deadline)
    }
}

impl<R: Reasoner + 'static> Player for SearchPlayer<R> {
    fn role(&self) -> Role {
        self.role
    }

    fn roles(&self) -> Vec<String> {
        self.reasoner.roles().to_vec()
    }

    fn start(&mut self, deadline: Instant) -> Result<(), PlayError> {
        let search_deadline = clock::search_deadline(deadline);
        self.start_search(Some(search_deadline), None);
        self.reasoner.set_deadline(Some(search_deadline));
        match self.catch_up() {
            Ok(()) | Err(ReasonError::Stopped) => {}
            Err(error) => return Err(error.into()),
        }
        self.slot.wait(search_deadline);
        Ok(())
    }

    fn play(&mut self, deadline: Instant) -> Result<Answer, PlayError> {
        let search_deadline = clock::search_deadline(deadline);
        // Without a legal move there is no answer, so finding one may take all of the time.
        self.reasoner.set_deadline(Some(deadline));
        match self.catch_up() {
            Ok(()) => {}
            Err(ReasonError::Stopped) => {
                self.started = Instant::now();
                let trouble = if self.is_legal_current {
                    "not all legal moves were known in time, this is one of them"
                } else {
                    "the legal moves were not known in time, this one was legal before"
                };
                return self.answer_without_search(Some(trouble.to_owned()));
            }
            Err(error) => return Err(error.into()),
        }
        match self.legal.len() {
            0 => {
                return Err(PlayError::NoLegalMove {
                    role: self.role_name(),
                });
            }
            // A pondering search may go on.
            1 => {
                self.started = Instant::now();
                return self.answer_without_search(None);
            }
            _ => {}
        }
        if !self.start_search(Some(search_deadline), None) {
            return self.answer_without_search(Some(BROKEN.to_owned()));
        }
        let wait_deadline = clock::wait_deadline(deadline, search_deadline);
        let (result, error) = self.slot.wait(wait_deadline);
        let found = result.and_then(|result| {
            let index = self.legal.iter().position(|id| *id == result.choice)?;
            Some((index, result))
        });
        let Some((index, result)) = found else {
            let nothing = || "nothing was found in time".to_owned();
            return self.answer_without_search(Some(error.unwrap_or_else(nothing)));
        };
        self.answered = Some(result.choice);
        let mut report = self.report_of(&result, Some(deadline));
        report.trouble = error.or(report.trouble);
        Ok(Answer {
            text: self.reasoner.move_text(self.role, self.legal[index]),
            index,
            report,
        })
    }

    fn apply_joint_move(&mut self, joint_move: &[String]) -> Result<(), PlayError> {
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
        self.stop();
        self.send(Command::Advance(ids.clone()));
        self.pending_moves.push_back(ids);
        self.is_legal_complete = false;
        self.is_legal_current = false;
        self.answered = None;
        Ok(())
    }

    fn set_state(&mut self, facts: &[String]) -> Result<(), PlayError> {
        self.reasoner.set_deadline(None);
        let state = self.reasoner.state_from_facts(facts)?;
        self.stop();
        self.send(Command::SetState(state.clone()));
        self.state = Some(state);
        self.step += self.pending_moves.len() as u64 + 1;
        self.pending_moves.clear();
        self.is_legal_complete = false;
        self.is_legal_current = false;
        self.answered = None;
        Ok(())
    }

    fn ponder(&mut self) {
        self.start_search(None, self.answered);
    }

    fn is_pondering(&self) -> bool {
        self.pondering && !self.slot.is_done()
    }

    fn stop(&mut self) {
        self.slot.advance();
        self.pondering = false;
    }

    fn cancel_handle(&self) -> CancelHandle {
        CancelHandle(Arc::clone(&self.slot))
    }

    fn shut_down(&mut self) {
        self.slot.cancel();
        // Dropping the only sender ends the search thread.
        self.commands = channel().0;
        if let Some(thread) = self.thread.take() {
            // If the thread has panicked, the slot holds that error already.
            let _ = thread.join();
        }
    }

    fn report(&mut self) -> Option<Report> {
        let (result, error) = self.slot.read();
        let mut report = match result {
            Some(result) => self.report_of(&result, None),
            None => Report {
                trouble: Some(error.clone()?),
                ..Report::default()
            },
        };
        report.trouble = error.or(report.trouble);
        Some(report)
    }

    fn report_observer(&self) -> Box<dyn ReportObserver> {
        Box::new(SlotObserver {
            reasoner: self.reasoner.fork(),
            role: self.role,
            slot: Arc::clone(&self.slot),
        })
    }
}

/// Reads the result slot of a player, and prints moves with a reasoner of its own.
struct SlotObserver<R> {
    reasoner: R,
    role: Role,
    slot: Arc<ResultSlot>,
}

impl<R: Reasoner> ReportObserver for SlotObserver<R> {
    fn report(&mut self) -> Option<Report> {
        let (result, error) = self.slot.read();
        let started = self.slot.started().unwrap_or_else(Instant::now);
        let reasoner = &mut self.reasoner;
        let mut report = report_text::report(reasoner, self.role, started, &*result?, None);
        report.trouble = error.or(report.trouble);
        Some(report)
    }
}

impl<R: Reasoner> Drop for SearchPlayer<R> {
    fn drop(&mut self) {
        // Ends the search at once; the thread itself is not waited for.
        self.slot.advance();
    }
}
