//! Where a match is written down while it is played: [`Ledger`].

use thiserror::Error;

use crate::record::{Outcome, Record, Step};

/// Keeps what happens in a match. A manager calls it before it tells anybody, so what players and
/// spectators know is never lost.
///
/// A match that is resumed begins with the record so far; its steps are not written again.
pub trait Ledger: Send {
    /// The match begins; the record has no steps yet.
    fn begin(&mut self, record: &Record) -> Result<(), LedgerError>;

    /// A step was accepted.
    fn step(&mut self, step: &Step) -> Result<(), LedgerError>;

    /// The match is over.
    fn end(&mut self, outcome: &Outcome) -> Result<(), LedgerError>;
}

/// What happened could not be written down, so the match cannot go on.
#[derive(Debug, Error)]
#[error("the match could not be written down: {0}")]
pub struct LedgerError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl LedgerError {
    /// An error of whatever keeps the ledger.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A ledger that keeps nothing.
impl Ledger for () {
    fn begin(&mut self, _record: &Record) -> Result<(), LedgerError> {
        Ok(())
    }

    fn step(&mut self, _step: &Step) -> Result<(), LedgerError> {
        Ok(())
    }

    fn end(&mut self, _outcome: &Outcome) -> Result<(), LedgerError> {
        Ok(())
    }
}
