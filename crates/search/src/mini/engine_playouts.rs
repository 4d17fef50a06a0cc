//! Playouts that the engine makes by itself in batches.
//!
//! If the strategies of all roles need no lookahead, a guided playout of the engine follows their
//! move scores. Hundreds of playouts then cost little more than one.

use std::collections::BTreeMap;

use ludorum_reasoner::{
    GuidedRequest, GuidedResult, PerRole, PlayoutPolicy, PlayoutTotals, ReasonError, Reasoner, Rng,
};

use super::role_strategies::RoleStrategies;
use crate::mcts::{LeafBatch, points};

/// The number of playouts of a group of leaves: an engine such as `lanes` makes this many for the
/// price of one.
const FILL: usize = 512;
/// The maximum number of playouts from a leaf. They count as one simulation in the tree.
const MOST: usize = 64;

/// Whether the engine can play simulations with these strategies by itself.
pub(super) fn is_batched(role_strategies: &[RoleStrategies], places: &[usize]) -> bool {
    let mut followed = role_strategies.iter().zip(places);
    followed.all(|(strategies, place)| strategies.is_batched(*place))
}

/// Leaves grouped by the strategies that the roles follow from them. Groups are removed when they
/// were played; after an error some may be left.
pub(super) type PlayoutGroups = BTreeMap<Vec<usize>, Vec<usize>>;

/// Makes guided playouts from the leaves of all groups and updates the strategies. Writes the
/// totals of each leaf to its place. If `waits` is not set and the engine is not ready for guided
/// playouts, playouts are random and no strategy is credited.
pub(super) fn play<R: Reasoner>(
    reasoner: &mut R,
    role_strategies: &mut [RoleStrategies],
    groups: &mut PlayoutGroups,
    leaves: LeafBatch<'_, R::State>,
    rng: &mut Rng,
    waits: bool,
    tallies: &mut [Option<PlayoutTotals>],
) -> Result<(), ReasonError> {
    while let Some((places, numbers)) = groups.first_key_value() {
        let starts: Vec<R::State> = numbers
            .iter()
            .map(|number| leaves.states[*number].clone())
            .collect();
        let guide = guide(role_strategies, places, rng);
        let each = (FILL / starts.len().max(1)).clamp(1, MOST) as u32;
        let wanted = GuidedRequest {
            starts: &starts,
            groups: &[],
            each,
            policy: &guide,
            limit: leaves.limit,
            wait_until_ready: waits,
        };
        let follows = waits || reasoner.is_ready_for_guided_playouts();
        let GuidedResult {
            totals: outcomes,
            histories,
        } = reasoner.guided_playouts(&wanted, rng)?;
        for strategy in role_strategies
            .iter_mut()
            .flat_map(|strategies| &mut strategies.strategies)
        {
            for history in &histories {
                strategy.observe_moves(history);
            }
        }
        for (number, outcome) in numbers.iter().zip(&outcomes) {
            let was_played = outcome.playouts > 0;
            for (role, strategies) in role_strategies.iter_mut().enumerate() {
                if follows && was_played {
                    strategies.credit(places[role], mean(outcome, role), outcome.playouts);
                } else {
                    strategies.take_back(places[role]);
                }
            }
            tallies[*number] = was_played.then(|| as_one(outcome, rng));
        }
        groups.pop_first();
    }
    Ok(())
}

/// The guide for the engine: move scores and decision probabilities of the strategies.
fn guide(role_strategies: &[RoleStrategies], places: &[usize], rng: &mut Rng) -> PlayoutPolicy {
    let followed = role_strategies.iter().zip(places);
    PlayoutPolicy {
        epsilon: 1.0,
        epsilons: followed
            .clone()
            .map(|(strategies, place)| 1.0 - strategies.decision_probability(*place))
            .collect(),
        scores: followed
            .map(|(strategies, place)| strategies.scores(*place, rng))
            .collect(),
        pairs: None,
    }
}

/// The mean goal of a role.
#[allow(clippy::cast_precision_loss)] // far below 2^52
fn mean(tally: &PlayoutTotals, role: usize) -> f64 {
    points(tally, role) as f64 / tally.playouts.max(1) as f64
}

/// One playout that represents many. Goals are integers, so the mean is rounded up or down at
/// random without bias.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a goal
fn as_one(tally: &PlayoutTotals, rng: &mut Rng) -> PlayoutTotals {
    let roles = tally.points.len();
    PlayoutTotals {
        playouts: 1,
        steps: tally.steps.div_ceil(tally.playouts.max(1)),
        points: (0..roles)
            .map(|role| (mean(tally, role) + rng.next_f64()).floor() as u64)
            .collect(),
        scored: PerRole::from_elem(1, roles),
        limited: u64::from(tally.limited > 0),
        stuck: u64::from(tally.stuck > 0),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ludorum_lanes::Lanes;
    use ludorum_logic::Rules;
    use ludorum_propnet::{CompileLimits, CompiledGame};

    use super::*;
    use crate::mcts::StrategyLog;
    use crate::mini::select::selection;
    use crate::mini::strategies::history::HistoryHeuristic;
    use crate::unready::Unready;

    #[test]
    fn no_strategy_is_credited_before_the_engine_is_ready() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let rules = Arc::new(Rules::from_text(text).expect("rules"));
        let network = CompiledGame::new(rules).network(&CompileLimits::default());
        let mut lanes = Lanes::new(network.expect("a network"));
        let start = lanes.initial().expect("a state");
        let strategy_log = Arc::new(StrategyLog::default());
        let strategies = |role| {
            let history = Box::new(HistoryHeuristic::new(role, 100));
            let strategy_log = Arc::clone(&strategy_log);
            RoleStrategies::new(
                role,
                vec![history],
                None,
                selection("ucb", 5.0),
                strategy_log,
            )
        };
        let mut role_strategies = [strategies(0), strategies(1)];
        let leaves = LeafBatch {
            states: &[start],
            depths: &[0],
            limit: 100,
            is_guided: true,
        };
        let groups = || PlayoutGroups::from([(vec![0, 0], vec![0])]);
        let mut rng = Rng::new(1);
        let mut tallies = [None];
        let mut unready = Unready(lanes.fork());
        play(
            &mut unready,
            &mut role_strategies,
            &mut groups(),
            leaves,
            &mut rng,
            false,
            &mut tallies,
        )
        .expect("playouts");
        assert_eq!(tallies[0].take().map(|tally| tally.playouts), Some(1));
        assert!(strategy_log.read().is_empty());
        play(
            &mut lanes,
            &mut role_strategies,
            &mut groups(),
            leaves,
            &mut rng,
            true,
            &mut tallies,
        )
        .expect("playouts");
        assert_eq!(strategy_log.read().len(), 2);
    }

    #[test]
    #[allow(clippy::cast_precision_loss)] // small
    fn the_mean_goal_is_rounded_without_bias() {
        let tally = PlayoutTotals {
            playouts: 8,
            steps: 20,
            points: PerRole::from_slice(&[300, 500]),
            scored: PerRole::from_slice(&[8, 8]),
            ..PlayoutTotals::default()
        };
        let mut rng = Rng::new(2);
        let ones: Vec<PlayoutTotals> = (0..4000).map(|_| as_one(&tally, &mut rng)).collect();
        assert!(ones.iter().all(|one| one.playouts == 1 && one.steps == 3));
        let mean = |role: usize| {
            let points: u64 = ones.iter().map(|one| one.points[role]).sum();
            points as f64 / ones.len() as f64
        };
        assert!((mean(0) - 37.5).abs() < 0.05 && (mean(1) - 62.5).abs() < 0.05);
    }

    #[test]
    fn an_integer_mean_is_not_changed() {
        let tally = PlayoutTotals {
            playouts: 64,
            points: PerRole::from_slice(&[6400, 0]),
            scored: PerRole::from_slice(&[64, 64]),
            ..PlayoutTotals::default()
        };
        let one = as_one(&tally, &mut Rng::new(1));
        assert_eq!((one.steps, &one.points[..]), (0, &[100, 0][..]));
    }
}
