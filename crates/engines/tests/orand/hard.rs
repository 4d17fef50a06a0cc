//! Rule sheets that are hard for the OR-AND interpreter: variables for whole fluents, states beyond
//! the learned filters, guarded recursion, long rules, many nodes.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use ludorum_engines::Engine;
use ludorum_engines::testing::compare;
use ludorum_orand::{Orand, OrandSettings};
use ludorum_reasoner::{ReasonError, Reasoner};

use super::{agree, is_terminal, recursive_sheet, rules, settings};

fn all_agree(text: &str, limit: u32) {
    let rules = Arc::new(rules(text));
    if let Err(problem) = agree(&rules, &settings(), 3, 3, limit) {
        panic!("{problem}\n\n{text}");
    }
}

#[test]
fn a_term_that_is_never_a_fluent_is_not_true() {
    all_agree(
        "(role r) (p a) (p b) (init a) (<= (legal r (take ?x)) (p ?x) (not (true ?x))) (legal r noop)
         (<= (next a) (not (true a))) (<= terminal (not (true a))) (<= (goal r 100) (true a))",
        3,
    );
    all_agree(
        "(role r) (p (at a)) (p (at b)) (p c) (p (near a b)) (p (at (at a))) (init (at a))
         (<= (legal r (m ?x)) (p ?x) (not (true ?x)) (distinct ?x c)) (legal r noop)
         (<= (next (at b)) (true (at a))) (<= terminal (true (at b))) (<= (goal r 100) (true (at b)))",
        3,
    );
}

#[test]
fn variables_stand_for_fluents_of_any_kind() {
    // Variables that match fluents, moves and other terms, in bodies and heads.
    all_agree(
        "(role r) (role s) (init (on a)) (init b) (init (pair a b)) (gate (on c)) (gate d) (gate (turn x (f y)))
         (<= (legal ?p (drop ?x)) (role ?p) (true ?x)) (<= (legal ?p ?x) (role ?p) (gate ?x))
         (<= (next ?x) (true ?x) (not (does r (drop ?x)))) (<= (next ?x) (does ?p ?x))
         (<= (next ?x) (gate ?x) (not (true ?x)) (true b)) (<= (next (on ?x)) (true (pair ?x ?y)) (true ?y))
         (<= terminal (true ?x) (gate ?x) (not (true b))) (<= (goal r 50) (true ?x) (not (gate ?x)))
         (<= (goal s 70) (does ?p ?x))",
        8,
    );
    // Fluents that nest without bound.
    all_agree(
        "(role r) (init z) (legal r go) (<= (next (s ?x)) (true ?x)) (<= (next z) (true z))
         (<= terminal (true (s (s (s z))))) (q (s z)) (q (s (s (s z)))) (q y)
         (<= (legal r (see ?x)) (q ?x) (not (true ?x))) (<= (goal r 50) (true ?x) (q ?x))",
        6,
    );
}

#[test]
fn rules_over_pairs_of_whole_fluents_are_supported() {
    let mut text = String::from(
        "(role r) (legal r noop) (goal r 100) (<= terminal (true f0) (not (true f3)))
         (<= (next ?x) (true ?x) (true ?y) (not (gone ?x))) (<= (gone ?x) (true ?x) (p ?x)) (p f3)",
    );
    for i in 0..150 {
        let _ = write!(text, "(init f{i})");
    }
    let rules = Arc::new(rules(&text));
    assert_eq!(agree(&rules, &[OrandSettings::default()], 1, 1, 4), Ok(2));
}

/// A sheet whose state has few items for `quiet` steps and many later. A query looks up five items
/// among all combinations.
fn growing(quiet: usize, busy: usize) -> String {
    let mut text = String::from(
        "(role r) (init (at 0)) (init (on n0)) (init (v n0 n0 n0 n0 n0))
         (<= (big ?x) (true (on ?x)))
         (<= (q ?a ?b ?c ?d ?e) (big ?a) (big ?b) (big ?c) (big ?d) (big ?e))
         (<= (legal r (go ?a)) (true (v ?a ?b ?c ?d ?e)) (q ?a ?b ?c ?d ?e))
         (<= (next (on ?x)) (true (on ?x)))
         (<= (next (on ?n)) (true (at ?i)) (late ?i) (name ?i ?n))
         (<= (next (v ?a ?b ?c ?d ?e)) (true (v ?a ?b ?c ?d ?e)))
         (<= (next (at ?j)) (true (at ?i)) (succ ?i ?j)) (<= terminal (true (at end))) (goal r 50)",
    );
    for i in 0..quiet + busy {
        let _ = write!(text, "(succ {i} {})(name {i} n{i})", i + 1);
        if i >= quiet {
            let _ = write!(text, "(late {i})");
        }
    }
    text
}

#[test]
fn a_dropped_filter_is_restored_when_a_state_needs_it() {
    let (quiet, busy) = (600, 100);
    let mut orand =
        Orand::new(&rules(&growing(quiet, busy)), OrandSettings::default()).expect("an engine");
    let mut state = orand.initial().expect("a state");
    let mut moves = Vec::new();
    let mut most_dropped = 0;
    for _ in 0..quiet + busy {
        orand.legal_moves(&state, 0, &mut moves).expect("moves");
        assert_eq!(moves.len(), 1);
        state = orand.next(&state, &moves).expect("a state");
        most_dropped = most_dropped.max(orand.filter_counts().1);
    }
    assert!(
        most_dropped > 0,
        "a filter over one combination does not pay"
    );
    assert!(orand.filter_counts().1 < most_dropped);
}

/// Valid recursion: the arguments of the recursive condition are bounded by another condition, or
/// occur in the head.
const GUARDED: [&str; 3] = [
    "(role r) (init (u (s (s (q z))))) (init (n 0)) (succ 0 1) (succ 1 2)
     (init (kk (s (s (s z))) 1)) (init (kk (s (s z)) 1)) (init (kk (s (s z)) 2)) (init (kk (s z) 0))
     (<= (ok ?y) (true (u ?y))) (<= (ok ?x) (ok (s ?x)) (known (s ?x) ?k))
     (<= (known ?y ?k) (true (kk ?y ?k)) (not (true (bad ?y))))
     (<= (known ?y ?k) (true (kk ?y ?k)) (true (bad ?k)))
     (<= (legal r (m ?x)) (true (kk ?x ?k)) (ok ?x)) (<= (legal r (m z)) (ok z)) (legal r noop)
     (<= (next (u ?x)) (true (u ?x))) (<= (next (kk ?x ?y)) (true (kk ?x ?y)))
     (<= (next (bad ?x)) (does r (m ?x))) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
     (<= terminal (true (n 2))) (goal r 100)",
    // The bounding condition or the recursive one is inside an `or`.
    "(role r) (init (u (s (s (s z))))) (init (k (s (s (s z))))) (init (k (s (s z)))) (init (n 0)) (succ 0 1) (succ 1 2)
     (<= (ok ?y) (true (u ?y)))
     (<= (ok ?x) (ok (s ?x)) (or (known (s ?x)) (and (known (s ?x)) (true (n 1)))))
     (<= (fine ?y) (true (u ?y)))
     (<= (fine ?x) (known (s ?x)) (or (fine (s ?x)) (ok (s ?x))))
     (<= (known ?y) (true (k ?y)) (not (true (bad ?y))))
     (<= (legal r (m ?x)) (true (k ?x)) (ok ?x) (fine ?x)) (<= (legal r m) (ok z)) (<= (legal r f) (fine (s z))) (legal r noop)
     (<= (next (u ?x)) (true (u ?x))) (<= (next (k ?x)) (true (k ?x))) (<= (next (bad ?x)) (does r (m ?x)))
     (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 2))) (goal r 100)",
    // The head contains the term, and a query may leave it unbound.
    "(role r) (init (top (s (s (s z))) (s (s (s (s z)))))) (init (n 0)) (succ 0 1) (succ 1 2) (init (w z)) (init (w (s z)))
     (init (q (s (s z)))) (init (q (s (s (s z))))) (init (q (s (s (s (s z))))))
     (<= (p ?x ?y) (true (top ?x ?y)))
     (<= (p ?x (s ?x)) (p (s ?x) ?y) (true (q ?y)))
     (<= (legal r (m ?x)) (true (w ?x)) (p ?x ?y)) (legal r noop)
     (<= (next (top ?x ?y)) (true (top ?x ?y))) (<= (next (w ?x)) (true (w ?x))) (<= (next (q ?x)) (true (q ?x)))
     (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 2))) (goal r 100)",
];

#[test]
fn recursion_bounded_by_another_condition_terminates() {
    for text in GUARDED {
        for engine in [Engine::PROVER, Engine::ORAND] {
            if let Err(problem) = compare::with_naive(text, engine, 1, 4) {
                panic!("{engine:?}: {problem}\n\n{text}");
            }
        }
        let filtered: Vec<_> = settings().into_iter().filter(|s| s.filters).collect();
        if let Err(problem) = agree(&Arc::new(rules(text)), &filtered, 3, 2, 4) {
            panic!("{problem}\n\n{text}");
        }
    }
}

/// A rule with many conditions that share a variable.
fn long_rule(conditions: usize) -> String {
    let mut text = String::from(
        "(role r) (e a0 b0) (e a0 b1) (e a1 b0) (e a1 b1) (init (w b0)) (<= (next (w ?x)) (true (w ?x)))
         (<= terminal (true (w b1))) (goal r 100) (<= (legal r (m ?x))",
    );
    for i in 0..conditions {
        let _ = write!(text, " (e ?x ?y{i})");
    }
    for i in 1..conditions {
        let _ = write!(text, " (true (w ?y{i}))");
    }
    text + ")"
}

#[test]
fn a_rule_with_a_thousand_conditions_is_planned_in_time() {
    let mut orand =
        Orand::new(&rules(&long_rule(700)), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    let mut moves = Vec::new();
    orand.legal_moves(&start, 0, &mut moves).expect("moves");
    assert_eq!(moves.len(), 2);
}

#[test]
fn building_the_engine_checks_the_deadline() {
    let rules = rules(&long_rule(50));
    let made = Orand::with_deadline(&rules, OrandSettings::default(), Some(Instant::now()));
    assert!(matches!(made, Err(ReasonError::Stopped)), "{made:?}");
}

/// All permutations of some items, generated by a transposition and a rotation.
fn orders(things: usize) -> String {
    let vars = |order: &[usize]| {
        let names = order.iter().map(|i| format!("?v{i}"));
        names.collect::<Vec<_>>().join(" ")
    };
    let consts = |order: &[usize]| vars(order).replace("?v", "c");
    let same: Vec<usize> = (0..things).collect();
    let mut swapped = same.clone();
    swapped.swap(0, 1);
    let mut turned = same.clone();
    turned.rotate_left(1);
    let back: Vec<usize> = same.iter().rev().copied().collect();
    format!(
        "(role r) (init (s {first})) (legal r noop) (<= (legal r win) (p {last}))
         (<= (p {same}) (true (s {same}))) (<= (p {same}) (p {turned})) (<= (p {same}) (p {swapped}))
         (<= (next (s {first})) (true (s {first}))) (<= terminal (p {first} )) (goal r 100)",
        first = consts(&same),
        last = consts(&back),
        same = vars(&same),
        turned = vars(&turned),
        swapped = vars(&swapped),
    )
}

#[test]
fn constants_in_recursion_do_not_create_a_node_for_every_row() {
    let text = orders(7);
    let mut orand = Orand::new(&rules(&text), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    let mut moves = Vec::new();
    orand.legal_moves(&start, 0, &mut moves).expect("moves");
    assert_eq!(moves.len(), 2);
    assert!(orand.node_count() < 2_000, "{} nodes", orand.node_count());
    all_agree(&orders(6), 1);
}

#[test]
fn nodes_count_as_memory() {
    let mut text = String::from(
        "(role r) (init (at a)) (<= (next (at ?x)) (true (at ?x))) (<= (goal r 100) (true (at a)))
         (<= (legal r (go ?x)) (p0 ?x)) (<= (p4000 ?x) (true (at ?x))) (<= terminal (true (at b)))",
    );
    for i in 0..4_000 {
        let _ = write!(
            text,
            "(<= (p{i} ?x) (p{} ?x) (not (true (bad {i} ?x))))",
            i + 1
        );
    }
    let settings = OrandSettings {
        max_bytes: 3 << 20,
        ..OrandSettings::default()
    };
    let rules = rules(&text);
    let mut orand = Orand::new(&rules, settings).expect("an engine");
    let start = orand.initial().expect("a state");
    let mut moves = Vec::new();
    let answer = orand.legal_moves(&start, 0, &mut moves);
    assert!(
        matches!(&answer, Err(ReasonError::Budget(text)) if text.contains("MiB")),
        "{answer:?}"
    );
    assert!(orand.goal(&start, 0).is_ok());
    let mut roomy = Orand::new(&rules, OrandSettings::default()).expect("an engine");
    let start = roomy.initial().expect("a state");
    assert_eq!(roomy.legal_moves(&start, 0, &mut moves), Ok(()));
    assert_eq!(moves.len(), 1);
}

#[test]
fn deep_recursion_takes_linear_work() {
    let depth = 20_000;
    let mut chain = String::from(
        "(<= (below ?x ?y) (succ ?x ?y) (true (at a))) (<= (below ?x ?z) (succ ?x ?y) (below ?y ?z))",
    );
    for i in 0..depth {
        let _ = write!(chain, "(succ {i} {})", i + 1);
    }
    let rules = recursive_sheet(&chain, &format!("(below 0 {depth})"));
    assert!(is_terminal(&rules, OrandSettings::default()));
}

#[test]
fn terms_of_an_infinite_relation_are_not_kept() {
    let text = "(role r) (init (at z)) (legal r go) (<= (next (at ?x)) (true (at ?x))) (goal r 100)
        (nat z) (<= (nat (s ?x)) (nat ?x)) (<= terminal (true (at ?x)) (nat ?x))";
    let mut orand = Orand::new(&rules(text), OrandSettings::default()).expect("an engine");
    assert!(orand.rowset_bytes() < 1 << 20, "{}", orand.rowset_bytes());
    let start = orand.initial().expect("a state");
    assert_eq!(orand.is_terminal(&start), Ok(true));
}
