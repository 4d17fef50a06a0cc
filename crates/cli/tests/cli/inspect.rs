//! `ludorum inspect`.

use crate::{run, run_with_input};

#[test]
fn the_stage_must_be_named_and_known() {
    assert_eq!(run(&["inspect", "tic-tac-toe"]).code, Some(2));
    let run = run(&["inspect", "tic-tac-toe", "--stage", "rulez"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("rules"), "{}", run.stderr);
}

#[test]
fn a_broken_sheet_is_not_inspected() {
    let run = run_with_input(&["inspect", "-", "--stage", "rules"], "(role white");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("error[E001]"), "{}", run.stderr);
}

#[test]
fn an_unknown_game_is_bad_input() {
    let run = run(&["inspect", "tictactoe", "--stage", "rules"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("did you mean"), "{}", run.stderr);
}
