//! The [`Reasoner`] on lanes.

mod batch;
mod profile;
mod records;
mod staged;

use std::borrow::Borrow;
use std::sync::Arc;

use super::lane_evaluator::LaneEvaluator;
use super::lane_word::LaneWord;
use super::machine::Machine;
use super::machine_builder::{MachineBuilder, MachineKind, MachineOptions};
use super::plan::QueryCode;
use super::runner::{Backend, Runner};
use super::staging::StagedGame;
use super::statistics::LaneStatistics;
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::ground_game::{BitState, GroundGame};
use ludorum_propnet::network::{Network, goal_of_role};
use ludorum_reasoner::{
    Goal, GuidedRequest, GuidedResult, MoveId, Playout, PlayoutEnd, PlayoutPolicy, PlayoutRecord,
    PlayoutTotals, ReasonError, Reasoner, Rng, Role, StateSummary, StopSignal, check_move_count,
    guided_playouts, random_playout,
};

/// Why playouts were abandoned, to be repeated on a machine that checks for roles without a legal
/// move.
pub(super) enum Abandoned {
    /// A role has no legal move, and the machine does not handle that.
    Stuck,
    /// In a staged game, a lane has drawn for a long time without making a step.
    NoProgress,
}

/// References to states, so that batch code is compiled for one type only.
fn borrowed<B: Borrow<BitState>>(states: &[B]) -> Vec<&BitState> {
    states.iter().map(Borrow::borrow).collect()
}

/// The lanes engine: evaluates many states, and makes many playouts, at once.
///
/// Guided playouts and records need a machine of their own, which is built in the background on
/// first use. Records wait for it. Guided playouts wait if [the request says
/// so](GuidedRequest::wait_until_ready), and are then reproducible; otherwise they are random
/// playouts with empty histories until the machine is built. Waiting ends at the deadline and when
/// the cancel flag is set.
#[derive(Clone, Debug)]
pub struct Lanes {
    network: Arc<Network>,
    circuit: Arc<Circuit>,
    evaluator: LaneEvaluator,
    /// The state in the first lane of the evaluator, if it is up to date.
    current: Option<BitState>,
    /// Builds machines; shared by all forks.
    pub(super) builder: Arc<MachineBuilder>,
    /// This fork's machine for random playouts.
    random_machine: Option<Machine>,
    /// This fork's machine for guided playouts and records.
    guided_machine: Option<Machine>,
    /// Whether a role without a legal move has been met. Not shared by forks, so that the playouts
    /// of a fork do not depend on others.
    exact_stuck: bool,
    pub(super) stop: StopSignal,
}

impl Lanes {
    /// A reasoner on a network, with a new circuit. For tests and measurements; engines share the
    /// circuit of a [`CompiledGame`](ludorum_propnet::CompiledGame).
    pub fn new(network: impl Into<Arc<Network>>) -> Self {
        Self::with_backend(network, Backend::Best)
    }

    /// The same with a choice of the backend.
    pub fn with_backend(network: impl Into<Arc<Network>>, backend: Backend) -> Self {
        let network: Arc<Network> = network.into();
        let circuit = Arc::new(Circuit::new(&network));
        Self::with_circuit(network, circuit, backend)
    }

    /// A reasoner on a network and its circuit.
    pub fn with_circuit(network: Arc<Network>, circuit: Arc<Circuit>, backend: Backend) -> Self {
        Self::with_stages(network, circuit, None, backend)
    }

    fn with_stages(
        network: Arc<Network>,
        circuit: Arc<Circuit>,
        staged: Option<Arc<StagedGame>>,
        backend: Backend,
    ) -> Self {
        let questions = Arc::new(QueryCode::new(&circuit));
        // States are evaluated too rarely to be worth the wait for native code.
        let interpreter = match backend {
            Backend::Best => Backend::Interpreter,
            chosen => chosen,
        };
        let runner = Runner::new(Arc::clone(&questions.code), interpreter);
        let builder =
            MachineBuilder::new(Arc::clone(&network), Arc::clone(&circuit), staged, backend);
        let options = MachineOptions {
            kind: MachineKind::Random,
            exact_stuck: false,
        };
        Self {
            evaluator: LaneEvaluator::new(questions, runner, circuit.fluents as usize),
            current: None,
            random_machine: Some(builder.make(options)),
            builder: Arc::new(builder),
            guided_machine: None,
            exact_stuck: false,
            circuit,
            network,
            stop: StopSignal::default(),
        }
    }

    /// The options of this fork's machine of a kind.
    pub(super) fn machine_options(&self, kind: MachineKind) -> MachineOptions {
        MachineOptions {
            kind,
            exact_stuck: self.exact_stuck,
        }
    }

    /// This fork's machine of a kind, if it has one.
    fn machine(&mut self, kind: MachineKind) -> &mut Option<Machine> {
        match kind {
            MachineKind::Random => &mut self.random_machine,
            MachineKind::Guided => &mut self.guided_machine,
        }
    }

    /// Takes a machine out of the fork, to be [returned](Self::return_machine) after use. Waits for
    /// it while it is being built; `None` if building it failed.
    fn take_machine(&mut self, kind: MachineKind) -> Result<Option<Machine>, ReasonError> {
        match self.machine(kind).take() {
            Some(machine) => Ok(Some(machine)),
            None => self.builder.wait(self.machine_options(kind), &self.stop),
        }
    }

    fn return_machine(&mut self, kind: MachineKind, machine: Machine) {
        *self.machine(kind) = Some(machine);
    }

    /// The same without a deadline; builds the machine on this thread if that failed elsewhere.
    fn take_machine_blocking(&mut self, kind: MachineKind) -> Machine {
        let options = self.machine_options(kind);
        let own = self.machine(kind).take();
        let made = own.or_else(|| {
            self.builder
                .wait(options, &StopSignal::default())
                .ok()
                .flatten()
        });
        made.unwrap_or_else(|| self.builder.make(options))
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The number of states that are evaluated at a time.
    pub const CAPACITY: usize = LaneEvaluator::CAPACITY;

    /// The memory of machines and evaluator, in bytes.
    pub fn working_bytes(&self) -> usize {
        let machines = self.random_machine.iter().chain(&self.guided_machine);
        machines.map(Machine::bytes).sum::<usize>() + self.evaluator.bytes()
    }

    fn game(&self) -> &GroundGame {
        &self.network.game
    }

    fn move_to(&mut self, state: &BitState) {
        if self.current.as_ref() != Some(state) {
            self.evaluator.load(std::iter::once(state));
            self.current = Some(state.clone());
        }
    }

    fn goal_in(&self, lane: usize, role: Role) -> Goal {
        goal_of_role(&self.network.goals, role, |goal| {
            self.evaluator.goal(lane, goal)
        })
    }

    fn legal_in(&self, lane: usize, role: Role) -> Vec<MoveId> {
        let range = self.game().moves_of(role);
        let first = range.start;
        let legal = range.filter(|action| self.evaluator.legal(lane, *action));
        legal
            .map(|action| MoveId((action - first) as u32))
            .collect()
    }

    /// Plays a joint move in a lane of the evaluator, if it is legal.
    fn play_in(&mut self, lane: usize, joint_move: &[MoveId]) -> Result<(), ReasonError> {
        check_move_count(self.circuit.role_moves.len(), joint_move)?;
        for (role, id) in joint_move.iter().enumerate() {
            let range = self.game().moves_of(role);
            let action = range.start + id.index();
            if action >= range.end || !self.evaluator.legal(lane, action) {
                return Err(self.game().illegal(role, *id));
            }
            self.evaluator.play(lane, action);
        }
        Ok(())
    }

    /// The lanes of the evaluator that are not terminal and in which every role has a legal move.
    fn playable_lanes(&self) -> LaneWord {
        let roles = self.circuit.role_moves.iter();
        let movable = roles.fold(LaneWord::ALL, |all, moves| {
            all.and(self.evaluator.movable(moves.clone()))
        });
        movable.without(self.evaluator.terminals())
    }

    /// The playout from the state in a lane of the evaluator if it has no steps: the state is
    /// terminal, the limit is 0, or a role has no legal move.
    fn finished_playout(&self, lane: usize, limit: u32) -> Option<Playout> {
        let stuck = |moves: &std::ops::Range<usize>| {
            !moves
                .clone()
                .any(|action| self.evaluator.legal(lane, action))
        };
        let end = if self.evaluator.terminal(lane) {
            PlayoutEnd::Terminal
        } else if limit == 0 {
            PlayoutEnd::Limit
        } else if self.circuit.role_moves.iter().any(stuck) {
            PlayoutEnd::Stuck
        } else {
            return None;
        };
        let roles = 0..self.circuit.role_moves.len();
        Some(Playout {
            goals: roles.map(|role| self.goal_in(lane, role)).collect(),
            steps: 0,
            end,
        })
    }

    /// The same for a state.
    pub(super) fn playout_without_steps(
        &mut self,
        state: &BitState,
        limit: u32,
    ) -> Option<Playout> {
        self.move_to(state);
        self.finished_playout(0, limit)
    }

    /// Switches to machines that check for roles without a legal move.
    pub(super) fn switch_to_exact_stuck(&mut self) {
        self.exact_stuck = true;
        self.random_machine = None;
        self.guided_machine = None;
    }

    /// Statistics of the plan for random playouts. Waits for the compilers of native code.
    pub fn statistics(&mut self) -> LaneStatistics {
        let machine = self.take_machine_blocking(MachineKind::Random);
        machine.wait();
        let figures = LaneStatistics::new(&machine, &self.game().fluents);
        self.return_machine(MachineKind::Random, machine);
        figures
    }
}

impl Reasoner for Lanes {
    ludorum_propnet::network_reasoner_methods!();

    fn is_terminal(&mut self, state: &BitState) -> Result<bool, ReasonError> {
        self.move_to(state);
        Ok(self.evaluator.terminal(0))
    }

    fn goal(&mut self, state: &BitState, role: Role) -> Result<Goal, ReasonError> {
        self.game().check_role(role)?;
        self.move_to(state);
        Ok(self.goal_in(0, role))
    }

    fn legal_moves(
        &mut self,
        state: &BitState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.game().check_role(role)?;
        self.move_to(state);
        *moves = self.legal_in(0, role);
        Ok(())
    }

    fn next(&mut self, state: &BitState, joint_move: &[MoveId]) -> Result<BitState, ReasonError> {
        self.move_to(state);
        self.evaluator.clear_moves(self.circuit.moves as usize);
        self.play_in(0, joint_move)?;
        self.evaluator.advance();
        self.current = None;
        Ok(self.evaluator.states(1).remove(0))
    }

    fn wait_until_ready(&mut self) {
        self.builder.settle();
        self.random_machine
            .iter()
            .chain(&self.guided_machine)
            .for_each(Machine::wait);
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        // Playouts of staged games are never guided.
        self.builder.is_staged()
            || self.guided_machine.is_some()
            || self
                .builder
                .is_settled(self.machine_options(MachineKind::Guided))
    }

    fn playouts<B: Borrow<BitState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let wanted = GuidedRequest {
            starts: &borrowed(starts),
            groups: &[],
            each,
            policy: &PlayoutPolicy::default(),
            limit,
            wait_until_ready: true,
        };
        Ok(self.play(&wanted, false, rng)?.totals)
    }

    fn guided_playouts<B: Borrow<BitState>>(
        &mut self,
        wanted: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        let starts = borrowed(wanted.starts);
        let wanted = wanted.with(&starts, wanted.policy);
        if wanted.policy.pairs.is_some() && !self.builder.is_staged() {
            return guided_playouts(self, &wanted, rng);
        }
        self.play(&wanted, true, rng)
    }

    fn recorded_playouts<B: Borrow<BitState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
        self.check_unstaged("records of playouts")?;
        self.record(&borrowed(starts), each, rng, limit)
    }

    fn playout(
        &mut self,
        state: &BitState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.check_unstaged("single playouts")?;
        random_playout(self, state, rng, limit)
    }

    fn summaries<B: Borrow<BitState>>(
        &mut self,
        states: &[B],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        Ok(self.batch_summaries(&borrowed(states)))
    }

    fn next_states(
        &mut self,
        moves: &[(&BitState, &[MoveId])],
    ) -> Result<Vec<BitState>, ReasonError> {
        let mut states = Vec::with_capacity(moves.len());
        self.current = None;
        for chunk in moves.chunks(Self::CAPACITY) {
            self.evaluator.load(chunk.iter().map(|(state, _)| *state));
            self.evaluator.clear_moves(self.circuit.moves as usize);
            for (lane, (_, joint_move)) in chunk.iter().enumerate() {
                self.play_in(lane, joint_move)?;
            }
            self.evaluator.advance();
            states.extend(self.evaluator.states(chunk.len()));
        }
        Ok(states)
    }

    fn preferred_batch(&self) -> u32 {
        100_000
    }
}
