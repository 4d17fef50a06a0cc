//! Turn taking: games in which one role at a time has a choice.
//!
//! The roles of such a game draw their moves in stages of their own, so that the code of a stage has
//! the rules of one role only. The proof is syntactic: one fluent for each role tells whose turn it
//! is, the rules hand the turn on in a fixed order, and a role without the turn has one constant move.

use ludorum_logic::TermId;
use ludorum_logic::rule::Pattern;

use crate::moves::{MoveKind, MoveRules};
use crate::program::{Clause, Literal, Program};

/// Who has the turn, and what the others do.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    /// The roles in the order of their turns.
    pub(crate) order: Vec<usize>,
    /// The fluent of the turn of each role.
    pub(crate) control: Vec<TermId>,
    /// The only move of each role without the turn.
    pub(crate) passive: Vec<MoveKind>,
}

impl Turns {
    /// The turns of a game, if its roles take turns. Removes the rules of passive moves.
    pub(crate) fn find(program: &Program, rules: &mut MoveRules) -> Option<Self> {
        let roles = program.roles.len();
        if roles < 2 {
            return None;
        }
        let cycle = cycles(program, roles)?;
        cycle
            .into_iter()
            .find_map(|fluents| Self::with(program, rules, &fluents))
    }

    /// The turns told by a cycle of fluents.
    fn with(program: &Program, rules: &mut MoveRules, cycle: &[TermId]) -> Option<Self> {
        let roles = program.roles.len();
        let mut order = Vec::new();
        let mut passive: Vec<Option<MoveKind>> = vec![None; roles];
        let mut control = vec![None; roles];
        for fluent in cycle {
            // The role of which all other rules need the fluent.
            let role = (0..roles).find(|role| {
                control[*role].is_none()
                    && rules.iter().any(|(kind, list)| {
                        kind.role == *role && list.iter().any(|rule| needs(program, rule, *fluent))
                    })
                    && is_passive_without(program, rules, *role, *fluent, cycle).is_some()
            })?;
            control[role] = Some(*fluent);
            passive[role] = is_passive_without(program, rules, role, *fluent, cycle);
            order.push(role);
        }
        let passive: Vec<MoveKind> = passive.into_iter().collect::<Option<_>>()?;
        let control: Vec<TermId> = control.into_iter().collect::<Option<_>>()?;
        for (role, kind) in passive.iter().enumerate() {
            let fluent = control[role];
            if let Some(list) = rules.get_mut(kind) {
                list.retain(|rule| needs(program, rule, fluent));
            }
        }
        Some(Self {
            order,
            control,
            passive,
        })
    }
}

/// Whether a rule has the condition that a fluent holds.
fn needs(program: &Program, rule: &Clause, fluent: TermId) -> bool {
    rule.body.contains(&program.fluent(Pattern::Ground(fluent)))
}

/// The constant move of a role without its turn, if that is exactly one in every state.
fn is_passive_without(
    program: &Program,
    rules: &MoveRules,
    role: usize,
    fluent: TermId,
    cycle: &[TermId],
) -> Option<MoveKind> {
    let without = program.no_fluent(Pattern::Ground(fluent));
    let mut found: Option<MoveKind> = None;
    // The turns in which the move is legal.
    let mut covered: Vec<TermId> = Vec::new();
    for (kind, list) in rules {
        if kind.role != role {
            continue;
        }
        for rule in list.iter().filter(|rule| !needs(program, rule, fluent)) {
            if kind.arity > 0 || found.is_some_and(|known| known != *kind) {
                return None;
            }
            found = Some(*kind);
            match &rule.body[..] {
                [only] if *only == without => {
                    covered.extend(cycle.iter().filter(|other| **other != fluent));
                }
                [Literal::Holds(atom)] if atom.name == program.names.true_ => {
                    let Pattern::Ground(other) = atom.args[0] else {
                        return None;
                    };
                    if other == fluent || !cycle.contains(&other) {
                        return None;
                    }
                    covered.push(other);
                }
                _ => return None,
            }
        }
    }
    let all = cycle.iter().filter(|other| **other != fluent);
    let mut all = all.into_iter();
    all.all(|other| covered.contains(other))
        .then_some(found)
        .flatten()
}

/// Cycles of ground fluents, one for each role, of which exactly one holds in every state: one of
/// them initially, and each follows exactly from the one before.
fn cycles(program: &Program, roles: usize) -> Option<Vec<Vec<TermId>>> {
    let next = program.clauses((program.names.next, 1));
    // (fluent, the fluent that it follows from)
    let follows = |clause: &Clause| match (&clause.head.args[0], &clause.body[..]) {
        (Pattern::Ground(after), [Literal::Holds(atom)]) if atom.name == program.names.true_ => {
            match atom.args[0] {
                Pattern::Ground(before) if before != *after => Some((*after, before)),
                _ => None,
            }
        }
        _ => None,
    };
    let pairs: Vec<(TermId, TermId)> = next.iter().filter_map(follows).collect();
    let rules_for = |fluent: TermId| {
        let pattern = Pattern::Ground(fluent);
        next.iter()
            .filter(|clause| {
                let mut bindings = crate::unify::Bindings::new(clause.variables);
                bindings.unify(&program.terms, &clause.head.args[0], &pattern)
            })
            .count()
    };
    let init = program.clauses((program.names.init, 1));
    let holds = |fluent: TermId| {
        init.iter()
            .any(|clause| clause.head.args[0] == Pattern::Ground(fluent))
    };
    let mut found: Vec<Vec<TermId>> = Vec::new();
    for (start, _) in pairs.iter().filter(|(fluent, _)| holds(*fluent)) {
        // From the fluent of the first turn on, in the order in which turns follow.
        let mut cycle = vec![*start];
        loop {
            let last = cycle[cycle.len() - 1];
            let mut after = pairs.iter().filter(|(_, before)| *before == last);
            let Some((next, _)) = after.next() else {
                break;
            };
            if *next == *start {
                let is_single = cycle.iter().all(|fluent| rules_for(*fluent) == 1);
                let initial = cycle.iter().filter(|fluent| holds(**fluent)).count();
                if cycle.len() == roles && is_single && initial == 1 {
                    found.push(cycle);
                }
                break;
            }
            if cycle.contains(next) || cycle.len() >= roles {
                break;
            }
            cycle.push(*next);
        }
    }
    (!found.is_empty()).then_some(found)
}
