//! Puzzles: solutions that are found, values that are proven, and lines that can be replayed.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_players::{GameEngine, PlayerSpec, Solution, SolutionProof, SolveError, solve};
use ludorum_reasoner::{MoveId, Reasoner};
use support::{net, net_of, never, play, player, rules, rules_from};

/// A time limit that no test reaches: simulation budgets end the searches.
const LONG: Duration = Duration::from_hours(1);

fn search(rules: &Arc<Rules>, spec: &str) -> Solution {
    let spec: PlayerSpec = spec.parse().unwrap();
    solve(rules, &spec, LONG, &Arc::default()).unwrap()
}

/// The goal value of a line, replayed on a network.
fn replay(rules: &Arc<Rules>, line: &[String]) -> u8 {
    let mut net = net_of(rules);
    let mut state = net.initial().unwrap();
    for text in line {
        assert!(
            !net.is_terminal(&state).unwrap(),
            "{text} comes after the end"
        );
        let id: MoveId = net.find_move(0, text).unwrap();
        state = net.next(&state, &[id]).unwrap();
    }
    assert!(
        net.is_terminal(&state).unwrap(),
        "the line ends before the game"
    );
    net.goal(&state, 0).unwrap().value().unwrap()
}

#[test]
fn small_shipped_puzzles_are_solved() {
    for name in [
        "hanoi-3",
        "hanoi-5",
        "hanoi-7",
        "buttons",
        "untwisty-corridor",
    ] {
        let rules = rules(name);
        let solution = search(&rules, "solo:simulations=3000000");
        assert!(solution.is_maximal(), "{name}: {solution:?}");
        assert_eq!(
            Some(replay(&rules, &solution.line)),
            solution.value,
            "{name}"
        );
    }
}

#[test]
fn lines_of_all_shipped_puzzles_give_the_reported_value() {
    for name in [
        "blocks-world",
        "eight-puzzle",
        "hamilton",
        "knights-tour",
        "lights-out",
        "pancakes",
        "peg-solitaire",
        "pocket-cube",
        "queens",
        "sudoku",
    ] {
        let rules = rules(name);
        let solution = search(&rules, "solo:simulations=100000");
        if let Some(value) = solution.value {
            assert_eq!(replay(&rules, &solution.line), value, "{name}");
        }
    }
}

#[test]
fn every_technique_finds_lines_that_can_be_played() {
    for uses in ["breadth", "depth", "tree", "nested"] {
        for name in ["hanoi-3", "buttons", "untwisty-corridor"] {
            let rules = rules(name);
            let solution = search(&rules, &format!("solo:uses={uses},simulations=300000"));
            assert!(solution.value.is_some(), "{name} by {uses}: {solution:?}");
            assert_eq!(
                Some(replay(&rules, &solution.line)),
                solution.value,
                "{name} by {uses}"
            );
        }
    }
}

/// Two lamps, three steps, and one switch is pressed in each step. By parity exactly one lamp is
/// off at the end.
fn lamps(goal: &str) -> Arc<Rules> {
    rules_from(&format!(
        "(role r) (init (on a)) (init (on b)) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
         (legal r (press a)) (legal r (press b))
         (<= (next (on ?x)) (true (on ?x)) (not (does r (press ?x))))
         (<= (next (on ?x)) (does r (press ?x)) (not (true (on ?x))))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= terminal (true (step 4))) {goal}"
    ))
}

#[test]
fn what_cannot_be_reached_is_proven_by_every_systematic_technique() {
    let rules = lamps(
        "(<= (goal r 100) (not (true (on a))) (not (true (on b))))
         (<= (goal r 40) (not (true (on a))) (true (on b)))
         (<= (goal r 30) (true (on a)) (not (true (on b))))
         (<= (goal r 0) (true (on a)) (true (on b)))",
    );
    for uses in ["all", "breadth", "depth", "tree"] {
        let solution = search(&rules, &format!("solo:uses={uses}"));
        assert_eq!(solution.value, Some(40), "{uses}");
        assert_eq!(solution.proof, SolutionProof::Exhausted, "{uses}");
        assert_eq!((solution.ceiling, solution.ceiling_known), (100, true));
    }
}

#[test]
fn a_puzzle_whose_highest_goal_is_below_100_is_solved_with_that_goal() {
    let rules = lamps("(<= (goal r 70) (not (true (on a)))) (<= (goal r 0) (true (on a)))");
    let solution = search(&rules, "solo");
    assert_eq!(solution.value, Some(70));
    assert_eq!(solution.proof, SolutionProof::Ceiling);
}

#[test]
fn independent_parts_are_solved_separately() {
    let rules = rules("lights-out");
    let solution = search(&rules, "solo:uses=factors,simulations=20000000");
    assert!(solution.is_maximal(), "{solution:?}");
    assert_eq!(replay(&rules, &solution.line), 100);
}

#[test]
fn the_same_seed_and_budget_give_the_same_line() {
    let rules = rules("peg-solitaire");
    let ask = |seed: u32| search(&rules, &format!("solo:simulations=60000,seed={seed}"));
    let (first, second) = (ask(3), ask(3));
    assert_eq!(first.line, second.line);
    assert_eq!(first.simulations, second.simulations);
    assert_eq!(Some(replay(&rules, &first.line)), first.value);
}

#[test]
fn every_kind_of_transposition_table_finds_a_line() {
    let rules = rules("hanoi-3");
    for table in ["zobrist", "nested", "off"] {
        let solution = search(
            &rules,
            &format!("solo:uses=tree,table={table},simulations=200000"),
        );
        assert!(solution.value.is_some(), "{table}");
    }
}

#[test]
fn threads_share_the_best_line() {
    let rules = rules("hanoi-5");
    for threads in [2, 7] {
        let solution = search(
            &rules,
            &format!("solo:threads={threads},simulations=3000000"),
        );
        assert!(solution.is_maximal(), "{threads}: {solution:?}");
    }
}

#[test]
fn a_search_continues_when_its_memory_limit_is_reached() {
    let rules = rules("peg-solitaire");
    let solution = search(&rules, "solo:memory=1,simulations=200000");
    assert!(solution.value.is_some());
}

#[test]
fn a_search_that_is_stopped_ends_at_once() {
    let rules = rules("peg-solitaire");
    let spec: PlayerSpec = "solo".parse().unwrap();
    let solution = solve(&rules, &spec, LONG, &Arc::new(AtomicBool::new(true))).unwrap();
    assert_eq!(solution.value, None);
    assert_eq!(solution.proof, SolutionProof::None);
}

#[test]
fn a_game_of_several_roles_is_not_accepted_as_a_puzzle() {
    let spec: PlayerSpec = "solo".parse().unwrap();
    let refused = solve(&rules("tic-tac-toe"), &spec, LONG, &Arc::default());
    assert!(matches!(refused, Err(SolveError::Roles(2))));
    let mcts: PlayerSpec = "mcts".parse().unwrap();
    let refused = solve(&rules("hanoi-3"), &mcts, LONG, &Arc::default());
    assert!(matches!(refused, Err(SolveError::Player(_))));
}

#[test]
fn every_engine_solves() {
    let rules = rules("hanoi-3");
    for engine in Engine::ALL {
        let solution = search(
            &rules,
            &format!("solo:engine={},simulations=100000", engine.name()),
        );
        assert!(solution.is_maximal(), "{}: {solution:?}", engine.name());
    }
}

#[test]
fn the_player_searches_once_and_plays_its_line_to_the_end() {
    let net = net("hanoi-3");
    assert_eq!(play(&net, &["solo:simulations=100000".to_owned()]), [100]);
    let mut solo = player("solo:simulations=100000", &net, 0);
    let first = solo.play(never()).unwrap();
    assert!(first.report.proven);
    solo.apply_joint_move(&[first.text]).unwrap();
    let second = solo.play(never()).unwrap();
    assert!(second.report.proven || second.report.forced);
    assert_eq!(second.report.simulations, first.report.simulations);
}

#[test]
fn the_player_searches_again_after_a_move_off_its_line() {
    let net = net("hanoi-3");
    let mut solo = player("solo:simulations=50000", &net, 0);
    let first = solo.play(never()).unwrap();
    let mut game = net.fork();
    let mut legal = Vec::new();
    let state = game.initial().unwrap();
    game.legal_moves(&state, 0, &mut legal).unwrap();
    let mut texts = legal.iter().map(|id| game.move_text(0, *id));
    let other = texts.find(|text| *text != first.text).unwrap();
    solo.apply_joint_move(&[other]).unwrap();
    let second = solo.play(never()).unwrap();
    assert!(!second.text.is_empty());
}

/// Four steps to the left or to the right. The first step determines the best goal that is still
/// possible, and exactly one line reaches it.
const FORK: &str = "(role r) (init (at 0)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (legal r left) (legal r right)
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
    (<= (next (went ?x ?m)) (true (step ?x)) (does r ?m))
    (<= (next (went ?x ?m)) (true (went ?x ?m)))
    (<= terminal (true (step 4)))
    (<= (goal r 90) (true (went 0 left)) (true (went 1 right)) (true (went 2 left)) (true (went 3 right)))
    (<= (goal r 80) (true (went 0 right)) (true (went 1 left)) (true (went 2 left)) (true (went 3 right)))
    (<= (goal r 10) (not fine))
    (<= fine (true (went 0 left)) (true (went 1 right)) (true (went 2 left)) (true (went 3 right)))
    (<= fine (true (went 0 right)) (true (went 1 left)) (true (went 2 left)) (true (went 3 right)))
    (<= (goal r 100) (true (went 0 left)) (true (went 0 right)))";

#[test]
fn after_a_suboptimal_move_every_technique_finds_the_best_continuation() {
    let net = net_of(&rules_from(FORK));
    for uses in ["all", "breadth", "depth", "tree"] {
        let mut solo = player(&format!("solo:uses={uses}"), &net, 0);
        let first = solo.play(never()).unwrap();
        assert_eq!(first.text, "left", "{uses}");
        let mut moves = vec!["right".to_owned()];
        solo.apply_joint_move(&moves).unwrap();
        for _ in 1..4 {
            let answer = solo.play(never()).unwrap();
            assert!(answer.report.proven, "{uses}: {:?}", answer.report);
            solo.apply_joint_move(std::slice::from_ref(&answer.text))
                .unwrap();
            moves.push(answer.text);
        }
        assert_eq!(moves, ["right", "left", "left", "right"], "{uses}");
    }
}

#[test]
fn a_puzzle_with_a_terminal_initial_state_is_solved_in_no_moves_by_every_technique() {
    let rules = rules_from("(role r) (init a) (legal r go) (<= terminal (true a)) (goal r 60)");
    for uses in ["all", "breadth", "depth", "tree", "nested"] {
        let solution = search(&rules, &format!("solo:uses={uses}"));
        assert_eq!(solution.value, Some(60), "{uses}");
        assert!(solution.line.is_empty() && solution.is_proven(), "{uses}");
    }
}

#[test]
fn one_playout_is_enough_for_a_line() {
    let rules = rules("peg-solitaire");
    let solution = search(&rules, "solo:simulations=1");
    assert_eq!(solution.simulations, 1);
    assert_eq!(Some(replay(&rules, &solution.line)), solution.value);
}

#[test]
fn without_time_there_is_no_line_and_no_error() {
    let rules = rules("peg-solitaire");
    for engine in Engine::ALL {
        let spec: PlayerSpec = format!("solo:engine={}", engine.name()).parse().unwrap();
        let solution = solve(&rules, &spec, Duration::ZERO, &Arc::default()).unwrap();
        assert_eq!(solution.value, None, "{}", engine.name());
        assert_eq!(solution.proof, SolutionProof::None);
    }
}

/// Rules with more legal moves than any engine can ground.
fn endless() -> Arc<Rules> {
    let numbers: Vec<String> = (0..60).map(|n| format!("(d {n})")).collect();
    let numbers = numbers.join(" ");
    rules_from(&format!(
        "(role x) {numbers} (init (s 0)) (<= (next (s 1)) (does x (m ?a ?b ?c ?d ?e ?f))) (<= terminal (true (s 1))) (goal x 100)
         (<= (legal x (m ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))"
    ))
}

#[test]
fn the_clock_includes_building_the_engine() {
    let rules = endless();
    for engine in ["propnet", "lanes", "propnet:propagation=forward,cache=16"] {
        let spec: PlayerSpec = format!("solo:engine={engine}").parse().unwrap();
        for (time, stop) in [(Duration::ZERO, false), (LONG, true)] {
            let stop = Arc::new(AtomicBool::new(stop));
            let solution = solve(&rules, &spec, time, &stop).unwrap();
            assert_eq!(solution.value, None, "{engine}");
            let trouble = solution.trouble.unwrap();
            assert!(trouble.contains(engine), "{trouble}");
            let end = if time.is_zero() {
                "not ready in that time"
            } else {
                "not ready when it was stopped"
            };
            assert!(trouble.contains(end), "{trouble}");
        }
    }
}

#[test]
fn short_clocks_add_up_to_a_solution() {
    let rules = rules("lights-out");
    // Less than half of the simulations that the tables of all parts take, and few moves to spare.
    let spec = "solo:uses=factors,simulations=700000";
    assert_eq!(search(&rules, spec).value, None);
    let game_engine = GameEngine::new(&rules, Engine::PROPNET).unwrap();
    let mut walker = game_engine.walker().unwrap();
    let mut solo = game_engine.player(&spec.parse().unwrap(), 0).unwrap();
    while !walker.is_terminal().unwrap() {
        let joint_move = [solo.play(never()).unwrap().text];
        walker.step(&joint_move).unwrap();
        solo.apply_joint_move(&joint_move).unwrap();
    }
    assert_eq!(walker.goal(0).unwrap().value(), Some(100));
}
