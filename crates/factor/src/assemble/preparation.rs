//! Rules brought into the form that the rewriting needs: moves that must not be played get names, and
//! variables for whole fluents get functors.

use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Pattern, Variable};
use ludorum_logic::{Domains, Rules};
use rustc_hash::FxBuildHasher;

use crate::error::NotApplicable;
use crate::program::{Atom, Clause, Literal, Program};
use crate::unify::substitute;

/// Gives names to moves that must not be played: `not done(X)` with `done(X) <= does(r, f(X))`, so that
/// all conditions on played moves are positive.
pub(super) fn name_negated_moves(program: &mut Program) {
    let does = (program.names.does, 2);
    let mut names: IndexMap<Vec<Pattern>, Atom, FxBuildHasher> = IndexMap::default();
    let keys: Vec<(Symbol, usize)> = program.relations.keys().copied().collect();
    for key in keys {
        for mut clause in program.take(key) {
            for literal in &mut clause.body {
                let Literal::Fails(atom) = literal else {
                    continue;
                };
                if atom.key() != does {
                    continue;
                }
                // Conditions with the same pattern share a name.
                let mut variables: Vec<Variable> = Vec::new();
                atom.for_each_variable(&mut |v| {
                    if !variables.contains(&v) {
                        variables.push(v);
                    }
                });
                let number =
                    |v: Variable| variables.iter().position(|w| *w == v).unwrap_or(0) as Variable;
                let pattern: Vec<Pattern> =
                    atom.args.iter().map(|arg| arg.rename(&number)).collect();
                let done = names.entry(pattern).or_insert_with(|| Atom {
                    name: program.name("done"),
                    args: (0..variables.len() as Variable)
                        .map(Pattern::Variable)
                        .collect(),
                });
                *literal = Literal::Fails(Atom {
                    name: done.name,
                    args: variables.into_iter().map(Pattern::Variable).collect(),
                });
            }
            program.add(clause);
        }
    }
    for (args, head) in names {
        program.add(Clause {
            variables: head.args.len() as u32,
            head,
            body: vec![Literal::Holds(Atom { name: does.0, args })],
        });
    }
}

/// The clauses that a clause becomes when terms differ that have a common functor: one for each argument
/// in which they may. Otherwise a condition such as that two moves differ would join all their
/// arguments.
pub(super) fn distinct_arguments(program: &Program, clause: Clause) -> Vec<Clause> {
    let parts = |pattern: &Pattern| match pattern {
        Pattern::Variable(_) => None,
        Pattern::Ground(id) => {
            let args = program.terms.args(*id).iter();
            let args: Vec<Pattern> = args.map(|arg| Pattern::Ground(*arg)).collect();
            Some((program.terms.functor(*id), args))
        }
        Pattern::Compound(functor, args) => Some((*functor, args.to_vec())),
    };
    let mut open = vec![clause];
    let mut done = Vec::new();
    while let Some(mut clause) = open.pop() {
        let found = clause.body.iter().enumerate().find_map(|(i, literal)| {
            let Literal::Distinct(left, right) = literal else {
                return None;
            };
            Some((i, parts(left)?, parts(right)?))
        });
        let Some((place, (f, left), (g, right))) = found else {
            done.push(clause);
            continue;
        };
        if f != g || left.len() != right.len() {
            clause.body.remove(place);
            open.push(clause);
            continue;
        }
        for (a, b) in left.into_iter().zip(right).rev().filter(|(a, b)| a != b) {
            let mut case = clause.clone();
            case.body[place] = Literal::Distinct(a, b);
            open.push(case);
        }
    }
    done
}

/// The largest number of clauses that one with variables for whole fluents becomes.
const MAX_SHAPES: usize = 2_000;

/// Gives variables for whole fluents the functors that fluents have: one clause for each.
pub(super) fn expand_fluents(program: &mut Program, rules: &Rules, domains: &Domains) {
    let whole = domains.argument(rules.keywords.true_, 0);
    let constants: Vec<Symbol> = domains.constants(whole).collect();
    let functions = domains.functions(whole);
    let functions: Vec<(Symbol, usize)> = functions.map(|(f, args)| (f, args.len())).collect();
    let (true_, next) = (program.names.true_, program.names.next);
    let keys: Vec<(Symbol, usize)> = program.relations.keys().copied().collect();
    for key in keys {
        let mut open = program.take(key);
        open.reverse();
        let mut count = open.len();
        while let Some(clause) = open.pop() {
            let holds = clause.body.iter().filter_map(|literal| match literal {
                Literal::Holds(atom) => Some(atom),
                _ => None,
            });
            let variable = holds.chain([&clause.head]).find_map(|atom| {
                let is_fluent = atom.name == true_ || atom.name == next;
                match &atom.args[..] {
                    [Pattern::Variable(v)] if is_fluent => Some(*v),
                    _ => None,
                }
            });
            let Some(variable) = variable.filter(|_| count <= MAX_SHAPES) else {
                program.add(clause);
                continue;
            };
            count += constants.len() + functions.len();
            for (functor, arity) in functions.iter().rev() {
                let mut wide = clause.clone();
                let fresh = (0..*arity).map(|_| wide.fresh()).collect();
                let shape = program.compound(*functor, fresh);
                let case = substitute(program, &wide, variable, &shape);
                open.extend(distinct_arguments(program, case));
            }
            for constant in constants.iter().rev() {
                let shape = program.compound(*constant, Vec::new());
                let case = substitute(program, &clause, variable, &shape);
                open.extend(distinct_arguments(program, case));
            }
        }
    }
}

/// Rules with a variable for a whole fluent cannot be bound.
pub(super) fn check_fluents(program: &Program) -> Result<(), NotApplicable> {
    let is_open = |atom: &Atom| {
        (atom.name == program.names.true_ || atom.name == program.names.next)
            && matches!(atom.args[..], [Pattern::Variable(_)])
    };
    for (key, clauses) in &program.relations {
        for clause in clauses {
            let mut atoms = clause
                .body
                .iter()
                .filter_map(Literal::atom)
                .chain([&clause.head]);
            if atoms.any(is_open) {
                return Err(NotApplicable::OpenFluent {
                    relation: program.terms.symbols.name(key.0).to_owned(),
                });
            }
        }
    }
    Ok(())
}
