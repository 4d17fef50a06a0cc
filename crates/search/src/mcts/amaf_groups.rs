//! Which AMAF statistics are updated by which playouts.

use std::sync::Arc;

use ludorum_reasoner::MoveHistory;

use super::amaf::Amaf;
use super::batch::{Batch, PathEnd};
use super::tree::Tree;

/// Playouts grouped by the AMAF statistics that they update.
#[derive(Debug, Default)]
pub(super) struct AmafGroups {
    /// The group of each start of playouts.
    pub(super) groups: Vec<u32>,
    /// The AMAF statistics that each group updates.
    records: Vec<Vec<Arc<Amaf>>>,
}

impl AmafGroups {
    /// Paths with the same nearest reference form a group.
    pub(super) fn new<S: Clone + Eq>(tree: &Tree<S>, batch: &Batch<S>) -> Self {
        let mut amaf_groups = Self::default();
        for path in &batch.paths {
            let PathEnd::Leaf(_) = path.end else {
                continue;
            };
            let records = batch.references_of(tree, *path);
            let is_same = |known: &Vec<Arc<Amaf>>| match (known.last(), records.last()) {
                (Some(known), Some(new)) => Arc::ptr_eq(known, new),
                (None, None) => true,
                _ => false,
            };
            let group = amaf_groups.records.iter().position(is_same);
            let group = group.unwrap_or_else(|| {
                amaf_groups.records.push(records);
                amaf_groups.records.len() - 1
            });
            amaf_groups.groups.push(group as u32);
        }
        amaf_groups
    }

    pub(super) fn learn<S: Clone + Eq>(&self, tree: &Tree<S>, histories: &[MoveHistory]) {
        for (history, records) in histories.iter().zip(&self.records) {
            tree.amaf_size.learn(history);
            for amaf in records {
                amaf.learn(history);
            }
        }
    }
}
