//! Differential propagation: only what changes is looked at.
//!
//! Every gate has a counter that is at least 0 exactly if the gate holds: satisfied inputs less all
//! inputs for an AND, less one for an OR. A signal that flips adds or takes one at each gate it
//! leads to, and a gate whose counter crosses between -1 and 0 flips in turn, whatever its kind.
//! [Wiring](super::wiring) is who leads where, [values](super::values) are the counters, and the
//! answers are bits at the [rim](super::rim).
//!
//! Only what depends on the state alone is kept up to date like this. What moves do is computed for
//! the moves that are played, by [effects](super::effects), and goals when they are asked for, by
//! [demand](super::demand).
//!
//! Gates of a cycle count their inputs from outside only. When one of those changes, the cycle is
//! computed anew from there upwards, for a least fixpoint cannot be followed downwards by counting.
//!
//! Where one of a few fluents always tells whose turn it is, there is a machine for each of them,
//! with that fluent compiled in and all that cannot matter then gone; each catches up with the
//! difference when its turn comes. A state in which none or several of them hold is left to the
//! general machine.

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

/// The evaluator.
#[derive(Clone, Debug)]
pub struct Differential {
    /// The general machine, then one for each control fluent.
    machines: Vec<DifferentialMachine>,
    /// The control fluents.
    control: Arc<[u32]>,
    current: usize,
    state: BitState,
    /// Computes goals where a machine cannot.
    goals: Option<Backward>,
    goals_known: bool,
    /// Where the last playout started.
    start: Option<Box<PlayoutStart>>,
}

/// Machines as they were at a state from which playouts start.
#[derive(Clone, Debug)]
struct PlayoutStart {
    state: BitState,
    machine: usize,
    /// The values of each machine; `None` while following the difference is less work than copying
    /// them.
    values: Vec<Option<DifferentialState>>,
    /// The machines that have not yet been used in this playout.
    unused: Vec<bool>,
}

/// Copying so many counters takes about as long as following one wire.
const COUNTERS_PER_WIRE: u64 = 16;

impl Differential {
    fn machine(&mut self) -> &mut DifferentialMachine {
        &mut self.machines[self.current]
    }

    /// The fluents that tell machines apart; none where one machine does everything.
    pub fn control(&self) -> &[u32] {
        &self.control
    }

    /// How many wires have been followed so far: a measure of work that does not depend on the
    /// machine.
    pub fn work(&self) -> u64 {
        self.machines
            .iter()
            .map(|machine| machine.values.work)
            .sum()
    }

    /// Turns the right machine to a state from which playouts start.
    fn begin_playout(&mut self, state: &BitState) {
        match &mut self.start {
            Some(start) if start.state == *state => start.unused.fill(true),
            _ => {
                self.start = Some(Box::new(PlayoutStart {
                    state: state.clone(),
                    machine: machine_for_state(&self.control, &state.words),
                    values: vec![None; self.machines.len()],
                    // What a machine did before tells nothing about coming back to this state.
                    unused: vec![false; self.machines.len()],
                }));
            }
        }
        self.current = self.start.as_ref().map_or(0, |start| start.machine);
        self.move_to(&state.words);
    }

    /// Turns the current machine to a state of a playout. Many playouts start from one state, and
    /// in short games going back to it by the difference would cost as much as playing; then a
    /// machine's values at that state are kept and copied.
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

    /// Plays at random from a state; the evaluator looks at the last state afterwards.
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
