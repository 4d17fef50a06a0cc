//! Which records of moves learn from which playouts.

use std::sync::Arc;

use ludorum_reasoner::MoveHistory;

use super::amaf::Amaf;
use super::batch::{Batch, End};
use super::tree::Tree;

/// Which records learn from which playouts.
#[derive(Debug, Default)]
pub(super) struct Lineages {
    /// For each start its group.
    pub(super) groups: Vec<u32>,
    /// For each group the records that learn from it.
    records: Vec<Vec<Arc<Amaf>>>,
}

impl Lineages {
    /// Paths to leaves whose nearest record is the same are a group.
    pub(super) fn new<S: Clone + Eq>(tree: &Tree<S>, batch: &Batch<S>) -> Self {
        let mut lineages = Self::default();
        for path in &batch.paths {
            let End::Leaf(_) = path.end else {
                continue;
            };
            let records = batch.references_of(tree, *path);
            let is_same = |known: &Vec<Arc<Amaf>>| match (known.last(), records.last()) {
                (Some(known), Some(new)) => Arc::ptr_eq(known, new),
                (None, None) => true,
                _ => false,
            };
            let group = lineages.records.iter().position(is_same);
            let group = group.unwrap_or_else(|| {
                lineages.records.push(records);
                lineages.records.len() - 1
            });
            lineages.groups.push(group as u32);
        }
        lineages
    }

    pub(super) fn learn<S: Clone + Eq>(&self, tree: &Tree<S>, histories: &[MoveHistory]) {
        for (history, records) in histories.iter().zip(&self.records) {
            tree.extent.learn(history);
            for amaf in records {
                amaf.learn(history);
            }
        }
    }
}
