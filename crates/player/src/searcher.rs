//! The searcher of a player, and the thread that it runs in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Role};

use crate::latest_position::LatestPosition;
use crate::search_context::SearchContext;

/// The stack size of the search thread. All recursion of searchers is bounded and needs far less.
const STACK: usize = 16 << 20;

/// The error of a search that panicked.
pub(crate) const BROKEN: &str = "the search has broken down";

/// A position to search.
#[derive(Clone, Debug)]
pub struct Position<S> {
    /// The state.
    pub state: S,
    /// The role of the player.
    pub role: Role,
    /// The legal moves of each role; those of the player's role are not empty.
    pub legal: Vec<Vec<MoveId>>,
    /// The move that the player has already answered with, while it ponders.
    pub chosen: Option<MoveId>,
}

/// A search algorithm. [`SearchPlayer`](crate::SearchPlayer) makes a player of it.
pub trait Searcher<R: Reasoner>: Send {
    /// Searches a position until the context is over or nothing is left to find. A result should be
    /// published as early as possible and again as it improves. The deadline and the cancel flag of
    /// the reasoner are those of the context.
    fn search(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError>;

    /// A joint move was played and led to a state.
    fn advance(&mut self, _joint_move: &[MoveId], _state: &R::State) {}

    /// The match goes on from an unrelated state.
    fn reset(&mut self) {}
}

/// What the player sends to the search thread.
#[derive(Debug)]
pub(crate) enum Command<S> {
    /// Search the current position.
    Search {
        context: SearchContext,
        chosen: Option<MoveId>,
    },
    /// Advance by a joint move.
    Advance(Vec<MoveId>),
    /// Go to a state.
    SetState(S),
}

/// The sender of commands, and the thread that executes them.
pub(crate) type StartedSearcher<S> = (Sender<Command<S>>, JoinHandle<()>);

/// Starts the thread of a searcher. It ends when the sender is dropped.
pub(crate) fn start<R: Reasoner + 'static>(
    reasoner: R,
    role: Role,
    searcher: Box<dyn Searcher<R>>,
    latest: LatestPosition<R::State>,
) -> std::io::Result<StartedSearcher<R::State>> {
    let (sender, receiver) = channel();
    let thread = SearchThread {
        reasoner,
        role,
        searcher,
        state: None,
        pending_moves: Vec::new(),
        step: 0,
        latest,
    };
    let thread = std::thread::Builder::new()
        .name("searcher".to_owned())
        .stack_size(STACK)
        .spawn(move || thread.run(&receiver))?;
    Ok((sender, thread))
}

struct SearchThread<R: Reasoner> {
    reasoner: R,
    role: Role,
    searcher: Box<dyn Searcher<R>>,
    /// The last state that was computed; none before the first search.
    state: Option<R::State>,
    /// Joint moves played since, whose successor states are not computed yet.
    pending_moves: Vec<Vec<MoveId>>,
    /// How many joint moves and state changes led to the state.
    step: u64,
    latest: LatestPosition<R::State>,
}

impl<R: Reasoner> SearchThread<R> {
    fn run(mut self, commands: &Receiver<Command<R::State>>) {
        while let Ok(command) = commands.recv() {
            match command {
                Command::Advance(joint_move) => self.pending_moves.push(joint_move),
                Command::SetState(state) => {
                    self.step += self.pending_moves.len() as u64 + 1;
                    self.pending_moves.clear();
                    self.state = Some(state);
                    self.searcher.reset();
                }
                Command::Search { context, chosen } => {
                    if context.is_current() {
                        self.reasoner.set_deadline(context.deadline);
                        self.reasoner.set_cancel(Some(context.cancel_flag()));
                        let search = AssertUnwindSafe(|| self.search(&context, chosen));
                        let Ok(result) = catch_unwind(search) else {
                            // After a panic the state of the searcher is unknown.
                            context.finish(Some(BROKEN.to_owned()));
                            return;
                        };
                        context.finish(match result {
                            Ok(()) | Err(ReasonError::Stopped) => None,
                            Err(error) => Some(error.to_string()),
                        });
                    }
                }
            }
        }
    }

    fn search(
        &mut self,
        context: &SearchContext,
        chosen: Option<MoveId>,
    ) -> Result<(), ReasonError> {
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.reasoner.initial()?,
        };
        let result = self.catch_up(&mut state);
        self.state = Some(state.clone());
        result?;
        let roles = self.reasoner.roles().len();
        let mut legal = vec![Vec::new(); roles];
        let known = self.latest.get(self.step);
        let known = known.and_then(|known| known.legal.clone());
        if let Some(known) = known {
            legal[self.role] = known;
        } else {
            // The player's own moves come first: without one there is no answer.
            let own = &mut legal[self.role];
            self.reasoner.legal_moves(&state, self.role, own)?;
            self.latest.update(self.step, &state, Some(own));
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
        self.searcher.search(&mut self.reasoner, &position, context)
    }

    /// Computes the successor states of the pending joint moves. Those that the deadline cuts off
    /// stay pending for the next search.
    fn catch_up(&mut self, state: &mut R::State) -> Result<(), ReasonError> {
        let mut done = 0;
        let mut result = Ok(());
        for joint_move in &self.pending_moves {
            let next = match self.latest.get(self.step + 1) {
                Some(known) => Ok(known.state.clone()),
                None => self.reasoner.next(state, joint_move),
            };
            match next {
                Ok(next) => {
                    *state = next;
                    self.step += 1;
                    self.latest.update(self.step, state, None);
                    self.searcher.advance(joint_move, state);
                    done += 1;
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.pending_moves.drain(..done);
        result
    }
}
