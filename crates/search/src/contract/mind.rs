//! The part of a player that thinks, in a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Role};

use super::board::Watch;
use super::place::Latest;

/// How deep minds may recurse: all recursion here is bounded, and this is far more than it takes.
const STACK: usize = 16 << 20;

/// What there is to think about.
#[derive(Clone, Debug)]
pub(crate) struct Position<S> {
    pub(crate) state: S,
    pub(crate) role: Role,
    /// The legal moves of each role; the player's own are not empty.
    pub(crate) legal: Vec<Vec<MoveId>>,
    /// The move that the player has already answered with, while it thinks on in the others' time.
    pub(crate) chosen: Option<MoveId>,
}

/// A way of thinking.
pub(crate) trait Mind<R: Reasoner>: Send {
    /// Thinks about a position until the watch is over or nothing is left to find, and shows what
    /// it would play as soon as it can. The reasoner's deadline is set to the end of the watch, and
    /// its questions end when the page is turned.
    fn think(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        watch: &Watch,
    ) -> Result<(), ReasonError>;

    /// A joint move was played and led to a state.
    fn advance(&mut self, _joint_move: &[MoveId], _state: &R::State) {}

    /// Another state is to be thought about, from wherever.
    fn forget(&mut self) {}
}

/// What a seat asks of its mind.
#[derive(Debug)]
pub(crate) enum Order<S> {
    /// Think.
    Think {
        watch: Watch,
        chosen: Option<MoveId>,
    },
    /// Go on by a joint move.
    Advance(Vec<MoveId>),
    /// Go elsewhere.
    GoTo(S),
}

/// Where orders go, and the thread that obeys them.
pub(crate) type Started<S> = (Sender<Order<S>>, JoinHandle<()>);

/// Starts the thread of a mind. It ends when the sender is gone.
pub(crate) fn start<R: Reasoner + 'static>(
    reasoner: R,
    role: Role,
    mind: Box<dyn Mind<R>>,
    latest: Latest<R::State>,
) -> std::io::Result<Started<R::State>> {
    let (sender, receiver) = channel();
    let thread = Thread {
        reasoner,
        role,
        mind,
        state: None,
        behind: Vec::new(),
        turn: 0,
        latest,
    };
    let thread = std::thread::Builder::new()
        .name("mind".to_owned())
        .stack_size(STACK)
        .spawn(move || thread.run(&receiver))?;
    Ok((sender, thread))
}

struct Thread<R: Reasoner> {
    reasoner: R,
    role: Role,
    mind: Box<dyn Mind<R>>,
    /// Where the match was when last worked out; none before the first question.
    state: Option<R::State>,
    /// Joint moves that were played since and are yet to be worked out.
    behind: Vec<Vec<MoveId>>,
    /// How many moves and jumps led to the state.
    turn: u64,
    latest: Latest<R::State>,
}

impl<R: Reasoner> Thread<R> {
    fn run(mut self, orders: &Receiver<Order<R::State>>) {
        while let Ok(order) = orders.recv() {
            match order {
                Order::Advance(joint_move) => self.behind.push(joint_move),
                Order::GoTo(state) => {
                    self.turn += self.behind.len() as u64 + 1;
                    self.behind.clear();
                    self.state = Some(state);
                    self.mind.forget();
                }
                Order::Think { watch, chosen } => {
                    if watch.is_current() {
                        self.reasoner.set_deadline(watch.until);
                        self.reasoner.set_cancel(Some(watch.turned()));
                        let thinking = AssertUnwindSafe(|| self.think(&watch, chosen));
                        let Ok(result) = catch_unwind(thinking) else {
                            // Nothing here can be trusted any more.
                            watch.finish(Some("the search has broken down".to_owned()));
                            return;
                        };
                        watch.finish(match result {
                            Ok(()) | Err(ReasonError::Stopped) => None,
                            Err(error) => Some(error.to_string()),
                        });
                    }
                }
            }
        }
    }

    fn think(&mut self, watch: &Watch, chosen: Option<MoveId>) -> Result<(), ReasonError> {
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.reasoner.initial()?,
        };
        let result = self.catch_up(&mut state);
        self.state = Some(state.clone());
        result?;
        let roles = self.reasoner.roles().len();
        let mut legal = vec![Vec::new(); roles];
        let place = self.latest.get(self.turn);
        let known = place.and_then(|place| place.legal.clone());
        if let Some(known) = known {
            legal[self.role] = known;
        } else {
            // The player's own come first: without one there is no answer.
            let own = &mut legal[self.role];
            self.reasoner.legal_moves(&state, self.role, own)?;
            self.latest.tell(self.turn, &state, Some(own));
        }
        for (role, moves) in legal.iter_mut().enumerate() {
            if role != self.role {
                self.reasoner.legal_moves(&state, role, moves)?;
            }
        }
        if legal[self.role].is_empty() {
            return Ok(());
        }
        let position = Position {
            state,
            role: self.role,
            legal,
            chosen,
        };
        self.mind.think(&mut self.reasoner, &position, watch)
    }

    /// Works out what was played. What could not be worked out in time is tried again the next
    /// time.
    fn catch_up(&mut self, state: &mut R::State) -> Result<(), ReasonError> {
        let mut done = 0;
        let mut result = Ok(());
        for joint_move in &self.behind {
            let next = match self.latest.get(self.turn + 1) {
                Some(place) => Ok(place.state.clone()),
                None => self.reasoner.next(state, joint_move),
            };
            match next {
                Ok(next) => {
                    *state = next;
                    self.turn += 1;
                    self.latest.tell(self.turn, state, None);
                    self.mind.advance(joint_move, state);
                    done += 1;
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.behind.drain(..done);
        result
    }
}
