//! Rules that ask for the legal moves themselves, such as "has a legal move".
//!
//! A state knows its leaves and not its legal moves. Whether a legal move exists is found by trying:
//! as long as untried leaves are left the answer is *yes, perhaps*; a candidate that is accepted makes
//! it yes; when all leaves have failed it is no. In `terminal` the question may only be asked
//! negatively: then a state that may still have a move is simply not over yet.

use ludorum_logic::rule::{Pattern, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::NotApplicable;
use crate::moves::{MoveKind, MoveRules, fill_in_roles};
use crate::program::{Atom, Clause, Literal, Program, RelationKey};

/// The questions for legal moves that the rules ask.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The kinds of moves whose existence is asked for.
    pub(crate) kinds: Vec<MoveKind>,
    /// Whether goals depend on an answer.
    pub(crate) in_goals: bool,
}

/// Replaces conditions on legal moves by `can` relations, one for each kind of move; `can` names
/// them.
pub(crate) fn replace_questions(
    program: &mut Program,
    rules: &MoveRules,
    can: &FxHashMap<MoveKind, Atom>,
    passive: &[MoveKind],
) -> Result<Asked, NotApplicable> {
    let legal = (program.names.legal, 2);
    let asks = |clause: &Clause| {
        clause
            .body
            .iter()
            .position(|literal| literal.atom().is_some_and(|atom| atom.key() == legal))
    };
    let asking: Vec<RelationKey> = program
        .relations
        .iter()
        .filter(|(key, clauses)| **key != legal && clauses.iter().any(|c| asks(c).is_some()))
        .map(|(key, _)| *key)
        .collect();
    let mut asked = Asked::default();
    if asking.is_empty() {
        return Ok(asked);
    }
    let name = |program: &Program, key: RelationKey| program.terms.symbols.name(key.0).to_owned();
    let terminal = polarities(program, (program.names.terminal, 0));
    let goal = polarities(program, (program.names.goal, 2));
    for key in &asking {
        // A positive path from `terminal` would make a state over before its moves are known.
        let positive = terminal.contains(&(*key, true)) && asks_with(program, *key, legal, true)
            || terminal.contains(&(*key, false)) && asks_with(program, *key, legal, false);
        if positive {
            return Err(NotApplicable::LegalInUse {
                relation: name(program, *key),
            });
        }
        asked.in_goals |= goal.contains(&(*key, true)) || goal.contains(&(*key, false));
    }
    for keyword in [(program.names.next, 1), legal] {
        let used = polarities(program, keyword);
        if let Some(key) = asking
            .iter()
            .find(|key| used.contains(&(**key, true)) || used.contains(&(**key, false)))
        {
            return Err(NotApplicable::LegalInUse {
                relation: name(program, *key),
            });
        }
    }
    for key in asking {
        let decides_end = terminal.contains(&(key, true)) || terminal.contains(&(key, false));
        let mut questions = Questions::default();
        let mut open = program.take(key);
        open.reverse();
        while let Some(clause) = open.pop() {
            let Some(place) = asks(&clause) else {
                program.add(clause);
                continue;
            };
            let refused = || NotApplicable::LegalInUse {
                relation: program.terms.symbols.name(key.0).to_owned(),
            };
            let (atom, positive) = match &clause.body[place] {
                Literal::Holds(atom) => (atom.clone(), true),
                Literal::Fails(atom) => (atom.clone(), false),
                Literal::Distinct(..) => continue,
            };
            if !is_existential(&clause, place, &atom.args[1]) {
                return Err(refused());
            }
            if !atom.args[0].is_ground() {
                let role = atom.args[0].clone();
                if !positive {
                    open.extend(of_no_role(program, &clause, place, &role));
                }
                let filled = fill_in_roles(program, &clause, &role);
                open.extend(filled.into_iter().map(|(_, clause)| clause).rev());
                continue;
            }
            let Pattern::Ground(role) = atom.args[0] else {
                return Err(refused());
            };
            let Some(role) = program.roles.iter().position(|r| *r == role) else {
                if !positive {
                    let mut clause = clause;
                    clause.body.remove(place);
                    open.push(clause);
                }
                continue;
            };
            let kinds: Vec<MoveKind> = rules
                .keys()
                .filter(|kind| kind.role == role && matches_kind(program, kind, &atom.args[1]))
                .copied()
                .collect();
            questions.note(&clause, &kinds);
            for kind in &kinds {
                if !asked.kinds.contains(kind) {
                    asked.kinds.push(*kind);
                }
            }
            if positive {
                for kind in &kinds {
                    let mut clause = clause.clone();
                    clause.body[place] = Literal::Holds(can[kind].clone());
                    open.push(clause);
                }
            } else {
                let mut clause = clause;
                clause.body.remove(place);
                clause
                    .body
                    .extend(kinds.iter().map(|kind| Literal::Fails(can[kind].clone())));
                open.push(clause);
            }
        }
        if decides_end && !questions.are_answered_by_any_move(rules, passive) {
            return Err(NotApplicable::LegalInUse {
                relation: name(program, key),
            });
        }
    }
    Ok(asked)
}

/// The questions that the clauses of a relation ask.
#[derive(Default)]
struct Questions {
    kinds: FxHashSet<MoveKind>,
    /// Whether a clause has other conditions.
    is_conditional: bool,
}

impl Questions {
    fn note(&mut self, clause: &Clause, kinds: &[MoveKind]) {
        self.kinds.extend(kinds);
        self.is_conditional |= clause.body.len() > 1;
    }

    /// Whether each move that a role plays by choice shows that the answer is yes. Otherwise a state
    /// might be left by a move of another kind before it is known that it is over.
    fn are_answered_by_any_move(&self, rules: &MoveRules, passive: &[MoveKind]) -> bool {
        self.kinds.iter().all(|asked| {
            let of_role = rules.keys().filter(|kind| kind.role == asked.role);
            let mut others = of_role.filter(|kind| *kind != asked && !passive.contains(kind));
            match others.next() {
                None => true,
                Some(first) => {
                    !self.is_conditional
                        && self.kinds.contains(first)
                        && others.all(|kind| self.kinds.contains(kind))
                }
            }
        })
    }
}

/// The clause for values that are no role, of which no move is legal; `None` if the clause says that the
/// value is a role.
fn of_no_role(program: &Program, clause: &Clause, place: usize, role: &Pattern) -> Option<Clause> {
    let is_role = |literal: &Literal| match literal {
        Literal::Holds(atom) => {
            program.terms.symbols.name(atom.name) == "role" && atom.args[..] == [role.clone()]
        }
        _ => false,
    };
    if clause.body.iter().any(is_role) {
        return None;
    }
    let mut clause = clause.clone();
    clause.body.remove(place);
    let others = program.roles.iter();
    clause
        .body
        .extend(others.map(|other| Literal::Distinct(role.clone(), Pattern::Ground(*other))));
    Some(clause)
}

/// Whether the move of a condition is any move of a functor, or any move at all.
fn is_existential(clause: &Clause, place: usize, pattern: &Pattern) -> bool {
    let mut inside: Vec<Variable> = Vec::new();
    pattern.for_each_variable(&mut |v| inside.push(v));
    let distinct: FxHashSet<&Variable> = inside.iter().collect();
    let is_open = match pattern {
        Pattern::Variable(_) => true,
        Pattern::Ground(_) => false,
        Pattern::Compound(_, args) => args.iter().all(|arg| matches!(arg, Pattern::Variable(_))),
    };
    // A constant move is a question for a kind of its own.
    let is_constant = pattern.is_ground();
    let elsewhere = |v: &Variable| {
        let mut found = clause.head.args.iter().any(|arg| arg.mentions(*v));
        for (i, literal) in clause.body.iter().enumerate() {
            found |= i != place && literal.variables().contains(v);
        }
        found
    };
    is_constant || is_open && distinct.len() == inside.len() && !inside.iter().any(elsewhere)
}

fn matches_kind(program: &Program, kind: &MoveKind, pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Variable(_) => true,
        Pattern::Ground(id) => {
            kind.arity == 0
                && program.terms.args(*id).is_empty()
                && program.terms.functor(*id) == kind.functor
        }
        Pattern::Compound(functor, args) => *functor == kind.functor && args.len() == kind.arity,
    }
}

fn asks_with(program: &Program, key: RelationKey, legal: RelationKey, positive: bool) -> bool {
    program
        .clauses(key)
        .iter()
        .flat_map(|clause| &clause.body)
        .any(|literal| match literal {
            Literal::Holds(atom) => positive && atom.key() == legal,
            Literal::Fails(atom) => !positive && atom.key() == legal,
            Literal::Distinct(..) => false,
        })
}

/// The relations that a relation depends on, each with whether it does so positively.
fn polarities(program: &Program, start: RelationKey) -> FxHashSet<(RelationKey, bool)> {
    let mut seen = FxHashSet::default();
    let mut open = vec![(start, true)];
    while let Some((key, positive)) = open.pop() {
        if !seen.insert((key, positive)) {
            continue;
        }
        for literal in program.clauses(key).iter().flat_map(|clause| &clause.body) {
            match literal {
                Literal::Holds(atom) => open.push((atom.key(), positive)),
                Literal::Fails(atom) => open.push((atom.key(), !positive)),
                Literal::Distinct(..) => {}
            }
        }
    }
    seen
}
