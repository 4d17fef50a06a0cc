//! `ludorum bench`, as a process.

use serde_json::Value;

use crate::{FINE, Folder, finish, ludorum, run};

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
        let has_none = engine.starts_with("prover") || engine.starts_with("chain");
        assert_eq!(has_components, !has_none, "{line}");
        assert_eq!(line.get("cache").is_some(), engine.contains("cache="));
        assert_eq!(line.get("choice").is_some(), engine == "auto");
    }
}

#[test]
fn the_table_contains_games_engines_and_the_machine() {
    let output = run(&[
        "bench",
        "nim",
        "--engine",
        "prover,propnet:cache=16",
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
        "prover:cache=16,auto",
        "--threads",
        "3",
        "--seconds",
        "0.02",
        "--json",
    ]);
    assert!(lines.iter().all(|line| line["threads"] == 3));
}

#[test]
fn games_are_selected_by_tag() {
    let output = run(&["bench", "--tag", "no-such-tag"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("there are"), "{}", output.stderr);
    let output = run(&["bench"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("--all"), "{}", output.stderr);
}

#[test]
fn a_run_can_be_compared_with_an_earlier_one_and_with_other_systems() {
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
fn a_markdown_table_and_a_plot_are_written() {
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
    assert_eq!(output.stdout, "", "reported before anything is measured");
}

#[test]
fn a_plot_that_cannot_be_drawn_leaves_no_file_but_prints_the_table() {
    // The initial state is terminal, so nothing can be measured.
    let folder = Folder::new(&[("over.kif", FINE)]);
    let (game, picture) = (folder.path("over.kif"), folder.path("over.svg"));
    let args = ["bench", &game, "--engine", "prover", "--seconds", "0"];
    let output = run(&[&args[..], &["--plot", &picture]].concat());
    assert_eq!(output.code, Some(2));
    assert!(output.stdout.contains("not one state"), "{}", output.stdout);
    assert!(!std::path::Path::new(&picture).exists());
}

#[test]
fn threads_and_rounds_have_bounds() {
    for (option, wrong) in [
        ("--threads", ["0", "1025", "18446744073709551615"]),
        ("--rounds", ["0", "1000001", "18446744073709551615"]),
    ] {
        for wrong in wrong {
            let output = run(&["bench", "nim", option, wrong]);
            assert_eq!(output.code, Some(2), "{option} {wrong}");
            assert!(output.stderr.contains(option), "{}", output.stderr);
        }
    }
}

#[test]
fn threads_that_cannot_be_started_are_reported() {
    let args = ["bench", "nim", "--engine", "prover", "--threads", "2"];
    // No system has memory for such stacks.
    let output = finish(ludorum(&args).env("RUST_MIN_STACK", (1u64 << 62).to_string()));
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(output.stdout.contains("2 threads"), "{}", output.stdout);
    assert_eq!(output.stderr, "");
}

#[test]
fn a_baseline_with_nonsense_is_refused_with_its_line() {
    for (table, expected) in [
        ("game,states_per_cpu_s\nchess,1\nnim,inf\n", "line 3: `inf`"),
        ("game,states_per_cpu_s\nnim,-5\n", "line 2: `-5`"),
        ("game,states_per_cpu_s\n", "no rows"),
    ] {
        let folder = Folder::new(&[("peer.csv", table)]);
        let output = run(&["bench", "nim", "--baseline", &folder.path("peer.csv")]);
        assert_eq!(output.code, Some(2));
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
}

#[test]
fn a_baseline_with_games_of_another_length_gets_a_note() {
    let folder = Folder::new(&[
        (
            "same.csv",
            "game,states_per_cpu_s,average_length\nticTacToe,9,7.63\n",
        ),
        (
            "other.csv",
            "game,states_per_cpu_s,average_length\nticTacToe,9,20\n",
        ),
    ]);
    for (file, is_noted) in [("same.csv", false), ("other.csv", true)] {
        // Lanes play hundreds of games in the shortest time.
        let file = folder.path(file);
        let args = ["bench", "tic-tac-toe", "--engine", "lanes"];
        let args = [&args[..], &["--seconds", "0", "--baseline", &file]].concat();
        let table = run(&args).stdout;
        assert_eq!(table.contains("probably other rules"), is_noted, "{table}");
        let lines = lines(&[&args[..], &["--json"]].concat());
        assert_eq!(lines[0]["note"].is_string(), is_noted, "{}", lines[0]);
        assert!(lines[0]["baseline_length"].is_number(), "{}", lines[0]);
    }
}

#[test]
fn a_markdown_table_compares_engines_with_an_earlier_run() {
    let args = ["bench", "nim", "--engine", "prover,lanes", "--seconds", "0"];
    let with = |more: &[&str]| run(&[&args[..], more].concat()).stdout;
    let folder = Folder::new(&[("run.json", &with(&["--json"]))]);
    let page = with(&["--markdown", "--baseline", &folder.path("run.json")]);
    let head = "| game | prover | lanes | run: prover | times | run: lanes | times |\n";
    assert!(page.starts_with(head), "{page}");
}

#[test]
fn the_signature_is_the_same_for_all_engines_and_every_run() {
    let args = ["bench", "--signature", "tic-tac-toe", "pursuit", "hanoi-3"];
    let all = run(&args);
    assert_eq!(all.code, Some(0), "{}", all.stdout);
    let one = run(&[&args[..], &["--engine", "propnet:propagation=forward"]].concat());
    assert_eq!(one.stdout, all.stdout);
    // This number changes only when an answer of an engine changes.
    assert_eq!(all.stdout, "cb01da5c2207fe9c\n");
    let other = run(&["bench", "--signature", "tic-tac-toe", "--engine", "prover"]);
    assert_ne!(other.stdout, all.stdout);
}

#[test]
fn options_that_do_not_affect_the_signature_are_refused_with_it() {
    for (option, value) in [
        ("--seconds", "1"),
        ("--rounds", "3"),
        ("--threads", "2"),
        ("--seed", "7"),
    ] {
        let output = run(&["bench", "nim", "--signature", option, value]);
        assert_eq!(output.code, Some(2), "{option}");
        assert!(output.stderr.contains(option), "{}", output.stderr);
    }
}

#[test]
fn an_unknown_engine_is_refused() {
    let output = run(&["bench", "nim", "--engine", "warp"]);
    assert_eq!(output.code, Some(2));
    let text = output.stderr;
    assert!(text.contains("orand"), "{text}");
}
