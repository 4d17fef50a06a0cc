//! Reuse of results (Świechowski 2015, appendix B.5): a condition takes its rows from a more
//! general condition that was proved in the same state.
//!
//! `(legal xplayer ?m)` is a subset of `(legal ?p ?m)`. A filtered condition can use the rows of
//! the same condition without its filter, and a condition with constants those of its whole
//! relation.

use std::sync::Arc;

use super::and_plan::{PlanHost as _, RowSource, Superset};
use super::cell::Cell;
use super::customise::ColumnSlot;
use super::interpreter::Interpreter;
use ludorum_reasoner::ReasonError;

impl<C: Cell> Interpreter<C> {
    /// Whether the results of a node without a filter are valid.
    #[inline]
    fn is_valid(&self, node: usize) -> bool {
        let (table, node) = (&self.tables[node], &self.nodes[node]);
        table.epoch == self.epochs[node.class as usize]
            && table.request_count > 0
            && !node.component.is_some_and(|c| self.components[c].active)
    }

    /// The node of the whole relation, if its results are valid.
    #[inline]
    fn general(&self, node: usize) -> Option<usize> {
        let general = self.unconstrained[self.nodes[node].condition.relation]?;
        (general != node && self.is_valid(general)).then_some(general)
    }

    /// Whether the results of a node without a filter are available without a proof.
    #[inline]
    pub(super) fn is_available(&self, node: usize) -> bool {
        self.settings.reuse_results
            && self.settings.reuse_supersets
            && (self.is_valid(node) || self.general(node).is_some())
    }

    /// Fills a node without a filter from the results of its whole relation. Returns false if these
    /// are not available either.
    pub(super) fn reuse_superset(&mut self, node: usize) -> Result<bool, ReasonError> {
        if !(self.settings.reuse_results && self.settings.reuse_supersets) {
            return Ok(false);
        }
        let Some(general) = self.general(node) else {
            return Ok(false);
        };
        let superset = self.superset(node, general);
        let key: Vec<C> = superset.key.iter().map(|symbol| C::of(*symbol)).collect();
        let Ok([from, to]) = self.tables.get_disjoint_mut([general, node]) else {
            return Ok(false);
        };
        let rows = &mut from.results;
        to.request(&[]);
        to.done.fill(true);
        let mut result: Vec<C> = Vec::with_capacity(superset.outputs.len());
        let mut take = |row: &[C]| {
            result.clear();
            result.extend(superset.outputs.iter().map(|column| row[*column]));
            to.add(0, &result);
        };
        let mut looked = 0;
        if key.is_empty() {
            for at in 0..rows.len as u32 {
                looked += 1;
                if rows.is_same(at, &superset.same) {
                    take(rows.row(at as usize));
                }
            }
        } else {
            rows.ready(superset.access);
            let (mut at, end) = rows.start(superset.access, &key);
            while at != end {
                looked += 1;
                if rows.fits(superset.access, &key, at) && rows.is_same(at, &superset.same) {
                    take(rows.row(at as usize));
                }
                at = rows.after(superset.access, at);
            }
        }
        self.meter.work += looked;
        self.check()?;
        Ok(true)
    }

    /// The mapping from a whole relation to a node, computed once.
    fn superset(&mut self, node: usize, general: usize) -> Arc<Superset> {
        if let Some(superset) = &self.nodes[node].superset {
            return Arc::clone(superset);
        }
        let slots = self.nodes[node].condition.slots.clone();
        let mut columns = Vec::new();
        let mut key = Vec::new();
        let mut same = Vec::new();
        let mut outputs = Vec::new();
        for (place, slot) in slots.iter().enumerate() {
            match slot {
                ColumnSlot::Const(symbol) => {
                    columns.push(place);
                    key.push(*symbol);
                }
                ColumnSlot::Same(earlier) => same.push((*earlier, place)),
                ColumnSlot::Free => outputs.push(place),
                ColumnSlot::Bound | ColumnSlot::Ignored => {}
            }
        }
        let superset = Arc::new(Superset {
            access: self.access(RowSource::Node(general), &columns),
            key: key.into(),
            same: same.into(),
            outputs: outputs.into(),
        });
        self.nodes[node].superset = Some(Arc::clone(&superset));
        superset
    }
}

#[cfg(test)]
mod tests {
    use ludorum_logic::Rules;

    use super::super::{Orand, OrandSettings, SymbolWidth};
    use ludorum_reasoner::Reasoner as _;

    #[test]
    fn a_subset_of_a_proved_relation_is_not_proved_again() {
        let text =
            "(role r) (init (at a)) (p a) (p b) (<= (legal r (go ?x)) (p ?x) (not (true (at ?x))))
            (<= (next (at ?x)) (does r (go ?x))) (<= (next (may ?x)) (legal r (go ?x)))
            (<= terminal (true (at c))) (goal r 50)";
        let rules = Rules::from_text(text).expect("rules");
        for supersets in [false, true] {
            let settings = OrandSettings {
                reuse_supersets: supersets,
                ..OrandSettings::default()
            };
            let mut orand = Orand::new(&rules, settings).expect("an engine");
            let start = orand.initial().expect("a state");
            let mut moves = Vec::new();
            orand.legal_moves(&start, 0, &mut moves).expect("moves");
            let next = orand.next(&start, &moves).expect("a state");
            assert_eq!(orand.facts(&next), ["(at b)", "(may b)"]);
            let SymbolWidth::Narrow(game) = &orand.game else {
                panic!("few symbols");
            };
            let taken = game
                .interpreter
                .nodes
                .iter()
                .filter(|n| n.superset.is_some());
            assert_eq!(taken.count() > 0, supersets);
        }
    }
}
