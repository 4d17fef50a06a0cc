//! `ludorum players`, as a process.

use serde_json::Value;

use crate::run;

#[test]
fn all_players_are_listed_with_their_options() {
    let run = run(&["players"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in [
        "random", "legal", "one-ply", "mcs", "mcts", "mini", "minimax", "solo",
    ] {
        let begins = format!("{name}  ");
        assert!(
            run.stdout.lines().any(|line| line.starts_with(&begins)),
            "{name} in\n{}",
            run.stdout
        );
    }
    assert!(run.stdout.contains("  c=0.7"), "{}", run.stdout);
    assert_eq!(run.stdout.matches("  seed=1").count(), 1, "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn one_player_is_shown_with_all_options() {
    let one = run(&["players", "mcs"]);
    assert!(one.stdout.starts_with("mcs  "), "{}", one.stdout);
    assert!(one.stdout.contains("seed=1"), "{}", one.stdout);
    let none = run(&["players", "deepblue"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("minimax"), "{}", none.stderr);
}

#[test]
fn json_has_the_expected_values_of_each_option() {
    let run = run(&["players", "--json"]);
    let players: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let players = players.as_array().expect("an array");
    let mcts = players.iter().find(|player| player["name"] == "mcts");
    let options = mcts.expect("mcts")["options"].as_array().expect("options");
    for option in options {
        for key in ["name", "default", "expected", "about"] {
            assert!(option[key].is_string(), "{key} in {option}");
        }
    }
}
