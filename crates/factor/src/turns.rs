//! Turn taking: games in which one role at a time has a choice.
//!
//! The roles of such a game draw their moves in stages of their own, so that the code of a stage has
//! the rules of one role only. The proof is syntactic: one fluent for each role tells whose turn it
//! is, the rules hand the turn on in a fixed order, and a role without the turn has one constant move.

use ludorum_logic::TermId;
use ludorum_logic::rule::Pattern;

use crate::moves::{MoveKind, MoveRules};
use crate::program::{Atom, Clause, Literal, Program};
use crate::unify::{Bindings, resolve};

/// The largest number of rows of a table that tells whose turn follows.
const MAX_ROWS: usize = 64;

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
    pub(crate) fn find(program: &mut Program, rules: &mut MoveRules) -> Option<Self> {
        let roles = program.roles.len();
        if roles < 2 {
            return None;
        }
        let next = next_cases(program);
        let cycle = cycles(program, &next, roles)?;
        cycle
            .into_iter()
            .find_map(|fluents| Self::with(program, rules, &next, &fluents))
    }

    /// The turns told by a cycle of fluents.
    fn with(
        program: &Program,
        rules: &mut MoveRules,
        next: &[Clause],
        cycle: &[TermId],
    ) -> Option<Self> {
        let passive_of = |rules: &MoveRules, role: usize, fluent: TermId| {
            is_passive_without(program, rules, next, role, fluent, cycle)
        };
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
                    && passive_of(rules, *role, *fluent).is_some()
            })?;
            control[role] = Some(*fluent);
            passive[role] = passive_of(rules, role, *fluent);
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
    next: &[Clause],
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
                _ => {
                    let turns = turns_of(program, rule, next, cycle)?;
                    if turns.contains(&fluent) {
                        return None;
                    }
                    covered.extend(turns);
                }
            }
        }
    }
    let all = cycle.iter().filter(|other| **other != fluent);
    let mut all = all.into_iter();
    all.all(|other| covered.contains(other))
        .then_some(found)
        .flatten()
}

/// The fluents of a cycle with which a rule fires, if it depends on them alone.
fn turns_of(
    program: &Program,
    rule: &Clause,
    next: &[Clause],
    cycle: &[TermId],
) -> Option<Vec<TermId>> {
    let is_fluent = |literal: &&Literal| {
        let atom = literal.atom();
        atom.is_some_and(|atom| atom.name == program.names.true_)
    };
    let mut fluents = rule.body.iter().filter(is_fluent);
    let (Some(Literal::Holds(atom)), None) = (fluents.next(), fluents.next()) else {
        return None;
    };
    let pattern = &atom.args[0];
    // No other fluent matches.
    let init = program.clauses((program.names.init, 1));
    for clause in init.iter().chain(next) {
        let shifted = clause.shifted(rule.variables);
        let mut bindings = Bindings::new(shifted.variables);
        let head = &shifted.head.args[0];
        if bindings.unify(&program.terms, pattern, head)
            && !matches!(head, Pattern::Ground(id) if cycle.contains(id))
        {
            return None;
        }
    }
    let mut found = Vec::new();
    for fluent in cycle {
        let mut bindings = Bindings::new(rule.variables);
        if !bindings.unify(&program.terms, pattern, &Pattern::Ground(*fluent)) {
            continue;
        }
        let mut holds = true;
        for literal in rule.body.iter().filter(|literal| !is_fluent(literal)) {
            let literal = literal.map(&mut |pattern| bindings.known(&program.terms, pattern));
            holds &= truth(program, &literal)?;
        }
        if holds {
            found.push(*fluent);
        }
    }
    Some(found)
}

/// The truth of a ground condition that is the same in all states.
fn truth(program: &Program, literal: &Literal) -> Option<bool> {
    let in_table = |atom: &Atom| {
        let is_ground = atom.args.iter().all(Pattern::is_ground);
        let rows = program.clauses(atom.key());
        (is_ground && program.is_table(atom.key()) && rows.len() <= MAX_ROWS)
            .then(|| rows.iter().any(|row| row.head.args == atom.args))
    };
    match literal {
        Literal::Distinct(Pattern::Ground(a), Pattern::Ground(b)) => Some(a != b),
        Literal::Distinct(..) => None,
        Literal::Holds(atom) => in_table(atom),
        Literal::Fails(atom) => in_table(atom).map(|holds| !holds),
    }
}

/// The rules for the next state. Those that hand a turn on with the help of small tables are
/// replaced by one for each row.
fn next_cases(program: &mut Program) -> Vec<Clause> {
    let clauses = program.clauses((program.names.next, 1)).to_vec();
    let mut cases = Vec::new();
    for clause in clauses {
        let mut open = vec![clause.clone()];
        let mut done = Vec::new();
        let is_simple = clause.body.iter().all(|literal| match literal {
            Literal::Holds(atom) => {
                atom.name == program.names.true_
                    || program.is_table(atom.key()) && program.clauses(atom.key()).len() <= MAX_ROWS
            }
            Literal::Fails(_) => false,
            Literal::Distinct(..) => true,
        });
        let fluents = clause.body.iter().filter_map(Literal::atom);
        let fluents = fluents.filter(|atom| atom.name == program.names.true_);
        if !is_simple || fluents.count() != 1 {
            cases.push(clause);
            continue;
        }
        while let Some(mut case) = open.pop() {
            let true_ = program.names.true_;
            let table = case
                .body
                .iter()
                .position(|literal| matches!(literal, Literal::Holds(atom) if atom.name != true_));
            match table {
                Some(place) => {
                    let Some(key) = case.body[place].atom().map(Atom::key) else {
                        continue;
                    };
                    for row in program.clauses(key).to_vec() {
                        open.extend(resolve(program, &case, place, &row));
                    }
                }
                None => {
                    let mut holds = true;
                    case.body.retain(|literal| match literal {
                        Literal::Distinct(Pattern::Ground(a), Pattern::Ground(b)) => {
                            holds &= a != b;
                            false
                        }
                        _ => true,
                    });
                    if holds && !done.contains(&case) {
                        done.push(case);
                    }
                }
            }
            if open.len() + done.len() > MAX_ROWS {
                break;
            }
        }
        if open.is_empty() {
            cases.extend(done);
        } else {
            cases.push(clause);
        }
    }
    cases
}

/// Cycles of ground fluents, one for each role, of which exactly one holds in every state: one of
/// them initially, and each follows exactly from the one before.
fn cycles(program: &Program, next: &[Clause], roles: usize) -> Option<Vec<Vec<TermId>>> {
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
                let mut bindings = Bindings::new(clause.variables);
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
