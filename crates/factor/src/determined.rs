//! Arguments that the state determines: the piece that stands on the cell a move starts from.
//!
//! If a fluent such as `(cell ?u ?v ?piece)` has at most one piece for each cell, a candidate needs
//! only the cell, and candidates that differ in the piece alone become one. That there is one piece on
//! a cell is assumed if it is so initially. Each test checks it for the candidate; a playout that
//! draws a candidate with two values ends with an error.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::Pattern;
use rustc_hash::FxHashMap;

use crate::moves::MoveRule;
use crate::program::{Literal, Program};

/// An argument that a fluent determines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Determined {
    /// The argument of the move.
    pub(crate) place: usize,
    /// The functor of the fluent.
    pub(crate) functor: Symbol,
    /// For each argument of the fluent the argument of the move.
    pub(crate) places: Vec<usize>,
}

impl Determined {
    /// The fluent that determines an argument in all rules, if there is one; `prefix` are the
    /// arguments that are drawn.
    pub(crate) fn find(
        program: &Program,
        rules: &[MoveRule],
        place: usize,
        prefix: &[usize],
    ) -> Option<Self> {
        let first = rules.first()?;
        let candidates = first
            .body
            .iter()
            .flat_map(|literal| Self::readings(program, first, literal, place, prefix));
        candidates.into_iter().find(|one| {
            rules.iter().all(|rule| one.is_in(program, rule)) && one.is_initial(program)
        })
    }

    /// The ways to read a condition as one that determines the argument.
    fn readings(
        program: &Program,
        rule: &MoveRule,
        literal: &Literal,
        place: usize,
        prefix: &[usize],
    ) -> Vec<Self> {
        let Some((functor, args)) = fluent(program, literal) else {
            return Vec::new();
        };
        let mut readings: Vec<Vec<usize>> = vec![Vec::new()];
        for arg in &args {
            let places = prefix.iter().copied().chain([place]);
            let matching: Vec<usize> = places.filter(|p| rule.head.args[*p] == *arg).collect();
            readings = readings
                .into_iter()
                .flat_map(|known| {
                    matching
                        .iter()
                        .map(move |place| [&known[..], &[*place]].concat())
                })
                .take(16)
                .collect();
        }
        readings
            .into_iter()
            .filter(|places| places.iter().filter(|p| **p == place).count() == 1)
            .map(|places| Self {
                place,
                functor,
                places,
            })
            .collect()
    }

    /// Whether a rule has the condition.
    fn is_in(&self, program: &Program, rule: &MoveRule) -> bool {
        rule.body.iter().any(|literal| {
            let Some((functor, args)) = fluent(program, literal) else {
                return false;
            };
            let expected = self.places.iter().map(|place| &rule.head.args[*place]);
            functor == self.functor && args.len() == self.places.len() && expected.eq(args.iter())
        })
    }

    /// Whether the initial state has such fluents, and at most one value for the same other
    /// arguments.
    fn is_initial(&self, program: &Program) -> bool {
        let mut values: FxHashMap<Vec<Pattern>, Pattern> = FxHashMap::default();
        let at = self.places.iter().position(|place| *place == self.place);
        for clause in program.clauses((program.names.init, 1)) {
            let Pattern::Ground(id) = clause.head.args[0] else {
                return false;
            };
            let parts = program.terms.args(id);
            if program.terms.functor(id) != self.functor || parts.len() != self.places.len() {
                continue;
            }
            let mut rest: Vec<Pattern> = parts.iter().map(|part| Pattern::Ground(*part)).collect();
            let value = at.map(|at| rest.remove(at));
            let Some(value) = value else {
                return false;
            };
            if values.insert(rest, value).is_some() {
                return false;
            }
        }
        values.len() > 1
    }
}

/// The functor and the arguments of a positive condition on a fluent.
fn fluent(program: &Program, literal: &Literal) -> Option<(Symbol, Vec<Pattern>)> {
    let Literal::Holds(atom) = literal else {
        return None;
    };
    if atom.name != program.names.true_ {
        return None;
    }
    match &atom.args[0] {
        Pattern::Compound(functor, args) => Some((*functor, args.to_vec())),
        Pattern::Ground(id) => {
            let args = program
                .terms
                .args(*id)
                .iter()
                .map(|part| Pattern::Ground(*part));
            Some((program.terms.functor(*id), args.collect()))
        }
        Pattern::Variable(_) => None,
    }
}
