//! Random simulation: random play on 64 states at a time, one bit of a word for each.
//!
//! It finds properties that may hold in all states and are worth a proof.

use super::and_inverter_graph::{ABSENT, AndInverterGraph, Edge, GateOp};
use ludorum_reasoner::Rng;

/// The number of steps of each of the 64 simulations.
const STEPS: usize = 48;

/// For every fluent its values, a word for each step.
pub(super) struct FluentSamples {
    pub(super) words: Vec<Vec<u64>>,
}

/// Plays random moves. A simulation that is over or stuck restarts.
pub(super) fn play(gates: &AndInverterGraph) -> FluentSamples {
    let fluents = gates.next.len();
    let spread = |bit: bool| if bit { u64::MAX } else { 0 };
    let initial: Vec<u64> = (0..fluents)
        .map(|fluent| spread(gates.game.initial.get(fluent)))
        .collect();
    let mut lanes = Simulation {
        gates,
        values: vec![0; gates.len()],
        uses: gates.uses(),
    };
    lanes.values[0] = u64::MAX;
    lanes.values[1..=fluents].copy_from_slice(&initial);
    let mut rng = Rng::new(0);
    let mut samples = FluentSamples {
        words: vec![Vec::with_capacity(STEPS); fluents],
    };
    for _ in 0..STEPS {
        // With fewer samples more proofs are attempted; no result becomes unsound.
        if gates.budget.is_spent() {
            break;
        }
        for (fluent, words) in samples.words.iter_mut().enumerate() {
            words.push(lanes.values[1 + fluent]);
        }
        lanes.evaluate();
        let stuck = lanes.draw(&mut rng);
        lanes.evaluate();
        let restart = stuck | lanes.value(gates.terminal);
        let next: Vec<u64> = (0..fluents)
            .map(|fluent| match (gates.next[fluent], gates.fixed[fluent]) {
                (ABSENT, Some(value)) => spread(value),
                (ABSENT, None) => initial[fluent],
                (edge, _) => lanes.value(edge),
            })
            .collect();
        for fluent in 0..fluents {
            lanes.values[1 + fluent] = initial[fluent] & restart | next[fluent] & !restart;
        }
    }
    samples
}

struct Simulation<'g> {
    gates: &'g AndInverterGraph,
    values: Vec<u64>,
    uses: Vec<u32>,
}

impl Simulation<'_> {
    fn value(&self, edge: Edge) -> u64 {
        let sign = if edge & 1 == 1 { u64::MAX } else { 0 };
        self.values[(edge >> 1) as usize] ^ sign
    }

    fn gate(&self, signal: u32) -> u64 {
        let inputs = self.gates.inputs(signal).iter();
        match self.gates.op(signal) {
            GateOp::CyclicOr => inputs.fold(0, |all, edge| all | self.value(*edge)),
            _ => inputs.fold(u64::MAX, |all, edge| all & self.value(*edge)),
        }
    }

    fn evaluate(&mut self) {
        let mut cycles = self.gates.cycles.iter();
        let mut signal = self.gates.first_gate();
        while (signal as usize) < self.gates.len() {
            if self.gates.op(signal) == GateOp::And {
                if self.uses[signal as usize] > 0 {
                    self.values[signal as usize] = self.gate(signal);
                }
                signal += 1;
                continue;
            }
            let Some(cycle) = cycles.next() else {
                break;
            };
            self.values[cycle.start as usize..cycle.end as usize].fill(0);
            let mut changed = true;
            while changed {
                changed = false;
                for member in cycle.clone() {
                    let value = self.gate(member);
                    changed |= value != self.values[member as usize];
                    self.values[member as usize] = value;
                }
            }
            signal = cycle.end;
        }
    }

    /// Sets a random legal move for each role in each simulation; returns the simulations in which
    /// a role has none.
    fn draw(&mut self, rng: &mut Rng) -> u64 {
        let mut stuck = 0;
        for role in 0..self.gates.game.roles.len() {
            // Each simulation takes the first legal move from a random position on: fast, though
            // not uniform.
            let moves = self.gates.game.moves_of(role);
            let mut open = u64::MAX;
            let turn = rng.below(moves.len());
            for i in 0..moves.len() {
                let action = moves.start + (i + turn) % moves.len();
                let legal = match self.gates.legal[action] {
                    ABSENT => 0,
                    edge => self.value(edge),
                };
                // Random bits for each simulation keep them from all choosing the same move.
                let coin = if i + 8 < moves.len() {
                    rng.next_u64() | rng.next_u64()
                } else {
                    u64::MAX
                };
                let chosen = open & legal & coin;
                self.values[(self.gates.action(action) >> 1) as usize] = chosen;
                open &= !chosen;
            }
            // Simulations that declined every legal move take the first one.
            for action in moves {
                if open == 0 {
                    break;
                }
                let legal = match self.gates.legal[action] {
                    ABSENT => 0,
                    edge => self.value(edge),
                };
                self.values[(self.gates.action(action) >> 1) as usize] |= open & legal;
                open &= !legal;
            }
            stuck |= open;
        }
        stuck
    }
}
