//! A puzzle solved on its own, without a match around it.
//!
//! The time is for all of it, the making of the engine included. That has steps which nothing can interrupt, so it is done in a thread of its own, which is
//! left behind if it does not come to an end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ludorum_ground::Budget;
use ludorum_logic::Rules;
use ludorum_reason::engine::{BuildError, Settings as EngineSettings};
use ludorum_reason::{Engine, EngineVisitor, Limits, ReasonError, Reasoner};
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

/// Searches a puzzle from its start for some time, or until `stop` is set, or until nothing better can be found. The spec is one of `solo`.
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
    let visit = Visit {
        spec: spec.clone(),
        begin,
        until,
        stop: Arc::clone(stop),
        made: Arc::clone(&made),
    };
    let (engine, rules) = (spec.engine(), Arc::clone(rules));
    let settings = EngineSettings {
        limits: Limits {
            ground: Budget {
                cancel: Some(Arc::clone(stop)),
                ..Budget::default()
            },
            ..Limits::until(until)
        },
        ..EngineSettings::default()
    };
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .name("solver".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            // Nobody may wait any more.
            let _ = sender.send(engine.build_with(&rules, &settings, visit));
        })?;
    let is_over = |more: Duration| {
        let is_past = |until: Instant| {
            let end = until.checked_add(more);
            end.is_some_and(|end| Instant::now() >= end)
        };
        stop.load(Ordering::Acquire) || until.is_some_and(is_past)
    };
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(Ok(solution)) => return solution,
            Ok(Err(error)) if is_over(Duration::ZERO) => {
                return Ok(Solution::nothing(begin, late(engine, Some(&error))));
            }
            Ok(Err(error)) => return Err(error.into()),
            Err(RecvTimeoutError::Disconnected) => return Err(SolveError::Broken),
            Err(RecvTimeoutError::Timeout) => {
                if !made.load(Ordering::Acquire) && is_over(GRACE) {
                    return Ok(Solution::nothing(begin, late(engine, None)));
                }
            }
        }
    }
}

/// Why there is no engine.
fn late(engine: Engine, error: Option<&BuildError>) -> String {
    let told = match error {
        // What was counted until then is of no use to anybody.
        Some(BuildError::Late { while_at, .. }) => format!("; it was {while_at}"),
        Some(BuildError::Ground { .. }) => "; it was grounding".to_owned(),
        _ => String::new(),
    };
    format!("the engine `{engine}` was not ready in that time{told}")
}

/// The search, on whichever engine was chosen.
struct Visit {
    spec: Spec,
    begin: Instant,
    until: Option<Instant>,
    stop: Arc<AtomicBool>,
    /// Set when the engine is there.
    made: Arc<AtomicBool>,
}

impl EngineVisitor for Visit {
    type Output = Result<Solution, SolveError>;

    fn visit<R: Reasoner + 'static>(self, reasoner: R) -> Self::Output {
        self.made.store(true, Ordering::Release);
        run(reasoner, &self.spec, self.begin, self.until, &self.stop)
    }
}

fn run<R: Reasoner + 'static>(
    mut reasoner: R,
    spec: &Spec,
    begin: Instant,
    until: Option<Instant>,
    stop: &Arc<AtomicBool>,
) -> Result<Solution, SolveError> {
    reasoner.set_deadline(until);
    reasoner.set_cancel(Some(Arc::clone(stop)));
    let root = match reasoner.initial() {
        Ok(root) => Some(root),
        Err(ReasonError::Late) => None,
        Err(error) => return Err(error.into()),
    };
    let mut search: Search<R> = Search::new(Settings::new(spec));
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
            Ok(()) | Err(ReasonError::Late) => {}
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
