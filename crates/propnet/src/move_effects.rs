//! The effects of moves: the part of the circuit that depends on moves, evaluated only for the
//! moves that are played.
//!
//! While no move is played, every gate of this part has a *rest value* that depends on the state
//! alone. It is an edge of the state part, very often a constant, or, for the last gate before a
//! fluent, that fluent. So nothing of this part is kept up to date. Playing moves starts from the
//! next state at rest and propagates the changes from the moves. A gate that is reached for the
//! first time sets its counter from the rest values of its inputs; the constant ones, which are
//! most, have been summed beforehand.
//!
//! The most common gate by far is a *conditional effect*: one move and conditions on the state. It
//! has no counter. Its condition is one edge of the state part that sets an [output
//! bit](super::output_bits), and a move reads its bits to find the effects that apply.

use super::sparse_rows::WordMask;

/// The fixed part, in flat arrays. Sources are numbered: moves, then conditional effects, then
/// gates.
#[derive(Debug, Default)]
pub(super) struct MoveEffects {
    /// How many moves there are.
    pub(super) moves: u32,
    /// How many moves and conditional effects there are.
    pub(super) first_gate: u32,
    /// For every move and conditional effect, where its delete list and its add list start; one
    /// more at the end.
    pub(super) changes: Vec<(u32, u32)>,
    /// Bits of the next state that become false, and those that become true after that.
    pub(super) deletes: Vec<WordMask>,
    pub(super) adds: Vec<WordMask>,
    /// For every source, where its wires and its fluents start; one more at the end.
    pub(super) sources: Vec<(u32, u32)>,
    /// Target gates, with the sign of the wire in the lowest bit.
    pub(super) wires: Vec<u32>,
    /// Fluents whose next value changes with the source.
    pub(super) fluents: Vec<u32>,
    /// For every gate, the constant part of its counter at rest, and where its other inputs start;
    /// one more at the end.
    pub(super) gates: Vec<(i32, u32)>,
    /// Inputs whose rest value is not constant: nodes with a sign.
    pub(super) inputs: Vec<u32>,
}

/// Propagation of the effects of one joint move: counters that are valid if their stamp is current.
#[derive(Clone, Debug)]
pub(super) struct EffectPropagation {
    counters: Vec<(u32, i32)>,
    stamp: u32,
    /// Work queue of changed sources, `source << 1 | rising`; valid before `end`.
    queue: Vec<u32>,
    end: usize,
}

impl EffectPropagation {
    pub(super) fn new(effects: &MoveEffects) -> Self {
        Self {
            counters: vec![(0, 0); effects.gates.len().saturating_sub(1)],
            stamp: 0,
            queue: Vec::new(),
            end: 0,
        }
    }

    /// Invalidates the counters of the last joint move.
    fn begin(&mut self) {
        if self.stamp == u32::MAX {
            self.counters.fill((0, 0));
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Empties the queue.
    pub(super) fn clear(&mut self) {
        self.end = 0;
    }

    /// Queues a move or a conditional effect that applies.
    #[inline]
    pub(super) fn note(&mut self, source: u32) {
        if self.end == self.queue.len() {
            grow(&mut self.queue, 1);
        }
        self.queue[self.end] = source << 1 | 1;
        self.end += 1;
    }

    /// Turns the next state at rest into the one after the joint move. Returns how many wires were
    /// followed.
    #[inline]
    pub(super) fn run(&mut self, effects: &MoveEffects, state: &[i32], next: &mut [u64]) -> u64 {
        for flip in &self.queue[..self.end] {
            let source = (flip >> 1) as usize;
            let range = effects.changes[source].0 as usize..effects.changes[source + 1].0 as usize;
            for change in &effects.deletes[range] {
                next[change.word as usize] &= !change.mask;
            }
        }
        for flip in &self.queue[..self.end] {
            let source = (flip >> 1) as usize;
            let range = effects.changes[source].1 as usize..effects.changes[source + 1].1 as usize;
            for change in &effects.adds[range] {
                next[change.word as usize] |= change.mask;
            }
        }
        let mut work = self.end as u64;
        if !effects.fluents.is_empty() {
            work += self.propagate(effects, state, next);
        }
        self.end = 0;
        work
    }

    /// Propagates the changes through gates with counters.
    #[inline(never)]
    fn propagate(&mut self, effects: &MoveEffects, state: &[i32], next: &mut [u64]) -> u64 {
        self.begin();
        let stamp = self.stamp;
        let counters = &mut self.counters[..];
        let queue = &mut self.queue;
        let (mut at, mut end) = (0, self.end);
        let mut work = 0;
        while at < end {
            let flip = queue[at];
            at += 1;
            let source = (flip >> 1) as usize;
            let (wires, fluents) = effects.sources[source];
            let (wires_end, fluents_end) = effects.sources[source + 1];
            let wires = &effects.wires[wires as usize..wires_end as usize];
            work += wires.len() as u64;
            if queue.len() < end + wires.len() {
                grow(queue, wires.len());
            }
            for wire in wires {
                let hit = wire ^ (flip & 1);
                let gate = (hit >> 1) as usize;
                let (touched, counter) = &mut counters[gate];
                let before = if *touched == stamp {
                    *counter
                } else {
                    *touched = stamp;
                    effects.at_rest(gate, state)
                };
                let after = before + (hit & 1).cast_signed() * 2 - 1;
                *counter = after;
                // Written without a branch: the entry is always stored and counts only if the gate
                // changes.
                queue[end] = hit + (effects.first_gate << 1);
                end += usize::from((before ^ after) < 0);
            }
            for fluent in &effects.fluents[fluents as usize..fluents_end as usize] {
                next[*fluent as usize / 64] ^= 1 << (fluent % 64);
            }
        }
        work
    }
}

#[cold]
fn grow(queue: &mut Vec<u32>, by: usize) {
    queue.resize(2 * (queue.len() + by), 0);
}

impl MoveEffects {
    /// The counter of a gate while no move is played.
    #[inline]
    fn at_rest(&self, gate: usize, state: &[i32]) -> i32 {
        let (constant, start) = self.gates[gate];
        let inputs = start as usize..self.gates[gate + 1].1 as usize;
        self.inputs[inputs].iter().fold(constant, |sum, edge| {
            let holds = state[(edge >> 1) as usize] >= 0;
            sum + i32::from(holds ^ (edge & 1 == 1))
        })
    }

    /// How many wires there are.
    pub(super) fn wire_count(&self) -> usize {
        self.wires.len() + self.fluents.len() + self.adds.len() + self.deletes.len()
    }
}
