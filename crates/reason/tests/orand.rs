//! The OR-AND interpreter: its switches change nothing but speed, it ends on every legal sheet, its memory is bounded, and it tells degrees of goals.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_logic::Rules;
use ludorum_reason::orand::{Orand, OrandSettings, Precompute};
use ludorum_reason::prover::Prover;
use ludorum_reason::testing::{compare, generate};
use ludorum_reason::{Dice, End, Goal, ReasonError, Reasoner, Walk, Walker};

/// All settings that differ from the usual in one switch, and one with everything off.
fn settings() -> Vec<OrandSettings> {
    let all = OrandSettings::default();
    vec![
        all,
        OrandSettings {
            filters: false,
            ..all
        },
        OrandSettings {
            precompute: Precompute::Nothing,
            ..all
        },
        OrandSettings {
            precompute: Precompute::Spans,
            ..all
        },
        OrandSettings {
            precompute: Precompute::Spans,
            search_order: false,
            ..all
        },
        OrandSettings {
            drop_filters: false,
            ..all
        },
        OrandSettings {
            share_recurrent: false,
            ..all
        },
        OrandSettings {
            reuse: false,
            ..all
        },
        OrandSettings {
            forks: false,
            ..all
        },
        OrandSettings {
            statics: false,
            ..all
        },
        OrandSettings {
            filters: true,
            precompute: Precompute::Nothing,
            drop_filters: false,
            search_order: false,
            share_recurrent: false,
            reuse: false,
            forks: false,
            statics: false,
        },
    ]
}

fn rules(text: &str) -> Rules {
    Rules::from_text(text).expect("rules")
}

/// The prover and the interpreter with several settings, side by side.
fn agree(
    rules: &Arc<Rules>,
    settings: &[OrandSettings],
    seed: u64,
    playouts: u64,
    limit: u32,
) -> Result<u32, String> {
    let prover = Prover::new(Arc::clone(rules)).map_err(|e| e.to_string())?;
    let prover = Walk::new(prover).map_err(|e| e.to_string())?;
    let mut walkers: Vec<(String, Box<dyn Walker>)> = vec![("prover".to_owned(), Box::new(prover))];
    for one in settings {
        let orand = Orand::new(rules, *one).map_err(|e| e.to_string())?;
        let walk = Walk::new(orand).map_err(|e| e.to_string())?;
        walkers.push((format!("{one:?}"), Box::new(walk)));
    }
    let mut compared = 0;
    for playout in 0..playouts {
        for (_, walker) in &mut walkers {
            walker.restart().map_err(|e| e.to_string())?;
        }
        let mut dice = Dice::new(seed + 1_000 * playout);
        compared += compare::lockstep(&mut walkers, &mut dice, limit)?;
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

/// A sheet whose question about the end is a question about recursion.
fn about(recursion: &str, end: &str) -> Rules {
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
fn recursion_through_a_cycle_ends() {
    let graph = "(edge a b) (edge b c) (edge c a) (edge d e)
        (<= (reach ?x ?y) (edge ?x ?y) (true (at a)))
        (<= (reach ?x ?z) (edge ?x ?y) (reach ?y ?z))";
    for settings in settings() {
        assert!(is_terminal(&about(graph, "(reach a c)"), settings));
        assert!(!is_terminal(&about(graph, "(reach a d)"), settings));
    }
}

#[test]
fn left_recursion_and_mutual_recursion_end() {
    let graph = "(edge a b) (edge b c) (edge c d) (edge d b)
        (<= (left ?x ?y) (edge ?x ?y) (true (at a)))
        (<= (left ?x ?z) (left ?x ?y) (edge ?y ?z))
        (<= (odd ?x ?y) (edge ?x ?y) (true (at a)))
        (<= (odd ?x ?z) (even ?x ?y) (edge ?y ?z))
        (<= (even ?x ?z) (odd ?x ?y) (edge ?y ?z))";
    for settings in settings() {
        assert!(is_terminal(&about(graph, "(left a d)"), settings));
        assert!(!is_terminal(&about(graph, "(left b a)"), settings));
        assert!(is_terminal(&about(graph, "(even a b)"), settings));
        assert!(!is_terminal(&about(graph, "(even a a)"), settings));
    }
}

#[test]
fn recurrence_deeper_than_any_stack_ends() {
    let mut facts = String::new();
    for i in 0..3_000 {
        facts += &format!("(succ {i} {})", i + 1);
    }
    let chain = format!(
        "{facts} (<= (below ?x ?y) (succ ?x ?y) (true (at a)))
         (<= (below ?x ?z) (succ ?x ?y) (below ?y ?z))"
    );
    let rules = about(&chain, "(below 0 3000)");
    assert!(is_terminal(&rules, OrandSettings::default()));
}

#[test]
fn terms_that_grow_are_one_symbol_each() {
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
fn a_question_without_end_is_over_budget_and_leaves_the_engine_in_order() {
    let text = "(role robot) (init (at a)) (legal robot go) (<= (next (at ?x)) (true (at ?x)))
        (<= (grow ?x) (true (at ?x))) (<= (grow (f ?x)) (grow ?x)) (<= terminal (grow ?x) (true (at ?x)) (grow b))
        (<= (goal robot 100) (grow (f ?x)))";
    let mut orand = Orand::new(&rules(text), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    orand.set_deadline(Some(Instant::now() + Duration::from_millis(200)));
    assert!(matches!(
        orand.goal(&start, 0),
        Err(ReasonError::Late | ReasonError::Budget(_))
    ));
    orand.set_deadline(None);
    let mut moves = Vec::new();
    orand.legal_moves(&start, 0, &mut moves).expect("moves");
    assert_eq!(orand.next(&start, &moves).expect("a state"), start);
}

#[test]
fn a_deadline_that_has_passed_is_noticed() {
    let game = ludorum_games::find("tic-tac-toe").expect("a shipped game");
    let mut orand = Orand::new(&rules(game.text), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    orand.set_deadline(Some(Instant::now()));
    assert_eq!(orand.is_terminal(&start), Err(ReasonError::Late));
    orand.set_deadline(None);
    assert_eq!(orand.is_terminal(&start), Ok(false));
}

#[test]
fn a_fluent_that_no_rule_can_give_has_no_place() {
    let game = ludorum_games::find("tic-tac-toe").expect("a shipped game");
    let mut orand = Orand::new(&rules(game.text), OrandSettings::default()).expect("an engine");
    for fact in ["(nothing 1)", "(cell (f 1) 1 b)"] {
        let answer = orand.state_from_facts(&[fact.to_owned()]);
        assert!(matches!(answer, Err(ReasonError::BadText { .. })), "{fact}");
    }
}

#[test]
fn the_same_dice_play_the_same_game_whatever_was_played_before() {
    let game = ludorum_games::find("connect-four").expect("a shipped game");
    let rules = rules(game.text);
    let mut used = Orand::new(&rules, OrandSettings::default()).expect("an engine");
    let start = used.initial().expect("a state");
    for seed in 0..100 {
        used.playout(&start, &mut Dice::new(seed), 500)
            .expect("a game");
    }
    let mut fresh = Orand::new(&rules, OrandSettings::default()).expect("an engine");
    for seed in 0..20 {
        let start = fresh.initial().expect("a state");
        let one = fresh.playout(&start, &mut Dice::new(seed), 500);
        let other = used.playout(&start, &mut Dice::new(seed), 500);
        assert_eq!(one, other);
    }
}

/// Rowsets never shrink; that they stop growing is what bounds them.
#[test]
fn rowsets_stop_growing_in_othello() {
    let sheet = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/games/base/othello-comp2007.kif");
    let Ok(text) = std::fs::read_to_string(sheet) else {
        println!("skipped: the sheet is not there");
        return;
    };
    // A build without optimisation would take minutes for all of them.
    let playouts = if cfg!(debug_assertions) { 30 } else { 1_000 };
    let mut orand = Orand::new(&rules(&text), OrandSettings::default()).expect("an engine");
    let start = orand.initial().expect("a state");
    let mut dice = Dice::new(1);
    let mut early = 0;
    for playout in 0..playouts {
        let end = orand.playout(&start, &mut dice, 200).expect("a game").end;
        assert_eq!(end, End::Terminal);
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

/// The degrees of both roles in a state of tic-tac-toe.
fn degrees(facts: &[&str]) -> Vec<(f64, f64)> {
    let lines =
        "(<= (line ?x) (row ?m ?x) (true (on ?m))) (<= (line ?x) (column ?n ?x) (true (on ?n)))
        (<= (row ?m ?x) (true (cell ?m 1 ?x)) (true (cell ?m 2 ?x)) (true (cell ?m 3 ?x)))
        (<= (column ?n ?x) (true (cell 1 ?n ?x)) (true (cell 2 ?n ?x)) (true (cell 3 ?n ?x)))";
    let text = format!(
        "(role x) (role o) {lines} (init (on 1)) (init (cell 1 1 b))
         (<= (legal ?r (mark ?m ?n)) (role ?r) (true (cell ?m ?n b)))
         (<= (next (cell ?m ?n ?r)) (does ?r (mark ?m ?n))) (<= (next (on ?m)) (true (on ?m)))
         (<= terminal (line x)) (<= terminal (line o))
         (<= (goal ?r 100) (role ?r) (line ?r)) (<= (goal ?r 50) (role ?r) (not (line ?r)))"
    );
    let mut orand = Orand::new(&rules(&text), OrandSettings::default()).expect("an engine");
    let facts: Vec<String> = facts.iter().map(|fact| (*fact).to_owned()).collect();
    let state = orand.state_from_facts(&facts).expect("a state");
    (0..2)
        .map(|role| {
            let degree = orand
                .degree(&state, role)
                .expect("an answer")
                .expect("a goal");
            (degree.satisfaction, degree.tie_break)
        })
        .collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn degrees_of_a_goal_are_means_over_rules_and_the_best_of_alternatives() {
    let empty = degrees(&["(on 1)"]);
    let one = degrees(&["(on 1)", "(cell 1 1 x)"]);
    let two = degrees(&["(on 1)", "(cell 1 1 x)", "(cell 2 2 x)"]);
    let row = degrees(&["(on 1)", "(cell 1 1 x)", "(cell 1 2 x)", "(cell 1 3 x)"]);
    assert!(empty[0].0 < one[0].0 && one[0].0 < two[0].0 && two[0].0 < row[0].0);
    assert!(
        close(row[0].0, 1.0),
        "a goal that is reached has degree 1: {row:?}"
    );
    assert!(
        close(empty[1].0, one[1].0),
        "marks of one role are nothing to the other"
    );
    // One mark: a third of a row and of a column, with `on` two thirds of each line, with `role` five sixths of the goal.
    assert!(
        close(one[0].0, 5.0 / 6.0) && close(one[0].1, 5.0 / 6.0),
        "{one:?}"
    );
    // A whole row: the best alternative counts for the degree; the tie-break knows that the column has only one of three.
    assert!(close(row[0].1, 11.0 / 12.0), "{row:?}");
}

#[test]
fn a_goal_that_is_reached_has_degree_one_and_others_have_less() {
    let game = ludorum_games::find("connect-four").expect("a shipped game");
    let mut orand = Orand::new(&rules(game.text), OrandSettings::default()).expect("an engine");
    let mut dice = Dice::new(3);
    let mut moves = Vec::new();
    for _ in 0..5 {
        let mut state = orand.initial().expect("a state");
        loop {
            let over = orand.is_terminal(&state).expect("an answer");
            for role in 0..2 {
                let degree = orand
                    .degree(&state, role)
                    .expect("an answer")
                    .expect("a goal");
                assert!((0.0..=1.0).contains(&degree.satisfaction));
                assert!((0.0..=1.0).contains(&degree.tie_break));
                if over && orand.goal(&state, role).expect("an answer") == Goal::Value(100) {
                    assert!(close(degree.satisfaction, 1.0));
                }
            }
            if over {
                break;
            }
            let mut joint = Vec::new();
            for role in 0..2 {
                orand.legal_moves(&state, role, &mut moves).expect("moves");
                joint.push(moves[dice.below(moves.len())]);
            }
            state = orand.next(&state, &joint).expect("a state");
        }
    }
}
