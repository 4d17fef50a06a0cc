//! Fluents that are assumed to have exactly one value in every state.
//!
//! That there is one king follows from the legality of all earlier moves and cannot be proved from
//! the rules. Conditions on the square of the king would have to be evaluated for every square. If
//! the initial state has one, the rules are bound to it as they are to the candidate, and each step
//! tests that there is still exactly one: otherwise the step is not made, and a playout that meets
//! such a state ends with an error instead of a wrong answer.

use indexmap::IndexMap;
use ludorum_logic::rule::{Pattern, Variable};
use rustc_hash::FxBuildHasher;

use crate::candidate::{CandidateAtom, GroupId};
use crate::groups::Group;
use crate::leaves::Sizes;
use crate::options::StageOptions;
use crate::program::{Atom, Clause, Literal, Program};
use crate::staged::FluentPattern;

/// The fluents that are assumed to have one value, by pattern.
pub(crate) struct Assumptions {
    groups: IndexMap<Pattern, (GroupId, Atom), FxBuildHasher>,
    /// The proposition that an assumption does not hold.
    violated: Atom,
    options: StageOptions,
    initial: Vec<Pattern>,
}

impl Assumptions {
    pub(crate) fn new(program: &Program, violated: Atom, options: StageOptions) -> Self {
        let init = program.clauses((program.names.init, 1)).iter();
        Self {
            groups: IndexMap::default(),
            violated,
            options,
            initial: init.map(|clause| clause.head.args[0].clone()).collect(),
        }
    }

    /// Replaces conditions of a clause on fluents with one value by candidate atoms.
    pub(crate) fn apply(
        &mut self,
        program: &mut Program,
        groups: &mut Vec<Group>,
        sizes: &Sizes,
        clause: &mut Clause,
        candidates: &mut Vec<CandidateAtom>,
    ) {
        if !self.options.assume {
            return;
        }
        let mut taken: Vec<Variable> = Vec::new();
        clause.head.for_each_variable(&mut |v| taken.push(v));
        for arg in candidates.iter().flat_map(|one| &one.args) {
            arg.for_each_variable(&mut |v| taken.push(v));
        }
        let mut place = 0;
        while place < clause.body.len() {
            let found = self.values(program, sizes, clause, place, &taken);
            let Some((pattern, values)) = found else {
                place += 1;
                continue;
            };
            let group = self.group(program, groups, pattern, values.len());
            taken.extend(values.iter().filter_map(|value| match value {
                Pattern::Variable(v) => Some(*v),
                _ => None,
            }));
            candidates.push(CandidateAtom {
                group,
                args: values,
            });
            clause.body.remove(place);
        }
    }

    /// The pattern of the fluent of a condition, with variables numbered from 0, and the variables of
    /// the clause in their order, if it can be assumed to have one value and that helps.
    fn values(
        &self,
        program: &mut Program,
        sizes: &Sizes,
        clause: &Clause,
        place: usize,
        taken: &[Variable],
    ) -> Option<(Pattern, Vec<Pattern>)> {
        let Literal::Holds(atom) = &clause.body[place] else {
            return None;
        };
        if atom.name != program.names.true_ {
            return None;
        }
        let Pattern::Compound(functor, args) = &atom.args[0] else {
            return None;
        };
        // At least one constant tells which piece it is.
        if !args.iter().any(Pattern::is_ground) {
            return None;
        }
        let mut values = Vec::new();
        let mut pattern = Vec::new();
        for arg in args {
            match arg {
                Pattern::Ground(_) => pattern.push(arg.clone()),
                Pattern::Variable(v) => {
                    if taken.contains(v) || values.contains(arg) {
                        return None;
                    }
                    pattern.push(Pattern::Variable(values.len() as Variable));
                    values.push(arg.clone());
                }
                Pattern::Compound(..) => return None,
            }
        }
        let is_large = |literal: &Literal| {
            let of_literal = literal.variables();
            let joins = values.iter().any(|value| match value {
                Pattern::Variable(v) => of_literal.contains(v),
                _ => false,
            });
            joins && sizes.of(literal) > u64::from(self.options.assume_above)
        };
        let others = clause.body.iter().enumerate().filter(|(i, _)| *i != place);
        if !others.map(|(_, literal)| literal).any(is_large) {
            return None;
        }
        let pattern = program.compound(*functor, pattern);
        let matching = self.initial.iter().filter(|fluent| {
            let mut bindings = crate::unify::Bindings::new(values.len() as u32);
            bindings.unify(&program.terms, &pattern, fluent)
        });
        (matching.count() == 1).then_some((pattern, values))
    }

    fn group(
        &mut self,
        program: &mut Program,
        groups: &mut Vec<Group>,
        pattern: Pattern,
        count: usize,
    ) -> GroupId {
        if let Some((id, _)) = self.groups.get(&pattern) {
            return *id;
        }
        let relation = program.name("only");
        let head = Atom {
            name: relation,
            args: (0..count as Variable).map(Pattern::Variable).collect(),
        };
        let body = vec![program.fluent(pattern.clone())];
        program.add(Clause {
            head: head.clone(),
            body,
            variables: count as u32,
        });
        let id = groups.len();
        groups.push(Group {
            kind: None,
            places: (0..count).collect(),
            relation,
            is_suffix: false,
            is_determined: false,
        });
        self.groups.insert(pattern, (id, head));
        id
    }

    /// Writes the test of the assumptions. Returns the patterns.
    pub(crate) fn finish(self, program: &mut Program) -> Vec<FluentPattern> {
        let mut patterns = Vec::new();
        for (pattern, (_, head)) in &self.groups {
            patterns.extend(described(program, pattern));
            // There is a value.
            let exists = Atom {
                name: program.name("exists"),
                args: Vec::new(),
            };
            program.add(Clause {
                head: exists.clone(),
                body: vec![Literal::Holds(head.clone())],
                variables: head.args.len() as u32,
            });
            program.add(Clause {
                head: self.violated.clone(),
                body: vec![Literal::Fails(exists)],
                variables: 0,
            });
            // No two values differ in an argument.
            for place in 0..head.args.len() {
                let name = program.name("part");
                let part = |v: Variable| Atom {
                    name,
                    args: vec![Pattern::Variable(v)],
                };
                program.add(Clause {
                    head: part(place as Variable),
                    body: vec![Literal::Holds(head.clone())],
                    variables: head.args.len() as u32,
                });
                program.add(Clause {
                    head: self.violated.clone(),
                    body: vec![
                        Literal::Holds(part(0)),
                        Literal::Holds(part(1)),
                        Literal::Distinct(Pattern::Variable(0), Pattern::Variable(1)),
                    ],
                    variables: 2,
                });
            }
        }
        patterns
    }
}

fn described(program: &Program, pattern: &Pattern) -> Option<FluentPattern> {
    let Pattern::Compound(functor, args) = pattern else {
        return None;
    };
    let text = |arg: &Pattern| match arg {
        Pattern::Ground(id) => Some(program.terms.text(*id)),
        _ => None,
    };
    Some(FluentPattern {
        functor: program.terms.symbols.name(*functor).to_owned(),
        arguments: args.iter().map(text).collect(),
    })
}
