//! Desks for the tests of techniques.

use std::sync::Arc;

use ludorum_logic::Rules;
use ludorum_reason::Reasoner as _;
use ludorum_reason::prover::Prover;

use super::best::Best;
use super::desk::{Desk, Pulse};
use super::sheet::Sheet;

/// A puzzle of so many steps, each to the left or to the right, in which nothing is forgotten: positions are large, and there are many. A step to the
/// left at first gives 70 in the end, which the rules do not tell.
pub(super) fn went(steps: usize) -> String {
    let numbers: Vec<String> = (0..steps)
        .map(|n| format!("(succ {n} {})", n + 1))
        .collect();
    format!(
        "(role r) (init (step 0)) {} (legal r left) (legal r right)
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= (next (went ?x ?m)) (true (step ?x)) (does r ?m))
         (<= (next (went ?x ?m)) (true (went ?x ?m)))
         (<= terminal (true (step {steps})))
         (<= (goal r 70) (true (went 0 left))) (<= (goal r 10) (not (true (went 0 left))))
         (<= (goal r 100) (true (went 0 left)) (true (went 0 right)))",
        numbers.join(" ")
    )
}

/// Lets something be done at the start of a puzzle, with all time of the world.
pub(super) fn with_desk(text: &str, work: impl FnOnce(&mut Desk<'_, Prover>)) {
    let rules = Arc::new(Rules::from_text(text).unwrap());
    let sheet = Sheet::read(&rules, None);
    let mut prover = Prover::new(rules).unwrap();
    let root = prover.initial().unwrap();
    let best = Best::default();
    work(&mut Desk {
        reasoner: &mut prover,
        root: &root,
        sheet: &sheet,
        best: &best,
        stop: &|| false,
        until: None,
        pulse: Pulse::default(),
        limit: 1000,
        positions: 0,
        simulations: 0,
    });
}
