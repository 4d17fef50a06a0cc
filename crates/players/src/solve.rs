//! A puzzle solved without a match.
//!
//! The time limit includes making the engine. That has steps which cannot be interrupted, so it
//! runs in a thread of its own, which is abandoned if it does not end in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_engines::engine::{BuildError, EngineSettings};
use ludorum_ground::{GroundBudget, GroundLimit};
use ludorum_logic::Rules;
use ludorum_propnet::{CompileError, CompileLimits, CompiledGame};
use ludorum_puzzle::{Solution, SolveRequest};
use ludorum_reasoner::ReasonError;
use thiserror::Error;

use crate::spec::PlayerSpec;

/// The stack size of the solver thread. All recursion is bounded and needs far less.
const STACK: usize = 16 << 20;
/// Poll interval of the clock while waiting for an engine.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long to wait after the deadline for the engine's own error, which says at what step it was.
const GRACE: Duration = Duration::from_millis(200);

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
    #[error("the search thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// A fault of ours.
    #[error("the search has broken down")]
    Broken,
}

/// Searches a puzzle from its start for some time, or until `stop` is set, or until nothing better
/// can be found. The spec is one of `solo`.
///
/// If the engine is not ready by then, the solution has no line, and its `trouble` says so.
pub fn solve(
    rules: &Arc<Rules>,
    spec: &PlayerSpec,
    time: Duration,
    stop: &Arc<AtomicBool>,
) -> Result<Solution, SolveError> {
    solve_compiled(&spec.engine().compiled_game(rules), spec, time, stop)
}

/// The same for a game that may be compiled already. The passes of its network are those of the
/// game, not those of the spec.
pub fn solve_compiled(
    game: &Arc<CompiledGame>,
    spec: &PlayerSpec,
    time: Duration,
    stop: &Arc<AtomicBool>,
) -> Result<Solution, SolveError> {
    if spec.info().name != "solo" {
        return Err(SolveError::Player(spec.info().name.to_owned()));
    }
    let roles = game.rules().roles.len();
    if roles != 1 {
        return Err(SolveError::Roles(roles));
    }
    let begin = Instant::now();
    let until = begin.checked_add(time);
    let made = Arc::new(AtomicBool::new(false));
    let engine = spec.engine();
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
            let (game, spec) = (Arc::clone(game), spec.clone());
            let (stop, made) = (Arc::clone(stop), Arc::clone(&made));
            move || {
                let solution = engine.build_for(&game, &settings).map(|reasoner| {
                    made.store(true, Ordering::Release);
                    let request = SolveRequest {
                        game,
                        options: spec.options(),
                        begin,
                        deadline: until,
                        stop: &stop,
                    };
                    request.solve(reasoner)
                });
                // Sending fails if the receiver is gone.
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
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(Ok(solution)) => return Ok(solution?),
            Ok(Err(error)) => {
                let problem = late(engine, &error, end(Duration::ZERO)).ok_or(error)?;
                return Ok(Solution::without_line(begin, problem));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(SolveError::Broken),
            Err(RecvTimeoutError::Timeout) => {
                if !made.load(Ordering::Acquire)
                    && let Some(end) = end(GRACE)
                {
                    return Ok(Solution::without_line(begin, not_ready(engine, end, None)));
                }
            }
        }
    }
}

/// Why the caller stopped waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The time limit has passed.
    Clock,
    /// The stop flag was set.
    Stop,
}

/// The message for an engine that was not ready in time or was stopped; `None` if building it
/// failed for another reason.
fn late(engine: Engine, error: &BuildError, end: Option<End>) -> Option<String> {
    // Whether the error says that the engine was stopped, and the step it was at. The counts in
    // the error are not reported.
    let (is_stopped, while_at) = match error {
        BuildError::Compile { source, .. } => match source {
            CompileError::Late { while_at } => (false, Some(*while_at)),
            CompileError::Ground(error) => match error.limit {
                GroundLimit::Time => (false, Some("grounding")),
                GroundLimit::Cancelled => (true, Some("grounding")),
                GroundLimit::Atoms
                | GroundLimit::Instances
                | GroundLimit::Memory
                | GroundLimit::Nesting => return None,
            },
            CompileError::Cancelled => (true, None),
        },
        BuildError::Reason {
            source: ReasonError::Stopped,
            ..
        } => (false, None),
        BuildError::Reason { .. } | BuildError::Unsupported { .. } => return None,
    };
    // Grounding has a time limit of its own, which is not the time limit for solving.
    let end = if is_stopped { End::Stop } else { end? };
    Some(not_ready(engine, end, while_at))
}

/// The message for an engine that was not ready.
fn not_ready(engine: Engine, end: End, while_at: Option<&str>) -> String {
    let end = match end {
        End::Clock => "in that time",
        End::Stop => "when it was stopped",
    };
    let step = while_at.map_or(String::new(), |at| format!("; it was {at}"));
    format!("the engine `{engine}` was not ready {end}{step}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludorum_ground::GroundError;

    #[test]
    fn an_error_that_is_not_about_time_is_never_reported_as_lateness() {
        let engine: Engine = "lanes".parse().unwrap();
        let compile = |source| BuildError::Compile { engine, source };
        let ground = |limit| {
            compile(CompileError::Ground(GroundError {
                limit,
                at: "legal".to_owned(),
                atoms: 0,
                instances: 0,
                bytes: 0,
                seconds: 0.0,
            }))
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
        let slow = compile(CompileError::Late {
            while_at: "making the network",
        });
        for error in [
            &ground(GroundLimit::Time),
            &slow,
            &reason(ReasonError::Stopped),
        ] {
            // Without a time limit or a stop it is not lateness.
            assert_eq!(late(engine, error, None), None, "{error}");
            let message = late(engine, error, Some(End::Clock)).unwrap();
            assert!(message.contains("not ready in that time"), "{message}");
            let message = late(engine, error, Some(End::Stop)).unwrap();
            assert!(
                message.contains("not ready when it was stopped"),
                "{message}"
            );
        }
        let message = late(engine, &ground(GroundLimit::Cancelled), Some(End::Clock)).unwrap();
        assert!(message.contains("stopped; it was grounding"), "{message}");
    }
}
