//! `ludorum inspect`, as a process.

use crate::{FINE, run, run_with_input};

#[test]
fn the_stage_must_be_named_and_known() {
    assert_eq!(run(&["inspect", "tic-tac-toe"]).code, Some(2));
    let run = run(&["inspect", "tic-tac-toe", "--stage", "rulez"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("rules"), "{}", run.stderr);
}

#[test]
fn a_broken_sheet_is_not_inspected() {
    let run = run_with_input(&["inspect", "-", "--stage", "rules"], "(role white");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("error[E001]"), "{}", run.stderr);
}

#[test]
fn an_unknown_game_is_refused() {
    let run = run(&["inspect", "tictactoe", "--stage", "rules"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("did you mean"), "{}", run.stderr);
}

#[test]
fn rules_are_shown_by_stratum_with_class_and_domains() {
    let run = run(&["inspect", "tic-tac-toe", "--stage", "rules"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for part in [
        "roles      xplayer, oplayer\n",
        "fluents    at most 29\n",
        "moves      at most 10\n",
        "\nstratum 0\n",
        "\nstratum 1\n",
        "index/1  rigid, 3 facts, domains 3\n  (index 1)\n",
        "does/2  action, given by the moves, domains 2 x 10\n",
        "wins/1  state, 1 rule, domains 2\n  (<= (wins ?role)\n    (owns ?role ?piece)\n    (line ?piece))\n",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
}

#[test]
fn long_lists_of_facts_are_cut_unless_all_are_asked_for() {
    let short = run(&["inspect", "chess", "--stage", "rules"]).stdout;
    assert!(short.contains("facts more, shown with --all"), "{short}");
    let whole = run(&["inspect", "chess", "--stage", "rules", "--all"]).stdout;
    assert!(!whole.contains("shown with --all"), "{whole}");
    assert!(whole.len() > short.len());
}

#[test]
fn recursion_and_unbounded_terms_are_marked() {
    let sheet = "(role white) (init (n 0)) (legal white go)
        (<= (next (n (s ?x))) (true (n ?x)))
        (<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (edge ?y ?z)) (edge a b) (edge b c)
        (<= terminal (path a c) (true (n ?x)) (not (and (true (n 0)) (path b c))))
        (goal white 50)";
    let run = run_with_input(&["inspect", "-", "--stage", "rules"], sheet);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("path/2  rigid, recursive"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("fluents    unbounded\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn rules_as_json_have_the_documented_shape() {
    let run = run(&["inspect", "tic-tac-toe", "--stage", "rules", "--json"]);
    let page: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(page["game"], "tic-tac-toe");
    assert_eq!(page["fluents"], 29);
    let strata = page["strata"].as_array().expect("an array");
    let relations = strata
        .iter()
        .filter_map(|stratum| stratum["relations"].as_array());
    let relations: Vec<&serde_json::Value> = relations.flatten().collect();
    assert_eq!(relations.len(), 15);
    let index = relations
        .iter()
        .find(|r| r["name"] == "index")
        .expect("index");
    assert_eq!(
        **index,
        serde_json::json!({"name": "index", "arity": 1, "class": "rigid", "recursive": false, "helper": false,
            "component": index["component"], "domains": [3], "facts": ["(index 1)", "(index 2)", "(index 3)"], "rules": []})
    );
}

#[test]
fn every_shipped_game_can_be_inspected() {
    for game in ludorum_games::all() {
        let run = run(&["inspect", game.name, "--stage", "rules"]);
        assert_eq!(run.code, Some(0), "{}: {}", game.name, run.stderr);
    }
}

#[test]
fn the_ground_stage_shows_statistics_and_the_program() {
    let run_ground = run(&["inspect", "tic-tac-toe", "--stage", "ground"]);
    assert_eq!(run_ground.code, Some(0), "{}", run_ground.stderr);
    for part in ["fluents    29\n", "moves      10, 10 by role\n", "relation"] {
        assert!(
            run_ground.stdout.contains(part),
            "{part:?} in\n{}",
            run_ground.stdout
        );
    }
    let text = run(&["inspect", "tic-tac-toe", "--stage", "ground", "--text"]).stdout;
    assert!(text.contains("(init (control xplayer)).\n"), "{text}");
    let json = run(&["inspect", "tic-tac-toe", "--stage", "ground", "--json"]).stdout;
    let page: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(page["fluents"], 29);
    assert_eq!(page["moves"], serde_json::json!([10, 10]));
    assert!(page["relations"].is_array());
}

#[test]
fn grounding_over_its_limits_is_reported() {
    let run = run(&[
        "inspect",
        "chess",
        "--stage",
        "ground",
        "--max-instances",
        "1000",
    ]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("too many ground"), "{}", run.stderr);
    assert!(run.stderr.contains("--max-instances"), "{}", run.stderr);
}

#[test]
fn the_network_stage_counts_components_after_each_pass() {
    let json = run(&[
        "inspect",
        "tic-tac-toe",
        "--stage",
        "network",
        "--json",
        "--passes",
        "1,0,2,3",
    ])
    .stdout;
    let page: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let steps = page["steps"].as_array().expect("an array");
    let passes: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["pass"].as_str())
        .collect();
    assert_eq!(passes, ["basic", "1", "0", "2", "3"]);
    assert_eq!(steps[0]["by_kind"]["base"], 29);
    assert_eq!(steps[4]["by_kind"]["other"], 0);
    let full = run(&["inspect", "tic-tac-toe", "--stage", "network"]).stdout;
    for part in [
        "one-hot    10 groups",
        "levels",
        "fan-in",
        "18 fluents stay true once they are",
    ] {
        assert!(full.contains(part), "{part:?} in\n{full}");
    }
}

#[test]
fn a_cone_is_drawn_as_a_graph() {
    let cone = "(legal xplayer (mark 1 1))";
    let dot = run(&[
        "inspect",
        "tic-tac-toe",
        "--stage",
        "network",
        "--dot",
        "--cone",
        cone,
    ])
    .stdout;
    assert!(dot.starts_with("digraph"), "{dot}");
    assert!(dot.contains("(true (cell 1 1 blank))"), "{dot}");
    assert!(!dot.contains("terminal"), "{dot}");
    let small = [
        "inspect",
        "tic-tac-toe",
        "--stage",
        "network",
        "--dot",
        "--cone",
        cone,
        "--limit",
        "2",
    ];
    assert!(run(&small).stdout.contains("more"));
}

#[test]
fn graphviz_draws_a_network() {
    let is_there = std::process::Command::new("dot").arg("-V").output().is_ok();
    if !is_there {
        println!("skipped: Graphviz is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("network.svg");
    let drawn = run(&[
        "inspect",
        "tic-tac-toe",
        "--stage",
        "network",
        "--svg",
        file.to_str().expect("a path in UTF-8"),
    ]);
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    assert!(drawn.stdout.starts_with("drew "), "{}", drawn.stdout);
    let picture = std::fs::read_to_string(&file).expect("a picture");
    assert!(picture.contains("<svg") && picture.contains("cell 2 2"));
}

#[test]
fn the_size_of_the_circuit_is_reported_besides_the_components() {
    let run = run(&["inspect", "tic-tac-toe", "--stage", "network", "--json"]);
    let page: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let circuit = &page["circuit"];
    let number = |name: &str| circuit[name].as_u64().expect("a number");
    assert_eq!(
        number("signals"),
        1 + number("fluents") + number("moves") + number("gates")
    );
    let last = page["steps"].as_array().and_then(|steps| steps.last());
    let components = last.and_then(|step| step["components"].as_u64());
    assert!(components.expect("a number") > number("signals"));
    assert!(page["left_out"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn networks_too_large_to_draw_and_unknown_names_are_refused() {
    let large = run(&[
        "inspect", "chess", "--stage", "network", "--passes", "1", "--dot",
    ]);
    assert_eq!(large.code, Some(2));
    assert!(large.stderr.contains("--cone"), "{}", large.stderr);
    let unknown = run(&[
        "inspect",
        "nim",
        "--stage",
        "network",
        "--dot",
        "--cone",
        "(next nothing)",
    ]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("no component called"),
        "{}",
        unknown.stderr
    );
    let pass = run(&[
        "inspect",
        "nim",
        "--stage",
        "network",
        "--passes",
        "1,none-such",
    ]);
    assert_eq!(pass.code, Some(2));
    assert!(pass.stderr.contains("hash"), "{}", pass.stderr);
}

#[test]
fn colours_reach_the_terminal_and_control_characters_of_a_sheet_do_not() {
    for stage in ["rules", "ground", "network"] {
        let run = run(&["--color", "always", "inspect", "nim", "--stage", stage]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains("\u{1b}["), "{stage}: {}", run.stdout);
        assert!(!run.stdout.contains("?["), "{stage}: {}", run.stdout);
    }
    // Neither notation allows control characters in names.
    for sheet in ["(role \u{1b}[31mred)", "role('\u{1b}[31mred')"] {
        let run = run_with_input(&["inspect", "-", "--stage", "rules"], sheet);
        assert_eq!(run.code, Some(2));
        assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
        assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
    }
}

#[test]
fn the_engine_stage_shows_the_choice_of_auto_and_its_reason() {
    let output = run(&["inspect", "tic-tac-toe", "--stage", "engine", "--json"]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let page: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(page["engine"], "propnet");
    assert!(page["components"].is_number() && page["first_move_ms"].is_number());

    let output = run(&[
        "inspect",
        "chess",
        "--stage",
        "engine",
        "--max-instances",
        "100",
    ]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stdout.contains("prover"), "{}", output.stdout);
    assert!(
        output.stdout.contains("too many ground"),
        "{}",
        output.stdout
    );
    // The reason is logged as well.
    assert!(
        output.stderr.contains("too many ground"),
        "{}",
        output.stderr
    );
}

#[test]
fn the_lanes_stage_reports_games_without_a_playable_step() {
    let args = ["inspect", "-", "--stage", "lanes"];
    let run = run_with_input(&args, FINE);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = run.stdout;
    assert!(text.contains("no step can be played"), "{text}");
    assert!(!text.contains('%'), "{text}");
}

/// A sheet of the page on lanes.
fn sheet_of_page(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lanes.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (_, after) = page
        .split_once(&format!("```kif file={name}\n"))
        .expect("the sheet");
    let (sheet, _) = after.split_once("```").expect("its end");
    sheet.to_owned()
}

#[test]
fn the_factors_stage_shows_what_the_rewriting_derives() {
    let run = run_with_input(
        &["inspect", "-", "--stage", "factors"],
        sheet_of_page("pins.kif").as_str(),
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for part in [
        "stages      draw and test of white, then of black\n",
        "turn        white if (control white), else noop\n",
        "turn        black if (control black), else noop\n",
        "failed      candidates are not remembered\n",
        "white  (move ?1 ?2 ?3 ?4)                              360           (?1 ?2)  (?3 ?4)\n",
        "white  pass                                              1\n",
        "relations more, shown with --all\n",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
    let accepted = run.stdout.lines().find(|l| l.starts_with("accepted "));
    let accepted = accepted.expect("a share of draws");
    // Some candidates open the line.
    assert!(!accepted.contains("100.0 %"), "{accepted}");
    assert!(
        run.stdout.lines().all(|line| line.chars().count() <= 100),
        "{}",
        run.stdout
    );
    let all = run_with_input(
        &["inspect", "-", "--stage", "factors", "--all"],
        sheet_of_page("pins.kif").as_str(),
    );
    assert!(all.stdout.len() > run.stdout.len());
    assert!(!all.stdout.contains("shown with --all"), "{}", all.stdout);
}

#[test]
fn the_staged_rules_are_a_sheet_without_errors() {
    let text = run_with_input(
        &["inspect", "-", "--stage", "factors", "--text"],
        sheet_of_page("pins.kif").as_str(),
    );
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert!(text.stdout.contains("(next moved)"), "{}", text.stdout);
    let rules = ["inspect", "-", "--stage", "rules"];
    let read_back = run_with_input(&rules, text.stdout.as_str());
    assert_eq!(read_back.code, Some(0), "{}", read_back.stderr);
}

#[test]
fn parts_of_the_rewriting_are_switched_off_by_options_of_the_engine() {
    let page = |engine| {
        let args = ["inspect", "-", "--stage", "factors", "--json", "--engine"];
        let run = run_with_input(
            &[&args[..], &[engine]].concat(),
            sheet_of_page("pins.kif").as_str(),
        );
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        serde_json::from_str::<serde_json::Value>(&run.stdout).expect("JSON")
    };
    let usual = page("staged");
    assert_eq!(usual["applies"], true);
    assert_eq!(usual["stages"].as_array().map(Vec::len), Some(2));
    assert_eq!(usual["turns"][1]["fluent"], "(control black)");
    assert_eq!(usual["remembers_failures"], false);
    assert_eq!(usual["slots"][0]["bound"], 1);
    assert_eq!(usual["classes"][0]["groups"][1]["arguments"][0], 3);
    assert!(usual["components"].as_u64() > Some(100));

    let together = page("staged:turns=off,remember=on");
    assert_eq!(together["engine"], "staged:turns=off,remember=on");
    assert_eq!(together["stages"].as_array().map(Vec::len), Some(1));
    assert_eq!(together["turns"].as_array().map(Vec::len), Some(0));
    assert_eq!(together["remembers_failures"], true);
    assert!(together["own_fluents"].as_u64() > usual["own_fluents"].as_u64());
}

#[test]
fn arguments_that_are_drawn_second_have_slots() {
    let sheet = sheet_of_page("shots.kif");
    let args = ["inspect", "-", "--stage", "factors"];
    let with = ["--engine", "staged:suffix=1"];
    let text = run_with_input(&[&args[..], &with].concat(), sheet.as_str());
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    for part in [
        "slots       white draws the rest of a move among 10\n",
        "(shoot ?1 ?2 ?3 ?4 ?5* ?6*)",
        "360       36  (?1 ?2)  (?3 ?4)  (?5* ?6*)\n",
    ] {
        assert!(text.stdout.contains(part), "{part:?} in\n{}", text.stdout);
    }
    let json = run_with_input(&[&args[..], &["--json"]].concat(), sheet.as_str());
    let page: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(page["slots"][0]["bound"], 1);
    assert_eq!(page["accepted"], 1.0);
    let sizes = page["classes"].as_array().expect("classes").iter();
    let sizes: Vec<_> = sizes.map(|class| class["candidates"].as_u64()).collect();
    assert_eq!(sizes, [Some(1), Some(3600)]);
}

#[test]
fn a_game_that_is_not_staged_is_told_with_the_reason() {
    // A state would be over before its moves are known.
    let sheet = "(role white) (init (n 1)) (<= (legal white go) (true (n 1)))
        (<= (legal white stop) (true (n 2)))
        (<= (next (n 2)) (true (n 1)))
        (<= terminal (can stop)) (<= (can ?move) (legal white ?move))
        (goal white 100)";
    let args = ["inspect", "-", "--stage", "factors"];
    let text = run_with_input(&args, sheet);
    assert_eq!(text.code, Some(1), "{}", text.stderr);
    let expected =
        "not staged  terminal depends on the legal moves in a way that needs all of them\n";
    assert_eq!(text.stdout, expected);
    let json = run_with_input(&[&args[..], &["--json"]].concat(), sheet);
    assert_eq!(json.code, Some(1));
    let page: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(page["applies"], false);
    assert!(
        page["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("legal moves"))
    );
    let rules = run_with_input(&[&args[..], &["--text"]].concat(), sheet);
    assert_eq!(rules.code, Some(2));
    assert!(rules.stderr.contains("is not staged"), "{}", rules.stderr);

    let other = run(&["inspect", "nim", "--stage", "factors", "--engine", "lanes"]);
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("`staged`, not `lanes`"),
        "{}",
        other.stderr
    );
}
