//! Lockstep test: compares engines with each other on random playouts.
//!
//! All engines play the same random playouts by moves. In every state, each engine's answers must
//! equal those of the first engine. Afterwards each engine is compared again in the visited states,
//! set from their facts: answers must not depend on the path to a state.

use ludorum_reasoner::Rng;

use super::difference::Difference;
use super::observation::Observation;
use super::runner::{Halt, Runner, Stop, Way};

/// Maximum number of states per playout that are set from facts and compared again.
const REVISITS: usize = 50;

/// Result of the playouts for each engine, in the order of the engines: the number of finished
/// playouts, and why the engine stopped, if it did.
pub(super) struct Lockstep {
    pub(super) finished: Vec<usize>,
    pub(super) halts: Vec<Option<Halt>>,
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
        let mut walk = Walk {
            runners,
            halts: &mut outcome.halts,
            number,
            path: Vec::new(),
            seen: Vec::new(),
        };
        walk.run(limit, &mut rng);
        walk.revisit();
        for (finished, halt) in outcome.finished.iter_mut().zip(&outcome.halts) {
            *finished += usize::from(halt.is_none());
        }
    }
    outcome
}

struct Walk<'a> {
    runners: &'a mut [Runner],
    halts: &'a mut [Option<Halt>],
    number: usize,
    /// The joint moves played so far.
    path: Vec<Vec<String>>,
    /// The observations of the first active engine in each state so far.
    seen: Vec<Observation>,
}

impl Walk<'_> {
    fn run(&mut self, limit: usize, rng: &mut Rng) {
        self.each(|walk, i| {
            let started = walk.runners[i].restart();
            walk.note(i, started)
        });
        loop {
            let Some(expected) = self.look() else { return };
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
            self.each(|walk, i| {
                let made = walk.runners[i].step(&joint);
                walk.note(i, made)
            });
        }
    }

    /// Observes the current state with the first active engine and compares all others with it.
    fn look(&mut self) -> Option<Observation> {
        let mut expected: Option<Observation> = None;
        self.each(|walk, i| {
            let got = walk.runners[i].observe();
            let got = walk.note(i, got)?;
            walk.runners[i].states += 1;
            match &expected {
                None => expected = Some(got),
                Some(expected) => {
                    let differences = expected.differences(&got, &walk.runners[i].roles);
                    walk.judge(i, expected, differences);
                }
            }
            Some(())
        });
        expected
    }

    fn revisit(&mut self) {
        let every = self.seen.len().div_ceil(REVISITS).max(1);
        self.each(|walk, i| {
            for step in (0..walk.seen.len()).step_by(every) {
                let expected = walk.seen[step].clone();
                let there = walk.runners[i].go_to(&expected.facts);
                let result = there.and_then(|()| walk.runners[i].differences(&expected));
                let differences = match result {
                    Err(Stop::Refused(difference)) => vec![difference],
                    other => walk.note(i, other)?,
                };
                if !differences.is_empty() {
                    let place = walk.place(step);
                    let ways = [Way::facts(&expected.facts)];
                    let halt = walk.runners[i].reproduce(place, &ways, &expected, differences);
                    walk.halts[i] = Some(halt);
                    return None;
                }
            }
            Some(())
        });
    }

    /// Calls `work` for every engine that is still active.
    fn each(&mut self, mut work: impl FnMut(&mut Self, usize) -> Option<()>) {
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
    fn note<T>(&mut self, i: usize, result: Result<T, Stop>) -> Option<T> {
        match result {
            Ok(value) => return Some(value),
            Err(Stop::OutOfTime) => self.halts[i] = Some(Halt::OutOfTime),
            Err(Stop::Gives(reason)) => self.halts[i] = Some(Halt::Gives(reason)),
            Err(Stop::Refused(difference)) => {
                let expected = self.seen.last().cloned();
                let ways = self.ways(expected.as_ref());
                // An error leaves no answer to compare, so the complete path is reported.
                let ways = &ways[ways.len() - 1..];
                let expected = expected.unwrap_or_default();
                let place = self.place(self.path.len());
                let halt = self.runners[i].reproduce(place, ways, &expected, vec![difference]);
                self.halts[i] = Some(halt);
            }
        }
        None
    }

    fn judge(&mut self, i: usize, expected: &Observation, differences: Vec<Difference>) {
        if differences.is_empty() {
            return;
        }
        let place = self.place(self.path.len());
        let ways = self.ways(Some(expected));
        self.halts[i] = Some(self.runners[i].reproduce(place, &ways, expected, differences));
    }

    /// The paths to the current state: from its facts, from the facts of its predecessor, and from
    /// the initial state.
    fn ways(&self, current: Option<&Observation>) -> Vec<Way> {
        let mut ways = Vec::new();
        ways.extend(current.map(|state| Way::facts(&state.facts)));
        if let (Some(joint), Some(before)) = (self.path.last(), self.seen.get(self.path.len() - 1))
        {
            ways.push(Way::facts(&before.facts).then(joint));
        }
        ways.push(Way {
            from: None,
            moves: self.path.clone(),
        });
        ways
    }
}
