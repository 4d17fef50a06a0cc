//! Backward propagation: a value is computed on demand, from the inputs that decide it.
//!
//! The procedures of Genesereth and Thielscher 2014, sections 10.3 and 10.4: marking base
//! propositions ([`Evaluator::set_state`]) and actions ([`Evaluator::set_moves`]), then computing
//! legal moves, the next state, goals and the end by recursion through the network. Values are
//! memoised until the marks change.

use std::sync::Arc;

use super::circuit::{Block, Circuit, Edge, GateKind};
use super::forward::{mark_moves, run_block};
use super::network::Network;
use super::propnet_reasoner::Evaluator;
use crate::ground_game::BitState;

/// Evaluates gates on demand, with memoisation.
#[derive(Clone, Debug)]
pub struct Backward {
    circuit: Arc<Circuit>,
    values: Vec<bool>,
    /// The fluents whose signals are set.
    marked: BitState,
    /// For every signal, the stamp of the marking under which its value was computed.
    computed: Vec<u32>,
    /// Stamps of the current state and of the current moves. Gates that depend on moves are
    /// compared with the latter, which changes with either of them.
    state_mark: u32,
    move_mark: u32,
    /// The first gate that depends on moves.
    first_action_gate: u32,
    /// The cyclic block of every gate that is in one.
    cycles: Vec<Option<Box<Block>>>,
    cycle_of: Vec<u32>,
    played: Vec<usize>,
    stack: Vec<(u32, usize)>,
}

const NO_CYCLE: u32 = u32::MAX;

impl Backward {
    fn mark_of(&self, signal: u32) -> u32 {
        if signal >= self.circuit.first_gate() + self.first_action_gate {
            self.move_mark
        } else {
            self.state_mark
        }
    }

    fn is_known(&self, signal: u32) -> bool {
        signal < self.circuit.first_gate() || self.computed[signal as usize] == self.mark_of(signal)
    }

    fn decide(&mut self, signal: u32, value: bool) {
        self.values[signal as usize] = value;
        self.computed[signal as usize] = self.mark_of(signal);
    }

    fn ask(&mut self, edge: Edge) -> bool {
        if !self.is_known(edge >> 1) {
            self.compute(edge >> 1);
        }
        self.values[(edge >> 1) as usize] ^ (edge & 1 == 1)
    }

    /// Computes a gate by depth-first search with an explicit stack.
    fn compute(&mut self, signal: u32) {
        let circuit = Arc::clone(&self.circuit);
        let first = circuit.first_gate();
        self.stack.clear();
        self.stack.push((signal, 0));
        'next: while let Some((signal, place)) = self.stack.pop() {
            if self.is_known(signal) {
                continue;
            }
            let gate = signal - first;
            if self.cycle_of[gate as usize] != NO_CYCLE {
                self.compute_cycle(&circuit, signal, place);
                continue;
            }
            let inputs = circuit.inputs(gate);
            let absorbing = circuit.gate_kind(gate) == GateKind::Or;
            for (i, edge) in inputs.iter().enumerate().skip(place) {
                if !self.is_known(edge >> 1) {
                    // Resume here when this input is known.
                    self.stack.push((signal, i));
                    self.stack.push((edge >> 1, 0));
                    continue 'next;
                }
                let value = self.values[(edge >> 1) as usize] ^ (edge & 1 == 1);
                if value == absorbing {
                    self.decide(signal, absorbing);
                    continue 'next;
                }
            }
            self.decide(signal, !absorbing);
        }
    }

    /// Computes the least fixpoint of a cycle, once all its inputs from outside are known.
    fn compute_cycle(&mut self, circuit: &Circuit, signal: u32, place: usize) {
        let first = circuit.first_gate();
        let number = self.cycle_of[(signal - first) as usize] as usize;
        let Some(block) = self.cycles[number].take() else {
            return;
        };
        let inside = first + block.gates.start..first + block.gates.end;
        let mut feeds = block
            .gates
            .clone()
            .flat_map(|gate| circuit.inputs(gate))
            .map(|edge| edge >> 1)
            .enumerate()
            .skip(place);
        let open = feeds.find(|(_, input)| !inside.contains(input) && !self.is_known(*input));
        if let Some((i, input)) = open {
            self.stack.push((signal, i));
            self.stack.push((input, 0));
        } else {
            run_block(circuit, &block, &mut self.values);
            for signal in inside {
                self.computed[signal as usize] = self.mark_of(signal);
            }
        }
        self.cycles[number] = Some(block);
    }
}

impl Evaluator for Backward {
    fn new(_: &Network, circuit: Arc<Circuit>) -> Self {
        let mut values = vec![false; circuit.signal_count()];
        values[0] = true;
        let mut cycles = Vec::new();
        let mut cycle_of = vec![NO_CYCLE; circuit.gate_count()];
        for block in circuit.state_blocks.iter().chain(&circuit.action_blocks) {
            if block.cyclic {
                for gate in block.gates.clone() {
                    cycle_of[gate as usize] = cycles.len() as u32;
                }
                cycles.push(Some(Box::new(block.clone())));
            }
        }
        let first_action = circuit.action_blocks.first();
        Self {
            values,
            marked: BitState::empty(circuit.fluents as usize),
            computed: vec![0; circuit.signal_count()],
            state_mark: 0,
            move_mark: 0,
            first_action_gate: first_action
                .map_or(circuit.gate_count() as u32, |block| block.gates.start),
            cycles,
            cycle_of,
            played: Vec::new(),
            stack: Vec::new(),
            circuit,
        }
    }

    fn set_state(&mut self, state: &BitState) {
        // Update only the fluents that differ from the last marking.
        for (i, word) in state.words.iter().enumerate() {
            let mut changed = word ^ self.marked.words[i];
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                let signal = self.circuit.fluent(i * 64 + bit);
                self.values[signal as usize] = word >> bit & 1 == 1;
            }
        }
        self.marked.words.copy_from_slice(&state.words);
        if self.move_mark > u32::MAX - 2 {
            self.computed.fill(0);
            (self.state_mark, self.move_mark) = (0, 0);
        }
        self.state_mark += 1;
        self.move_mark += 1;
    }

    fn terminal(&mut self) -> bool {
        self.ask(self.circuit.terminal)
    }

    fn legal(&mut self, action: usize) -> bool {
        self.ask(self.circuit.legal[action])
    }

    fn goal(&mut self, goal: usize) -> bool {
        self.ask(self.circuit.goals[goal])
    }

    fn set_moves(&mut self, moves: &[usize]) {
        mark_moves(&self.circuit, &mut self.values, &mut self.played, moves);
        if self.move_mark == u32::MAX {
            self.computed.fill(0);
            (self.state_mark, self.move_mark) = (1, 0);
        }
        self.move_mark += 1;
    }

    fn next(&mut self) -> BitState {
        let circuit = Arc::clone(&self.circuit);
        let mut state = BitState::empty(circuit.fluents as usize);
        for (fluent, edge) in circuit.next.iter().enumerate() {
            if self.ask(*edge) {
                state.set(fluent, true);
            }
        }
        state
    }
}
