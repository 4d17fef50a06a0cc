//! `ludorum check`, as a process.

use serde_json::Value;

use crate::{FINE, Folder, run, run_with_input};

const BROKEN: &str = "(role white)\n(role black\n(<= terminal (open))\n";

#[test]
fn a_correct_sheet_is_reported_as_fine() {
    let run = run(&["check", "tic-tac-toe"]);
    assert_eq!(run.stdout, "tic-tac-toe: fine (10 playouts)\n");
    assert_eq!(run.stderr, "");
    assert_eq!(run.code, Some(0));
}

#[test]
fn an_error_is_shown_with_its_place_and_advice() {
    let folder = Folder::new(&[("broken.kif", BROKEN)]);
    let run = run(&["check", &folder.path("broken.kif")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("error[E001]"), "{}", run.stdout);
    assert!(run.stdout.contains("broken.kif:2:1"), "{}", run.stdout);
    assert!(run.stdout.contains("(role black"), "{}", run.stdout);
    assert!(run.stdout.contains("help: "), "{}", run.stdout);
    let last = run.stdout.lines().last().unwrap_or_default();
    assert!(last.contains("broken.kif: 1 error"), "{last}");
}

#[test]
fn a_sheet_is_read_from_standard_input() {
    let run = run_with_input(&["check", "-"], BROKEN);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("<stdin>:2:1"), "{}", run.stdout);
    assert_eq!(
        run_with_input(&["check", "--quiet", "-"], FINE).code,
        Some(0)
    );
}

#[test]
fn standard_input_is_read_only_once() {
    let run = run_with_input(&["check", "--quiet", "-", "-"], FINE);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("only once"), "{}", run.stderr);
}

#[test]
fn strict_turns_warnings_into_errors() {
    let sheet = FINE.replace("\nterminal", "\n(terminal)");
    let mild = run_with_input(&["check", "-"], sheet.as_str());
    assert_eq!(mild.code, Some(0), "{}", mild.stdout);
    assert!(mild.stdout.contains("warning[W001]"), "{}", mild.stdout);
    let strict = run_with_input(&["check", "--strict", "-"], sheet);
    assert_eq!(strict.code, Some(1));
    assert!(strict.stdout.contains("error[W001]"), "{}", strict.stdout);
}

#[test]
fn json_has_the_documented_shape() {
    let run = run_with_input(&["check", "--json", "-", "tic-tac-toe"], BROKEN);
    assert_eq!(run.code, Some(1));
    let reports: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let [broken, fine] = &reports.as_array().expect("an array")[..] else {
        panic!("not two reports: {reports}");
    };
    assert_eq!(broken["file"], "<stdin>");
    assert_eq!(broken["ok"], false);
    let problem = broken["diagnostics"]
        .as_array()
        .expect("an array")
        .iter()
        .find(|problem| problem["code"] == "E001")
        .expect("the missing parenthesis");
    let keys: Vec<&String> = problem.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["code", "help", "labels", "message", "severity"]);
    assert_eq!(problem["severity"], "error");
    let label = problem["labels"][0].as_object().expect("an object");
    for (key, value) in [
        ("start", 13),
        ("end", 14),
        ("line", 2),
        ("column", 1),
        ("end_line", 2),
        ("end_column", 2),
    ] {
        assert_eq!(label[key], value, "{key}");
    }
    assert!(label["text"].is_string());
    assert_eq!(
        fine,
        &serde_json::json!({"file": "tic-tac-toe", "ok": true, "diagnostics": []})
    );
}

#[test]
fn a_folder_is_searched_for_sheets_and_summed_up() {
    let folder = Folder::new(&[
        ("a.kif", FINE),
        ("deeper/still/b.kif", BROKEN),
        ("deeper/c.KIF", FINE),
        ("notes.txt", "not a sheet ((("),
    ]);
    let run = run(&["check", "--quiet", &folder.path("")]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", run.stdout);
    assert!(lines[0].contains("a.kif: "), "{}", lines[0]);
    assert!(lines[1].contains("c.KIF: "), "{}", lines[1]);
    assert!(lines[2].contains("b.kif: 1 error"), "{}", lines[2]);
    assert!(lines[3].starts_with("3 sheets: "), "{}", lines[3]);
    assert!(lines[3].ends_with("1 with errors"), "{}", lines[3]);
}

#[test]
fn a_folder_without_sheets_is_refused() {
    let folder = Folder::new(&[]);
    let run = run(&["check", &folder.path("")]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("no *.kif file in"), "{}", run.stderr);
}

#[test]
fn similar_names_are_suggested_for_an_unknown_game() {
    let run = run(&["check", "tictactoe"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("no game and no file is called `tictactoe`"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean `tic-tac-toe`"),
        "{}",
        run.stderr
    );
}

#[test]
fn for_a_name_unlike_all_games_the_list_of_games_is_suggested() {
    let run = run(&["check", "qqqqqq"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("`ludorum games` lists"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_shipped_name_with_an_extension_is_a_missing_file_with_a_suggestion() {
    let run = run(&["check", "tic-tac-toe.kif"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("there is no file `tic-tac-toe.kif`"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean the game `tic-tac-toe`"),
        "{}",
        run.stderr
    );
}

#[test]
fn one_unreadable_sheet_does_not_hide_the_others() {
    let run = run(&["check", "no-such-file.kif", "tic-tac-toe"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("tic-tac-toe: fine"), "{}", run.stdout);
    assert!(run.stderr.contains("no-such-file.kif"), "{}", run.stderr);
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let run = run_with_input(&["check", "-"], b"(role a)\n\xff\xfe".to_vec());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("line 2"), "{}", run.stderr);
    assert!(run.stderr.contains("UTF-8"), "{}", run.stderr);
}

#[test]
fn a_sheet_over_the_size_limit_is_refused() {
    let run = run_with_input(&["check", "-"], vec![b' '; (16 << 20) + 1]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("too large"), "{}", run.stderr);
}

#[test]
fn an_empty_sheet_is_an_error_not_a_crash() {
    let run = run_with_input(&["check", "-"], "");
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("E011"), "{}", run.stdout);
}

#[test]
fn a_million_open_parentheses_are_an_error_not_a_crash() {
    let run = run_with_input(&["check", "-"], vec![b'('; 1_000_000]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.len() < 10_000, "{} bytes", run.stdout.len());
}

#[test]
fn the_snippet_of_a_long_line_shows_only_the_text_around_the_label() {
    let facts = |from: usize| {
        let facts = (from..from + 2_000).map(|i| format!("(succ {i} {})", i + 1));
        facts.collect::<Vec<_>>().join(" ")
    };
    let sheet = format!("({} (open) {})", facts(0), facts(2_000));
    let run = run_with_input(&["check", "--limit", "0", "-"], sheet);
    let near = "(succ 1999 2000) (open) (succ 2000 2001)";
    assert!(run.stdout.contains(near), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn the_number_of_problems_shown_is_limited_and_the_rest_is_counted() {
    let sheet = "(open)\n".repeat(120);
    let run = run_with_input(&["check", "--limit", "3", "-"], sheet);
    assert_eq!(
        run.stdout.matches("<stdin>:").count(),
        3 + 1,
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("more problems"), "{}", run.stdout);
}

#[test]
fn control_characters_of_a_sheet_do_not_reach_the_terminal() {
    let run = run_with_input(&["check", "-"], "(role \u{1b}[31mred)\n");
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
}

#[test]
fn a_check_without_sheets_is_refused() {
    let run = run(&["check"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("Usage"), "{}", run.stderr);
}

#[test]
fn a_code_is_explained_in_any_case() {
    for code in ["E001", "e001"] {
        let run = run(&["check", "--explain", code]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.starts_with("E001"), "{}", run.stdout);
    }
    assert!(
        run(&["check", "--explain", "all"])
            .stdout
            .contains("E001  ")
    );
}

#[test]
fn an_unknown_code_cannot_be_explained() {
    let run = run(&["check", "--explain", "E999"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("no code `E999`"), "{}", run.stderr);
}
