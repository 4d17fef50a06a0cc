//! Where a match is written down while it is played: [`MatchLog`].

use thiserror::Error;

use crate::record::{MatchRecord, MatchStep, Outcome};

/// Keeps what happens in a match. A manager calls it before it tells anybody, so what players and
/// spectators know is never lost.
///
/// A match that is resumed begins with the record so far; its steps are not written again.
pub trait MatchLog: Send {
    /// The match begins; the record has no steps yet.
    fn begin(&mut self, record: &MatchRecord) -> Result<(), MatchLogError>;

    /// A step was accepted.
    fn step(&mut self, step: &MatchStep) -> Result<(), MatchLogError>;

    /// The match is over.
    fn end(&mut self, outcome: &Outcome) -> Result<(), MatchLogError>;
}

/// What happened could not be written down, so the match cannot go on.
#[derive(Debug, Error)]
#[error("the match could not be written down: {0}")]
pub struct MatchLogError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl MatchLogError {
    /// An error of whatever keeps the log.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A log that keeps nothing.
impl MatchLog for () {
    fn begin(&mut self, _record: &MatchRecord) -> Result<(), MatchLogError> {
        Ok(())
    }

    fn step(&mut self, _step: &MatchStep) -> Result<(), MatchLogError> {
        Ok(())
    }

    fn end(&mut self, _outcome: &Outcome) -> Result<(), MatchLogError> {
        Ok(())
    }
}
