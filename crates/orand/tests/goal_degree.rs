//! Approximate Goal Evaluation by the OR-AND interpreter.

use ludorum_logic::Rules;
use ludorum_orand::{Orand, OrandSettings};
use ludorum_reasoner::{Goal, Reasoner, Rng};

fn rules(text: &str) -> Rules {
    Rules::from_text(text).expect("rules")
}

/// The goal degrees of both roles in a state of tic-tac-toe.
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
                .goal_degree(&state, role)
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
fn and_nodes_take_means_and_or_nodes_take_the_best_alternative() {
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
    // One mark: one third of a row and of a column, with `on` two thirds of each line, with `role`
    // five sixths of the goal.
    assert!(
        close(one[0].0, 5.0 / 6.0) && close(one[0].1, 5.0 / 6.0),
        "{one:?}"
    );
    // A whole row: the best alternative gives the satisfaction. The tie-break includes the column,
    // with one of three marks.
    assert!(close(row[0].1, 11.0 / 12.0), "{row:?}");
}

#[test]
fn a_goal_that_is_reached_has_degree_one_and_others_have_less() {
    let game = ludorum_games::find("connect-four").expect("a shipped game");
    let mut orand = Orand::new(&rules(game.text), OrandSettings::default()).expect("an engine");
    let mut rng = Rng::new(3);
    let mut moves = Vec::new();
    for _ in 0..5 {
        let mut state = orand.initial().expect("a state");
        loop {
            let over = orand.is_terminal(&state).expect("an answer");
            for role in 0..2 {
                let degree = orand
                    .goal_degree(&state, role)
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
                joint.push(moves[rng.below(moves.len())]);
            }
            state = orand.next(&state, &joint).expect("a state");
        }
    }
}

#[test]
fn joining_facts_does_not_change_goal_degrees() {
    // Two conditions on facts are joined to one by the engine, but count separately: the fluent
    // weighs one third either way.
    let text = "(role r) (init (at a)) (legal r go) (<= (next (at ?x)) (true (at ?x)))
        (succ a b) (succ b c) (succ c d) (<= terminal (true (at d)))
        (<= (goal r 100) (succ ?x ?y) (succ ?y ?z) (true (won ?z)))
        (<= (next (won ?x)) (does r ?x))";
    let mut degrees = Vec::new();
    for statics in [false, true] {
        let settings = OrandSettings {
            join_facts: statics,
            ..OrandSettings::default()
        };
        let mut orand = Orand::new(&rules(text), settings).expect("an engine");
        let start = orand.initial().expect("a state");
        degrees.push(
            orand
                .goal_degree(&start, 0)
                .expect("an answer")
                .expect("a goal"),
        );
    }
    assert_eq!(degrees[0], degrees[1]);
    assert!(close(degrees[1].satisfaction, 2.0 / 3.0), "{degrees:?}");
}

#[test]
fn a_goal_that_is_a_fact_has_degree_one_in_every_state() {
    let with = |goals: &str| {
        let text = format!(
            "(role r) (init (at a)) (legal r go) (<= (next (at ?x)) (true (at ?x)))
             (<= terminal (true (at b))) {goals}"
        );
        let mut orand = Orand::new(&rules(&text), OrandSettings::default()).expect("an engine");
        let start = orand.initial().expect("a state");
        let degree = orand.goal_degree(&start, 0).expect("an answer");
        degree.map(|degree| (degree.satisfaction, degree.tie_break))
    };
    let reached = Some((1.0, 1.0));
    assert_eq!(with("(goal r 100)"), reached);
    assert_eq!(with("(goal r 100) (<= (goal r 50) (true (at b)))"), reached);
    let open = with("(goal r 0) (<= (goal r 100) (true (at b)))");
    assert_eq!(open, Some((0.0, 0.0)), "the best goal is another");
}
