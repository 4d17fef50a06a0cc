//! Solving a puzzle without a match.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ludorum_player::OptionValues;
use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{ReasonError, Reasoner};
use serde::Serialize;

use crate::best_line::SolveMethod;
use crate::portfolio::PortfolioSearch;
use crate::rule_analysis::ROLE;
use crate::settings::Settings;
use crate::status::{OptimalityProof, SearchStatus};

/// The result of solving a puzzle.
#[derive(Clone, Debug, Serialize)]
pub struct Solution {
    /// The moves of the best line in KIF; empty if no line was found.
    pub line: Vec<String>,
    /// The goal value at its end.
    pub value: Option<u8>,
    /// The highest goal value of the rules.
    pub ceiling: u8,
    /// Whether the ceiling was derived from the rules. Otherwise it is the maximum of GDL.
    pub ceiling_known: bool,
    /// Whether the line is optimal, and why.
    pub proof: SolutionProof,
    /// The technique that found the line.
    pub method: Option<SolveMethod>,
    /// Seconds until a line of this value was found.
    pub found_after: Option<f64>,
    /// Seconds of the whole search.
    pub seconds: f64,
    /// Number of playouts, and of positions of techniques without playouts.
    pub simulations: u64,
    /// Why nothing was searched, if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Why a line is known to be optimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolutionProof {
    /// It reaches the highest goal value of the rules.
    Ceiling,
    /// The whole search space was searched.
    Exhausted,
    /// It is not known to be optimal.
    None,
}

impl Solution {
    /// A solution without a line, with the reason.
    pub fn without_line(begin: Instant, trouble: String) -> Self {
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

    /// Whether the line reaches the highest goal value of the rules.
    pub fn is_maximal(&self) -> bool {
        self.proof == SolutionProof::Ceiling
    }

    /// Whether the line is known to be optimal.
    pub fn is_proven(&self) -> bool {
        self.proof != SolutionProof::None
    }
}

/// A puzzle to solve, with options and limits.
#[derive(Debug)]
pub struct SolveRequest<'a> {
    /// The rules and the compiled forms of the game.
    pub game: Arc<CompiledGame>,
    /// The options of the player `solo`.
    pub options: &'a OptionValues,
    /// The start of the clock.
    pub begin: Instant,
    /// The end of the clock.
    pub deadline: Option<Instant>,
    /// Stops the search when it is set.
    pub stop: &'a Arc<AtomicBool>,
}

impl SolveRequest<'_> {
    /// Searches from the initial state until the deadline, until `stop` is set, or until no better
    /// line can exist.
    pub fn solve<R: Reasoner + 'static>(self, mut reasoner: R) -> Result<Solution, ReasonError> {
        let Self {
            game,
            options,
            begin,
            deadline,
            stop,
        } = self;
        reasoner.set_deadline(deadline);
        reasoner.set_cancel(Some(Arc::clone(stop)));
        let root = match reasoner.initial() {
            Ok(root) => Some(root),
            Err(ReasonError::Stopped) => None,
            Err(error) => return Err(error),
        };
        let mut search = PortfolioSearch::new(Settings::new(options), Some(game));
        let mut found: Option<(u8, f64)> = None;
        let should_stop = || {
            stop.load(Ordering::Acquire)
                || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        let mut observe = |status: &SearchStatus| {
            let value = status.line.as_ref().map(|line| line.value);
            if value != found.map(|(value, _)| value) {
                found = value.map(|value| (value, begin.elapsed().as_secs_f64()));
            }
        };
        // If the time was too short for the initial state, there is no line.
        if let Some(root) = root {
            match search.run(
                &mut reasoner,
                &root,
                deadline,
                &should_stop,
                stop,
                &mut observe,
            ) {
                Ok(()) | Err(ReasonError::Stopped) => {}
                Err(error) => return Err(error),
            }
        }
        reasoner.set_deadline(None);
        reasoner.set_cancel(None);
        let status = search.status();
        Ok(Solution {
            found_after: found.map(|(_, seconds)| seconds),
            seconds: begin.elapsed().as_secs_f64(),
            ..solution(&mut reasoner, &status)
        })
    }
}

fn solution<R: Reasoner>(reasoner: &mut R, status: &SearchStatus) -> Solution {
    let line = status.line.as_ref();
    let moves = line.map(|line| &line.moves[..]).unwrap_or_default();
    let proof = if status.reaches_ceiling() {
        SolutionProof::Ceiling
    } else if let Some(OptimalityProof::Exhausted(_)) = status.proof {
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
        ceiling: status.ceiling,
        ceiling_known: status.is_ceiling_derived,
        proof,
        method: line.map(|line| line.method),
        found_after: None,
        seconds: 0.0,
        simulations: status.simulations,
        trouble: None,
    }
}
