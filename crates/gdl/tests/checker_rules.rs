//! The boundary of each restriction of the language.

use ludorum_gdl::{Notation, check, parse_as};

/// A game without diagnostics, to which tests add clauses.
const GAME: &str = "
    (role white) (init (cell blank))
    (<= (legal white (mark ?c)) (true (cell ?c)))
    (<= (next (cell x)) (does white (mark ?c)))
    (<= (goal white 100) (true (cell x)))
    (<= terminal (true (cell x)))";

/// The codes of the diagnostics of a text.
fn codes_of(text: &str) -> Vec<&'static str> {
    let report = check::diagnose(&parse_as(text, Notation::Kif));
    report.iter().map(|d| d.code).collect()
}

/// The codes that clauses add to a game without diagnostics.
fn codes(clauses: &str) -> Vec<&'static str> {
    codes_of(&format!("{GAME}\n{clauses}"))
}

const NONE: [&str; 0] = [];

#[test]
fn the_game_that_the_others_build_on_is_fine() {
    assert_eq!(codes(""), NONE);
}

#[test]
fn a_sheet_without_init_is_fine() {
    let text =
        "(role white) (legal white noop) (goal white 100) (<= terminal (true done)) (next done)";
    assert_eq!(codes_of(text), NONE);
}

#[test]
fn a_rule_with_an_empty_body_is_a_fact() {
    assert_eq!(
        codes_of(&GAME.replace("(role white)", "(<= (role white))")),
        NONE
    );
}

#[test]
fn a_rule_about_any_role_is_about_every_role() {
    let text = GAME.replace("(role white)", "(role white) (role black) (role red)");
    assert_eq!(codes_of(&text), ["W103", "W103", "W103", "W103"]);
    let any = "(<= (legal ?r noop) (role ?r)) (<= (goal ?r 0) (role ?r))";
    assert_eq!(codes_of(&format!("{text} {any}")), NONE);
}

#[test]
fn a_value_is_given_by_a_positive_condition_in_any_order() {
    assert_eq!(
        codes("(<= (goal white 0) (distinct ?c x) (true (cell ?c)))"),
        NONE
    );
    assert_eq!(codes("(<= (goal white 0) (not (p ?c)) (p ?c)) (p x)"), NONE);
}

#[test]
fn every_alternative_must_give_the_value() {
    let all = "(<= (p ?c) (or (q ?c) (and (r ?c) (r ?d)) (or (q ?c) (r ?c))))";
    let rest = "(q x) (r x) (<= (goal white 0) (p ?c) (distinct ?c x))";
    assert_eq!(codes(&format!("{all} {rest}")), NONE);
    let some = "(<= (p ?c) (or (q ?c) (and (r x) (r ?d))))";
    assert_eq!(codes(&format!("{some} {rest}")), ["E110"]);
}

#[test]
fn a_test_inside_an_alternative_needs_its_value_there_or_outside() {
    let rest = "(q x) (r x)";
    let inside = "(<= (goal white 0) (or (and (q ?c) (distinct ?c x)) (r x)))";
    assert_eq!(codes(&format!("{inside} {rest}")), NONE);
    let outside = "(<= (goal white 0) (q ?c) (or (distinct ?c x) (r x)))";
    assert_eq!(codes(&format!("{outside} {rest}")), NONE);
    let elsewhere = "(<= (goal white 0) (or (distinct ?c x) (q ?c)) (r x))";
    assert_eq!(codes(&format!("{elsewhere} {rest}")), ["E112"]);
}

#[test]
fn a_negated_or_is_an_and_of_negations() {
    let rest = "(q x) (r x)";
    // not (q or not r) is (not q) and r, and r gives the value.
    let good = "(<= (goal white 0) (not (or (q ?c) (not (r ?c)))))";
    assert_eq!(codes(&format!("{good} {rest}")), NONE);
    let bad = "(<= (goal white 0) (not (and (q ?c) (not (r ?c)))))";
    assert_eq!(codes(&format!("{bad} {rest}")), ["E111"]);
}

#[test]
fn negation_inside_a_loop_is_rejected_and_outside_accepted() {
    let rest = "(<= (goal white 0) (p x)) (e x x)";
    let inside = "(<= (p ?x) (e ?x ?y) (not (q ?y))) (<= (q ?x) (p ?x))";
    assert_eq!(codes(&format!("{inside} {rest}")), ["E114"]);
    let outside = "(<= (p ?x) (e ?x ?y) (p ?y) (not (q ?y))) (<= (q ?x) (e ?x ?x))";
    assert_eq!(codes(&format!("{outside} {rest}")), NONE);
    let twice = "(<= (p ?x) (e ?x ?y) (not (not (p ?y))))";
    assert_eq!(codes(&format!("{twice} {rest}")), NONE);
}

#[test]
fn values_keep_results_apart_only_where_they_are_constants() {
    assert_eq!(
        codes("(<= (goal white 0) (not (goal white 100)))"),
        ["W122"]
    );
    let variable = "(<= (goal white ?n) (n ?n) (not (goal white 100))) (n 0)";
    assert_eq!(codes(variable), ["E114"]);
    let both =
        "(<= (goal white 0) (not (goal white 50))) (<= (goal white 50) (not (goal white 0)))";
    assert_eq!(codes(both), ["E114"]);
    let terms = "(<= (p (f ?x)) (n ?x) (not (p (g ?x)))) (n 0) (<= (goal white 0) (p (f 0)))";
    assert_eq!(codes(terms), ["W122"]);
}

#[test]
fn next_does_not_lead_back_to_true() {
    assert_eq!(codes("(<= (next (cell o)) (not (true (cell o))))"), NONE);
}

#[test]
fn only_next_may_depend_on_does() {
    let helper = "(<= (done ?m) (does white ?m))";
    assert_eq!(
        codes(&format!("{helper} (<= (next (cell ?m)) (done (mark ?m)))")),
        NONE
    );
    assert_eq!(
        codes(&format!("{helper} (<= (legal white ?m) (done ?m))")),
        ["E109"]
    );
    assert_eq!(
        codes(&format!("{helper} (<= (goal white 0) (done ?m))")),
        ["W121"]
    );
    assert_eq!(codes("(<= (goal white 0) (does white ?m))"), ["E109"]);
    assert_eq!(codes("(<= terminal (not (does white (mark x))))"), ["E109"]);
}

#[test]
fn a_violation_is_reported_once() {
    let both = "(<= terminal (goal white 0)) (<= (goal white 0) (does white ?m))";
    assert_eq!(codes(both), ["E109"]);
}

#[test]
fn recursion_over_other_relations_is_bounded() {
    let rest = "(e a b) (<= (goal white 0) (path a b))";
    let right = "(<= (path ?x ?y) (e ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (e ?y ?z))";
    assert_eq!(codes(&format!("{right} {rest}")), NONE);
    let squaring = "(<= (path ?x ?y) (e ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))";
    assert_eq!(codes(&format!("{squaring} {rest}")), ["W116", "W116"]);
    let growing = "(<= (path ?x (s ?y)) (path ?x ?y)) (path a b)";
    assert_eq!(
        codes(&format!("{growing} (<= (goal white 0) (path a b))")),
        ["W116"]
    );
}

#[test]
fn results_are_numbers_from_0_to_100() {
    for fine in ["0", "7", "100", "050"] {
        assert_eq!(codes(&format!("(goal white {fine})")), NONE, "{fine}");
    }
    for far in ["101", "-1", "1000000000000000000000"] {
        assert_eq!(codes(&format!("(goal white {far})")), ["W117"], "{far}");
    }
    for word in ["win", "1.5", "50%", "-", "(f 1)"] {
        assert_eq!(codes(&format!("(goal white {word})")), ["E115"], "{word}");
    }
}

#[test]
fn a_variable_as_a_fluent_can_be_any_fact() {
    assert_eq!(
        codes("(<= (next ?f) (true ?f) (kept ?f)) (kept over) (<= terminal (true over))"),
        NONE
    );
    assert_eq!(codes("(<= terminal (true over))"), ["W114"]);
}

#[test]
fn one_name_may_be_a_constant_a_function_and_a_relation() {
    let text = "(<= (next (cell cell)) (true (cell cell)) (cell x)) (cell x)";
    assert_eq!(codes(text), NONE);
}

#[test]
fn keywords_in_any_case_are_the_keywords() {
    assert_eq!(
        codes("(<= (GOAL white 0) (True (cell ?c)) (NOT (LEGAL white (mark ?c))))"),
        NONE
    );
    assert_eq!(codes("(<= (goal white 0) (DOES white ?m))"), ["E109"]);
}

#[test]
fn only_a_role_random_or_what_players_see_is_gdl_ii() {
    assert_eq!(
        codes("(<= (next (cell random)) (true (cell random)))"),
        NONE
    );
    assert_eq!(codes("(<= (sees white ?c) (true (cell ?c)))"), ["E116"]);
    let own = "(<= (sees white ?c) (true (cell ?c))) (<= (goal white 0) (sees white o))";
    assert_eq!(codes(own), NONE);
    assert_eq!(
        codes("(role random) (legal random noop) (goal random 0)"),
        ["W106"]
    );
}

#[test]
fn a_clause_with_other_variable_names_is_the_same_clause() {
    assert_eq!(
        codes("(<= (legal white (mark ?x)) (true (cell ?x)))"),
        ["W120"]
    );
    assert_eq!(
        codes("(<= (legal white (mark ?x)) (true (cell ?x)) (true (cell x)))"),
        NONE
    );
}
