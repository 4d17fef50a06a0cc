//! `ludorum bench` from outside.

use serde_json::Value;

use crate::run;

#[test]
fn every_engine_is_measured_with_all_figures() {
    let output = run(&["bench", "tic-tac-toe", "nim", "--seconds", "0.01", "--json"]);
    assert_eq!(output.code, Some(0));
    let lines: Vec<Value> = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(lines.len() % 2, 0);
    for line in &lines {
        for key in [
            "threads",
            "init_ms",
            "states_per_second",
            "playouts_per_second",
            "average_length",
            "cpu_seconds",
            "wall_seconds",
        ] {
            assert!(line[key].is_number(), "{key} in {line}");
        }
        assert!(line.get("peak_memory_bytes").is_some());
        let has_components = line["components"].is_number();
        assert_eq!(has_components, line["engine"] != "prover", "{line}");
    }
}

#[test]
fn the_table_names_games_and_engines() {
    let output = run(&[
        "bench",
        "nim",
        "--engine",
        "prover,propnet",
        "--seconds",
        "0",
    ]);
    let text = output.stdout;
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("states/s"), "{text}");
}

#[test]
fn an_unknown_engine_is_wrong_use() {
    let output = run(&["bench", "nim", "--engine", "warp"]);
    assert_eq!(output.code, Some(2));
    let text = output.stderr;
    assert!(text.contains("propnet-forward"), "{text}");
}
