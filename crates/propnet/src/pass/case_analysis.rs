//! Proofs by case analysis: does exactly one of some edges hold, for all states and moves?
//!
//! A case fixes some fluents and moves, and gates are evaluated in three-valued logic. Where values
//! remain unknown, the case is split over an exclusive group, of which exactly one member holds:
//! each member in the cone is a case, and 'none of these' is another. A move that is played implies
//! what makes it legal. Effort is bounded: what is not proven within it counts as not proven.

use super::and_inverter_graph::{ABSENT, AndInverterGraph, Edge, GateOp};
use super::exclude::ExclusiveGroups;

/// The largest number of gates in the cone of a question.
const MAX_GATES: usize = 3_000;
/// The depth at which cases are no longer split.
const MAX_DEPTH: usize = 12;
/// The largest number of gate evaluations for one question.
const MAX_EFFORT: u64 = 60_000;

/// The largest number of edges that are followed from a legal move.
const MAX_IMPLIED: usize = 64;

const UNKNOWN: u8 = 2;

pub(super) struct CaseProver<'g> {
    gates: &'g AndInverterGraph,
    groups: &'g ExclusiveGroups,
    /// 0, 1 or [`UNKNOWN`] for every signal.
    values: Vec<u8>,
    /// The trail of fixed signals, for backtracking.
    trail: Vec<u32>,
    /// The gates in the cone of the question, in topological order.
    cone: Vec<u32>,
    /// The sources in the cone.
    sources: Vec<u32>,
    in_cone: Vec<bool>,
    left: u64,
    total: u64,
    /// For each move, the fluents whose value follows from its being legal; computed on first use.
    implied: Vec<Option<Box<[Edge]>>>,
}

impl<'g> CaseProver<'g> {
    /// A prover with a total effort, in gate evaluations.
    pub(super) fn new(
        gates: &'g AndInverterGraph,
        groups: &'g ExclusiveGroups,
        effort: u64,
    ) -> Self {
        let mut values = vec![UNKNOWN; gates.len()];
        values[0] = 1;
        Self {
            gates,
            groups,
            values,
            trail: Vec::new(),
            cone: Vec::new(),
            sources: Vec::new(),
            in_cone: vec![false; gates.len()],
            left: 0,
            total: effort,
            implied: vec![None; gates.legal.len()],
        }
    }

    /// The effort that is left.
    pub(super) fn effort_left(&self) -> u64 {
        self.total
    }

    /// Whether exactly one of the edges is proven to hold in every case.
    pub(super) fn exactly_one(&mut self, edges: &[Edge]) -> bool {
        self.left = MAX_EFFORT.min(self.total);
        let before = self.left;
        let proven = self.collect(edges) && self.case(edges, MAX_DEPTH);
        self.clear(before);
        proven
    }

    /// Whether an edge is proven to hold wherever `given`, a fluent or move, does; without
    /// splitting.
    pub(super) fn implies(&mut self, given: Edge, edge: Edge) -> bool {
        self.left = MAX_EFFORT.min(self.total);
        let before = self.left;
        let mut follows = self.collect(&[edge]);
        self.left = self.left.saturating_sub(self.cone.len() as u64 + 1);
        // If `given` is impossible, it implies everything.
        if follows && self.fix(given) {
            self.evaluate();
            follows = self.value(edge) == 1;
        }
        self.undo(0);
        self.clear(before);
        follows && self.left > 0
    }

    fn clear(&mut self, before: u64) {
        self.total -= before - self.left;
        for signal in self.cone.drain(..).chain(self.sources.drain(..)) {
            self.in_cone[signal as usize] = false;
            if signal != 0 {
                self.values[signal as usize] = UNKNOWN;
            }
        }
    }

    /// Collects the cone of edges; false if it has too many gates.
    fn collect(&mut self, edges: &[Edge]) -> bool {
        let mut todo: Vec<u32> = edges.iter().map(|edge| edge >> 1).collect();
        let mut usable = true;
        while let Some(signal) = todo.pop() {
            if std::mem::replace(&mut self.in_cone[signal as usize], true) {
                continue;
            }
            match self.gates.op(signal) {
                GateOp::Source => self.sources.push(signal),
                GateOp::And => {
                    self.cone.push(signal);
                    todo.extend(self.gates.inputs(signal).iter().map(|edge| edge >> 1));
                }
                GateOp::CyclicAnd | GateOp::CyclicOr => {
                    // Gates of cycles are treated as sources with an unknown value.
                    self.sources.push(signal);
                }
            }
            if self.cone.len() > MAX_GATES {
                usable = false;
                break;
            }
        }
        self.cone.sort_unstable();
        usable
    }

    fn value(&self, edge: Edge) -> u8 {
        match self.values[(edge >> 1) as usize] {
            UNKNOWN => UNKNOWN,
            value => value ^ (edge & 1) as u8,
        }
    }

    fn evaluate(&mut self) {
        for i in 0..self.cone.len() {
            let signal = self.cone[i];
            let mut value = 1;
            for edge in self.gates.inputs(signal) {
                match self.value(*edge) {
                    0 => {
                        value = 0;
                        break;
                    }
                    UNKNOWN => value = UNKNOWN,
                    _ => {}
                }
            }
            self.values[signal as usize] = value;
        }
    }

    /// Fixes a source and what it implies; false on a contradiction.
    fn fix(&mut self, edge: Edge) -> bool {
        let mut todo = vec![edge];
        while let Some(edge) = todo.pop() {
            let signal = edge >> 1;
            self.left = self.left.saturating_sub(1);
            match self.value(edge) {
                0 => return false,
                1 => continue,
                _ => {}
            }
            self.values[signal as usize] = 1 ^ (edge & 1) as u8;
            self.trail.push(signal);
            if edge & 1 == 1 {
                continue;
            }
            if let Some(group) = self.groups.of(edge) {
                let others = self.groups.members[group].iter();
                todo.extend(others.filter(|e| **e != edge).map(|e| e ^ 1));
            }
            if let Some(action) = self.gates.action_of(signal) {
                todo.extend_from_slice(implied(self.gates, &mut self.implied, action));
            }
        }
        true
    }

    /// Fixes what all members of a group that are still possible imply; false if none is possible.
    fn fix_common(&mut self, group: usize) -> bool {
        let mut common: Option<Vec<Edge>> = None;
        for member in &self.groups.members[group] {
            if self.value(*member) != UNKNOWN {
                continue;
            }
            let Some(action) = self.gates.action_of(member >> 1) else {
                return true;
            };
            let edges = implied(self.gates, &mut self.implied, action);
            self.left = self.left.saturating_sub(edges.len() as u64 + 1);
            match &mut common {
                None => common = Some(edges.to_vec()),
                Some(common) => common.retain(|edge| edges.contains(edge)),
            }
            if common.as_ref().is_some_and(Vec::is_empty) {
                return true;
            }
        }
        let common = common.unwrap_or_default();
        common.into_iter().all(|edge| self.fix(edge))
    }

    fn undo(&mut self, mark: usize) {
        for signal in self.trail.drain(mark..) {
            self.values[signal as usize] = UNKNOWN;
        }
    }

    /// Whether exactly one edge holds in all cases that agree with the fixed values.
    fn case(&mut self, edges: &[Edge], depth: usize) -> bool {
        let cost = self.cone.len() as u64 + 1;
        if self.left < cost {
            return false;
        }
        self.left -= cost;
        self.evaluate();
        let mut held = 0;
        let mut open = ABSENT;
        for edge in edges {
            match self.value(*edge) {
                1 => held += 1,
                UNKNOWN => open = *edge,
                _ => {}
            }
        }
        if held > 1 {
            return false;
        }
        if open == ABSENT {
            return held == 1;
        }
        if depth == 0 {
            return false;
        }
        let Some(source) = self.open_source(open) else {
            return false;
        };
        let choices: Vec<Edge> = match self.groups.of(source << 1) {
            Some(group) => self.groups.members[group]
                .iter()
                .copied()
                .filter(|edge| self.in_cone[(edge >> 1) as usize])
                .filter(|edge| self.value(*edge) == UNKNOWN)
                .collect(),
            None => vec![source << 1],
        };
        let mark = self.trail.len();
        for choice in &choices {
            let proven = !self.fix(*choice) || self.case(edges, depth - 1);
            self.undo(mark);
            if !proven {
                return false;
            }
        }
        // The case 'none of these': impossible if the choices are all members that are left.
        let whole = self.groups.of(source << 1).is_some_and(|group| {
            let members = &self.groups.members[group];
            let excluded = members
                .iter()
                .filter(|edge| self.value(**edge) == 0)
                .count();
            choices.len() + excluded == members.len()
        });
        let possible = !whole
            && choices.iter().all(|choice| self.fix(choice ^ 1))
            && self
                .groups
                .of(source << 1)
                .is_none_or(|group| self.fix_common(group));
        let proven = !possible || self.case(edges, depth - 1);
        self.undo(mark);
        proven
    }

    /// An unknown fluent or move on which an edge depends.
    fn open_source(&self, edge: Edge) -> Option<u32> {
        let mut at = edge >> 1;
        while self.gates.op(at) == GateOp::And {
            let inputs = self.gates.inputs(at).iter();
            let mut open = inputs
                .map(|edge| edge >> 1)
                .filter(|input| self.values[*input as usize] == UNKNOWN);
            // Moves first, because they imply most.
            let first = open
                .clone()
                .find(|input| self.gates.action_of(*input).is_some());
            at = first.or_else(|| open.next())?;
        }
        (self.gates.op(at) == GateOp::Source).then_some(at)
    }
}

/// The fluents that must hold, or must not, where a move is legal.
fn implied<'c>(
    gates: &AndInverterGraph,
    known: &'c mut [Option<Box<[Edge]>>],
    action: usize,
) -> &'c [Edge] {
    known[action].get_or_insert_with(|| {
        let legal = gates.legal[action];
        let mut below = if legal == ABSENT {
            Vec::new()
        } else {
            vec![legal]
        };
        let mut found = Vec::new();
        let mut steps = 0;
        while let Some(edge) = below.pop() {
            steps += 1;
            if steps > MAX_IMPLIED {
                break;
            }
            if let Some(inputs) = gates.and_inputs(edge) {
                below.extend_from_slice(inputs);
            } else if gates.fluent_of(edge >> 1).is_some() {
                found.push(edge);
            }
        }
        found.into()
    })
}
