//! Strategy usage: how a player distributes its simulations among strategies over a match, as in
//! Świechowski 2015, appendix C.
//!
//! [`follow`] plays a match with the same player in every role. After each step it records the
//! share of each strategy in the simulations so far for one role, and the average goal of each
//! strategy. [`plot`] draws the shares.

pub mod plot;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ludorum_players::{GameEngine, PlayError, Player, PlayerSpec, StrategyReport};
use ludorum_reasoner::{ReasonError, Role};
use serde::Serialize;
use thiserror::Error;

/// The match to play and the role to record.
#[derive(Clone, Debug)]
pub struct UsageRequest {
    /// The player for all roles.
    pub player: PlayerSpec,
    /// The role whose strategies are recorded.
    pub role: Role,
    /// The time per move.
    pub clock: Duration,
    /// The time before the first move.
    pub start_clock: Duration,
    /// Maximum number of steps of the match.
    pub limit: u32,
}

/// The recorded strategy usage of a match.
#[derive(Clone, Debug, Serialize)]
pub struct StrategyUsage {
    /// The role whose strategies were recorded.
    pub role: String,
    /// Names of all strategies that were used.
    pub strategies: Vec<String>,
    /// The steps with new simulations.
    pub steps: Vec<UsageStep>,
    /// Number of joint moves of the match.
    pub length: u32,
    /// Whether the match reached a terminal state.
    pub is_over: bool,
    /// The final goal value of each role, if the rules define one.
    pub goals: Vec<Option<u8>>,
}

/// The strategy usage after one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UsageStep {
    /// Number of joint moves played before.
    pub step: u32,
    /// Number of simulations since the start of the match.
    pub simulations: u64,
    /// The share of each strategy in these simulations, 0 to 1, in the order of
    /// [`StrategyUsage::strategies`].
    pub shares: Vec<f64>,
    /// The average goal of the role in each strategy's simulations of this step, 0 to 100; `None`
    /// without simulations.
    pub earned: Vec<Option<f64>>,
}

/// The error of a match that cannot be recorded.
#[derive(Debug, Error)]
pub enum UsageError {
    /// The player failed.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The reasoner failed.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// No step was played.
    #[error("no step was played, so there was nothing to follow")]
    NoSteps,
    /// The player does not report strategies.
    #[error("`{0}` follows no strategies")]
    None(String),
    /// The role had only forced moves.
    #[error("`{role}` never had a choice in this match: one move was legal at every step")]
    NoChoice {
        /// The role.
        role: String,
        /// The roles that had a choice at some step.
        others: Vec<String>,
    },
}

/// Plays a match and records the strategies after each step. `on_step` is called after each
/// step. Setting `stop` ends the match early.
pub fn follow(
    game_engine: &GameEngine,
    request: &UsageRequest,
    stop: &AtomicBool,
    mut on_step: impl FnMut(u32),
) -> Result<StrategyUsage, UsageError> {
    let mut walker = game_engine.walker()?;
    let roles = walker.roles();
    let mut players: Vec<Box<dyn Player>> = (0..roles.len())
        .map(|role| game_engine.player(&request.player, role))
        .collect::<Result<_, _>>()?;
    if !request.start_clock.is_zero() {
        for player in &mut players {
            player.start(Instant::now() + request.start_clock)?;
        }
    }
    let mut records = UsageRecords::default();
    let mut has_choice = vec![false; roles.len()];
    let mut steps = 0;
    let is_over = loop {
        if walker.is_terminal()? {
            break true;
        }
        if steps >= request.limit || stop.load(Ordering::Acquire) {
            break false;
        }
        let mut joint_move = Vec::with_capacity(players.len());
        for (role, player) in players.iter_mut().enumerate() {
            let answer = player.play(Instant::now() + request.clock)?;
            has_choice[role] |= !answer.report.forced;
            if role == request.role {
                records.add(steps, &roles[role], &answer.report.strategies);
            }
            joint_move.push(answer.text);
        }
        walker.step(&joint_move)?;
        steps += 1;
        for player in &mut players {
            player.apply_joint_move(&joint_move)?;
        }
        on_step(steps);
    };
    if records.strategies.is_empty() && !stop.load(Ordering::Acquire) {
        if steps == 0 {
            return Err(UsageError::NoSteps);
        }
        if has_choice.get(request.role) == Some(&false) {
            let others = roles.iter().zip(&has_choice).filter(|(_, has)| **has);
            return Err(UsageError::NoChoice {
                role: roles[request.role].clone(),
                others: others.map(|(role, _)| role.clone()).collect(),
            });
        }
        return Err(UsageError::None(request.player.to_string()));
    }
    let mut goals = Vec::with_capacity(roles.len());
    for role in 0..roles.len() {
        goals.push(if is_over {
            walker.goal(role)?.value()
        } else {
            None
        });
    }
    let role = roles.get(request.role).cloned().unwrap_or_default();
    Ok(records.into_usage(role, steps, is_over, goals))
}

/// Records collected during the match.
#[derive(Debug, Default)]
struct UsageRecords {
    strategies: Vec<&'static str>,
    /// For each step, the cumulative number of simulations and sum of goals of each strategy known
    /// then.
    steps: Vec<(u32, Vec<(u64, f64)>)>,
}

impl UsageRecords {
    /// Adds the reports of one step. A step without simulations is left out.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    fn add(&mut self, step: u32, role: &str, reports: &[StrategyReport]) {
        let own = reports.iter().filter(|report| report.role == role);
        let mut totals = match self.steps.last() {
            Some((_, totals)) => totals.clone(),
            None => Vec::new(),
        };
        totals.resize(self.strategies.len(), (0, 0.0));
        let before = totals.clone();
        for report in own {
            let known = self
                .strategies
                .iter()
                .position(|name| *name == report.strategy);
            let place = known.unwrap_or_else(|| {
                self.strategies.push(report.strategy);
                totals.push((0, 0.0));
                self.strategies.len() - 1
            });
            totals[place] = (report.simulations, report.value * report.simulations as f64);
        }
        if totals != before {
            self.steps.push((step, totals));
        }
    }

    #[allow(clippy::cast_precision_loss)] // far below 2^52
    fn into_usage(
        self,
        role: String,
        length: u32,
        is_over: bool,
        goals: Vec<Option<u8>>,
    ) -> StrategyUsage {
        let count = self.strategies.len();
        let mut before = vec![(0, 0.0); count];
        let mut steps = Vec::with_capacity(self.steps.len());
        for (step, mut totals) in self.steps {
            totals.resize(count, (0, 0.0));
            let simulations: u64 = totals.iter().map(|(simulations, _)| simulations).sum();
            let new = totals.iter().zip(&before);
            let earned = new.map(|(now, before)| {
                let simulations = now.0.saturating_sub(before.0);
                (simulations > 0).then(|| (now.1 - before.1) / simulations as f64)
            });
            steps.push(UsageStep {
                step,
                simulations,
                earned: earned.collect(),
                shares: totals
                    .iter()
                    .map(|(own, _)| *own as f64 / simulations.max(1) as f64)
                    .collect(),
            });
            before = totals;
        }
        StrategyUsage {
            role,
            strategies: self.strategies.into_iter().map(str::to_owned).collect(),
            steps,
            length,
            is_over,
            goals,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ludorum_engines::Engine;
    use ludorum_logic::Rules;

    use super::*;

    fn report(strategy: &'static str, simulations: u64, value: f64) -> StrategyReport {
        StrategyReport {
            role: "x".to_owned(),
            strategy,
            simulations,
            share: 0.0,
            value,
        }
    }

    #[test]
    fn shares_are_cumulative_and_earnings_are_per_step() {
        let mut records = UsageRecords::default();
        records.add(0, "x", &[report("random", 10, 40.0)]);
        // A forced move: no search.
        records.add(1, "x", &[report("random", 10, 40.0)]);
        let both = [report("random", 20, 50.0), report("goal", 20, 75.0)];
        records.add(2, "x", &both);
        let usage = records.into_usage("x".to_owned(), 3, true, vec![Some(100)]);
        assert_eq!(usage.strategies, ["random", "goal"]);
        let first = UsageStep {
            step: 0,
            simulations: 10,
            shares: vec![1.0, 0.0],
            earned: vec![Some(40.0), None],
        };
        let second = UsageStep {
            step: 2,
            simulations: 40,
            shares: vec![0.5, 0.5],
            // 20 simulations averaging 50 are 10 averaging 40 and 10 averaging 60.
            earned: vec![Some(60.0), Some(75.0)],
        };
        assert_eq!(usage.steps, [first, second]);
    }

    #[test]
    fn strategies_of_other_roles_do_not_count() {
        let mut records = UsageRecords::default();
        records.add(0, "o", &[report("random", 10, 40.0)]);
        assert!(records.steps.is_empty());
    }

    #[test]
    fn a_role_without_a_choice_and_a_player_without_strategies_give_different_errors() {
        let sheet = "(role chooser) (role watcher) (init (at 0))
            (legal chooser left) (legal chooser right) (legal watcher wait)
            (<= (next (at 1)) (does chooser ?m)) (<= terminal (true (at 1)))
            (goal chooser 50) (goal watcher 50)";
        let rules = Arc::new(Rules::from_text(sheet).unwrap());
        let game_engine = GameEngine::new(&rules, Engine::PROVER).unwrap();
        let follow_for = |limit, player: &str, role| {
            let request = UsageRequest {
                player: player.parse().unwrap(),
                role,
                clock: Duration::from_hours(1),
                start_clock: Duration::ZERO,
                limit,
            };
            super::follow(&game_engine, &request, &AtomicBool::new(false), |_| {})
        };
        let follow = |player: &str, role| follow_for(10, player, role);
        let refused = follow("mini:simulations=20", 1);
        let Err(UsageError::NoChoice { role, others }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(
            (role, others),
            ("watcher".to_owned(), vec!["chooser".to_owned()])
        );
        assert!(follow("mini:simulations=20", 0).is_ok());
        assert!(matches!(
            follow("mcs:simulations=20", 0),
            Err(UsageError::None(_))
        ));
        // Without a step, neither error cause is known.
        assert!(matches!(
            follow_for(0, "mini:simulations=20", 1),
            Err(UsageError::NoSteps)
        ));
    }
}
