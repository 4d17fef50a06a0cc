//! `ludorum analyse`, as a process.

use serde_json::Value;

use crate::{Folder, run};

/// More time than any search here needs: each ends when everything is proven.
const LONG: [&str; 2] = ["--seconds", "100"];

fn analyse(args: &[&str]) -> Value {
    let run = run(&[&["analyse"], args, &LONG, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn a_winning_move_is_found_and_proven() {
    let moves = "mark 1 1; mark 2 1; mark 2 2; mark 1 2";
    let report = analyse(&["tic-tac-toe", "--moves", moves]);
    assert_eq!(report["moves"][0]["text"], "(mark 3 3)");
    assert_eq!(report["moves"][0]["bounds"][0], 100);
    assert_eq!(report["proven"], true);
    assert_eq!(report["role"], "xplayer");
    assert_eq!(report["played"][1][1], "(mark 2 1)");
    assert_eq!(report["line"][0][0], "(mark 3 3)");
    assert_eq!(report["values"][0], 100.0);
    for key in [
        "simulations",
        "seconds",
        "simulations_per_second",
        "depth",
        "nodes",
        "bytes",
    ] {
        assert!(report[key].is_number(), "{key}");
    }
    assert!(
        report["engine"]
            .as_str()
            .is_some_and(|name| name.starts_with("auto"))
    );
}

#[test]
fn the_output_has_the_board_the_moves_and_the_engine() {
    let args = [
        "analyse",
        "tic-tac-toe",
        "--player",
        "mcts:simulations=200",
        "--engine",
        "propnet",
    ];
    let run = run(&[&args[..], &LONG, &["--top", "2"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for part in [
        "tic-tac-toe at the start: xplayer to move",
        "control  xplayer",
        "move      value    share        visits  proven      then\nmark ",
        "and 7 more",
        "expects  xplayer ",
        "line     mark ",
        " a second\n",
        "tree     depth ",
        "engine   propnet\n",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "no redrawing in a pipe");
    assert_eq!(
        run.stdout.matches("tree ").count(),
        1,
        "the report is printed once"
    );
}

#[test]
fn simultaneous_moves_are_separated_by_a_bar() {
    let args = ["rock-paper-scissors", "--player", "mcs:simulations=50"];
    let report = analyse(&[&args[..], &["--moves", "rock | paper"]].concat());
    let played = report["played"][0].to_string();
    assert!(
        played.contains("rock") && played.contains("paper"),
        "{played}"
    );
}

#[test]
fn the_moves_of_any_role_can_be_compared() {
    let args = [
        "tic-tac-toe",
        "--player",
        "mcts:simulations=50",
        "--role",
        "o",
    ];
    assert_eq!(analyse(&args)["role"], "oplayer");
}

#[test]
fn players_without_a_search_report_have_no_moves_to_compare() {
    let report = analyse(&["nim", "--player", "minimax"]);
    assert_eq!(report["moves"][0]["text"], "(take d 8)");
    assert_eq!(report["proven"], true);
    let random = run(&[&["analyse", "nim", "--player", "random"], &LONG[..]].concat());
    assert_eq!(random.code, Some(0), "{}", random.stderr);
    assert!(
        random.stdout.contains("No moves were compared"),
        "{}",
        random.stdout
    );
}

#[test]
fn illegal_moves_are_refused_with_advice() {
    for (moves, part) in [
        (
            "mark 1 1; mark 1 1",
            "step 2: no legal move matches `mark 1 1`",
        ),
        ("mark 1 1; mark 1", "step 2: 2 legal moves match `mark 1`"),
        ("mark 1 1 | noop | noop", "step 1: "),
    ] {
        let run = run(&["analyse", "tic-tac-toe", "--moves", moves]);
        assert_eq!(run.code, Some(2), "{moves}");
        assert!(run.stderr.contains(part), "{moves}: {}", run.stderr);
        assert!(run.stderr.contains("help: "), "{moves}: {}", run.stderr);
    }
}

#[test]
fn a_terminal_state_cannot_be_analysed() {
    let sheet = "(role white) (legal white wait) terminal (goal white 100)";
    let folder = Folder::new(&[("over.kif", sheet)]);
    let run = run(&["analyse", &folder.path("over.kif")]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("the game is over"), "{}", run.stderr);
}

#[test]
fn wrong_arguments_are_refused() {
    for (args, part) in [
        (&["nim", "--player", "deepblue"][..], "there are random"),
        (&["nim", "--role", "third"], "the roles are first, second"),
        (&["nim", "--seconds", "soon"], "--seconds"),
        (&["nosuchgame"], "nosuchgame"),
    ] {
        let run = run(&[&["analyse"], args].concat());
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn the_use_of_strategies_over_a_match_is_reported() {
    let folder = Folder::new(&[]);
    let plot = folder.path("usage.svg");
    let args = [
        "analyse",
        "tic-tac-toe",
        "--match",
        "--player",
        "mini:simulations=60,engine=propnet",
        "--plot",
        &plot,
    ];
    let told = run(&[&args[..], &LONG].concat());
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    for part in [
        "strategies of xplayer",
        "random  ",
        "history  ",
        "goal  ",
        "the match ended",
    ] {
        assert!(told.stdout.contains(part), "{part:?} in\n{}", told.stdout);
    }
    let picture = folder.read("usage.svg");
    assert!(picture.contains("<svg") && picture.contains("exploration"));
    let usage = analyse(&args[1..5]);
    let strategies = usage["strategies"].as_array().expect("strategies");
    assert!(strategies.iter().any(|name| name == "mobility"));
    let steps = usage["steps"].as_array().expect("steps");
    assert!(steps.len() >= 3, "{usage}");
    let shares = steps[0]["shares"].as_array().expect("shares");
    let sum: f64 = shares.iter().filter_map(Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{usage}");
    assert_eq!(usage["is_over"], true);
}

#[test]
fn a_player_without_strategies_is_refused() {
    let args = ["analyse", "nim", "--match", "--player", "mcs:simulations=5"];
    let run = run(&[&args[..], &LONG].concat());
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("follows no strategies"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_role_without_any_choice_is_refused_with_the_roles_that_had_one() {
    let sheet = "(role chooser) (role watcher) (init (at 0))
        (legal chooser left) (legal chooser right) (legal watcher wait)
        (<= (next (at 1)) (does chooser ?m)) (<= terminal (true (at 1)))
        (goal chooser 50) (goal watcher 50)";
    let args = ["analyse", "-", "--match", "--role", "watcher"];
    let player = ["--player", "mini:simulations=20"];
    let run = crate::run_with_input(&[&args[..], &player, &LONG].concat(), sheet);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("`watcher` never had a choice"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("chooser"), "{}", run.stderr);
}
