//! What moves do: the part of the circuit behind them, evaluated for the moves that are played and for those alone.
//!
//! With no moves, every gate here has a value that depends on the state alone, its *rest value*, which is an edge of the state part: very
//! often a constant, or for the last gate before a fluent that fluent. So nothing here is kept up to date. Playing moves starts from
//! the next state as it would be at rest, and follows the flips from the moves; a gate that is reached for the first time sets its
//! counter from the rest values of its inputs, most of which are constant and have been added up beforehand.
//!
//! The commonest gate by far, a move and conditions on the state, has no counter at all. Its conditions are one edge of the state part, which
//! turns over a bit at the [rim](super::rim); a move looks at its bits for the effects that come true.

use super::circuit::{Edge, Gate, NO, YES};
use super::logic::Logic;

/// The fixed part. Sources are numbered: moves, conditional effects, gates.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// How many moves and conditional effects there are.
    pub(super) first_gate: u32,
    pub(super) moves: u32,
    /// For every source, where its wires and its fluents start; one more at the end.
    sources: Vec<(u32, u32)>,
    /// Gates with the sign of the wire in the lowest bit.
    wires: Vec<u32>,
    /// Fluents whose next value flips with the source.
    fluents: Vec<u32>,
    /// For every gate, the part of its counter that is constant at rest, and where its other inputs start; one more at the end.
    gates: Vec<(i32, u32)>,
    /// Inputs whose rest value is not constant: nodes with a sign.
    inputs: Vec<u32>,
}

/// Counters of gates, each right if its stamp is that of the joint move.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    counters: Vec<(u32, i32)>,
    stamp: u32,
    queue: Vec<u32>,
}

impl Touched {
    pub(super) fn new(effects: &Effects) -> Self {
        Self {
            counters: vec![(0, 0); effects.gates.len().saturating_sub(1)],
            stamp: 0,
            queue: Vec::new(),
        }
    }

    /// Forgets the joint move before.
    fn begin(&mut self) {
        if self.stamp == u32::MAX {
            self.counters.fill((0, 0));
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Something is done: a move or a conditional effect.
    #[inline]
    pub(super) fn note(&mut self, source: u32) {
        self.queue.push(source << 1 | 1);
    }

    /// Turns the next state at rest into the one after the joint move. Returns how many wires were followed.
    pub(super) fn run(&mut self, effects: &Effects, state: &[i32], next: &mut [u64]) -> u64 {
        let mut work = 0;
        self.begin();
        while let Some(flip) = self.queue.pop() {
            let source = (flip >> 1) as usize;
            let (wires, fluents) = effects.sources[source];
            let (wires_end, fluents_end) = effects.sources[source + 1];
            work += u64::from(wires_end - wires) + 1;
            for wire in &effects.wires[wires as usize..wires_end as usize] {
                let hit = wire ^ (flip & 1);
                let gate = (hit >> 1) as usize;
                let (stamp, counter) = &mut self.counters[gate];
                if *stamp != self.stamp {
                    *stamp = self.stamp;
                    let (constant, start) = effects.gates[gate];
                    let inputs = start as usize..effects.gates[gate + 1].1 as usize;
                    *counter = effects.inputs[inputs].iter().fold(constant, |sum, edge| {
                        let holds = state[(edge >> 1) as usize] >= 0;
                        sum + i32::from(holds ^ (edge & 1 == 1))
                    });
                }
                let before = *counter;
                *counter += (hit & 1) as i32 * 2 - 1;
                if (before ^ *counter) < 0 {
                    self.queue.push(hit + (effects.first_gate << 1));
                }
            }
            for fluent in &effects.fluents[fluents as usize..fluents_end as usize] {
                next[*fluent as usize / 64] ^= 1 << (fluent % 64);
            }
        }
        work
    }
}

/// A conditional effect: a move, and the condition on the state.
pub(super) type Effect = (u32, Edge);

/// Effects whose inputs are still signals, and what the state part must provide for them.
pub(super) struct Draft {
    /// In the order of their moves.
    pub(super) effects: Vec<Effect>,
    /// The next value of every fluent at rest, and likewise whether moves are legal and the game is over.
    pub(super) next: Vec<Edge>,
    pub(super) legal: Vec<Edge>,
    pub(super) terminal: Edge,
    /// Inputs of gates whose rest value is not constant.
    pub(super) inputs: Vec<Edge>,
    fixed: Effects,
}

/// What a gate behind the moves becomes.
#[derive(Clone, Copy)]
enum Place {
    /// Nothing: its value depends on the state alone.
    Rest,
    /// A conditional effect, by its number.
    Effect(u32),
    /// A gate, by its number.
    Gate(u32),
}

impl Draft {
    /// The effects of a circuit, of which the given gates matter. `None` if gates behind the moves form a cycle.
    #[allow(clippy::cast_possible_wrap)] // fewer inputs than 2^31
    pub(super) fn new(logic: &mut Logic<'_>, needed: &[bool]) -> Option<Self> {
        let circuit = logic.circuit;
        let first = circuit.first_gate();
        let gates: Vec<u32> = circuit
            .action_blocks
            .iter()
            .flat_map(|block| block.gates.clone())
            .filter(|gate| needed[*gate as usize])
            .collect();
        let cyclic = |gate: &u32| {
            let of = circuit.action_blocks.iter();
            of.filter(|block| block.cyclic)
                .any(|block| block.gates.contains(gate))
        };
        if circuit.action_blocks.iter().any(|block| block.cyclic) && gates.iter().any(cyclic) {
            return None;
        }
        let behind = circuit
            .action_blocks
            .first()
            .map_or(u32::MAX, |block| first + block.gates.start);
        let is_move = |signal: u32| signal > circuit.fluents && signal < first;
        let is_action = |edge: Edge| is_move(edge >> 1) || edge >> 1 >= behind;

        let mut rests: Vec<Edge> = vec![NO; circuit.gate_count()];
        let mut places = vec![Place::Rest; circuit.gate_count()];
        let rest_of = |rests: &[Edge], edge: Edge| {
            if !is_action(edge) {
                edge
            } else if is_move(edge >> 1) {
                NO ^ (edge & 1)
            } else {
                rests[((edge >> 1) - first) as usize] ^ (edge & 1)
            }
        };
        let mut effects: Vec<(Effect, u32)> = Vec::new();
        let mut inner: Vec<u32> = Vec::new();
        for gate in &gates {
            let inputs = circuit.inputs(*gate);
            let kind = circuit.gate(*gate);
            let rest = inputs.iter().map(|edge| rest_of(&rests, *edge)).collect();
            rests[*gate as usize] = logic.make(kind, rest);
            let mut actions = inputs.iter().filter(|edge| is_action(**edge));
            let simple = match (kind, actions.next(), actions.next()) {
                (Gate::And, Some(edge), None) if is_move(edge >> 1) && edge & 1 == 0 => {
                    Some((edge >> 1) - circuit.action(0))
                }
                _ => None,
            };
            if let Some(action) = simple {
                let condition = inputs.iter().copied().filter(|edge| !is_action(*edge));
                let condition = logic.make(Gate::And, condition.collect());
                if condition != NO {
                    effects.push(((action, condition), *gate));
                }
            } else {
                places[*gate as usize] = Place::Gate(inner.len() as u32);
                inner.push(*gate);
            }
        }
        effects.sort_by_key(|((action, _), _)| *action);
        for (number, (_, gate)) in effects.iter().enumerate() {
            places[*gate as usize] = Place::Effect(number as u32);
        }

        let first_gate = circuit.moves + effects.len() as u32;
        let source_of = |edge: Edge| {
            let signal = edge >> 1;
            if is_move(signal) {
                return Some(signal - circuit.action(0));
            }
            match places[signal.checked_sub(behind).map(|_| signal - first)? as usize] {
                Place::Rest => None,
                Place::Effect(number) => Some(circuit.moves + number),
                Place::Gate(number) => Some(first_gate + number),
            }
        };
        let mut wires = Vec::new();
        let mut fixed = Effects {
            first_gate,
            moves: circuit.moves,
            ..Effects::default()
        };
        let mut later = Vec::new();
        for (number, gate) in inner.iter().enumerate() {
            let inputs = circuit.inputs(*gate);
            let mut constant = match circuit.gate(*gate) {
                Gate::And => -(inputs.len() as i32),
                Gate::Or => -1,
            };
            fixed.gates.push((0, later.len() as u32));
            for edge in inputs {
                match rest_of(&rests, *edge) {
                    YES => constant += 1,
                    NO => {}
                    rest => later.push(rest),
                }
                if let Some(source) = source_of(*edge) {
                    wires.push((source, (number as u32) << 1 | edge & 1));
                }
            }
            fixed.gates[number].0 = constant;
        }
        fixed.gates.push((0, later.len() as u32));
        let mut fluents = Vec::new();
        for (fluent, edge) in circuit.next.iter().enumerate() {
            if let Some(source) = source_of(*edge) {
                fluents.push((source, fluent as u32));
            }
        }
        let count = first_gate as usize + inner.len();
        let (wire_starts, wires) = gather(count, &wires);
        let (fluent_starts, fluents) = gather(count, &fluents);
        fixed.sources = wire_starts.into_iter().zip(fluent_starts).collect();
        fixed.wires = wires;
        fixed.fluents = fluents;
        let at_rest = |edges: &[Edge]| edges.iter().map(|edge| rest_of(&rests, *edge)).collect();
        Some(Self {
            effects: effects.into_iter().map(|(effect, _)| effect).collect(),
            next: at_rest(&circuit.next),
            legal: at_rest(&circuit.legal),
            terminal: rest_of(&rests, circuit.terminal),
            inputs: later,
            fixed,
        })
    }

    /// The finished effects, once the signals of the state part have become nodes.
    pub(super) fn finish(self, node: impl Fn(Edge) -> u32) -> Effects {
        Effects {
            inputs: self.inputs.into_iter().map(node).collect(),
            ..self.fixed
        }
    }
}

impl Effects {
    /// How many wires there are.
    pub(super) fn wire_count(&self) -> usize {
        self.wires.len() + self.fluents.len()
    }
}

/// Pairs by their first number, in rows.
pub(super) fn gather(sources: usize, pairs: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; sources + 1];
    for (source, _) in pairs {
        starts[*source as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut targets = vec![0; pairs.len()];
    for (source, target) in pairs {
        targets[next[*source as usize] as usize] = *target;
        next[*source as usize] += 1;
    }
    (starts, targets)
}
