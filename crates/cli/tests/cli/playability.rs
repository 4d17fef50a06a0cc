//! The random games of `ludorum check`.

use serde_json::Value;

use crate::{Folder, run, run_with_input};

/// Black has no legal move after two steps of White.
const STUCK: &str = "\
(role white)
(role black)
(init (at 0))
(succ 0 1)
(succ 1 2)
(succ 2 3)
(<= (legal white (go ?x)) (true (at ?y)) (succ ?y ?x))
(<= (legal black noop) (true (at ?x)) (distinct ?x 2))
(<= (next (at ?x)) (does white (go ?x)))
(<= terminal (true (at 3)))
(goal white 100)
(goal black 0)
";

/// `STUCK` without its fault, with other goal rules.
fn walk(goals: &str) -> String {
    let sheet = STUCK.replace("(distinct ?x 2)", "(distinct ?x 3)");
    sheet.replace("(goal white 100)\n(goal black 0)\n", goals)
}

#[test]
fn a_role_without_a_legal_move_is_an_error_with_the_moves_that_lead_there() {
    let run = run_with_input(&["check", "-"], STUCK);
    assert_eq!(run.code, Some(1));
    for part in [
        "error[E201]",
        "`black` has no legal move",
        "after 2 steps:\n    1. white (go 1), black noop\n    2. white (go 2), black noop\n",
        "to the state:\n    (at 2)\n",
        "<stdin>: 1 error (10 playouts)",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
}

#[test]
fn each_role_needs_exactly_one_goal_value_at_the_end() {
    let code_of = |goals: &str| {
        let run = run_with_input(&["check", "--json", "-"], walk(goals));
        let reports: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let found = reports[0]["diagnostics"].as_array().expect("an array");
        let codes = found.iter().map(|d| d["code"].as_str().unwrap_or_default());
        let codes: Vec<&str> = codes.filter(|code| code[1..].starts_with('2')).collect();
        codes.join(" ")
    };
    assert_eq!(code_of("(goal white 100)(goal black 0)"), "");
    assert_eq!(
        code_of("(goal white 1)(<= (goal black 1) (true (at 1)))"),
        "E202"
    );
    assert_eq!(
        code_of("(goal white 1)(goal black 1)(<= (goal black 2) (true (at 3)))"),
        "E203"
    );
    assert_eq!(
        code_of("(goal white 1)(goal black 1)(<= (goal black 2) (true (at 1)))"),
        "W202"
    );
    assert_eq!(
        code_of("(goal white 1)(<= (goal black ?n) (value ?n))(value 101)"),
        "E204"
    );
}

#[test]
fn a_terminal_initial_state_is_a_warning() {
    let sheet = walk("(goal white 1)(goal black 0)").replace("(true (at 3))", "(true (at 0))");
    let run = run_with_input(&["check", "-"], sheet.as_str());
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("warning[W201]"), "{}", run.stdout);
    assert!(
        run.stdout.contains("in the initial state:"),
        "{}",
        run.stdout
    );
    let strict = run_with_input(&["check", "--strict", "-"], sheet);
    assert_eq!(strict.code, Some(1));
}

#[test]
fn a_game_that_does_not_end_is_a_warning() {
    let sheet = walk("(goal white 1)(goal black 0)") + "(legal white (go 0))\n";
    let long = run_with_input(
        &["check", "--steps", "3", "--play", "20", "-"],
        sheet.as_str(),
    );
    assert_eq!(long.code, Some(0), "{}", long.stdout);
    assert!(long.stdout.contains("warning[W203]"), "{}", long.stdout);
    assert!(
        long.stdout.contains("did not end within 3 steps"),
        "{}",
        long.stdout
    );
    let short = run_with_input(&["check", "--play", "20", "-"], sheet);
    assert!(!short.stdout.contains("W203"), "{}", short.stdout);
}

#[test]
fn json_has_the_moves_and_the_state() {
    let run = run_with_input(&["check", "--json", "-"], STUCK);
    let reports: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let report = &reports[0];
    assert_eq!(report["ok"], false);
    assert_eq!(report["playouts"]["made"], 10);
    let problem = &report["diagnostics"][0];
    assert_eq!(problem["code"], "E201");
    let moves = serde_json::json!([["(go 1)", "noop"], ["(go 2)", "noop"]]);
    assert_eq!(problem["moves"], moves);
    assert_eq!(problem["state"], serde_json::json!(["(at 2)"]));
    assert_eq!(problem["labels"], serde_json::json!([]));
}

#[test]
fn only_a_single_sheet_is_played_by_default() {
    let folder = Folder::new(&[("stuck.kif", STUCK)]);
    let (path, whole) = (folder.path("stuck.kif"), folder.path(""));
    assert_eq!(run(&["check", &path]).code, Some(1));
    assert_eq!(run(&["check", "--no-play", &path]).code, Some(0));
    assert_eq!(run(&["check", "--play", "0", &path]).code, Some(0));
    assert_eq!(run(&["check", &whole]).code, Some(0));
    assert_eq!(run(&["check", &path, "nim"]).code, Some(0));
    assert_eq!(run(&["check", "--play", "2", &whole]).code, Some(1));
}

#[test]
fn a_sheet_with_errors_is_not_played() {
    let run = run_with_input(&["check", "--play", "5", "-"], "(role white");
    assert_eq!(run.code, Some(1));
    assert!(!run.stdout.contains("playout"), "{}", run.stdout);
}

#[test]
fn the_codes_of_random_games_are_explained() {
    for code in [
        "E201", "E202", "E203", "E204", "W201", "W202", "W203", "W204",
    ] {
        let run = run(&["check", "--explain", code]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.starts_with(code), "{}", run.stdout);
    }
}

#[test]
fn all_shipped_games_can_be_played() {
    // The prover needs ten times longer for a game of these than for one of the others.
    let slow = ["chess", "gomoku", "lines-of-action", "reversi"];
    let (slow, fast): (Vec<&str>, Vec<&str>) = ludorum_games::all()
        .iter()
        .map(|game| game.name)
        .partition(|name| slow.contains(name));
    assert_eq!(slow.len(), 4);
    for (games, playouts) in [(slow, "2"), (fast, "20")] {
        let mut args = vec!["check", "--strict", "--quiet", "--play", playouts];
        args.extend(["--seconds", "600"]);
        args.extend(games);
        let run = run(&args);
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        let all = format!(": fine ({playouts} playouts)");
        let sheets = run.stdout.lines().filter(|line| line.ends_with(&all));
        assert_eq!(
            sheets.count() + 1,
            run.stdout.lines().count(),
            "{}",
            run.stdout
        );
    }
}
