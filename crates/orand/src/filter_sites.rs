//! Whether filters pay (appendix B.2 of the thesis).
//!
//! Every place where a rowset filters a condition counts its visits and the work they took. After
//! 200 visits the condition is proved without the filter in a few states, between questions, with a
//! bound on the work. If that is far less work, the filter goes; if it does not look hopeless, the
//! filter goes on trial: in half of the states, drawn at random, the place takes the unfiltered
//! results, which it shares with others, and all work of all questions is counted for both halves.
//! The cheaper way stays. (Comparing the work of the place alone is not enough: what it proves may
//! serve others.)
//!
//! A filter that does not pay in some states may be needed in others. Where it was dropped, the
//! condition may take some times the work it used to; if it takes more, the filter is taken back,
//! and the place is watched again, for longer than before.
//!
//! Of domination (6.5) nothing is left to decide. The thesis collects a filter from every level
//! above a condition and deletes those that another contains. Here the rowset of the nearest AND
//! node already starts from what the levels above asked for, so the one filter over all columns
//! that it shares with the condition contains every other.

/// After how many visits a filter is looked at.
const VISITS: u64 = 200;
/// In how many states the condition is proved without it.
pub(super) const PROBES: u64 = 8;
/// How many states a trial takes.
const TRIAL: u64 = 160;
/// How many times the usual work, and how much beyond that, a condition may take without its
/// filter.
const TIMES_USUAL: u64 = 16;
const BEYOND_USUAL: u64 = 1 << 14;
/// How often a filter is taken back before it stays for good.
const MAX_RETURNS: u32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterState {
    Watched,
    Probed,
    Kept,
    Dropped,
}

/// A place where a rowset filters a condition.
#[derive(Clone, Debug)]
pub(super) struct FilterSite {
    pub(super) whole: usize,
    pub(super) state: FilterState,
    visits: u64,
    pub(super) work: u64,
    /// States in which it was visited, and the last of them.
    pub(super) states: u64,
    epoch: u64,
    pub(super) probes: u64,
    pub(super) probe_work: u64,
    /// How often it was dropped and taken back, and how often there was no time to look at it.
    returns: u32,
    pub(super) late: u32,
}

/// All such places.
#[derive(Clone, Debug, Default)]
pub(super) struct FilterSites {
    pub(super) places: Vec<FilterSite>,
    /// Those to be looked at.
    pub(super) waiting: Vec<usize>,
    /// Those that have passed the look, and the one on trial.
    pub(super) candidates: Vec<usize>,
    trial: Option<FilterTrial>,
}

/// A filter on trial: states and work with it and without.
#[derive(Clone, Debug)]
struct FilterTrial {
    site: usize,
    side: usize,
    states: [u64; 2],
    work: [u64; 2],
    /// Where the sides are drawn from: no rhythm of turns must coincide with it.
    random: u64,
}

impl FilterSite {
    fn new(whole: usize) -> Self {
        Self {
            whole,
            state: FilterState::Watched,
            visits: 0,
            work: 0,
            states: 0,
            epoch: 0,
            probes: 0,
            probe_work: 0,
            returns: 0,
            late: 0,
        }
    }
}

impl FilterSites {
    pub(super) fn add(&mut self, whole: usize) -> usize {
        self.places.push(FilterSite::new(whole));
        self.places.len() - 1
    }

    #[inline]
    pub(super) fn is_dropped(&self, site: usize) -> bool {
        self.places[site].state == FilterState::Dropped
    }

    /// Notes a visit and the work that it took.
    #[inline]
    pub(super) fn note(&mut self, number: usize, epoch: u64, work: u64) {
        let site = &mut self.places[number];
        if site.state != FilterState::Watched {
            return;
        }
        site.visits += 1;
        site.work += work;
        site.states += u64::from(site.epoch != epoch);
        site.epoch = epoch;
        if site.visits >= VISITS << (2 * site.returns) && site.states >= PROBES {
            site.state = FilterState::Probed;
            self.waiting.push(number);
        }
    }

    /// How much work a condition may take without its filter.
    pub(super) fn allowance(&self, number: usize) -> u64 {
        let site = &self.places[number];
        let with = site.work / site.states.max(1);
        let without = site.probe_work / site.probes.max(1);
        TIMES_USUAL * with.max(without) + BEYOND_USUAL
    }

    /// WholeFluentUses a filter again that was dropped.
    pub(super) fn take_back(&mut self, number: usize) {
        if self.trial.as_ref().is_some_and(|t| t.site == number) {
            self.trial = None;
        }
        let site = &mut self.places[number];
        let returns = site.returns + 1;
        *site = FilterSite::new(site.whole);
        site.returns = returns;
        if returns >= MAX_RETURNS {
            site.state = FilterState::Kept;
        }
    }

    /// Notes the work of a question.
    #[inline]
    pub(super) fn note_question(&mut self, work: u64) {
        if let Some(trial) = &mut self.trial {
            trial.work[trial.side] += work;
        }
    }

    /// A new state: the trial goes on, ends or begins.
    #[inline]
    pub(super) fn next_state(&mut self) {
        if self.trial.is_some() || !self.candidates.is_empty() {
            self.next_trial_state();
        }
    }

    #[cold]
    fn next_trial_state(&mut self) {
        let trial = match self.trial.take() {
            Some(trial) => trial,
            None => match self.candidates.pop() {
                Some(site) => FilterTrial {
                    site,
                    side: 0,
                    states: [0; 2],
                    work: [0; 2],
                    random: 0x9e37_79b9_7f4a_7c15,
                },
                None => return,
            },
        };
        let mut trial = trial;
        let state = &mut self.places[trial.site].state;
        if trial.states[0] + trial.states[1] >= TRIAL {
            // Cross-multiplied means, and a little in favour of the filter.
            let with = u128::from(trial.work[0]) * u128::from(trial.states[1]);
            let without = u128::from(trial.work[1]) * u128::from(trial.states[0]);
            *state = if without * 100 < with * 98 {
                FilterState::Dropped
            } else {
                FilterState::Kept
            };
            return;
        }
        trial.random ^= trial.random << 13;
        trial.random ^= trial.random >> 7;
        trial.random ^= trial.random << 17;
        trial.side = (trial.random >> 40 & 1) as usize;
        trial.states[trial.side] += 1;
        *state = if trial.side == 1 {
            FilterState::Dropped
        } else {
            FilterState::Probed
        };
        self.trial = Some(trial);
    }

    /// How many filters there are, and how many of them are not used any more.
    pub(super) fn count(&self) -> (usize, usize) {
        let dropped = self
            .places
            .iter()
            .filter(|s| s.state == FilterState::Dropped);
        (self.places.len(), dropped.count())
    }
}
