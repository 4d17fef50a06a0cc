//! Leaves of the draw: the part of a rule for legal moves that is tested before the draw.
//!
//! Each rule for legal moves is cut in two. The conditions that are cheap for every possible prefix
//! of the move are its *early* part, and the moves that they allow are the leaves from which a
//! candidate is drawn. Any choice of early conditions gives a superset of the legal moves. The whole
//! rule is tested on the candidate.

use ludorum_logic::rule::{Pattern, Variable};
use ludorum_logic::{Domains, Rules};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::moves::MoveRule;
use crate::program::{Literal, Program, RelationKey};

/// The largest size of a relation in an early condition.
const MAX_EARLY: u64 = 20_000;

/// Bounds on the number of atoms of relations and of values of arguments.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    /// The largest of the relation and those that it depends on.
    cones: FxHashMap<RelationKey, u64>,
}

/// The largest size of a relation that is early because the end of the game depends on it.
const MAX_FREE: u64 = 400_000;

/// How often bounds on the sizes of relations are handed from conditions to heads.
const ROUNDS: usize = 20;

fn variables_of(atom: &ludorum_logic::rule::Atom) -> Vec<Variable> {
    let mut found = Vec::new();
    atom.for_each_variable(&mut |v| {
        if !found.contains(&v) {
            found.push(v);
        }
    });
    found
}

/// The relations that `terminal` depends on.
fn asked_by_terminal(program: &Program) -> FxHashSet<RelationKey> {
    let mut seen = FxHashSet::default();
    let mut open = vec![(program.names.terminal, 0)];
    while let Some(key) = open.pop() {
        if key.0 == program.names.legal || !seen.insert(key) {
            continue;
        }
        let literals = program.clauses(key).iter().flat_map(|clause| &clause.body);
        open.extend(
            literals
                .filter_map(Literal::atom)
                .map(crate::program::Atom::key),
        );
    }
    seen
}

impl Sizes {
    pub(crate) fn new(rules: &Rules, domains: &Domains, program: &Program) -> Self {
        // A bound for each rule: the product of the domains of the variables of its head.
        let mut products: Vec<u64> = Vec::with_capacity(rules.rules.len());
        let mut own: FxHashMap<RelationKey, u64> = FxHashMap::default();
        for rule in &rules.rules {
            let sizes = domains.variable_sizes(rule, &rules.terms);
            let mut product = 1u64;
            for v in variables_of(&rule.head) {
                product = product.saturating_mul(sizes[v as usize].unwrap_or(u64::MAX));
            }
            products.push(product);
            let size = own
                .entry(program.origin[rule.head.relation.index()])
                .or_default();
            *size = (*size).max(product);
        }
        let largest = own.clone();
        // A rule derives no more than a condition with all variables of its head has.
        for _ in 0..ROUNDS {
            let mut smaller: FxHashMap<RelationKey, u64> = FxHashMap::default();
            for (rule, product) in rules.rules.iter().zip(&products) {
                let of_head = variables_of(&rule.head);
                let covers = |atom: &ludorum_logic::rule::Atom| {
                    let own = variables_of(atom);
                    of_head.iter().all(|v| own.contains(v))
                };
                let bounds = rule.body.iter().filter_map(|literal| match literal {
                    ludorum_logic::rule::Literal::Positive(atom) if covers(atom) => {
                        own.get(&program.origin[atom.relation.index()]).copied()
                    }
                    _ => None,
                });
                let bound = bounds.fold(*product, u64::min);
                let key = program.origin[rule.head.relation.index()];
                let size = smaller.entry(key).or_default();
                *size = size.saturating_add(bound);
            }
            for (key, size) in &mut smaller {
                *size = (*size).min(largest.get(key).copied().unwrap_or(u64::MAX));
            }
            if smaller == own {
                break;
            }
            own = smaller;
        }
        let free = asked_by_terminal(program);
        let mut cones = FxHashMap::default();
        for key in program.relations.keys() {
            let mut largest = 0;
            let mut depends_on_state = false;
            let mut seen: FxHashSet<RelationKey> = FxHashSet::default();
            let mut open = vec![*key];
            while let Some(at) = open.pop() {
                if !seen.insert(at) {
                    continue;
                }
                depends_on_state |= at.0 == program.names.true_ || at.0 == program.names.does;
                if !program.is_table(at) {
                    largest = largest.max(own.get(&at).copied().unwrap_or(0));
                }
                for clause in program.clauses(at) {
                    open.extend(
                        clause
                            .body
                            .iter()
                            .filter_map(Literal::atom)
                            .map(crate::program::Atom::key),
                    );
                }
            }
            // A condition that is the same in all states costs nothing, and one that every state
            // evaluates in order to know whether it is terminal costs nothing more.
            let is_free = !depends_on_state || free.contains(key) && largest <= MAX_FREE;
            cones.insert(*key, if is_free { 0 } else { largest });
        }
        Self { cones }
    }

    /// The size of the largest relation that a condition depends on.
    pub(crate) fn of(&self, literal: &Literal) -> u64 {
        let key = literal.atom().map(crate::program::Atom::key);
        key.and_then(|key| self.cones.get(&key))
            .copied()
            .unwrap_or(0)
    }
}

/// The early conditions of a rule, as positions in its body; `prefix` are the arguments of the move
/// that are drawn first.
pub(crate) fn early_conditions(
    program: &Program,
    sizes: &Sizes,
    rule: &MoveRule,
    prefix: &[usize],
) -> Vec<usize> {
    let mut of_prefix: Vec<Variable> = Vec::new();
    let mut of_suffix: Vec<Variable> = Vec::new();
    for (place, arg) in rule.head.args.iter().enumerate() {
        arg.for_each_variable(&mut |v| {
            if prefix.contains(&place) {
                of_prefix.push(v);
            } else {
                of_suffix.push(v);
            }
        });
    }
    of_suffix.retain(|v| !of_prefix.contains(v));
    let is_asked = |literal: &Literal| {
        let variables = literal.variables();
        let asks_moves = literal
            .atom()
            .is_some_and(|atom| atom.name == program.names.legal);
        !asks_moves
            && !variables.iter().any(|v| of_suffix.contains(v))
            && sizes.of(literal) <= MAX_EARLY
    };
    let mut early: Vec<usize> = (0..rule.body.len())
        .filter(|i| is_asked(&rule.body[*i]))
        .collect();
    loop {
        let before = early.len();
        // Variables that a positive condition binds.
        let mut bound: FxHashSet<Variable> = FxHashSet::default();
        for i in &early {
            if matches!(rule.body[*i], Literal::Holds(_)) {
                bound.extend(rule.body[*i].variables());
            }
        }
        early.retain(|i| {
            matches!(rule.body[*i], Literal::Holds(_))
                || rule.body[*i].variables().iter().all(|v| bound.contains(v))
        });
        // Conditions on other things than the move are worth one bit of the state, if they are cheap.
        let reached = connected(rule, &early, &of_prefix);
        early.retain(|i| {
            let variables = rule.body[*i].variables();
            let is_fluent = |atom: &crate::program::Atom| {
                atom.name == program.names.true_ || program.is_table(atom.key())
            };
            variables.is_empty()
                || variables.iter().any(|v| reached.contains(v))
                || matches!(&rule.body[*i], Literal::Holds(atom) if is_fluent(atom))
        });
        if early.len() == before {
            return early;
        }
    }
}

/// The variables that early conditions connect with some others.
fn connected(rule: &MoveRule, early: &[usize], from: &[Variable]) -> FxHashSet<Variable> {
    let mut reached: FxHashSet<Variable> = from.iter().copied().collect();
    loop {
        let size = reached.len();
        for i in early {
            let variables = rule.body[*i].variables();
            if variables.iter().any(|v| reached.contains(v)) {
                reached.extend(variables);
            }
        }
        if reached.len() == size {
            return reached;
        }
    }
}

/// The early conditions that say nothing about the move but something about the state, in sets that
/// share variables.
pub(crate) fn state_conditions(
    rule: &MoveRule,
    early: &[usize],
    prefix: &[usize],
) -> Vec<Vec<usize>> {
    let mut of_prefix: Vec<Variable> = Vec::new();
    for place in prefix {
        rule.head.args[*place].for_each_variable(&mut |v| of_prefix.push(v));
    }
    let mut taken = connected(rule, early, &of_prefix);
    let mut sets = Vec::new();
    for i in early {
        let variables = rule.body[*i].variables();
        if variables.is_empty() || variables.iter().any(|v| taken.contains(v)) {
            continue;
        }
        let own = connected(rule, early, &variables);
        let members = early
            .iter()
            .copied()
            .filter(|j| rule.body[*j].variables().iter().any(|v| own.contains(v)));
        sets.push(members.collect());
        taken.extend(own);
    }
    sets
}

/// The variables of the prefix that no early condition binds.
pub(crate) fn unbound(
    rule: &MoveRule,
    early: &[usize],
    prefix: &[usize],
) -> Vec<(usize, Variable)> {
    let mut bound: FxHashSet<Variable> = FxHashSet::default();
    for i in early {
        if matches!(rule.body[*i], Literal::Holds(_)) {
            bound.extend(rule.body[*i].variables());
        }
    }
    let mut open = Vec::new();
    for place in prefix {
        if let Pattern::Variable(v) = rule.head.args[*place]
            && !bound.contains(&v)
        {
            open.push((*place, v));
        }
    }
    open
}

/// The conditions on the prefix alone that are early in every rule: each candidate satisfies them, so
/// the test need not repeat them. Variables are numbered by the places of the prefix. Empty if the
/// head of a rule is more special than others.
pub(crate) fn certain_conditions(
    rules: &[MoveRule],
    early: &[Vec<usize>],
    prefix: &[usize],
) -> FxHashSet<Literal> {
    let mut certain: Option<FxHashSet<Literal>> = None;
    for (rule, early) in rules.iter().zip(early) {
        let own: FxHashSet<Literal> = early
            .iter()
            .filter_map(|i| on_prefix(rule, &rule.body[*i], prefix))
            .collect();
        certain = Some(match certain {
            None => own,
            Some(known) => known.intersection(&own).cloned().collect(),
        });
    }
    certain.unwrap_or_default()
}

/// A condition on the prefix alone, with its variables numbered by the places of the prefix.
pub(crate) fn on_prefix(rule: &MoveRule, literal: &Literal, prefix: &[usize]) -> Option<Literal> {
    let mut numbers: FxHashMap<Variable, Variable> = FxHashMap::default();
    for (number, place) in prefix.iter().enumerate() {
        let Pattern::Variable(v) = rule.head.args[*place] else {
            return None;
        };
        if numbers.insert(v, number as Variable).is_some() {
            return None;
        }
    }
    let is_known = literal.variables().iter().all(|v| numbers.contains_key(v));
    is_known.then(|| literal.map(&mut |pattern| pattern.rename(&|v| numbers[&v])))
}
