//! A puzzle solved on its own, without a match around it.
//!
//! The time is for all of it, the making of the engine included. That has steps which nothing can
//! interrupt, so it is done in a thread of its own, which is left behind if it does not come to an
//! end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ludorum_engines::engine::{BuildError, Settings as EngineSettings};
use ludorum_engines::{AnyReasoner, Engine};
use ludorum_ground::{GroundBudget, GroundLimit};
use ludorum_logic::Rules;
use ludorum_propnet::{CompileLimits, CompiledGame};
use ludorum_reasoner::{ReasonError, Reasoner};
use serde::Serialize;
use thiserror::Error;

pub use super::best::Method;
use super::desk::ROLE;
use super::search::Search;
use super::settings::Settings;
use super::standing::{Proof, Standing};
use crate::spec::Spec;

/// The stack of the thread: all recursion is bounded, and this is far more than it takes.
const STACK: usize = 16 << 20;
/// How often whoever waits for an engine looks at the clock.
const LOOK: Duration = Duration::from_millis(10);
/// An engine that sees by itself that it is late says what it was at; so long it is waited for.
const GRACE: Duration = Duration::from_millis(200);

/// What was found out about a puzzle.
#[derive(Clone, Debug, Serialize)]
pub struct Solution {
    /// The moves of the best line in KIF; empty if no line was found.
    pub line: Vec<String>,
    /// What the role gets at its end.
    pub value: Option<u8>,
    /// The most that the rules can give.
    pub ceiling: u8,
    /// Whether that was read in the rules; otherwise it is what the language allows.
    pub ceiling_known: bool,
    /// Whether no line is better, and how that is known.
    pub proof: SolutionProof,
    /// How the line was found.
    pub method: Option<Method>,
    /// When it was found.
    pub found_after: Option<f64>,
    /// How long was searched.
    pub seconds: f64,
    /// Playouts, and positions of techniques that make none.
    pub simulations: u64,
    /// Why nothing was searched, if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// How it is known that no line is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolutionProof {
    /// The rules give no more.
    Ceiling,
    /// Everything was looked at.
    Exhausted,
    /// It is not known.
    None,
}

impl Solution {
    /// Nothing, for a reason.
    fn nothing(begin: Instant, trouble: String) -> Self {
        Self {
            line: Vec::new(),
            value: None,
            ceiling: 100,
            ceiling_known: false,
            proof: SolutionProof::None,
            method: None,
            found_after: None,
            seconds: begin.elapsed().as_secs_f64(),
            simulations: 0,
            trouble: Some(trouble),
        }
    }

    /// Whether the line gives the most that the rules can give.
    pub fn is_maximal(&self) -> bool {
        self.proof == SolutionProof::Ceiling
    }

    /// Whether no line is better.
    pub fn is_proven(&self) -> bool {
        self.proof != SolutionProof::None
    }
}

/// Why a puzzle was not searched.
#[derive(Debug, Error)]
pub enum SolveError {
    /// It is a game of several roles.
    #[error("this is a game of {0} roles; only a puzzle, a game of one, has a solution")]
    Roles(usize),
    /// The spec is that of another player.
    #[error("puzzles are solved by `solo`, not by `{0}`")]
    Player(String),
    /// The engine could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The rules give no answer.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// There is no thread to search in.
    #[error("there is no thread to search in: {0}")]
    Thread(#[from] std::io::Error),
    /// A fault of ours.
    #[error("the search has broken down")]
    Broken,
}

/// Searches a puzzle from its start for some time, or until `stop` is set, or until nothing better
/// can be found. The spec is one of `solo`.
///
/// An engine that is not there by then is a solution without a line, which says so.
pub fn solve(
    rules: &Arc<Rules>,
    spec: &Spec,
    time: Duration,
    stop: &Arc<AtomicBool>,
) -> Result<Solution, SolveError> {
    if spec.info().name != "solo" {
        return Err(SolveError::Player(spec.info().name.to_owned()));
    }
    if rules.roles.len() != 1 {
        return Err(SolveError::Roles(rules.roles.len()));
    }
    let begin = Instant::now();
    let until = begin.checked_add(time);
    let made = Arc::new(AtomicBool::new(false));
    let engine = spec.engine();
    let game = engine.compiled_game(rules);
    let settings = EngineSettings {
        limits: CompileLimits {
            ground: GroundBudget {
                cancel: Some(Arc::clone(stop)),
                ..GroundBudget::default()
            },
            ..CompileLimits::with_deadline(until)
        },
        ..EngineSettings::default()
    };
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .name("solver".to_owned())
        .stack_size(STACK)
        .spawn({
            let (spec, stop, made) = (spec.clone(), Arc::clone(stop), Arc::clone(&made));
            move || {
                let solution = engine.build_for(&game, &settings).map(|reasoner| {
                    made.store(true, Ordering::Release);
                    run(reasoner, game, &spec, begin, until, &stop)
                });
                // Nobody may wait any more.
                let _ = sender.send(solution);
            }
        })?;
    let end = |more: Duration| {
        let is_past = |until: Instant| {
            let end = until.checked_add(more);
            end.is_some_and(|end| Instant::now() >= end)
        };
        if until.is_some_and(is_past) {
            Some(End::Clock)
        } else {
            stop.load(Ordering::Acquire).then_some(End::Stop)
        }
    };
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(Ok(solution)) => return solution,
            Ok(Err(error)) => {
                let trouble = late(engine, &error, end(Duration::ZERO)).ok_or(error)?;
                return Ok(Solution::nothing(begin, trouble));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(SolveError::Broken),
            Err(RecvTimeoutError::Timeout) => {
                if !made.load(Ordering::Acquire)
                    && let Some(end) = end(GRACE)
                {
                    return Ok(Solution::nothing(begin, not_ready(engine, end, None)));
                }
            }
        }
    }
}

/// Why nobody waits any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The time is over.
    Clock,
    /// Somebody said so.
    Stop,
}

/// What to tell about an engine that came to its end because nobody would wait any longer; none if
/// it failed for a reason of its own, whatever time it is.
fn late(engine: Engine, error: &BuildError, end: Option<End>) -> Option<String> {
    // Whether it was stopped, where it says that, and what it was at. What was counted until then
    // is of no use to anybody.
    let (is_stopped, while_at) = match error {
        BuildError::Late { while_at, .. } => (false, Some(*while_at)),
        BuildError::Ground { verdict, .. } => match verdict.limit {
            GroundLimit::Time => (false, Some("grounding")),
            GroundLimit::Cancelled => (true, Some("grounding")),
            GroundLimit::Atoms
            | GroundLimit::Instances
            | GroundLimit::Memory
            | GroundLimit::Nesting => return None,
        },
        BuildError::Reason {
            source: ReasonError::Stopped,
            ..
        } => (false, None),
        BuildError::Cancelled { .. } => (true, None),
        BuildError::Reason { .. } | BuildError::Unsupported { .. } => return None,
    };
    // Grounding has a clock of its own, which is no matter of the time for solving.
    let end = if is_stopped { End::Stop } else { end? };
    Some(not_ready(engine, end, while_at))
}

/// Why there is no engine.
fn not_ready(engine: Engine, end: End, while_at: Option<&str>) -> String {
    let end = match end {
        End::Clock => "in that time",
        End::Stop => "when it was stopped",
    };
    let told = while_at.map_or(String::new(), |at| format!("; it was {at}"));
    format!("the engine `{engine}` was not ready {end}{told}")
}

fn run(
    mut reasoner: AnyReasoner,
    game: Arc<CompiledGame>,
    spec: &Spec,
    begin: Instant,
    until: Option<Instant>,
    stop: &Arc<AtomicBool>,
) -> Result<Solution, SolveError> {
    reasoner.set_deadline(until);
    reasoner.set_cancel(Some(Arc::clone(stop)));
    let root = match reasoner.initial() {
        Ok(root) => Some(root),
        Err(ReasonError::Stopped) => None,
        Err(error) => return Err(error.into()),
    };
    let mut search = Search::new(Settings::new(spec), Some(game));
    let mut found: Option<(u8, f64)> = None;
    let is_over =
        || stop.load(Ordering::Acquire) || until.is_some_and(|until| Instant::now() >= until);
    let mut look = |standing: &Standing| {
        let value = standing.line.as_ref().map(|line| line.value);
        if value != found.map(|(value, _)| value) {
            found = value.map(|value| (value, begin.elapsed().as_secs_f64()));
        }
    };
    // Without a start, for want of time, there is no line.
    if let Some(root) = root {
        match search.run(&mut reasoner, &root, until, &is_over, stop, &mut look) {
            Ok(()) | Err(ReasonError::Stopped) => {}
            Err(error) => return Err(error.into()),
        }
    }
    reasoner.set_deadline(None);
    reasoner.set_cancel(None);
    let standing = search.standing();
    Ok(Solution {
        found_after: found.map(|(_, seconds)| seconds),
        seconds: begin.elapsed().as_secs_f64(),
        ..solution(&mut reasoner, &standing)
    })
}

fn solution<R: Reasoner>(reasoner: &mut R, standing: &Standing) -> Solution {
    let line = standing.line.as_ref();
    let moves = line.map(|line| &line.moves[..]).unwrap_or_default();
    let proof = if standing.is_highest() {
        SolutionProof::Ceiling
    } else if let Some(Proof::Exhausted(_)) = standing.proof {
        SolutionProof::Exhausted
    } else {
        SolutionProof::None
    };
    Solution {
        line: moves
            .iter()
            .map(|id| reasoner.move_text(ROLE, *id))
            .collect(),
        value: line.map(|line| line.value),
        ceiling: standing.ceiling,
        ceiling_known: standing.is_ceiling_read,
        proof,
        method: line.map(|line| line.method),
        found_after: None,
        seconds: 0.0,
        simulations: standing.simulations,
        trouble: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludorum_ground::GroundError;

    #[test]
    fn a_true_error_is_told_as_such_at_any_time() {
        let engine: Engine = "lanes".parse().unwrap();
        let ground = |limit| BuildError::Ground {
            engine,
            verdict: GroundError {
                limit,
                at: "legal".to_owned(),
                atoms: 0,
                instances: 0,
                bytes: 0,
                seconds: 0.0,
            },
        };
        let unsupported = BuildError::Unsupported {
            engine,
            reason: "too large".to_owned(),
        };
        let reason = |source| BuildError::Reason { engine, source };
        let broken = reason(ReasonError::Budget("steps".to_owned()));
        for end in [None, Some(End::Clock), Some(End::Stop)] {
            for error in [&ground(GroundLimit::Memory), &unsupported, &broken] {
                assert_eq!(late(engine, error, end), None, "{error}");
            }
        }
        let slow = BuildError::Late {
            engine,
            while_at: "making the network",
        };
        for error in [
            &ground(GroundLimit::Time),
            &slow,
            &reason(ReasonError::Stopped),
        ] {
            // With all the time of the world it is no lateness.
            assert_eq!(late(engine, error, None), None, "{error}");
            let told = late(engine, error, Some(End::Clock)).unwrap();
            assert!(told.contains("not ready in that time"), "{told}");
            let told = late(engine, error, Some(End::Stop)).unwrap();
            assert!(told.contains("not ready when it was stopped"), "{told}");
        }
        let told = late(engine, &ground(GroundLimit::Cancelled), Some(End::Clock)).unwrap();
        assert!(told.contains("stopped; it was grounding"), "{told}");
    }
}
