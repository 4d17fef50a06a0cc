//! Assembles the ground program: final numbers, deduplicated rules by head, and components.

use std::sync::Arc;

use ludorum_logic::{Rules, TermId};
use rustc_hash::FxHashMap;

use crate::clause::{Predicate, PredicateView};
use crate::dependencies::groups;
use crate::emit::AtomNumbering;
use crate::emitted::EmittedRules;
use crate::instantiate::Grounder;
use crate::program::{
    AtomId, AtomKind, GroundFluent, GroundGoal, GroundLiteral, GroundMove, GroundProgram,
    GroundRelation,
};
use crate::scc::components;
use crate::shape::arguments;
use crate::simplify::{AtomValue, Simplified};
use crate::stats::RelationStats;

/// The number of an atom that is not in the program.
const REMOVED: u32 = u32::MAX;

impl Predicate {
    /// Whether its atoms are outputs or inputs of the program and are never eliminated.
    pub(crate) fn is_keyword(&self) -> bool {
        self.view != PredicateView::Plain
            || self.relation.is_some() && matches!(&self.name[..], "goal" | "terminal")
    }

    fn kind(&self) -> AtomKind {
        match self.view {
            PredicateView::True => AtomKind::True,
            PredicateView::Does => AtomKind::Does,
            PredicateView::Next => AtomKind::Next,
            PredicateView::Legal => AtomKind::Legal,
            PredicateView::Plain if !self.is_keyword() => AtomKind::Other,
            PredicateView::Plain if self.name == "goal" => AtomKind::Goal,
            PredicateView::Plain => AtomKind::Terminal,
        }
    }
}

/// From preliminary to final atom numbers.
struct Renumbering {
    /// The final number of each atom, or [`REMOVED`].
    to: Vec<u32>,
}

pub(crate) fn build_program(
    grounder: &mut Grounder<'_, '_>,
    rules: &Rules,
    numbering: &AtomNumbering,
    emitted: &EmittedRules,
    simplified: &Simplified,
    initial: &[bool],
) -> GroundProgram {
    let mut program = GroundProgram {
        roles: rules.roles.clone(),
        moves: vec![Vec::new(); rules.roles.len()],
        ..GroundProgram::default()
    };
    let renumbering = number_atoms(&mut program, grounder, numbering, simplified, initial);
    list_exclusive(&mut program, grounder, numbering, &renumbering);
    collect_rules(&mut program, emitted, simplified, &renumbering);
    find_components(&mut program);
    program
}

/// Numbers the remaining atoms relation by relation, and collects fluents, moves and goals.
fn number_atoms(
    program: &mut GroundProgram,
    grounder: &mut Grounder<'_, '_>,
    numbering: &AtomNumbering,
    simplified: &Simplified,
    initial: &[bool],
) -> Renumbering {
    let mut to = vec![REMOVED; numbering.count as usize];
    let kinds = [
        AtomKind::True,
        AtomKind::Does,
        AtomKind::Next,
        AtomKind::Legal,
        AtomKind::Goal,
        AtomKind::Terminal,
        AtomKind::Other,
    ];
    program.arg_starts.push(0);
    for kind in kinds {
        // One relation may consist of several predicates, one for each functor.
        let mut start = program.arg_starts.len() as u32 - 1;
        for (at, predicate) in grounder.predicates.all.iter().enumerate() {
            if !predicate.is_dynamic() || predicate.kind() != kind {
                continue;
            }
            let table = grounder.tables.get(predicate.table);
            for row in 0..table.len() {
                let first = numbering.first[at] + row;
                let value = simplified.values[first as usize];
                let stays = match kind {
                    AtomKind::True => value != AtomValue::False || initial[first as usize],
                    AtomKind::Other => {
                        value == AtomValue::Open && simplified.needed[first as usize]
                    }
                    _ => value != AtomValue::False,
                };
                if !stays {
                    continue;
                }
                to[first as usize] = program.arg_starts.len() as u32 - 1;
                let cells = table.row(row);
                arguments(
                    grounder.term_store.terms,
                    &predicate.shape,
                    cells,
                    &mut program.args,
                );
                program.arg_starts.push(program.args.len() as u32);
                if kind == AtomKind::True {
                    program.fluents.push(GroundFluent {
                        term: *program.args.last().unwrap_or(&TermId(0)),
                        truth: to[first as usize],
                        next: None,
                        initial: initial[first as usize],
                    });
                }
            }
            let end = program.arg_starts.len() as u32 - 1;
            if kind == AtomKind::Other && start < end {
                program.relations.push(GroundRelation {
                    name: predicate.name.clone(),
                    kind,
                    atoms: start..end,
                });
                start = end;
            }
        }
        let end = program.arg_starts.len() as u32 - 1;
        if kind != AtomKind::Other && start < end {
            let name = match kind {
                AtomKind::True => "true",
                AtomKind::Does => "does",
                AtomKind::Next => "next",
                AtomKind::Legal => "legal",
                AtomKind::Goal => "goal",
                _ => "terminal",
            };
            program.relations.push(GroundRelation {
                name: name.to_owned(),
                kind,
                atoms: start..end,
            });
        }
    }
    program.terms = Arc::new(grounder.term_store.terms.clone());
    list_moves(program);
    Renumbering { to }
}

/// Lists the fluents of which at most one holds, where the rules rely on it.
fn list_exclusive(
    program: &mut GroundProgram,
    grounder: &Grounder<'_, '_>,
    numbering: &AtomNumbering,
    renumbering: &Renumbering,
) {
    for (id, keys) in grounder.dependencies.all() {
        let predicate = grounder.predicates.get(id);
        if predicate.view != PredicateView::True {
            continue;
        }
        let first = numbering.first(id);
        for key in keys {
            for rows in groups(&grounder.tables, predicate.table, *key) {
                // Fluents are the first atoms, in the same order.
                let fluents = rows
                    .iter()
                    .map(|row| renumbering.to[(first + row) as usize]);
                let fluents: Box<[u32]> = fluents.filter(|f| *f != REMOVED).collect();
                if fluents.len() > 1 {
                    program.at_most_one.push(fluents);
                }
            }
        }
    }
    program.at_most_one.sort_unstable();
}

/// Pairs `true` with `next` and `does` with `legal` atoms, and collects the goals.
fn list_moves(program: &mut GroundProgram) {
    let range = |program: &GroundProgram, kind| {
        let found = program.relations.iter().find(|r| r.kind == kind);
        found.map_or(0..0, |relation| relation.atoms.clone())
    };
    let fluents: FxHashMap<TermId, usize> = program
        .fluents
        .iter()
        .enumerate()
        .map(|(i, fluent)| (fluent.term, i))
        .collect();
    for atom in range(program, AtomKind::Next) {
        if let Some(at) = fluents.get(&program.args(atom)[0]) {
            program.fluents[*at].next = Some(atom);
        }
    }
    let roles: FxHashMap<TermId, usize> = program
        .roles
        .iter()
        .enumerate()
        .map(|(i, role)| (*role, i))
        .collect();
    // Both relations have the same rows in the same order.
    for (does, legal) in range(program, AtomKind::Does).zip(range(program, AtomKind::Legal)) {
        let args = program.args(legal);
        debug_assert_eq!(args, program.args(does));
        if let Some(role) = roles.get(&args[0]) {
            let term = args[1];
            program.moves[*role].push(GroundMove { term, does, legal });
        }
    }
    for atom in range(program, AtomKind::Goal) {
        let args = program.args(atom);
        if let Some(role) = roles.get(&args[0]) {
            program.goals.push(GroundGoal {
                role: *role,
                term: args[1],
                value: program.terms.number(args[1]),
                atom,
            });
        }
    }
    program.goals.sort_by_key(|goal| goal.role);
    program.terminal = range(program, AtomKind::Terminal).next();
}

/// Collects the rules by head, with final numbers and without duplicates.
fn collect_rules(
    program: &mut GroundProgram,
    emitted: &EmittedRules,
    simplified: &Simplified,
    renumbering: &Renumbering,
) {
    let count = program.atom_count();
    let to = &renumbering.to;
    // Counting sort by head.
    let mut starts = vec![0u32; count + 1];
    let mut kept: Vec<u32> = Vec::with_capacity(emitted.heads.len());
    for (rule, head) in emitted.heads.iter().enumerate() {
        let head = to[*head as usize];
        if simplified.alive[rule] && head != REMOVED {
            starts[head as usize + 1] += 1;
            kept.push(rule as u32);
        }
    }
    for at in 0..count {
        starts[at + 1] += starts[at];
    }
    let mut by_head = vec![0u32; kept.len()];
    let mut place = starts.clone();
    for rule in kept {
        let head = to[emitted.heads[rule as usize] as usize] as usize;
        by_head[place[head] as usize] = rule;
        place[head] += 1;
    }
    let mut always = vec![false; count];
    for (first, value) in simplified.values.iter().enumerate() {
        if *value == AtomValue::True && to[first] != REMOVED {
            always[to[first] as usize] = true;
        }
    }
    program.rule_starts.push(0);
    program.body_starts.push(0);
    let mut group: Vec<(u64, u32)> = Vec::new();
    for atom in 0..count {
        if always[atom] {
            // The atom always holds: one rule without a body.
            program.body_starts.push(program.literals.len() as u32);
            program
                .rule_starts
                .push(program.body_starts.len() as u32 - 1);
            continue;
        }
        let first_rule = program.body_starts.len() - 1;
        group.clear();
        for rule in &by_head[starts[atom] as usize..starts[atom + 1] as usize] {
            let from = program.literals.len();
            for literal in emitted.body(*rule as usize) {
                let first = (literal >> 1) as usize;
                if simplified.values[first] == AtomValue::Open {
                    program
                        .literals
                        .push(GroundLiteral::new(to[first], literal & 1 == 1));
                }
            }
            program.literals[from..].sort_unstable();
            let number = program.body_starts.len() as u32 - 1;
            group.push((hash(&program.literals[from..]), number));
            program.body_starts.push(program.literals.len() as u32);
        }
        drop_duplicates(program, first_rule, &mut group);
        program
            .rule_starts
            .push(program.body_starts.len() as u32 - 1);
    }
    program.literals.shrink_to_fit();
    program.body_starts.shrink_to_fit();
}

fn hash(body: &[GroundLiteral]) -> u64 {
    body.iter().fold(0, |h: u64, literal| {
        (h.rotate_left(5) ^ u64::from(literal.0)).wrapping_mul(0xf135_7aea_2e62_a9c5)
    })
}

/// Removes duplicate bodies among the rules from `first_rule` on, keeping the first of each.
fn drop_duplicates(program: &mut GroundProgram, first_rule: usize, group: &mut [(u64, u32)]) {
    if group.len() < 2 {
        return;
    }
    group.sort_unstable();
    let mut repeated: Vec<u32> = Vec::new();
    let mut at = 0;
    while at < group.len() {
        let mut end = at + 1;
        while end < group.len() && group[end].0 == group[at].0 {
            let body = program.body(group[end].1 as usize);
            let earlier = &group[at..end];
            if earlier
                .iter()
                .any(|(_, rule)| program.body(*rule as usize) == body)
            {
                repeated.push(group[end].1);
            }
            end += 1;
        }
        at = end;
    }
    if repeated.is_empty() {
        return;
    }
    repeated.sort_unstable();
    let last = program.body_starts.len() - 1;
    let mut to_rule = first_rule;
    let mut to_literal = program.body_starts[first_rule] as usize;
    for rule in first_rule..last {
        if repeated.binary_search(&(rule as u32)).is_ok() {
            continue;
        }
        let from = program.body_starts[rule] as usize..program.body_starts[rule + 1] as usize;
        let len = from.len();
        program.literals.copy_within(from, to_literal);
        program.body_starts[to_rule] = to_literal as u32;
        to_literal += len;
        to_rule += 1;
    }
    program.body_starts.truncate(to_rule + 1);
    program.body_starts[to_rule] = to_literal as u32;
    program.literals.truncate(to_literal);
}

/// Finds the strongly connected components of the derived atoms.
fn find_components(program: &mut GroundProgram) {
    let count = program.atom_count();
    let inputs = program
        .relations
        .iter()
        .filter(|r| matches!(r.kind, AtomKind::True | AtomKind::Does))
        .map(|r| r.atoms.end)
        .max()
        .unwrap_or(0);
    let mut offsets: Vec<u32> = Vec::with_capacity(count + 1);
    let mut targets: Vec<AtomId> = Vec::with_capacity(program.literals.len());
    offsets.push(0);
    for atom in 0..count as AtomId {
        for body in program.bodies_of(atom) {
            let derived = body.iter().map(|l| l.atom()).filter(|a| *a >= inputs);
            targets.extend(derived);
        }
        offsets.push(targets.len() as u32);
    }
    let (members, starts) = components(&offsets, &targets);
    program.component_starts.push(0);
    for bounds in starts.windows(2) {
        let atoms = &members[bounds[0] as usize..bounds[1] as usize];
        if atoms[0] < inputs {
            continue;
        }
        let first = atoms[0] as usize;
        let own = &targets[offsets[first] as usize..offsets[first + 1] as usize];
        let cyclic = atoms.len() > 1 || own.contains(&atoms[0]);
        let from = program.members.len();
        program.members.extend_from_slice(atoms);
        program.members[from..].sort_unstable();
        program.component_starts.push(program.members.len() as u32);
        program.cyclic.push(cyclic);
    }
    debug_assert!(is_stratified(program), "negation within a component");
}

/// Whether no component negates one of its own atoms.
fn is_stratified(program: &GroundProgram) -> bool {
    program.components().all(|component| {
        !component.cyclic
            || component.atoms.iter().all(|atom| {
                program.bodies_of(*atom).flatten().all(|literal| {
                    !literal.is_negated() || component.atoms.binary_search(&literal.atom()).is_err()
                })
            })
    })
}

/// Statistics of each relation.
pub(crate) fn relation_stats(program: &GroundProgram) -> Vec<RelationStats> {
    program
        .relations
        .iter()
        .map(|relation| {
            let (first, last) = (relation.atoms.start as usize, relation.atoms.end as usize);
            let rules = program.rule_starts[first] as usize..program.rule_starts[last] as usize;
            RelationStats {
                name: relation.name.clone(),
                atoms: relation.atoms.len(),
                rules: rules.len(),
                literals: (program.body_starts[rules.end] - program.body_starts[rules.start])
                    as usize,
            }
        })
        .collect()
}
