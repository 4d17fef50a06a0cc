//! `ludorum perft`, as a process.

use serde_json::Value;

use crate::{run, run_with_input};

#[test]
fn paths_are_counted_by_depth() {
    let run = run(&["perft", "tic-tac-toe", "3"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let paths: Vec<&str> = run
        .stdout
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(paths, ["1", "9", "72", "504"]);
}

#[test]
fn divide_shows_the_first_moves() {
    let run = run(&["perft", "tic-tac-toe", "2", "--divide"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("8  (mark 1 1)  noop"), "{}", run.stdout);
}

#[test]
fn json_holds_counts_and_branches() {
    let run = run(&["perft", "nim", "2", "--divide", "--hash", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["game"], "nim");
    assert_eq!(report["engine"], "auto");
    assert_eq!(report["complete"], true);
    assert_eq!(report["depths"][1]["paths"], 24);
    assert_eq!(report["divided"].as_array().map(Vec::len), Some(24));
}

#[test]
fn running_out_of_time_is_reported() {
    let run = run(&["perft", "chess", "9", "--seconds", "0.2"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("out of time"), "{}", run.stdout);
}

#[test]
fn a_broken_sheet_is_not_counted() {
    let run = run_with_input(&["perft", "-", "2"], "(role white");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("error[E001]"), "{}", run.stderr);
}

#[test]
fn wrong_arguments_are_refused() {
    assert_eq!(run(&["perft", "nim"]).code, Some(2));
    assert_eq!(run(&["perft", "nim", "deep"]).code, Some(2));
    let engine = run(&["perft", "nim", "1", "--engine", "quantum"]);
    assert_eq!(engine.code, Some(2));
    assert!(
        engine.stderr.contains("there are prover"),
        "{}",
        engine.stderr
    );
}
