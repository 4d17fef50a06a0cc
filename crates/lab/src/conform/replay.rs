//! Replay test: compares an engine with a recorded trace.
//!
//! Every recorded state is reached in two ways: by the joint move that led to it, and from its
//! facts. Both must give all recorded answers, and the same key. The replay continues from the
//! state set from facts, so an error shows at most one move after its cause.

use super::difference::Difference;
use super::observation::Observation;
use super::runner::{QueryError, Runner, StatePath, StopReason};
use crate::trace::{Trace, TracedPlayout};

pub(super) fn replay(runner: &mut Runner, trace: &Trace) -> Result<(), StopReason> {
    if trace.roles != runner.roles {
        let differences = vec![Difference::Roles {
            expected: trace.roles.clone(),
            got: runner.roles.clone(),
        }];
        let place = "the trace".to_owned();
        let nothing = Observation::default();
        return Err(runner.reproduce(place, &[StatePath::start()], &nothing, differences));
    }
    for (i, playout) in trace.playouts.iter().enumerate() {
        Replay {
            runner,
            trace,
            playout,
            number: i + 1,
        }
        .run()?;
    }
    Ok(())
}

struct Replay<'a> {
    runner: &'a mut Runner,
    trace: &'a Trace,
    playout: &'a TracedPlayout,
    number: usize,
}

impl Replay<'_> {
    fn run(&mut self) -> Result<(), StopReason> {
        let started = self.runner.restart();
        self.expect(started, 0, &[StatePath::start()])?;
        for (i, step) in self.playout.steps.iter().enumerate() {
            let mut expected = Observation::recorded(self.trace, step);
            let by_move = self.paths_to(i);
            let differences = self.runner.differences(&expected);
            self.compare(differences, i, &by_move, &expected)?;

            expected.key = Some(self.runner.key());
            let by_facts = [StatePath::facts(&step.state)];
            let there = self.runner.go_to(&step.state);
            self.expect(there, i, &by_facts)?;
            let differences = self.runner.differences(&expected);
            self.compare(differences, i, &by_facts, &expected)?;

            self.runner.states += 1;
            if let Some(moves) = &step.moves {
                // The move must be legal even if the trace lacks the successor.
                let made = self.runner.step(moves);
                self.expect(made, i, &[StatePath::facts(&step.state).then(moves)])?;
            }
        }
        Ok(())
    }

    /// The paths to a step, shortest first; the path that was actually replayed is last.
    fn paths_to(&self, step: usize) -> Vec<StatePath> {
        let state = &self.playout.steps[step].state;
        let Some(before) = step.checked_sub(1).map(|i| &self.playout.steps[i]) else {
            return vec![StatePath::start()];
        };
        let moves = before.moves.as_deref().unwrap_or_default();
        let mut paths = vec![StatePath::facts(state)];
        if step == 1 {
            paths.push(StatePath::start().then(moves));
        }
        paths.push(StatePath::facts(&before.state).then(moves));
        paths
    }

    fn place(&self, step: usize) -> String {
        format!("playout {}, step {step} of the trace", self.number)
    }

    fn compare(
        &mut self,
        differences: Result<Vec<Difference>, QueryError>,
        step: usize,
        paths: &[StatePath],
        expected: &Observation,
    ) -> Result<(), StopReason> {
        let differences = self.expect(differences, step, paths)?;
        if differences.is_empty() {
            return Ok(());
        }
        let place = self.place(step);
        Err(self.runner.reproduce(place, paths, expected, differences))
    }

    /// Returns the answer, or the reason to stop.
    fn expect<T>(
        &mut self,
        result: Result<T, QueryError>,
        step: usize,
        paths: &[StatePath],
    ) -> Result<T, StopReason> {
        result.map_err(|stop| match stop {
            QueryError::OutOfTime => StopReason::OutOfTime,
            QueryError::GivesUp(reason) => StopReason::GivesUp(reason),
            QueryError::Failed(difference) => {
                let expected = Observation::recorded(self.trace, &self.playout.steps[step]);
                let paths = paths.last().cloned();
                let place = self.place(step);
                let paths = paths.as_slice();
                self.runner
                    .reproduce(place, paths, &expected, vec![difference])
            }
        })
    }
}
