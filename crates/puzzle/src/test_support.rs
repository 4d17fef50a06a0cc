//! Puzzles and a technique context for tests.

use std::sync::Arc;

use ludorum_logic::Rules;
use ludorum_propnet::CompiledGame;
use ludorum_prover::{Prover, ProverState};
use ludorum_reasoner::{MoveId, Reasoner as _};

use crate::best_line::BestLine;
use crate::rule_analysis::PuzzleAnalysis;
use crate::technique::{StopPoll, TechniqueContext};

/// A puzzle of a number of steps, each left or right, whose state keeps all moves, so that
/// positions are large and numerous. A first step to the left gives 70, which is not the ceiling of
/// the rules.
pub(crate) fn history_puzzle(steps: usize) -> String {
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

/// Nine lit lamps in a row. A switch flips a lamp and its two neighbours. All lamps must be out
/// after the given number of steps.
pub(crate) fn lamp_puzzle(steps: usize) -> String {
    let facts: Vec<String> = (1..10)
        .map(|n| format!("(init (lit {n})) (lamp {n}) (beside {n} {n})"))
        .collect();
    let beside: Vec<String> = (1..9)
        .map(|n| format!("(beside {n} {0}) (beside {0} {n})", n + 1))
        .collect();
    let numbers: Vec<String> = (0..steps)
        .map(|n| format!("(succ {n} {})", n + 1))
        .collect();
    format!(
        "(role r) (init (step 0)) {} {} {} (legal r wait) (<= (legal r (press ?x)) (lamp ?x))
         (<= (flips ?y) (does r (press ?x)) (beside ?x ?y))
         (<= (next (lit ?x)) (true (lit ?x)) (not (flips ?x)))
         (<= (next (lit ?x)) (lamp ?x) (flips ?x) (not (true (lit ?x))))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= some (true (lit ?x)))
         (<= terminal (true (step {steps})))
         (<= (goal r 100) (not some)) (<= (goal r 0) some)",
        facts.join(" "),
        beside.join(" "),
        numbers.join(" ")
    )
}

/// A puzzle with an engine and the analysis of its rules.
pub(crate) struct TestPuzzle {
    pub(crate) prover: Prover,
    pub(crate) root: ProverState,
    pub(crate) analysis: PuzzleAnalysis,
    pub(crate) best: BestLine,
}

impl TestPuzzle {
    /// At the initial state.
    pub(crate) fn new(text: &str) -> Self {
        let rules = Arc::new(Rules::from_text(text).unwrap());
        let analysis = PuzzleAnalysis::run(&CompiledGame::new(Arc::clone(&rules)), None);
        let mut prover = Prover::new(rules).unwrap();
        let root = prover.initial().unwrap();
        Self {
            prover,
            root,
            analysis,
            best: BestLine::default(),
        }
    }

    /// A context without limits.
    pub(crate) fn context(&mut self) -> TechniqueContext<'_, Prover> {
        TechniqueContext {
            reasoner: &mut self.prover,
            root: &self.root,
            analysis: &self.analysis,
            best: &self.best,
            stop: &|| false,
            deadline: None,
            stop_poll: StopPoll::default(),
            max_steps: 1000,
            positions: 0,
            simulations: 0,
        }
    }

    pub(crate) fn legal(&mut self) -> Vec<MoveId> {
        let mut legal = Vec::new();
        self.prover.legal_moves(&self.root, 0, &mut legal).unwrap();
        legal
    }

    /// Plays a move of the match.
    pub(crate) fn play(&mut self, id: MoveId) {
        self.root = self.prover.next(&self.root, &[id]).unwrap();
    }
}
