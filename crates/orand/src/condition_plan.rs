//! Plans single conditions: chooses the merge operation of each.

use ludorum_gdl::Symbol;
use rustc_hash::FxHashSet;

use super::and_plan::{
    Filtered, Key, KnownValue, Merge, MergeKind, MergeOp, Part, PlanHost, RowSource,
};
use super::customise::{ColumnSlot, Condition};
use super::flat::{Arg, Atom, FlatLiteral, RelationKind, Var};
use super::planner::RulePlanner;

impl<H: PlanHost> RulePlanner<'_, H> {
    pub(super) fn step(
        &mut self,
        lit: &FlatLiteral,
        needed: &FxHashSet<Var>,
        ops: &mut Vec<MergeOp>,
    ) -> Option<()> {
        match lit {
            FlatLiteral::Distinct(pairs) => {
                let known = pairs
                    .iter()
                    .map(|(a, b)| Some((self.known(*a)?, self.known(*b)?)));
                ops.push(MergeOp::Distinct(known.collect::<Option<_>>()?));
            }
            FlatLiteral::Term(whole, functor, parts) => {
                self.term(*whole, *functor, parts, needed, ops)?;
            }
            FlatLiteral::Neg(atom) if self.is_leaf(atom.relation) => {
                if let Some(holds) = self.decided(atom) {
                    return (!holds).then_some(());
                }
                let merge = self.leaf(atom, needed, true);
                ops.push(MergeOp::Merge(merge));
            }
            FlatLiteral::Pos(atom) if self.is_leaf(atom.relation) => {
                if let Some(holds) = self.decided(atom) {
                    return holds.then_some(());
                }
                let merge = self.leaf(atom, needed, false);
                ops.push(MergeOp::Merge(merge));
            }
            FlatLiteral::Neg(atom) => {
                let op = self.node(atom, needed, true);
                ops.push(op);
            }
            FlatLiteral::Pos(atom) => {
                let op = self.node(atom, needed, false);
                ops.push(op);
            }
        }
        Some(())
    }

    /// The truth value of a condition on facts without variables.
    fn decided(&mut self, atom: &Atom) -> Option<bool> {
        if self.flat.relations[atom.relation].kind != RelationKind::Facts {
            return None;
        }
        let row: Option<Vec<u32>> = atom
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Const(symbol) => Some(*symbol),
                Arg::Var(_) => None,
            })
            .collect();
        Some(self.host.holds(atom.relation, &row?))
    }

    fn kind(&self, negative: bool, key_columns: bool, outputs: bool) -> MergeKind {
        match (negative, key_columns, outputs) {
            (true, true, _) => MergeKind::VerifyNot,
            (true, false, _) => MergeKind::CheckNot,
            (false, true, true) => MergeKind::True,
            (false, true, false) => MergeKind::Verify,
            (false, false, false) => MergeKind::Check,
            (false, false, true) if self.columns.iter().any(Option::is_some) => MergeKind::Combine,
            (false, false, true) => MergeKind::New,
        }
    }

    fn leaf(&mut self, atom: &Atom, needed: &FxHashSet<Var>, negative: bool) -> Merge {
        let mut key = Vec::new();
        let mut key_columns = Vec::new();
        let mut same = Vec::new();
        let mut seen: Vec<(Var, usize)> = Vec::new();
        for (place, arg) in atom.args.iter().enumerate() {
            if let Some(known) = self.known(*arg) {
                key.push(known);
                key_columns.push(place);
            } else if let Arg::Var(v) = arg {
                match seen.iter().find(|(w, _)| w == v) {
                    Some((_, earlier)) => same.push((*earlier, place)),
                    None => seen.push((*v, place)),
                }
            }
        }
        let outputs: Vec<(Var, usize)> = seen
            .into_iter()
            .filter(|(v, _)| needed.contains(v))
            .collect();
        let by_column = key
            .iter()
            .any(|known| matches!(known, KnownValue::Column(_)));
        let kind = self.kind(negative, by_column, !outputs.is_empty());
        let source = RowSource::Leaf(atom.relation);
        Merge {
            kind,
            source,
            access: self.host.access(source, &key_columns),
            key: Key::new(&key),
            same: same.into(),
            outputs: outputs
                .into_iter()
                .map(|(v, place)| (place, self.column(v)))
                .collect(),
        }
    }

    fn node(&mut self, atom: &Atom, needed: &FxHashSet<Var>, negative: bool) -> MergeOp {
        let mut slots: Vec<ColumnSlot> = Vec::with_capacity(atom.args.len());
        let mut seen: Vec<(Var, usize)> = Vec::new();
        let mut request: Vec<KnownValue> = Vec::new();
        let has_many_nodes = self.host.has_many_nodes(atom.relation);
        let mut outputs: Vec<Var> = Vec::new();
        // For the merge without a filter: its key columns and its output columns.
        let mut whole_key: Vec<KnownValue> = Vec::new();
        let mut whole_columns: Vec<usize> = Vec::new();
        let mut whole_outputs: Vec<usize> = Vec::new();
        let mut whole_width = 0;
        for (place, arg) in atom.args.iter().enumerate() {
            let slot = match arg {
                Arg::Const(symbol) if has_many_nodes => {
                    let known = KnownValue::Const(*symbol);
                    request.push(known);
                    whole_key.push(known);
                    whole_columns.push(whole_width);
                    whole_width += 1;
                    ColumnSlot::Bound
                }
                Arg::Const(symbol) => ColumnSlot::Const(*symbol),
                Arg::Var(v) => {
                    if let Some((_, earlier)) = seen.iter().find(|(w, _)| w == v) {
                        ColumnSlot::Same(*earlier)
                    } else {
                        seen.push((*v, place));
                        if let Some(column) = self.columns[*v as usize] {
                            request.push(KnownValue::Column(column));
                            whole_key.push(KnownValue::Column(column));
                            whole_columns.push(whole_width);
                            whole_width += 1;
                            ColumnSlot::Bound
                        } else if needed.contains(v) {
                            outputs.push(*v);
                            whole_outputs.push(whole_width);
                            whole_width += 1;
                            ColumnSlot::Free
                        } else {
                            ColumnSlot::Ignored
                        }
                    }
                }
            };
            slots.push(slot);
        }
        let kind = self.kind(negative, !request.is_empty(), !outputs.is_empty());
        let condition = Condition {
            relation: atom.relation,
            slots: slots.into(),
        };
        let whole_node = self.host.node(condition.unfiltered());
        let source = RowSource::Node(whole_node);
        let columns: Vec<usize> = outputs.iter().map(|v| self.column(*v)).collect();
        let whole = Merge {
            kind,
            source,
            access: self.host.access(source, &whole_columns),
            key: Key::new(&whole_key),
            same: Box::default(),
            outputs: whole_outputs
                .into_iter()
                .zip(columns.iter().copied())
                .collect(),
        };
        if request.is_empty() || !self.filters {
            return MergeOp::Merge(whole);
        }
        let node = self.host.node(condition);
        MergeOp::Filtered(Box::new(Filtered {
            kind,
            node,
            request: request.into(),
            outputs: columns.into_iter().enumerate().collect(),
            site: self.host.site(whole_node),
            whole,
        }))
    }

    fn term(
        &mut self,
        whole: Arg,
        functor: Symbol,
        parts: &[Arg],
        needed: &FxHashSet<Var>,
        ops: &mut Vec<MergeOp>,
    ) -> Option<()> {
        if let Some(whole) = self.known(whole) {
            let mut done = Vec::with_capacity(parts.len());
            let mut seen: Vec<(Var, usize)> = Vec::new();
            for (place, part) in parts.iter().enumerate() {
                done.push(match (self.known(*part), part) {
                    (Some(known), _)
                        if !part
                            .var()
                            .is_some_and(|v| seen.iter().any(|(w, _)| *w == v)) =>
                    {
                        Part::Equal(known)
                    }
                    (_, Arg::Var(v)) => {
                        if let Some((_, earlier)) = seen.iter().find(|(w, _)| w == v) {
                            Part::Earlier(*earlier)
                        } else {
                            seen.push((*v, place));
                            if needed.contains(v) {
                                Part::Column(self.column(*v))
                            } else {
                                Part::Ignored
                            }
                        }
                    }
                    (_, Arg::Const(symbol)) => Part::Equal(KnownValue::Const(*symbol)),
                });
            }
            ops.push(MergeOp::Decompose(whole, functor, done.into()));
            return Some(());
        }
        let parts: Option<Box<[KnownValue]>> = parts.iter().map(|part| self.known(*part)).collect();
        let column = self.column(whole.var()?);
        ops.push(MergeOp::Compose(functor, parts?, column));
        Some(())
    }
}
