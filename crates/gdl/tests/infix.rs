//! The infix notation. Its losslessness is tested in `properties.rs`.

use ludorum_gdl::{Notation, infix, kif, parse, parse_as};

/// The KIF of an infix text without diagnostics.
fn to_kif(text: &str) -> String {
    let parsed = parse_as(text, Notation::Infix);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    kif::sheet(&parsed.description)
}

fn to_infix(text: &str) -> String {
    let parsed = parse_as(text, Notation::Kif);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    infix::sheet(&parsed.description)
}

fn codes(text: &str) -> Vec<&'static str> {
    let parsed = parse_as(text, Notation::Infix);
    parsed.diagnostics.iter().map(|d| d.code).collect()
}

/// KIF and infix are each printed as the other.
fn assert_pair(kif: &str, infix: &str) {
    assert_eq!(to_kif(infix), format!("{kif}\n"));
    assert_eq!(to_infix(kif), format!("{infix}\n"));
}

#[test]
fn the_rule_of_the_book_is_read_and_written() {
    assert_pair(
        "(<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?w)))",
        "legal(W,mark(X,Y)) :- true(cell(X,Y,b)) & true(control(W))",
    );
}

#[test]
fn connectives_are_read_and_written() {
    assert_pair("(<= p (not q))", "p :- ~q");
    assert_pair("(<= p (not (not (or q r))))", "p :- ~~(q | r)");
    assert_pair("(<= p (distinct ?x ?y))", "p :- distinct(X,Y)");
    assert_pair("(<= p (or q r s))", "p :- (q | r | s)");
    assert_pair("(<= p (and q r))", "p :- (q & r)");
    assert_pair("(<= p (and (and q r) s) t)", "p :- ((q & r) & s) & t");
    assert_pair("(<= p (or (or q r) s))", "p :- ((q | r) | s)");
    assert_pair("(<= p (or (and q)))", "p :- or(and(q))");
}

#[test]
fn and_binds_tighter_than_or_and_not_tighter_than_both() {
    assert_eq!(
        to_kif("p :- q & r | ~s & t"),
        "(<= p (or (and q r) (and (not s) t)))\n"
    );
    assert_eq!(to_kif("p :- q & (r | s)"), "(<= p q (or r s))\n");
    assert_eq!(to_kif("p :- q | r | s"), "(<= p (or q r s))\n");
}

#[test]
fn connectives_may_be_written_like_relations() {
    assert_eq!(
        to_kif("p :- or(q & r, s | t) & and(q,r) & NOT(q) & Or(q)"),
        "(<= p (or (and q r) (or s t)) (and q r) (not q) (or q))\n"
    );
}

#[test]
fn groups_of_one_condition_are_that_condition() {
    assert_eq!(to_kif("p :- ((q)) & (~(r(a)))"), "(<= p q (not (r a)))\n");
}

#[test]
fn clauses_need_no_mark_between_them() {
    let text = "role(a) role(b) p :- q\n& r | s t(1)\nu";
    assert_eq!(
        to_kif(text),
        "(role a)\n(role b)\n(<= p (or (and q r) s))\n(t 1)\nu\n"
    );
    assert_eq!(to_kif("role(a). p :- q. r."), "(role a)\n(<= p q)\nr\n");
}

#[test]
fn a_rule_without_conditions_ends_in_a_full_stop() {
    assert_pair("(<= (p a))\nq", "p(a) :- .\nq");
    assert_eq!(codes("p(a) :-"), ["E023"]);
}

#[test]
fn names_that_would_read_otherwise_are_quoted() {
    assert_pair(
        "(p map+ -1 Cell or it's a\\b)",
        r"p('map+','-1','Cell','or','it\'s','a\\b')",
    );
    assert_pair("(Cell (not a) (X b))", "'Cell'('not'(a),'X'(b))");
    assert_pair("(<= or not)", "'or' :- 'not'");
    assert_eq!(to_kif("'p'('a')"), "(p a)\n");
}

#[test]
fn variables_map_one_to_one() {
    assert_pair(
        "(<= (p ?x ?X ?1 ?_a ?oldRow) (q ?h-speed ??x))",
        "p(X,_X,_1,__a,OldRow) :- q(?'h-speed',?'?x')",
    );
}

#[test]
fn keywords_are_read_in_any_case() {
    assert_eq!(
        to_kif("ROLE(a) TERMINAL :- True(p) & Not(q)"),
        "(role a)\n(<= terminal (true p) (not q))\n"
    );
}

#[test]
fn comments_start_with_either_mark() {
    let text = "% one\np(a) ; two\n:- % three\nq";
    let parsed = parse(text);
    assert!(!parsed.has_errors());
    let comments: Vec<_> = parsed
        .description
        .comments
        .iter()
        .map(|c| &c.text[..])
        .collect();
    assert_eq!(comments, ["% one", "; two", "% three"]);
    assert_eq!(kif::sheet(&parsed.description), "(<= (p a) q)\n");
}

#[test]
fn needless_parentheses_are_accepted_with_a_warning() {
    let parsed = parse("terminal() :- p(noop())");
    assert_eq!(kif::sheet(&parsed.description), "(<= terminal (p noop))\n");
    let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["W001", "W001"]);
}

#[test]
fn a_condition_without_its_mark_before_is_noticed() {
    assert_eq!(codes("p :- q\n  r(a)\n"), ["W020"]);
    assert!(codes("p :- q\nr(a)\n").is_empty());
    assert!(codes("p :- q.\n  r(a)\n").is_empty());
}

#[test]
fn every_problem_has_its_code() {
    for (text, code) in [
        ("p(a", "E001"),
        ("p :- (q", "E001"),
        ("p :- q)", "E002"),
        (")", "E002"),
        ("p :- () & q", "E003"),
        ("(p a)", "E004"),
        ("p(?)", "E005"),
        ("p : q", "E006"),
        (":- q", "E007"),
        ("p :- not(q,r)", "E008"),
        ("p :- or()", "E008"),
        ("p :- distinct(X)", "E008"),
        ("or(p,q)", "E009"),
        ("~p", "E009"),
        ("X(a)", "E010"),
        ("p(X(a))", "E010"),
        ("p :- X", "E010"),
        ("", "E011"),
        ("p :- q :- r", "E012"),
        ("p :- 'a", "E020"),
        ("p('a b')", "E021"),
        ("p('')", "E021"),
        ("p('?x')", "E021"),
        (r"p('\a')", "E021"),
        ("p(h-speed)", "E022"),
        ("p(-1)", "E022"),
        ("p(a b)", "E023"),
        ("p(a,)", "E023"),
        ("p :- q, r", "E023"),
        ("p :- q ~r", "E023"),
        ("p :- q & & r", "E023"),
        ("p & q", "E023"),
        ("p :- q |", "E023"),
        ("p :- q or r", "E024"),
        ("p :- 'or'(q,r)", "E024"),
        ("p(_)", "E025"),
        ("p(_x)", "E025"),
        ("p(?x)", "E026"),
        ("p <= q", "E026"),
    ] {
        assert_eq!(codes(text), [code], "{text}");
    }
}

#[test]
fn every_problem_is_reported_in_one_run_and_the_other_clauses_are_read() {
    let text = "role(a)\np :- q &\nrole(b)\nr(a,\ns :- ~\nt(X) :- u(X)\nX :- v\nw :- (a | b\n  & c\nrole(c)\n";
    let parsed = parse_as(text, Notation::Infix);
    // The second clause includes the start of the third; only its author can tell.
    let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E001", "E012", "E010", "E001"]);
    assert_eq!(
        kif::sheet(&parsed.description),
        "(role a)\n(<= p q (role b))\n(<= (t ?x) (u ?x))\n(role c)\n"
    );
}

#[test]
fn a_rule_swallowed_by_the_clause_before_is_read_all_the_same() {
    let parsed = parse_as("p :- q &\nr :- s\n", Notation::Infix);
    assert_eq!(parsed.diagnostics.len(), 1);
    assert_eq!(kif::sheet(&parsed.description), "(<= r s)\n");
}
