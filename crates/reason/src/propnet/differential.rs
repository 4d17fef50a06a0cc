//! Differential propagation: only what changes is looked at.
//!
//! Every gate has a counter that is at least 0 exactly if the gate holds: satisfied inputs less all inputs for an AND, less one for an
//! OR. A signal that flips adds or takes one at each gate it leads to, and a gate whose counter crosses between -1 and 0 flips in turn, whatever
//! its kind. Flips at the rim write straight into the next state, the lists of legal moves and the terminal flag. Goals are asked
//! for once a game, so their gates are not kept up to date but computed on demand.
//!
//! Gates of a cycle count their inputs from outside only. When one of those changes, the cycle is computed anew from
//! there upwards, for a least fixpoint cannot be followed downwards by counting.

use std::sync::Arc;

use super::backward::Backward;
use super::circuit::{Circuit, Edge, Gate};
use super::evaluate::{Evaluator, Propnet};
use crate::contract::ReasonError;
use crate::dice::Dice;
use crate::ground_game::BitState;
use crate::playout::{End, Playout};

/// The fixed part: who leads where. Targets are numbered: plain gates, cyclic gates, next fluents, legal moves, terminal.
#[derive(Debug)]
struct Wiring {
    circuit: Arc<Circuit>,
    /// For every signal, where its targets start.
    starts: Vec<u32>,
    /// Targets with the sign of the wire in the lowest bit.
    targets: Vec<u32>,
    /// The signal of every gate target.
    signal_of: Vec<u32>,
    plain: u32,
    gates: u32,
    fluents: u32,
    moves: u32,
    /// The cycles, in order of evaluation, as ranges of gate targets.
    cycles: Vec<std::ops::Range<u32>>,
    /// For every cyclic gate (less `plain`): its cycle, and wires within it.
    cycle_of: Vec<u32>,
    inner_starts: Vec<u32>,
    inner: Vec<u32>,
    /// The role of every move.
    role_of: Vec<u32>,
}

/// The evaluator.
#[derive(Clone, Debug)]
pub struct Differential {
    wiring: Arc<Wiring>,
    values: Values,
    played: Vec<usize>,
    goals: Backward,
    goals_known: bool,
}

/// The part that changes.
#[derive(Clone, Debug)]
struct Values {
    counters: Vec<i32>,
    state: BitState,
    next: BitState,
    /// The legal moves of each role, in no order, and the place of each move in its list.
    legal: Vec<Vec<u32>>,
    place: Vec<u32>,
    terminal: bool,
    /// Flips to be handed on: `signal << 1 | rising`.
    stack: Vec<u32>,
    /// Whether each cyclic gate holds, and the cycles to compute anew.
    cyclic_values: Vec<bool>,
    dirty: Vec<u32>,
    scratch: Vec<i32>,
}

const ABSENT: u32 = u32::MAX;

impl Wiring {
    fn new(circuit: Arc<Circuit>) -> Self {
        let needed = needed(&circuit);
        let first = circuit.first_gate();
        let mut target_of = vec![ABSENT; circuit.gate_count()];
        let mut signal_of = Vec::new();
        let blocks = || circuit.state_blocks.iter().chain(&circuit.action_blocks);
        for block in blocks().filter(|block| !block.cyclic) {
            for gate in block.gates.clone().filter(|gate| needed[*gate as usize]) {
                target_of[gate as usize] = signal_of.len() as u32;
                signal_of.push(first + gate);
            }
        }
        let plain = signal_of.len() as u32;
        let mut cycles = Vec::new();
        let mut cycle_of = Vec::new();
        for block in blocks().filter(|block| block.cyclic) {
            if !needed[block.gates.start as usize] {
                continue;
            }
            let start = signal_of.len() as u32;
            for gate in block.gates.clone() {
                target_of[gate as usize] = signal_of.len() as u32;
                signal_of.push(first + gate);
                cycle_of.push(cycles.len() as u32);
            }
            cycles.push(start..signal_of.len() as u32);
        }
        let gates = signal_of.len() as u32;
        let mut wires: Vec<(u32, u32)> = Vec::new();
        let mut inner_wires: Vec<(u32, u32)> = Vec::new();
        for (target, signal) in signal_of.iter().enumerate() {
            for edge in circuit.inputs(signal - first) {
                let source = edge >> 1;
                let wire = (target as u32) << 1 | edge & 1;
                let inner = target as u32 >= plain
                    && source >= first
                    && target_of[(source - first) as usize] >= plain
                    && target_of[(source - first) as usize] != ABSENT
                    && cycle_of[(target_of[(source - first) as usize] - plain) as usize]
                        == cycle_of[target - plain as usize];
                if inner {
                    inner_wires.push((target_of[(source - first) as usize] - plain, wire));
                } else {
                    wires.push((source, wire));
                }
            }
        }
        let rim = circuit
            .next
            .iter()
            .chain(&circuit.legal)
            .chain(std::iter::once(&circuit.terminal));
        for (i, edge) in rim.enumerate() {
            wires.push((edge >> 1, (gates + i as u32) << 1 | edge & 1));
        }
        let (starts, targets) = gather(circuit.signal_count(), &wires);
        let (inner_starts, inner) = gather((gates - plain) as usize, &inner_wires);
        let mut role_of = vec![0; circuit.moves as usize];
        for (role, range) in circuit.role_moves.iter().enumerate() {
            role_of[range.clone()].fill(role as u32);
        }
        Self {
            starts,
            targets,
            signal_of,
            plain,
            gates,
            fluents: circuit.fluents,
            moves: circuit.moves,
            cycles,
            cycle_of,
            inner_starts,
            inner,
            role_of,
            circuit,
        }
    }

    fn inner(&self, gate: u32) -> &[u32] {
        let gate = gate as usize;
        &self.inner[self.inner_starts[gate] as usize..self.inner_starts[gate + 1] as usize]
    }
}

/// Wires by their source, in rows.
fn gather(sources: usize, wires: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; sources + 1];
    for (source, _) in wires {
        starts[*source as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut targets = vec![0; wires.len()];
    for (source, target) in wires {
        targets[next[*source as usize] as usize] = *target;
        next[*source as usize] += 1;
    }
    (starts, targets)
}

/// Which gates the next state, legal moves and the end depend on.
fn needed(circuit: &Circuit) -> Vec<bool> {
    let first = circuit.first_gate();
    let mut needed = vec![false; circuit.gate_count()];
    let mut todo: Vec<Edge> = circuit.next.clone();
    todo.extend(&circuit.legal);
    todo.push(circuit.terminal);
    while let Some(edge) = todo.pop() {
        let signal = edge >> 1;
        if signal >= first && !std::mem::replace(&mut needed[(signal - first) as usize], true) {
            todo.extend(circuit.inputs(signal - first));
        }
    }
    needed
}

impl Values {
    /// Hands flips on until nothing changes any more.
    fn settle(&mut self, wiring: &Wiring) {
        loop {
            while let Some(flip) = self.stack.pop() {
                let signal = (flip >> 1) as usize;
                let range = wiring.starts[signal] as usize..wiring.starts[signal + 1] as usize;
                for wire in &wiring.targets[range] {
                    // Rising on a plain wire and falling on a negated one count up.
                    let up = (wire ^ flip) & 1;
                    let target = wire >> 1;
                    if target < wiring.plain {
                        let counter = &mut self.counters[target as usize];
                        // From -1 to 0 when counting up, from 0 to -1 when counting down: the gate flips.
                        let crosses = up as i32 - 1 + *counter == -1;
                        *counter += 2 * up as i32 - 1;
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
            let before = &mut self.cyclic_values[(gate - wiring.plain) as usize];
            if *before != holds {
                *before = holds;
                self.stack
                    .push(wiring.signal_of[gate as usize] << 1 | u32::from(holds));
            }
        }
    }

    /// Notes the flips that lead to another state.
    fn change_state(&mut self, words: &[u64]) {
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
        self.cyclic_values = wiring.signal_of[wiring.plain as usize..]
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

/// Whether a wire into a cyclic gate comes from its own cycle.
fn inner_edge(wiring: &Wiring, target: u32, edge: Edge) -> bool {
    let cycle = &wiring.cycles[wiring.cycle_of[(target - wiring.plain) as usize] as usize];
    let signals = &wiring.signal_of[cycle.start as usize..cycle.end as usize];
    // Gates of a cycle have consecutive signals.
    signals
        .first()
        .is_some_and(|first| (*first..first + signals.len() as u32).contains(&(edge >> 1)))
}

impl Evaluator for Differential {
    fn new(circuit: Arc<Circuit>) -> Self {
        let fluents = circuit.fluents as usize;
        let wiring = Arc::new(Wiring::new(Arc::clone(&circuit)));
        let mut values = Values {
            counters: Vec::new(),
            state: BitState::empty(fluents),
            next: BitState::empty(fluents),
            legal: vec![Vec::new(); circuit.role_moves.len()],
            place: vec![ABSENT; circuit.moves as usize],
            terminal: false,
            stack: Vec::new(),
            cyclic_values: Vec::new(),
            dirty: Vec::new(),
            scratch: Vec::new(),
        };
        values.start(&wiring);
        Self {
            wiring,
            values,
            played: Vec::new(),
            goals: Backward::new(circuit),
            goals_known: false,
        }
    }

    fn set_state(&mut self, state: &BitState) {
        self.values.change_state(&state.words);
        self.values.settle(&self.wiring);
        self.goals_known = false;
    }

    fn terminal(&mut self) -> bool {
        self.values.terminal
    }

    fn legal(&mut self, action: usize) -> bool {
        self.values.place[action] != ABSENT
    }

    fn goal(&mut self, goal: usize) -> bool {
        if !self.goals_known {
            self.goals.set_state(&self.values.state);
            self.goals_known = true;
        }
        self.goals.goal(goal)
    }

    fn set_moves(&mut self, moves: &[usize]) {
        let first = 1 + self.wiring.fluents;
        for action in &self.played {
            if !moves.contains(action) {
                self.values.stack.push((first + *action as u32) << 1);
            }
        }
        for action in moves {
            if !self.played.contains(action) {
                self.values.stack.push((first + *action as u32) << 1 | 1);
            }
        }
        self.values.settle(&self.wiring);
        self.played.clear();
        self.played.extend_from_slice(moves);
    }

    fn next(&mut self) -> BitState {
        self.values.next.clone()
    }

    fn playout(
        reasoner: &mut Propnet<Self>,
        state: &BitState,
        dice: &mut Dice,
        limit: u32,
    ) -> Option<Result<Playout, ReasonError>> {
        reasoner.look_away();
        let (steps, end) = reasoner.evaluator.play(state, dice, limit);
        let roles = reasoner.circuit.role_moves.len();
        let goals = (0..roles).map(|role| reasoner.goal_here(role)).collect();
        Some(Ok(Playout { goals, steps, end }))
    }
}

impl Differential {
    /// Plays at random from a state; the evaluator looks at the last state afterwards.
    fn play(&mut self, state: &BitState, dice: &mut Dice, limit: u32) -> (u32, End) {
        self.set_state(state);
        let wiring = &*self.wiring;
        let values = &mut self.values;
        let first = 1 + wiring.fluents;
        let mut words = state.words.clone();
        let mut steps = 0;
        let end = 'game: loop {
            if values.terminal {
                break End::Terminal;
            }
            if steps >= limit {
                break End::Limit;
            }
            for action in self.played.drain(..) {
                values.stack.push((first + action as u32) << 1);
            }
            for list in &values.legal {
                if list.is_empty() {
                    break 'game End::Stuck;
                }
                let action = list[dice.below(list.len())];
                self.played.push(action as usize);
                values.stack.push((first + action) << 1 | 1);
            }
            values.settle(wiring);
            words.copy_from_slice(&values.next.words);
            values.change_state(&words);
            values.settle(wiring);
            steps += 1;
        };
        // A role that was stuck leaves flips of the others behind.
        values.settle(wiring);
        self.goals_known = false;
        (steps, end)
    }
}
