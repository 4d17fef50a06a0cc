//! The share of the search time that a trial may take.
//!
//! What is decided early serves the whole match, and the first move matters least. So a trial takes
//! most of the first search, which uses the start clock if there is one. Then it pauses until that
//! is a small share of the whole time, and continues within that share.

use std::time::{Duration, Instant};

use ludorum_player::SearchContext;

/// The share of the whole time, as one part in this many.
const SHARE: u32 = 4;
/// The parts of the first search.
const FIRST_SHARE: u32 = 3;
/// The parts of the first search while that is pondering, without a deadline.
const OPEN_SHARE: u32 = 2;
/// The maximum time of a trial.
const MAX_TIME: Duration = Duration::from_secs(30);
/// The maximum time of a trial in searches of the last length. In a slow game it would otherwise
/// take its share during the whole match.
const MAX_SEARCHES: u32 = 3;
/// The minimum playouts per second. In slower searches matches would take too long, and so would
/// the compilation for guided playouts.
const MIN_RATE: f64 = 10_000.0;
/// The deadline of a step while pondering.
const PONDER_STEP: Duration = Duration::from_millis(250);
/// A step is begun if this many times its expected time is left, so that the search has time after
/// it.
const TIME_RESERVE: u32 = 4;

/// The end of the current search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// There was no search yet.
    Unasked,
    /// The search has no deadline.
    Open,
    /// The search ends at its deadline.
    At(Instant),
}

/// The time of a trial and of the search around it.
#[derive(Debug)]
pub(super) struct TrialTime {
    /// The time taken by the trial.
    spent: Duration,
    /// The expected time of a step; zero before the first.
    cost: Duration,
    /// The whole time, that of the trial included.
    time: Duration,
    /// The length of the last search with a deadline.
    search_time: Option<Duration>,
    /// The end of the current search.
    end: End,
    /// The time of the trial and the whole time when the current search began.
    before: (Duration, Duration),
    /// Whether this is the first search.
    is_first: bool,
    /// Whether the search has been fast enough. Guided playouts are slower, which does not end the
    /// trial.
    is_fast: bool,
    /// Simulations of the search.
    made: u64,
    /// Whether there is a simulation budget.
    is_budgeted: bool,
    /// Playouts of the trial.
    simulations: u64,
}

impl TrialTime {
    pub(super) fn new(is_budgeted: bool) -> Self {
        Self {
            spent: Duration::ZERO,
            cost: Duration::ZERO,
            time: Duration::ZERO,
            search_time: None,
            end: End::Unasked,
            before: (Duration::ZERO, Duration::ZERO),
            is_first: true,
            is_fast: false,
            made: 0,
            is_budgeted,
            simulations: 0,
        }
    }

    /// Whether there is a simulation budget, so that the clock must make no difference.
    pub(super) fn is_budgeted(&self) -> bool {
        self.is_budgeted
    }

    /// Records simulations of the search and the time they took.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    pub(super) fn record_search(&mut self, made: u64, took: Duration) {
        self.time += took;
        self.made += made;
        self.is_fast |= self.made as f64 >= MIN_RATE * self.searched().as_secs_f64();
    }

    /// Records playouts of the trial.
    pub(super) fn use_playouts(&mut self, simulations: u64) {
        self.simulations += simulations;
    }

    /// Records the time of a completed step.
    pub(super) fn record_step(&mut self, took: Duration) {
        self.add_trial_time(took);
        self.cost = self.cost.max(took);
    }

    /// Records the time of an interrupted step. If the search was cancelled, the step may still be
    /// short.
    pub(super) fn lose(&mut self, took: Duration, is_too_long: bool) {
        self.add_trial_time(took);
        if is_too_long {
            self.cost = self.cost.max(took * 2);
        }
    }

    fn add_trial_time(&mut self, took: Duration) {
        self.spent += took;
        self.time += took;
    }

    /// Starts a new search, by its deadline. The machine may be less busy now, so the expected time
    /// of a step is reduced.
    pub(super) fn set_clock(&mut self, context: &SearchContext, began: Instant) {
        let end = context.deadline.map_or(End::Open, End::At);
        if self.end == end {
            return;
        }
        self.is_first = self.end == End::Unasked;
        self.end = end;
        self.before = (self.spent, self.time);
        if let Some(until) = context.deadline {
            self.search_time = Some(until.saturating_duration_since(began));
            self.cost = self.cost * 3 / 4;
        }
    }

    /// The deadline of a step that begins now.
    pub(super) fn step_deadline(context: &SearchContext) -> Instant {
        context
            .deadline
            .unwrap_or_else(|| Instant::now() + PONDER_STEP)
    }

    /// The time of the search without the trial.
    fn searched(&self) -> Duration {
        self.time.saturating_sub(self.spent)
    }

    /// Whether a step of about this many playouts will end in time, with time left for the search.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    pub(super) fn has_time(&self, context: &SearchContext, playouts: u64) -> bool {
        if self.is_budgeted {
            return true;
        }
        let cost = if self.cost.is_zero() {
            let each = self.searched().as_secs_f64() / self.made.max(1) as f64;
            Duration::from_secs_f64(playouts as f64 * each)
        } else {
            self.cost
        };
        match context.deadline {
            Some(until) => until.saturating_duration_since(Instant::now()) >= cost * TIME_RESERVE,
            None => PONDER_STEP >= cost,
        }
    }

    /// Whether the trial has taken less than its share, of this search and of all.
    pub(super) fn is_below_share(&self) -> bool {
        if self.is_budgeted {
            return self.simulations * u64::from(SHARE) <= self.made + self.simulations;
        }
        let share = match (self.is_first, self.end) {
            (true, End::At(_)) => FIRST_SHARE,
            (true, _) => OPEN_SHARE,
            (false, _) => 1,
        };
        let (spent, time) = self.before;
        let of_this =
            self.spent.saturating_sub(spent) * SHARE <= self.time.saturating_sub(time) * share;
        self.is_fast && of_this && self.spent * SHARE <= self.time * share
    }

    /// Whether the search is too slow for a trial, as far as is known.
    pub(super) fn is_slow(&self) -> bool {
        self.made > 0 && !self.is_fast
    }

    /// Whether the trial has had its time, or would have had it.
    pub(super) fn is_over(&self) -> bool {
        let most = self.most();
        !self.is_budgeted && (self.spent >= most || self.time >= most * SHARE)
    }

    /// The maximum time of the trial. The time spent pondering does not limit it.
    fn most(&self) -> Duration {
        let limit = self.search_time.map(|search| search * MAX_SEARCHES);
        limit.map_or(MAX_TIME, |limit| limit.min(MAX_TIME))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    /// A search with this deadline.
    fn context(until: Option<Instant>) -> SearchContext {
        let cancelled = Arc::new(AtomicBool::new(false));
        SearchContext::detached(cancelled, until)
    }

    /// Starts a search of this length, or without a deadline.
    fn begin(time: &mut TrialTime, length: Option<Duration>) {
        let now = Instant::now();
        time.set_clock(&context(length.map(|length| now + length)), now);
    }

    #[test]
    fn a_trial_takes_most_of_the_first_search_and_little_of_later_ones() {
        let mut time = TrialTime::new(false);
        begin(&mut time, Some(seconds(1_000)));
        time.record_search(1 << 40, seconds(30));
        time.record_step(seconds(70));
        assert!(time.is_below_share());
        time.record_step(seconds(30));
        assert!(!time.is_below_share());
        begin(&mut time, Some(seconds(2_000)));
        time.record_search(1 << 40, seconds(100));
        assert!(
            !time.is_below_share(),
            "the trial took half of all the time"
        );
        time.record_search(1 << 40, seconds(300));
        assert!(time.is_below_share());
    }

    #[test]
    fn with_a_budget_it_makes_a_third_as_many_playouts_whatever_the_clock() {
        let mut time = TrialTime::new(true);
        time.record_search(9_000, seconds(1_000));
        time.use_playouts(2_000);
        assert!(time.is_below_share() && time.has_time(&context(None), 4_000));
        time.use_playouts(1_000);
        assert!(time.is_below_share());
        time.use_playouts(1);
        assert!(!time.is_below_share() && !time.is_over());
        time.record_search(3, Duration::ZERO);
        assert!(time.is_below_share());
    }

    #[test]
    fn unused_time_is_not_taken_from_a_single_search() {
        let mut time = TrialTime::new(false);
        begin(&mut time, Some(seconds(1_000)));
        time.record_search(1 << 40, seconds(1_000));
        begin(&mut time, Some(seconds(2_000)));
        assert!(time.is_below_share());
        time.record_step(seconds(1));
        assert!(!time.is_below_share());
        time.record_search(1 << 40, seconds(3));
        assert!(time.is_below_share());
    }

    #[test]
    fn pondering_before_the_first_clock_counts_as_the_first_search() {
        let mut time = TrialTime::new(false);
        begin(&mut time, None);
        time.record_search(1 << 40, seconds(10));
        time.record_step(seconds(9));
        assert!(time.is_below_share(), "half of it");
        begin(&mut time, Some(seconds(100)));
        time.record_search(1 << 40, seconds(1));
        assert!(!time.is_below_share());
        // Pondering after an answer gives no additional time.
        let mut time = TrialTime::new(false);
        begin(&mut time, Some(seconds(100)));
        time.record_search(1 << 40, seconds(100));
        begin(&mut time, None);
        time.record_search(1 << 40, seconds(10));
        time.record_step(seconds(4));
        assert!(!time.is_below_share());
    }

    #[test]
    fn it_ends_after_a_few_searches_of_the_last_length() {
        let mut time = TrialTime::new(false);
        begin(&mut time, Some(seconds(1_000)));
        time.record_search(1, seconds(5));
        time.record_step(seconds(7));
        assert!(!time.is_over());
        begin(&mut time, Some(seconds(2)));
        assert!(time.is_over());
    }

    #[test]
    fn it_ends_when_its_share_of_the_time_has_passed() {
        let mut time = TrialTime::new(false);
        time.record_search(1, (MAX_TIME * SHARE).saturating_sub(seconds(1)));
        assert!(!time.is_over());
        time.record_search(1, seconds(1));
        assert!(time.is_over());
        assert!(!TrialTime::new(true).is_over());
    }

    #[test]
    fn a_slow_search_has_no_trial() {
        let mut time = TrialTime::new(false);
        assert!(!time.is_slow(), "nothing is known");
        time.record_search(90_000, seconds(10));
        assert!(time.is_slow() && !time.is_below_share());
        time.record_search(90_000, seconds(1));
        assert!(time.is_below_share());
        // Guided playouts are slower; the trial still goes on.
        time.record_search(0, seconds(100));
        assert!(time.is_below_share() && !time.is_slow());
    }

    #[test]
    fn the_first_step_is_begun_only_if_it_can_be_expected_to_end() {
        let mut time = TrialTime::new(false);
        // 4,000 playouts take a fifth of a second.
        time.record_search(20_000, seconds(1));
        let within = |time| context(Some(Instant::now() + time));
        assert!(!time.has_time(&within(Duration::from_millis(500)), 4_000));
        assert!(time.has_time(&within(seconds(60)), 4_000));
        // While pondering no answer is waited for.
        assert!(time.has_time(&context(None), 4_000));
        time.record_step(PONDER_STEP * 2);
        assert!(!time.has_time(&context(None), 4_000));
    }

    #[test]
    fn each_search_has_its_own_clock_and_discounts_the_time_of_steps() {
        let mut time = TrialTime::new(false);
        time.lose(seconds(4), true);
        time.lose(seconds(100), false);
        let now = Instant::now();
        let start = context(Some(now + seconds(3_000)));
        time.set_clock(&start, now);
        time.set_clock(&start, now);
        assert_eq!((time.most(), time.cost), (MAX_TIME, seconds(6)));
        begin(&mut time, Some(seconds(1)));
        assert_eq!(time.most(), seconds(3));
    }
}
