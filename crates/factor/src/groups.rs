//! Groups of the arguments of a move.
//!
//! The rules of a game read one or two arguments of a move at a time: the cell that a piece leaves,
//! the cell that it enters. Arguments that conditions join are a group, and the candidate is
//! remembered as one value of each group. As a role has one candidate at a time, the values of a
//! group are one-hot.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Pattern, Variable};
use rustc_hash::FxHashMap;

use crate::moves::{MoveKind, MoveRule};
use crate::program::{Literal, Program};

/// The largest number of values of a group of several arguments.
const MAX_VALUES: u64 = 300;

/// A group of arguments of a kind of move.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The role and functor; `None` for a group of fluents that are assumed to have one value.
    pub(crate) kind: Option<MoveKind>,
    /// The arguments, ascending.
    pub(crate) places: Vec<usize>,
    /// The relation of the values of the candidate.
    pub(crate) relation: Symbol,
    /// Whether the value is drawn in the second stage.
    pub(crate) is_suffix: bool,
    /// Whether the state determines the value.
    pub(crate) is_determined: bool,
}

/// Counts how often two arguments of a move occur in one condition on a fluent.
#[derive(Debug, Default)]
pub(crate) struct JoinCounts {
    counts: FxHashMap<(usize, usize), usize>,
}

impl JoinCounts {
    /// Counts the fluents of a body; `args` are the arguments of the move in it.
    pub(crate) fn add(&mut self, program: &Program, args: &[Pattern], body: &[Literal]) {
        let place = |v: Variable| args.iter().position(|arg| *arg == Pattern::Variable(v));
        for literal in body {
            let Some(atom) = literal.atom() else {
                continue;
            };
            let weight = if atom.name == program.names.true_ {
                1_000
            } else {
                1
            };
            let mut places: Vec<usize> =
                literal.variables().into_iter().filter_map(place).collect();
            places.sort_unstable();
            for (i, first) in places.iter().enumerate() {
                for second in &places[i + 1..] {
                    *self.counts.entry((*first, *second)).or_default() += weight;
                }
            }
        }
    }

    /// Counts a head that is a fluent.
    pub(crate) fn add_fluent(&mut self, args: &[Pattern], fluent: &Pattern) {
        let mut places = Vec::new();
        fluent.for_each_variable(&mut |v| {
            places.extend(args.iter().position(|arg| *arg == Pattern::Variable(v)));
        });
        places.sort_unstable();
        places.dedup();
        for (i, first) in places.iter().enumerate() {
            for second in &places[i + 1..] {
                *self.counts.entry((*first, *second)).or_default() += 1_000;
            }
        }
    }

    /// Partitions the arguments that are not split: the pairs that are joined most often come first,
    /// as long as a group does not have too many values.
    pub(crate) fn partition(&self, split: &[usize], sizes: &[u64]) -> Vec<Vec<usize>> {
        let free = (0..sizes.len()).filter(|place| !split.contains(place));
        let mut groups: Vec<Vec<usize>> = free.map(|place| vec![place]).collect();
        let mut pairs: Vec<(&(usize, usize), &usize)> = self.counts.iter().collect();
        pairs.sort_by_key(|(pair, count)| (std::cmp::Reverse(**count), **pair));
        for ((first, second), count) in pairs {
            // Conditions that are not fluents join far too much.
            if *count < 1_000 {
                continue;
            }
            let find = |place| {
                groups
                    .iter()
                    .position(|group: &Vec<usize>| group.contains(place))
            };
            let (Some(a), Some(b)) = (find(first), find(second)) else {
                continue;
            };
            if a == b {
                continue;
            }
            let values = groups[a].iter().chain(&groups[b]);
            let values = values.fold(1u64, |all, place| all.saturating_mul(sizes[*place]));
            if values <= MAX_VALUES {
                let (low, high) = (a.min(b), a.max(b));
                let moved = groups.remove(high);
                groups[low].extend(moved);
                groups[low].sort_unstable();
            }
        }
        groups
    }
}

/// The rules of several kinds count together.
pub(crate) fn count_joins(program: &Program, rules: &[MoveRule], counts: &mut JoinCounts) {
    for rule in rules {
        counts.add(program, &rule.head.args, &rule.body);
    }
}
