//! The history of moves: how often a move was part of playouts, and what its role got in them,
//! wherever it was played (MAST), or wherever it was played after the same move (N-grams of two).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ludorum_reasoner::{MoveHistory, MoveId, MovePair, PlayoutPolicy, Role};
use rustc_hash::FxHashMap;

/// The guide is made anew after so many playouts were learned from.
const RENEWED_AFTER: u64 = 256;
/// When the search goes on to another move, what was learned counts for so much less.
const DECAY: f64 = 0.4;
/// A move counts as tried so many times with a middling result from the start, so that a single win
/// does not put it first.
const PRIOR: f64 = 4.0;

/// A pair of moves must have been played so often before it counts.
const FEWEST: f64 = 8.0;
/// The most pairs that are kept.
const MOST_PAIRS: usize = 200_000;

/// What was learned, for all threads.
#[derive(Debug)]
pub(super) struct Mast {
    memory: Mutex<Memory>,
    /// Whether it is to be followed, once that is decided,
    verdict: OnceLock<bool>,
    /// and until then.
    is_tried: AtomicBool,
}

#[derive(Debug)]
struct Memory {
    /// For each role and move: playouts and the sum of goals, 0 to 1.
    records: Vec<Vec<(f64, f64)>>,
    /// The same for pairs, if they are wanted.
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
            memory: Mutex::new(Memory {
                records: vec![Vec::new(); roles],
                pairs: ngrams.then(FxHashMap::default),
                guide: Arc::new(guide),
                learned: 0,
            }),
            verdict: OnceLock::new(),
            is_tried: AtomicBool::new(false),
        }
    }

    /// Decides once and for all whether playouts follow it.
    pub(super) fn decide(&self, is_followed: bool) {
        self.verdict.get_or_init(|| is_followed);
    }

    /// Whether that is yet to be decided.
    pub(super) fn is_on_trial(&self) -> bool {
        self.verdict.get().is_none()
    }

    /// Lets playouts follow it until it is decided.
    pub(super) fn try_out(&self) {
        self.is_tried.store(true, Ordering::Release);
    }

    /// Whether playouts follow it.
    pub(super) fn is_followed(&self) -> bool {
        match self.verdict.get() {
            Some(verdict) => *verdict,
            None => self.is_tried.load(Ordering::Acquire),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The guide of playouts.
    pub(super) fn guide(&self) -> Arc<PlayoutPolicy> {
        Arc::clone(&self.lock().guide)
    }

    /// Takes in what was played.
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    pub(super) fn learn(&self, history: &MoveHistory) {
        let mut memory = self.lock();
        let Memory {
            records,
            pairs,
            learned,
            ..
        } = &mut *memory;
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
                && (pairs.len() < MOST_PAIRS || pairs.contains_key(pair))
            {
                let record = pairs.entry(*pair).or_default();
                record.0 += new.playouts as f64;
                record.1 += new.points as f64 / 100.0;
            }
        }
        *learned += 1;
        let most = history.moves.iter().flatten().map(|m| m.playouts).max();
        *learned += most.unwrap_or(0);
        if *learned >= RENEWED_AFTER {
            *learned = 0;
            memory.renew();
        }
    }

    /// The best moves of a role first; moves of the same score stay in their order.
    pub(super) fn sort(&self, role: Role, moves: &mut [MoveId]) {
        let guide = self.guide();
        let score = |id: &MoveId| match guide.scores.get(role).and_then(|s| s.get(id.index())) {
            Some(score) => *score,
            None => 0.5,
        };
        moves.sort_by(|a, b| score(b).total_cmp(&score(a)));
    }

    /// The match has gone on: what was learned is a little out of date.
    pub(super) fn age(&self) {
        let mut memory = self.lock();
        for record in memory.records.iter_mut().flatten() {
            *record = (record.0 * DECAY, record.1 * DECAY);
        }
        if let Some(pairs) = &mut memory.pairs {
            pairs.retain(|_, record| {
                *record = (record.0 * DECAY, record.1 * DECAY);
                record.0 >= 1.0
            });
        }
        memory.renew();
    }
}

impl Memory {
    fn renew(&mut self) {
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
                let known = pairs.iter().filter(|(_, record)| record.0 >= FEWEST);
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
    fn moves_that_were_part_of_wins_come_first() {
        let mast = Mast::new(1, 0.2, false);
        let mut history = MoveHistory::new(1);
        let record = |playouts, points| MoveTotals { playouts, points };
        history.moves[0] = vec![record(300, 3_000), record(300, 27_000)];
        mast.learn(&history);
        let mut moves = [0, 2, 1].map(MoveId);
        mast.sort(0, &mut moves);
        assert_eq!(moves, [1, 2, 0].map(MoveId));
        mast.age();
        mast.sort(0, &mut moves);
        assert_eq!(moves, [1, 2, 0].map(MoveId));
    }
}
