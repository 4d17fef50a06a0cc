//! Who knows the rules: [`Referee`].

use std::time::{Duration, Instant};

use ludorum_reasoner::{GameWalker, ReasonError};
use thiserror::Error;

/// The referee may work on no question for longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where a match stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    /// The fluents, sorted.
    pub(super) facts: Vec<String>,
    pub(super) is_terminal: bool,
    /// The legal moves of each role; none at the end.
    pub(super) legal: Vec<Vec<String>>,
    /// The goals at the end, and only there.
    pub(super) goals: Vec<Option<u8>>,
}

/// Why the referee cannot say how it goes on.
#[derive(Debug, Error)]
pub(super) enum RefereeError {
    #[error(transparent)]
    Reason(#[from] ReasonError),
    #[error("the engine has broken down")]
    Broken,
}

/// Holds the state of a match. Questions are worked on in threads of their own, for they may take
/// long.
pub(super) struct Referee {
    /// None once it has broken down.
    walker: Option<Box<dyn GameWalker>>,
}

impl Referee {
    pub(super) fn new(walker: Box<dyn GameWalker>) -> Self {
        Self {
            walker: Some(walker),
        }
    }

    /// Makes joint moves one after the other and looks at what came of them.
    pub(super) async fn go(&mut self, moves: Vec<Vec<String>>) -> Result<Position, RefereeError> {
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

fn go(walker: &mut dyn GameWalker, moves: &[Vec<String>]) -> Result<Position, ReasonError> {
    let be_patient = |walker: &mut dyn GameWalker| {
        walker.set_deadline(Instant::now().checked_add(PATIENCE));
    };
    for joint_move in moves {
        be_patient(walker);
        walker.step(joint_move)?;
    }
    be_patient(walker);
    let mut view = Position {
        facts: walker.facts(),
        is_terminal: walker.is_terminal()?,
        ..Position::default()
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
