//! `ludorum engines`, and engines with options on every command that takes one.

use serde_json::Value;

use crate::{Folder, run};

#[test]
fn all_engines_are_listed_with_their_options_and_defaults() {
    let run = run(&["engines"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in [
        "prover", "orand", "chain", "propnet", "lanes", "staged", "auto",
    ] {
        let begins = format!("{name}  ");
        assert!(
            run.stdout.lines().any(|line| line.starts_with(&begins)),
            "{name} in\n{}",
            run.stdout
        );
    }
    for part in [
        "  propagation=differential  ",
        "  passes=full  ",
        "  turns=on  ",
        "  assume=on  ",
        "  remember=auto  ",
        "  suffix=0  ",
        "  cache=0  ",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn one_engine_is_shown_and_an_unknown_one_refused() {
    let one = run(&["engines", "propnet"]);
    assert!(one.stdout.starts_with("propnet  "), "{}", one.stdout);
    assert!(one.stdout.contains("backward"), "{}", one.stdout);
    let none = run(&["engines", "warp"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("there are prover"), "{}", none.stderr);
}

#[test]
fn json_has_the_expected_values_of_each_option() {
    let run = run(&["engines", "--json"]);
    let engines: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let engines = engines.as_array().expect("an array");
    assert_eq!(engines.len(), 7);
    for engine in engines {
        for option in engine["options"].as_array().expect("options") {
            for key in ["name", "default", "expected", "about"] {
                assert!(option[key].is_string(), "{key} in {option}");
            }
        }
    }
}

#[test]
fn every_command_with_an_engine_takes_options_and_names_bad_ones() {
    let folder = Folder::new(&[]);
    let result = folder.path("result.txt");
    let sheet = folder.path("nim.kif");
    let text = ludorum_games::find("nim").expect("nim").text;
    std::fs::write(&sheet, text).expect("a file can be written");
    let duel = ["--a", "random", "--b", "legal", "--games", "2"];
    let clocks = ["--players", "random", "--start", "1", "--play", "1"];
    let commands: [&[&str]; 9] = [
        &["analyse", "nim", "--player", "mcs:simulations=5"],
        &["bench", "nim", "--seconds", "0"],
        &["check", "nim"],
        &["conform", "--shipped", "nim", "--playouts", "1"],
        &[
            "duel", "nim", duel[0], duel[1], duel[2], duel[3], duel[4], duel[5],
        ],
        &[
            "match", "nim", clocks[0], clocks[1], clocks[2], clocks[3], clocks[4], clocks[5],
        ],
        &["perft", "nim", "2"],
        &["play", "nim", "--opponent", "random"],
        &["solve", "hanoi-3", "--seconds", "600"],
    ];
    for command in commands {
        let with = |engine| run(&[command, &["--engine", engine]].concat());
        let good = with("propnet:propagation=forward,passes=paper,cache=8");
        assert_eq!(good.code, Some(0), "{command:?}: {}", good.stderr);
        let bad = with("prover:passes=1");
        assert_eq!(bad.code, Some(2), "{command:?}");
        assert!(bad.stderr.contains("it has cache"), "{}", bad.stderr);
    }
    let engine = ["--engine", "lanes:passes=1,0", &*sheet, &*result, "0.05"];
    let perf = run(&[&["perf"], &engine[..]].concat());
    assert_eq!(perf.code, Some(0), "{}", perf.stderr);
    assert!(folder.read("result.txt").contains("numStateChanges"));
    let staged = [
        "--engine",
        "staged:turns=off,suffix=1",
        &*sheet,
        &*result,
        "0.05",
    ];
    let perf = run(&[&["perf"], &staged[..]].concat());
    assert_eq!(perf.code, Some(0), "{}", perf.stderr);
}
