//! When an engine is to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::contract::ReasonError;

/// The deadline and the flag of a reasoner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Until {
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: Option<Arc<AtomicBool>>,
}

impl Until {
    /// Whether the moment has come or the flag is set.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        let cancel = self.cancel.as_ref();
        cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// An error if it has.
    pub(crate) fn check(&self) -> Result<(), ReasonError> {
        if self.is_over() {
            Err(ReasonError::Late)
        } else {
            Ok(())
        }
    }

    /// The same for a fork: flags are not passed on.
    pub(crate) fn of_fork(&self) -> Self {
        Self {
            deadline: self.deadline,
            cancel: None,
        }
    }
}
