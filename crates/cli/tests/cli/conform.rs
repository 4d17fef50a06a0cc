//! `ludorum conform`, as a process.

use serde_json::{Value, json};

use crate::{Folder, run};

/// One lamp, two moves.
const LAMP: &str = "\
(role robot)
(init (light off))
(legal robot press)
(<= (legal robot wait) (true (light off)))
(<= (next (light on)) (does robot press))
(<= (next (light off)) (does robot wait) (true (light off)))
(<= terminal (true (light on)))
(<= (goal robot 100) (true (light on)))
";

/// A playout of the lamp: wait, then press.
fn trace() -> Value {
    let off = |joint: &str| {
        json!({
            "state": ["(light off)"], "legals": {"robot": ["press", "wait"]}, "terminal": false,
            "goals": {"robot": null}, "moves": [joint]
        })
    };
    let on = json!({
        "state": ["(light on)"], "legals": {"robot": ["press"]}, "terminal": true, "goals": {"robot": 100}
    });
    json!({"game": "lamp", "roles": ["robot"], "playouts": [{"steps": [off("wait"), off("press"), on]}]})
}

fn folder(trace: &Value) -> Folder {
    Folder::new(&[
        ("games/own/lamp.kif", LAMP),
        ("traces/own/lamp.json", &trace.to_string()),
    ])
}

fn conform(folder: &Folder, more: &[&str]) -> crate::Run {
    let (games, traces) = (folder.path("games"), folder.path("traces"));
    let mut args = vec!["conform", "--games", &games, "--traces", &traces];
    args.extend(more);
    run(&args)
}

#[test]
fn a_correct_trace_agrees() {
    let run = conform(&folder(&trace()), &["--engine", "prover"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("own/lamp"), "{}", run.stdout);
    let summary = "1 game: 1 agree, 0 differ, 0 skipped";
    assert!(run.stdout.contains(summary), "{}", run.stdout);
}

#[test]
fn a_wrong_legal_move_is_reproduced_from_its_state() {
    let mut wrong = trace();
    wrong["playouts"][0]["steps"][2]["legals"]["robot"] = json!(["break"]);
    let run = conform(&folder(&wrong), &["--engine", "prover"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let wanted = "\
own/lamp with prover differs
found in playout 1, step 2 of the trace
from the state with the facts
  (light on)
this differs
legal moves of robot:
  missing   break
  extra     press
";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
    assert!(run.stdout.contains("1 differ"), "{}", run.stdout);
}

#[test]
fn a_wrong_next_state_is_reproduced_with_the_move_that_leads_to_it() {
    let mut wrong = trace();
    wrong["playouts"][0]["steps"][2]["state"] = json!(["(light broken)", "(light on)"]);
    let run = conform(&folder(&wrong), &["--engine", "prover"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let wanted = "\
from the state with the facts
  (light off)
after the joint moves
  press
this differs
facts of the state:
  missing   (light broken)
";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
}

#[test]
fn every_kind_of_wrong_record_is_found() {
    let wrong_at = |change: fn(&mut Value)| {
        let mut wrong = trace();
        change(&mut wrong);
        let run = conform(&folder(&wrong), &["--json"]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let rows: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(rows[0]["verdict"], "differs");
        rows[0]["reproduction"].clone()
    };
    let steps = |trace: &Value| trace["playouts"][0]["steps"].clone();
    assert_eq!(steps(&trace()).as_array().map(Vec::len), Some(3));

    let found = wrong_at(|t| t["playouts"][0]["steps"][0]["state"] = json!([]));
    assert_eq!(found["from"], Value::Null);
    assert_eq!(found["differences"][0]["what"], "facts");
    assert_eq!(found["differences"][0]["extra"], json!(["(light off)"]));

    let found = wrong_at(|t| t["playouts"][0]["steps"][2]["terminal"] = json!(false));
    assert_eq!(found["differences"][0]["what"], "terminal");

    let found = wrong_at(|t| t["playouts"][0]["steps"][2]["goals"]["robot"] = json!(null));
    assert_eq!(found["differences"][0]["what"], "goal");
    assert_eq!(found["differences"][0]["got"], "100");

    let found = wrong_at(|t| t["playouts"][0]["steps"][0]["goals"]["robot"] = json!(0));
    assert_eq!(found["differences"][0]["got"], "none");

    let found = wrong_at(|t| t["playouts"][0]["steps"][0]["moves"] = json!(["break"]));
    assert_eq!(found["differences"][0]["what"], "error");
    assert_eq!(found["moves"], json!([["break"]]));

    let found = wrong_at(|t| {
        *t = serde_json::from_str(&t.to_string().replace("robot", "droid")).expect("JSON");
    });
    assert_eq!(found["differences"][0]["what"], "roles");
}

#[test]
fn several_goals_are_compared_one_by_one() {
    let sheet = LAMP.to_owned() + "(goal robot 1)\n(goal robot 2)\n";
    let with = |all: Value| {
        let mut several = trace();
        for step in several["playouts"][0]["steps"]
            .as_array_mut()
            .expect("steps")
        {
            step["goals"]["robot"] = Value::Null;
        }
        several["playouts"][0]["steps"][0]["goals_all"] = json!({"robot": all});
        let folder = Folder::new(&[
            ("games/own/lamp.kif", &sheet),
            ("traces/own/lamp.json", &several.to_string()),
        ]);
        conform(&folder, &[]).code
    };
    assert_eq!(with(json!([1, 2])), Some(0));
    assert_eq!(with(json!([1, 3])), Some(1));
}

#[test]
fn cases_that_cannot_be_compared_are_skipped_with_the_reason() {
    let folder = Folder::new(&[
        ("games/own/broken.kif", "(role robot"),
        ("traces/own/broken.json", &trace().to_string()),
        ("traces/own/nosheet.json", &trace().to_string()),
        ("games/own/notrace.kif", LAMP),
        ("traces/own/notrace.json", "{}"),
    ]);
    let run = conform(&folder, &["--engine", "prover"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for wanted in [
        "3 skipped",
        "skipped own/broken with prover: the sheet has errors",
        "skipped own/nosheet with prover: cannot read the sheet",
        "skipped own/notrace with prover: this is not a trace",
    ] {
        assert!(run.stdout.contains(wanted), "{wanted}: {}", run.stdout);
    }
}

#[test]
fn a_case_without_time_is_skipped_and_not_failed() {
    let run = conform(&folder(&trace()), &["--seconds-per-game", "0"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let wanted = "out of time after 0 states";
    assert!(run.stdout.contains(wanted), "{}", run.stdout);
}

#[test]
fn shipped_games_and_own_sheets_are_compared_without_traces() {
    let folder = Folder::new(&[("lamp.kif", LAMP)]);
    let lamp = folder.path("lamp.kif");
    let run = run(&["conform", "--shipped", "tic-tac-toe", "nim", &lamp]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("3 games"), "{}", run.stdout);
    assert!(run.stdout.contains("no traces"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn wrong_arguments_are_refused() {
    let engine = run(&["conform", "--shipped", "--engine", "quantum"]);
    assert_eq!(engine.code, Some(2));
    for wanted in ["'quantum'", "there are prover,", "auto"] {
        assert!(engine.stderr.contains(wanted), "{}", engine.stderr);
    }

    let game = run(&["conform", "--shipped", "tictactoe"]);
    assert_eq!(game.code, Some(2));
    assert!(game.stderr.contains("did you mean"), "{}", game.stderr);

    let traces = run(&["conform", "--traces", "no/such/folder"]);
    assert_eq!(traces.code, Some(2));
    assert!(
        traces.stderr.contains("no/such/folder"),
        "{}",
        traces.stderr
    );

    let time = run(&["conform", "--shipped", "--seconds-per-game", "NaN", "nim"]);
    assert_eq!(time.code, Some(2), "{}", time.stderr);
}
