//! Nesting of any depth gives an error or a result, never a stack overflow.

use ludorum_gdl::format::format;
use ludorum_gdl::{Notation, check, infix, kif, parse_as};

const MILLION: usize = 1_000_000;

/// Runs a function on a thread with a small stack, to detect recursion.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(run)
        .expect("a thread can be started")
        .join()
        .expect("the claim holds");
}

fn is_error(text: &str, notation: Notation) {
    let parsed = parse_as(text, notation);
    assert!(parsed.has_errors());
    let _ = format(&parsed.description, text, notation);
}

/// The text is a sheet that both notations preserve.
fn is_kept(text: &str, notation: Notation) {
    let parsed = parse_as(text, notation);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    let description = parsed.description;
    let _ = check(&description);
    for to in [Notation::Kif, Notation::Infix] {
        let printed = match to {
            Notation::Kif => kif::sheet(&description),
            Notation::Infix => infix::sheet(&description),
        };
        assert!(
            parse_as(&printed, to)
                .description
                .same_clauses(&description)
        );
        let laid = format(&description, text, to);
        let again = parse_as(&laid, to).description;
        assert!(again.same_clauses(&description));
        assert_eq!(format(&again, &laid, to), laid);
    }
}

#[test]
fn a_million_open_parentheses_are_an_error() {
    on_a_small_stack(|| {
        for open in ["(", "(\n", "(p ", "(not ", "(<= "] {
            is_error(&open.repeat(MILLION), Notation::Kif);
        }
        for open in ["(", "p(", "or(", "~", "~(", "(\n", "not("] {
            let text = open.repeat(MILLION);
            is_error(&text, Notation::Infix);
            is_error(&format!("p :- {text}"), Notation::Infix);
            is_error(&format!("p({text}"), Notation::Infix);
        }
    });
}

#[test]
fn a_million_closing_parentheses_are_an_error() {
    on_a_small_stack(|| {
        for notation in [Notation::Kif, Notation::Infix] {
            is_error(&")".repeat(MILLION), notation);
            is_error(&")\n".repeat(MILLION), notation);
        }
    });
}

#[test]
fn a_million_nested_terms_are_kept() {
    on_a_small_stack(|| {
        let text = format!("(p {}a{})", "(f ".repeat(MILLION), ")".repeat(MILLION));
        is_kept(&text, Notation::Kif);
        let text = format!("p({}a{})", "f(".repeat(MILLION), ")".repeat(MILLION));
        is_kept(&text, Notation::Infix);
    });
}

#[test]
fn two_hundred_thousand_nested_negations_are_kept() {
    on_a_small_stack(|| {
        let depth = 200_000;
        let text = format!("(<= p {}q{})", "(not ".repeat(depth), ")".repeat(depth));
        is_kept(&text, Notation::Kif);
        is_kept(&format!("p :- {}q", "~".repeat(depth)), Notation::Infix);
    });
}

#[test]
fn deep_connectives_with_several_parts_are_kept() {
    on_a_small_stack(|| {
        let depth = 100_000;
        let left = format!(
            "(<= p {}q{})",
            "(or (and ".repeat(depth),
            " r) s)".repeat(depth)
        );
        is_kept(&left, Notation::Kif);
        let right = format!(
            "(<= p {}q{})",
            "(or r (and s ".repeat(depth),
            "))".repeat(depth)
        );
        is_kept(&right, Notation::Kif);
        let groups = format!("p :- {}q{}", "(".repeat(depth), ")".repeat(depth));
        is_kept(&groups, Notation::Infix);
    });
}
