//! Combines the alternatives of an `or` into a fork of resolution paths (Świechowski 2015, section
//! 6.4.4).
//!
//! Normalisation makes a rule of every alternative of an `or`. Rules from one clause that share
//! some conditions are combined again here: the shared conditions are proved once, then the paths
//! fork.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Literal, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::RuleDraft;

/// Combines the alternatives of each clause.
pub(super) fn join(drafts: Vec<RuleDraft>) -> Vec<RuleDraft> {
    let mut groups: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    let mut lists: Vec<Vec<RuleDraft>> = Vec::new();
    for draft in drafts {
        let key = (draft.clause, draft.head.relation.0);
        let group = *groups.entry(key).or_insert_with(|| {
            lists.push(Vec::new());
            lists.len() - 1
        });
        lists[group].push(draft);
    }
    let mut done = Vec::new();
    for list in lists {
        match merge(&list) {
            Some(draft) => done.push(draft),
            None => done.extend(list),
        }
    }
    done
}

/// One rule for several, if they have the same head and common conditions.
fn merge(list: &[RuleDraft]) -> Option<RuleDraft> {
    if list.len() < 2 {
        return None;
    }
    // Variables of different alternatives are the same if they have the same name.
    let mut names: Vec<Symbol> = Vec::new();
    let mut places: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut renamed = Vec::with_capacity(list.len());
    for draft in list {
        let own: FxHashSet<Symbol> = draft.names.iter().copied().collect();
        if own.len() < draft.names.len() {
            return None;
        }
        let numbers: Vec<Variable> = draft
            .names
            .iter()
            .map(|name| {
                let number = places.entry(*name).or_insert_with(|| {
                    names.push(*name);
                    names.len() - 1
                });
                *number as Variable
            })
            .collect();
        let to = |v: Variable| numbers[v as usize];
        let body: Vec<Literal> = draft.body.iter().map(|l| l.rename(&to)).collect();
        renamed.push((draft.head.rename(&to), body));
    }
    let (head, first) = &renamed[0];
    if renamed.iter().any(|(other, _)| other != head) {
        return None;
    }
    let bodies = renamed.iter().map(|(_, body)| body.iter().collect());
    let bodies: Vec<FxHashSet<&Literal>> = bodies.collect();
    let in_all = |lit: &&Literal| bodies.iter().all(|body| body.contains(lit));
    let common: Vec<Literal> = first.iter().filter(in_all).cloned().collect();
    let shared: FxHashSet<&Literal> = common.iter().collect();
    if common.is_empty() {
        return None;
    }
    let branch = |body: &Vec<Literal>| {
        body.iter()
            .filter(|l| !shared.contains(l))
            .cloned()
            .collect()
    };
    let fork: Vec<Vec<Literal>> = renamed.iter().map(|(_, body)| branch(body)).collect();
    Some(RuleDraft {
        head: head.clone(),
        body: common,
        fork,
        names,
        clause: list[0].clause,
    })
}
