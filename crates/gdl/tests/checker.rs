//! The checker on small sheets, one for each code, with snapshots of the messages.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ludorum_gdl::check::codes::{self, CODES};
use ludorum_gdl::check::{self, MAX_DIAGNOSTICS};
use ludorum_gdl::diagnostic::Diagnostic;
use ludorum_gdl::{Notation, parse_as, source};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sheets")
}

/// The names and texts of all test sheets, in order.
fn sheets() -> Vec<(String, String)> {
    let mut sheets: Vec<(String, String)> = std::fs::read_dir(folder())
        .expect("the folder of test sheets")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy();
            (
                name.into_owned(),
                std::fs::read_to_string(&path).expect("a readable sheet"),
            )
        })
        .collect();
    sheets.sort();
    sheets
}

fn report(text: &str) -> Vec<Diagnostic> {
    check::diagnose(&parse_as(text, Notation::Kif))
}

fn plain(text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(out, "{}: {}", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            let at = source::position(text, label.span.start as usize);
            let _ = write!(out, "  {}:{} ", at.line, at.column);
            let shown = label.span.of(text).split_whitespace().collect::<Vec<_>>();
            let _ = writeln!(out, "«{}» {}", shown.join(" "), label.text);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    if out.is_empty() {
        out.push_str("nothing to report\n");
    }
    out
}

#[test]
fn every_kind_of_problem_has_its_message() {
    for (name, text) in sheets() {
        let report = report(&text);
        // Show only the last messages of long lists.
        let shown = report.len().saturating_sub(40);
        insta::assert_snapshot!(name, plain(&text, &report[shown..]));
    }
}

#[test]
fn a_sheet_shows_the_problem_that_it_is_named_after() {
    for (name, text) in sheets() {
        let found: BTreeSet<&str> = report(&text).iter().map(|d| d.code).collect();
        if name.starts_with("fine") {
            assert!(found.is_empty(), "{name}: {found:?}");
        } else {
            let code = name.split('_').next().unwrap_or("").to_uppercase();
            assert!(found.contains(code.as_str()), "{name}: {found:?}");
        }
    }
}

#[test]
fn every_code_of_the_language_has_a_sheet() {
    let names: Vec<String> = sheets().into_iter().map(|(name, _)| name).collect();
    for code in CODES
        .iter()
        .filter(|c| ("100".."200").contains(&&c.code[1..]))
    {
        let prefix = format!("{}_", code.code.to_lowercase());
        assert!(
            names.iter().any(|name| name.starts_with(&prefix)),
            "no sheet for {}",
            code.code
        );
    }
}

#[test]
fn severity_and_code_agree_and_every_problem_can_be_explained() {
    for (name, text) in sheets() {
        for diagnostic in report(&text) {
            assert_eq!(
                diagnostic.is_error(),
                diagnostic.code.starts_with('E'),
                "{name}"
            );
            assert!(
                codes::explain(diagnostic.code).is_some(),
                "{name}: {}",
                diagnostic.code
            );
            assert!(diagnostic.help.is_some(), "{name}: {}", diagnostic.message);
            for label in &diagnostic.labels {
                assert!(label.span.end as usize <= text.len(), "{name}");
            }
        }
    }
}

#[test]
fn every_code_in_the_source_is_in_the_table() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a source folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    let is_code = |word: &&str| {
        word.len() == 4
            && word.starts_with(['E', 'W'])
            && word[1..].bytes().all(|b| b.is_ascii_digit())
    };
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for code in text.split('"').filter(is_code).filter(|c| *c != "E999") {
            assert!(
                codes::explain(code).is_some(),
                "{code} of {} has no entry in the table",
                file.display()
            );
        }
    }
}

#[test]
fn problems_come_in_the_order_of_the_text_and_are_limited() {
    for (name, text) in sheets() {
        let report = report(&text);
        assert!(report.len() <= MAX_DIAGNOSTICS + 1, "{name}");
        let starts: Vec<u32> = report
            .iter()
            .filter_map(|d| d.labels.first())
            .map(|label| label.span.start)
            .collect();
        assert!(starts.is_sorted(), "{name}");
    }
}

#[test]
fn too_many_warnings_do_not_hide_an_error() {
    let mut text = String::new();
    for i in 0..1000 {
        let _ = writeln!(text, "(<= (goal white 1) (missing{i} a))");
    }
    text.push_str("(role white) (legal white noop) (<= terminal (not (p ?x))) (p a)");
    let report = report(&text);
    assert_eq!(report.len(), MAX_DIAGNOSTICS + 1);
    assert!(report.iter().any(|d| d.code == "E111"));
    let last = report.last().map(|d| (d.code, d.message.as_str()));
    assert_eq!(last, Some(("W100", "801 more problems are not shown")));
}

#[test]
fn a_clause_that_cannot_be_read_is_not_missed() {
    let text = "(role white)\n(legal white noop)\n(goal white 100)\n(<= terminal (p a))\n(p a b\n";
    let codes: Vec<&str> = report(text).iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E001"]);
}
