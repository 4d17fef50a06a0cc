//! The example programs run and print what they promise.

use std::path::PathBuf;
use std::process::Command;

/// Runs an example and returns what it prints.
///
/// `cargo test` builds the examples beside the tests. Where only this test was built, cargo builds
/// the example first.
fn run(name: &str, arguments: &[&str]) -> String {
    let test = std::env::current_exe().expect("the path of the test");
    let folder = test
        .parent()
        .and_then(|deps| deps.parent())
        .expect("a target folder");
    let program: PathBuf = folder.join("examples").join(name);
    let mut command = if program.exists() {
        Command::new(program)
    } else {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "run",
            "--quiet",
            "--package",
            "ludorum",
            "--example",
            name,
            "--",
        ]);
        cargo
    };
    let output = command
        .args(arguments)
        .output()
        .expect("the example starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn random_playouts_prints_the_mean_goal_of_each_role() {
    let text = run("random_playouts", &["tic-tac-toe", "2000"]);
    assert!(text.contains("2000 playouts"), "{text}");
    assert!(
        text.contains("xplayer") && text.contains("oplayer"),
        "{text}"
    );
}

#[test]
fn best_move_prints_a_move_and_a_line_for_each_candidate() {
    let text = run("best_move", &["tic-tac-toe", "1"]);
    assert!(text.starts_with("xplayer plays (mark "), "{text}");
    assert_eq!(text.matches(" visits ").count(), 9, "{text}");
}

#[test]
fn two_players_prints_moves_and_goals() {
    let text = run("two_players", &["tic-tac-toe", "one-ply", "random"]);
    assert!(text.contains("xplayer (one-ply): "), "{text}");
    assert!(text.contains("(mark "), "{text}");
}

#[test]
fn solve_puzzle_prints_a_line_that_the_engine_confirms() {
    let text = run("solve_puzzle", &["hanoi-3"]);
    assert!(text.starts_with("100 points in 7 moves"), "{text}");
    assert!(text.ends_with("the engine gives Some(100)\n"), "{text}");
}

#[test]
fn draw_state_writes_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("state.svg");
    run(
        "draw_state",
        &["reversi", "5", file.to_str().expect("a path")],
    );
    let svg = std::fs::read_to_string(file).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"), "{svg}");
}

#[test]
fn count_states_counts_the_states_of_rules_of_ones_own() {
    let text = run("count_states", &[]);
    assert!(text.contains("depth 0: 1 new states"), "{text}");
    assert!(text.ends_with("25 states in all\n"), "{text}");
}
