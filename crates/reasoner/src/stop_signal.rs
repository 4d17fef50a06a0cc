//! The stop signal of an engine: a deadline and a cancel flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::error::ReasonError;

/// A deadline and a cancel flag. Work stops as soon as either takes effect.
#[derive(Clone, Debug, Default)]
pub struct StopSignal {
    /// Work stops at this moment.
    pub deadline: Option<Instant>,
    /// Work stops once any thread has set this flag.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl StopSignal {
    /// Whether the deadline has passed or the flag is set.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        let cancel = self.cancel.as_ref();
        cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// [`ReasonError::Stopped`] if the deadline has passed or the flag is set.
    pub fn check(&self) -> Result<(), ReasonError> {
        if self.is_stopped() {
            Err(ReasonError::Stopped)
        } else {
            Ok(())
        }
    }

    /// The signal of a fork: it inherits the deadline, but not the flag.
    #[must_use]
    pub fn of_fork(&self) -> Self {
        Self {
            deadline: self.deadline,
            cancel: None,
        }
    }
}
