//! Tests of staged games: their playouts are those of the original game.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ludorum_logic::Rules;

use super::machine::{Machine, PlayoutRequest};
use super::plan::{LanePlan, PlanOptions};
use super::staging::StagedGame;
use crate::{Backend, BoundedDraw, Lanes, Staging, StagingError};
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::{CompileLimits, CompiledGame, Network};
use ludorum_reasoner::{
    GuidedRequest, PlayoutPolicy, PlayoutTotals, ReasonError, Reasoner as _, Rng, StopSignal,
};

/// The number of cells of the line.
const CELLS: i32 = 10;

/// A game in which walkers move on a line, at the same time or by turns. A walker chooses a direction and a
/// distance, and may not land in a hole or where another walker is.
#[derive(Clone, Debug)]
struct Walk {
    /// For each walker its first cell and the largest distance.
    walkers: Vec<(i32, i32)>,
    holes: Vec<i32>,
    /// Whether two walkers take turns.
    alternates: bool,
    /// Whether the game ends when a walker is on the first or the last cell.
    ends: bool,
    /// Whether the staged game remembers directions in which no distance is legal.
    remembers: bool,
    /// Sets of cells, one for each walker, with an observer who is told whether they are reached.
    watched: Vec<Vec<i32>>,
}

impl Walk {
    fn new(walkers: &[(i32, i32)]) -> Self {
        Self {
            walkers: walkers.to_vec(),
            holes: vec![2, 6],
            alternates: false,
            ends: true,
            remembers: false,
            watched: Vec::new(),
        }
    }

    /// The cells that a walker can go to from its first cell.
    fn reachable(&self, walker: usize) -> Vec<i32> {
        let (from, far) = self.walkers[walker];
        let steps = (-far..=far).filter(|step| *step != 0);
        let is_free = |cell: &i32| {
            (0..CELLS).contains(cell)
                && !self.holes.contains(cell)
                && self.walkers.iter().all(|(other, _)| other != cell)
        };
        steps.map(|step| from + step).filter(is_free).collect()
    }

    /// The rules that both versions share. `when` is a condition for the end of the game.
    fn common(&self, when: &str) -> String {
        let mut text = String::new();
        for (i, (from, far)) in self.walkers.iter().enumerate() {
            write!(text, "(role w{i}) (walker w{i}) (init (at w{i} {from}))").expect("a string");
            for distance in 1..=*far {
                write!(text, "(range w{i} {distance})").expect("a string");
            }
        }
        for (i, cells) in self.watched.iter().enumerate() {
            write!(text, "(role o{i}) (observer o{i}) (<= (seen o{i})").expect("a string");
            for (walker, cell) in cells.iter().enumerate() {
                write!(text, "(true (at w{walker} {cell}))").expect("a string");
            }
            text += ")";
        }
        for from in 0..CELLS {
            for distance in 1..=3 {
                for (direction, to) in [("left", from - distance), ("right", from + distance)] {
                    if (0..CELLS).contains(&to) {
                        write!(text, "(target {from} {direction} {distance} {to})")
                            .expect("a string");
                    }
                }
            }
        }
        for hole in &self.holes {
            write!(text, "(hole {hole})").expect("a string");
        }
        if self.ends {
            for cell in [0, CELLS - 1] {
                write!(text, "(<= terminal {when} (true (at ?w {cell})))").expect("a string");
            }
        } else {
            text += "(<= terminal (true never))";
        }
        text += if self.alternates {
            "(init (control w0)) (other w0 w1) (other w1 w0)
            (<= (moves ?w) (true (control ?w)))
            (<= (legal ?w noop) (walker ?w) (not (true (control ?w))))"
        } else {
            "(<= (moves ?w) (walker ?w))"
        };
        text += "
            (direction left) (direction right)
            (<= (taken ?w ?y) (walker ?w) (true (at ?v ?y)) (distinct ?w ?v))
            (<= (reach ?w ?d ?n ?y) (true (at ?w ?x)) (range ?w ?n) (target ?x ?d ?n ?y)
              (not (hole ?y)) (not (taken ?w ?y)))
            (<= (legal ?o noop) (observer ?o))
            (<= (goal ?w 100) (true (at ?w 9)))
            (<= (goal ?w 30) (walker ?w) (not (true (at ?w 9))))
            (<= (goal ?o 100) (seen ?o))
            (<= (goal ?o 0) (observer ?o) (not (seen ?o)))";
        text
    }

    fn original(&self) -> Lanes {
        let rules = "
            (<= (legal ?w (go ?d ?n)) (moves ?w) (reach ?w ?d ?n ?y))
            (<= (next (at ?w ?y)) (does ?w (go ?d ?n)) (reach ?w ?d ?n ?y))
            (<= (next (at ?w ?x)) (does ?w noop) (true (at ?w ?x)))
            (<= (next (control ?w)) (true (control ?v)) (other ?v ?w))";
        Lanes::new(network(&(self.common("") + rules)))
    }

    fn staged_rules(&self) -> String {
        let mut text = self.common("(true (stage draw))");
        text += "
            (init (stage draw))
            (<= (next (stage test)) (true (stage draw)))
            (<= (next (stage draw)) (true (stage test)))
            (<= (next (chosen ?w ?d)) (does ?w (choose ?d)))
            (<= (possible ?w ?d) (reach ?w ?d ?n ?y))
            (<= (legal ?w (finish ?n)) (moves ?w) (true (stage test)) (true (chosen ?w ?d))
              (reach ?w ?d ?n ?y))
            (<= (legal ?w fail) (moves ?w) (true (stage test)))
            (<= (next (at ?w ?x)) (does ?w noop) (true (at ?w ?x)))
            (<= (next (control ?w)) (true (control ?w)) (true (stage draw)))
            (<= (next (control ?w)) (true (control ?w)) failed)
            (<= (next (control ?w)) (true (control ?v)) (other ?v ?w) (true (stage test))
              (not failed))
            (<= failed (does ?w fail))
            (<= (next (at ?w ?x)) (true (at ?w ?x)) (true (stage draw)))
            (<= (next (at ?w ?x)) (true (at ?w ?x)) failed)
            (<= (next (at ?w ?y)) (does ?w (finish ?n)) (not failed) (true (chosen ?w ?d))
              (reach ?w ?d ?n ?y))
            (<= (next moved) (true (stage test)) (not failed))";
        text += if self.remembers {
            "(<= (legal ?w (choose ?d)) (moves ?w) (direction ?d) (true (stage draw))
              (not (true (tried ?w ?d))))
            (<= (next (tried ?w ?d)) (true (stage test)) (true (chosen ?w ?d)) failed
              (not (possible ?w ?d)))
            (<= (next (tried ?w ?d)) (true (tried ?w ?d)) (true (stage draw)))
            (<= (next (tried ?w ?d)) (true (tried ?w ?d)) failed)"
        } else {
            "(<= (legal ?w (choose ?d)) (moves ?w) (direction ?d) (true (stage draw)))"
        };
        text
    }

    fn staged(&self, backend: Backend) -> Lanes {
        let network = network(&self.staged_rules());
        let staging = self.staging(&network);
        staged(network, backend, &staging).expect("a staged game")
    }

    fn staging(&self, network: &Network) -> Staging {
        let game = &network.game;
        let walkers = self.walkers.iter().enumerate();
        Staging {
            stages: vec![
                fluent(network, "(stage draw)"),
                fluent(network, "(stage test)"),
            ],
            moved: fluent(network, "moved"),
            draws: walkers
                .map(|(role, (_, far))| BoundedDraw {
                    role,
                    fail: game.find_move(role, "fail").expect("a move").0,
                    bound: far.unsigned_abs(),
                })
                .collect(),
            max_draws: None,
        }
    }
}

fn network(text: &str) -> Arc<Network> {
    let rules = Arc::new(Rules::from_text(text).expect("rules"));
    let game = CompiledGame::new(rules);
    game.network(&CompileLimits::default()).expect("a network")
}

fn fluent(network: &Network, text: &str) -> u32 {
    let fluents = &network.game.fluents;
    let place = fluents.iter().position(|fluent| **fluent == *text);
    place.expect("a fluent") as u32
}

fn staged(
    network: Arc<Network>,
    backend: Backend,
    staging: &Staging,
) -> Result<Lanes, StagingError> {
    let circuit = Arc::new(Circuit::new(&network));
    Lanes::with_staging(network, circuit, backend, staging)
}

fn play(
    lanes: &mut Lanes,
    starts: &[BitState],
    each: u32,
    seed: u64,
    limit: u32,
) -> Vec<PlayoutTotals> {
    let totals = lanes.playouts(starts, each, &mut Rng::new(seed), limit);
    totals.expect("playouts")
}

/// The states with the first walker on each of some cells.
fn starts(lanes: &mut Lanes, others: &[String], cells: &[i32], staged: bool) -> Vec<BitState> {
    let state = |cell: &i32| {
        let mut facts = vec![format!("(at w0 {cell})")];
        facts.extend(others.iter().cloned());
        if staged {
            facts.push("(stage draw)".to_owned());
        }
        lanes.state_from_facts(&facts).expect("a state")
    };
    cells.iter().map(state).collect()
}

/// The means of steps, limited playouts and the goals of walkers in batches, for each start.
#[allow(clippy::cast_precision_loss)] // small numbers
fn means(lanes: &mut Lanes, starts: &[BitState], limit: u32) -> Vec<Vec<(f64, f64)>> {
    const BATCHES: u64 = 30;
    let each = 3_000;
    let mut figures: Vec<Vec<Vec<f64>>> = vec![Vec::new(); starts.len()];
    for seed in 0..BATCHES {
        for (figures, totals) in figures
            .iter_mut()
            .zip(play(lanes, starts, each, seed, limit))
        {
            assert_eq!(totals.playouts, u64::from(each));
            let mut sums = vec![totals.steps, totals.limited, totals.stuck];
            sums.extend(totals.points.iter());
            let mean = |sum: &u64| *sum as f64 / f64::from(each);
            figures.push(sums.iter().map(mean).collect());
        }
    }
    let count = BATCHES as f64;
    let of_figure = |batches: &Vec<Vec<f64>>, figure: usize| {
        let mean = batches.iter().map(|batch| batch[figure]).sum::<f64>() / count;
        let squares = batches.iter().map(|batch| (batch[figure] - mean).powi(2));
        (mean, (squares.sum::<f64>() / (count - 1.0) / count).sqrt())
    };
    let of_start = |batches: &Vec<Vec<f64>>| {
        let figures = 0..batches[0].len();
        figures.map(|figure| of_figure(batches, figure)).collect()
    };
    figures.iter().map(of_start).collect()
}

/// Compares the playouts of a staged game from some starts with those of the original.
fn compare(walk: &Walk, others: &[String], cells: &[i32], limit: u32) {
    let mut original = walk.original();
    let from = starts(&mut original, others, cells, false);
    let expected = means(&mut original, &from, limit);
    for backend in [Backend::Interpreter, Backend::Best] {
        let mut lanes = walk.staged(backend);
        let from = starts(&mut lanes, others, cells, true);
        let found = means(&mut lanes, &from, limit);
        for (start, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for (figure, ((a, x), (b, y))) in found.iter().zip(expected).enumerate() {
                let allowed = 5.0 * x.hypot(*y) + 1e-9;
                assert!(
                    (a - b).abs() <= allowed,
                    "figure {figure} from cell {}, limit {limit}: {a} and {b}, {allowed}",
                    cells[start]
                );
            }
        }
    }
}

#[test]
fn staged_playouts_of_one_role_are_those_of_the_original() {
    for limit in [1, 2, 7, 1_000] {
        compare(&Walk::new(&[(4, 3)]), &[], &[4], limit);
    }
}

#[test]
fn staged_playouts_of_simultaneous_roles_are_those_of_the_original() {
    let walk = Walk::new(&[(4, 3), (5, 2)]);
    for limit in [1, 3, 1_000] {
        compare(&walk, &["(at w1 5)".to_owned()], &[4], limit);
    }
}

#[test]
fn staged_playouts_of_roles_that_take_turns_are_those_of_the_original() {
    // A role that waits has a move and cannot fail.
    let walk = Walk {
        alternates: true,
        ..Walk::new(&[(4, 3), (5, 2)])
    };
    let others = ["(at w1 5)".to_owned(), "(control w1)".to_owned()];
    for limit in [1, 4, 1_000] {
        compare(&walk, &others, &[4, 8], limit);
    }
}

#[test]
fn several_starts_are_counted_apart() {
    compare(&Walk::new(&[(4, 3)]), &[], &[1, 4, 8, 5, 3], 1_000);
    let walk = Walk::new(&[(4, 3), (5, 2)]);
    compare(&walk, &["(at w1 5)".to_owned()], &[1, 7, 3], 6);
}

#[test]
#[allow(clippy::cast_precision_loss)] // small numbers
fn first_moves_are_uniform() {
    for walkers in [
        &[(1, 3)][..],
        &[(7, 3)],
        &[(4, 2)],
        &[(8, 3), (1, 2)],
        &[(4, 1), (8, 3)],
    ] {
        let mut walk = Walk::new(walkers);
        let mut outcomes: Vec<Vec<i32>> = vec![Vec::new()];
        for walker in 0..walkers.len() {
            let cells = walk.reachable(walker);
            let longer = |outcome: &Vec<i32>| {
                let outcome = outcome.clone();
                let longer = cells
                    .iter()
                    .map(move |cell| [&outcome[..], &[*cell]].concat());
                longer.collect::<Vec<_>>()
            };
            outcomes = outcomes.iter().flat_map(longer).collect();
        }
        walk.watched = outcomes;
        let playouts = 200_000;
        let mut lanes = walk.staged(Backend::Best);
        let start = lanes.initial().expect("a state");
        let totals = play(&mut lanes, &[start], playouts, 3, 1).remove(0);
        assert_eq!(totals.steps, u64::from(playouts));
        let counts = totals.points[walkers.len()..]
            .iter()
            .map(|points| points / 100);
        let counts: Vec<u64> = counts.collect();
        assert_eq!(
            counts.iter().sum::<u64>(),
            u64::from(playouts),
            "{counts:?}"
        );
        let expected = f64::from(playouts) / counts.len() as f64;
        let distance = |count: &u64| (*count as f64 - expected).powi(2) / expected;
        let freedom = (counts.len() - 1) as f64;
        let square: f64 = counts.iter().map(distance).sum();
        // Exceeded with a probability below 1 in 10,000.
        assert!(
            square < freedom + 6.0 * (2.0 * freedom).sqrt(),
            "{walkers:?}: {counts:?}"
        );
    }
}

#[test]
fn the_step_limit_is_exact() {
    let walk = Walk {
        ends: false,
        ..Walk::new(&[(4, 3), (5, 2)])
    };
    for backend in [Backend::Interpreter, Backend::Best] {
        let mut lanes = walk.staged(backend);
        let start = lanes.initial().expect("a state");
        let others = ["(at w1 5)".to_owned()];
        let several = starts(&mut lanes, &others, &[4, 1, 7], true);
        for limit in [1, 2, 3, 4, 7, 8, 100] {
            for starts in [std::slice::from_ref(&start), &several[..]] {
                for totals in play(&mut lanes, starts, 1_500, 1, limit) {
                    assert_eq!((totals.playouts, totals.limited), (1_500, 1_500));
                    assert_eq!(totals.steps, 1_500 * u64::from(limit));
                }
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_totals_on_all_backends() {
    let walk = Walk::new(&[(4, 3), (5, 2)]);
    let results = [Backend::Interpreter, Backend::Avx2, Backend::Avx512].map(|backend| {
        let mut lanes = walk.staged(backend);
        let start = lanes.initial().expect("a state");
        play(&mut lanes, &[start], 3_000, 8, 50)
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
}

#[test]
fn options_of_the_plan_do_not_change_results() {
    let walk = Walk::new(&[(4, 3), (5, 2)]);
    let network = network(&walk.staged_rules());
    let game = StagedGame::new(&network, &walk.staging(&network)).expect("a staged game");
    let mut results = Vec::new();
    for options in 0..8 {
        let options = PlanOptions {
            exact_stuck: options & 1 != 0,
            late_goals: Some(options & 2 != 0),
            moves_visible: options & 4 != 0,
        };
        let plan = LanePlan::staged(&Circuit::new(&network), &game, options);
        let goals = Arc::clone(&network.goals);
        let mut machine = Machine::new(Arc::new(plan), goals, 2, Backend::Best);
        let request = PlayoutRequest {
            starts: &[&network.game.initial],
            each: 3_000,
            limit: 8,
            seed: 6,
            guidance: None,
            recorder: None,
            last_states: None,
            stop: &StopSignal::default(),
        };
        results.push(machine.play(request).expect("every role can move"));
    }
    assert!(results[0][0].limited > 0 && results[0][0].limited < 3_000);
    for other in &results[1..] {
        assert_eq!(*other, results[0]);
    }
}

/// A walker between holes that are too wide for it.
fn trapped(remembers: bool) -> Walk {
    Walk {
        holes: vec![2, 3, 4, 6, 7, 8],
        remembers,
        ..Walk::new(&[(5, 3)])
    }
}

#[test]
fn a_state_without_acceptable_candidates_is_an_error() {
    let mut lanes = trapped(false).staged(Backend::Best);
    let start = lanes.initial().expect("a state");
    for _ in 0..2 {
        let result = lanes.playouts(std::slice::from_ref(&start), 100, &mut Rng::new(1), 50);
        assert!(
            matches!(&result, Err(ReasonError::Budget(text)) if text.contains("accepted")),
            "{result:?}"
        );
    }
}

#[test]
fn a_game_that_remembers_failed_candidates_gets_stuck_like_the_original() {
    let mut original = trapped(true).original();
    let mut lanes = trapped(true).staged(Backend::Best);
    let from = starts(&mut original, &[], &[5], false);
    let expected = play(&mut original, &from, 700, 1, 50);
    let from = starts(&mut lanes, &[], &[5], true);
    assert_eq!(play(&mut lanes, &from, 700, 1, 50), expected);
    assert_eq!(expected[0].stuck, 700);
    // The first walker is stuck when the second one stands in its way.
    let walk = Walk {
        ends: false,
        remembers: true,
        ..Walk::new(&[(0, 1), (4, 3)])
    };
    compare(&walk, &["(at w1 4)".to_owned()], &[0, 1], 20);
    let mut walk = Walk::new(&[(4, 3)]);
    walk.remembers = true;
    compare(&walk, &[], &[4, 1], 1_000);
}

#[test]
fn playouts_end_on_cancel_without_progress() {
    let mut walk = trapped(false);
    walk.ends = false;
    let network = network(&walk.staged_rules());
    let staging = Staging {
        max_draws: Some(u32::MAX),
        ..walk.staging(&network)
    };
    let mut lanes = staged(network, Backend::Best, &staging).expect("a staged game");
    let start = lanes.initial().expect("a state");
    let flag = Arc::new(AtomicBool::new(false));
    lanes.set_cancel(Some(Arc::clone(&flag)));
    let result = std::thread::scope(|scope| {
        let playing = scope.spawn(|| lanes.playouts(&[start], 100, &mut Rng::new(1), 50));
        flag.store(true, Ordering::Relaxed);
        playing.join().expect("no panic")
    });
    assert_eq!(result, Err(ReasonError::Stopped));
}

#[test]
fn guided_requests_are_random_playouts_without_histories() {
    let mut lanes = Walk::new(&[(4, 3)]).staged(Backend::Best);
    let start = lanes.initial().expect("a state");
    let policy = PlayoutPolicy {
        epsilon: 0.1,
        scores: vec![vec![1.0]],
        ..PlayoutPolicy::default()
    };
    let starts = [start.clone()];
    let wanted = GuidedRequest {
        starts: &starts,
        groups: &[],
        each: 700,
        policy: &policy,
        limit: 50,
        wait_until_ready: true,
    };
    assert!(lanes.is_ready_for_guided_playouts());
    let guided = lanes
        .guided_playouts(&wanted, &mut Rng::new(4))
        .expect("playouts");
    assert_eq!(guided.totals, play(&mut lanes, &starts, 700, 4, 50));
    assert!(guided.histories[0].moves.iter().all(Vec::is_empty));
    let profile = lanes.profile(&start, 600, 50).expect("a profile");
    assert!(profile.total() > std::time::Duration::ZERO);
}

#[test]
fn what_a_staged_game_does_not_support_is_an_error() {
    let mut lanes = Walk::new(&[(4, 3)]).staged(Backend::Best);
    let start = lanes.initial().expect("a state");
    let joint = [ludorum_reasoner::MoveId(0)];
    let later = lanes.next(&start, &joint).expect("a state");
    let mut rng = Rng::new(1);
    let is_unsupported = |error: Option<ReasonError>| {
        assert!(
            matches!(error, Some(ReasonError::Unsupported(_))),
            "{error:?}"
        );
    };
    is_unsupported(
        lanes
            .playouts(&[start.clone(), later.clone()], 3, &mut rng, 9)
            .err(),
    );
    is_unsupported(lanes.profile(&later, 3, 9).err());
    is_unsupported(lanes.playout(&start, &mut rng, 9).err());
    is_unsupported(lanes.recorded_playouts(&[start], 3, &mut rng, 9).err());
}

#[test]
fn a_description_that_does_not_fit_is_refused() {
    let walk = Walk::new(&[(4, 3)]);
    let network = network(&walk.staged_rules());
    let good = walk.staging(&network);
    let refused = |change: &dyn Fn(&mut Staging)| {
        let mut staging = good.clone();
        change(&mut staging);
        staged(Arc::clone(&network), Backend::Best, &staging).expect_err("refused")
    };
    assert_eq!(
        refused(&|staging| staging.stages.truncate(1)),
        StagingError::NoCycle
    );
    assert_eq!(
        refused(&|staging| staging.stages[1] = staging.stages[0]),
        StagingError::NoCycle
    );
    let moved = good.moved;
    assert!(matches!(
        refused(&|staging| staging.stages[1] = moved),
        StagingError::UncertainStage(_)
    ));
    for change in [
        (|staging: &mut Staging| staging.moved = 1_000) as fn(&mut Staging),
        |staging| staging.draws[0].role = 7,
        |staging| staging.draws[0].fail = 1_000,
        |staging| staging.draws[0].bound = 0,
        |staging| staging.draws.push(staging.draws[0]),
    ] {
        let error = refused(&change);
        assert!(matches!(error, StagingError::OutOfRange(_)), "{error}");
    }
}
