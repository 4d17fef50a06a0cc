//! Runs one engine on one game within a time limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_engines::engine::EngineSettings;
use ludorum_logic::Rules;
use ludorum_propnet::CompileLimits;
use ludorum_reasoner::{GameWalker, ReasonError};

use super::difference::{Difference, Reproduction};
use super::observation::Observation;

/// Time limit of the search for a shorter reproduction.
const SHORTENING: Duration = Duration::from_secs(5);

/// Why the test of an engine stops on a game.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// The time limit is exceeded.
    OutOfTime,
    /// The engine reports that it cannot continue.
    Gives(String),
    /// An answer differs from the expected one.
    Differs(Box<Reproduction>),
}

/// Why a query has no answer.
pub(super) enum Stop {
    OutOfTime,
    Gives(String),
    /// The query returned an error where an answer was expected.
    Refused(Difference),
}

/// An engine with its current state in a game and the time that it has used.
pub(super) struct Runner {
    pub(super) roles: Vec<String>,
    pub(super) states: usize,
    pub(super) used: Duration,
    budget: Duration,
    walker: Box<dyn GameWalker>,
}

impl Runner {
    /// Builds the engine; build time counts towards the time limit.
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

    /// Calls `work` with the engine and adds its time to the time used.
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
            // An engine may overrun the deadline, so the time used is checked as well.
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

    /// Compares the current state with the expected observation.
    pub(super) fn differences(&mut self, expected: &Observation) -> Result<Vec<Difference>, Stop> {
        let got = self.observe();
        match got {
            Ok(got) => Ok(expected.differences(&got, &self.roles)),
            Err(Stop::Refused(difference)) => Ok(vec![difference]),
            Err(stop) => Err(stop),
        }
    }

    /// Finds the shortest of several paths to a state that still shows a difference. The paths come
    /// shortest first. The last one is the path on which `found` was observed; it is used if no
    /// other path shows a difference.
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

/// A path to a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// The facts to start from, or the initial state.
    pub(super) from: Option<Vec<String>>,
    /// The joint moves to play from there.
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
