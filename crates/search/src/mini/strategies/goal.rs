//! Approximate Goal Evaluation (section 3.3.2): moves after which the best goal is most nearly
//! reached.
//!
//! The degrees are those of the OR-AND interpreter's tree of the goal. A condition on a single fact
//! is looked up by the number of the fluent, so that a tree without recursion is evaluated on the
//! states of any engine, the network's included, by one lookup for each fluent. The degrees equal
//! those of the interpreter to the last digit. Conditions that need a proof are evaluated by the
//! interpreter.

use std::sync::Arc;
use std::time::Instant;

use ludorum_orand::{GoalDegree, GoalTree, Orand};
use ludorum_reasoner::{FluentId, ReasonError, Reasoner as _, Role};

use crate::mini::fluent_terms::FluentTerms;
use crate::mini::strategy::{DecisionView, Lookahead, MoveValue, Strategy, StrategyKind};

/// Prefers the successor with the highest degree of the best goal of its role.
#[derive(Debug)]
pub(crate) struct GoalEvaluation {
    role: Role,
    orand: Orand,
    tree: Arc<GoalTree>,
    has_proofs: bool,
    /// The conditions that hold in every state.
    always: Vec<bool>,
    /// The meaning of each fluent for the goal tree, by number.
    known: Vec<Option<Meaning>>,
    holds: Vec<bool>,
    values: Vec<GoalDegree>,
    fluents: Vec<FluentId>,
}

/// The meaning of a fluent for the goal tree.
#[derive(Clone, Debug, Default)]
struct Meaning {
    /// Its number in the interpreter; `None` if no rule mentions it.
    inside: Option<FluentId>,
    /// The conditions that it satisfies.
    conditions: Box<[u32]>,
}

impl GoalEvaluation {
    /// For a role, on a fork of the interpreter.
    pub(crate) fn new(mut orand: Orand, role: Role) -> Result<Self, ReasonError> {
        let tree = orand.goal_tree(role)?;
        let nothing = orand.state_from_fluents(&[]);
        let always = orand.satisfied_conditions(&nothing, role)?;
        Ok(Self {
            role,
            has_proofs: tree.has_proofs(),
            always,
            known: Vec::new(),
            holds: Vec::new(),
            values: Vec::new(),
            fluents: Vec::new(),
            orand,
            tree,
        })
    }

    /// The degree in a state.
    fn degree(
        &mut self,
        facts: &[FluentId],
        fluent_terms: &FluentTerms,
    ) -> Result<GoalDegree, ReasonError> {
        for id in facts {
            if self.known.get(id.index()).is_none_or(Option::is_none) {
                self.intern(*id, fluent_terms)?;
            }
        }
        let known = facts
            .iter()
            .filter_map(|id| self.known[id.index()].as_ref());
        if self.has_proofs {
            self.fluents.clear();
            self.fluents
                .extend(known.filter_map(|fluent| fluent.inside));
            let state = self.orand.state_from_fluents(&self.fluents);
            self.holds = self.orand.satisfied_conditions(&state, self.role)?;
        } else {
            self.holds.clone_from(&self.always);
            for condition in known.flat_map(|fluent| &fluent.conditions) {
                self.holds[*condition as usize] = true;
            }
        }
        let degree = self.tree.degree(&self.holds, &mut self.values);
        Ok(degree.unwrap_or(GoalDegree {
            satisfaction: 0.0,
            tie_break: 0.0,
        }))
    }

    /// Determines the meaning of a fluent.
    fn intern(&mut self, id: FluentId, fluent_terms: &FluentTerms) -> Result<(), ReasonError> {
        let text = fluent_terms.fact(id).map_or("", |fact| &fact.text);
        let mut meaning = Meaning {
            inside: self.orand.find_fluent(text),
            conditions: Box::default(),
        };
        if let Some(inside) = meaning.inside
            && !self.has_proofs
        {
            let alone = self.orand.state_from_fluents(&[inside]);
            let holds = self.orand.satisfied_conditions(&alone, self.role)?;
            let new = holds.iter().zip(&self.always).enumerate();
            let new = new.filter(|(_, (now, always))| **now && !**always);
            meaning.conditions = new.map(|(condition, _)| condition as u32).collect();
        }
        if self.known.len() <= id.index() {
            self.known.resize(id.index() + 1, None);
        }
        self.known[id.index()] = Some(meaning);
        Ok(())
    }
}

impl Strategy for GoalEvaluation {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Goal
    }

    fn lookahead(&self) -> Lookahead {
        Lookahead::Successors
    }

    fn is_ready(&self) -> bool {
        !self.tree.is_empty()
    }

    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError> {
        for state in view.successors {
            let degree = self.degree(&state.facts, view.fluent_terms)?;
            move_values.push(MoveValue {
                value: degree.satisfaction,
                tie_break: degree.tie_break,
            });
        }
        Ok(())
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.orand.set_deadline(deadline);
    }
}

#[cfg(test)]
mod tests {
    use ludorum_logic::Rules;
    use ludorum_orand::OrandSettings;
    use ludorum_propnet::{CompileLimits, CompiledGame, Differential, Propnet};
    use ludorum_reasoner::{Reasoner, Rng};

    use super::*;
    use crate::mini::fluent_terms::fluent_terms;

    const LINES: &str = "(role x) (role o) (init (cell 1 1 b)) (mark x) (mark o) (mark b) (index 1) (index 2) (index 3)
        (<= (legal ?r (put ?m ?n)) (role ?r) (index ?m) (index ?n))
        (<= (next (cell ?m ?n ?r)) (does ?r (put ?m ?n)))
        (<= (next (cell ?m ?n ?x)) (true (cell ?m ?n ?x)))
        (<= (row ?m ?x) (true (cell ?m 1 ?x)) (true (cell ?m 2 ?x)) (true (cell ?m 3 ?x)))
        (<= (diagonal ?x) (true (cell 1 1 ?x)) (true (cell 2 2 ?x)) (true (cell 3 3 ?x)))
        (<= (line ?x) (row ?m ?x)) (<= (line ?x) (diagonal ?x))
        (<= (goal x 100) (line x)) (<= (goal x 0) (not (line x)))
        (<= (goal o 100) (line o)) (<= (goal o 50) (role o) (not (line o)))
        (<= terminal (line x)) (<= terminal (line o))";

    fn orand(text: &str) -> Orand {
        let rules = Rules::from_text(text).unwrap();
        Orand::new(&rules, OrandSettings::default()).unwrap()
    }

    #[test]
    fn degrees_match_a_calculation_by_hand() {
        let texts = ["(cell 1 1 x)", "(cell 2 2 x)", "(cell 2 1 o)"];
        let fluent_terms = fluent_terms(&texts);
        let mut goal = GoalEvaluation::new(orand(LINES), 0).unwrap();
        let mut at = |ids: &[u32]| {
            let facts: Vec<FluentId> = ids.iter().copied().map(FluentId).collect();
            let degree = goal.degree(&facts, &fluent_terms).unwrap();
            (degree.satisfaction, degree.tie_break)
        };
        let near = |(a, b): (f64, f64), (c, d): (f64, f64)| {
            assert!((a - c).abs() < 1e-9 && (b - d).abs() < 1e-9, "{a} {b}");
        };
        // The goal is a line: a row or a diagonal. Of three conditions each, one or two hold.
        near(at(&[]), (0.0, 0.0));
        near(at(&[2]), (0.0, 0.0));
        // `(cell ?m 1 x)`, and `(cell 1 1 x)`.
        near(at(&[0]), (1.0 / 3.0, 1.0 / 3.0));
        // `(cell ?m 1 x)` and `(cell ?m 2 x)`; `(cell 1 1 x)` and `(cell 2 2 x)`.
        near(at(&[0, 1]), (2.0 / 3.0, 2.0 / 3.0));
        // `(cell ?m 2 x)`, and `(cell 2 2 x)`.
        near(at(&[1]), (1.0 / 3.0, 1.0 / 3.0));
    }

    #[test]
    fn a_move_towards_the_goal_is_worth_more() {
        let fluent_terms = fluent_terms(&["(cell 1 1 x)", "(cell 2 2 x)", "(cell 1 2 x)"]);
        let mut goal = GoalEvaluation::new(orand(LINES), 0).unwrap();
        let mut degree = |ids: &[u32]| {
            let facts: Vec<FluentId> = ids.iter().copied().map(FluentId).collect();
            goal.degree(&facts, &fluent_terms).unwrap()
        };
        // Both have two of three of a row by section 3.3.2; the diagonal breaks the tie.
        let (both, one) = (degree(&[0, 1]), degree(&[0, 2]));
        assert!((both.satisfaction - one.satisfaction).abs() < 1e-9);
        assert!(both.tie_break > one.tie_break);
    }

    /// Compares the degrees on states of the network with those of the interpreter, along random
    /// playouts.
    fn agree(text: &str) {
        let rules = Arc::new(Rules::from_text(text).unwrap());
        let network = CompiledGame::new(Arc::clone(&rules))
            .network(&CompileLimits::default())
            .unwrap();
        let mut net: Propnet<Differential> = Propnet::new(network);
        let mut interpreter = orand(text);
        let mut rng = Rng::new(5);
        let mut facts = Vec::new();
        let mut fluent_terms = FluentTerms::default();
        for role in 0..net.roles().len() {
            let mut goal = GoalEvaluation::new(interpreter.fork(), role).unwrap();
            for _ in 0..3 {
                let mut state = net.initial().unwrap();
                for _ in 0..60 {
                    net.fluents(&state, &mut facts);
                    fluent_terms.intern_all(&mut net, &facts);
                    let ours = goal.degree(&facts, &fluent_terms).unwrap();
                    let same = interpreter.state_from_facts(&net.facts(&state)).unwrap();
                    let theirs = interpreter.goal_degree(&same, role).unwrap().unwrap();
                    assert_eq!(ours, theirs);
                    if net.is_terminal(&state).unwrap() {
                        break;
                    }
                    let mut joint = Vec::new();
                    for other in 0..net.roles().len() {
                        let mut legal = Vec::new();
                        net.legal_moves(&state, other, &mut legal).unwrap();
                        joint.push(legal[rng.below(legal.len())]);
                    }
                    state = net.next(&state, &joint).unwrap();
                }
            }
        }
    }

    #[test]
    fn the_network_and_the_interpreter_give_the_same_degrees() {
        for name in ["tic-tac-toe", "connect-four", "breakthrough"] {
            agree(ludorum_games::find(name).unwrap().text);
        }
    }

    #[test]
    fn conditions_that_have_to_be_proved_are_proved() {
        // Whether there is a path depends on several facts at once.
        let sheet = "(role robot) (init (at a)) (link a b) (link b c) (link c d)
            (<= (legal robot (open ?x ?y)) (link ?x ?y)) (legal robot wait)
            (<= (next (way ?x ?y)) (does robot (open ?x ?y))) (<= (next (way ?x ?y)) (true (way ?x ?y)))
            (<= (next (at ?x)) (true (at ?x)))
            (<= (reach ?x ?y) (true (way ?x ?y))) (<= (reach ?x ?z) (reach ?x ?y) (true (way ?y ?z)))
            (<= (goal robot 100) (reach a d)) (<= (goal robot 0) (not (reach a d))) (<= terminal (reach a d))";
        agree(sheet);
        assert!(GoalEvaluation::new(orand(sheet), 0).unwrap().has_proofs);
    }
}
