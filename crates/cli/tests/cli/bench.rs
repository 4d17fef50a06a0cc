//! `ludorum bench` from outside.

use serde_json::Value;

use crate::{Folder, run};

fn lines(args: &[&str]) -> Vec<Value> {
    let output = run(args);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    serde_json::from_str(&output.stdout).expect("JSON")
}

#[test]
fn every_engine_is_measured_with_all_figures() {
    let lines = lines(&["bench", "tic-tac-toe", "nim", "--seconds", "0.02", "--json"]);
    assert_eq!(lines.len() % 2, 0);
    for line in &lines {
        for key in [
            "threads",
            "init_ms",
            "states_per_second",
            "states_per_second_low",
            "states_per_second_high",
            "playouts_per_second",
            "states_per_wall_second",
            "average_length",
            "cpu_seconds",
            "wall_seconds",
        ] {
            assert!(line[key].is_number(), "{key} in {line}");
        }
        let number = |key: &str| line[key].as_f64().unwrap_or(f64::NAN);
        assert!(number("states_per_second_low") <= number("states_per_second"));
        assert!(number("states_per_second") <= number("states_per_second_high"));
        assert!(number("playouts") >= 1.0 && number("states") >= number("playouts"));
        assert!(line.get("peak_memory_bytes").is_some());
        assert!(line["machine"].is_string() && line["date"].is_string());
        let engine = line["engine"].as_str().unwrap_or_default();
        let has_components = line["components"].is_number();
        let has_none = engine.ends_with("prover") || engine.ends_with("chain");
        assert_eq!(has_components, !has_none, "{line}");
        assert_eq!(line.get("cache").is_some(), engine.starts_with("cached-"));
        assert_eq!(line.get("choice").is_some(), engine == "auto");
    }
}

#[test]
fn the_table_names_games_engines_and_the_machine() {
    let output = run(&[
        "bench",
        "nim",
        "--engine",
        "prover,cached-propnet",
        "--seconds",
        "0",
        "--rounds",
        "2",
    ]);
    let text = output.stdout;
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(
        text.contains("states/s") && text.contains("% hits"),
        "{text}"
    );
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.contains("core")),
        "{text}"
    );
}

#[test]
fn several_threads_play_at_once() {
    let lines = lines(&[
        "bench",
        "nim",
        "--engine",
        "cached-prover,auto",
        "--threads",
        "3",
        "--seconds",
        "0.02",
        "--json",
    ]);
    assert!(lines.iter().all(|line| line["threads"] == 3));
}

#[test]
fn games_are_found_by_tag() {
    let output = run(&["bench", "--tag", "no-such-tag"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("there are"), "{}", output.stderr);
    let output = run(&["bench"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("--all"), "{}", output.stderr);
}

#[test]
fn a_run_can_be_compared_with_an_earlier_one_and_with_others() {
    let args = [
        "bench",
        "tic-tac-toe",
        "--engine",
        "prover",
        "--seconds",
        "0.02",
    ];
    let with = |more: &[&str]| run(&[&args[..], more].concat());
    let folder = Folder::new(&[
        ("earlier.json", &with(&["--json"]).stdout),
        ("earlier.csv", &with(&["--csv"]).stdout),
        (
            "peer.csv",
            "game,system,states_per_cpu_s\nticTacToe,x,0.5\n",
        ),
        ("junk.csv", "a,b\n1,2\n"),
    ]);
    for file in ["earlier.json", "earlier.csv", "peer.csv"] {
        let output = with(&["--baseline", &folder.path(file), "--json"]);
        let lines: Vec<Value> = serde_json::from_str(&output.stdout).expect("JSON");
        let ratio = lines[0]["ratio"].as_f64().unwrap_or(0.0);
        assert!(ratio > 0.0, "{file}: {}", output.stdout);
        assert_eq!(ratio > 100.0, file == "peer.csv", "{ratio}");
    }
    let output = with(&["--baseline", &folder.path("junk.csv")]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("`game`"), "{}", output.stderr);
}

#[test]
fn a_page_and_a_picture_can_be_had() {
    let folder = Folder::new(&[]);
    let picture = folder.path("speed.svg");
    let output = run(&[
        "bench",
        "nim",
        "--engine",
        "prover,propnet",
        "--seconds",
        "0.02",
        "--markdown",
        "--plot",
        &picture,
    ]);
    assert!(
        output.stdout.starts_with("| game | prover | propnet |\n"),
        "{}",
        output.stdout
    );
    let picture = folder.read("speed.svg");
    assert!(
        picture.starts_with("<svg") && picture.contains("propnet"),
        "{picture}"
    );
    let output = run(&[
        "bench",
        "nim",
        "--seconds",
        "0",
        "--engine",
        "prover",
        "--plot",
        "/no/such/folder/x.svg",
    ]);
    assert_eq!(output.code, Some(2));
}

#[test]
fn the_signature_is_the_same_for_all_engines_and_every_run() {
    let args = ["bench", "--signature", "tic-tac-toe", "pursuit", "hanoi-3"];
    let all = run(&args);
    assert_eq!(all.code, Some(0), "{}", all.stdout);
    let one = run(&[&args[..], &["--engine", "propnet-forward"]].concat());
    assert_eq!(one.stdout, all.stdout);
    // A change here is a change of what an engine answers; nothing else can change it.
    assert_eq!(all.stdout, "cb01da5c2207fe9c\n");
    let other = run(&["bench", "--signature", "tic-tac-toe", "--engine", "prover"]);
    assert_ne!(other.stdout, all.stdout);
}

#[test]
fn an_unknown_engine_is_wrong_use() {
    let output = run(&["bench", "nim", "--engine", "warp"]);
    assert_eq!(output.code, Some(2));
    let text = output.stderr;
    assert!(text.contains("propnet-forward"), "{text}");
}
