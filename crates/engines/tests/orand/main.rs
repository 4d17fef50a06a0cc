//! The OR-AND interpreter: its switches change only its speed, it terminates on every valid rule
//! sheet, and its memory is bounded.

mod hard;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_engines::testing::compare;
use ludorum_logic::Rules;
use ludorum_orand::{Orand, OrandSettings, RowLookup};
use ludorum_prover::Prover;
use ludorum_reasoner::testing::generate;
use ludorum_reasoner::{GameWalker, Goal, PlayoutEnd, ReasonError, Reasoner, ReasonerWalker, Rng};

/// The default settings with one switch changed each, and one with every switch off.
fn settings() -> Vec<OrandSettings> {
    let all = OrandSettings::default();
    vec![
        all,
        OrandSettings {
            filters: false,
            ..all
        },
        OrandSettings {
            row_lookup: RowLookup::Scan,
            ..all
        },
        OrandSettings {
            row_lookup: RowLookup::Spans,
            ..all
        },
        OrandSettings {
            row_lookup: RowLookup::Spans,
            filtering_order: false,
            ..all
        },
        OrandSettings {
            remove_filters: false,
            ..all
        },
        OrandSettings {
            table_recurrent: false,
            ..all
        },
        OrandSettings {
            reuse_results: false,
            ..all
        },
        OrandSettings {
            reuse_supersets: false,
            ..all
        },
        OrandSettings {
            or_forks: false,
            ..all
        },
        OrandSettings {
            join_facts: false,
            ..all
        },
        OrandSettings {
            filters: true,
            row_lookup: RowLookup::Scan,
            remove_filters: false,
            filtering_order: false,
            table_recurrent: false,
            reuse_results: false,
            reuse_supersets: false,
            or_forks: false,
            join_facts: false,
            ..all
        },
    ]
}

fn rules(text: &str) -> Rules {
    Rules::from_text(text).expect("rules")
}

/// Compares the prover and the interpreter under several settings in lockstep; returns the number
/// of states compared.
fn agree(
    rules: &Arc<Rules>,
    settings: &[OrandSettings],
    seed: u64,
    playouts: u64,
    limit: u32,
) -> Result<u32, String> {
    let prover = Prover::new(Arc::clone(rules)).map_err(|e| e.to_string())?;
    let prover = ReasonerWalker::new(prover).map_err(|e| e.to_string())?;
    let mut walkers: Vec<(String, Box<dyn GameWalker>)> =
        vec![("prover".to_owned(), Box::new(prover))];
    for one in settings {
        let orand = Orand::new(rules, *one).map_err(|e| e.to_string())?;
        let walk = ReasonerWalker::new(orand).map_err(|e| e.to_string())?;
        walkers.push((format!("{one:?}"), Box::new(walk)));
    }
    let mut compared = 0;
    for playout in 0..playouts {
        for (_, walker) in &mut walkers {
            walker.restart().map_err(|e| e.to_string())?;
        }
        let mut rng = Rng::new(seed + 1_000 * playout);
        compared += compare::lockstep(&mut walkers, &mut rng, limit)?;
    }
    Ok(compared)
}

#[test]
fn no_switch_changes_an_answer_on_random_sheets() {
    let count = std::env::var("LUDORUM_RANDOM_SHEETS");
    let count = count.ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    for seed in 0..count {
        let text = generate::sheet(seed);
        let rules = Arc::new(rules(&text));
        if let Err(problem) = agree(&rules, &settings(), seed, 2, 6) {
            panic!("seed {seed}: {problem}\n\n{text}");
        }
    }
}

#[test]
fn no_switch_changes_an_answer_on_shipped_games() {
    for name in [
        "tic-tac-toe",
        "connect-four",
        "reversi-6x6",
        "hex",
        "nim",
        "chinese-checkers-3",
        "pursuit",
    ] {
        let game = ludorum_games::find(name).expect("a shipped game");
        let rules = Arc::new(rules(game.text));
        if let Err(problem) = agree(&rules, &settings(), 7, 1, 15) {
            panic!("{name}: {problem}");
        }
    }
}

/// A sheet whose terminal condition queries a recursive relation.
fn recursive_sheet(recursion: &str, end: &str) -> Rules {
    rules(&format!(
        "(role robot) (init (at a)) (legal robot go) (<= (next (at ?x)) (true (at ?x)))
         (goal robot 100) {recursion} (<= terminal {end})"
    ))
}

fn is_terminal(rules: &Rules, settings: OrandSettings) -> bool {
    let mut orand = Orand::new(rules, settings).expect("an engine");
    let start = orand.initial().expect("a state");
    orand.is_terminal(&start).expect("an answer")
}

#[test]
fn recursion_through_a_cycle_terminates() {
    let graph = "(edge a b) (edge b c) (edge c a) (edge d e)
        (<= (reach ?x ?y) (edge ?x ?y) (true (at a)))
        (<= (reach ?x ?z) (edge ?x ?y) (reach ?y ?z))";
    for settings in settings() {
        assert!(is_terminal(
            &recursive_sheet(graph, "(reach a c)"),
            settings
        ));
        assert!(!is_terminal(
            &recursive_sheet(graph, "(reach a d)"),
            settings
        ));
    }
}

#[test]
fn left_recursion_and_mutual_recursion_terminate() {
    let graph = "(edge a b) (edge b c) (edge c d) (edge d b)
        (<= (left ?x ?y) (edge ?x ?y) (true (at a)))
        (<= (left ?x ?z) (left ?x ?y) (edge ?y ?z))
        (<= (odd ?x ?y) (edge ?x ?y) (true (at a)))
        (<= (odd ?x ?z) (even ?x ?y) (edge ?y ?z))
        (<= (even ?x ?z) (odd ?x ?y) (edge ?y ?z))";
    for settings in settings() {
        assert!(is_terminal(&recursive_sheet(graph, "(left a d)"), settings));
        assert!(!is_terminal(
            &recursive_sheet(graph, "(left b a)"),
            settings
        ));
        assert!(is_terminal(&recursive_sheet(graph, "(even a b)"), settings));
        assert!(!is_terminal(
            &recursive_sheet(graph, "(even a a)"),
            settings
        ));
    }
}

#[test]
fn recursion_deeper_than_the_stack_terminates() {
    let mut facts = String::new();
    for i in 0..3_000 {
        facts += &format!("(succ {i} {})", i + 1);
    }
    let chain = format!(
        "{facts} (<= (below ?x ?y) (succ ?x ?y) (true (at a)))
         (<= (below ?x ?z) (succ ?x ?y) (below ?y ?z))"
    );
    let rules = recursive_sheet(&chain, "(below 0 3000)");
    assert!(is_terminal(&rules, OrandSettings::default()));
}

#[test]
fn growing_terms_are_one_symbol_each() {
    let text = "(role robot) (init (at zero)) (legal robot go)
        (<= (next (at (s ?x))) (true (at ?x)))
        (<= (even zero) (true (at ?x))) (<= (even (s (s ?x))) (even ?x))
        (<= terminal (true (at (s (s (s (s zero)))))) (even (s (s (s (s zero))))))
        (<= (goal robot 100) (true (at ?x)))";
    let rules = Arc::new(rules(text));
    let filtered: Vec<OrandSettings> = settings().into_iter().filter(|s| s.filters).collect();
    assert_eq!(agree(&rules, &filtered, 1, 1, 10), Ok(5));
}

#[test]
fn an_infinite_query_exceeds_the_budget_and_the_engine_stays_usable() {
    let text = "(role robot) (init (at a)) (legal robot go) (<= (next (at ?x)) (true (at ?x)))
        (<= (grow ?x) (true (at ?x))) (<= (grow (f ?x)) (grow ?x)) (<= terminal (grow ?x) (true (at ?x)) (grow b))
        (<= (goal robot 100) (grow (f ?x)))";
    let mut orand = Orand::new(&rules(text), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    orand.set_deadline(Some(Instant::now() + Duration::from_millis(200)));
    assert!(matches!(
        orand.goal(&start, 0),
        Err(ReasonError::Stopped | ReasonError::Budget(_))
    ));
    orand.set_deadline(None);
    let mut moves = Vec::new();
    orand.legal_moves(&start, 0, &mut moves).expect("moves");
    assert_eq!(orand.next(&start, &moves).expect("a state"), start);
}

#[test]
fn a_query_after_the_deadline_is_stopped() {
    let game = ludorum_games::find("tic-tac-toe").expect("a shipped game");
    let mut orand = Orand::new(&rules(game.text), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    orand.set_deadline(Some(Instant::now()));
    assert_eq!(orand.is_terminal(&start), Err(ReasonError::Stopped));
    orand.set_deadline(None);
    assert_eq!(orand.is_terminal(&start), Ok(false));
}

#[test]
fn a_fluent_that_no_rule_derives_is_rejected() {
    let game = ludorum_games::find("tic-tac-toe").expect("a shipped game");
    let mut orand = Orand::new(&rules(game.text), OrandSettings::default()).expect("an engine");
    for fact in ["(nothing 1)", "(cell (f 1) 1 b)"] {
        let answer = orand.state_from_facts(&[fact.to_owned()]);
        assert!(matches!(answer, Err(ReasonError::BadText { .. })), "{fact}");
    }
}

#[test]
fn the_same_seed_gives_the_same_playout_after_any_history() {
    let game = ludorum_games::find("connect-four").expect("a shipped game");
    let rules = rules(game.text);
    let mut used = Orand::new(&rules, OrandSettings::default()).expect("an engine");
    let start = used.initial().expect("a state");
    for seed in 0..100 {
        used.playout(&start, &mut Rng::new(seed), 500)
            .expect("a game");
    }
    let mut fresh = Orand::new(&rules, OrandSettings::default()).expect("an engine");
    for seed in 0..20 {
        let start = fresh.initial().expect("a state");
        let one = fresh.playout(&start, &mut Rng::new(seed), 500);
        let other = used.playout(&start, &mut Rng::new(seed), 500);
        assert_eq!(one, other);
    }
}

/// Rowsets never shrink, so their memory is bounded only if they stop growing.
#[test]
fn rowsets_stop_growing_in_othello() {
    let sheet = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/games/base/othello-comp2007.kif");
    let Ok(text) = std::fs::read_to_string(sheet) else {
        println!("skipped: the sheet is not there");
        return;
    };
    // All playouts would take minutes without optimisation.
    let playouts = if cfg!(debug_assertions) { 30 } else { 1_000 };
    let mut orand = Orand::new(&rules(&text), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    let mut rng = Rng::new(1);
    let mut early = 0;
    for playout in 0..playouts {
        let end = orand.playout(&start, &mut rng, 200).expect("a game").end;
        assert_eq!(end, PlayoutEnd::Terminal);
        if playout == playouts / 10 {
            early = orand.rowset_bytes();
        }
    }
    let late = orand.rowset_bytes();
    assert!(
        late <= 2 * early && late < 64 << 20,
        "{early} bytes early, {late} late"
    );
}

/// One name as a constant and as a function of arity one and two, in the same argument.
const NAMES: &str = "(role r) (init (at f)) (init (at (f a))) (init (at (f a b))) (legal r go)
    (<= (legal r (one ?x)) (true (at (f ?x)))) (<= (legal r (two ?x ?y)) (true (at (f ?x ?y))))
    (<= (next (at ?x)) (true (at ?x))) (<= (next (at (f ?x))) (does r (two ?x ?y)))
    (<= terminal (true (at none))) (<= (goal r 50) (true (at (f ?x))))";

/// The same, with arguments that nest without bound.
const DEEP_NAMES: &str =
    "(role r) (init (at f)) (init (at (f (s (s z))))) (init (n z)) (legal r go)
    (<= (legal r (one ?x)) (true (at (f (s ?x))))) (<= (next (at ?x)) (true (at ?x)))
    (<= (next (at (f ?x))) (true (n ?x))) (<= (next (n (s ?x))) (true (n ?x)))
    (<= terminal (true (n (s (s (s z)))))) (<= (goal r 50) (true (at (f ?x))))";

/// Moves of one name with several arities.
const MOVES: &str = "(role r) (init ok) (init (hold nothing)) (init (hold (nothing 1)))
    (<= (legal r ?m) (mv ?m)) (mv pass) (mv (pass 1)) (mv (pass 1 2))
    (<= (next (hold ?x)) (does r (pass ?x))) (<= (next ok) (true ok))
    (<= terminal (true (hold (other ?x)))) (<= (goal r 50) (true ok))";

#[test]
fn names_with_different_arities_are_different_symbols() {
    for text in [NAMES, DEEP_NAMES, MOVES] {
        let rules = Arc::new(rules(text));
        if let Err(problem) = agree(&rules, &settings(), 3, 5, 6) {
            panic!("{problem}\n\n{text}");
        }
    }
}

#[test]
fn branches_of_an_or_wait_for_the_variables_that_they_negate() {
    let text = "(role r) (init (n z)) (init (on a)) (init (on b)) (init (on c)) (init (on d))
        (init (c1 u)) (init (p (f a))) (init (p (g b))) (legal r go)
        (<= (legal r (m ?y)) (true (on ?y)) (or (and (true (c1 ?z)) (not (true (p (f ?y)))))
            (and (true (c2 ?z)) (not (true (p (g ?y)))))))
        (<= (next (n (s ?x))) (true (n ?x))) (<= (next (p ?x)) (true (n ?x)))
        (<= (next (p ?x)) (true (p ?x))) (<= (next (on ?x)) (true (on ?x)))
        (<= (next (c1 ?x)) (true (c1 ?x))) (<= (next (c2 ?x)) (true (c1 ?x)))
        (<= terminal (true (n (s (s (s z)))))) (goal r 50)";
    let rules = Arc::new(rules(text));
    assert_eq!(agree(&rules, &settings(), 3, 3, 6), Ok(12));
}

#[test]
fn a_role_may_be_a_compound_term_and_does_may_contain_other_terms() {
    let players = "(role r) (role (team a)) (role (r b)) (init (at a))
        (<= (legal ?p go) (role ?p)) (<= (legal (team ?x) (stay ?x)) (role (team ?x)))
        (<= (next (at ?x)) (does (team ?x) (stay ?x))) (<= (next (at b)) (does (r b) go))
        (<= terminal (true (at c))) (<= (goal ?p 100) (role ?p) (true (at a)))
        (<= (goal (team ?x) 50) (role (team ?x)) (true (at b)))";
    let goal_of_no_role = "(role r) (init (at a)) (legal r go) (<= (next (at ?x)) (true (at ?x)))
        (<= terminal (true (at b))) (<= (goal r 100) (true (at a))) (<= (goal (f x) 50) (true (at a)))";
    let move_of_no_role = "(role r) (init (at a)) (init (ctl r)) (init (ctl (f x)))
        (<= (legal ?p go) (true (ctl ?p))) (<= (next (at ?x)) (true (at ?x)))
        (<= (next (ctl ?x)) (true (ctl ?x))) (<= terminal (true (at b)))
        (<= (goal r 100) (true (at a)))";
    for text in [players, goal_of_no_role, move_of_no_role] {
        let rules = Arc::new(rules(text));
        if let Err(problem) = agree(&rules, &settings(), 3, 5, 6) {
            panic!("{problem}\n\n{text}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_playout_with_growing_terms() {
    let text = "(role robot) (init (at zero)) (<= (legal robot (go ?x)) (true (at ?x)))
        (<= (legal robot (go (s ?x))) (true (at ?x))) (<= (legal robot (go (t ?x))) (true (at ?x)))
        (<= (next (at ?x)) (does robot (go ?x))) (<= (next (at ?x)) (true (at ?x)))
        (<= (long ?x) (true (at (s (s (t ?x)))))) (<= terminal (long ?x))
        (<= (goal robot 100) (long (s ?x))) (<= (goal robot 50) (not (long zero)))";
    let rules = rules(text);
    let mut used = Orand::new(&rules, OrandSettings::default()).expect("an engine");
    // Intern the terms in a different order than playouts would.
    for fact in ["(at (t (t (s zero))))", "(at (t (s (t zero))))"] {
        let state = used.state_from_facts(&[fact.to_owned()]).expect("a state");
        used.playout(&state, &mut Rng::new(9), 12).expect("a game");
    }
    for seed in 0..20 {
        let mut fresh = Orand::new(&rules, OrandSettings::default()).expect("an engine");
        let (here, there) = (fresh.initial().unwrap(), used.initial().unwrap());
        let one = fresh.playout(&here, &mut Rng::new(seed), 60);
        let other = used.playout(&there, &mut Rng::new(seed), 60);
        assert_eq!(one, other, "seed {seed}");
    }
}

/// All pairs of some items, joined with themselves: far more rows than facts.
fn pairs(items: usize) -> Rules {
    let mut facts = String::new();
    for i in 0..items {
        facts += &format!("(init (item {i}))");
    }
    rules(&format!(
        "(role r) {facts} (legal r go) (<= (next (item ?x)) (true (item ?x)))
         (<= (pair ?x ?y) (true (item ?x)) (true (item ?y)))
         (<= (triple ?x ?y ?z) (pair ?x ?y) (pair ?y ?z))
         (<= terminal (triple ?x ?y ?z) (not (triple ?z ?y ?x)))
         (<= (goal r 100) (true (item 0)))"
    ))
}

#[test]
fn rowsets_share_a_memory_limit_and_the_engine_stays_usable_after_it() {
    let settings = OrandSettings {
        max_bytes: 2 << 20,
        ..OrandSettings::default()
    };
    let mut orand = Orand::new(&pairs(150), settings).expect("an engine");
    let start = orand.initial().expect("a state");
    for _ in 0..2 {
        let answer = orand.is_terminal(&start);
        assert!(
            matches!(&answer, Err(ReasonError::Budget(text)) if text.contains("MiB")),
            "{answer:?}"
        );
        assert_eq!(orand.goal(&start, 0), Ok(Goal::Value(100)));
        assert!(orand.goal_degree(&start, 0).expect("an answer").is_some());
        assert!(orand.rowset_bytes() < 2 << 20, "memory is freed");
    }
    let mut roomy = Orand::new(&pairs(20), settings).expect("an engine");
    let start = roomy.initial().expect("a state");
    assert_eq!(roomy.is_terminal(&start), Ok(false));
}
