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
const SHORTENING_TIME: Duration = Duration::from_secs(5);

/// Why the test of an engine stops on a game.
#[derive(Clone, Debug)]
pub(super) enum StopReason {
    /// The time limit is exceeded.
    OutOfTime,
    /// The engine reports that it cannot continue.
    GivesUp(String),
    /// An answer differs from the expected one.
    Differs(Box<Reproduction>),
}

/// Why a query has no answer.
pub(super) enum QueryError {
    OutOfTime,
    GivesUp(String),
    /// The query returned an error where an answer was expected.
    Failed(Difference),
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
    ) -> Result<T, QueryError> {
        let start = Instant::now();
        let left = self.budget.saturating_sub(self.used);
        self.walker.set_deadline(Some(start + left));
        let result = work(&mut *self.walker);
        self.used += start.elapsed();
        match result {
            // An engine may overrun the deadline, so the time used is checked as well.
            Ok(_) if self.used > self.budget => Err(QueryError::OutOfTime),
            Ok(value) => Ok(value),
            Err(ReasonError::Stopped) => Err(QueryError::OutOfTime),
            Err(error @ ReasonError::Budget(_)) => Err(QueryError::GivesUp(error.to_string())),
            Err(error) => Err(QueryError::Failed(Difference::Error {
                message: error.to_string(),
            })),
        }
    }

    pub(super) fn restart(&mut self) -> Result<(), QueryError> {
        self.timed(|walker| walker.restart())
    }

    pub(super) fn go_to(&mut self, facts: &[String]) -> Result<(), QueryError> {
        self.timed(|walker| walker.go_to(facts))
    }

    pub(super) fn step(&mut self, moves: &[String]) -> Result<(), QueryError> {
        self.timed(|walker| walker.step(moves))
    }

    /// The key of the current state.
    pub(super) fn key(&self) -> u128 {
        self.walker.key()
    }

    pub(super) fn observe(&mut self) -> Result<Observation, QueryError> {
        self.timed(Observation::of)
    }

    /// Compares the current state with the expected observation.
    pub(super) fn differences(
        &mut self,
        expected: &Observation,
    ) -> Result<Vec<Difference>, QueryError> {
        let got = self.observe();
        match got {
            Ok(got) => Ok(expected.differences(&got, &self.roles)),
            Err(QueryError::Failed(difference)) => Ok(vec![difference]),
            Err(stop) => Err(stop),
        }
    }

    /// Finds the shortest of several paths to a state that still shows a difference. The paths come
    /// shortest first. The last one is the path on which `found` was observed; it is used if no
    /// other path shows a difference.
    pub(super) fn reproduce(
        &mut self,
        found_in: String,
        paths: &[StatePath],
        expected: &Observation,
        found: Vec<Difference>,
    ) -> StopReason {
        let (used, budget) = (self.used, self.budget);
        self.budget = used + SHORTENING_TIME;
        let mut result = None;
        if let Some((_, shorter)) = paths.split_last() {
            for path in shorter {
                if let Ok(differences) = self.follow(path, expected)
                    && !differences.is_empty()
                {
                    result = Some((path.clone(), differences));
                    break;
                }
            }
        }
        self.budget = budget;
        self.used = used;
        let (path, differences) =
            result.unwrap_or_else(|| (paths.last().cloned().unwrap_or_default(), found));
        StopReason::Differs(Box::new(Reproduction {
            found_in,
            from: path.from,
            moves: path.moves,
            differences,
        }))
    }

    fn follow(
        &mut self,
        path: &StatePath,
        expected: &Observation,
    ) -> Result<Vec<Difference>, QueryError> {
        match &path.from {
            Some(facts) => self.go_to(facts)?,
            None => self.restart()?,
        }
        for joint in &path.moves {
            self.step(joint)?;
        }
        self.differences(expected)
    }
}

/// A path to a state.
#[derive(Clone, Debug, Default)]
pub(super) struct StatePath {
    /// The facts to start from, or the initial state.
    pub(super) from: Option<Vec<String>>,
    /// The joint moves to play from there.
    pub(super) moves: Vec<Vec<String>>,
}

impl StatePath {
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
