//! Properties of random sheets: printing and formatting preserve them, and no text crashes a
//! parser.

mod common;

use common::{layout_keeps_everything, printing_is_undone_by_parsing, survives};
use ludorum_gdl::format::format;
use ludorum_gdl::{Notation, testing};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Runs a property on random values from a fixed seed.
fn always<S: Strategy>(cases: u32, strategy: &S, property: impl Fn(S::Value)) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let result = TestRunner::new_with_rng(config, rng).run(strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn printing_a_random_tree_and_parsing_it_is_the_identity() {
    always(1_500, &testing::description(), |description| {
        for notation in [Notation::Kif, Notation::Infix] {
            printing_is_undone_by_parsing(&description, notation);
        }
    });
}

#[test]
fn laying_out_a_random_tree_keeps_it() {
    always(500, &testing::description(), |description| {
        for notation in [Notation::Kif, Notation::Infix] {
            let laid = format(&description, "", notation);
            layout_keeps_everything(&description, &laid, notation);
        }
    });
}

#[test]
fn laying_out_random_text_keeps_clauses_and_comments() {
    for notation in [Notation::Kif, Notation::Infix] {
        always(1_500, &testing::text(notation), |text| {
            let parsed = ludorum_gdl::parse_as(&text, notation);
            assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
            survives(&text, notation);
        });
    }
}

#[test]
fn random_characters_break_nothing() {
    always(1_500, &"[ -~\\n\\r\\t\\PC\\u{0}\\u{feff}]{0,60}", |text| {
        for notation in [Notation::Kif, Notation::Infix] {
            survives(&text, notation);
        }
    });
}

#[test]
fn random_bytes_are_text_or_an_error() {
    always(500, &vec(any::<u8>(), 0..60), |bytes| {
        if let Ok(text) = ludorum_gdl::source::decode(&bytes) {
            survives(text, Notation::detect(text));
        }
    });
}

#[test]
fn random_tokens_break_nothing() {
    let token = select(vec![
        "(",
        ")",
        "(",
        ")",
        " ",
        "\n",
        "<=",
        ":-",
        "&",
        "|",
        "~",
        ",",
        ".",
        "'",
        "\\",
        "?",
        "?x",
        "X",
        "_",
        "_x",
        "p",
        "q(",
        "p(a)",
        "(p a)",
        "or",
        "(or ",
        "or(",
        "and",
        "(and ",
        "not",
        "(not ",
        "~(",
        "distinct",
        "(distinct ",
        "true",
        "TERMINAL",
        "; note\n",
        "% note\n",
        "\r\n",
        "'a b'",
        "'map+'",
        "?'n+'",
        "role(",
        "\u{feff}",
    ]);
    always(3_000, &vec(token, 0..40), |tokens| {
        for notation in [Notation::Kif, Notation::Infix] {
            survives(&tokens.concat(), notation);
        }
    });
}
