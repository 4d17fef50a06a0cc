//! Simulations whose strategies look at nothing but moves: the engine itself plays them, many at
//! once.

use std::collections::BTreeMap;

use ludorum_reasoner::{
    GuidedRequest, GuidedResult, PerRole, PlayoutPolicy, PlayoutTotals, ReasonError, Reasoner, Rng,
};

use super::cast::Cast;
use crate::mcts::{LeafBatch, points};

/// The playouts that an engine makes at the price of one.
const FILL: usize = 512;
/// The most playouts from a leaf: the leaf counts for one all the same.
const MOST: usize = 64;

/// Whether the engine can play a simulation with these strategies.
pub(super) fn is_swift(casts: &[Cast], places: &[usize]) -> bool {
    let mut followed = casts.iter().zip(places);
    followed.all(|(cast, place)| cast.is_swift(*place))
}

/// LeafBatch with the strategies that the roles follow from there, by their places. What is played is
/// taken out; after an error there may be some left.
pub(super) type Orders = BTreeMap<Vec<usize>, Vec<usize>>;

/// Plays from leaves, and lets everybody learn from it. Tallies are put in the leaves' places.
/// Unless it `waits`, an engine that is not ready plays at random, of which strategies earn
/// nothing.
pub(super) fn play<R: Reasoner>(
    reasoner: &mut R,
    casts: &mut [Cast],
    orders: &mut Orders,
    leaves: LeafBatch<'_, R::State>,
    rng: &mut Rng,
    waits: bool,
    tallies: &mut [Option<PlayoutTotals>],
) -> Result<(), ReasonError> {
    while let Some((places, numbers)) = orders.first_key_value() {
        let starts: Vec<R::State> = numbers
            .iter()
            .map(|number| leaves.states[*number].clone())
            .collect();
        let guide = guide(casts, places, rng);
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
        for strategy in casts.iter_mut().flat_map(|cast| &mut cast.strategies) {
            for history in &histories {
                strategy.learn_history(history);
            }
        }
        for (number, outcome) in numbers.iter().zip(&outcomes) {
            let was_played = outcome.playouts > 0;
            for (role, cast) in casts.iter_mut().enumerate() {
                if follows && was_played {
                    cast.earn(places[role], mean(outcome, role), outcome.playouts);
                } else {
                    cast.give_up(places[role]);
                }
            }
            tallies[*number] = was_played.then(|| as_one(outcome, rng));
        }
        orders.pop_first();
    }
    Ok(())
}

/// What the engine has to know about the strategies.
fn guide(casts: &[Cast], places: &[usize], rng: &mut Rng) -> PlayoutPolicy {
    let followed = casts.iter().zip(places);
    PlayoutPolicy {
        epsilon: 1.0,
        epsilons: followed
            .clone()
            .map(|(cast, place)| 1.0 - cast.conviction(*place))
            .collect(),
        scores: followed
            .map(|(cast, place)| cast.scores(*place, rng))
            .collect(),
        pairs: None,
    }
}

/// What a role got on average.
#[allow(clippy::cast_precision_loss)] // far below 2^52
fn mean(tally: &PlayoutTotals, role: usize) -> f64 {
    points(tally, role) as f64 / tally.playouts.max(1) as f64
}

/// One playout that stands for many. Goals are whole numbers; chance rounds them, so that nobody
/// gains by it.
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
    fn nobody_earns_what_an_engine_plays_before_it_is_ready() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let rules = Arc::new(Rules::from_text(text).expect("rules"));
        let network = CompiledGame::new(rules).network(&CompileLimits::default());
        let mut lanes = Lanes::new(network.expect("a network"));
        let start = lanes.initial().expect("a state");
        let strategy_log = Arc::new(StrategyLog::default());
        let cast = |role| {
            let history = Box::new(HistoryHeuristic::new(role, 100));
            let strategy_log = Arc::clone(&strategy_log);
            Cast::new(
                role,
                vec![history],
                None,
                selection("ucb", 5.0),
                strategy_log,
            )
        };
        let mut casts = [cast(0), cast(1)];
        let leaves = LeafBatch {
            states: &[start],
            depths: &[0],
            limit: 100,
            is_guided: true,
        };
        let orders = || Orders::from([(vec![0, 0], vec![0])]);
        let mut rng = Rng::new(1);
        let mut tallies = [None];
        let mut unready = Unready(lanes.fork());
        play(
            &mut unready,
            &mut casts,
            &mut orders(),
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
            &mut casts,
            &mut orders(),
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
    fn one_playout_stands_for_many_without_favour() {
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
    fn what_is_certain_stays_so() {
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
