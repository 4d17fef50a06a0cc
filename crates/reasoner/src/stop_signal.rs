//! The stop signal of an engine: a deadline and a cancel flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::contract::ReasonError;

/// The deadline and the cancel flag of a reasoner.
#[derive(Clone, Debug, Default)]
pub struct StopSignal {
    /// Work ends at this moment.
    pub deadline: Option<Instant>,
    /// Work ends once this flag is set, by whichever thread.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl StopSignal {
    /// Whether the deadline has passed or the flag is set.
    #[inline]
    pub fn is_over(&self) -> bool {
        let cancel = self.cancel.as_ref();
        cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// [`ReasonError::Late`] if the deadline has passed or the flag is set.
    pub fn check(&self) -> Result<(), ReasonError> {
        if self.is_over() {
            Err(ReasonError::Late)
        } else {
            Ok(())
        }
    }

    /// The signal of a fork: the deadline is inherited, the flag is not.
    #[must_use]
    pub fn of_fork(&self) -> Self {
        Self {
            deadline: self.deadline,
            cancel: None,
        }
    }
}
