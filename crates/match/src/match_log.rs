//! Recording a match while it is played: [`MatchLog`].

use thiserror::Error;

use crate::record::{MatchRecord, MatchStep, Outcome};

/// A write-ahead log of a match. The manager calls it before players or spectators are notified, so
/// everything they know is recorded.
///
/// A resumed match starts from its record; the steps in it are not logged again.
pub trait MatchLog: Send {
    /// The match starts; the record has no steps.
    fn begin(&mut self, record: &MatchRecord) -> Result<(), MatchLogError>;

    /// A joint move was accepted.
    fn step(&mut self, step: &MatchStep) -> Result<(), MatchLogError>;

    /// The match is over.
    fn end(&mut self, outcome: &Outcome) -> Result<(), MatchLogError>;
}

/// A log entry could not be written, so the match cannot go on.
#[derive(Debug, Error)]
#[error("the match could not be written down: {0}")]
pub struct MatchLogError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl MatchLogError {
    /// Wraps an error of the log's storage.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A log that records nothing.
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
