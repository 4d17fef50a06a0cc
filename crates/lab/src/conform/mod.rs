/*!
Conformance test: compares engines with recorded playouts and with each other.

[`check`] takes a [`GameCase`] and returns a [`ConformanceResult`] for each engine. The trace is
replayed first. Then all engines play the same random playouts in lockstep. The `runner` measures
the time of an engine: every engine has the same time limit per game, and an engine that exceeds it
is skipped from then on, which is not a failure. A difference is reported with the shortest
[`Reproduction`] found.
*/

mod difference;
mod lockstep;
mod observation;
mod replay;
mod runner;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_gdl::diagnostic::summary;
use ludorum_logic::Rules;
use serde::{Serialize, Serializer};

pub use difference::{Difference, Reproduction};
use lockstep::lockstep;
pub use observation::{ExpectedGoal, Observation};
use replay::replay;
use runner::{Runner, StopReason};

use crate::collection::GameCase;
use crate::trace::Trace;

/// Options of a conformance test, the same for every game.
#[derive(Clone, Debug)]
pub struct ConformanceOptions {
    /// The engines. The first is the reference for the others.
    pub engines: Vec<Engine>,
    /// Number of random playouts.
    pub playouts: usize,
    /// Maximum number of steps of a random playout.
    pub steps: usize,
    /// Time limit per engine and game.
    pub budget: Duration,
    /// Seed of the random playouts, combined with the name of the game.
    pub seed: u64,
}

/// Conformance result of one engine on one game.
#[derive(Clone, Debug, Serialize)]
pub struct ConformanceResult {
    /// The game.
    pub game: String,
    /// The engine.
    #[serde(serialize_with = "engine_name")]
    pub engine: Engine,
    /// Number of compared states.
    pub states: usize,
    /// Time used by the engine.
    #[serde(serialize_with = "seconds", rename = "seconds")]
    pub time: Duration,
    /// The verdict of the comparison.
    #[serde(flatten)]
    pub verdict: ConformanceVerdict,
}

/// Verdict on one engine and one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum ConformanceVerdict {
    /// All answers are as expected.
    Agrees {
        /// The part of the test that was left out, if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// An answer differs.
    Differs {
        /// How to reproduce the difference.
        reproduction: Box<Reproduction>,
    },
    /// The test is incomplete; all compared answers are as expected.
    Skipped {
        /// The reason.
        reason: String,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
fn engine_name<S: Serializer>(engine: &Engine, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(engine.name())
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((time.as_secs_f64() * 1e6).round() / 1e6)
}

/// Tests all engines on a game and returns one result per engine, in their order. A panic is caught
/// and reported as a difference.
pub fn check(case: &GameCase, options: &ConformanceOptions) -> Vec<ConformanceResult> {
    catch_unwind(AssertUnwindSafe(|| check_game(case, options))).unwrap_or_else(|_| {
        let differences = vec![Difference::Error {
            message: "an engine panicked; its last words are on standard error".to_owned(),
        }];
        let reproduction = Reproduction {
            found_in: "the game".to_owned(),
            from: None,
            moves: Vec::new(),
            differences,
        };
        same_verdict_for_all(
            case,
            options,
            &ConformanceVerdict::Differs {
                reproduction: Box::new(reproduction),
            },
        )
    })
}

fn same_verdict_for_all(
    case: &GameCase,
    options: &ConformanceOptions,
    verdict: &ConformanceVerdict,
) -> Vec<ConformanceResult> {
    let row = |engine: &Engine| ConformanceResult {
        game: case.name.clone(),
        engine: *engine,
        states: 0,
        time: Duration::ZERO,
        verdict: verdict.clone(),
    };
    options.engines.iter().map(row).collect()
}

fn check_game(case: &GameCase, options: &ConformanceOptions) -> Vec<ConformanceResult> {
    let (rules, trace) = match load(case) {
        Ok(opened) => opened,
        Err(reason) => {
            return same_verdict_for_all(case, options, &ConformanceVerdict::Skipped { reason });
        }
    };
    let mut rows = Vec::new();
    // Engines that take part in the random playouts, and the indices of their results.
    let mut runners = Vec::new();
    let mut places = Vec::new();
    for engine in &options.engines {
        let mut row = ConformanceResult {
            game: case.name.clone(),
            engine: *engine,
            states: 0,
            time: Duration::ZERO,
            verdict: ConformanceVerdict::Agrees { note: None },
        };
        match Runner::new(*engine, &rules, options.budget) {
            Err(reason) => row.verdict = ConformanceVerdict::Skipped { reason },
            Ok(mut runner) => match trace.as_ref().map_or(Ok(()), |t| replay(&mut runner, t)) {
                Ok(()) => {
                    places.push(rows.len());
                    runners.push(runner);
                }
                Err(halt) => {
                    row.states = runner.states;
                    row.time = runner.used;
                    row.verdict = verdict(halt, runner.states);
                }
            },
        }
        rows.push(row);
    }
    let seed = options.seed ^ ludorum_reasoner::zobrist::fluent_key(&case.name) as u64;
    let walked = lockstep(&mut runners, options.playouts, options.steps, seed);
    for (i, runner) in runners.iter().enumerate() {
        let row = &mut rows[places[i]];
        row.states = runner.states;
        row.time = runner.used;
        // The verdict `Agrees` needs a complete trace or, without a trace, one complete playout.
        // The remaining playouts are optional within the time limit.
        let enough = trace.is_some() || walked.finished[i] > 0;
        row.verdict = match &walked.halts[i] {
            None => ConformanceVerdict::Agrees { note: None },
            Some(halt @ StopReason::Differs(_)) => verdict(halt.clone(), runner.states),
            Some(halt) if enough => ConformanceVerdict::Agrees {
                note: Some(format!(
                    "{} of {} random playouts: {}",
                    walked.finished[i],
                    options.playouts,
                    short_reason(halt)
                )),
            },
            Some(halt) => verdict(halt.clone(), runner.states),
        };
    }
    rows
}

fn load(case: &GameCase) -> Result<(Arc<Rules>, Option<Trace>), String> {
    let text = case.sheet.text().map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text)
        .map_err(|problems| format!("the sheet has errors: {}", summary(&problems)))?;
    let trace = case.trace.as_deref().map(Trace::read).transpose();
    Ok((Arc::new(rules), trace.map_err(|error| error.to_string())?))
}

fn short_reason(halt: &StopReason) -> &str {
    match halt {
        StopReason::OutOfTime => "out of time",
        StopReason::GivesUp(reason) => reason,
        StopReason::Differs(_) => "differs",
    }
}

fn verdict(halt: StopReason, states: usize) -> ConformanceVerdict {
    match halt {
        StopReason::OutOfTime => ConformanceVerdict::Skipped {
            reason: format!("out of time after {states} states"),
        },
        StopReason::GivesUp(reason) => ConformanceVerdict::Skipped { reason },
        StopReason::Differs(reproduction) => ConformanceVerdict::Differs { reproduction },
    }
}
