//! The rules for legal moves, one list for each role and functor.
//!
//! A sheet writes `(legal ?player (move ?piece ?u ?v ?x ?y))` with a variable for the role, or hands
//! the whole move to another relation (`legal2 ?player (move …)`). Here the roles are filled in and
//! such relations are unfolded, so that every rule shows the arguments of its move.

use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use ludorum_logic::TermId;
use ludorum_logic::rule::{Pattern, Variable};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::error::NotApplicable;
use crate::program::{Atom, Clause, Literal, Program, RelationKey};
use crate::unify::{Bindings, resolve, substitute};

/// The largest number of rules for legal moves after unfolding.
const MAX_CASES: usize = 4_000;

/// The largest table that is searched for matching rows.
const MAX_ROWS: usize = 256;

/// A role and the functor of a move, with its number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MoveKind {
    /// The role, by number.
    pub(crate) role: usize,
    pub(crate) functor: Symbol,
    pub(crate) arity: usize,
}

/// A rule for legal moves: its head has the arguments of the move.
pub(crate) type MoveRule = Clause;

/// The rules for legal moves, by role and functor.
pub(crate) type MoveRules = IndexMap<MoveKind, Vec<MoveRule>, FxBuildHasher>;

/// Relations that are tables, with their rows.
pub(crate) struct Tables {
    rows: FxHashMap<RelationKey, FxHashSet<Vec<Pattern>>>,
}

impl Tables {
    pub(crate) fn new(program: &Program) -> Self {
        let keys = program.relations.keys().copied();
        let tables = keys.filter(|key| program.is_table(*key));
        let rows = tables.map(|key| {
            let rows = program.clauses(key).iter();
            (key, rows.map(|row| row.head.args.clone()).collect())
        });
        Self {
            rows: rows.collect(),
        }
    }

    fn holds(&self, atom: &Atom) -> Option<bool> {
        let rows = self.rows.get(&atom.key())?;
        let is_ground = atom.args.iter().all(Pattern::is_ground);
        if is_ground {
            return Some(rows.contains(&atom.args));
        }
        rows.is_empty().then_some(false)
    }

    pub(crate) fn contains(&self, key: RelationKey) -> bool {
        self.rows.contains_key(&key)
    }

    /// Removes conditions that always hold; `None` if one never does. Repeated conditions go too, and
    /// a condition that one row of a table satisfies gives its variables their values.
    pub(crate) fn simplify(&self, program: &mut Program, clause: Clause) -> Option<Clause> {
        let mut clause = self.simplify_once(program, clause)?;
        while let Some(bindings) = self.only_row(program, &clause) {
            clause = bindings.apply_to(&mut program.terms, &clause);
            clause = self.simplify_once(program, clause)?;
        }
        Some(clause)
    }

    /// The values that a condition with one matching row gives its variables.
    fn only_row(&self, program: &Program, clause: &Clause) -> Option<Bindings> {
        for literal in &clause.body {
            let Literal::Holds(atom) = literal else {
                continue;
            };
            let Some(rows) = self.rows.get(&atom.key()) else {
                continue;
            };
            // A table is looked up by a constant.
            if rows.len() > MAX_ROWS || !atom.args.iter().any(Pattern::is_ground) {
                continue;
            }
            let mut only = None;
            let mut count = 0;
            for row in rows {
                let mut bindings = Bindings::new(clause.variables);
                let mut pairs = atom.args.iter().zip(row);
                if pairs.all(|(arg, value)| bindings.unify(&program.terms, arg, value)) {
                    count += 1;
                    only = Some(bindings);
                }
            }
            if count == 1 {
                return only;
            }
        }
        None
    }

    fn simplify_once(&self, program: &Program, mut clause: Clause) -> Option<Clause> {
        let mut kept: Vec<Literal> = Vec::with_capacity(clause.body.len());
        for literal in clause.body.drain(..) {
            let value = match &literal {
                Literal::Holds(atom) => self.holds(atom),
                Literal::Fails(atom) => self.holds(atom).map(|value| !value),
                Literal::Distinct(Pattern::Ground(a), Pattern::Ground(b)) => Some(a != b),
                Literal::Distinct(a, b) if a == b => Some(false),
                Literal::Distinct(a, b) => {
                    let mut bindings = Bindings::new(clause.variables);
                    (!bindings.unify(&program.terms, a, b)).then_some(true)
                }
            };
            match value {
                Some(true) => {}
                Some(false) => return None,
                None => {
                    if !kept.contains(&literal) {
                        kept.push(literal);
                    }
                }
            }
        }
        clause.body = kept;
        Some(clause)
    }
}

/// The clauses with the variables of a pattern for the role replaced by each role.
pub(crate) fn fill_in_roles(
    program: &mut Program,
    clause: &Clause,
    role: &Pattern,
) -> Vec<(usize, Clause)> {
    match role {
        Pattern::Variable(v) => {
            let roles = program.roles.clone();
            let with = |(number, id): (usize, &TermId)| {
                (
                    number,
                    substitute(program, clause, *v, &Pattern::Ground(*id)),
                )
            };
            roles.iter().enumerate().map(with).collect()
        }
        Pattern::Ground(id) => {
            let number = program.roles.iter().position(|role| role == id);
            number
                .map(|number| (number, clause.clone()))
                .into_iter()
                .collect()
        }
        Pattern::Compound(..) => {
            let roles = program.roles.clone();
            let with = |(number, id): (usize, &TermId)| {
                let mut bindings = Bindings::new(clause.variables);
                let fits = bindings.unify(&program.terms, role, &Pattern::Ground(*id));
                fits.then(|| (number, bindings.apply_to(&mut program.terms, clause)))
            };
            roles.iter().enumerate().filter_map(with).collect()
        }
    }
}

/// Takes the legal rules apart.
pub(crate) fn move_rules(
    program: &mut Program,
    tables: &Tables,
) -> Result<MoveRules, NotApplicable> {
    let legal = (program.names.legal, 2);
    let mut rules = MoveRules::default();
    for clause in program.clauses(legal).to_vec() {
        let role = clause.head.args[0].clone();
        for (role, clause) in fill_in_roles(program, &clause, &role) {
            let mut open = vec![clause];
            let mut cases = 0;
            while let Some(clause) = open.pop() {
                cases += 1;
                if cases > MAX_CASES {
                    return Err(NotApplicable::TooManyCases { limit: MAX_CASES });
                }
                let Some(clause) = tables.simplify(program, clause) else {
                    continue;
                };
                match unfolding_place(program, &clause) {
                    Some(place) => {
                        let Some(atom) = clause.body[place].atom() else {
                            continue;
                        };
                        let definitions = program.clauses(atom.key()).to_vec();
                        for definition in definitions.iter().rev() {
                            open.extend(resolve(program, &clause, place, definition));
                        }
                    }
                    None => add(program, &mut rules, role, clause)?,
                }
            }
        }
    }
    for (role, id) in program.roles.iter().enumerate() {
        if !rules.keys().any(|kind| kind.role == role) {
            return Err(NotApplicable::NoMoves {
                role: program.terms.text(*id),
            });
        }
    }
    rules.sort_by(|a, _, b, _| a.role.cmp(&b.role));
    Ok(rules)
}

/// Files a rule under its functor. Its head becomes the list of the arguments of the move.
fn add(
    program: &Program,
    rules: &mut MoveRules,
    role: usize,
    clause: Clause,
) -> Result<(), NotApplicable> {
    let (functor, args) = match &clause.head.args[1] {
        Pattern::Ground(id) => {
            let args = program.terms.args(*id).iter();
            (
                program.terms.functor(*id),
                args.map(|id| Pattern::Ground(*id)).collect(),
            )
        }
        Pattern::Compound(functor, args) => (*functor, args.to_vec()),
        Pattern::Variable(_) => {
            return Err(NotApplicable::OpenMove {
                role: program.terms.text(program.roles[role]),
            });
        }
    };
    let kind = MoveKind {
        role,
        functor,
        arity: args.len(),
    };
    let head = Atom {
        name: functor,
        args,
    };
    let clause = Clause { head, ..clause };
    let list = rules.entry(kind).or_default();
    if !list.contains(&clause) {
        list.push(clause);
    }
    Ok(())
}

/// The condition that is unfolded next: one that takes the whole move.
fn unfolding_place(program: &Program, clause: &Clause) -> Option<usize> {
    let whole = &clause.head.args[1];
    if whole.is_ground() {
        return None;
    }
    clause.body.iter().position(|literal| {
        let Literal::Holds(atom) = literal else {
            return false;
        };
        atom.args.contains(whole)
            && atom.name != program.names.true_
            && !is_recursive(program, atom.key())
    })
}

/// Whether a relation depends on itself through positive conditions.
pub(crate) fn is_recursive(program: &Program, start: RelationKey) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![start];
    while let Some(key) = open.pop() {
        for clause in program.clauses(key) {
            for literal in &clause.body {
                if let Some(atom) = literal.atom() {
                    if atom.key() == start {
                        return true;
                    }
                    if seen.insert(atom.key()) {
                        open.push(atom.key());
                    }
                }
            }
        }
    }
    false
}

/// The arguments of a kind of move that are split: every rule gives them a constant, or takes the
/// value from a table by other things than the move. Rules are replaced by one for each value, so
/// that rules for different values, such as different pieces, exclude each other.
pub(crate) fn split_arguments(
    program: &mut Program,
    tables: &Tables,
    rules: &mut Vec<MoveRule>,
    arity: usize,
) -> Vec<usize> {
    /// The largest number of values of a split argument.
    const MAX_VALUES: usize = 12;
    let mut split = Vec::new();
    for place in 0..arity {
        let Some(divided) = divided_by(program, tables, rules, place) else {
            continue;
        };
        let values: FxHashSet<&Pattern> =
            divided.iter().map(|rule| &rule.head.args[place]).collect();
        if values.len() <= MAX_VALUES && divided.len() <= MAX_CASES / 8 {
            *rules = divided;
            split.push(place);
        }
    }
    split
}

/// The rules with each value of an argument filled in; `None` if a rule leaves the value to other
/// conditions.
fn divided_by(
    program: &mut Program,
    tables: &Tables,
    rules: &[MoveRule],
    place: usize,
) -> Option<Vec<MoveRule>> {
    let mut divided: Vec<MoveRule> = Vec::new();
    for rule in rules {
        let variable = match rule.head.args[place] {
            Pattern::Ground(_) => {
                divided.push(rule.clone());
                continue;
            }
            Pattern::Variable(variable) => variable,
            Pattern::Compound(..) => return None,
        };
        let at = table_of(tables, rule, variable)?;
        let key = rule.body[at].atom()?.key();
        for row in program.clauses(key).to_vec() {
            let case = resolve(program, rule, at, &row);
            let case = case.and_then(|case| tables.simplify(program, case));
            divided.extend(case.filter(|case| !divided.contains(case)));
        }
    }
    Some(divided)
}

/// A condition on a table that gives a variable its values, and has no other argument of the move.
fn table_of(tables: &Tables, rule: &MoveRule, variable: Variable) -> Option<usize> {
    let mut of_move = Vec::new();
    rule.head.for_each_variable(&mut |v| of_move.push(v));
    rule.body.iter().position(|literal| {
        let Literal::Holds(atom) = literal else {
            return false;
        };
        if !tables.contains(atom.key()) || !atom.args.contains(&Pattern::Variable(variable)) {
            return false;
        }
        let others = literal.variables();
        others
            .iter()
            .all(|v| *v == variable || !of_move.contains(v))
    })
}
