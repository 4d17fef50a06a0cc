//! And-inverter graph: the representation of a network that the passes beyond Sironi and Winands
//! 2016 work on.
//!
//! A *signal* is the constant, a fluent, a move or a gate. An [`Edge`] is a signal with an optional
//! negation in one number (a complemented edge). Every gate is an AND of any number of edges; an OR
//! is an AND with all signs inverted, by De Morgan's laws. So equivalent gates look equal more
//! often, and NOT costs nothing. Gates of cycles are the exception: a least fixpoint is not
//! preserved when signs are inverted, so they keep their operation. Signals are in topological
//! order.
//!
//! A pass maps one graph to another, signal by signal ([`AndInverterGraph::map`]).
//! [`AndInverterGraph::and`] normalises and shares gates: no repeated inputs, no constants, no two
//! equal gates (structural hashing). Dead gates are dropped when the graph is written back to a
//! network.

mod cycle;

use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::super::evaluation_order::EvaluationOrder;
use super::super::network::{ComponentKind, EqualFluents, GoalValue, Network};
use super::budget::PassBudget;
use crate::ground_game::GroundGame;

/// A signal and whether it is negated: `signal << 1 | negated`.
pub(super) type Edge = u32;
/// The edge that always holds.
pub(super) const ALWAYS: Edge = 0;
/// The edge that never holds.
pub(super) const NEVER: Edge = 1;
/// No such edge, signal or group.
pub(super) const ABSENT: u32 = u32::MAX;

/// How many gates are mapped between two checks of the time budget.
const GATES_PER_CHECK: u32 = 256;

/// How a signal gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum GateOp {
    /// Set from outside: the constant, a fluent or a move.
    Source,
    /// All inputs hold.
    And,
    /// All inputs hold; part of a cycle.
    CyclicAnd,
    /// Some input holds; part of a cycle.
    CyclicOr,
}

/// A network as an and-inverter graph, in flat arrays.
#[derive(Clone, Debug)]
pub(super) struct AndInverterGraph {
    pub(super) game: Arc<GroundGame>,
    pub(super) goals: Arc<[GoalValue]>,
    /// For each fluent its value, if it is the same in all reachable states.
    pub(super) fixed: Vec<Option<bool>>,
    /// One-hot groups: fluents of which exactly one holds in every reachable state.
    pub(super) exclusive: Arc<[Box<[u32]>]>,
    /// Fluents that equal another in every reachable state.
    pub(super) equal: Arc<[EqualFluents]>,
    /// Values of fluents to be substituted by [`AndInverterGraph::map`], for specialisation. Unlike
    /// fixed fluents, these still change.
    pub(super) assumed: Vec<Option<bool>>,
    /// Whether each fluent has a base.
    pub(super) has_base: Vec<bool>,
    /// Whether each move has an input.
    pub(super) has_input: Vec<bool>,
    /// The next value of each fluent, or [`ABSENT`].
    pub(super) next: Vec<Edge>,
    pub(super) legal: Vec<Edge>,
    pub(super) goal: Vec<Edge>,
    pub(super) terminal: Edge,
    ops: Vec<GateOp>,
    spans: Vec<Range<u32>>,
    wires: Vec<Edge>,
    /// Cycles, each as a range of signals.
    pub(super) cycles: Vec<Range<u32>>,
    /// The time budget of mapping.
    pub(super) budget: PassBudget,
    /// All ANDs, by hash of their inputs.
    ands: HashTable<u32>,
}

/// The hash of the inputs of an AND.
fn hash(inputs: &[Edge]) -> u64 {
    let mut hasher = FxHasher::default();
    inputs.hash(&mut hasher);
    hasher.finish()
}

/// The inputs of a signal in the arrays of a graph.
#[inline]
fn inputs_in<'w>(spans: &[Range<u32>], wires: &'w [Edge], signal: u32) -> &'w [Edge] {
    let span = &spans[signal as usize];
    &wires[span.start as usize..span.end as usize]
}

impl AndInverterGraph {
    /// A graph of sources only, without roots.
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
            ands: HashTable::new(),
        }
    }

    /// The edge of a fluent.
    pub(super) fn base(fluent: usize) -> Edge {
        (1 + fluent as u32) << 1
    }

    /// The edge of a move.
    pub(super) fn action(&self, action: usize) -> Edge {
        (1 + (self.next.len() + action) as u32) << 1
    }

    /// The move of a signal, if it is one.
    pub(super) fn action_of(&self, signal: u32) -> Option<usize> {
        let place = (signal as usize).checked_sub(1 + self.next.len())?;
        (place < self.legal.len()).then_some(place)
    }

    /// The fluent of a signal, if it is one.
    pub(super) fn fluent_of(&self, signal: u32) -> Option<usize> {
        let place = (signal as usize).checked_sub(1)?;
        (place < self.next.len()).then_some(place)
    }

    /// How many signals there are.
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// The signal of the first gate.
    pub(super) fn first_gate(&self) -> u32 {
        (1 + self.next.len() + self.legal.len()) as u32
    }

    pub(super) fn op(&self, signal: u32) -> GateOp {
        self.ops[signal as usize]
    }

    pub(super) fn inputs(&self, signal: u32) -> &[Edge] {
        inputs_in(&self.spans, &self.wires, signal)
    }

    /// How many inputs all gates have together.
    pub(super) fn wire_count(&self) -> usize {
        self.wires.len()
    }

    /// The inputs of the acyclic AND that an edge is; `None` for negated edges and other signals.
    pub(super) fn and_inputs(&self, edge: Edge) -> Option<&[Edge]> {
        (edge & 1 == 0 && self.op(edge >> 1) == GateOp::And).then(|| self.inputs(edge >> 1))
    }

    /// The roots: all edges that are answers.
    pub(super) fn roots(&self) -> impl Iterator<Item = Edge> + '_ {
        self.next
            .iter()
            .chain(&self.legal)
            .chain(&self.goal)
            .copied()
            .chain(std::iter::once(self.terminal))
            .filter(|edge| *edge != ABSENT)
    }

    /// How many live gates and roots use each signal; 0 for dead gates.
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

    /// Makes room for the gates of a graph that is about as large as another.
    fn reserve(&mut self, gates: usize, wires: usize) {
        self.ops.reserve(gates);
        self.spans.reserve(gates);
        self.wires.reserve(wires);
        let (spans, wires) = (&self.spans, &self.wires);
        self.ands
            .reserve(gates, |signal| hash(inputs_in(spans, wires, *signal)));
    }

    fn push(&mut self, op: GateOp, inputs: &[Edge]) -> u32 {
        let start = self.wires.len() as u32;
        self.wires.extend_from_slice(inputs);
        self.ops.push(op);
        self.spans.push(start..self.wires.len() as u32);
        self.ops.len() as u32 - 1
    }

    /// The AND of edges, normalised and shared. `edges` is used as scratch space.
    pub(super) fn and(&mut self, edges: &mut Vec<Edge>) -> Edge {
        edges.sort_unstable();
        edges.dedup();
        if edges.first() == Some(&ALWAYS) {
            edges.remove(0);
        }
        // After sorting, an edge and its negation are neighbours, and `NEVER` comes first.
        if edges.first() == Some(&NEVER) || edges.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            return NEVER;
        }
        match edges[..] {
            [] => return ALWAYS,
            [edge] => return edge,
            _ => {}
        }
        let hash = hash(edges);
        let (spans, wires) = (&self.spans, &self.wires);
        let known = self.ands.find(hash, |signal| {
            inputs_in(spans, wires, *signal) == &edges[..]
        });
        if let Some(signal) = known {
            return signal << 1;
        }
        let signal = self.push(GateOp::And, edges);
        let (spans, wires) = (&self.spans, &self.wires);
        self.ands.insert_unique(hash, signal, |signal| {
            self::hash(inputs_in(spans, wires, *signal))
        });
        signal << 1
    }

    /// The OR of edges, normalised and shared.
    pub(super) fn or(&mut self, edges: &mut Vec<Edge>) -> Edge {
        for edge in edges.iter_mut() {
            *edge ^= 1;
        }
        self.and(edges) ^ 1
    }

    /// Reads a network. Anonymous propositions and `init` become edges.
    pub(super) fn new(network: &Network) -> Self {
        let mut gates = Self::sources(&network.game, &network.goals);
        gates.fixed.clone_from(&network.fixed);
        gates.exclusive = Arc::clone(&network.exclusive);
        gates.equal = Arc::clone(&network.equal);
        gates.reserve(network.len(), network.wire_count());
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

    /// The same with a time budget.
    pub(super) fn with_budget(network: &Network, budget: PassBudget) -> Self {
        let mut gates = Self::new(network);
        gates.budget = budget;
        gates
    }

    /// Maps the graph to an equivalent one. `gate` is called for every live acyclic AND, with the
    /// new graph, the new edge of every earlier signal, and the signal; it returns the new edge of
    /// the gate. Cycles are copied, and known values of fluents and moves are substituted. When the
    /// time budget is spent, the remaining gates are copied.
    pub(super) fn map(&self, gate: impl FnMut(&mut Self, &[Edge], u32) -> Edge) -> Self {
        self.map_from(Self::base, gate)
    }

    /// The same; `base` gives the edge that replaces each fluent as an input.
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
        new.reserve(self.len() - self.first_gate() as usize, self.wires.len());
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
            if signal.is_multiple_of(GATES_PER_CHECK) {
                is_spent = is_spent || self.budget.is_spent();
            }
            if self.op(signal) != GateOp::And {
                if let Some(cycle) = cycles.next() {
                    new.copy_cycle(self, cycle, &uses, &mut edges);
                    signal = cycle.end;
                }
                continue;
            }
            if uses[signal as usize] > 0 {
                edges[signal as usize] = if is_spent {
                    copied.clear();
                    copied.extend(self.inputs(signal).iter().map(|e| mapped_edge(&edges, *e)));
                    new.and(&mut copied)
                } else {
                    gate(&mut new, &edges, signal)
                };
            }
            signal += 1;
        }
        let mapped = |edge: Edge| match edge {
            ABSENT => ABSENT,
            edge => mapped_edge(&edges, edge),
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

/// The new edge of an edge, where `edges` has the new edge of every signal.
#[inline]
pub(super) fn mapped_edge(edges: &[Edge], edge: Edge) -> Edge {
    edges[(edge >> 1) as usize] ^ (edge & 1)
}
