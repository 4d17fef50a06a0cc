/*!
Holds engines to what is known of games, and to each other.

[`check`] takes a [`Case`] and gives a [`Row`] for each engine. The trace is replayed first; then
all engines walk random playouts side by side. The `runner` is an engine with a clock: every engine
has the same time for a game, and one that needs more is skipped from there on, which is no failure.
A difference comes with the shortest [`Reproduction`] that could be found.
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
use runner::{Halt, Runner};

use crate::collection::Case;
use crate::trace::Trace;

/// What to do with each game.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engines; the first is the measure of the others.
    pub engines: Vec<Engine>,
    /// How many random playouts.
    pub playouts: usize,
    /// The most steps of a random playout.
    pub steps: usize,
    /// The time of each engine for each game.
    pub budget: Duration,
    /// Random playouts depend on this and the name of the game alone.
    pub seed: u64,
}

/// What came of an engine on a game.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The game.
    pub game: String,
    /// The engine.
    #[serde(serialize_with = "engine_name")]
    pub engine: Engine,
    /// How many states were compared.
    pub states: usize,
    /// The time it took.
    #[serde(serialize_with = "seconds", rename = "seconds")]
    pub time: Duration,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// How an engine did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// Everything is as expected.
    Agrees {
        /// What was left out, if anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Something is not.
    Differs {
        /// How to see it.
        reproduction: Box<Reproduction>,
    },
    /// Not all could be compared; what was compared is as expected.
    Skipped {
        /// Why.
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

/// Holds all engines to a game; a row for each, in their order. A panic is caught and told as a
/// difference.
pub fn check(case: &Case, options: &Options) -> Vec<Row> {
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
        same_for_all(
            case,
            options,
            &Verdict::Differs {
                reproduction: Box::new(reproduction),
            },
        )
    })
}

fn same_for_all(case: &Case, options: &Options, verdict: &Verdict) -> Vec<Row> {
    let row = |engine: &Engine| Row {
        game: case.name.clone(),
        engine: *engine,
        states: 0,
        time: Duration::ZERO,
        verdict: verdict.clone(),
    };
    options.engines.iter().map(row).collect()
}

fn check_game(case: &Case, options: &Options) -> Vec<Row> {
    let (rules, trace) = match open(case) {
        Ok(opened) => opened,
        Err(reason) => return same_for_all(case, options, &Verdict::Skipped { reason }),
    };
    let mut rows = Vec::new();
    // Engines that are still worth walking with, and the rows that they fill.
    let mut runners = Vec::new();
    let mut places = Vec::new();
    for engine in &options.engines {
        let mut row = Row {
            game: case.name.clone(),
            engine: *engine,
            states: 0,
            time: Duration::ZERO,
            verdict: Verdict::Agrees { note: None },
        };
        match Runner::new(*engine, &rules, options.budget) {
            Err(reason) => row.verdict = Verdict::Skipped { reason },
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
        // A trace, or else one whole playout, is what agreement asks for; more is welcome while
        // there is time.
        let enough = trace.is_some() || walked.finished[i] > 0;
        row.verdict = match &walked.halts[i] {
            None => Verdict::Agrees { note: None },
            Some(halt @ Halt::Differs(_)) => verdict(halt.clone(), runner.states),
            Some(halt) if enough => Verdict::Agrees {
                note: Some(format!(
                    "{} of {} random playouts: {}",
                    walked.finished[i],
                    options.playouts,
                    short(halt)
                )),
            },
            Some(halt) => verdict(halt.clone(), runner.states),
        };
    }
    rows
}

fn open(case: &Case) -> Result<(Arc<Rules>, Option<Trace>), String> {
    let text = case.sheet.text().map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text)
        .map_err(|problems| format!("the sheet has errors: {}", summary(&problems)))?;
    let trace = case.trace.as_deref().map(Trace::read).transpose();
    Ok((Arc::new(rules), trace.map_err(|error| error.to_string())?))
}

fn short(halt: &Halt) -> &str {
    match halt {
        Halt::OutOfTime => "out of time",
        Halt::Gives(reason) => reason,
        Halt::Differs(_) => "differs",
    }
}

fn verdict(halt: Halt, states: usize) -> Verdict {
    match halt {
        Halt::OutOfTime => Verdict::Skipped {
            reason: format!("out of time after {states} states"),
        },
        Halt::Gives(reason) => Verdict::Skipped { reason },
        Halt::Differs(reproduction) => Verdict::Differs { reproduction },
    }
}
