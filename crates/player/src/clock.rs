//! How much of a clock is used for searching.

use std::time::{Duration, Instant};

/// Time kept back before the deadline for thread wake-up and for writing the report, on a busy
/// machine.
const MARGIN: Duration = Duration::from_millis(15);

/// When the search for an answer ends: [`MARGIN`] before the deadline, or an eighth of the time
/// left if that is less.
pub(crate) fn search_deadline(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline
        .checked_sub(MARGIN.min(left / 8))
        .unwrap_or(deadline)
}

/// Until when the player waits for a search that ends at `search_deadline`: a quarter of the margin
/// remains for writing the report.
pub(crate) fn wait_deadline(deadline: Instant, search_deadline: Instant) -> Instant {
    let margin = deadline.saturating_duration_since(search_deadline);
    deadline.checked_sub(margin / 4).unwrap_or(deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_ends_before_the_deadline_and_short_clocks_keep_most_of_their_time() {
        let now = Instant::now();
        let long = now + Duration::from_secs(100);
        assert_eq!(search_deadline(long) + MARGIN, long);
        let short = now + Duration::from_millis(40);
        assert!(search_deadline(short) + Duration::from_millis(5) >= short);
        assert_eq!(search_deadline(now), now);
    }
}
