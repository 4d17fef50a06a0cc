//! One engine on one game, with a clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_engines::engine::EngineSettings;
use ludorum_logic::Rules;
use ludorum_propnet::CompileLimits;
use ludorum_reasoner::{GameWalker, ReasonError};

use super::difference::{Difference, Reproduction};
use super::observation::Observation;

/// How long the search for a shorter reproduction may take.
const SHORTENING: Duration = Duration::from_secs(5);

/// Why an engine stops on a game.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// Its time is up.
    OutOfTime,
    /// It says that it cannot go on.
    Gives(String),
    /// It differs from what is expected.
    Differs(Box<Reproduction>),
}

/// What came of a question.
pub(super) enum Stop {
    OutOfTime,
    Gives(String),
    /// An error where there should be an answer.
    Refused(Difference),
}

/// An engine, where it stands in a game, and what it has used of its time.
pub(super) struct Runner {
    pub(super) roles: Vec<String>,
    pub(super) states: usize,
    pub(super) used: Duration,
    budget: Duration,
    walker: Box<dyn GameWalker>,
}

impl Runner {
    /// Builds the engine; building counts as time used.
    pub(super) fn new(
        engine: Engine,
        rules: &Arc<Rules>,
        budget: Duration,
    ) -> Result<Self, String> {
        let start = Instant::now();
        let settings =
            EngineSettings::within(CompileLimits::with_deadline(start.checked_add(budget)));
        let walker = engine
            .walker_with(rules, &settings)
            .map_err(|error| error.to_string())?;
        Ok(Self {
            roles: walker.roles(),
            states: 0,
            used: start.elapsed(),
            budget,
            walker,
        })
    }

    /// Does something with the engine while its clock runs.
    fn timed<T>(
        &mut self,
        work: impl FnOnce(&mut dyn GameWalker) -> Result<T, ReasonError>,
    ) -> Result<T, Stop> {
        let start = Instant::now();
        let left = self.budget.saturating_sub(self.used);
        self.walker.set_deadline(Some(start + left));
        let result = work(&mut *self.walker);
        self.used += start.elapsed();
        match result {
            // Engines may ignore the deadline.
            Ok(_) if self.used > self.budget => Err(Stop::OutOfTime),
            Ok(value) => Ok(value),
            Err(ReasonError::Stopped) => Err(Stop::OutOfTime),
            Err(error @ ReasonError::Budget(_)) => Err(Stop::Gives(error.to_string())),
            Err(error) => Err(Stop::Refused(Difference::Error {
                message: error.to_string(),
            })),
        }
    }

    pub(super) fn restart(&mut self) -> Result<(), Stop> {
        self.timed(|walker| walker.restart())
    }

    pub(super) fn go_to(&mut self, facts: &[String]) -> Result<(), Stop> {
        self.timed(|walker| walker.go_to(facts))
    }

    pub(super) fn step(&mut self, moves: &[String]) -> Result<(), Stop> {
        self.timed(|walker| walker.step(moves))
    }

    /// The key of the current state.
    pub(super) fn key(&self) -> u128 {
        self.walker.key()
    }

    pub(super) fn observe(&mut self) -> Result<Observation, Stop> {
        self.timed(Observation::ask)
    }

    /// What differs in the current state from what is expected.
    pub(super) fn differences(&mut self, expected: &Observation) -> Result<Vec<Difference>, Stop> {
        let got = self.observe();
        match got {
            Ok(got) => Ok(expected.differences(&got, &self.roles)),
            Err(Stop::Refused(difference)) => Ok(vec![difference]),
            Err(stop) => Err(stop),
        }
    }

    /// Looks for the shortest of several ways to a state in which something still differs. The ways
    /// come shortest first; the last one is the way on which `found` was found, and is taken when
    /// no other will do.
    pub(super) fn reproduce(
        &mut self,
        found_in: String,
        ways: &[Way],
        expected: &Observation,
        found: Vec<Difference>,
    ) -> Halt {
        let (used, budget) = (self.used, self.budget);
        self.budget = used + SHORTENING;
        let mut result = None;
        if let Some((_, shorter)) = ways.split_last() {
            for way in shorter {
                if let Ok(differences) = self.follow(way, expected)
                    && !differences.is_empty()
                {
                    result = Some((way.clone(), differences));
                    break;
                }
            }
        }
        self.budget = budget;
        self.used = used;
        let (way, differences) =
            result.unwrap_or_else(|| (ways.last().cloned().unwrap_or_default(), found));
        Halt::Differs(Box::new(Reproduction {
            found_in,
            from: way.from,
            moves: way.moves,
            differences,
        }))
    }

    fn follow(&mut self, way: &Way, expected: &Observation) -> Result<Vec<Difference>, Stop> {
        match &way.from {
            Some(facts) => self.go_to(facts)?,
            None => self.restart()?,
        }
        for joint in &way.moves {
            self.step(joint)?;
        }
        self.differences(expected)
    }
}

/// A way to a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// The facts to start from, or the initial state.
    pub(super) from: Option<Vec<String>>,
    /// The joint moves from there.
    pub(super) moves: Vec<Vec<String>>,
}

impl Way {
    pub(super) fn start() -> Self {
        Self::default()
    }

    pub(super) fn facts(facts: &[String]) -> Self {
        Self {
            from: Some(facts.to_vec()),
            moves: Vec::new(),
        }
    }

    pub(super) fn then(mut self, joint: &[String]) -> Self {
        self.moves.push(joint.to_vec());
        self
    }
}
