//! The KIF notation.

use ludorum_gdl::ast::{Description, Formula, SyntaxTerm};
use ludorum_gdl::source::{MAX_BYTES, SourceError, decode};
use ludorum_gdl::{Notation, Parsed, kif, parse};

fn read(text: &str) -> Parsed {
    let parsed = parse(text);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    parsed
}

fn clean(text: &str) -> Description {
    let parsed = parse(text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.description
}

fn codes(text: &str) -> Vec<&'static str> {
    let parsed = parse(text);
    parsed.diagnostics.iter().map(|d| d.code).collect()
}

/// Both texts have the same clauses.
fn assert_same(a: &str, b: &str) {
    let (a, b) = (read(a).description, read(b).description);
    assert!(a.same_clauses(&b), "{}\n{}", kif::sheet(&a), kif::sheet(&b));
}

#[test]
fn comments_may_stand_anywhere() {
    let text = "; top\n(role ; inside\n white);behind\n;;; last";
    let description = clean(text);
    assert_eq!(kif::sheet(&description), "(role white)\n");
    let comments: Vec<_> = description.comments.iter().map(|c| &c.text[..]).collect();
    assert_eq!(comments, ["; top", "; inside", ";behind", ";;; last"]);
}

#[test]
fn a_comment_may_end_the_text_without_a_line_end() {
    assert_same("(role white) ; the only one", "(role white)");
    assert_eq!(clean("(role white);").comments[0].text, ";");
}

#[test]
fn parentheses_in_comments_do_not_count() {
    assert_same("(role white) ; (role black\n(p a)", "(role white) (p a)");
}

#[test]
fn any_white_space_separates() {
    assert_same("(p\ta\u{b}b\u{c}c\u{a0}d\u{2003}e)", "(p a b c d e)");
    assert_same("(p a)(q)(<=(r ?x)(p ?x))", "(p a)\n q\n(<= (r ?x) (p ?x))");
}

#[test]
fn line_ends_of_all_systems_are_read() {
    let unix = "; note\n(role a)\n(<= terminal\n  (p a))\n";
    assert_same(unix, &unix.replace('\n', "\r\n"));
    assert_same(unix, &unix.replace('\n', "\r"));
    assert_eq!(
        clean(&unix.replace('\n', "\r\n")).comments[0].text,
        "; note"
    );
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_same("\u{feff}(role a)", "(role a)");
    assert_eq!(decode("\u{feff}(role a)".as_bytes()), Ok("(role a)"));
}

#[test]
fn keywords_are_read_in_any_case() {
    assert_same(
        "(ROLE a) (Init (p a)) (<= TERMINAL (True (p a)) (Or (NOT (p ?x)) (And (p a) (Distinct a b))))",
        "(role a) (init (p a)) (<= terminal (true (p a)) (or (not (p ?x)) (and (p a) (distinct a b))))",
    );
}

#[test]
fn other_names_keep_their_case() {
    let description = clean("(Cell a A) (cell a A)");
    assert_eq!(kif::sheet(&description), "(Cell a A)\n(cell a A)\n");
}

#[test]
fn variables_keep_their_case_even_when_they_look_like_keywords() {
    let description = clean("(<= (p ?ROLE ?role) (q ?ROLE ?role))");
    assert_eq!(
        kif::sheet(&description),
        "(<= (p ?ROLE ?role) (q ?ROLE ?role))\n"
    );
}

#[test]
fn numbers_are_plain_names() {
    let description = clean("(succ 007 8) (goal a -1) (p 1.5)");
    assert_eq!(
        kif::sheet(&description),
        "(succ 007 8)\n(goal a -1)\n(p 1.5)\n"
    );
}

#[test]
fn names_may_have_marks() {
    let text = "(p a+b a-b a_b a.b a:b a' a* 2b? h%)\n";
    assert_eq!(kif::sheet(&clean(text)), text);
}

#[test]
fn a_pair_of_parentheses_around_the_sheet_is_no_clause() {
    assert_same(
        "((role a) (<= terminal (p a)) open)",
        "(role a) (<= terminal (p a)) open",
    );
    assert_same("( (role a) )", "(role a)");
    assert_same("; START\n(\n(role a)\n(role b)\n)\n", "(role a) (role b)");
}

#[test]
fn a_rule_without_conditions_is_read() {
    let description = clean("(<= (p a))");
    assert!(description.clauses[0].is_rule && description.clauses[0].body.is_empty());
}

#[test]
fn needless_parentheses_are_accepted_with_a_warning() {
    let text = "(open) (<= (terminal) (open) (not (closed))) (init (noop))";
    assert_eq!(codes(text), ["W001"; 5]);
    assert_same(text, "open (<= terminal open (not closed)) (init noop)");
}

#[test]
fn one_name_may_be_a_constant_and_a_function() {
    let description = clean("(init (step 1)) (p step)");
    let kinds: Vec<bool> = description
        .clauses
        .iter()
        .map(|clause| {
            matches!(
                description.term(clause.head.args[0]),
                SyntaxTerm::Compound { .. }
            )
        })
        .collect();
    assert_eq!(kinds, [true, false]);
}

#[test]
fn connectives_nest_in_each_other() {
    let text = "(<= p (not (or (and q (not (not r))) (or s) (and (distinct ?x (f ?y))))))\n";
    let description = clean(text);
    assert_eq!(kif::sheet(&description), text);
    let part = description.clauses[0].body[0];
    assert!(matches!(description.formula(part), Formula::Not(_)));
}

#[test]
fn connectives_are_names_where_only_a_term_can_stand() {
    let text = "(p or (not a) distinct)\n";
    assert_eq!(kif::sheet(&clean(text)), text);
}

#[test]
fn empty_text_is_an_error() {
    for text in ["", "  \r\n", "; only a note", "% only a note"] {
        assert_eq!(codes(text), ["E011"], "{text:?}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_an_error() {
    assert_eq!(
        decode(b"(role a)\r\n(p \xe9)"),
        Err(SourceError::NotUtf8 {
            offset: 13,
            line: 2
        })
    );
}

#[test]
fn a_text_over_the_limit_is_an_error() {
    let bytes = vec![b' '; MAX_BYTES + 1];
    assert_eq!(
        decode(&bytes),
        Err(SourceError::TooLarge {
            bytes: MAX_BYTES + 1,
            limit: MAX_BYTES
        })
    );
    assert!(decode(&bytes[1..]).is_ok());
}

#[test]
fn a_missing_parenthesis_costs_one_clause() {
    let parsed = parse("(role a)\n(<= (p ?x)\n  (q ?x)\n(role b)\n");
    let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E001"]);
    assert_eq!(kif::sheet(&parsed.description), "(role a)\n(role b)\n");
}

#[test]
fn a_parenthesis_too_many_is_pointed_at() {
    let text = "(role é))\n(role b)";
    let parsed = parse(text);
    assert_eq!(parsed.diagnostics[0].code, "E002");
    assert_eq!(parsed.diagnostics[0].labels[0].span.of(text), ")");
    assert_eq!(parsed.description.clauses.len(), 2);
    // The clause before may be a word that ends in a multi-byte character.
    let text = "é)";
    let parsed = ludorum_gdl::parse_as(text, Notation::Kif);
    assert_eq!(parsed.diagnostics[0].labels[1].span.of(text), "é");
}

#[test]
fn every_problem_is_reported_in_one_run() {
    let text = "(p)\n()\n((a) b)\n(?x a)\n(p ?)\n(<=)\n(<= p (not))\n(<= p (distinct a))\n(or a b)\n(p (<= a b))\n";
    let mut found = codes(&format!("(role a)\n{text}"));
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "E003", "E004", "E005", "E007", "E008", "E008", "E009", "E010", "E012", "W001"
        ]
    );
}

#[test]
fn a_control_character_is_an_error() {
    assert_eq!(codes("(role a\u{0}b)"), ["E006"]);
}

#[test]
fn a_flood_of_problems_is_cut_and_counted() {
    let parsed = parse(&")".repeat(100_000));
    assert_eq!(parsed.diagnostics.len(), 1_001);
    let last = &parsed.diagnostics[1_000];
    assert_eq!(
        (last.code, &last.message[..]),
        ("E015", "99000 more errors are not listed")
    );
    // Warnings do not use up the limit of errors.
    let parsed = parse(&("(p)".repeat(5_000) + ")"));
    assert!(parsed.has_errors());
}
