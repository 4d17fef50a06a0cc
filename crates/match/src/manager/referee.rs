//! Applying the rules of a match: [`Referee`].

use std::time::{Duration, Instant};

use ludorum_reasoner::{GameWalker, ReasonError};
use thiserror::Error;

/// Time limit of the engine for one question.
const ENGINE_TIMEOUT: Duration = Duration::from_mins(1);

/// The state of a match.
#[derive(Clone, Debug, Default)]
pub(super) struct RefereeView {
    /// The fluents, sorted.
    pub(super) facts: Vec<String>,
    pub(super) is_terminal: bool,
    /// The legal moves of each role; empty in a terminal state.
    pub(super) legal: Vec<Vec<String>>,
    /// The goal values in a terminal state, else empty.
    pub(super) goals: Vec<Option<u8>>,
}

/// Why the rules give no answer.
#[derive(Debug, Error)]
pub(super) enum RefereeError {
    #[error(transparent)]
    Reason(#[from] ReasonError),
    #[error("the engine has broken down")]
    Broken,
}

/// Holds the state of a match. The engine runs on blocking threads, because it may take long.
pub(super) struct Referee {
    /// None after a panic of the engine.
    walker: Option<Box<dyn GameWalker>>,
}

impl Referee {
    pub(super) fn new(walker: Box<dyn GameWalker>) -> Self {
        Self {
            walker: Some(walker),
        }
    }

    /// Applies joint moves in turn and describes the state reached.
    pub(super) async fn go(
        &mut self,
        moves: Vec<Vec<String>>,
    ) -> Result<RefereeView, RefereeError> {
        let mut walker = self.walker.take().ok_or(RefereeError::Broken)?;
        let work = move || {
            let view = go(&mut *walker, &moves);
            (walker, view)
        };
        let done = tokio::task::spawn_blocking(work).await;
        let (walker, view) = done.map_err(|_| RefereeError::Broken)?;
        self.walker = Some(walker);
        Ok(view?)
    }
}

fn go(walker: &mut dyn GameWalker, moves: &[Vec<String>]) -> Result<RefereeView, ReasonError> {
    let renew_deadline = |walker: &mut dyn GameWalker| {
        walker.set_deadline(Instant::now().checked_add(ENGINE_TIMEOUT));
    };
    for joint_move in moves {
        renew_deadline(walker);
        walker.step(joint_move)?;
    }
    renew_deadline(walker);
    let mut view = RefereeView {
        facts: walker.facts(),
        is_terminal: walker.is_terminal()?,
        ..RefereeView::default()
    };
    for role in 0..walker.roles().len() {
        if view.is_terminal {
            view.goals.push(walker.goal(role)?.value());
        } else {
            view.legal.push(walker.legal(role)?);
        }
    }
    Ok(view)
}
