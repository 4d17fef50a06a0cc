//! The data of the events sent to watchers.

use ludorum_players::{Report, StrategyReport};
use serde::Serialize;

/// A position was reached.
#[derive(Debug, Serialize)]
pub(super) struct StepEvent<'a> {
    pub(super) step: u32,
    /// The joint move that led there.
    pub(super) joint: Option<&'a [String]>,
    pub(super) terminal: bool,
    pub(super) goals: Option<&'a [Option<u8>]>,
    /// Whether the position was reached by taking back moves.
    pub(super) undone: bool,
}

/// The search report of a player.
#[derive(Debug, Serialize)]
pub(super) struct SearchEvent {
    step: u32,
    role: usize,
    simulations: u64,
    per_second: f64,
    depth: u32,
    /// Expected goal value of each role, 0 to 100.
    values: Option<Vec<f64>>,
    line: Vec<Vec<String>>,
    strategies: Option<Vec<Strategy>>,
    proven: bool,
    /// Whether the player has answered.
    done: bool,
}

/// How often a player has used a playout strategy since the match began.
#[derive(Debug, Serialize)]
pub(super) struct Strategy {
    role: usize,
    name: &'static str,
    /// Share of playouts that use it.
    share: f64,
    /// Mean goal value of those playouts, 0 to 100.
    mean: f64,
}

/// The strategies in the reports of a player, if there are any.
pub(super) fn strategies(roles: &[String], reports: &[StrategyReport]) -> Option<Vec<Strategy>> {
    let strategies = reports.iter().filter_map(|report| {
        Some(Strategy {
            role: roles.iter().position(|role| *role == report.role)?,
            name: report.strategy,
            share: report.share,
            mean: report.value,
        })
    });
    let strategies: Vec<Strategy> = strategies.collect();
    (!strategies.is_empty()).then_some(strategies)
}

impl SearchEvent {
    pub(super) fn new(
        step: u32,
        roles: &[String],
        role: usize,
        report: &Report,
        done: bool,
    ) -> Self {
        // Strategies that the player assumes for other roles say nothing about how they play.
        let mut strategies = strategies(roles, &report.strategies).unwrap_or_default();
        strategies.retain(|strategy| strategy.role == role);
        Self {
            step,
            role,
            simulations: report.simulations,
            per_second: report.rate(),
            depth: report.depth,
            values: (!report.values.is_empty()).then(|| report.values.clone()),
            line: report.line.clone(),
            strategies: (!strategies.is_empty()).then_some(strategies),
            proven: report.proven,
            done,
        }
    }

    /// Without anything that would reveal the player's choice.
    pub(super) fn in_secret(self) -> Self {
        Self {
            values: None,
            line: Vec::new(),
            strategies: None,
            proven: false,
            ..self
        }
    }
}

/// The remaining time of a clock.
#[derive(Debug, Serialize)]
pub(super) struct ClockEvent {
    pub(super) step: u32,
    pub(super) role: usize,
    pub(super) remaining_ms: u64,
}

/// An error of a player.
#[derive(Debug, Serialize)]
pub(super) struct ErrorEvent<'a> {
    pub(super) step: u32,
    pub(super) role: usize,
    pub(super) kind: &'static str,
    pub(super) text: &'a str,
}

/// The match is over.
#[derive(Debug, Serialize)]
pub(super) struct EndEvent<'a> {
    pub(super) goals: Option<&'a [Option<u8>]>,
    pub(super) reason: Option<&'a str>,
}
