//! The checker on random, deeply nested and very large sheets: it must terminate with some result.

use std::fmt::Write as _;

use ludorum_gdl::check::{MAX_DIAGNOSTICS, diagnose};
use ludorum_gdl::{Notation, check, parse_as};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases in every run, unless the environment asks for others (`PROPTEST_RNG_SEED`,
/// `PROPTEST_CASES`).
fn repeatable() -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}

/// Invariants of every report.
fn checked(text: &str) {
    let parsed = parse_as(text, Notation::Kif);
    let first = diagnose(&parsed);
    assert!(first.len() <= MAX_DIAGNOSTICS + 1);
    for diagnostic in &first {
        assert_eq!(diagnostic.is_error(), diagnostic.code.starts_with('E'));
        for label in &diagnostic.labels {
            let span = label.span.start as usize..label.span.end as usize;
            assert!(text.get(span).is_some(), "{diagnostic:?}");
        }
    }
    assert_eq!(first, diagnose(&parsed), "the same again");
    let _ = check(&parsed.description);
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "(", "(", "(", "(", ")", ")", ")", ")", "\n(", "(<=", "(<= ", "role", "init", "true",
        "next", "does", "legal", "goal", "terminal", "base", "input", "not", "and", "or",
        "distinct", "sees", "random", "?x", "?y", "?X", "?", "p", "q", "cell", "Cell", "a", "b",
        "1", "100", "-1", "; c\n",
    ])
}

fn term() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "?x", "?y", "?X", "a", "A", "white", "50", "101", "true", "noop",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(3, 8, 3, |inner| {
            ("[fgp]|cell|not", prop::collection::vec(inner, 1..=3))
                .prop_map(|(name, args)| format!("({name} {})", args.join(" ")))
        })
}

fn atom() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "p", "q", "r", "P", "role", "init", "true", "next", "does", "legal", "goal", "terminal",
        "base", "input", "sees",
    ]);
    (name, prop::collection::vec(term(), 0..=3)).prop_map(|(name, args)| {
        if args.is_empty() {
            name.to_owned()
        } else {
            format!("({name} {})", args.join(" "))
        }
    })
}

fn condition() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => atom(),
        1 => (term(), term()).prop_map(|(a, b)| format!("(distinct {a} {b})")),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        (
            prop::sample::select(vec!["and", "or", "not"]),
            prop::collection::vec(inner, 1..=3),
        )
            .prop_map(|(word, parts)| match word {
                "not" => format!("(not {})", parts[0]),
                _ => format!("({word} {})", parts.join(" ")),
            })
    })
}

fn clause() -> impl Strategy<Value = String> {
    (atom(), prop::collection::vec(condition(), 0..=3))
        .prop_map(|(head, body)| format!("(<= {head} {})", body.join(" ")))
}

proptest! {
    #![proptest_config(repeatable())]

    #[test]
    fn any_soup_of_tokens_is_checked(tokens in prop::collection::vec(token(), 0..120)) {
        checked(&tokens.join(" "));
        checked(&tokens.concat());
    }

    #[test]
    fn any_text_is_checked(text in "\\PC{0,80}") {
        checked(&text);
    }

    #[test]
    fn any_well_formed_sheet_is_checked(clauses in prop::collection::vec(clause(), 0..12)) {
        checked(&clauses.join("\n"));
    }
}

/// Runs the checker, except on texts beyond the size limit.
fn answered(text: &str) {
    assert!(!diagnose(&parse_as(text, Notation::Kif)).is_empty());
}

/// A condition inside `depth` of some opening and closing text.
fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_nesting_is_checked_without_overflow() {
    let depth = 50_000;
    answered(&format!("(p {})", nested("(f ", "?x", ")", depth)));
    answered(&format!(
        "(<= (p ?x) {})",
        nested("(not ", "(q ?x)", ")", depth + 1)
    ));
    answered(&format!(
        "(<= (p ?x) {})",
        nested("(or (q ?x) (and ", "(q ?y)", "))", depth)
    ));
    answered(&format!(
        "(<= (p ?x) {})",
        nested("(not (or (q ?x) ", "(p ?y)", "))", depth)
    ));
    answered(&"(".repeat(1_000_000));
}

#[test]
fn long_chains_and_cycles_are_checked_in_time() {
    let mut chain = String::from("(role white)\n");
    for i in 0..10_000 {
        let _ = writeln!(chain, "(<= (p{i} ?x) (p{} ?x))", i + 1);
        let _ = writeln!(chain, "(<= (legal white ?x) (p{i} ?x))");
    }
    answered(&format!("{chain}(<= (p10000 ?x) (does white ?x))"));
    answered(&format!("{chain}(<= (p10000 ?x) (q ?x) (not (p0 ?x)))"));
}

#[test]
fn many_clauses_of_one_relation_are_checked_in_time() {
    let mut text = String::new();
    for i in 0..5_000 {
        let _ = writeln!(text, "(<= (p {i} ?x) (not (p {} ?x)))", i + 1);
    }
    answered(&text);
}

#[test]
fn many_names_and_arguments_are_checked_in_time() {
    let mut names = String::new();
    let mut wide = String::from("(<= (p");
    for i in 0..10_000 {
        let _ = writeln!(
            names,
            "(<= (defined{i} ?x) (undefined{i} ?X) (true (Cell{i} x)))"
        );
        let _ = write!(wide, " ?x{i}");
    }
    wide.push_str(") (p");
    for i in 0..10_000 {
        let _ = write!(wide, " ?y{i}");
    }
    wide.push_str("))");
    answered(&names);
    answered(&wide);
}
