//! Properties of arbitrary texts, shared by the tests.

use ludorum_gdl::format::format;
use ludorum_gdl::{Description, Notation, Parsed, check, infix, kif, parse_as};

/// Parses, checks and formats a text. If it is a sheet, every notation preserves it.
pub(crate) fn survives(text: &str, notation: Notation) {
    let parsed = parse_as(text, notation);
    let description = &parsed.description;
    let _ = check(description);
    for diagnostic in &parsed.diagnostics {
        assert!(!diagnostic.labels.is_empty(), "{diagnostic:?}");
        for label in &diagnostic.labels {
            assert!(
                text.get(label.span.start as usize..label.span.end as usize)
                    .is_some(),
                "{diagnostic:?}"
            );
        }
    }
    for to in [Notation::Kif, Notation::Infix] {
        let laid = format(description, text, to);
        if !parsed.has_errors() {
            printing_is_undone_by_parsing(description, to);
            layout_keeps_everything(description, &laid, to);
        }
    }
}

/// Print, then parse: the same clauses.
pub(crate) fn printing_is_undone_by_parsing(description: &Description, notation: Notation) {
    let printed = match notation {
        Notation::Kif => kif::sheet(description),
        Notation::Infix => infix::sheet(description),
    };
    let again = parse_as(&printed, notation);
    assert_clean(&again, &printed);
    assert!(
        description.same_clauses(&again.description),
        "{notation:?} changes clauses:\n{printed}"
    );
}

/// Formatting preserves clauses and comments and is idempotent.
pub(crate) fn layout_keeps_everything(description: &Description, laid: &str, notation: Notation) {
    let again = parse_as(laid, notation);
    if !description.clauses.is_empty() {
        assert_clean(&again, laid);
    }
    assert!(
        description.same_clauses(&again.description),
        "layout changes clauses:\n{laid}"
    );
    assert_eq!(
        comments(description),
        comments(&again.description),
        "layout changes comments:\n{laid}"
    );
    assert_eq!(
        format(&again.description, laid, notation),
        laid,
        "layout of a layout differs"
    );
    assert!(!laid.contains("\n\n\n"), "two blank lines:\n{laid}");
    let tidy = laid.lines().all(|line| line == line.trim_end());
    assert!(tidy, "blanks at the end of a line:\n{laid}");
}

fn assert_clean(parsed: &Parsed, text: &str) {
    assert!(!parsed.has_errors(), "{:?}\n{text}", parsed.diagnostics);
}

/// The comments without their marks.
fn comments(description: &Description) -> Vec<&str> {
    description
        .comments
        .iter()
        .map(|comment| comment.text.trim_start_matches([';', '%']))
        .collect()
}
