//! Engines against each other.
//!
//! All engines walk the same random playouts by moves alone. In every state each must say what the
//! first one says. Afterwards each looks at the states it went through once more, made from their
//! facts: nothing may depend on the way to a state.

use ludorum_reasoner::Rng;

use super::difference::Difference;
use super::observation::Observation;
use super::runner::{Halt, Runner, Stop, Way};

/// How many states of a playout are looked at once more.
const REVISITS: usize = 50;

/// What came of the playouts for each engine, in their order: how many were finished, and why it
/// stopped if it did.
pub(super) struct Lockstep {
    pub(super) finished: Vec<usize>,
    pub(super) halts: Vec<Option<Halt>>,
}

/// Walks `playouts` playouts of up to `limit` steps.
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
    /// The joint moves so far.
    path: Vec<Vec<String>>,
    /// What the leading engine said of each state so far.
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

    /// What the first engine still in the walk says of the current state, after comparing the
    /// others with it.
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

    /// Does something for every engine that is still in the walk.
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

    /// The value, or `None` after writing down why the engine stops.
    fn note<T>(&mut self, i: usize, result: Result<T, Stop>) -> Option<T> {
        match result {
            Ok(value) => return Some(value),
            Err(Stop::OutOfTime) => self.halts[i] = Some(Halt::OutOfTime),
            Err(Stop::Gives(reason)) => self.halts[i] = Some(Halt::Gives(reason)),
            Err(Stop::Refused(difference)) => {
                let expected = self.seen.last().cloned();
                let ways = self.ways(expected.as_ref());
                // An error leaves nothing to compare with: the whole way is shown.
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

    /// The ways to the current state: from its facts, from those of the state before, from the
    /// start.
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
