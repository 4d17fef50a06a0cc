//! MAST, the move-average sampling technique (Finnsson and Björnsson 2008): the mean result of a
//! move over all playouts, wherever it was played. Optionally N-grams of length 2 (NST, Tak et al.
//! 2012): the same for a move after the move before it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ludorum_reasoner::{MoveHistory, MoveId, MovePair, PlayoutPolicy, Role};
use rustc_hash::FxHashMap;

/// The policy is rebuilt after this many playouts.
const REBUILD_INTERVAL: u64 = 256;
/// The factor on all statistics when the match advances by a joint move.
const DECAY: f64 = 0.4;
/// The number of virtual playouts with a middling result that each move starts with, so that a
/// single win does not put it first.
const PRIOR: f64 = 4.0;

/// The minimum number of playouts of an N-gram.
const MIN_PAIR_PLAYOUTS: f64 = 8.0;
/// The maximum number of N-grams.
const MAX_PAIRS: usize = 200_000;

/// The statistics, shared by all threads.
#[derive(Debug)]
pub(super) struct Mast {
    statistics: Mutex<MastStatistics>,
    /// Whether playouts follow MAST, once that is decided.
    decision: OnceLock<bool>,
    /// Whether playouts follow MAST until then.
    is_followed_on_trial: AtomicBool,
}

#[derive(Debug)]
struct MastStatistics {
    /// For each role and move the number of playouts and the sum of goals, 0 to 1.
    records: Vec<Vec<(f64, f64)>>,
    /// The same for N-grams, if they are used.
    pairs: Option<FxHashMap<MovePair, (f64, f64)>>,
    guide: Arc<PlayoutPolicy>,
    learned: u64,
}

impl Mast {
    pub(super) fn new(roles: usize, epsilon: f64, ngrams: bool) -> Self {
        let guide = PlayoutPolicy {
            epsilon,
            epsilons: Vec::new(),
            scores: vec![Vec::new(); roles],
            pairs: ngrams.then(FxHashMap::default),
        };
        Self {
            statistics: Mutex::new(MastStatistics {
                records: vec![Vec::new(); roles],
                pairs: ngrams.then(FxHashMap::default),
                guide: Arc::new(guide),
                learned: 0,
            }),
            decision: OnceLock::new(),
            is_followed_on_trial: AtomicBool::new(false),
        }
    }

    /// Decides for good whether playouts follow MAST.
    pub(super) fn decide(&self, is_followed: bool) {
        self.decision.get_or_init(|| is_followed);
    }

    /// Whether this is not decided yet.
    pub(super) fn is_on_trial(&self) -> bool {
        self.decision.get().is_none()
    }

    /// Lets playouts follow MAST until it is decided.
    pub(super) fn follow_on_trial(&self) {
        self.is_followed_on_trial.store(true, Ordering::Release);
    }

    /// Whether playouts follow MAST.
    pub(super) fn is_followed(&self) -> bool {
        match self.decision.get() {
            Some(decision) => *decision,
            None => self.is_followed_on_trial.load(Ordering::Acquire),
        }
    }

    fn lock(&self) -> MutexGuard<'_, MastStatistics> {
        self.statistics
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The current playout policy.
    pub(super) fn guide(&self) -> Arc<PlayoutPolicy> {
        Arc::clone(&self.lock().guide)
    }

    /// Adds the moves of playouts.
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    pub(super) fn learn(&self, history: &MoveHistory) {
        let mut statistics = self.lock();
        let MastStatistics {
            records,
            pairs,
            learned,
            ..
        } = &mut *statistics;
        for (records, moves) in records.iter_mut().zip(&history.moves) {
            if records.len() < moves.len() {
                records.resize(moves.len(), (0.0, 0.0));
            }
            for (record, new) in records.iter_mut().zip(moves) {
                record.0 += new.playouts as f64;
                record.1 += new.points as f64 / 100.0;
            }
        }
        for (pair, new) in &history.pairs {
            if let Some(pairs) = pairs
                && (pairs.len() < MAX_PAIRS || pairs.contains_key(pair))
            {
                let record = pairs.entry(*pair).or_default();
                record.0 += new.playouts as f64;
                record.1 += new.points as f64 / 100.0;
            }
        }
        *learned += 1;
        let most = history.moves.iter().flatten().map(|m| m.playouts).max();
        *learned += most.unwrap_or(0);
        if *learned >= REBUILD_INTERVAL {
            *learned = 0;
            statistics.rebuild();
        }
    }

    /// Sorts the moves of a role by their scores, stably.
    pub(super) fn sort(&self, role: Role, moves: &mut [MoveId]) {
        let guide = self.guide();
        let score = |id: &MoveId| match guide.scores.get(role).and_then(|s| s.get(id.index())) {
            Some(score) => *score,
            None => 0.5,
        };
        moves.sort_by(|a, b| score(b).total_cmp(&score(a)));
    }

    /// Discounts the statistics, after the match has advanced.
    pub(super) fn discount(&self) {
        let mut statistics = self.lock();
        for record in statistics.records.iter_mut().flatten() {
            *record = (record.0 * DECAY, record.1 * DECAY);
        }
        if let Some(pairs) = &mut statistics.pairs {
            pairs.retain(|_, record| {
                *record = (record.0 * DECAY, record.1 * DECAY);
                record.0 >= 1.0
            });
        }
        statistics.rebuild();
    }
}

impl MastStatistics {
    fn rebuild(&mut self) {
        #[allow(clippy::cast_possible_truncation)] // a score needs no more
        let score =
            |(playouts, points): &(f64, f64)| ((points + PRIOR / 2.0) / (playouts + PRIOR)) as f32;
        let scores = self.records.iter();
        self.guide = Arc::new(PlayoutPolicy {
            epsilon: self.guide.epsilon,
            epsilons: Vec::new(),
            scores: scores
                .map(|records| records.iter().map(score).collect())
                .collect(),
            pairs: self.pairs.as_ref().map(|pairs| {
                let known = pairs
                    .iter()
                    .filter(|(_, record)| record.0 >= MIN_PAIR_PLAYOUTS);
                known.map(|(pair, record)| (*pair, score(record))).collect()
            }),
        });
    }
}

#[cfg(test)]
mod tests {
    use ludorum_reasoner::MoveTotals;

    use super::*;

    #[test]
    fn moves_of_won_playouts_come_first() {
        let mast = Mast::new(1, 0.2, false);
        let mut history = MoveHistory::new(1);
        let record = |playouts, points| MoveTotals { playouts, points };
        history.moves[0] = vec![record(300, 3_000), record(300, 27_000)];
        mast.learn(&history);
        let mut moves = [0, 2, 1].map(MoveId);
        mast.sort(0, &mut moves);
        assert_eq!(moves, [1, 2, 0].map(MoveId));
        mast.discount();
        mast.sort(0, &mut moves);
        assert_eq!(moves, [1, 2, 0].map(MoveId));
    }
}
