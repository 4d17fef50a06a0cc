//! Survey: random matches with the engine `auto`, played in text through [`GameWalker`] as by any
//! program that receives a sheet and must move.
//!
//! Two matches are played: one starts at once, while the engine still compiles in the background,
//! and one after the engine is ready.

mod command;
#[cfg(test)]
mod tests;

pub(crate) use command::run;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_engines::Engine;
use ludorum_gdl::diagnostic::summary;
use ludorum_logic::Rules;
use ludorum_reasoner::{EngineChoice, GameWalker, Rng};
use serde::Serialize;

use ludorum_lab::memory;

/// Limits of a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchLimits {
    /// Maximum number of joint moves.
    pub(crate) steps: u32,
    /// Maximum time.
    pub(crate) time: Duration,
    /// Seed of the random moves.
    pub(crate) seed: u64,
}

impl Default for MatchLimits {
    fn default() -> Self {
        Self {
            steps: 300,
            time: Duration::from_secs(20),
            seed: 1,
        }
    }
}

/// Result of one game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SurveyResult {
    /// Wall time from the text of the sheet to the first legal moves of a role, in milliseconds.
    pub(crate) first_move_ms: f64,
    /// CPU time of the same, which does not depend on other work on the machine.
    pub(crate) first_move_cpu_ms: f64,
    /// The match that starts at once.
    pub(crate) first: PlayedMatch,
    /// The match after the engine is ready.
    pub(crate) second: PlayedMatch,
    /// The engine in use at the end, and the reason for it.
    #[serde(flatten)]
    pub(crate) choice: Option<EngineChoice>,
    /// Peak memory of the process, where the system reports it.
    pub(crate) peak_memory_bytes: Option<u64>,
}

/// Result of one match.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PlayedMatch {
    /// Number of joint moves.
    pub(crate) steps: u32,
    /// Why it ended.
    pub(crate) end: MatchEnd,
    /// Duration in seconds.
    pub(crate) seconds: f64,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MatchEnd {
    /// A terminal state was reached.
    Terminal,
    /// A role had no legal move: an error of the sheet.
    Stuck,
    /// The limit of steps was reached.
    Steps,
    /// The time limit was reached.
    Time,
}

/// Plays the two matches of a game. An error is a failure of the engine or a sheet that cannot be
/// loaded.
pub(crate) fn survey(text: &str, length: MatchLimits) -> Result<SurveyResult, String> {
    memory::reset_peak();
    let (begin, cpu) = (Instant::now(), ThreadTime::now());
    let rules = Rules::from_text(text)
        .map_err(|problems| format!("the sheet has errors: {}", summary(&problems)))?;
    let walker = Engine::AUTO.walker(&Arc::new(rules));
    let mut walker = walker.map_err(|error| error.to_string())?;
    walker.legal(0).map_err(|error| error.to_string())?;
    let first_move_ms = begin.elapsed().as_secs_f64() * 1e3;
    let first_move_cpu_ms = cpu.elapsed().as_secs_f64() * 1e3;
    let first = play(&mut *walker, length)?;
    walker.wait_until_ready();
    let second = play(&mut *walker, length)?;
    Ok(SurveyResult {
        first_move_ms,
        first_move_cpu_ms,
        first,
        second,
        choice: walker.engine_choice(),
        peak_memory_bytes: memory::peak(),
    })
}

fn play(walker: &mut dyn GameWalker, length: MatchLimits) -> Result<PlayedMatch, String> {
    let begin = Instant::now();
    let mut rng = Rng::new(length.seed);
    let roles = walker.roles().len();
    let failed = |error: ludorum_reasoner::ReasonError| error.to_string();
    walker.restart().map_err(failed)?;
    let mut steps = 0;
    let end = 'game: loop {
        if walker.is_terminal().map_err(failed)? {
            for role in 0..roles {
                walker.goal(role).map_err(failed)?;
            }
            break MatchEnd::Terminal;
        }
        if steps >= length.steps {
            break MatchEnd::Steps;
        }
        if begin.elapsed() >= length.time {
            break MatchEnd::Time;
        }
        let mut joint = Vec::with_capacity(roles);
        for role in 0..roles {
            let mut legal = walker.legal(role).map_err(failed)?;
            if legal.is_empty() {
                break 'game MatchEnd::Stuck;
            }
            joint.push(legal.swap_remove(rng.below(legal.len())));
        }
        // `step` rejects illegal moves.
        walker.step(&joint).map_err(failed)?;
        steps += 1;
    };
    Ok(PlayedMatch {
        steps,
        end,
        seconds: begin.elapsed().as_secs_f64(),
    })
}
