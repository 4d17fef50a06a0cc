//! Mutated sheets through the checker and normalisation.
//!
//! By default, a fixed number of rounds is run with a fixed seed. With the environment variable
//! `LUDORUM_FUZZ_SECONDS=60`, `cargo test -p ludorum-logic --release --test fuzz` runs for that
//! many seconds with a new random seed. A failure prints the text.

use ludorum_gdl::testing::fuzz;
use ludorum_gdl::{check, parse};
use ludorum_logic::rule::Literal;
use ludorum_logic::{Domains, Rules, print};

/// Number of rounds of a default run.
const ROUNDS: u64 = 4_000;

/// Small complete games that use all language features: nested connectives and terms, recursion,
/// negation, helper relations, aliases.
const SHEETS: [&str; 4] = [
    "(role x) (role o)\n(init (control x)) (init (cell 1 b)) (init (cell 2 b))\n(<= (legal ?p (mark ?c)) (true (cell ?c b)) (true (control ?p)))\n\
     (<= (legal ?p noop) (role ?p) (not (true (control ?p))))\n(<= (next (cell ?c ?p)) (does ?p (mark ?c)))\n\
     (<= (next (cell ?c ?v)) (true (cell ?c ?v)) (does ?p (mark ?d)) (or (distinct ?c ?d) (distinct ?v b)))\n\
     (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))\n(<= open (true (cell ?c b)))\n\
     (<= terminal (not open))\n(<= (goal ?p 100) (role ?p) (not open)) (<= (goal ?p 0) (role ?p) open)\n",
    "(role robot)\n(succ 1 2) (succ 2 3) (succ 3 4)\n(<= (less ?x ?y) (succ ?x ?y))\n(<= (less ?x ?z) (less ?x ?y) (succ ?y ?z))\n\
     (init (at (pos 1 (f a))))\n(<= (here ?p) (true (at ?p)))\n(<= (legal robot (go ?y)) (here (pos ?x ?f)) (less ?x ?y))\n\
     (<= (next (at (pos ?y (g ?y ?y)))) (does robot (go ?y)))\n(<= terminal (here (pos 4 ?f)))\n(goal robot 50)\n",
    "(role a) (role b)\n(p 1) (p 2) (q 2) (r 1 2) (r 2 2)\n(<= (s ?x) (p ?x) (not (or (q ?x) (and (r ?x ?y) (not (p ?y))))))\n\
     (<= (t ?x ?y) (p ?x) (p ?y) (or (s ?x) (s ?y) (and (q ?x) (or (r ?x ?y) (r ?y ?x) (not (distinct ?x ?y))))))\n\
     (<= (u ?x) (or (p ?x) (q ?x)) (or (s ?x) (q ?x)) (or (t ?x 1) (t ?x 2)) (or (r ?x 1) (r ?x 2)))\n\
     (<= (legal ?r (m ?x)) (role ?r) (u ?x))\n(init (f (f (f 1))))\n(<= (next (f ?x)) (true (f (f ?x))))\n\
     (<= terminal (true (f ?x)) (not (distinct ?x 1)))\n(<= (goal ?r 100) (role ?r) terminal)\n",
    "% book\nrole(white)\nlegal(W,mark(X,Y)) :-\n  true(cell(X,Y,b)) & index(X) & index(Y) & role(W)\nindex(1)\nindex(2)\n\
     init(cell(1,1,b))\nnext(cell(X,Y,W)) :- does(W,mark(X,Y))\nterminal :- ~open\nopen :- true(cell(X,Y,b)) & (index(X) | ~index(Y))\n\
     goal(W,100) :- role(W) & distinct(W,'Cell')\n",
];

/// Asserts the invariants of [`Rules`] for every accepted sheet.
fn promises_are_kept(rules: &Rules, text: &str) {
    assert!(!rules.roles.is_empty());
    for rule in &rules.rules {
        assert!(!rule.body.is_empty(), "{}", print::rule(rules, rule));
        let mut bound = vec![false; rule.variables.len()];
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                atom.for_each_variable(&mut |v| bound[v as usize] = true);
            }
        }
        assert!(
            bound.iter().all(|b| *b),
            "unsafe: {}\nof {text}",
            print::rule(rules, rule)
        );
        let head = rules.relation(rule.head.relation);
        for literal in &rule.body {
            if let Some(atom) = literal.atom() {
                let relation = rules.relation(atom.relation);
                let is_below = relation.stratum < head.stratum;
                assert!(
                    is_below
                        || relation.stratum == head.stratum
                            && matches!(literal, Literal::Positive(_)),
                    "not stratified: {}\nof {text}",
                    print::rule(rules, rule)
                );
            }
        }
    }
}

#[test]
fn mutated_sheets_are_rejected_or_normalised() {
    let rounds = fuzz(&SHEETS, 3, ROUNDS, |text| {
        let parsed = parse(text);
        let problems = check(&parsed.description);
        for label in problems.iter().flat_map(|problem| &problem.labels) {
            let span = label.span;
            assert!(
                text.get(span.start as usize..span.end as usize).is_some(),
                "{label:?}"
            );
        }
        // The clauses that could be parsed of a broken sheet are a description as well.
        if let Ok(rules) = Rules::new(&parsed.description) {
            promises_are_kept(&rules, text);
            let domains = Domains::new(&rules);
            for rule in &rules.rules {
                let _ = print::rule(&rules, rule);
                let _ = domains.variable_sizes(rule, &rules.terms);
            }
        }
    });
    println!("{rounds} rounds");
}
