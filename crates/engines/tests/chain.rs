//! Forward chaining agrees with the prover under all settings, with and without tables and
//! materialised relations, on random rule sheets and on adversarial ones.

use std::sync::Arc;
use std::time::Duration;

use ludorum_chain::{Chain, ChainSettings, ConditionOrder, MagicSets};
use ludorum_engines::testing::compare;
use ludorum_logic::Rules;
use ludorum_prover::Prover;
use ludorum_reasoner::testing::generate;
use ludorum_reasoner::{GameWalker, Reasoner, ReasonerWalker, Rng};

/// Settings that differ in the relations that are materialised and in the use of tables.
fn settings() -> Vec<(&'static str, ChainSettings)> {
    // Condition orders are hardly measured: on a small sheet that takes longer than everything else.
    let usual = ChainSettings {
        statistics_states: 20,
        order_trial_time: Duration::from_millis(2),
        ..ChainSettings::default()
    };
    let plain = ChainSettings {
        condition_order: ConditionOrder::AsWritten,
        ..usual.clone()
    };
    let worst = ChainSettings {
        condition_order: ConditionOrder::HighestCost,
        ..usual.clone()
    };
    let bare = ChainSettings {
        table_time: Duration::ZERO,
        ..plain.clone()
    };
    let restricted = ChainSettings {
        magic_sets: MagicSets::Always,
        ..plain.clone()
    };
    let deferred = ChainSettings {
        max_rigid_rows: 0,
        ..plain
    };
    let all = ChainSettings {
        max_rigid_rows: 3,
        table_time: Duration::ZERO,
        ..restricted.clone()
    };
    vec![
        ("usual", usual),
        ("worst", worst),
        ("no tables", bare),
        ("restricted", restricted),
        ("nothing written out", deferred),
        ("little written out, restricted, no tables", all),
    ]
}

/// Compares the engine under several settings with the prover over some playouts; returns the
/// number of states compared.
fn compared(
    text: &str,
    settings: Vec<(&str, ChainSettings)>,
    seed: u64,
    playouts: u32,
) -> Result<u32, String> {
    let rules = Rules::from_text(text).map_err(|problems| format!("{problems:?}"))?;
    let rules = Arc::new(rules);
    let prover = Prover::new(Arc::clone(&rules)).map_err(|error| error.to_string())?;
    let mut walkers: Vec<(String, Box<dyn GameWalker>)> = Vec::new();
    let walk = ReasonerWalker::new(prover).map_err(|error| error.to_string())?;
    walkers.push(("prover".to_owned(), Box::new(walk)));
    for (name, settings) in settings {
        let chain = Chain::new(&rules, &settings, None).map_err(|s| format!("{name}: {s}"))?;
        let walk = ReasonerWalker::new(chain).map_err(|error| format!("{name}: {error}"))?;
        walkers.push((name.to_owned(), Box::new(walk)));
    }
    let mut rng = Rng::new(seed);
    let mut states = 0;
    for _ in 0..playouts {
        for (name, walker) in &mut walkers {
            walker.restart().map_err(|e| format!("{name}: {e}"))?;
        }
        states += compare::lockstep(&mut walkers, &mut rng, 12)?;
    }
    Ok(states)
}

#[test]
fn all_chain_settings_agree_with_the_prover_on_random_sheets() {
    let mut states = 0;
    for seed in 10_000..10_300 {
        let text = generate::sheet(seed);
        match compared(&text, settings(), seed, 2) {
            Ok(compared) => states += compared,
            Err(problem) => panic!("seed {seed}: {problem}\n{text}"),
        }
    }
    assert!(states > 300, "most sheets should be played some steps");
}

/// Sheets with constructs that are error-prone.
const ADVERSARIAL: [(&str, &str); 14] = [
    (
        "roles that are terms",
        "(role (player 1)) (role (player 2)) (init (turn (player 1)))
         (<= (legal ?p go) (true (turn ?p))) (<= (legal ?p (wait ?q)) (role ?p) (role ?q) (distinct ?p ?q) (true (turn ?q)))
         (<= (next (turn ?q)) (does ?p (wait ?q))) (<= (next (turn ?p)) (does ?p (wait ?q)))
         (<= terminal (true (turn (player 1))) (true (turn (player 2))))
         (<= (goal (player ?n) 50) (role (player ?n)))",
    ),
    (
        "one name as constant, as function and with several arities",
        "(role a) (init a) (init (a a)) (init (a a (a a)))
         (legal a a) (legal a (a a)) (legal a (a a a)) (<= (legal a (a ?x)) (true (a ?x ?y)))
         (<= (next (a ?x)) (does a (a ?x))) (<= (next (a ?x (a ?x))) (does a (a ?x ?y))) (<= (next a) (does a a)) (<= (next ?f) (true ?f) (does a a))
         (<= (a ?x) (true (a ?x))) (<= (a ?x ?y) (true (a ?x ?y)))
         (<= terminal (not (true a)) (a a)) (<= (goal a 100) (a a (a a))) (<= (goal a 0) (not (a a (a a))))",
    ),
    (
        "distinct over nested terms",
        "(role r) (init (at (f a (g b)))) (init (at (f a (g c)))) (legal r (set (f a (g b)))) (legal r (set (f c (g c))))
         (<= (next (at ?x)) (does r (set ?x))) (<= (next (at (f c ?y))) (true (at (f ?x ?y))) (distinct (f ?x ?y) (f c (g c))))
         (<= (p ?x) (true (at (f ?x ?y))) (distinct ?y (g b))) (<= terminal (p c) (not (p a)))
         (<= (goal r 10) (true (at ?t)) (distinct ?t (f a (g b)))) (<= (goal r 20) (true (at (f a ?t))) (distinct (f ?t ?t) (f (g b) (g c))))",
    ),
    (
        "no fluents at all",
        "(role r) (role s) (legal r a) (legal s b) (<= terminal (not (true never))) (goal r 100) (goal s 0)",
    ),
    (
        "no legal moves, no goals and several goals",
        "(role r) (role s) (role t) (init (n 1)) (<= (legal r go) (true (n 1))) (legal s go) (legal t go)
         (<= (next (n 2)) (does r go)) (goal s 10) (goal s 20) (<= (goal t 5) (true (n 2))) (<= terminal (true (n 3)))",
    ),
    (
        "goals that are no numbers",
        "(role r) (init (n 1)) (legal r go) (<= (next (n 2)) (true (n 1))) (<= terminal (true (n 2))) (goal r win) (<= (goal r (very good)) (true (n 2)))",
    ),
    (
        "or within or and not over both",
        "(role r) (init (on 1)) (init (on 2)) (num 1) (num 2) (num 3)
         (<= (legal r (flip ?x)) (num ?x) (or (true (on ?x)) (and (not (true (on ?x))) (or (distinct ?x 2) (true (on 1))))))
         (<= (next (on ?x)) (num ?x) (or (and (does r (flip ?x)) (not (true (on ?x)))) (and (true (on ?x)) (not (does r (flip ?x))))))
         (<= terminal (or (and (true (on 3)) (not (true (on 1)))) (not (or (true (on 1)) (true (on 2)) (true (on 3))))))
         (<= (goal r 100) (not (or (true (on 1)) (true (on 2))))) (<= (goal r 0) (or (true (on 1)) (true (on 2))))",
    ),
    (
        "strata over recursion",
        "(role r) (init (link a b)) (init (link b c)) (init (link c a)) (node a) (node b) (node c) (node d)
         (<= (legal r (cut ?x ?y)) (true (link ?x ?y))) (<= (legal r (join ?x ?y)) (node ?x) (apart ?x ?y))
         (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does r (cut ?x ?y)))) (<= (next (link ?x ?y)) (does r (join ?x ?y)))
         (<= (path ?x ?y) (true (link ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
         (<= (apart ?x ?y) (node ?x) (node ?y) (not (path ?x ?y)))
         (<= (lonely ?x) (node ?x) (not (some ?x))) (<= (some ?x) (node ?y) (path ?x ?y)) (<= (some ?x) (node ?x) (node ?y) (not (apart ?y ?x)))
         (<= terminal (lonely a)) (<= (goal r 100) (lonely ?x) (not (apart ?x ?x))) (<= (goal r 50) (not (lonely d)))",
    ),
    (
        "mutual recursion through a fixed instance",
        "(role r) (init (s 1)) (num 1) (num 2) (num 3) (succ 1 2) (succ 2 3)
         (<= (p ?x) (true (s ?x))) (<= (p ?x) (p 1) (q ?y) (succ ?y ?x)) (<= (q ?x) (p ?x) (p 1)) (<= (q 3) (q 1))
         (<= (legal r (set ?x)) (q ?x)) (legal r (set 2)) (<= (next (s ?x)) (does r (set ?x)))
         (<= terminal (not (p 1))) (<= (goal r ?x) (q ?x))",
    ),
    (
        "rigid relations with functions, recursion and negation",
        "(role r) (init (at (pos 1 1))) (succ 1 2) (succ 2 3) (succ 3 4)
         (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (less ?x ?y) (less ?y ?z))
         (<= (num ?x) (succ ?x ?y)) (<= (num ?y) (succ ?x ?y))
         (<= (cell (pos ?x ?y)) (num ?x) (num ?y)) (<= (way (pos ?x ?y) (pos ?u ?y)) (cell (pos ?x ?y)) (less ?x ?u) (not (far ?x ?u)))
         (<= (way (pos ?x ?y) (pos ?x ?v)) (cell (pos ?x ?y)) (succ ?y ?v)) (<= (far ?x ?y) (less ?x ?z) (less ?z ?y) (distinct ?z 2))
         (<= (reach ?a ?b) (way ?a ?b)) (<= (reach ?a ?c) (reach ?b ?c) (way ?a ?b)) (<= (stuck ?a) (cell ?a) (not (leads ?a))) (<= (leads ?a) (reach ?a ?b))
         (<= (legal r (go ?b)) (true (at ?a)) (way ?a ?b)) (<= (legal r stay) (true (at ?a)) (stuck ?a))
         (<= (next (at ?b)) (does r (go ?b))) (<= (next (at ?a)) (true (at ?a)) (does r stay))
         (<= terminal (true (at ?a)) (stuck ?a)) (<= (goal r 100) (true (at ?a)) (reach ?a (pos 4 4))) (<= (goal r 0) (true (at ?a)) (not (reach ?a (pos 4 4))))",
    ),
    (
        "cycles in rigid relations",
        "(role r) (init (at a)) (edge a b) (edge b c) (edge c a) (edge d a)
         (<= (reach ?x ?y) (edge ?x ?y)) (<= (reach ?x ?y) (reach ?x ?z) (reach ?z ?y))
         (<= (both ?x ?y) (reach ?x ?y) (reach ?y ?x)) (<= (even ?x ?x) (edge ?x ?y)) (<= (even ?x ?z) (odd ?x ?y) (edge ?y ?z)) (<= (odd ?x ?z) (even ?x ?y) (edge ?y ?z))
         (<= (legal r (go ?y)) (true (at ?x)) (both ?x ?y) (even ?x ?y)) (<= (legal r (hop ?y)) (true (at ?x)) (odd ?x ?y))
         (<= (next (at ?y)) (does r (go ?y))) (<= (next (at ?y)) (does r (hop ?y)))
         (<= terminal (true (at d))) (<= (goal r 100) (true (at ?x)) (both ?x d)) (<= (goal r 30) (true (at ?x)) (reach d ?x) (not (both ?x d)))",
    ),
    (
        "a negated condition that can never hold, a query outside of every domain",
        "(role r) (init (x 1)) (legal r go) (<= (next (x ?y)) (does r (do ?y))) (<= (legal r (do ?y)) (num ?y) (not (true (y ?y)))) (num 1) (num 2)
         (<= (next (x 1)) (does r go) (not (true (x 7))) (not (true z)))
         (<= terminal (true (x 9))) (<= (goal r 1) (not (true (x (f 1))))) (<= (goal r 2) (true (x (f 1))))",
    ),
    (
        "a variable twice in a condition and in the head",
        "(role r) (init (p a a)) (init (p a b)) (init (p b b)) (<= (legal r (m ?x ?x)) (true (p ?x ?x))) (<= (legal r (m ?x ?y)) (true (p ?x ?y)))
         (<= (next (p ?y ?y)) (does r (m ?x ?y))) (<= (next (p ?x ?y)) (true (p ?x ?z)) (true (p ?z ?y)))
         (<= (d ?x ?x ?y) (true (p ?x ?y))) (<= terminal (not (d a a b))) (<= (goal r 100) (d ?x ?y ?x) (not (d ?y ?x a))) (<= (goal r 0) (not (d b b b)))",
    ),
    (
        "moves and fluents read as wholes",
        "(role r) (role s) (init (f 1)) (init g) (init (h 1 2)) (legal r (f 1)) (legal r g) (legal s (h 1 2)) (legal s noop)
         (<= (next ?x) (does ?p ?x) (true ?x)) (<= (next (did ?p ?x)) (does ?p ?x)) (<= (next (f 1)) (does r ?x) (distinct ?x g))
         (<= (known ?x) (true ?x)) (<= terminal (not (known g)) (not (known (f 1)))) (<= (goal r 100) (known (did s noop))) (<= (goal s 0) (true (did ?p (h ?x ?y))))",
    ),
];

#[test]
fn chain_agrees_with_the_prover_on_adversarial_sheets() {
    let mut problems = Vec::new();
    for (what, text) in ADVERSARIAL {
        if let Err(problem) = compared(text, settings(), 7, 6) {
            problems.push(format!("{what}: {problem}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// A relation of nearly a hundred million rows that is queried one row at a time, and a recursive
/// relation.
#[allow(clippy::format_collect)] // concatenated once, at set-up
fn large() -> String {
    let digits: String = (0..10)
        .map(|i| format!("(digit {i}) (init (at {i} {i})) "))
        .collect();
    let successors: String = (0..1_500)
        .map(|i| format!("(succ {i} {}) ", i + 1))
        .collect();
    let code = "?a ?b ?c ?d ?e ?f ?g ?h";
    let names = ["?a", "?b", "?c", "?d", "?e", "?f", "?g", "?h"];
    let all: String = names.iter().map(|v| format!("(digit {v}) ")).collect();
    let read: String = (0..8)
        .map(|i| format!("(true (at {i} {})) ", names[i]))
        .collect();
    format!(
        "(role r) {digits} {successors} (init (n 0))
         (<= (legal r (set ?i ?d)) (digit ?i) (digit ?d)) (<= (same ?x ?x) (digit ?x))
         (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= (next (at ?i ?d)) (does r (set ?i ?d)))
         (<= (next (at ?i ?d)) (true (at ?i ?d)) (does r (set ?j ?e)) (distinct ?i ?j))
         (<= (code {code}) {all} (not (same ?a ?h))) (<= (turned ?h ?a ?b ?c ?d ?e ?f ?g) (code {code}))
         (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
         (<= terminal (true (n ?x)) (less 100 ?x))
         (<= (goal r 100) {read} (turned {code}) (true (n ?x)) (less ?x 1200)) (<= (goal r 0) {read} (not (turned {code})))"
    )
}

#[test]
#[allow(clippy::format_collect)] // concatenated once, at set-up
fn relations_that_are_not_materialised_are_evaluated_on_demand() {
    // The directions from one cell to another for any two cells of a 50 x 50 grid, with walls in
    // the state.
    let numbers: String = (0..50)
        .map(|i| format!("(succ {i} {}) (num {i}) ", i + 1))
        .collect();
    let text = format!(
        "(role r) {numbers} (init (at 3 4)) (init (goal-at 7 1)) (init (wall 4)) (init (n 0))
         (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
         (<= (side ?x ?y up) (less ?x ?y)) (<= (side ?x ?y down) (less ?y ?x)) (<= (side ?x ?x none) (num ?x))
         (<= (way ?x ?y ?u ?v ?a ?b) (side ?x ?u ?a) (side ?y ?v ?b))
         (<= (open ?x ?a) (num ?x) (dir ?a) (not (true (wall ?x)))) (dir up) (dir down) (dir none)
         (<= (toward ?x ?y ?u ?v ?a) (way ?x ?y ?u ?v ?a ?b) (open ?x ?b)) (<= (toward ?x ?y ?u ?v ?b) (way ?x ?y ?u ?v ?a ?b) (open ?x ?b) (distinct ?a ?b))
         (<= (legal r (go ?a)) (dir ?a)) (<= (next (wall ?x)) (true (n ?x))) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
         (<= (next (goal-at ?u ?v)) (true (goal-at ?u ?v))) (<= (next (at ?z ?y)) (does r (go up)) (true (at ?x ?y)) (succ ?x ?z))
         (<= (next (at ?x ?z)) (does r (go down)) (true (at ?x ?y)) (succ ?z ?y)) (<= (next (at ?x ?y)) (does r (go none)) (true (at ?x ?y)))
         (<= (best ?a) (true (at ?x ?y)) (true (goal-at ?u ?v)) (toward ?x ?y ?u ?v ?a)) (<= (lost ?x) (num ?x) (true (at ?x ?y)) (not (toward ?x ?y ?y ?x up)))
         (<= terminal (true (n 9))) (<= (goal r ?a) (best ?a)) (<= (goal r (lost ?x)) (lost ?x))"
    );
    // Any other condition order would enumerate the relation with unbound cells.
    let usual = vec![("usual", ChainSettings::default())];
    assert!(compared(&text, usual, 3, 3).expect("no difference") > 20);
    let rules = Rules::from_text(&text).expect("rules");
    let chain = Chain::new(&rules, &ChainSettings::default(), None).expect("an engine");
    // The relation `way` and the relation that queries it.
    assert_eq!(chain.report().top_down_relations, 2);
}

#[test]
fn relations_with_a_hundred_million_rows_are_queried_on_demand() {
    let text = large();
    let rules = Arc::new(Rules::from_text(&text).expect("rules"));
    let chain = Chain::new(&rules, &ChainSettings::default(), None).expect("an engine");
    let report = chain.report();
    // `code` and `turned`, which is a permutation of it.
    assert_eq!(report.top_down_relations, 2, "{report:?}");
    assert!(report.rigid_bytes < 16 << 20, "{report:?}");
    let mut prover = Prover::new(Arc::clone(&rules)).expect("a prover");
    let mut fork = chain.fork();
    let mut state = fork.initial().expect("a state");
    let mut rng = Rng::new(3);
    for _ in 0..12 {
        let same = prover
            .state_from_facts(&fork.facts(&state))
            .expect("a state");
        assert_eq!(fork.goal(&state, 0), prover.goal(&same, 0));
        assert_eq!(fork.is_terminal(&state), prover.is_terminal(&same));
        let mut moves = Vec::new();
        fork.legal_moves(&state, 0, &mut moves).expect("moves");
        let id = moves[rng.below(moves.len())];
        state = fork.next(&state, &[id]).expect("a state");
    }
}
