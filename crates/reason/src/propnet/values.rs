//! Counters and rim: the part of differential propagation that changes.

use super::circuit::{Edge, Gate};
use super::wiring::{ABSENT, Wiring, inner_edge};
use crate::ground_game::BitState;

/// The part that changes.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub(super) counters: Vec<i32>,
    pub(super) state: BitState,
    pub(super) next: BitState,
    /// The legal moves of each role, in no order, and the place of each move in its list.
    pub(super) legal: Vec<Vec<u32>>,
    pub(super) place: Vec<u32>,
    pub(super) terminal: bool,
    /// Flips to be handed on: `signal << 1 | rising`.
    pub(super) stack: Vec<u32>,
    /// Whether each cyclic gate holds, and the cycles to compute anew.
    pub(super) cyclic: Vec<bool>,
    pub(super) dirty: Vec<u32>,
    pub(super) scratch: Vec<i32>,
    /// How many wires have been followed so far.
    pub(super) work: u64,
}

impl Values {
    /// The values in the empty state without moves.
    pub(super) fn new(wiring: &Wiring) -> Self {
        let circuit = &wiring.circuit;
        let mut values = Self {
            counters: Vec::new(),
            state: BitState::empty(circuit.fluents as usize),
            next: BitState::empty(circuit.fluents as usize),
            legal: vec![Vec::new(); circuit.role_moves.len()],
            place: vec![ABSENT; circuit.moves as usize],
            terminal: false,
            stack: Vec::new(),
            cyclic: Vec::new(),
            dirty: Vec::new(),
            scratch: Vec::new(),
            work: 0,
        };
        values.start(wiring);
        values
    }

    /// Hands flips on until nothing changes any more.
    pub(super) fn settle(&mut self, wiring: &Wiring) {
        loop {
            while let Some(flip) = self.stack.pop() {
                let signal = (flip >> 1) as usize;
                let range = wiring.starts[signal] as usize..wiring.starts[signal + 1] as usize;
                self.work += range.len() as u64;
                for wire in &wiring.targets[range] {
                    // Rising on a plain wire and falling on a negated one count up.
                    let up = (wire ^ flip) & 1;
                    let target = wire >> 1;
                    if target < wiring.plain {
                        let counter = &mut self.counters[target as usize];
                        // From -1 to 0 when counting up, from 0 to -1 when counting down: the gate flips.
                        let crosses = *counter == -i32::from(up == 1);
                        *counter += if up == 1 { 1 } else { -1 };
                        if crosses {
                            self.stack.push(wiring.signal_of[target as usize] << 1 | up);
                        }
                    } else {
                        self.flip_rim(wiring, target, up == 1);
                    }
                }
            }
            match self.dirty.iter().copied().min() {
                Some(cycle) => {
                    self.dirty.retain(|other| *other != cycle);
                    self.run_cycle(wiring, cycle);
                }
                None => return,
            }
        }
    }

    /// A flip that arrives at a cyclic gate or outside the gates.
    fn flip_rim(&mut self, wiring: &Wiring, target: u32, up: bool) {
        if target < wiring.gates {
            self.counters[target as usize] += if up { 1 } else { -1 };
            let cycle = wiring.cycle_of[(target - wiring.plain) as usize];
            if !self.dirty.contains(&cycle) {
                self.dirty.push(cycle);
            }
            return;
        }
        let at = target - wiring.gates;
        if at < wiring.fluents {
            self.next.words[at as usize / 64] ^= 1 << (at % 64);
        } else if at < wiring.fluents + wiring.moves {
            self.flip_legal(wiring, at - wiring.fluents);
        } else {
            self.terminal = !self.terminal;
        }
    }

    /// A signal may flip more than once before all is settled, and flips are handed on last in, first out. So the rim
    /// turns a value over, which is right in any order, and never sets one.
    fn flip_legal(&mut self, wiring: &Wiring, action: u32) {
        let list = &mut self.legal[wiring.role_of[action as usize] as usize];
        let place = self.place[action as usize];
        if place == ABSENT {
            self.place[action as usize] = list.len() as u32;
            list.push(action);
        } else {
            list.swap_remove(place as usize);
            if let Some(moved) = list.get(place as usize) {
                self.place[*moved as usize] = place;
            }
            self.place[action as usize] = ABSENT;
        }
    }

    /// Computes a cycle from its inputs upwards and hands on what changed.
    fn run_cycle(&mut self, wiring: &Wiring, cycle: u32) {
        let range = wiring.cycles[cycle as usize].clone();
        self.scratch.clear();
        self.scratch
            .extend(&self.counters[range.start as usize..range.end as usize]);
        let mut todo: Vec<u32> = (0..self.scratch.len() as u32)
            .filter(|i| self.scratch[*i as usize] >= 0)
            .collect();
        while let Some(i) = todo.pop() {
            for wire in wiring.inner(range.start - wiring.plain + i) {
                let target = (wire >> 1) - range.start;
                self.scratch[target as usize] += 1;
                if self.scratch[target as usize] == 0 {
                    todo.push(target);
                }
            }
        }
        for gate in range.clone() {
            let holds = self.scratch[(gate - range.start) as usize] >= 0;
            let before = &mut self.cyclic[(gate - wiring.plain) as usize];
            if *before != holds {
                *before = holds;
                self.stack
                    .push(wiring.signal_of[gate as usize] << 1 | u32::from(holds));
            }
        }
    }

    /// Takes over the values of another moment, reusing memory; work goes on counting.
    pub(super) fn restore(&mut self, from: &Self) {
        self.counters.copy_from_slice(&from.counters);
        self.state.words.copy_from_slice(&from.state.words);
        self.next.words.copy_from_slice(&from.next.words);
        for (list, moves) in self.legal.iter_mut().zip(&from.legal) {
            list.clear();
            list.extend_from_slice(moves);
        }
        self.place.copy_from_slice(&from.place);
        self.terminal = from.terminal;
        self.cyclic.copy_from_slice(&from.cyclic);
    }

    /// Notes the flips that lead to another state.
    pub(super) fn change_state(&mut self, words: &[u64]) {
        for (i, new) in words.iter().enumerate() {
            let mut changed = *new ^ self.state.words[i];
            self.state.words[i] = *new;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let signal = 1 + i as u32 * 64 + bit;
                self.stack.push(signal << 1 | (*new >> bit & 1) as u32);
            }
        }
    }

    /// Fills counters and rim for the empty state without moves.
    #[allow(clippy::cast_possible_wrap)] // fewer inputs than 2^31
    fn start(&mut self, wiring: &Wiring) {
        let circuit = &wiring.circuit;
        let mut values = vec![false; circuit.signal_count()];
        values[0] = true;
        for block in circuit.state_blocks.iter().chain(&circuit.action_blocks) {
            super::forward::run_block(circuit, block, &mut values);
        }
        let value = |edge: Edge| values[(edge >> 1) as usize] ^ (edge & 1 == 1);
        let first = circuit.first_gate();
        self.counters = wiring
            .signal_of
            .iter()
            .enumerate()
            .map(|(target, signal)| {
                let gate = signal - first;
                let inputs = circuit.inputs(gate);
                let needed = match circuit.gate(gate) {
                    Gate::And => inputs.len() as i32,
                    Gate::Or => 1,
                };
                let is_inner = |edge: &&Edge| {
                    target as u32 >= wiring.plain && inner_edge(wiring, target as u32, **edge)
                };
                let satisfied = inputs
                    .iter()
                    .filter(|edge| value(**edge) && !is_inner(edge))
                    .count() as i32;
                satisfied - needed
            })
            .collect();
        self.cyclic = wiring.signal_of[wiring.plain as usize..]
            .iter()
            .map(|signal| values[*signal as usize])
            .collect();
        for (fluent, edge) in circuit.next.iter().enumerate() {
            self.next.set(fluent, value(*edge));
        }
        for (action, edge) in circuit.legal.iter().enumerate() {
            if value(*edge) {
                self.flip_legal(wiring, action as u32);
            }
        }
        self.terminal = value(circuit.terminal);
    }
}
