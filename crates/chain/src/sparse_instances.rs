//! Sparse predicates: instances get ids when they first hold, because the possible ones are too
//! many for an array.
//!
//! Moves of several steps on a large board are an example: a hundred million are possible, some
//! thousands occur. All forks agree on the ids. Each fork has a copy of a prefix of the shared
//! rows; only a lookup of a row that the copy lacks takes the lock.

use std::sync::{Arc, Mutex, PoisonError};

use ludorum_logic::TermId;

use super::budget::ChainError;
use super::extension::Extension;

/// Maximum number of instances of a sparse predicate.
pub(super) const CAPACITY: u32 = 1 << 20;

/// The rows of a sparse predicate, or of a pair of `legal` and `does`.
#[derive(Debug)]
pub(super) struct SparseInstances {
    shared: Arc<Mutex<Extension>>,
    own: Extension,
}

impl Clone for SparseInstances {
    fn clone(&self) -> Self {
        let mut clone = Self {
            shared: Arc::clone(&self.shared),
            own: Extension::new(self.own.arity),
        };
        clone.sync();
        clone
    }
}

impl SparseInstances {
    pub(super) fn new(arity: usize) -> Self {
        Self {
            shared: Arc::new(Mutex::new(Extension::new(arity))),
            own: Extension::new(arity),
        }
    }

    /// The number of a row, if this fork knows it.
    pub(super) fn find(&self, row: &[TermId]) -> Option<u32> {
        self.own.find(row)
    }

    /// The number of a row, assigned if it is new.
    pub(super) fn number(&mut self, row: &[TermId]) -> Result<u32, ChainError> {
        if let Some(known) = self.own.find(row) {
            return Ok(known);
        }
        {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.find(row).is_none() {
                if shared.len() >= CAPACITY as usize {
                    return Err(ChainError::Unsupported(format!(
                        "more than {CAPACITY} different moves or facts of one kind"
                    )));
                }
                shared.insert(row);
            }
        }
        self.sync();
        self.own.find(row).ok_or_else(|| {
            ChainError::Unsupported("internal error: an assigned row is missing".to_owned())
        })
    }

    fn sync(&mut self) {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        for row in self.own.len()..shared.len() {
            self.own.insert(shared.row(row));
        }
    }

    /// The row with a number.
    pub(super) fn row(&self, number: u32) -> Option<&[TermId]> {
        ((number as usize) < self.own.len()).then(|| self.own.row(number as usize))
    }

    /// Makes a number known that another fork assigned.
    pub(super) fn ensure_known(&mut self, number: u32) {
        if number as usize >= self.own.len() {
            self.sync();
        }
    }
}
