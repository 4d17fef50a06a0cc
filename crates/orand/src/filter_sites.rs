//! Removal of filters that do not pay (Świechowski 2015, appendix B.2).
//!
//! Every place where a rowset filters a condition counts its visits and their work. After 200
//! visits, the condition is proved without the filter in a few states, between queries and with a
//! work limit (a probe). If that is much cheaper, the filter is removed. If it is not clearly
//! worse, the filter goes on trial: in a random half of the states the site uses unfiltered
//! results, which it shares with other sites, and the work of all queries is recorded for both
//! halves. The cheaper alternative stays. The work of the site alone would not do, because its
//! results may serve others.
//!
//! A filter that does not pay in some states may be needed in others. Where it was removed, a
//! condition that takes several times its usual work gets the filter back, and is observed for
//! longer than before.
//!
//! Świechowski 2015 removes a filter that has never filtered out a row. Here the criterion is total
//! work. Domination of filters (section 6.5) does not arise. There, a filter is created from every
//! AND node above a condition, and dominated filters are deleted. Here, the rowset of the nearest
//! AND node starts from the rows requested above it, so its one filter over all shared columns
//! dominates every other.

/// Number of visits before a filter is probed.
const MIN_VISITS: u64 = 200;
/// Number of states in which a condition is probed.
pub(super) const PROBES: u64 = 8;
/// Number of states of a trial.
const TRIAL_STATES: u64 = 160;
/// Factor of the usual work that a condition may take without its filter.
const TIMES_USUAL: u64 = 16;

/// Work that a condition may take without its filter, in addition to the factor.
const BEYOND_USUAL: u64 = 1 << 14;

/// Number of times a filter is restored before it is kept for good.
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
    /// Number of states with visits; `epoch` is the last of them.
    pub(super) states: u64,
    epoch: u64,
    pub(super) probes: u64,
    pub(super) probe_work: u64,
    /// Number of times it was removed and restored; `late` counts probes that timed out.
    returns: u32,
    pub(super) late: u32,
}

/// All filter sites.
#[derive(Clone, Debug, Default)]
pub(super) struct FilterSites {
    pub(super) places: Vec<FilterSite>,
    /// Sites to be probed.
    pub(super) waiting: Vec<usize>,
    /// Sites waiting for a trial; `trial` is the current one.
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
    /// State of the random generator that draws the side. A fixed alternation could coincide with
    /// the turn order of the game.
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

    /// Records a visit and its work.
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
        if site.visits >= MIN_VISITS << (2 * site.returns) && site.states >= PROBES {
            site.state = FilterState::Probed;
            self.waiting.push(number);
        }
    }

    /// Work limit of a condition without its filter.
    pub(super) fn allowance(&self, number: usize) -> u64 {
        let site = &self.places[number];
        let with = site.work / site.states.max(1);
        let without = site.probe_work / site.probes.max(1);
        TIMES_USUAL * with.max(without) + BEYOND_USUAL
    }

    /// Restores a removed filter.
    pub(super) fn restore(&mut self, number: usize) {
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

    /// Records the work of a query.
    #[inline]
    pub(super) fn note_query(&mut self, work: u64) {
        if let Some(trial) = &mut self.trial {
            trial.work[trial.side] += work;
        }
    }

    /// A new state: continues, ends or starts a trial.
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
        if trial.states[0] + trial.states[1] >= TRIAL_STATES {
            // Compares means by cross-multiplication, with two percent in favour of the filter.
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

    /// Number of filter sites, and how many of them are removed.
    pub(super) fn count(&self) -> (usize, usize) {
        let dropped = self
            .places
            .iter()
            .filter(|s| s.state == FilterState::Dropped);
        (self.places.len(), dropped.count())
    }
}
