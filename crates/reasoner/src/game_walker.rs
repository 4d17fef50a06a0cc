//! Walking through the states of a game in KIF text, independent of the engine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::engine_choice::EngineChoice;
use crate::error::{ReasonError, check_move_count};
use crate::goal::Goal;
use crate::ids::{MoveId, Role};
use crate::reasoner::Reasoner;

/// A reasoner with a current state, whose moves and facts are KIF texts. The trait is object safe,
/// so that engines of different types can be walked side by side.
pub trait GameWalker: Send {
    /// The names of the roles.
    fn roles(&self) -> Vec<String>;
    /// Makes the initial state the current state.
    fn restart(&mut self) -> Result<(), ReasonError>;
    /// Makes the state with exactly these fluents the current state.
    fn go_to(&mut self, facts: &[String]) -> Result<(), ReasonError>;
    /// The fluents of the current state, sorted.
    fn facts(&mut self) -> Vec<String>;
    /// The key of the current state.
    fn key(&self) -> u128;
    /// The legal moves of a role, sorted.
    fn legal(&mut self, role: Role) -> Result<Vec<String>, ReasonError>;
    /// Whether the current state is terminal.
    fn is_terminal(&mut self) -> Result<bool, ReasonError>;
    /// The goal of a role in the current state.
    fn goal(&mut self, role: Role) -> Result<Goal, ReasonError>;
    /// Makes a joint move, one text for each role.
    fn step(&mut self, moves: &[String]) -> Result<(), ReasonError>;
    /// See [`Reasoner::set_deadline`].
    fn set_deadline(&mut self, deadline: Option<Instant>);
    /// See [`Reasoner::set_cancel`].
    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>);
    /// See [`Reasoner::wait_until_ready`].
    fn wait_until_ready(&mut self);
    /// See [`Reasoner::engine_choice`].
    fn engine_choice(&self) -> Option<EngineChoice>;
}

/// A [`GameWalker`] on any reasoner.
pub struct ReasonerWalker<R: Reasoner> {
    reasoner: R,
    state: R::State,
    moves: Vec<MoveId>,
}

impl<R: Reasoner> ReasonerWalker<R> {
    /// A walker at the initial state.
    pub fn new(mut reasoner: R) -> Result<Self, ReasonError> {
        Ok(Self {
            state: reasoner.initial()?,
            reasoner,
            moves: Vec::new(),
        })
    }
}

impl<R: Reasoner> GameWalker for ReasonerWalker<R> {
    fn roles(&self) -> Vec<String> {
        self.reasoner.roles().to_vec()
    }

    fn restart(&mut self) -> Result<(), ReasonError> {
        self.state = self.reasoner.initial()?;
        Ok(())
    }

    fn go_to(&mut self, facts: &[String]) -> Result<(), ReasonError> {
        self.state = self.reasoner.state_from_facts(facts)?;
        Ok(())
    }

    fn facts(&mut self) -> Vec<String> {
        self.reasoner.facts(&self.state)
    }

    fn key(&self) -> u128 {
        self.reasoner.key(&self.state)
    }

    fn legal(&mut self, role: Role) -> Result<Vec<String>, ReasonError> {
        self.reasoner
            .legal_moves(&self.state, role, &mut self.moves)?;
        let moves = std::mem::take(&mut self.moves);
        let texts = moves
            .iter()
            .map(|id| self.reasoner.move_text(role, *id))
            .collect();
        self.moves = moves;
        Ok(texts)
    }

    fn is_terminal(&mut self) -> Result<bool, ReasonError> {
        self.reasoner.is_terminal(&self.state)
    }

    fn goal(&mut self, role: Role) -> Result<Goal, ReasonError> {
        self.reasoner.goal(&self.state, role)
    }

    fn step(&mut self, moves: &[String]) -> Result<(), ReasonError> {
        check_move_count(self.reasoner.roles().len(), moves)?;
        let mut joint = Vec::with_capacity(moves.len());
        for (role, text) in moves.iter().enumerate() {
            let id = self.reasoner.find_move(role, text);
            joint.push(id.ok_or_else(|| ReasonError::IllegalMove {
                role: self.reasoner.roles()[role].clone(),
                text: text.clone(),
            })?);
        }
        self.state = self.reasoner.next(&self.state, &joint)?;
        Ok(())
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.reasoner.set_deadline(deadline);
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.reasoner.set_cancel(cancel);
    }

    fn wait_until_ready(&mut self) {
        self.reasoner.wait_until_ready();
    }

    fn engine_choice(&self) -> Option<EngineChoice> {
        self.reasoner.engine_choice()
    }
}
