//! Proofs by cases over a few gates: does exactly one of some edges hold, whatever the state and
//! the moves?
//!
//! A case fixes some fluents and moves; gates are computed from these with three values. Where that
//! leaves something open, the case is split along a group of which exactly one member holds: each
//! member that plays a part is a case, and 'none of these' is another. A move that is played makes
//! true what makes it legal. All of it is bounded: what is not proven in time counts as not proven.

use super::and_inverter_graph::{ABSENT, AndInverterGraph, Edge, GateOp};
use super::exclude::ExclusiveGroups;

/// The most gates below the edges, the deepest case, and the most gate evaluations for one
/// question.
const GATES: usize = 3_000;
const DEPTH: usize = 12;
const EFFORT: u64 = 60_000;

/// The most edges that are followed from a legal move.
const IMPLIED: usize = 64;

const UNKNOWN: u8 = 2;

pub(super) struct CaseProver<'g> {
    gates: &'g AndInverterGraph,
    groups: &'g ExclusiveGroups,
    /// 0, 1 or unknown, for every signal.
    values: Vec<u8>,
    /// What has been fixed, in order, to be taken back.
    trail: Vec<u32>,
    /// The gates below the edges in question, in order, and which sources are among them.
    cone: Vec<u32>,
    sources: Vec<u32>,
    in_cone: Vec<bool>,
    left: u64,
    total: u64,
    /// The fluents that must hold or not for each move, once it has been asked for.
    implied: Vec<Option<Box<[Edge]>>>,
}

impl<'g> CaseProver<'g> {
    /// A prover that may take so many steps.
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

    /// How many steps are left.
    pub(super) fn effort_left(&self) -> u64 {
        self.total
    }

    /// Whether exactly one of the edges holds in every case.
    pub(super) fn exactly_one(&mut self, edges: &[Edge]) -> bool {
        self.left = EFFORT.min(self.total);
        let before = self.left;
        let proven = self.collect(edges) && self.case(edges, DEPTH);
        self.clear(before);
        proven
    }

    /// Whether an edge holds wherever a fluent or move does, as far as three values tell.
    pub(super) fn implies(&mut self, given: Edge, edge: Edge) -> bool {
        self.left = EFFORT.min(self.total);
        let before = self.left;
        let mut follows = self.collect(&[edge]);
        self.left = self.left.saturating_sub(self.cone.len() as u64 + 1);
        // Nothing is ever wrong about what cannot be.
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

    /// Finds the gates below; false if there are too many, or a cycle.
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
                    // Its value stays unknown.
                    self.sources.push(signal);
                }
            }
            if self.cone.len() > GATES {
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

    /// Fixes a source and what follows; false if that cannot be.
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

    /// Whether exactly one edge holds in all cases that agree with what is fixed.
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
        // None of these: possible unless they are the whole group and one of them must hold.
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

    /// A fluent or move that is not known and on which an edge depends.
    fn open_source(&self, edge: Edge) -> Option<u32> {
        let mut at = edge >> 1;
        while self.gates.op(at) == GateOp::And {
            let inputs = self.gates.inputs(at).iter();
            let mut open = inputs
                .map(|edge| edge >> 1)
                .filter(|input| self.values[*input as usize] == UNKNOWN);
            // Moves first: they decide most.
            let first = open
                .clone()
                .find(|input| self.gates.action_of(*input).is_some());
            at = first.or_else(|| open.next())?;
        }
        (self.gates.op(at) == GateOp::Source).then_some(at)
    }
}

/// The fluents that must hold, or not, where a move is legal.
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
            if steps > IMPLIED {
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
