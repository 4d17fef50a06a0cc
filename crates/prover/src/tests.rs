//! The preparation must not change any answer.

use std::sync::Arc;

use ludorum_logic::Rules;

use super::Prover;
use ludorum_reasoner::{ReasonError, Reasoner as _};

fn prover(text: &str) -> Prover {
    let rules = Rules::from_text(text).expect("a sheet without errors");
    Prover::new(Arc::new(rules)).expect("a sheet within the budget")
}

fn legal(prover: &mut Prover) -> Vec<String> {
    let state = prover.initial().expect("an initial state");
    let mut moves = Vec::new();
    prover
        .legal_moves(&state, 0, &mut moves)
        .expect("legal moves");
    moves
        .into_iter()
        .map(|id| prover.move_text(0, id))
        .collect()
}

#[test]
fn rigid_relations_are_stored_with_the_answers_of_facts_and_rules() {
    let mut prover = prover(
        "(role r) (init (at a)) (edge a b) (edge b c) (path z z)
         (<= (path ?x ?y) (edge ?x ?y))
         (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
         (<= (legal r (go ?y)) (true (at ?x)) (path ?x ?y))
         (<= (legal r (from ?x)) (path ?x z))
         (<= terminal (not (true (at a)))) (goal r 0)",
    );
    let path = prover.solver.rules.find_relation("path", 2);
    assert!(prover.solver.facts.is_complete(path.expect("a relation")));
    assert_eq!(legal(&mut prover), ["(from z)", "(go b)", "(go c)"]);
}

#[test]
fn an_infinite_rigid_relation_is_evaluated_through_its_rules() {
    let mut prover = prover(
        "(role r) (init (at (s (s zero))))
         (number zero) (<= (number (s ?x)) (number ?x))
         (<= (legal r (count ?x)) (true (at ?x)) (number ?x))
         (<= terminal (true (at zero))) (goal r 0)",
    );
    let number = prover.solver.rules.find_relation("number", 1);
    assert!(!prover.solver.facts.is_complete(number.expect("a relation")));
    assert_eq!(legal(&mut prover), ["(count (s (s zero)))"]);
}

#[test]
fn fluents_that_double_in_size_with_every_step_give_an_error() {
    let mut prover = prover(
        "(role r) (init (at a)) (legal r go) (goal r 0)
         (<= (next (at (f ?x ?x))) (true (at ?x)))
         (<= terminal (true (at b)))",
    );
    let mut state = prover.initial().expect("an initial state");
    let mut moves = Vec::new();
    prover
        .legal_moves(&state, 0, &mut moves)
        .expect("legal moves");
    for step in 0.. {
        match prover.next(&state, &moves) {
            Ok(next) => state = next,
            Err(error) => {
                assert!(matches!(error, ReasonError::Budget(_)), "{error}");
                // After 20 steps the fluent has twice the allowed size.
                assert_eq!(step, 19);
                return;
            }
        }
    }
}
