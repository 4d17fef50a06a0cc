//! The [`Reasoner`] on lanes, and its questions about many states at once.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::compile::Questions;
use super::figures::{LaneStatistics, Profile};
use super::machine::{Guidance, Machine, Order, Unfinished};
use super::questions::Desk;
use super::runner::{Backend, Runner};
use super::word::Word;
use super::workshop::{Kind, Workshop};
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::ground_game::{BitState, GroundGame};
use ludorum_propnet::network::Network;
use ludorum_reasoner::contract::{
    FluentId, Goal, MoveId, NoGoal, ReasonError, Reasoner, Role, Survey, check_move_count,
};
use ludorum_reasoner::dice::Dice;
use ludorum_reasoner::footprint::Footprint as _;
use ludorum_reasoner::playout;
use ludorum_reasoner::playout::{End, Guide, Guided, Playout, Record, Tally, Wanted};
use ludorum_reasoner::stop_signal::StopSignal;

/// The plan did not reckon with a role without a legal move.
pub(super) struct Stuck;

/// References to states, so that code for batches is compiled for one type only.
fn borrowed<B: Borrow<BitState>>(states: &[B]) -> Vec<&BitState> {
    states.iter().map(Borrow::borrow).collect()
}

/// A profile is taken so many times.
const PROFILES: u32 = 9;
/// Unless it takes longer than this: then once less is enough.
const ENOUGH: Duration = Duration::from_secs(1);

/// A reasoner that evaluates many states at once.
///
/// Guided playouts and records need a machine of their own, which is made in the background when it
/// is first wanted. Records wait for it. Guided playouts wait if they are [told to](Wanted::waits),
/// and are the same on every run then; else they are random ones until it is there, with nothing in
/// their histories. Nobody waits longer than until the deadline, or until the flag is set.
#[derive(Clone, Debug)]
pub struct Lanes {
    network: Arc<Network>,
    circuit: Arc<Circuit>,
    desk: Desk,
    /// The state in the first lane of the desk, if it is looked at.
    current: Option<BitState>,
    /// Where machines come from; all forks have the same.
    pub(super) workshop: Arc<Workshop>,
    /// This fork's machine for playouts.
    machine: Option<Machine>,
    /// The machine for guided playouts, once there have been some.
    open: Option<Machine>,
    /// Whether the sheet has been seen to leave somebody without a move. Every fork finds out for
    /// itself: what it plays is not to depend on others.
    exact_stuck: bool,
    pub(super) until: StopSignal,
}

impl Lanes {
    /// A reasoner on a network.
    pub fn new(network: impl Into<Arc<Network>>) -> Self {
        Self::with_backend(network, Backend::Best)
    }

    /// The same with a choice of what runs its code.
    pub fn with_backend(network: impl Into<Arc<Network>>, backend: Backend) -> Self {
        let network: Arc<Network> = network.into();
        let circuit = Arc::new(Circuit::new(&network));
        Self::with_circuit(network, circuit, backend)
    }

    /// The same on the circuit that was made from the network.
    pub fn with_circuit(network: Arc<Network>, circuit: Arc<Circuit>, backend: Backend) -> Self {
        let questions = Arc::new(Questions::new(&circuit));
        // A question is asked now and then: it is not worth waiting for native code.
        let interpreter = match backend {
            Backend::Best => Backend::Interpreter,
            chosen => chosen,
        };
        let runner = Runner::new(Arc::clone(&questions.code), interpreter);
        let workshop = Workshop::new(Arc::clone(&network), Arc::clone(&circuit), backend);
        let kind = Kind {
            open: false,
            exact_stuck: false,
        };
        Self {
            desk: Desk::new(questions, runner, circuit.fluents as usize),
            current: None,
            machine: Some(workshop.make(kind)),
            workshop: Arc::new(workshop),
            open: None,
            exact_stuck: false,
            circuit,
            network,
            until: StopSignal::default(),
        }
    }

    /// Which machine this fork plays on, without a guide or with one.
    pub(super) fn kind(&self, open: bool) -> Kind {
        Kind {
            open,
            exact_stuck: self.exact_stuck,
        }
    }

    /// The place of such a machine in this fork.
    fn own(&mut self, open: bool) -> &mut Option<Machine> {
        if open {
            &mut self.open
        } else {
            &mut self.machine
        }
    }

    /// Takes a machine out, to be [put back](Self::put_back), as soon as it is there; none if it
    /// never will be.
    pub(super) fn take_out(&mut self, open: bool) -> Result<Option<Machine>, ReasonError> {
        match self.own(open).take() {
            Some(machine) => Ok(Some(machine)),
            None => self.workshop.wait(self.kind(open), &self.until),
        }
    }

    pub(super) fn put_back(&mut self, open: bool, machine: Machine) {
        *self.own(open) = Some(machine);
    }

    /// A machine, whatever time it takes.
    fn any_time(&mut self, open: bool) -> Machine {
        let kind = self.kind(open);
        let own = self.own(open).take();
        let made = own.or_else(|| {
            self.workshop
                .wait(kind, &StopSignal::default())
                .ok()
                .flatten()
        });
        made.unwrap_or_else(|| self.workshop.make(kind))
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How many states are evaluated at a time.
    pub const CAPACITY: usize = Desk::CAPACITY;

    /// The memory that playouts and questions work in, in bytes.
    pub fn working_bytes(&self) -> usize {
        let machines = self.machine.iter().chain(&self.open);
        machines.map(Machine::bytes).sum::<usize>() + self.desk.bytes()
    }

    fn game(&self) -> &GroundGame {
        &self.network.game
    }

    fn look(&mut self, state: &BitState) {
        if self.current.as_ref() != Some(state) {
            self.desk.look(std::iter::once(state));
            self.current = Some(state.clone());
        }
    }

    fn goal_in(&self, lane: usize, role: Role) -> Goal {
        let mut reached = None;
        for (i, goal) in self.network.goals.iter().enumerate() {
            if goal.role != role || !self.desk.goal(lane, i) {
                continue;
            }
            if reached.is_some() || goal.value.is_none() {
                let goals = self.network.goals.iter().enumerate();
                let texts = goals
                    .filter(|(i, goal)| goal.role == role && self.desk.goal(lane, *i))
                    .map(|(_, goal)| goal.text.to_string());
                return Goal::from_texts(texts.collect());
            }
            reached = goal.value;
        }
        reached.map_or(Goal::Missing(NoGoal::None), Goal::Value)
    }

    fn legal_in(&self, lane: usize, role: Role) -> Vec<MoveId> {
        let range = self.game().moves_of(role);
        let first = range.start;
        let legal = range.filter(|action| self.desk.legal(lane, *action));
        legal
            .map(|action| MoveId((action - first) as u32))
            .collect()
    }

    /// Plays a joint move in a lane of the desk, if it is legal there.
    fn play_in(&mut self, lane: usize, joint_move: &[MoveId]) -> Result<(), ReasonError> {
        check_move_count(self.circuit.role_moves.len(), joint_move)?;
        for (role, id) in joint_move.iter().enumerate() {
            let range = self.game().moves_of(role);
            let action = range.start + id.index();
            if action >= range.end || !self.desk.legal(lane, action) {
                return Err(self.game().illegal(role, *id));
            }
            self.desk.play(lane, action);
        }
        Ok(())
    }

    /// The lanes of the desk in which the game is not over and everybody can move.
    fn goes_on(&self) -> Word {
        let roles = self.circuit.role_moves.iter();
        let movable = roles.fold(Word::ALL, |all, moves| {
            all.and(self.desk.movable(moves.clone()))
        });
        movable.without(self.desk.terminals())
    }

    /// A playout from the state in a lane of the desk that ends where it starts, if that is so: the
    /// game is over there, no step is allowed, or a role cannot move.
    fn without_a_step(&self, lane: usize, limit: u32) -> Option<Playout> {
        let stuck = |moves: &std::ops::Range<usize>| {
            !moves.clone().any(|action| self.desk.legal(lane, action))
        };
        let end = if self.desk.terminal(lane) {
            End::Terminal
        } else if limit == 0 {
            End::Limit
        } else if self.circuit.role_moves.iter().any(stuck) {
            End::Stuck
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
    pub(super) fn over_at_once(&mut self, state: &BitState, limit: u32) -> Option<Playout> {
        self.look(state);
        self.without_a_step(0, limit)
    }

    /// Seldom: the sheet leaves somebody without a move. From now on that is looked for, by
    /// machines that are made for it.
    pub(super) fn expect_stuck(&mut self) {
        self.exact_stuck = true;
        self.machine = None;
        self.open = None;
    }

    /// What playouts were compiled to. Waits for native code that is still being made.
    pub fn statistics(&mut self) -> LaneStatistics {
        let machine = self.any_time(false);
        machine.wait();
        let figures = LaneStatistics::new(&machine, &self.game().fluents);
        self.put_back(false, machine);
        figures
    }

    /// Where the time goes in so many playouts from a state. The draw is told apart from the rest
    /// at the price of a little speed.
    ///
    /// They are played in several parts, and the quickest one counts: on a busy machine, the others
    /// measure who else had the processor.
    pub fn profile(
        &mut self,
        start: &BitState,
        playouts: u32,
        limit: u32,
    ) -> Result<Profile, ReasonError> {
        if self.over_at_once(start, limit).is_some() {
            return Ok(Profile::new());
        }
        // The open plan has the draw in a part of its own; without a guide it plays as the other.
        let mut machine = self.any_time(true);
        let profile = profile(&mut machine, start, playouts, limit);
        self.put_back(true, machine);
        profile
    }

    /// Playouts, guided if there is a guide, whatever the wish says about one.
    fn play(
        &mut self,
        wanted: &Wanted<'_, &BitState>,
        is_guided: bool,
        dice: &mut Dice,
    ) -> Result<Guided, ReasonError> {
        self.retry_if_stuck(dice, |lanes, dice| {
            let is_guided = is_guided && (wanted.waits || lanes.is_ready_to_guide());
            let Some(mut machine) = lanes.take_out(is_guided)? else {
                return lanes.one_by_one(wanted, is_guided, dice).map(Ok);
            };
            let result = lanes.attempt(&mut machine, wanted, is_guided, dice);
            lanes.put_back(is_guided, machine);
            result
        })
    }

    /// Makes an attempt, and a second one with the same random numbers if the first met a role
    /// without a legal move. Machines that look for such roles are slower, so they are used only
    /// for games in which one was met.
    pub(super) fn retry_if_stuck<T>(
        &mut self,
        dice: &mut Dice,
        mut attempt: impl FnMut(&mut Self, &mut Dice) -> Result<Result<T, Stuck>, ReasonError>,
    ) -> Result<T, ReasonError> {
        let before = dice.clone();
        for _ in 0..2 {
            if let Ok(result) = attempt(self, dice)? {
                return Ok(result);
            }
            self.expect_stuck();
            *dice = before.clone();
        }
        Err(ReasonError::Budget(
            "a role without a legal move was met where none was expected".to_owned(),
        ))
    }

    /// Playouts one after the other, for games that have no machine.
    fn one_by_one(
        &mut self,
        wanted: &Wanted<'_, &BitState>,
        is_guided: bool,
        dice: &mut Dice,
    ) -> Result<Guided, ReasonError> {
        if is_guided {
            return playout::guided_tallies(self, wanted, dice);
        }
        let tallies = playout::tallies(self, wanted.starts, wanted.each, dice, wanted.limit)?;
        Ok((tallies, wanted.histories(self.roles().len())))
    }

    /// One attempt, on the plan that there is.
    fn attempt(
        &mut self,
        machine: &mut Machine,
        wanted: &Wanted<'_, &BitState>,
        is_guided: bool,
        dice: &mut Dice,
    ) -> Result<Result<Guided, Stuck>, ReasonError> {
        let Wanted {
            starts,
            each,
            guide,
            limit,
            ..
        } = *wanted;
        let roles = self.roles().len();
        let mut histories = wanted.histories(roles);
        let mut tallies = vec![Tally::new(roles); starts.len()];
        let mut circles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut at_once: Vec<Option<Playout>> = Vec::with_capacity(starts.len());
        self.current = None;
        for chunk in starts.chunks(Self::CAPACITY) {
            self.desk.look(chunk.iter().copied());
            // Most starts are in the middle of the game, which is seen for all of them at once.
            let goes_on = self.goes_on();
            at_once.extend((0..chunk.len()).map(|lane| {
                if limit > 0 && goes_on.get(lane) {
                    None
                } else {
                    self.without_a_step(lane, limit)
                }
            }));
        }
        for (i, (start, at_once)) in starts.iter().zip(at_once).enumerate() {
            if let Some(playout) = at_once {
                tallies[i].add_times(&playout, u64::from(each));
            } else if let Some(circle) = machine.circle_of(start) {
                circles.entry(circle).or_default().push(i);
            } else {
                // No reachable state, for it has no turn or two.
                let history = &mut histories[wanted.group(i)];
                for _ in 0..each {
                    self.until.check()?;
                    let playout = if is_guided {
                        playout::guided(self, start, guide, history, dice, limit)?
                    } else {
                        playout::random(self, start, dice, limit)?
                    };
                    tallies[i].add(&playout);
                }
            }
        }
        let order = if is_guided {
            self.order(guide, dice)
        } else {
            Vec::new()
        };
        for group in circles.values() {
            for chunk in group.chunks(Self::CAPACITY) {
                let batch: Vec<&BitState> = chunk.iter().map(|i| starts[*i]).collect();
                let seed = dice.bits();
                let guidance = is_guided.then(|| Guidance {
                    epsilons: (0..roles).map(|role| guide.epsilon_of(role)).collect(),
                    order: order.clone(),
                    histories: &mut histories,
                    groups: chunk.iter().map(|i| wanted.group(*i)).collect(),
                });
                let order = Order {
                    starts: &batch,
                    each: u64::from(each),
                    limit,
                    seed,
                    guidance,
                    recorder: None,
                    until: &self.until,
                };
                match machine.play(order) {
                    Ok(results) => {
                        for (i, tally) in chunk.iter().zip(results) {
                            tallies[*i] = tally;
                        }
                    }
                    Err(Unfinished::Stuck) => return Ok(Err(Stuck)),
                    Err(Unfinished::Late) => return Err(ReasonError::Late),
                }
            }
        }
        Ok(Ok((tallies, histories)))
    }

    /// All about some states.
    fn survey_all(&mut self, states: &[&BitState]) -> Vec<Survey> {
        let roles = 0..self.roles().len();
        let mut surveys = Vec::with_capacity(states.len());
        self.current = None;
        for chunk in states.chunks(Self::CAPACITY) {
            self.desk.look(chunk.iter().copied());
            let first = surveys.len();
            for lane in 0..chunk.len() {
                surveys.push(Survey {
                    terminal: self.desk.terminal(lane),
                    goals: roles.clone().map(|role| self.goal_in(lane, role)).collect(),
                    legal: vec![Vec::new(); roles.len()],
                });
            }
            // Move by move, not lane by lane: most moves are legal in few states.
            let surveys = &mut surveys[first..];
            for role in roles.clone() {
                let moves = self.game().moves_of(role);
                self.desk
                    .each_legal(moves.clone(), chunk.len(), |lane, action| {
                        surveys[lane].legal[role].push(MoveId((action - moves.start) as u32));
                    });
            }
        }
        surveys
    }

    /// The moves of each role, counted over all roles, from the best down; equal ones in random
    /// order.
    fn order(&self, guide: &Guide, dice: &mut Dice) -> Vec<Vec<u32>> {
        let roles = self.circuit.role_moves.iter().enumerate();
        roles
            .map(|(role, moves)| {
                let mut order: Vec<(u64, u32)> = moves
                    .clone()
                    .map(|action| (dice.bits(), action as u32))
                    .collect();
                order.sort_unstable();
                let mut order: Vec<u32> = order.into_iter().map(|(_, action)| action).collect();
                let score = |action: u32| guide.score(role, MoveId(action - moves.start as u32));
                order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
                order
            })
            .collect()
    }
}

/// Where the time goes on a machine.
fn profile(
    machine: &mut Machine,
    start: &BitState,
    playouts: u32,
    limit: u32,
) -> Result<Profile, ReasonError> {
    machine.wait();
    if machine.turn_of(start).is_none() {
        return Ok(Profile::new());
    }
    let part = playouts.div_ceil(PROFILES).max(Lanes::CAPACITY as u32);
    let mut quickest: Option<Profile> = None;
    let begin = Instant::now();
    for seed in 0..u64::from(PROFILES) {
        machine.profile = Some(Box::new(Profile::new()));
        let played = machine.play(Order {
            starts: &[start],
            each: u64::from(part),
            limit,
            seed: 1 + seed,
            guidance: None,
            recorder: None,
            until: &StopSignal::default(),
        });
        let profile = machine.profile.take();
        if played.is_err() {
            return Err(ReasonError::Budget(
                "a role has no legal move: there is no profile of such a game".to_owned(),
            ));
        }
        quickest = quickest
            .into_iter()
            .chain(profile.map(|profile| *profile))
            .min_by_key(Profile::total);
        if begin.elapsed() > ENOUGH {
            break;
        }
    }
    quickest.ok_or(ReasonError::Late)
}

impl Reasoner for Lanes {
    type State = BitState;

    fn roles(&self) -> &[String] {
        &self.game().roles
    }

    fn initial(&mut self) -> Result<BitState, ReasonError> {
        Ok(self.game().initial.clone())
    }

    fn is_terminal(&mut self, state: &BitState) -> Result<bool, ReasonError> {
        self.look(state);
        Ok(self.desk.terminal(0))
    }

    fn goal(&mut self, state: &BitState, role: Role) -> Result<Goal, ReasonError> {
        self.game().check_role(role)?;
        self.look(state);
        Ok(self.goal_in(0, role))
    }

    fn legal_moves(
        &mut self,
        state: &BitState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.game().check_role(role)?;
        self.look(state);
        *moves = self.legal_in(0, role);
        Ok(())
    }

    fn next(&mut self, state: &BitState, joint_move: &[MoveId]) -> Result<BitState, ReasonError> {
        self.look(state);
        self.desk.clear_moves(self.circuit.moves as usize);
        self.play_in(0, joint_move)?;
        self.desk.advance();
        self.current = None;
        Ok(self.desk.states(1).remove(0))
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.game().move_text(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.game().find_move(role, text)
    }

    fn facts(&mut self, state: &BitState) -> Vec<String> {
        self.game().facts(state)
    }

    fn fluents(&mut self, state: &BitState, fluents: &mut Vec<FluentId>) {
        state.fluents(fluents);
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.game().fluent_text(id)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<BitState, ReasonError> {
        let state = self.game().state_from_facts(facts)?;
        self.network.check_reachable(&state)?;
        Ok(state)
    }

    fn difference(&mut self, first: &BitState, second: &BitState) -> (usize, usize) {
        first.difference(second)
    }

    fn key(&self, state: &BitState) -> u128 {
        self.game().key(state)
    }

    fn fork(&self) -> Self {
        let mut fork = self.clone();
        fork.until = self.until.of_fork();
        fork
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.until.deadline = deadline;
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.until.cancel = cancel;
    }

    fn is_late(&self) -> bool {
        self.until.is_over()
    }

    fn settle(&mut self) {
        self.workshop.settle();
        self.machine
            .iter()
            .chain(&self.open)
            .for_each(Machine::wait);
    }

    fn is_ready_to_guide(&mut self) -> bool {
        self.open.is_some() || self.workshop.is_done(self.kind(true))
    }

    fn components(&self) -> Option<usize> {
        Some(self.network.len())
    }

    fn playouts<B: Borrow<BitState>>(
        &mut self,
        starts: &[B],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Vec<Tally>, ReasonError> {
        let wanted = Wanted {
            starts: &borrowed(starts),
            groups: &[],
            each,
            guide: &Guide::default(),
            limit,
            waits: true,
        };
        Ok(self.play(&wanted, false, dice)?.0)
    }

    fn guided_playouts<B: Borrow<BitState>>(
        &mut self,
        wanted: &Wanted<'_, B>,
        dice: &mut Dice,
    ) -> Result<Guided, ReasonError> {
        let starts = borrowed(wanted.starts);
        let wanted = wanted.put(&starts, wanted.guide);
        if wanted.guide.pairs.is_some() {
            return playout::guided_tallies(self, &wanted, dice);
        }
        self.play(&wanted, true, dice)
    }

    fn records<B: Borrow<BitState>>(
        &mut self,
        starts: &[B],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Vec<Vec<Record>>, ReasonError> {
        self.record(&borrowed(starts), each, dice, limit)
    }

    fn playout(
        &mut self,
        state: &BitState,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        playout::random(self, state, dice, limit)
    }

    fn survey<B: Borrow<BitState>>(&mut self, states: &[B]) -> Result<Vec<Survey>, ReasonError> {
        Ok(self.survey_all(&borrowed(states)))
    }

    fn next_states(
        &mut self,
        moves: &[(&BitState, &[MoveId])],
    ) -> Result<Vec<BitState>, ReasonError> {
        let mut states = Vec::with_capacity(moves.len());
        self.current = None;
        for chunk in moves.chunks(Self::CAPACITY) {
            self.desk.look(chunk.iter().map(|(state, _)| *state));
            self.desk.clear_moves(self.circuit.moves as usize);
            for (lane, (_, joint_move)) in chunk.iter().enumerate() {
                self.play_in(lane, joint_move)?;
            }
            self.desk.advance();
            states.extend(self.desk.states(chunk.len()));
        }
        Ok(states)
    }

    fn state_bytes(&self, state: &BitState) -> usize {
        size_of::<BitState>() + state.heap_bytes()
    }

    fn batch(&self) -> u32 {
        100_000
    }
}
