//! Gates with signed wires: how the passes beyond the paper's see a network.
//!
//! A *signal* is the constant, a fluent, a move or a gate; an [`Edge`] is a signal and a sign in
//! one number. Every gate is an AND, for an OR is an AND with all signs turned over; so equal logic
//! looks equal, and NOT costs nothing. Gates of cycles are the exception: a least fixpoint does not
//! survive a change of signs, so they keep their kind. Signals come in an order of evaluation.
//!
//! A pass maps one set of gates to another, signal by signal ([`AndInverterGraph::map`]); [`AndInverterGraph::and`] keeps
//! what it makes in normal form, without repeated inputs, constants or gates that are there
//! already. What nothing looks at is dropped on the way back.

mod cycle;

use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::super::evaluation_order::EvaluationOrder;
use super::super::network::{ComponentKind, EqualFluents, GoalValue, Network};
use super::budget::PassBudget;
use crate::ground_game::GroundGame;

/// A signal and whether it is negated: `signal << 1 | negated`.
pub(super) type Edge = u32;
/// Always holds.
pub(super) const ALWAYS: Edge = 0;
/// Never holds.
pub(super) const NEVER: Edge = 1;
/// No such edge or signal.
pub(super) const ABSENT: u32 = u32::MAX;

/// So many gates are changed between two looks at the clock.
const POLL: u32 = 256;

/// How a signal gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum GateOp {
    /// From outside: the constant, a fluent or a move.
    Source,
    /// All inputs hold.
    And,
    /// All inputs hold; part of a cycle.
    CyclicAnd,
    /// Some input holds; part of a cycle.
    CyclicOr,
}

/// A network as signed gates.
#[derive(Clone, Debug)]
pub(super) struct AndInverterGraph {
    pub(super) game: Arc<GroundGame>,
    pub(super) goals: Arc<[GoalValue]>,
    /// The value of fluents that are the same in all states.
    pub(super) fixed: Vec<Option<bool>>,
    /// Groups of fluents of which exactly one holds in every state.
    pub(super) exclusive: Arc<[Box<[u32]>]>,
    /// Fluents that equal others in every state.
    pub(super) equal: Arc<[EqualFluents]>,
    /// The value of fluents in all states that matter here, for [`AndInverterGraph::map`] to put in; unlike
    /// fixed ones they still change.
    pub(super) assumed: Vec<Option<bool>>,
    /// Whether each fluent has a base, each move an input.
    pub(super) has_base: Vec<bool>,
    pub(super) has_input: Vec<bool>,
    /// What each fluent becomes, each legal move and goal value is, or [`ABSENT`].
    pub(super) next: Vec<Edge>,
    pub(super) legal: Vec<Edge>,
    pub(super) goal: Vec<Edge>,
    pub(super) terminal: Edge,
    ops: Vec<GateOp>,
    spans: Vec<Range<u32>>,
    wires: Vec<Edge>,
    /// Signals that form a cycle, next to each other.
    pub(super) cycles: Vec<Range<u32>>,
    /// When to stop changing gates.
    pub(super) budget: PassBudget,
    /// The last AND with each hash, and before it the others with the same.
    by_hash: FxHashMap<u64, u32>,
    same_hash: Vec<u32>,
}

impl AndInverterGraph {
    /// Sources only, with the outputs of nothing.
    fn sources(game: &Arc<GroundGame>, goals: &Arc<[GoalValue]>) -> Self {
        let (fluents, moves) = (game.fluents.len(), game.move_count());
        let count = 1 + fluents + moves;
        Self {
            game: Arc::clone(game),
            goals: Arc::clone(goals),
            fixed: vec![None; fluents],
            exclusive: Arc::new([]),
            equal: Arc::new([]),
            assumed: vec![None; fluents],
            has_base: vec![false; fluents],
            has_input: vec![false; moves],
            next: vec![ABSENT; fluents],
            legal: vec![ABSENT; moves],
            goal: vec![ABSENT; goals.len()],
            terminal: NEVER,
            ops: vec![GateOp::Source; count],
            spans: vec![0..0; count],
            wires: Vec::new(),
            cycles: Vec::new(),
            budget: PassBudget::unlimited(),
            by_hash: FxHashMap::default(),
            same_hash: vec![ABSENT; count],
        }
    }

    /// The positive edge of a fluent.
    pub(super) fn base(fluent: usize) -> Edge {
        (1 + fluent as u32) << 1
    }

    /// The positive edge of a move.
    pub(super) fn action(&self, action: usize) -> Edge {
        (1 + (self.next.len() + action) as u32) << 1
    }

    /// The move that a signal is, if it is one.
    pub(super) fn action_of(&self, signal: u32) -> Option<usize> {
        let place = (signal as usize).checked_sub(1 + self.next.len())?;
        (place < self.legal.len()).then_some(place)
    }

    /// The fluent that a signal is, if it is one.
    pub(super) fn fluent_of(&self, signal: u32) -> Option<usize> {
        let place = (signal as usize).checked_sub(1)?;
        (place < self.next.len()).then_some(place)
    }

    /// How many signals there are.
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// The first signal that is a gate.
    pub(super) fn first_gate(&self) -> u32 {
        (1 + self.next.len() + self.legal.len()) as u32
    }

    pub(super) fn op(&self, signal: u32) -> GateOp {
        self.ops[signal as usize]
    }

    pub(super) fn inputs(&self, signal: u32) -> &[Edge] {
        let span = &self.spans[signal as usize];
        &self.wires[span.start as usize..span.end as usize]
    }

    /// How many inputs all gates have.
    pub(super) fn wire_count(&self) -> usize {
        self.wires.len()
    }

    /// The inputs of the plain AND that an edge comes from with positive sign.
    pub(super) fn and_inputs(&self, edge: Edge) -> Option<&[Edge]> {
        (edge & 1 == 0 && self.op(edge >> 1) == GateOp::And).then(|| self.inputs(edge >> 1))
    }

    /// The edges that the outside looks at; those that are absent left out.
    pub(super) fn roots(&self) -> impl Iterator<Item = Edge> + '_ {
        self.next
            .iter()
            .chain(&self.legal)
            .chain(&self.goal)
            .copied()
            .chain(std::iter::once(self.terminal))
            .filter(|edge| *edge != ABSENT)
    }

    /// How often each signal is looked at, by gates that matter and from outside; 0 for gates that
    /// do not matter.
    pub(super) fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0u32; self.len()];
        let mut todo = Vec::new();
        let mut look = |edge: Edge, todo: &mut Vec<u32>| {
            let count = &mut uses[(edge >> 1) as usize];
            *count += 1;
            if *count == 1 && self.op(edge >> 1) != GateOp::Source {
                todo.push(edge >> 1);
            }
        };
        for edge in self.roots() {
            look(edge, &mut todo);
        }
        while let Some(signal) = todo.pop() {
            for edge in self.inputs(signal) {
                look(*edge, &mut todo);
            }
        }
        uses
    }

    fn push(&mut self, op: GateOp, inputs: &[Edge]) -> u32 {
        let start = self.wires.len() as u32;
        self.wires.extend_from_slice(inputs);
        self.ops.push(op);
        self.spans.push(start..self.wires.len() as u32);
        self.same_hash.push(ABSENT);
        self.ops.len() as u32 - 1
    }

    /// The AND of edges in normal form; `edges` is left in disorder.
    pub(super) fn and(&mut self, edges: &mut Vec<Edge>) -> Edge {
        edges.sort_unstable();
        edges.dedup();
        if edges.first() == Some(&ALWAYS) {
            edges.remove(0);
        }
        // Sorted, an edge and its negation are neighbours, and NO comes first.
        if edges.first() == Some(&NEVER) || edges.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            return NEVER;
        }
        match edges[..] {
            [] => return ALWAYS,
            [edge] => return edge,
            _ => {}
        }
        let mut hasher = FxHasher::default();
        edges.hash(&mut hasher);
        let hash = hasher.finish();
        let last = self.by_hash.get(&hash).copied().unwrap_or(ABSENT);
        let mut same = last;
        while same != ABSENT {
            if self.inputs(same) == &edges[..] {
                return same << 1;
            }
            same = self.same_hash[same as usize];
        }
        let signal = self.push(GateOp::And, edges);
        self.same_hash[signal as usize] = last;
        self.by_hash.insert(hash, signal);
        signal << 1
    }

    /// The OR of edges in normal form.
    pub(super) fn or(&mut self, edges: &mut Vec<Edge>) -> Edge {
        for edge in edges.iter_mut() {
            *edge ^= 1;
        }
        self.and(edges) ^ 1
    }

    /// Reads a network. Propositions without a meaning of their own and `init` become wires.
    pub(super) fn new(network: &Network) -> Self {
        let mut gates = Self::sources(&network.game, &network.goals);
        gates.fixed.clone_from(&network.fixed);
        gates.exclusive = Arc::clone(&network.exclusive);
        gates.equal = Arc::clone(&network.equal);
        let mut edges = vec![ABSENT; network.len()];
        for node in network.components() {
            let label = network.label(node) as usize;
            edges[node as usize] = match network.kind(node) {
                ComponentKind::True => ALWAYS,
                ComponentKind::False => NEVER,
                ComponentKind::Base => {
                    gates.has_base[label] = true;
                    Self::base(label)
                }
                ComponentKind::Input => {
                    gates.has_input[label] = true;
                    gates.action(label)
                }
                _ => ABSENT,
            };
        }
        let groups = EvaluationOrder::new(network);
        let mut inputs = Vec::new();
        for (members, cyclic) in groups.iter() {
            if cyclic {
                gates.read_cycle(network, members, &mut edges);
                continue;
            }
            for node in members {
                if edges[*node as usize] != ABSENT {
                    continue;
                }
                inputs.clear();
                inputs.extend(network.inputs(*node).iter().map(|n| edges[*n as usize]));
                edges[*node as usize] = match (network.kind(*node), &inputs[..]) {
                    (ComponentKind::And, _) => gates.and(&mut inputs),
                    (ComponentKind::Or, _) => gates.or(&mut inputs),
                    (ComponentKind::Not, [edge, ..]) => edge ^ 1,
                    (_, [edge, ..]) => *edge,
                    (_, []) => NEVER,
                };
            }
        }
        for node in network.components() {
            let edge = edges[node as usize];
            let label = network.label(node) as usize;
            match network.kind(node) {
                ComponentKind::Transition => gates.next[label] = edge,
                ComponentKind::Legal => gates.legal[label] = edge,
                ComponentKind::Goal => gates.goal[label] = edge,
                ComponentKind::Terminal => gates.terminal = edge,
                _ => {}
            }
        }
        gates
    }

    /// The same with an end to changes.
    pub(super) fn with_budget(network: &Network, budget: PassBudget) -> Self {
        let mut gates = Self::new(network);
        gates.budget = budget;
        gates
    }

    /// Other gates of the same behaviour: `gate` is asked for every AND that matters what it is in
    /// the new gates, and told what earlier signals are there; cycles are copied, and what has
    /// become known about fluents and moves is put in. When the time is over the rest is copied
    /// too.
    pub(super) fn map(&self, gate: impl FnMut(&mut Self, &[Edge], u32) -> Edge) -> Self {
        self.map_from(Self::base, gate)
    }

    /// The same with a say in what each fluent is to gates.
    pub(super) fn map_from(
        &self,
        base: impl Fn(usize) -> Edge,
        mut gate: impl FnMut(&mut Self, &[Edge], u32) -> Edge,
    ) -> Self {
        let mut new = Self::sources(&self.game, &self.goals);
        new.fixed.clone_from(&self.fixed);
        new.exclusive = Arc::clone(&self.exclusive);
        new.equal = Arc::clone(&self.equal);
        new.budget = self.budget;
        let mut edges: Vec<Edge> = (0..self.len() as u32).map(|signal| signal << 1).collect();
        for fluent in 0..self.next.len() {
            if let Some(value) = self.fixed[fluent].or(self.assumed[fluent]) {
                edges[(Self::base(fluent) >> 1) as usize] = if value { ALWAYS } else { NEVER };
            } else {
                edges[(Self::base(fluent) >> 1) as usize] = base(fluent);
                new.has_base[fluent] = self.has_base[fluent];
            }
        }
        for action in 0..self.legal.len() {
            // A move that is never legal is never played.
            if matches!(self.legal[action], NEVER | ABSENT) {
                edges[(self.action(action) >> 1) as usize] = NEVER;
            } else {
                new.has_input[action] = self.has_input[action];
            }
        }
        let uses = self.uses();
        let mut cycles = self.cycles.iter();
        let mut signal = self.first_gate();
        let mut is_spent = self.budget.is_spent();
        let mut copied = Vec::new();
        while (signal as usize) < self.len() {
            if signal.is_multiple_of(POLL) {
                is_spent = is_spent || self.budget.is_spent();
            }
            if self.op(signal) != GateOp::And {
                if let Some(cycle) = cycles.next() {
                    new.copy_cycle(self, cycle, &mut edges);
                    signal = cycle.end;
                }
                continue;
            }
            if uses[signal as usize] > 0 {
                edges[signal as usize] = if is_spent {
                    copied.clear();
                    copied.extend(self.inputs(signal).iter().map(|e| moved(&edges, *e)));
                    new.and(&mut copied)
                } else {
                    gate(&mut new, &edges, signal)
                };
            }
            signal += 1;
        }
        let mapped = |edge: Edge| match edge {
            ABSENT => ABSENT,
            edge => moved(&edges, edge),
        };
        let optional = |edge: Edge| match mapped(edge) {
            NEVER => ABSENT,
            edge => edge,
        };
        new.next = self.next.iter().map(|edge| mapped(*edge)).collect();
        new.legal = self.legal.iter().map(|edge| mapped(*edge)).collect();
        new.goal = self.goal.iter().map(|edge| optional(*edge)).collect();
        new.terminal = mapped(self.terminal);
        for fluent in 0..new.next.len() {
            if new.fixed[fluent].is_some() {
                new.next[fluent] = ABSENT;
            }
        }
        new
    }
}

/// What an edge is where `edges` says what every signal is.
#[inline]
pub(super) fn moved(edges: &[Edge], edge: Edge) -> Edge {
    edges[(edge >> 1) as usize] ^ (edge & 1)
}
