//! The time budget of passes.

use std::time::{Duration, Instant};

/// The time budget of passes. A pass that exceeds it leaves the rest of the network as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassBudget {
    until: Option<Instant>,
    /// Time that starts to run with the first pass that needs it.
    time: Option<Duration>,
}

impl PassBudget {
    /// A budget without a limit.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// A budget of some time from the first pass that needs it; unlimited if the end cannot be
    /// represented.
    pub fn of_time(time: Duration) -> Self {
        Self {
            until: None,
            time: Some(time),
        }
    }

    /// The budget with its time started now.
    #[must_use]
    pub(super) fn started(self) -> Self {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        Self { time: None, ..self }.and_deadline(end)
    }

    /// The budget with an end no later than this.
    #[must_use]
    pub fn and_deadline(self, end: Option<Instant>) -> Self {
        let until = match (self.until, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { until, ..self }
    }

    /// Whether the time is used up.
    pub fn is_spent(self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether at least this much time is left.
    pub fn allows(self, time: Duration) -> bool {
        self.until
            .is_none_or(|until| until.saturating_duration_since(Instant::now()) >= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_deadline_counts() {
        let now = Instant::now();
        assert!(PassBudget::unlimited().and_deadline(Some(now)).is_spent());
        assert!(
            PassBudget::of_time(Duration::ZERO)
                .started()
                .and_deadline(None)
                .is_spent()
        );
        assert!(!PassBudget::of_time(Duration::ZERO).is_spent());
        assert!(!PassBudget::of_time(Duration::MAX).started().is_spent());
        assert!(PassBudget::unlimited().allows(Duration::MAX));
    }
}
