//! `ludorum solve`, as a process.

use serde_json::Value;

use crate::{run, run_with_input};

#[test]
fn the_solution_is_printed_move_by_move() {
    let run = run(&["solve", "hanoi-3", "--seconds", "600"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("1  ("), "{}", run.stdout);
    assert!(run.stdout.contains("solved: 100 points in 7 moves"));
    assert!(run.stdout.contains("found by"));
}

#[test]
fn json_has_the_solution_and_its_proof() {
    let run = run(&[
        "solve",
        "hanoi-3",
        "--seconds",
        "600",
        "--threads",
        "2",
        "--json",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["game"], "hanoi-3");
    assert_eq!(report["player"], "solo:threads=2");
    assert_eq!(report["value"], 100);
    assert_eq!(report["ceiling"], 100);
    assert_eq!(report["proof"], "ceiling");
    // With two threads, a line that is not the shortest may be found first.
    assert!(
        report["line"]
            .as_array()
            .is_some_and(|line| line.len() >= 7)
    );
    assert!(report["method"].is_string() && report["seconds"].is_number());
}

/// A puzzle whose highest goal value cannot be reached.
const HALF: &str = "(role r) (init a) (legal r go) (legal r stay) (<= (next b) (does r go)) (<= (next c) (does r stay))
    (<= terminal (true b)) (<= terminal (true c))
    (<= (goal r 100) (true b) (true c)) (<= (goal r 50) (true b) (not (true c))) (<= (goal r 0) (not (true b)))";

#[test]
fn a_value_below_the_highest_of_the_rules_is_proven_optimal() {
    let run = run_with_input(&["solve", "-", "--seconds", "600"], HALF);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("no line is better"), "{}", run.stdout);
}

#[test]
fn a_line_without_a_proof_is_exit_code_1() {
    let player = "solo:uses=nested,simulations=2";
    let run = run(&["solve", "peg-solitaire", "--player", player]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("the best that was found"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_game_of_several_roles_is_refused_with_advice() {
    let run = run(&["solve", "tic-tac-toe"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("2 roles"), "{}", run.stderr);
    assert!(run.stderr.contains("ludorum analyse tic-tac-toe"));
    let other = crate::run(&["solve", "hanoi-3", "--player", "mcts"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("`solo`"), "{}", other.stderr);
}

#[test]
fn the_engine_can_be_chosen() {
    let args = ["solve", "hanoi-3", "--engine", "prover", "--json"];
    let run = run(&[&args[..], &["--seconds", "600"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let player = report["player"].as_str().unwrap_or_default();
    assert!(player.contains("engine=prover"), "{player}");
    assert_eq!(report.get("trouble"), None);
}

#[test]
fn an_engine_that_is_not_ready_in_time_is_reported() {
    let numbers: Vec<String> = (0..60).map(|n| format!("(d {n})")).collect();
    let sheet = format!(
        "(role x) {} (init (s 0)) (<= (next (s 1)) (does x (m ?a ?b ?c ?d ?e))) (<= terminal (true (s 1))) (goal x 100)
         (<= (legal x (m ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))",
        numbers.join(" ")
    );
    let args = ["solve", "-", "--engine", "lanes", "--seconds", "0.001"];
    let run = run_with_input(&args, sheet);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("`lanes` was not ready in that time"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("--engine auto"), "{}", run.stdout);
}
