//! Lockstep test: compares engines with each other on random playouts.
//!
//! All engines play the same random playouts by moves. In every state, each engine's answers must
//! equal those of the first engine. Afterwards each engine is compared again in the visited states,
//! set from their facts: answers must not depend on the path to a state.

use ludorum_reasoner::Rng;

use super::difference::Difference;
use super::observation::Observation;
use super::runner::{QueryError, Runner, StatePath, StopReason};

/// Maximum number of states per playout that are set from facts and compared again.
const MAX_STATES_FROM_FACTS: usize = 50;

/// Result of the playouts for each engine, in the order of the engines: the number of finished
/// playouts, and why the engine stopped, if it did.
pub(super) struct Lockstep {
    pub(super) finished: Vec<usize>,
    pub(super) halts: Vec<Option<StopReason>>,
}

/// Plays `playouts` random playouts of at most `limit` steps.
pub(super) fn lockstep(
    runners: &mut [Runner],
    playouts: usize,
    limit: usize,
    seed: u64,
) -> Lockstep {
    let mut outcome = Lockstep {
        finished: vec![0; runners.len()],
        halts: vec![None; runners.len()],
    };
    let mut rng = Rng::new(seed);
    for number in 1..=playouts {
        let mut walk = LockstepPlayout {
            runners,
            halts: &mut outcome.halts,
            number,
            path: Vec::new(),
            seen: Vec::new(),
        };
        walk.run(limit, &mut rng);
        walk.compare_from_facts();
        for (finished, halt) in outcome.finished.iter_mut().zip(&outcome.halts) {
            *finished += usize::from(halt.is_none());
        }
    }
    outcome
}

struct LockstepPlayout<'a> {
    runners: &'a mut [Runner],
    halts: &'a mut [Option<StopReason>],
    number: usize,
    /// The joint moves played so far.
    path: Vec<Vec<String>>,
    /// The observations of the first active engine in each state so far.
    seen: Vec<Observation>,
}

impl LockstepPlayout<'_> {
    fn run(&mut self, limit: usize, rng: &mut Rng) {
        self.for_each_active(|walk, i| {
            let started = walk.runners[i].restart();
            walk.value_or_stop(i, started)
        });
        loop {
            let Some(expected) = self.observe_and_compare() else {
                return;
            };
            self.seen.push(expected.clone());
            let stuck = expected.legals.iter().any(Vec::is_empty);
            if expected.terminal || stuck || self.path.len() >= limit {
                return;
            }
            let joint: Vec<String> = expected
                .legals
                .iter()
                .map(|moves| moves[rng.below(moves.len())].clone())
                .collect();
            self.path.push(joint.clone());
            self.for_each_active(|walk, i| {
                let made = walk.runners[i].step(&joint);
                walk.value_or_stop(i, made)
            });
        }
    }

    /// Observes the current state with the first active engine and compares all others with it.
    fn observe_and_compare(&mut self) -> Option<Observation> {
        let mut expected: Option<Observation> = None;
        self.for_each_active(|walk, i| {
            let got = walk.runners[i].observe();
            let got = walk.value_or_stop(i, got)?;
            walk.runners[i].states += 1;
            match &expected {
                None => expected = Some(got),
                Some(expected) => {
                    let differences = expected.differences(&got, &walk.runners[i].roles);
                    walk.record_differences(i, expected, differences);
                }
            }
            Some(())
        });
        expected
    }

    fn compare_from_facts(&mut self) {
        let every = self.seen.len().div_ceil(MAX_STATES_FROM_FACTS).max(1);
        self.for_each_active(|walk, i| {
            for step in (0..walk.seen.len()).step_by(every) {
                let expected = walk.seen[step].clone();
                let there = walk.runners[i].go_to(&expected.facts);
                let result = there.and_then(|()| walk.runners[i].differences(&expected));
                let differences = match result {
                    Err(QueryError::Failed(difference)) => vec![difference],
                    other => walk.value_or_stop(i, other)?,
                };
                if !differences.is_empty() {
                    let place = walk.place(step);
                    let paths = [StatePath::facts(&expected.facts)];
                    let halt = walk.runners[i].reproduce(place, &paths, &expected, differences);
                    walk.halts[i] = Some(halt);
                    return None;
                }
            }
            Some(())
        });
    }

    /// Calls `work` for every engine that is still active.
    fn for_each_active(&mut self, mut work: impl FnMut(&mut Self, usize) -> Option<()>) {
        for i in 0..self.runners.len() {
            if self.halts[i].is_none() {
                work(self, i);
            }
        }
    }

    fn place(&self, step: usize) -> String {
        format!("step {step} of random playout {}", self.number)
    }

    /// Returns the value, or records why the engine stops and returns `None`.
    fn value_or_stop<T>(&mut self, i: usize, result: Result<T, QueryError>) -> Option<T> {
        match result {
            Ok(value) => return Some(value),
            Err(QueryError::OutOfTime) => self.halts[i] = Some(StopReason::OutOfTime),
            Err(QueryError::GivesUp(reason)) => self.halts[i] = Some(StopReason::GivesUp(reason)),
            Err(QueryError::Failed(difference)) => {
                let expected = self.seen.last().cloned();
                let paths = self.paths(expected.as_ref());
                // An error leaves no answer to compare, so the complete path is reported.
                let paths = &paths[paths.len() - 1..];
                let expected = expected.unwrap_or_default();
                let place = self.place(self.path.len());
                let halt = self.runners[i].reproduce(place, paths, &expected, vec![difference]);
                self.halts[i] = Some(halt);
            }
        }
        None
    }

    fn record_differences(
        &mut self,
        i: usize,
        expected: &Observation,
        differences: Vec<Difference>,
    ) {
        if differences.is_empty() {
            return;
        }
        let place = self.place(self.path.len());
        let paths = self.paths(Some(expected));
        self.halts[i] = Some(self.runners[i].reproduce(place, &paths, expected, differences));
    }

    /// The paths to the current state: from its facts, from the facts of its predecessor, and from
    /// the initial state.
    fn paths(&self, current: Option<&Observation>) -> Vec<StatePath> {
        let mut paths = Vec::new();
        paths.extend(current.map(|state| StatePath::facts(&state.facts)));
        if let (Some(joint), Some(before)) = (self.path.last(), self.seen.get(self.path.len() - 1))
        {
            paths.push(StatePath::facts(&before.facts).then(joint));
        }
        paths.push(StatePath {
            from: None,
            moves: self.path.clone(),
        });
        paths
    }
}
