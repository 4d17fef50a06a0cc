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
use super::differential_graph::DifferentialGraph;
use super::differential_state::DifferentialState;
use super::move_effects::EffectPropagation;
use super::network::Network;
use super::on_demand::OnDemandGates;
use super::propnet_reasoner::{Evaluator, Propnet};
use super::turn_specialisation;
use crate::ground_game::BitState;
use ludorum_reasoner::contract::ReasonError;
use ludorum_reasoner::dice::Dice;
use ludorum_reasoner::playout::{End, Playout};

/// A circuit that is kept up to date.
#[derive(Clone, Debug)]
pub(super) struct DifferentialMachine {
    pub(super) wiring: Arc<DifferentialGraph>,
    pub(super) values: DifferentialState,
    touched: EffectPropagation,
    demand: Option<OnDemandGates>,
    pub(super) state: BitState,
    pub(super) next: BitState,
    /// The moves whose nodes are set, where moves have nodes.
    played: Vec<u32>,
}

impl DifferentialMachine {
    pub(super) fn new(circuit: &Arc<Circuit>) -> Self {
        let fluents = circuit.fluents as usize;
        let (wiring, values) = DifferentialGraph::new(circuit);
        Self {
            values,
            touched: EffectPropagation::new(&wiring.effects),
            demand: OnDemandGates::new(&wiring),
            wiring: Arc::new(wiring),
            state: BitState::empty(fluents),
            next: BitState::empty(fluents),
            played: Vec::new(),
        }
    }

    /// Turns to a state, without moves.
    pub(super) fn set_state(&mut self, words: &[u64]) {
        self.take_back();
        self.values.change_state(&mut self.state, words);
        self.values.settle(&self.wiring);
    }

    /// Turns to a state by taking over values from when the machine was there before.
    fn restore(&mut self, values: &DifferentialState, state: &BitState) {
        self.values.restore(values);
        self.state.words.copy_from_slice(&state.words);
        self.played.clear();
    }

    #[inline]
    pub(super) fn is_terminal(&self) -> bool {
        self.wiring.rim.is_terminal(&self.values.rim)
    }

    fn is_legal(&self, action: usize) -> bool {
        let role = self.wiring.role_of[action] as usize;
        let bit = self.wiring.rim.legal(role, action as u32);
        self.values.rim[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    /// Takes moves back, where they have nodes.
    fn take_back(&mut self) {
        if let Some(first) = self.wiring.first_move {
            for action in self.played.drain(..) {
                self.values.set(first + action, false);
            }
        }
    }

    /// Turns to the state after a joint move.
    fn set_moves(&mut self, moves: impl Iterator<Item = u32>) {
        self.take_back();
        for action in moves {
            self.note(action);
        }
        self.follow();
    }

    /// Draws a legal move for each role and turns to the state after them; false if a role has
    /// none.
    #[inline]
    pub(super) fn draw_moves(&mut self, dice: &mut Dice) -> bool {
        for role in 0..self.wiring.rim.roles() {
            if let Some(action) = self.wiring.rim.draw(&self.values.rim, role, dice) {
                self.note(action);
            } else {
                self.touched.clear();
                self.take_back();
                self.values.settle(&self.wiring);
                return false;
            }
        }
        self.follow();
        true
    }

    /// Notes a move.
    #[inline]
    fn note(&mut self, action: u32) {
        let wiring = &*self.wiring;
        if let Some(first) = wiring.first_move {
            self.played.push(action);
            self.values.set(first + action, true);
        } else {
            let touched = &mut self.touched;
            touched.note(action);
            let first = wiring.effects.moves;
            wiring.rim.effects(&self.values.rim, action, |effect| {
                touched.note(first + effect);
            });
        }
    }

    /// Computes the state after the moves noted.
    fn follow(&mut self) {
        let wiring = &*self.wiring;
        if wiring.first_move.is_some() {
            self.values.settle(wiring);
        }
        let words = self.next.words.iter_mut().zip(&self.state.words);
        for (((next, state), frame), rim) in words.zip(&wiring.frame).zip(&self.values.rim) {
            *next = state & frame ^ rim;
        }
        if wiring.first_move.is_none() {
            let work =
                self.touched
                    .run(&wiring.effects, &self.values.counters, &mut self.next.words);
            self.values.work += work;
        }
    }
}

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
    /// The machine for a state.
    pub(super) fn machine_for(control: &[u32], words: &[u64]) -> usize {
        let mut found = 0;
        for (i, fluent) in control.iter().enumerate() {
            if words[*fluent as usize / 64] >> (fluent % 64) & 1 == 1 {
                if found != 0 {
                    return 0;
                }
                found = i + 1;
            }
        }
        found
    }

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
    fn begin(&mut self, state: &BitState) {
        match &mut self.start {
            Some(start) if start.state == *state => start.unused.fill(true),
            _ => {
                self.start = Some(Box::new(PlayoutStart {
                    state: state.clone(),
                    machine: Self::machine_for(&self.control, &state.words),
                    values: vec![None; self.machines.len()],
                    // What a machine did before tells nothing about coming back to this state.
                    unused: vec![false; self.machines.len()],
                }));
            }
        }
        self.current = self.start.as_ref().map_or(0, |start| start.machine);
        self.turn_to(&state.words);
    }

    /// Turns the current machine to a state of a playout. Many playouts start from one state, and
    /// in short games going back to it by the difference would cost as much as playing; then a
    /// machine's values at that state are kept and copied.
    #[inline]
    fn turn_to(&mut self, words: &[u64]) {
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
    fn play(&mut self, state: &BitState, dice: &mut Dice, limit: u32) -> (u32, End) {
        self.begin(state);
        self.state.words.copy_from_slice(&state.words);
        self.goals_known = false;
        let mut steps = 0;
        loop {
            let machine = &mut self.machines[self.current];
            if machine.is_terminal() {
                return (steps, End::Terminal);
            }
            if steps >= limit {
                return (steps, End::Limit);
            }
            if !machine.draw_moves(dice) {
                return (steps, End::Stuck);
            }
            std::mem::swap(&mut self.state.words, &mut machine.next.words);
            steps += 1;
            let words = std::mem::take(&mut self.state.words);
            self.current = Self::machine_for(&self.control, &words);
            self.turn_to(&words);
            self.state.words = words;
        }
    }
}

impl Evaluator for Differential {
    fn new(network: &Network, circuit: Arc<Circuit>) -> Self {
        let mut machines = vec![DifferentialMachine::new(&circuit)];
        let control = turn_specialisation::specialise(network, &mut machines);
        let state = BitState::empty(circuit.fluents as usize);
        let all = machines.iter().all(|machine| machine.demand.is_some());
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
        self.current = Self::machine_for(&self.control, &state.words);
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
        let Some(demand) = &mut machine.demand else {
            return false;
        };
        if fresh {
            demand.forget();
        }
        let edge = machine.wiring.circuit.goals[goal];
        demand.ask(&machine.wiring, &machine.values, edge)
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
