//! The time that passes may take.

use std::time::{Duration, Instant};

/// Deadline of a pass: a pass may go on; what it has not looked at by then stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassBudget {
    until: Option<Instant>,
    /// Time that begins to run with the first pass that needs it.
    time: Option<Duration>,
}

impl PassBudget {
    /// No end.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// So long from the first pass on that needs it; a time beyond all reckoning is no end.
    pub fn of_time(time: Duration) -> Self {
        Self {
            until: None,
            time: Some(time),
        }
    }

    /// The clock from now on.
    #[must_use]
    pub(super) fn started(self) -> Self {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        Self { time: None, ..self }.and_deadline(end)
    }

    /// The same clock with an end no later than this.
    #[must_use]
    pub fn and_deadline(self, end: Option<Instant>) -> Self {
        let until = match (self.until, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { until, ..self }
    }

    /// Whether the time is over.
    pub fn is_spent(self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether there is so much time left.
    pub fn allows(self, time: Duration) -> bool {
        self.until
            .is_none_or(|until| until.saturating_duration_since(Instant::now()) >= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_end_counts() {
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
