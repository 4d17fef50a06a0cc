//! `ludorum perf`, called as the gdl-perf framework calls it.

use std::collections::BTreeMap;

use crate::{FINE, Folder, run};

/// The `key = value` lines of a result file.
fn result(folder: &Folder) -> BTreeMap<String, String> {
    let text = folder.read("result.txt");
    let line = |line: &str| {
        let (key, value) = line.split_once(" = ").expect("key = value");
        (key.to_owned(), value.to_owned())
    };
    text.lines().map(line).collect()
}

fn sheet(name: &str) -> String {
    let game = ludorum_games::find(name).expect("a shipped game");
    game.text.to_owned()
}

#[test]
fn counts_are_written_to_the_result_file() {
    for engine in ["auto", "prover", "propnet", "prover:cache=16"] {
        let folder = Folder::new(&[("game.kif", &sheet("tic-tac-toe")), ("result.txt", "old")]);
        let (game, file) = (folder.path("game.kif"), folder.path("result.txt"));
        let output = run(&["perf", "--engine", engine, &game, &file, "0.1"]);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        assert_eq!(output.stdout, "");
        let result = result(&folder);
        let number = |key: &str| result[key].parse::<u64>().expect("a number");
        assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(result.len(), 4);
        assert!(number("millisecondsTaken") >= 100);
        let (changes, rollouts) = (number("numStateChanges"), number("numRollouts"));
        assert!(rollouts >= 1 && (5 * rollouts..=9 * rollouts + 9).contains(&changes));
    }
}

#[test]
fn a_failure_is_reported_in_the_result_file_with_exit_code_0() {
    let endless = "(role r) (init (n z)) (legal r go) (<= (next (n (s ?x))) (true (n ?x)))
        (<= terminal (true (n done))) (<= (goal r 0) (role r))";
    let cases = [
        ("(role", "prover", "error"),
        (endless, "propnet", "nest"),
        (FINE, "auto", "not one state change"),
    ];
    for (text, engine, expected) in cases {
        let folder = Folder::new(&[("game.kif", text)]);
        let (game, file) = (folder.path("game.kif"), folder.path("result.txt"));
        let output = run(&["perf", "--engine", engine, &game, &file, "0.1"]);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        let result = result(&folder);
        assert_eq!(result.len(), 2, "{result:?}");
        assert!(result.contains_key("version"));
        let message = &result["errorMessage"];
        assert!(message.contains(expected), "{engine}: {message}");
    }
    let folder = Folder::new(&[]);
    let output = run(&[
        "perf",
        &folder.path("none.kif"),
        &folder.path("result.txt"),
        "1",
    ]);
    assert_eq!(output.code, Some(0));
    assert!(result(&folder)["errorMessage"].contains("none.kif"));
}

#[test]
fn wrong_arguments_are_reported_in_the_result_file() {
    for (engine, seconds, expected) in [
        ("warp", "1", "warp"),
        ("prover", "0", "above 0"),
        ("prover", "-1", "above 0"),
        ("prover", "soon", "soon"),
    ] {
        let folder = Folder::new(&[("game.kif", FINE), ("result.txt", "version = old")]);
        let (game, file) = (folder.path("game.kif"), folder.path("result.txt"));
        let output = run(&["perf", "--engine", engine, &game, &file, seconds]);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        let message = result(&folder)["errorMessage"].clone();
        assert!(message.contains(expected), "{engine} {seconds}: {message}");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let folder = Folder::new(&[("game.kif", &sheet("nim"))]);
    let output = run(&[
        "perf",
        &folder.path("game.kif"),
        "/no/such/folder/result",
        "0",
    ]);
    assert_eq!(output.code, Some(2));
    let output = run(&["perf", &folder.path("game.kif")]);
    assert_eq!(output.code, Some(2));
}

#[test]
fn the_sheet_is_never_overwritten() {
    let folder = Folder::new(&[("game.kif", FINE), ("sub/other", "")]);
    let game = folder.path("game.kif");
    let mut names = vec![game.clone(), folder.path("sub/../game.kif")];
    #[cfg(unix)]
    {
        let (soft, hard) = (folder.path("soft"), folder.path("hard"));
        std::os::unix::fs::symlink(&game, &soft).expect("a link can be made");
        std::fs::hard_link(&game, &hard).expect("a link can be made");
        names.extend([soft, hard]);
    }
    for name in names {
        let output = run(&["perf", &game, &name, "1"]);
        assert_eq!(output.code, Some(2), "{name}");
        assert!(output.stderr.contains("overwrite"), "{}", output.stderr);
        assert_eq!(folder.read("game.kif"), FINE, "{name}");
    }
}

#[test]
fn an_endless_game_is_played_step_by_step() {
    // The game never ends; its state changes count all the same.
    let counter = "(role r) (init (bit on)) (legal r go) (<= (next (bit off)) (true (bit on)))
        (<= (next (bit on)) (true (bit off))) (<= terminal (true (bit neither))) (goal r 0)";
    let folder = Folder::new(&[("game.kif", counter)]);
    let (game, file) = (folder.path("game.kif"), folder.path("result.txt"));
    let output = run(&["perf", "--engine", "prover", &game, &file, "0.05"]);
    assert_eq!(output.code, Some(0));
    let changes: u64 = result(&folder)["numStateChanges"]
        .parse()
        .expect("a number");
    assert!(changes > 0);
}
