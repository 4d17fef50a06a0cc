//! Differential propagation: a change of the state is propagated through the gates that it affects.
//!
//! Every gate has a counter that is at least 0 exactly if the gate holds: the number of satisfied
//! inputs, less the number of all inputs for an AND, less one for an OR. A signal that changes adds
//! or subtracts one at each gate that it leads to, and a gate whose counter crosses between -1 and
//! 0 changes in turn, whatever its operation. The [graph](super::differential_graph) is the fixed
//! part, the [state](super::differential_state) holds the counters, and answers are read from
//! [output bits](super::output_bits).
//!
//! Only gates that depend on the state alone are kept up to date like this. The effects of moves
//! are [computed for the moves that are played](super::move_effects), and goals [on
//! demand](super::on_demand).
//!
//! Gates of a cycle count only their inputs from outside the cycle. When one of those changes, the
//! least fixpoint of the cycle is computed again: counting cannot follow a least fixpoint
//! downwards, because gates of a cycle may support each other.
//!
//! Where exactly one of a few *control fluents* holds in each state, as in most turn-based games,
//! there is one machine for each of them, [specialised](super::turn_specialisation) to that fluent.
//! A machine catches up with the changes of the state when its turn comes. States in which none or
//! several control fluents hold are left to the general machine.

use std::sync::Arc;

use super::backward::Backward;
use super::circuit::Circuit;
use super::differential_machine::{DifferentialMachine, machine_for_state};
use super::differential_state::DifferentialState;
use super::network::Network;
use super::propnet_reasoner::{Evaluator, Propnet};
use super::turn_specialisation;
use crate::ground_game::BitState;
use ludorum_reasoner::{Playout, PlayoutEnd, ReasonError, Rng};

/// Evaluates a circuit by differential propagation.
#[derive(Clone, Debug)]
pub struct Differential {
    /// The general machine, then one for each control fluent.
    machines: Vec<DifferentialMachine>,
    /// The control fluents.
    control: Arc<[u32]>,
    current: usize,
    state: BitState,
    /// Computes goals where a machine cannot compute them on demand.
    goals: Option<Backward>,
    goals_known: bool,
    /// The state from which the last playout started.
    start: Option<Box<PlayoutStart>>,
}

/// The machines' values at a state from which playouts start repeatedly.
#[derive(Clone, Debug)]
struct PlayoutStart {
    state: BitState,
    machine: usize,
    /// The values of each machine; `None` while propagating the changes is cheaper than copying.
    values: Vec<Option<DifferentialState>>,
    /// The machines that have not been used in the current playout.
    unused: Vec<bool>,
}

/// Cost model: copying this many counters takes about as long as propagating over one wire.
const COUNTERS_PER_WIRE: u64 = 16;

impl Differential {
    fn machine(&mut self) -> &mut DifferentialMachine {
        &mut self.machines[self.current]
    }

    /// The control fluents, one for each specialised machine; empty if there is one machine only.
    pub fn control(&self) -> &[u32] {
        &self.control
    }

    /// The number of wires followed so far: a measure of work that is independent of the hardware.
    pub fn work(&self) -> u64 {
        self.machines
            .iter()
            .map(|machine| machine.values.work)
            .sum()
    }

    /// Moves the right machine to a state from which playouts start.
    fn begin_playout(&mut self, state: &BitState) {
        match &mut self.start {
            Some(start) if start.state == *state => start.unused.fill(true),
            _ => {
                self.start = Some(Box::new(PlayoutStart {
                    state: state.clone(),
                    machine: machine_for_state(&self.control, &state.words),
                    values: vec![None; self.machines.len()],
                    // Work done before this playout says nothing about the cost of returning here.
                    unused: vec![false; self.machines.len()],
                }));
            }
        }
        self.current = self.start.as_ref().map_or(0, |start| start.machine);
        self.move_to(&state.words);
    }

    /// Moves the current machine to a state of a playout. Many playouts start from one state. In
    /// short games, propagating back to it would cost as much as playing, so a machine's values at
    /// that state are kept and copied.
    #[inline]
    fn move_to(&mut self, words: &[u64]) {
        let machine = &mut self.machines[self.current];
        if let Some(start) = &mut self.start
            && std::mem::replace(&mut start.unused[self.current], false)
        {
            if let Some(values) = &start.values[self.current] {
                machine.restore(values, &start.state);
            } else {
                let before = machine.values.work;
                machine.set_state(&start.state.words);
                let work = machine.values.work - before;
                if work * COUNTERS_PER_WIRE > machine.values.counters.len() as u64 {
                    start.values[self.current] = Some(machine.values.clone());
                }
            }
        }
        machine.set_state(words);
    }

    /// Plays random moves from a state. Afterwards the evaluator is at the last state.
    fn play(&mut self, state: &BitState, rng: &mut Rng, limit: u32) -> (u32, PlayoutEnd) {
        self.begin_playout(state);
        self.state.words.copy_from_slice(&state.words);
        self.goals_known = false;
        let mut steps = 0;
        loop {
            let machine = &mut self.machines[self.current];
            if machine.is_terminal() {
                return (steps, PlayoutEnd::Terminal);
            }
            if steps >= limit {
                return (steps, PlayoutEnd::Limit);
            }
            if !machine.draw_moves(rng) {
                return (steps, PlayoutEnd::Stuck);
            }
            std::mem::swap(&mut self.state.words, &mut machine.next.words);
            steps += 1;
            let words = std::mem::take(&mut self.state.words);
            self.current = machine_for_state(&self.control, &words);
            self.move_to(&words);
            self.state.words = words;
        }
    }
}

impl Evaluator for Differential {
    fn new(network: &Network, circuit: Arc<Circuit>) -> Self {
        let mut machines = vec![DifferentialMachine::new(&circuit)];
        let control = turn_specialisation::specialise(network, &mut machines);
        let state = BitState::empty(circuit.fluents as usize);
        let all = machines.iter().all(|machine| machine.on_demand.is_some());
        let goals = (!all).then(|| Backward::new(network, circuit));
        Self {
            machines,
            control: control.into(),
            current: 0,
            state,
            goals,
            goals_known: false,
            start: None,
        }
    }

    fn set_state(&mut self, state: &BitState) {
        self.current = machine_for_state(&self.control, &state.words);
        self.state.words.copy_from_slice(&state.words);
        self.machine().set_state(&state.words);
        self.goals_known = false;
    }

    fn terminal(&mut self) -> bool {
        self.machine().is_terminal()
    }

    fn legal(&mut self, action: usize) -> bool {
        self.machine().is_legal(action)
    }

    fn goal(&mut self, goal: usize) -> bool {
        let fresh = !std::mem::replace(&mut self.goals_known, true);
        if let Some(goals) = &mut self.goals {
            if fresh {
                goals.set_state(&self.state);
            }
            return goals.goal(goal);
        }
        let machine = &mut self.machines[self.current];
        let Some(on_demand) = &mut machine.on_demand else {
            return false;
        };
        if fresh {
            on_demand.forget();
        }
        let edge = machine.graph.circuit.goals[goal];
        on_demand.evaluate_edge(&machine.graph, &machine.values, edge)
    }

    fn set_moves(&mut self, moves: &[usize]) {
        self.machine()
            .set_moves(moves.iter().map(|action| *action as u32));
    }

    fn next(&mut self) -> BitState {
        self.machine().next.clone()
    }

    fn playout(
        reasoner: &mut Propnet<Self>,
        state: &BitState,
        rng: &mut Rng,
        limit: u32,
    ) -> Option<Result<Playout, ReasonError>> {
        reasoner.forget_state();
        let (steps, end) = reasoner.evaluator.play(state, rng, limit);
        let roles = reasoner.circuit.role_moves.len();
        let goals = (0..roles).map(|role| reasoner.current_goal(role)).collect();
        Some(Ok(Playout { goals, steps, end }))
    }
}
