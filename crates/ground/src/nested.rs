//! Builds nested unions from each other.
//!
//! "Somebody has less than `?x`" is, for every `?x`, the union of all smaller amounts: hundreds of
//! thousands of rules for a few hundred amounts. But the union for the next amount is the union for
//! this one and one amount more (a prefix sum). Here relations all of whose rules have one fluent
//! or move as their only condition are looked through for such unions, and each is built from the
//! largest one found in it.

use rustc_hash::FxHashMap;

use crate::clause::{PredicateView, Predicates};
use crate::emit::AtomNumbering;
use crate::emitted::EmittedRules;

/// Minimum number of rules in unions of one relation for it to be looked through.
const MIN_RULES: usize = 20_000;
/// Minimum number of rules of a union that is built from another.
const MIN_UNION: usize = 8;

/// Replaces unions by smaller ones and what is missing in them.
pub(crate) fn nest_unions(
    emitted: &mut EmittedRules,
    predicates: &Predicates,
    numbering: &AtomNumbering,
) {
    let instead = find(emitted, predicates, numbering);
    if instead.is_empty() {
        return;
    }
    let (mut heads, mut ends, mut literals) = (Vec::new(), Vec::new(), Vec::new());
    for (rule, head) in emitted.heads.iter().enumerate() {
        if !instead.contains_key(head) {
            literals.extend_from_slice(emitted.body(rule));
            heads.push(*head);
            ends.push(literals.len() as u32);
        }
    }
    let mut unions: Vec<(&u32, &Vec<u32>)> = instead.iter().collect();
    unions.sort_unstable();
    for (head, members) in unions {
        for member in members {
            literals.push(*member);
            heads.push(*head);
            ends.push(literals.len() as u32);
        }
    }
    emitted.replace(heads, ends, literals);
}

/// The new conditions of each union that contains another one, by head.
fn find(
    emitted: &EmittedRules,
    predicates: &Predicates,
    numbering: &AtomNumbering,
) -> FxHashMap<u32, Vec<u32>> {
    // The ranges of atoms of helpers and other plain relations, and of fluents and moves.
    let mut plain: Vec<(u32, u32)> = Vec::new();
    let mut sources: Vec<(u32, u32)> = Vec::new();
    for (at, predicate) in predicates.all.iter().enumerate() {
        let first = numbering.first[at];
        let end = numbering
            .first
            .get(at + 1)
            .copied()
            .unwrap_or(numbering.count);
        match predicate.view {
            PredicateView::True | PredicateView::Does => sources.push((first, end)),
            PredicateView::Plain if predicate.is_dynamic() && !predicate.is_keyword() => {
                plain.push((first, end));
            }
            _ => {}
        }
    }
    let range = |ranges: &[(u32, u32)], atom: u32| {
        let at = ranges.partition_point(|(_, end)| *end <= atom);
        ranges
            .get(at)
            .is_some_and(|(first, _)| *first <= atom)
            .then_some(at)
    };
    // Whether each plain relation consists of unions of sources, and how many rules it has.
    let mut counts: Vec<Option<usize>> = vec![Some(0); plain.len()];
    for (rule, head) in emitted.heads.iter().enumerate() {
        let Some(at) = range(&plain, *head) else {
            continue;
        };
        let is_source = matches!(emitted.body(rule), [literal]
            if range(&sources, literal >> 1).is_some());
        counts[at] = counts[at].filter(|_| is_source).map(|count| count + 1);
    }
    let chosen = |head: u32| {
        let at = range(&plain, head)?;
        counts[at].filter(|count| *count >= MIN_RULES).map(|_| at)
    };
    let mut sets: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (rule, head) in emitted.heads.iter().enumerate() {
        if chosen(*head).is_some() {
            sets.entry(*head).or_default().extend(emitted.body(rule));
        }
    }
    for set in sets.values_mut() {
        set.sort_unstable();
        set.dedup();
    }
    let mut order: Vec<u32> = sets.keys().copied().collect();
    order.sort_unstable_by_key(|head| (chosen(*head), sets[head].len(), *head));
    let mut instead: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    // The last union of each relation with a first or last member.
    let mut last: FxHashMap<(usize, u32), u32> = FxHashMap::default();
    for head in order {
        let (Some(at), set) = (chosen(head), &sets[&head]) else {
            continue;
        };
        let ends = [set[0], set[set.len() - 1]];
        let known = ends.iter().filter_map(|member| last.get(&(at, *member)));
        let best = known
            .filter(|other| is_subset(&sets[other], set))
            .max_by_key(|other| sets[other].len());
        if let Some(other) = best
            && set.len() >= MIN_UNION
        {
            let inner = &sets[other];
            let missing = set
                .iter()
                .filter(|member| inner.binary_search(member).is_err());
            let members: Vec<u32> = std::iter::once(*other << 1)
                .chain(missing.copied())
                .collect();
            instead.insert(head, members);
        }
        for member in ends {
            last.insert((at, member), head);
        }
    }
    instead
}

/// Whether all members of a sorted list are in another.
fn is_subset(inner: &[u32], outer: &[u32]) -> bool {
    let mut outer = outer.iter();
    inner
        .iter()
        .all(|member| outer.any(|other| other == member))
}
