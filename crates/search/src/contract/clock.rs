//! How much of a clock is used.

use std::time::{Duration, Instant};

/// Kept back for waking up and for putting the answer into words, on a machine that is busy.
const MARGIN: Duration = Duration::from_millis(15);

/// The moment to stop thinking: a little before the deadline, less so for short clocks.
pub(crate) fn stop_before(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline
        .checked_sub(MARGIN.min(left / 8))
        .unwrap_or(deadline)
}

/// The moment to stop waiting for whoever stopped thinking at [`stop_before`]: there is a little
/// time for saying what was found.
pub(crate) fn wait_before(deadline: Instant, stop: Instant) -> Instant {
    let margin = deadline.saturating_duration_since(stop);
    deadline.checked_sub(margin / 4).unwrap_or(deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_stops_before_the_deadline_and_short_clocks_keep_most_of_their_time() {
        let now = Instant::now();
        let long = now + Duration::from_secs(100);
        assert_eq!(stop_before(long) + MARGIN, long);
        let short = now + Duration::from_millis(40);
        assert!(stop_before(short) + Duration::from_millis(5) >= short);
        assert_eq!(stop_before(now), now);
    }
}
