//! Tests of size and time limits.

#![allow(clippy::format_collect)] // short descriptions are assembled from parts

use std::time::{Duration, Instant};

use ludorum_logic::Rules;

use super::{Chain, ChainSettings, ConditionOrder};
use ludorum_reasoner::{ReasonError, Reasoner};

fn rules(text: &str) -> Rules {
    Rules::from_text(text).expect("rules")
}

/// The texts of the first role's initial moves that begin with `word`.
fn moves(text: &str, word: &str) -> Vec<String> {
    let mut chain = Chain::new(&rules(text), &ChainSettings::default(), None).expect("an engine");
    let start = chain.initial().expect("a state");
    let mut moves = Vec::new();
    chain.legal_moves(&start, 0, &mut moves).expect("moves");
    let texts = moves.into_iter().map(|id| chain.move_text(0, id));
    let mut texts: Vec<String> = texts.filter(|text| text.starts_with(word)).collect();
    texts.sort();
    texts
}

/// A game with a relation over four numbers that is too large to materialise.
fn with_many(rest: &str) -> String {
    let numbers: String = (0..40).map(|i| format!("(num {i}) ")).collect();
    format!(
        "(role r) {numbers} (init (p 1 2)) (init (p 2 3)) (init (p 39 39))
         (<= (next (p ?a ?b)) (true (p ?a ?b)))
         (<= (next (p ?a ?b)) (does r (mark ?a ?b)))
         (<= (legal r (mark ?a ?b)) (num ?a) (num ?b)) (goal r 50)
         (<= (far ?a ?b ?c ?d) (num ?a) (num ?b) (num ?c) (num ?d) (distinct ?a ?c)) {rest}"
    )
}

#[test]
fn top_down_relations_may_use_relations_that_become_top_down_later() {
    let positive = with_many(
        "(<= (user ?a ?b ?c ?d) (used ?a ?b ?c ?d) (far ?a ?b ?c ?d))
         (<= (used ?a ?b ?c ?d) (true (p ?a ?b)) (true (p ?c ?d)) (far ?a ?b ?c ?d))
         (<= (legal r (hit ?a ?b)) (true (p ?a ?b)) (true (p ?c ?d)) (user ?a ?b ?c ?d))",
    );
    assert_eq!(
        moves(&positive, "(hit"),
        ["(hit 1 2)", "(hit 2 3)", "(hit 39 39)"]
    );
    let negative = with_many(
        "(<= (user ?a ?b ?c ?d) (true (p ?a ?b)) (true (p ?c ?d)) (far ?a ?b ?c ?d)
          (not (used ?a ?b ?c ?d)))
         (<= (used ?a ?b ?c ?d) (true (p ?a ?b)) (true (p ?c ?d)) (far ?a ?b ?c ?d))
         (<= (legal r (hit ?a ?b)) (true (p ?a ?b)) (true (p ?c ?d)) (user ?a ?b ?c ?d))",
    );
    assert_eq!(moves(&negative, "(hit"), Vec::<String>::new());
}

#[test]
fn a_rule_with_tables_checks_the_clock() {
    // Whether two nodes connect by eleven edges, with ten edges from each node.
    let edges: String = (0..10)
        .flat_map(|x| (0..10).map(move |y| (x, y)))
        .map(|(x, y)| format!("(init (e a{x} a{y})) (init (e b{x} b{y})) "))
        .collect();
    let path: String = (0..11)
        .map(|i| format!("(true (e ?x{i} ?x{})) ", i + 1))
        .collect();
    let text = format!(
        "(role r) {edges} (init (from a0)) (init (to b0)) (legal r wait) (goal r 0)
         (<= (next (e ?x ?y)) (true (e ?x ?y)))
         (<= terminal (true (from ?x0)) {path} (true (to ?x11)))"
    );
    let settings = ChainSettings {
        condition_order: ConditionOrder::AsWritten,
        statistics_time: Duration::ZERO,
        ..ChainSettings::default()
    };
    let mut chain = Chain::new(&rules(&text), &settings, None).expect("an engine");
    assert_eq!(
        chain.report().rules_without_tables,
        0,
        "all rules have tables"
    );
    let start = chain.initial().expect("a state");
    let past = Instant::now().checked_sub(Duration::from_secs(1));
    chain.set_deadline(past);
    assert_eq!(chain.is_terminal(&start), Err(ReasonError::Stopped));
}
