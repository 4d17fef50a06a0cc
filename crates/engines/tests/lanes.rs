//! The public behaviour of lanes: batches, totals, limits, playout policies.

use std::sync::Arc;

use ludorum_lanes::{Backend, Lanes};
use ludorum_logic::Rules;
use ludorum_propnet::{CompileLimits, CompiledGame, Differential, Network, Propnet};
use ludorum_reasoner::testing::generate;
use ludorum_reasoner::{
    GuidedRequest, GuidedResult, MoveId, PlayoutEnd, PlayoutPolicy, PlayoutRecord, PlayoutTotals,
    Reasoner, Rng,
};

fn rules(text: &str) -> Arc<Rules> {
    Arc::new(Rules::from_text(text).expect("rules"))
}

fn shipped(name: &str) -> Arc<Rules> {
    rules(ludorum_games::find(name).expect("a shipped game").text)
}

fn network(rules: &Arc<Rules>) -> Arc<Network> {
    let game = CompiledGame::new(Arc::clone(rules));
    game.network(&CompileLimits::default()).expect("a network")
}

/// Thirty games of all kinds.
const GAMES: [&str; 30] = [
    "tic-tac-toe",
    "connect-four",
    "nim",
    "breakthrough-small",
    "breakthrough",
    "knights-tour",
    "bidding-tic-tac-toe",
    "pursuit",
    "chinese-checkers-3",
    "dots-and-boxes",
    "sheep-and-wolf",
    "reversi",
    "pentago",
    "hex",
    "hanoi-3",
    "eight-puzzle",
    "lights-out",
    "peg-solitaire",
    "chomp",
    "quarto",
    "nine-board-tic-tac-toe",
    "chinese-checkers-1",
    "chinese-checkers-2",
    "blocks-world",
    "buttons",
    "rock-paper-scissors",
    "checkers",
    "battle",
    "amazons-small",
    "skirmish",
];

/// A request for `each` playouts from each start, with a step limit of ten.
fn request<'a, S>(each: u32, starts: &'a [S], policy: &'a PlayoutPolicy) -> GuidedRequest<'a, S> {
    GuidedRequest {
        starts,
        groups: &[],
        each,
        policy,
        limit: 10,
        wait_until_ready: true,
    }
}

#[test]
fn batched_summaries_equal_single_ones() {
    for name in [
        "tic-tac-toe",
        "reversi",
        "bidding-tic-tac-toe",
        "chinese-checkers-3",
    ] {
        let rules = shipped(name);
        let mut lanes = Lanes::new(network(&rules));
        let mut single: Propnet<Differential> = Propnet::new(network(&rules));
        let roles = single.roles().len();
        // States from random walks, more than there are lanes.
        let mut rng = Rng::new(4);
        let mut states = Vec::new();
        let mut ends = Vec::new();
        let mut moves: Vec<Vec<MoveId>> = Vec::new();
        let mut state = single.initial().expect("a state");
        let mut legal = Vec::new();
        while moves.len() < 700 {
            if single.is_terminal(&state).expect("an answer") {
                ends.push(state);
                state = single.initial().expect("a state");
                continue;
            }
            let joint: Vec<MoveId> = (0..roles)
                .map(|role| {
                    single
                        .legal_moves(&state, role, &mut legal)
                        .expect("an answer");
                    legal[rng.below(legal.len())]
                })
                .collect();
            states.push(state.clone());
            state = single.next(&state, &joint).expect("a legal move");
            moves.push(joint);
        }
        // Terminal states are included.
        let mut surveyed = states.clone();
        surveyed.extend(ends);
        assert_eq!(
            lanes.summaries(&surveyed),
            single.summaries(&surveyed),
            "{name}"
        );
        let each_over = |tallies: Vec<PlayoutTotals>| -> Vec<bool> {
            tallies.iter().map(|tally| tally.steps == 0).collect()
        };
        let over: Vec<bool> = surveyed
            .iter()
            .map(|state| single.is_terminal(state).expect("an answer"))
            .collect();
        let played = lanes.playouts(&surveyed, 1, &mut rng, 1000);
        assert_eq!(each_over(played.expect("playouts")), over, "{name}");
        let pairs: Vec<_> = states.iter().zip(moves.iter().map(Vec::as_slice)).collect();
        assert_eq!(
            lanes.next_states(&pairs),
            single.next_states(&pairs),
            "{name}"
        );
    }
}

/// The distance of two means in standard errors of their difference, given the standard deviation
/// of a single value.
fn standard_errors_between(a: (f64, f64), b: (f64, f64), spread: f64) -> f64 {
    let ((mean_a, count_a), (mean_b, count_b)) = (a, b);
    let deviation = spread * (1.0 / count_a + 1.0 / count_b).sqrt();
    if deviation == 0.0 {
        return if (mean_a - mean_b).abs() < 1e-9 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    (mean_a - mean_b).abs() / deviation
}

#[test]
#[allow(clippy::cast_precision_loss)] // sums far below 2^52
fn playouts_of_thirty_games_match_the_differential_engine() {
    let mut tested = 0;
    for name in GAMES {
        let Some(game) = ludorum_games::find(name) else {
            panic!("{name} does not ship any more");
        };
        let rules = rules(game.text);
        let mut lanes = Lanes::new(network(&rules));
        let mut single: Propnet<Differential> = Propnet::new(network(&rules));
        let start = single.initial().expect("a state");
        let many = 3_000;
        let tally = &lanes
            .playouts(std::slice::from_ref(&start), many, &mut Rng::new(7), 2_000)
            .expect("playouts")[0];
        assert_eq!(tally.playouts, u64::from(many), "{name}");
        // Single playouts, for the standard deviations of lengths and goals.
        let few = 300;
        let mut rng = Rng::new(8);
        let roles = single.roles().len();
        let mut figures: Vec<Vec<f64>> = vec![Vec::new(); roles + 1];
        for _ in 0..few {
            let playout = single.playout(&start, &mut rng, 2_000).expect("a playout");
            figures[roles].push(f64::from(playout.steps));
            for (role, goal) in playout.goals.iter().enumerate() {
                figures[role].extend(goal.value().map(f64::from));
            }
        }
        for (i, values) in figures.iter().enumerate() {
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            let lane = if i == roles {
                (
                    tally.steps as f64 / tally.playouts as f64,
                    tally.playouts as f64,
                )
            } else {
                (
                    tally.points[i] as f64 / tally.scored[i].max(1) as f64,
                    tally.scored[i] as f64,
                )
            };
            // A rare result may be missing in the small sample, so the deviation has a minimum.
            let spread = (squares / count)
                .sqrt()
                .max(if i == roles { 0.2 } else { 5.0 });
            let far = standard_errors_between((mean, count), lane, spread);
            assert!(
                far < 4.5,
                "{name}: figure {i} is {far:.1} deviations off: {mean} and {lane:?}"
            );
        }
        tested += 1;
    }
    assert_eq!(tested, GAMES.len());
}

#[test]
fn all_backends_give_the_same_totals() {
    let mut backends = vec![Backend::Avx2, Backend::Avx512, Backend::Best];
    backends.retain(|backend| {
        // An unavailable backend falls back to the interpreter, which would be compared with
        // itself.
        if !backend.is_available() {
            eprintln!("skipped: this processor has no {backend:?}");
        }
        backend.is_available()
    });
    for name in [
        "tic-tac-toe",
        "connect-four",
        "reversi",
        "hex",
        "chinese-checkers-6",
    ] {
        let rules = shipped(name);
        let play = |backend| {
            let mut lanes = Lanes::with_backend(network(&rules), backend);
            let start = lanes.initial().expect("a state");
            lanes
                .playouts(&[start], 1_000, &mut Rng::new(3), 500)
                .expect("playouts")
        };
        let first = play(Backend::Interpreter);
        for backend in backends.iter().copied() {
            assert_eq!(play(backend), first, "{name} with {backend:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_totals() {
    let rules = shipped("connect-four");
    let mut lanes = Lanes::new(network(&rules));
    let start = lanes.initial().expect("a state");
    let mut play = |seed| {
        lanes
            .playouts(
                std::slice::from_ref(&start),
                1_000,
                &mut Rng::new(seed),
                100,
            )
            .expect("playouts")
    };
    let first = play(1);
    assert_ne!(play(2), first);
    assert_eq!(play(1), first);
}

#[test]
fn each_start_of_a_batch_has_its_own_totals() {
    let rules = shipped("tic-tac-toe");
    let mut lanes = Lanes::new(network(&rules));
    let mut single: Propnet<Differential> = Propnet::new(network(&rules));
    let start = single.initial().expect("a state");
    let cell = |marks: &str, control: &str| {
        let mut list: Vec<String> = marks
            .chars()
            .enumerate()
            .map(|(i, mark)| {
                let content = if mark == 'b' {
                    "blank".to_owned()
                } else {
                    mark.to_string()
                };
                format!("(cell {} {} {content})", i / 3 + 1, i % 3 + 1)
            })
            .collect();
        list.push(format!("(control {control})"));
        list
    };
    // The initial state, a won and a lost terminal state, and a state near the end.
    let all = single.facts(&start);
    assert!(all.iter().any(|fact| fact.contains("control")), "{all:?}");
    let role = single.roles().to_vec();
    let won = single
        .state_from_facts(&cell("xxxoobbbb", &role[1]))
        .expect("a state");
    let lost = single
        .state_from_facts(&cell("xxbooobxb", &role[0]))
        .expect("a state");
    let near = single
        .state_from_facts(&cell("xoxoxoobx", &role[0]))
        .expect("a state");
    let starts = [start.clone(), won, lost, near];
    let tallies = lanes
        .playouts(&starts, 900, &mut Rng::new(5), 100)
        .expect("playouts");
    assert!(
        tallies.iter().all(|tally| tally.playouts == 900),
        "{tallies:?}"
    );
    let points: Vec<&[u64]> = tallies.iter().map(|tally| &tally.points[..]).collect();
    assert_eq!(points[1], [90_000, 0]);
    assert_eq!(points[2], [0, 90_000]);
    assert_eq!(tallies[1].steps, 0);
    // The differential engine gives the expected result of the last state.
    let expected = single
        .playouts(&starts[3..], 900, &mut Rng::new(6), 100)
        .expect("playouts");
    assert_eq!(tallies[3].steps, expected[0].steps);
    assert!(tallies[0].steps > 900 * 6 && tallies[0].steps < 900 * 9);
}

/// A game that never ends.
const ENDLESS: &str = "(role robot) (init (at 0)) (legal robot step) (legal robot stay)
    (succ 0 1) (succ 1 2) (succ 2 0)
    (<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?x)) (does robot stay) (true (at ?x)))
    (<= terminal (true (at 9))) (<= (goal robot 40) (true (at 0)))
    (<= (goal robot 70) (not (true (at 0))))";

#[test]
fn a_playout_stops_at_the_step_limit_exactly() {
    let mut lanes = Lanes::new(network(&rules(ENDLESS)));
    let start = lanes.initial().expect("a state");
    for limit in [0, 1, 7, 100] {
        let tally: PlayoutTotals = lanes
            .playouts(std::slice::from_ref(&start), 1_300, &mut Rng::new(2), limit)
            .expect("playouts")
            .remove(0);
        assert_eq!(tally.playouts, 1_300);
        assert_eq!(tally.limited, 1_300);
        assert_eq!(tally.steps, 1_300 * u64::from(limit));
        assert_eq!(tally.scored[..], [1_300]);
    }
}

#[test]
fn a_stuck_initial_state_is_reported() {
    // After one step there is no legal move, and the state is not terminal.
    let sheet = "(role robot) (init (at 0))
        (<= (legal robot (go ?x)) (way ?x) (true (at 0))) (way 1) (way 2)
        (<= (next (at ?x)) (does robot (go ?x)))
        (<= terminal (true (at 7))) (<= (goal robot 30) (true (at 1))) (<= (goal robot 60) (true (at 2)))";
    let mut lanes = Lanes::new(network(&rules(sheet)));
    let start = lanes.initial().expect("a state");
    let tally = lanes
        .playouts(std::slice::from_ref(&start), 2_000, &mut Rng::new(2), 50)
        .expect("playouts")
        .remove(0);
    assert_eq!(
        (tally.playouts, tally.stuck, tally.steps),
        (2_000, 2_000, 2_000)
    );
    assert_eq!(tally.scored[..], [2_000]);
    let mean = tally.mean(0).expect("goals");
    assert!((44.0..46.0).contains(&mean), "{mean}");
}

#[test]
#[allow(clippy::cast_precision_loss)] // sums far below 2^52
fn a_playout_policy_is_followed_with_probability_1_minus_epsilon() {
    let sheet = "(role left) (role right) (init (step 1)) (way a) (way b) (way c) (way d)
        (<= (legal ?r (go ?x)) (role ?r) (way ?x) (not (closed ?r ?x)))
        (closed right a)
        (<= (next (took ?r ?x)) (does ?r (go ?x))) (<= (next (step 2)) (true (step 1)))
        (<= terminal (true (step 2)))
        (<= (goal ?r 100) (true (took ?r c))) (<= (goal ?r 0) (role ?r) (not (true (took ?r c))))";
    let mut lanes = Lanes::new(network(&rules(sheet)));
    let start = lanes.initial().expect("a state");
    let mut policy = PlayoutPolicy {
        epsilon: 0.0,
        scores: vec![Vec::new(); 2],
        ..PlayoutPolicy::default()
    };
    for role in 0..2 {
        for (text, score) in [("(go a)", 3.0), ("(go b)", 1.0), ("(go c)", 2.0)] {
            let id = lanes.find_move(role, text);
            if let Some(id) = id {
                policy.scores[role].resize(8, 0.0);
                policy.scores[role][id.index()] = score;
            }
        }
    }
    let starts = std::slice::from_ref(&start);
    let GuidedResult {
        totals: tallies,
        histories,
    } = lanes
        .guided_playouts(&request(1_500, starts, &policy), &mut Rng::new(1))
        .expect("playouts");
    let history = &histories[0];
    // The role `left` plays its best move, the role `right` the second best, which is its best
    // legal one.
    assert_eq!(tallies[0].points[..], [0, 150_000]);
    let a = lanes.find_move(0, "(go a)").expect("a move");
    let c = lanes.find_move(1, "(go c)").expect("a move");
    assert_eq!(history.of(0, a).playouts, 1_500);
    assert_eq!(
        (history.of(1, c).playouts, history.of(1, c).points),
        (1_500, 150_000)
    );
    // A quarter of the moves are random, and a quarter of those of `left` are c.
    policy.epsilon = 0.25;
    let GuidedResult {
        totals: tallies,
        histories,
    } = lanes
        .guided_playouts(&request(20_000, starts, &policy), &mut Rng::new(1))
        .expect("playouts");
    let history = &histories[0];
    let share = tallies[0].points[0] as f64 / 2_000_000.0;
    assert!((0.056..0.069).contains(&share), "{share}");
    let all: u64 = history.moves[0].iter().map(|record| record.playouts).sum();
    assert_eq!(all, 20_000);
    // Guided playouts on an engine without lanes give the same shares.
    let mut single: Propnet<Differential> = Propnet::new(network(&rules(sheet)));
    let GuidedResult {
        totals: slow,
        histories: _,
    } = single
        .guided_playouts(&request(4_000, starts, &policy), &mut Rng::new(1))
        .expect("playouts");
    let share = slow[0].points[0] as f64 / 400_000.0;
    assert!((0.048..0.077).contains(&share), "{share}");
}

#[test]
#[allow(clippy::cast_precision_loss)] // sums far below 2^52
fn control_facts_that_do_not_recur_are_not_turns() {
    // The stages are a, b, c, b, c …: stage a never recurs, so stages must not count as turns.
    let sheet = "(role robot) (init (stage a)) (init (left 6))
        (then a b) (then b c) (then c b) (less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
        (<= (legal robot (go ?x)) (way ?x)) (way 1) (way 2) (way 3)
        (<= (next (stage ?y)) (true (stage ?x)) (then ?x ?y))
        (<= (next (left ?y)) (true (left ?x)) (less ?x ?y))
        (<= (next (went ?x)) (does robot (go ?x)))
        (<= terminal (true (left 0))) (<= terminal (true (went 3)))
        (<= (goal robot 100) (true (stage a))) (<= (goal robot 50) (not (true (stage a))))";
    let mut lanes = Lanes::new(network(&rules(sheet)));
    assert!(lanes.statistics().turns.is_empty());
    let start = lanes.initial().expect("a state");
    let tally = lanes
        .playouts(&[start], 2_000, &mut Rng::new(1), 50)
        .expect("playouts")
        .remove(0);
    assert_eq!(tally.playouts, 2_000);
    // Each step ends the game with probability 1/3; the sixth always does.
    let length = tally.steps as f64 / 2_000.0;
    assert!((2.6..2.9).contains(&length), "{length}");
}

#[test]
fn the_step_limit_takes_precedence_over_stuck_on_every_engine() {
    let sheet = "(role robot) (init (at 0))
        (<= (legal robot (go ?x)) (way ?x) (true (at 0))) (way 1) (way 2)
        (<= (next (at ?x)) (does robot (go ?x)))
        (<= terminal (true (at 7))) (<= (goal robot 30) (true (at 1)))";
    let mut lanes = Lanes::new(network(&rules(sheet)));
    let mut single: Propnet<Differential> = Propnet::new(network(&rules(sheet)));
    let start = [lanes.initial().expect("a state")];
    // First with a higher limit, so that the machine checks for lanes without a legal move.
    for limit in [9, 1] {
        let many = lanes
            .playouts(&start, 700, &mut Rng::new(1), limit)
            .expect("playouts");
        let one = single
            .playouts(&start, 700, &mut Rng::new(1), limit)
            .expect("playouts");
        let ends =
            |tally: &PlayoutTotals| (tally.playouts, tally.steps, tally.limited, tally.stuck);
        assert_eq!(ends(&many[0]), ends(&one[0]), "limit {limit}");
    }
}

/// Replays a record on another engine and asserts that every move is legal and that end and goals
/// match.
fn replay<R: Reasoner>(reasoner: &mut R, start: &R::State, record: &PlayoutRecord, limit: u32) {
    let roles = reasoner.roles().len();
    let mut state = start.clone();
    let mut legal = Vec::new();
    for joint_move in &record.moves {
        assert!(!reasoner.is_terminal(&state).unwrap());
        assert_eq!(joint_move.len(), roles);
        for (role, id) in joint_move.iter().enumerate() {
            reasoner.legal_moves(&state, role, &mut legal).unwrap();
            assert!(legal.contains(id), "role {role} cannot play {id:?}");
        }
        state = reasoner.next(&state, joint_move).unwrap();
    }
    assert_eq!(record.playout.steps as usize, record.moves.len());
    let is_over = reasoner.is_terminal(&state).unwrap();
    assert_eq!(is_over, record.playout.end == PlayoutEnd::Terminal);
    if record.playout.end == PlayoutEnd::Limit {
        assert_eq!(record.playout.steps, limit);
    }
    for (role, goal) in record.playout.goals.iter().enumerate() {
        assert_eq!(*goal, reasoner.goal(&state, role).unwrap());
    }
}

#[test]
#[allow(clippy::cast_precision_loss)] // sums far below 2^52
fn recorded_playouts_can_be_replayed() {
    for name in [
        "tic-tac-toe",
        "pursuit",
        "rock-paper-scissors",
        "hanoi-3",
        "connect-four",
        "checkers",
        "hex",
    ] {
        let mut lanes = Lanes::new(network(&shipped(name)));
        let mut single: Propnet<Differential> = Propnet::new(network(&shipped(name)));
        // The starts have different roles to move, and the last one is terminal.
        let mut starts = vec![lanes.initial().unwrap()];
        let record = &lanes
            .recorded_playouts(&starts, 1, &mut Rng::new(3), 12)
            .unwrap()[0][0];
        for joint_move in &record.moves {
            let next = single.next(&starts[starts.len() - 1], joint_move).unwrap();
            starts.push(next);
        }
        for limit in [12, 200] {
            let records = lanes
                .recorded_playouts(&starts, 40, &mut Rng::new(7), limit)
                .unwrap();
            let again = lanes
                .recorded_playouts(&starts, 40, &mut Rng::new(7), limit)
                .unwrap();
            assert_eq!(records, again, "the same rng give the same games");
            assert_eq!(records.len(), starts.len());
            for (start, records) in starts.iter().zip(&records) {
                assert_eq!(records.len(), 40);
                for record in records {
                    replay(&mut single, start, record, limit);
                }
            }
        }
        // More playouts than lanes, so that lanes are reused. Their mean length matches that of
        // playouts without records.
        let start = &starts[..1];
        let records = lanes
            .recorded_playouts(start, 1_200, &mut Rng::new(5), 200)
            .unwrap();
        assert_eq!(records[0].len(), 1_200);
        let tally = &lanes
            .playouts(start, 20_000, &mut Rng::new(6), 200)
            .unwrap()[0];
        let steps: u32 = records[0].iter().map(|record| record.playout.steps).sum();
        let (own, usual) = (f64::from(steps) / 1_200.0, tally.steps as f64 / 20_000.0);
        assert!(
            (own - usual).abs() < 0.1 * usual + 0.1,
            "{name}: {own} {usual}"
        );
    }
}

#[test]
fn lanes_that_restart_start_their_floods_anew() {
    let mut replayed = 0;
    for seed in 0..500 {
        let text = generate::sheet(seed);
        if !text.contains("(link ") {
            continue;
        }
        let Ok(rules) = Rules::from_text(&text) else {
            continue;
        };
        let game = CompiledGame::new(Arc::new(rules));
        let Ok(network) = game.network(&CompileLimits::default()) else {
            continue;
        };
        let mut lanes = Lanes::new(Arc::clone(&network));
        let mut single: Propnet<Differential> = Propnet::new(network);
        let mut starts = vec![lanes.initial().unwrap()];
        let record = &lanes
            .recorded_playouts(&starts, 1, &mut Rng::new(seed), 3)
            .unwrap()[0][0];
        for joint_move in &record.moves {
            let next = single.next(&starts[starts.len() - 1], joint_move).unwrap();
            starts.push(next);
        }
        // Each lane plays several times, from the initial state and from states in which floods are
        // under way.
        for starts in [&starts[..1], &starts[..]] {
            let each = 1_200 / starts.len() as u32;
            let records = lanes
                .recorded_playouts(starts, each, &mut Rng::new(seed), 6)
                .unwrap();
            for (start, records) in starts.iter().zip(&records) {
                for record in records {
                    replay(&mut single, start, record, 6);
                    replayed += record.moves.len();
                }
            }
        }
    }
    assert!(replayed > 50_000, "only {replayed} steps");
}

#[test]
fn a_record_ends_where_a_role_has_no_legal_move() {
    let sheet = "(role robot) (init (at 0))
        (<= (legal robot (go ?x)) (way ?x) (true (at 0))) (way 1) (way 2)
        (<= (next (at ?x)) (does robot (go ?x)))
        (<= terminal (true (at 7))) (<= (goal robot 30) (true (at 1)))";
    let mut lanes = Lanes::new(network(&rules(sheet)));
    let mut single: Propnet<Differential> = Propnet::new(network(&rules(sheet)));
    let start = [lanes.initial().unwrap()];
    for records in [
        lanes
            .recorded_playouts(&start, 700, &mut Rng::new(1), 9)
            .unwrap(),
        single
            .recorded_playouts(&start, 700, &mut Rng::new(1), 9)
            .unwrap(),
    ] {
        for record in &records[0] {
            assert_eq!(
                (record.moves.len(), record.playout.end),
                (1, PlayoutEnd::Stuck)
            );
        }
        let scored = |record: &&PlayoutRecord| record.playout.goals[0].value() == Some(30);
        let share = records[0].iter().filter(scored).count();
        assert!((250..450).contains(&share), "{share}");
    }
}

#[test]
#[allow(clippy::cast_precision_loss)] // sums far below 2^52
fn a_batch_of_starts_with_different_turns_equals_single_starts() {
    for name in ["connect-four", "chinese-checkers-3", "breakthrough-small"] {
        let mut lanes = Lanes::new(network(&shipped(name)));
        let mut single: Propnet<Differential> = Propnet::new(network(&shipped(name)));
        let mut starts = vec![lanes.initial().unwrap()];
        let record = &lanes
            .recorded_playouts(&starts, 1, &mut Rng::new(3), 5)
            .unwrap()[0][0];
        for joint_move in &record.moves {
            let next = single.next(&starts[starts.len() - 1], joint_move).unwrap();
            starts.push(next);
        }
        let policy = PlayoutPolicy {
            epsilon: 0.4,
            // All scores differ, because the order of ties may vary.
            scores: vec![(0..2_000u16).map(f32::from).collect(); lanes.roles().len()],
            ..PlayoutPolicy::default()
        };
        // More playouts than lanes, and no multiple of their number.
        let each = 700;
        let play = |lanes: &mut Lanes, starts: &[_], seed| {
            let random = lanes.playouts(starts, each, &mut Rng::new(seed), 300);
            let guided_request = GuidedRequest {
                limit: 300,
                ..request(each, starts, &policy)
            };
            let guided = lanes.guided_playouts(&guided_request, &mut Rng::new(seed));
            (random.unwrap(), guided.unwrap())
        };
        let (
            random,
            GuidedResult {
                totals: guided,
                histories,
            },
        ) = play(&mut lanes, &starts, 1);
        for (start, (random, guided)) in starts.iter().zip(random.iter().zip(&guided)) {
            let (alone, result) = play(&mut lanes, std::slice::from_ref(start), 2);
            let followed = result.totals;
            for (together, alone) in [(random, &alone[0]), (guided, &followed[0])] {
                assert_eq!(together.playouts, u64::from(each), "{name}");
                let count = f64::from(each);
                let mean = |tally: &PlayoutTotals| (tally.points[0] as f64 / count, count);
                let distance = standard_errors_between(mean(together), mean(alone), 50.0);
                assert!(distance < 5.0, "{name}: {together:?} {alone:?}");
                let steps = |tally: &PlayoutTotals| tally.steps as f64 / count;
                let (here, there) = (steps(together), steps(alone));
                assert!((here - there).abs() < 0.1 * there, "{name}: {here} {there}");
            }
        }
        // No playout ends within three steps, so each has exactly three.
        let short = lanes.playouts(&starts[..3], each, &mut Rng::new(4), 3);
        for tally in short.unwrap() {
            let each = u64::from(each);
            assert_eq!((tally.limited, tally.steps), (each, 3 * each), "{name}");
        }
        let records = lanes.recorded_playouts(&starts[..3], each, &mut Rng::new(4), 3);
        for record in records.unwrap().iter().flatten() {
            assert_eq!(
                (record.moves.len(), record.playout.end),
                (3, PlayoutEnd::Limit)
            );
        }
        // Each move counts once per playout: no count exceeds the number of playouts, and a noop
        // reaches it.
        let most = histories[0].moves.iter().flatten().map(|m| m.playouts);
        assert_eq!(
            most.max(),
            Some(u64::from(each) * starts.len() as u64),
            "{name}"
        );
    }
}
