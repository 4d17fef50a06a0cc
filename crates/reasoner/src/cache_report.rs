//! Statistics of a cache of answers.

use serde::Serialize;

/// The queries whose answers are cached.
#[derive(Clone, Copy, Debug)]
pub enum CachedQuery {
    /// Whether a state is terminal.
    Terminal,
    /// The goal of a role.
    Goal,
    /// The legal moves of a role.
    Legal,
    /// The successor of a joint move.
    Next,
}

/// The hit rate of one kind of query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HitRate {
    /// The number of queries.
    pub asked: u64,
    /// The number of queries whose answer was cached.
    pub hits: u64,
}

impl HitRate {
    /// Hits divided by queries; 0 if there were no queries.
    #[allow(clippy::cast_precision_loss)] // for display only
    pub fn share(&self) -> f64 {
        if self.asked == 0 {
            0.0
        } else {
            self.hits as f64 / self.asked as f64
        }
    }

    fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.hits += other.hits;
    }
}

/// The size and the hit rates of a cache, summed over all forks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheReport {
    /// Queries whether a state is terminal.
    pub terminal: HitRate,
    /// Queries for goals.
    pub goal: HitRate,
    /// Queries for legal moves.
    pub legal: HitRate,
    /// Queries for successor states.
    pub next: HitRate,
    /// The number of states and successors in the cache.
    pub items: usize,
    /// The bytes they take.
    pub bytes: usize,
    /// The memory bound in bytes.
    pub limit: usize,
    /// The number of items evicted.
    pub evicted: u64,
}

impl CacheReport {
    /// The hit rate over all kinds of queries.
    pub fn total(&self) -> HitRate {
        let mut total = self.terminal;
        for rate in [self.goal, self.legal, self.next] {
            total.add(rate);
        }
        total
    }

    /// Counts a query, and a hit if its answer was cached.
    pub fn count(&mut self, query: CachedQuery, hit: bool) {
        let rate = match query {
            CachedQuery::Terminal => &mut self.terminal,
            CachedQuery::Goal => &mut self.goal,
            CachedQuery::Legal => &mut self.legal,
            CachedQuery::Next => &mut self.next,
        };
        rate.asked += 1;
        rate.hits += u64::from(hit);
    }

    /// Adds the statistics of another cache, or of another shard of the same one.
    pub fn add(&mut self, other: &Self) {
        self.terminal.add(other.terminal);
        self.goal.add(other.goal);
        self.legal.add(other.legal);
        self.next.add(other.next);
        self.items += other.items;
        self.bytes += other.bytes;
        self.limit += other.limit;
        self.evicted += other.evicted;
    }
}
