//! How much of the time a trial may take.
//!
//! What is found out early is good for the whole match, and the first move matters least. So a
//! trial has most of the first thought, which is the time before the first move where there is
//! some; then it rests until that is a small share of all the time, and goes on in that share.

use std::time::{Duration, Instant};

use ludorum_player::SearchContext;

/// Of the time it may take one part in this,
const SHARE: u32 = 4;
/// of the first thought three,
const FIRST_SHARE: u32 = 3;
/// and two while nobody has said when that ends.
const OPEN_SHARE: u32 = 2;
/// The most time that it may take,
const MOST: Duration = Duration::from_secs(30);
/// and how many times as long as a thought: in a slow game it would take its share of the time of
/// the whole match, and end with it.
const THOUGHTS: u32 = 3;
/// Where the search makes fewer playouts in a second than this, matches would take too long, and so
/// would making ready for guided playouts.
const SLOWEST: f64 = 10_000.0;
/// What a step may take while nobody has said when thinking ends.
const PATIENCE: Duration = Duration::from_millis(250);
/// A step is begun where there is this many times as much time as it takes: the search is to have
/// some after it.
const SPARE: u32 = 4;

/// What is known of the end of the thought under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// There was no thought yet.
    Unasked,
    /// Nobody has said it.
    Open,
    /// It is this.
    At(Instant),
}

/// The time of a trial and of the search around it.
#[derive(Debug)]
pub(super) struct Allowance {
    /// What the trial has taken.
    spent: Duration,
    /// What a step is expected to take; zero before the first.
    cost: Duration,
    /// The time of the search, that of the trial included.
    time: Duration,
    /// The time of the last thought that had a clock, if there was one.
    thought: Option<Duration>,
    /// When the thought under way ends;
    end: End,
    /// what had been taken, of how much time, when it began;
    before: (Duration, Duration),
    /// and whether it is the first.
    is_first: bool,
    /// Whether the search has been fast enough. Guided playouts are slower, and no reason to stop.
    is_fast: bool,
    /// Playouts of the search,
    made: u64,
    /// whether there is a budget of them,
    is_budgeted: bool,
    /// and those of the trial.
    simulations: u64,
}

impl Allowance {
    pub(super) fn new(is_budgeted: bool) -> Self {
        Self {
            spent: Duration::ZERO,
            cost: Duration::ZERO,
            time: Duration::ZERO,
            thought: None,
            end: End::Unasked,
            before: (Duration::ZERO, Duration::ZERO),
            is_first: true,
            is_fast: false,
            made: 0,
            is_budgeted,
            simulations: 0,
        }
    }

    /// Whether playouts are counted, and the clock is to make no difference.
    pub(super) fn is_budgeted(&self) -> bool {
        self.is_budgeted
    }

    /// The search has made so many playouts in so much time.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    pub(super) fn earn(&mut self, made: u64, took: Duration) {
        self.time += took;
        self.made += made;
        self.is_fast |= self.made as f64 >= SLOWEST * self.searched().as_secs_f64();
    }

    /// The trial makes so many playouts.
    pub(super) fn use_playouts(&mut self, simulations: u64) {
        self.simulations += simulations;
    }

    /// A step of the trial has come to its end.
    pub(super) fn spend(&mut self, took: Duration) {
        self.pay(took);
        self.cost = self.cost.max(took);
    }

    /// A step has not. Who was interrupted by others has learned nothing about the time that it
    /// takes.
    pub(super) fn lose(&mut self, took: Duration, is_too_long: bool) {
        self.pay(took);
        if is_too_long {
            self.cost = self.cost.max(took * 2);
        }
    }

    fn pay(&mut self, took: Duration) {
        self.spent += took;
        self.time += took;
    }

    /// Takes note of the clock of a new thought that began at a moment. The machine may be less
    /// busy than it was.
    pub(super) fn set_clock(&mut self, context: &SearchContext, began: Instant) {
        let end = context.deadline.map_or(End::Open, End::At);
        if self.end == end {
            return;
        }
        self.is_first = self.end == End::Unasked;
        self.end = end;
        self.before = (self.spent, self.time);
        if let Some(until) = context.deadline {
            self.thought = Some(until.saturating_duration_since(began));
            self.cost = self.cost * 3 / 4;
        }
    }

    /// When a step that is begun now has to end.
    pub(super) fn end_of_step(context: &SearchContext) -> Instant {
        context
            .deadline
            .unwrap_or_else(|| Instant::now() + PATIENCE)
    }

    /// The time of the search without the trial.
    fn searched(&self) -> Duration {
        self.time.saturating_sub(self.spent)
    }

    /// Whether a step that is begun now, of about so many playouts, can be expected to be finished,
    /// and the search to have time after it.
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
            Some(until) => until.saturating_duration_since(Instant::now()) >= cost * SPARE,
            None => PATIENCE >= cost,
        }
    }

    /// Whether it has taken less than its share, of this thought and of all.
    pub(super) fn is_its_turn(&self) -> bool {
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

    /// Whether it has had all the time that it may take, or would have had it.
    pub(super) fn is_over(&self) -> bool {
        let most = self.most();
        !self.is_budgeted && (self.spent >= most || self.time >= most * SHARE)
    }

    /// The most time that it may take, where there is a clock; what was seen while pondering says
    /// nothing about that.
    fn most(&self) -> Duration {
        let thoughts = self.thought.map(|thought| thought * THOUGHTS);
        thoughts.map_or(MOST, |thoughts| thoughts.min(MOST))
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

    /// A thought that ends at a moment.
    fn context(until: Option<Instant>) -> SearchContext {
        let turned = Arc::new(AtomicBool::new(false));
        SearchContext::detached(turned, until)
    }

    /// A thought begins that has so much time, or nobody says how much.
    fn begin(allowance: &mut Allowance, time: Option<Duration>) {
        let now = Instant::now();
        allowance.set_clock(&context(time.map(|time| now + time)), now);
    }

    #[test]
    fn there_is_most_of_the_first_thought_and_little_of_the_others() {
        let mut time = Allowance::new(false);
        begin(&mut time, Some(seconds(1_000)));
        time.earn(1 << 40, seconds(30));
        time.spend(seconds(70));
        assert!(time.is_its_turn());
        time.spend(seconds(30));
        assert!(!time.is_its_turn());
        begin(&mut time, Some(seconds(2_000)));
        time.earn(1 << 40, seconds(100));
        assert!(!time.is_its_turn(), "it has had half of all the time");
        time.earn(1 << 40, seconds(300));
        assert!(time.is_its_turn());
    }

    #[test]
    fn with_a_budget_it_makes_a_third_as_many_playouts_and_the_clock_makes_no_difference() {
        let mut time = Allowance::new(true);
        time.earn(9_000, seconds(1_000));
        time.use_playouts(2_000);
        assert!(time.is_its_turn() && time.has_time(&context(None), 4_000));
        time.use_playouts(1_000);
        assert!(time.is_its_turn());
        time.use_playouts(1);
        assert!(!time.is_its_turn() && !time.is_over());
        time.earn(3, Duration::ZERO);
        assert!(time.is_its_turn());
    }

    #[test]
    fn what_was_saved_up_is_not_taken_out_of_one_thought() {
        let mut time = Allowance::new(false);
        begin(&mut time, Some(seconds(1_000)));
        time.earn(1 << 40, seconds(1_000));
        begin(&mut time, Some(seconds(2_000)));
        assert!(time.is_its_turn());
        time.spend(seconds(1));
        assert!(!time.is_its_turn());
        time.earn(1 << 40, seconds(3));
        assert!(time.is_its_turn());
    }

    #[test]
    fn who_ponders_before_the_first_clock_has_had_the_first_thought() {
        let mut time = Allowance::new(false);
        begin(&mut time, None);
        time.earn(1 << 40, seconds(10));
        time.spend(seconds(9));
        assert!(time.is_its_turn(), "half of it");
        begin(&mut time, Some(seconds(100)));
        time.earn(1 << 40, seconds(1));
        assert!(!time.is_its_turn());
        // Nor is there more of the pondering after an answer.
        let mut time = Allowance::new(false);
        begin(&mut time, Some(seconds(100)));
        time.earn(1 << 40, seconds(100));
        begin(&mut time, None);
        time.earn(1 << 40, seconds(10));
        time.spend(seconds(4));
        assert!(!time.is_its_turn());
    }

    #[test]
    fn it_is_over_after_a_few_thoughts_however_long_the_first_was() {
        let mut time = Allowance::new(false);
        begin(&mut time, Some(seconds(1_000)));
        time.earn(1, seconds(5));
        time.spend(seconds(7));
        assert!(!time.is_over());
        begin(&mut time, Some(seconds(2)));
        assert!(time.is_over());
    }

    #[test]
    fn it_is_over_when_it_would_have_had_its_time() {
        let mut time = Allowance::new(false);
        time.earn(1, (MOST * SHARE).saturating_sub(seconds(1)));
        assert!(!time.is_over());
        time.earn(1, seconds(1));
        assert!(time.is_over());
        assert!(!Allowance::new(true).is_over());
    }

    #[test]
    fn a_slow_search_has_no_trial() {
        let mut time = Allowance::new(false);
        assert!(!time.is_slow(), "nothing is known");
        time.earn(90_000, seconds(10));
        assert!(time.is_slow() && !time.is_its_turn());
        time.earn(90_000, seconds(1));
        assert!(time.is_its_turn());
        // Guided playouts are slower; the trial is to come to its end all the same.
        time.earn(0, seconds(100));
        assert!(time.is_its_turn() && !time.is_slow());
    }

    #[test]
    fn the_first_step_is_begun_only_if_it_can_be_expected_to_end() {
        let mut time = Allowance::new(false);
        // 4,000 playouts take a fifth of a second.
        time.earn(20_000, seconds(1));
        let within = |time| context(Some(Instant::now() + time));
        assert!(!time.has_time(&within(Duration::from_millis(500)), 4_000));
        assert!(time.has_time(&within(seconds(60)), 4_000));
        // Nobody waits for what is thought meanwhile.
        assert!(time.has_time(&context(None), 4_000));
        time.spend(PATIENCE * 2);
        assert!(!time.has_time(&context(None), 4_000));
    }

    #[test]
    fn each_thought_has_a_clock_of_its_own_and_forgets_how_long_steps_took() {
        let mut time = Allowance::new(false);
        time.lose(seconds(4), true);
        time.lose(seconds(100), false);
        let now = Instant::now();
        let start = context(Some(now + seconds(3_000)));
        time.set_clock(&start, now);
        time.set_clock(&start, now);
        assert_eq!((time.most(), time.cost), (MOST, seconds(6)));
        begin(&mut time, Some(seconds(1)));
        assert_eq!(time.most(), seconds(3));
    }
}
