//! Whether filters pay (appendix B.2 of the thesis).
//!
//! Every place where a rowset filters a condition counts its visits and the work they took. After 200 visits the condition is proved without the
//! filter in a few states, between questions; if that takes less work than the filtered visits of a state did, the filter only
//! costs, and the place takes the unfiltered results, which it shares with others, from then on.

use super::cell::Cell;
use super::machine::Machine;

/// After how many visits a filter is looked at.
const VISITS: u64 = 200;
/// In how many states the condition is proved without it.
const PROBES: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Watched,
    Probed,
    Kept,
    Dropped,
}

/// A place where a rowset filters a condition.
#[derive(Clone, Debug)]
pub(super) struct Site {
    node: usize,
    whole: usize,
    verdict: Verdict,
    visits: u64,
    work: u64,
    /// States in which it was visited, and the last of them.
    states: u64,
    epoch: u64,
    probes: u64,
    probe_work: u64,
}

/// All such places.
#[derive(Clone, Debug, Default)]
pub(super) struct Sites {
    sites: Vec<Site>,
    /// Those to be looked at.
    waiting: Vec<usize>,
}

impl Sites {
    pub(super) fn add(&mut self, node: usize, whole: usize) -> usize {
        self.sites.push(Site {
            node,
            whole,
            verdict: Verdict::Watched,
            visits: 0,
            work: 0,
            states: 0,
            epoch: 0,
            probes: 0,
            probe_work: 0,
        });
        self.sites.len() - 1
    }

    #[inline]
    pub(super) fn is_dropped(&self, site: usize) -> bool {
        self.sites[site].verdict == Verdict::Dropped
    }

    /// Notes a visit and the work that it took.
    #[inline]
    pub(super) fn note(&mut self, number: usize, epoch: u64, work: u64) {
        let site = &mut self.sites[number];
        if site.verdict != Verdict::Watched {
            return;
        }
        site.visits += 1;
        site.work += work;
        site.states += u64::from(site.epoch != epoch);
        site.epoch = epoch;
        if site.visits >= VISITS && site.states >= PROBES {
            site.verdict = Verdict::Probed;
            self.waiting.push(number);
        }
    }

    /// How many filters there are, and how many of them are not used any more.
    pub(super) fn count(&self) -> (usize, usize) {
        let dropped = self.sites.iter().filter(|s| s.verdict == Verdict::Dropped);
        (self.sites.len(), dropped.count())
    }
}

impl<C: Cell> Machine<C> {
    /// Looks at one of the waiting filters. To be called when no question is under way; epochs and results may change.
    pub(super) fn probe_filters(&mut self) {
        let Some(number) = self.sites.waiting.pop() else {
            return;
        };
        let Site {
            node,
            whole,
            work,
            states,
            ..
        } = self.sites.sites[number];
        let usual = work / states.max(1);
        let limit = 4 * usual + 4_096;
        let stale = self.tables[whole].epoch != self.epochs[self.nodes[whole].class as usize];
        if !stale {
            // Others have it anyway in this state: nothing can be learned now.
            self.sites.waiting.insert(0, number);
            return;
        }
        let (work, usual_limit, deadline) = (self.work, self.limit, self.deadline.take());
        let outcome = self.begin(Some(limit)).and_then(|()| self.prove_all(whole));
        let cost = self.work + self.tables[whole].answers.len as u64;
        if outcome.is_err() {
            self.reset();
        }
        (self.work, self.limit, self.deadline) = (work, usual_limit, deadline);
        let site = &mut self.sites.sites[number];
        site.probes += 1;
        site.probe_work += cost;
        if outcome.is_err() || site.probe_work > 2 * PROBES * (usual + 16) {
            site.verdict = Verdict::Kept;
        } else if site.probes < PROBES {
            self.sites.waiting.insert(0, number);
        } else if site.probe_work <= site.probes * usual {
            site.verdict = Verdict::Dropped;
        } else {
            site.verdict = Verdict::Kept;
        }
        let _ = node;
    }
}
