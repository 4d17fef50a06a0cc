//! The effects of moves, in every form for which the differential engine has special code.
//!
//! Each sheet is small enough to try every joint move in every reachable state. The expected
//! results come from the prover.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_reasoner::GameWalker;

/// All joint moves.
fn joint_moves(walker: &mut dyn GameWalker) -> Vec<Vec<String>> {
    let mut joint = vec![Vec::new()];
    for role in 0..walker.roles().len() {
        let legal = walker.legal(role).expect("moves");
        joint = joint
            .iter()
            .flat_map(|before| {
                legal.iter().map(move |text| {
                    let mut moves = before.clone();
                    moves.push(text.clone());
                    moves
                })
            })
            .collect();
    }
    joint
}

/// Compares all query results of the engines in all reachable states, at most 500.
fn agree(sheet: &str) {
    let rules = Arc::new(Rules::from_text(sheet).expect("rules"));
    let mut expected = Engine::PROVER.walker(&rules).expect("the prover");
    let engine: Engine = "propnet".parse().expect("an engine");
    let mut found = engine.walker(&rules).expect("the network");
    expected.restart().expect("a start");
    let mut todo = vec![expected.facts()];
    let mut seen = BTreeSet::from([expected.facts()]);
    while let Some(facts) = todo.pop() {
        expected.go_to(&facts).expect("a state");
        found.go_to(&facts).expect("a state");
        let over = expected.is_terminal().expect("an answer");
        assert_eq!(found.is_terminal().expect("an answer"), over, "{facts:?}");
        for role in 0..expected.roles().len() {
            assert_eq!(
                found.goal(role).expect("a goal"),
                expected.goal(role).expect("a goal"),
                "{facts:?}"
            );
            let legal = expected.legal(role).expect("moves");
            assert_eq!(found.legal(role).expect("moves"), legal, "{facts:?}");
        }
        if over || seen.len() > 500 {
            continue;
        }
        for moves in joint_moves(&mut *expected) {
            expected.go_to(&facts).expect("a state");
            expected.step(&moves).expect("a step");
            found.go_to(&facts).expect("a state");
            found.step(&moves).expect("a step");
            assert_eq!(found.facts(), expected.facts(), "{moves:?} in {facts:?}");
            if seen.insert(expected.facts()) {
                todo.push(expected.facts());
            }
        }
    }
}

#[test]
fn additions_win_over_deletions() {
    agree(
        "(role a) (role b) (init (on 1)) (init (on 3))
         (light 1) (light 2) (light 3)
         (<= (legal a (set ?x)) (light ?x)) (<= (legal b (clear ?x)) (light ?x))
         (<= (next (on ?x)) (does a (set ?x)))
         (<= (next (on ?x)) (true (on ?x)) (not (cleared ?x)))
         (<= (cleared ?x) (does b (clear ?x)))
         (<= terminal (true (on 1)) (true (on 2)) (true (on 3)))
         (goal a 50) (goal b 50)",
    );
}

#[test]
fn joint_effects_of_two_moves_are_applied() {
    agree(
        "(role a) (role b) (init (score 0)) (value 0) (value 1)
         (<= (legal a (show ?x)) (value ?x)) (<= (legal b (show ?x)) (value ?x))
         (<= equal (does a (show ?x)) (does b (show ?x)))
         (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (next (score ?y)) (true (score ?x)) (succ ?x ?y) equal)
         (<= (next (score ?x)) (true (score ?x)) (not equal))
         (<= terminal (true (score 3)))
         (<= (goal a 100) (true (score 3))) (<= (goal a 0) (not (true (score 3))))
         (goal b 0)",
    );
}

#[test]
fn a_false_condition_has_no_effect() {
    agree(
        "(role a) (init (at 1)) (init (open 2))
         (room 1) (room 2) (room 3) (next-to 1 2) (next-to 2 3) (next-to 3 1)
         (<= (legal a (go ?x)) (room ?x)) (legal a toggle)
         (<= (reach ?y) (true (at ?x)) (next-to ?x ?y) (true (open ?y)))
         (<= (next (at ?y)) (does a (go ?y)) (reach ?y))
         (<= (next (at ?x)) (true (at ?x)) (not moved))
         (<= moved (does a (go ?y)) (reach ?y))
         (<= (next (open ?x)) (room ?x) (does a toggle) (not (true (open ?x))))
         (<= (next (open ?x)) (true (open ?x)) (not (does a toggle)))
         (<= terminal (true (at 3)))
         (<= (goal a 100) (true (at 3))) (<= (goal a 0) (not (true (at 3))))",
    );
}

#[test]
fn cyclic_effects_are_least_fixpoints() {
    agree(
        "(role a) (role b) (node 1) (node 2) (node 3) (node 4)
         (init (link 1 2)) (init (link 2 3)) (init (link 3 1))
         (<= (legal a (light ?x)) (node ?x)) (<= (legal b (cut ?x)) (node ?x))
         (<= (wet ?x) (does a (light ?x)))
         (<= (wet ?y) (wet ?x) (true (link ?x ?y)) (not (does b (cut ?y))))
         (<= (next (lit ?x)) (wet ?x))
         (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does b (cut ?x))))
         (<= terminal (true (lit 4)))
         (<= (goal a 100) (true (lit 4))) (<= (goal a 0) (not (true (lit 4))))
         (goal b 0)",
    );
}

#[test]
fn goals_over_cyclic_links_are_least_fixpoints() {
    agree(
        "(role a) (node 1) (node 2) (node 3) (init (link 1 2)) (init (link 3 2)) (init (step 0))
         (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (legal a (join ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y))
         (<= (next (link ?x ?y)) (does a (join ?x ?y)))
         (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does a (join ?y ?x))))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= (path 1) (true (step ?x)))
         (<= (path ?y) (path ?x) (true (link ?x ?y)))
         (<= terminal (true (step 3)))
         (<= (goal a 100) (path 3)) (<= (goal a 0) (not (path 3)))",
    );
}
