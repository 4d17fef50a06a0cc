//! `ludorum duel`, as a process. Clocks are long and simulations few, so that the results do not
//! depend on the machine.

use serde_json::Value;

use crate::{Folder, run, run_with_input};

fn duel(args: &[&str]) -> Value {
    let run = run(&[&["duel"], args, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "", "no progress bar in a pipe");
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn json_has_the_score_and_the_matches_behind_it() {
    let args = ["--a", "minimax", "--b", "random", "--games", "10"];
    let report = duel(&[&["tic-tac-toe"], &args[..], &["--seconds", "60"]].concat());
    let number = |key: &str| report[key].as_f64().unwrap_or(f64::NAN);
    assert_eq!(report["game"], "tic-tac-toe");
    assert_eq!(report["games"], 10);
    assert_eq!(report["losses"], 0);
    let score = 10.0 * number("wins") + 5.0 * number("draws");
    assert!((number("score") - score).abs() < 1e-9, "{report}");
    for key in ["interval", "wilson"] {
        let (low, high) = (&report[key][0], &report[key][1]);
        assert!(
            low.as_f64() <= Some(score) && Some(score) <= high.as_f64(),
            "{key}"
        );
    }
    assert_eq!(report["a"]["spec"], "minimax");
    assert_eq!(report["roles"][1], "oplayer");
    assert_eq!(report["matches"].as_array().map(Vec::len), Some(10));
    for side in ["a", "b"] {
        for key in ["late", "illegal", "errors", "blind"] {
            assert_eq!(report[side][key], 0, "{side} {key}");
        }
        assert!(report[side]["goal"]["mean"].is_number());
    }
}

#[test]
fn an_engine_is_for_players_that_do_not_name_theirs() {
    let players = ["--a", "random", "--b", "random:engine=orand"];
    let report = duel(&[&["nim", "--engine", "prover", "--games", "2"], &players[..]].concat());
    assert_eq!(report["a"]["spec"], "random:engine=prover");
    assert_eq!(report["b"]["spec"], "random:engine=orand");
    let run = run(&[&["duel", "nim", "--engine", "warp"], &players[..]].concat());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("there are prover"), "{}", run.stderr);
}

#[test]
fn the_table_has_the_score_and_both_players() {
    let run = run(&[
        "duel", "nim", "-a", "random", "-b", "legal", "--games", "3", "--seed", "7",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for part in [
        "nim, 4 games at 1 s a move",
        "A  random\nB  legal\n",
        "score ",
        "(Student)",
        "(Wilson)",
        "sims/s",
        "steps a game",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let play = |seed: &str, parallel: &str| {
        let args = ["--a", "random", "--b", "one-ply", "--games", "8"];
        let more = ["--seed", seed, "--parallel", parallel];
        duel(&[&["connect-four"], &args[..], &more].concat())["matches"].clone()
    };
    assert_eq!(play("3", "1"), play("3", "2"));
    assert_ne!(play("3", "1"), play("4", "1"));
}

#[test]
fn a_sequential_test_ends_early_and_its_result_is_the_exit_code() {
    let args = ["tic-tac-toe", "--games", "5000", "--sprt-score", "50,60"];
    let good = run(&[&["duel"], &args[..], &["-a", "minimax", "-b", "random"]].concat());
    assert_eq!(good.code, Some(0), "{}", good.stderr);
    assert!(good.stdout.contains("test: A is better"), "{}", good.stdout);
    let bad = run(&[&["duel"], &args[..], &["-a", "random", "-b", "minimax"]].concat());
    assert_eq!(bad.code, Some(1), "{}", bad.stderr);
    assert!(bad.stdout.contains("A is not better"), "{}", bad.stdout);
    let few = ["duel", "nim", "--games", "2", "--sprt-score", "50,60"];
    let open = run(&[&few[..], &["-a", "random", "-b", "random"]].concat());
    assert_eq!(open.code, Some(1), "{}", open.stderr);
    assert!(open.stdout.contains("test: undecided"), "{}", open.stdout);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_so_far() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};

    let mut duel = Command::new(assert_cmd::cargo::cargo_bin!("ludorum"))
        .args(["duel", "tic-tac-toe", "-a", "random", "-b", "legal"])
        .args(["--games", "100000000", "--json"])
        .env("LUDORUM_LOG", "debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut told = BufReader::new(duel.stderr.take().expect("piped")).lines();
    let first = told.find(|line| line.as_ref().is_ok_and(|line| line.contains("game 2")));
    assert!(first.is_some(), "no game was played");
    let rest = std::thread::spawn(move || told.count());
    let killed = Command::new("kill")
        .args(["-INT", &duel.id().to_string()])
        .status();
    assert!(killed.is_ok_and(|status| status.success()));
    let mut text = String::new();
    let mut stdout = duel.stdout.take().expect("piped");
    stdout.read_to_string(&mut text).expect("text");
    assert_eq!(duel.wait().expect("it ends").code(), Some(130));
    rest.join().expect("standard error is read to its end");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["interrupted"], true);
    assert!(report["games"].as_u64() >= Some(2), "{}", report["games"]);
}

#[test]
fn own_sheets_are_played_and_endless_games_are_cut() {
    let sheet = "(role white) (role black) (init (on 1)) (legal white wait) (legal black wait)
        (<= (next ?f) (true ?f)) (<= terminal (true (on 2))) (<= (next (on 2)) (true (on 3)))
        (goal white 100) (goal black 0)";
    let folder = Folder::new(&[("endless.kif", sheet)]);
    let path = folder.path("endless.kif");
    let args = [
        "--a", "random", "--b", "legal", "--games", "2", "--limit", "5",
    ];
    let report = duel(&[&[&*path], &args[..]].concat());
    assert_eq!(report["draws"], 2);
    assert_eq!(report["unfinished"], 2);
    assert_eq!(report["matches"][0]["end"], "cut");
}

#[test]
fn wrong_arguments_are_refused() {
    for (args, part) in [
        (&["nim", "--a", "mcts"][..], "--b"),
        (
            &["nim", "--a", "deepblue", "--b", "mcts"],
            "there are random",
        ),
        (
            &["nim", "--a", "mcts:c=x", "--b", "mcts"],
            "`c` is a number",
        ),
        (
            &["nim", "--a", "mcts", "--b", "mcs", "--games", "0"],
            "--games",
        ),
        (
            &["nim", "--a", "mcts", "--b", "mcs", "--seconds", "1e9"],
            "--seconds",
        ),
        (
            &["nim", "--a", "mcts", "--b", "mcs", "--seconds", "-1"],
            "from 0 to",
        ),
        (&["nim", "--a", "mcts", "--b", "mcs", "--sprt", "5"], "0,30"),
        (
            &["nim", "--a", "mcts", "--b", "mcs", "--sprt", "9,5"],
            "above the first",
        ),
        (&["nosuchgame", "--a", "mcts", "--b", "mcs"], "nosuchgame"),
    ] {
        let run = run(&[&["duel"], args].concat());
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
    }
    let broken = run_with_input(&["duel", "-", "-a", "random", "-b", "legal"], "(role white");
    assert_eq!(broken.code, Some(2));
    assert!(broken.stderr.contains("error[E001]"), "{}", broken.stderr);
}
