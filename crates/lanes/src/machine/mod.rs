//! The machine: runs a plan to make many playouts at once.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

mod restart;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::code::Code;
use super::guided::{GuidedGeneration, guide, orders_by_turn};
use super::lane_random::LaneRandom;
use super::lane_word::LaneWord;
use super::plan::{CodePart, GoalSchedule, LanePlan, TurnCode};
use super::playout_scheduler::PlayoutScheduler;
use super::playout_steps::PlayoutSteps;
use super::recorder::Recorder;
use super::runner::{Backend, Runner};
use super::step_profile::StepProfile;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::network::GoalValue;
use ludorum_reasoner::{MoveHistory, PlayoutEnd, PlayoutTotals, StopSignal};

/// Why playouts were abandoned.
#[derive(Debug)]
pub(super) enum MachineError {
    /// A role has no legal move, and the plan does not handle that.
    Stuck,
    /// In a staged game, a lane has drawn for a long time without making a step.
    NoProgress,
    /// The deadline has passed or the cancel flag is set.
    Late,
}

/// Plans with at least this many operations in a step check the deadline and the cancel flag before
/// each step.
const LONG_STEP: usize = 20_000;
/// Poll interval of the deadline and the cancel flag for plans with shorter steps, in steps.
const SHORT_STEPS: u64 = 64;

/// Runs playouts in lanes.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) plan: Arc<LanePlan>,
    turns: Vec<Runner>,
    goal_code: Option<Runner>,
    goal_values: Arc<[GoalValue]>,
    roles: usize,
    pub(super) memory: Vec<LaneWord>,
    /// Lanes whose last states are saved and whose goals are yet to be computed.
    pending: LaneWord,
    /// Time measurements, if they are wanted.
    pub(super) profile: Option<Box<StepProfile>>,
}

/// The guide of playouts, and the histories to be filled.
pub(super) struct Guidance<'g> {
    /// For every role the probability of a random move.
    pub(super) epsilons: Vec<f64>,
    /// For every role its moves, numbered over all roles, in descending order of score.
    pub(super) order: Vec<Vec<u32>>,
    /// For every group its history.
    pub(super) histories: &'g mut [MoveHistory],
    /// For every start its group.
    pub(super) groups: Vec<usize>,
}

/// A request for playouts.
pub(super) struct PlayoutRequest<'o> {
    /// At most as many as there are lanes. None is terminal, and all have turns of the same
    /// [cycle](Machine::turn_cycle_of); in a staged game, all are in the first stage.
    pub(super) starts: &'o [&'o BitState],
    /// The number of playouts from each start.
    pub(super) each: u64,
    pub(super) limit: u32,
    pub(super) seed: u64,
    pub(super) guidance: Option<Guidance<'o>>,
    /// Records the moves; requires a plan with visible moves.
    pub(super) recorder: Option<&'o mut Recorder>,
    /// The last states of all playouts are appended, in no particular order.
    pub(super) last_states: Option<&'o mut Vec<BitState>>,
    pub(super) stop: &'o StopSignal,
}

impl Machine {
    pub(super) fn new(
        plan: Arc<LanePlan>,
        goal_values: Arc<[GoalValue]>,
        roles: usize,
        backend: Backend,
    ) -> Self {
        let runner = |code: &Arc<Code>| Runner::new(Arc::clone(code), backend);
        let turns = plan.turns.iter().map(|turn| runner(&turn.code)).collect();
        let goal_code = match &plan.goals {
            GoalSchedule::Early => None,
            GoalSchedule::Late(code, _) => Some(runner(code)),
        };
        Self {
            memory: vec![LaneWord::NONE; plan.slots as usize],
            plan,
            turns,
            goal_code,
            goal_values,
            roles,
            pending: LaneWord::NONE,
            profile: None,
        }
    }

    /// Adds the time since the last lap to one kind of work.
    #[inline]
    fn lap(&mut self, work: impl Fn(&mut StepProfile) -> &mut Duration) {
        if let Some(profile) = &mut self.profile {
            let now = Instant::now();
            let since = now - profile.last;
            *work(profile) += since;
            profile.last = now;
        }
    }

    /// The size of the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.memory[..])
    }

    /// Waits until the compilers of native code have finished.
    pub(super) fn wait(&self) {
        self.turns
            .iter()
            .chain(&self.goal_code)
            .for_each(Runner::wait);
    }

    /// The size of all native code in bytes.
    pub(super) fn native_bytes(&self) -> usize {
        let runners = self.turns.iter().chain(&self.goal_code);
        runners.filter_map(Runner::native_bytes).sum()
    }

    /// The plan that the machine runs.
    pub(super) fn plan(&self) -> &LanePlan {
        &self.plan
    }

    /// The turn of a state; `None` if not exactly one control fluent holds.
    pub(super) fn turn_of(&self, state: &BitState) -> Option<usize> {
        if self.plan.control.is_empty() {
            return Some(0);
        }
        let mut held = (0..self.plan.control.len())
            .filter(|turn| state.get(self.plan.control[*turn] as usize));
        let turn = held.next()?;
        held.next().is_none().then_some(turn)
    }

    /// The cycle of turns that a state belongs to, named by its smallest turn; `None` if the state
    /// has no turn.
    pub(super) fn turn_cycle_of(&self, state: &BitState) -> Option<usize> {
        let turn = self.turn_of(state)?;
        let turns = &self.plan.turns;
        let mut least = turn;
        let mut at = turns[turn].next;
        while at != turn {
            least = least.min(at);
            at = turns[at].next;
        }
        Some(least)
    }

    pub(super) fn run(&mut self, turn: usize, part: impl Fn(&TurnCode) -> &CodePart) {
        let plan = &self.plan;
        self.turns[turn].run(part(&plan.turns[turn]), &mut self.memory);
    }

    /// Makes playouts. The loop is compiled for several instruction sets and chosen at run time.
    pub(super) fn play(
        &mut self,
        request: PlayoutRequest,
    ) -> Result<Vec<PlayoutTotals>, MachineError> {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("popcnt") {
                // SAFETY: the check above found AVX-512F and POPCNT, the only features the function
                // enables.
                return unsafe { self.play_avx512(request) };
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                // SAFETY: the check above found AVX2 and POPCNT, the only features the function
                // enables.
                return unsafe { self.play_avx2(request) };
            }
        }
        self.play_anywhere(request)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,popcnt")]
    fn play_avx512(&mut self, request: PlayoutRequest) -> Result<Vec<PlayoutTotals>, MachineError> {
        self.play_anywhere(request)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn play_avx2(&mut self, request: PlayoutRequest) -> Result<Vec<PlayoutTotals>, MachineError> {
        self.play_anywhere(request)
    }

    #[inline(always)]
    fn play_anywhere(
        &mut self,
        request: PlayoutRequest,
    ) -> Result<Vec<PlayoutTotals>, MachineError> {
        let PlayoutRequest {
            starts,
            each,
            limit,
            seed,
            mut guidance,
            mut recorder,
            mut last_states,
            stop,
        } = request;
        let mut scheduler = PlayoutScheduler::new(starts.len(), self.roles, each);
        if each == 0 || starts.is_empty() {
            return Ok(scheduler.tallies());
        }
        let mut random = LaneRandom::new(seed);
        let plan = Arc::clone(&self.plan);
        let layout = &plan.layout;
        self.load(starts);
        self.pending = LaneWord::NONE;
        let lane_groups = self.lane_groups(starts);
        let mut steps = PlayoutSteps::new(&plan, limit);
        let mut busy = LaneWord::NONE;
        // In guided playouts, the lanes that have yet to begin in this generation.
        let mut due = LaneWord::ALL;
        let mut at = lane_groups.last().map_or(0, |group| group.turn);
        let mut step: u64 = 0;
        let longest = plan.turns.iter().map(|turn| turn.code.operations()).max();
        let rhythm = if longest > Some(LONG_STEP) {
            1
        } else {
            SHORT_STEPS
        };
        let orders_by_turn = match &guidance {
            Some(guidance) => orders_by_turn(&plan.turns, &guidance.order),
            None => Vec::new(),
        };
        let mut generation = match &guidance {
            Some(guidance) => {
                GuidedGeneration::new(plan.moves, self.goal_values.len(), &guidance.groups)
            }
            None => GuidedGeneration::new(0, 0, &[]),
        };
        loop {
            if step > 0 {
                self.run(at, |turn| &turn.early);
                self.lap(|profile| &mut profile.early);
            }
            let memory = &self.memory;
            let terminal = memory[layout.terminal as usize].and(busy);
            let limited = steps.take_expired(step).and(busy).without(terminal);
            let mut stuck = LaneWord::NONE;
            if plan.exact_stuck {
                let without_move = memory[layout.stuck as usize].and(busy);
                stuck = without_move.without(terminal).without(limited);
            }
            let over = terminal.or(stuck);
            if !over.or(limited).is_empty() {
                let over = over.or(limited);
                scheduler.count(over, limited, stuck, step, steps.by_lane());
                self.take_results(over, &mut scheduler);
                busy = busy.without(over);
                if let Some(last_states) = &mut last_states {
                    self.append_states(over, starts[0], last_states);
                }
                if let Some(recorder) = &mut recorder {
                    let end = |lane| match (limited.get(lane), stuck.get(lane)) {
                        (true, _) => PlayoutEnd::Limit,
                        (_, true) => PlayoutEnd::Stuck,
                        _ => PlayoutEnd::Terminal,
                    };
                    recorder.end(over, end, layout, &self.goal_values, &self.memory);
                }
                if guidance.is_some() {
                    let first = layout.goals as usize;
                    let goals = &self.memory[first..first + self.goal_values.len()];
                    generation.end(goals, over);
                }
            }
            // In guided playouts each lane begins once in a generation, so that moves are credited
            // with results once for all lanes.
            if let Some(guidance) = &mut guidance
                && busy.is_empty()
                && (due.is_empty() || scheduler.is_done())
            {
                generation.credit_moves(&plan.role_moves, &self.goal_values, guidance.histories);
                due = LaneWord::ALL;
            }
            if let Some(group) = lane_groups.iter().find(|group| group.turn == at) {
                let mut idle = group.lanes.without(busy);
                if guidance.is_some() {
                    idle = idle.and(due);
                    due = due.without(group.lanes);
                }
                let fresh = scheduler.restart(idle, step);
                if !fresh.is_empty() {
                    if step > 0 {
                        self.restart_lanes(&group.restart, fresh);
                    }
                    steps.start(step, fresh);
                    busy = busy.or(fresh);
                }
            }
            if busy.is_empty() && scheduler.is_done() {
                break;
            }
            if step.is_multiple_of(rhythm) && stop.is_stopped() {
                return Err(MachineError::Late);
            }
            self.lap(|profile| &mut profile.results);
            let words = self.plan.turns[at].random as usize;
            let first = layout.random as usize;
            random.fill(&mut self.memory[first..first + words]);
            self.lap(|profile| &mut profile.random);
            self.run(at, |turn| &turn.draw);
            self.lap(|profile| &mut profile.draw);
            if let Some(guidance) = &guidance {
                let epsilons = &guidance.epsilons;
                guide(
                    &orders_by_turn[at],
                    epsilons,
                    layout,
                    &mut self.memory,
                    &mut random,
                );
                let possible = &plan.turns[at].possible;
                generation.played(possible, layout, &self.memory, busy);
            }
            if let Some(recorder) = &mut recorder {
                recorder.played(&plan, &self.memory, busy);
            }
            self.run(at, |turn| &turn.main);
            self.lap(|profile| &mut profile.main);
            if !plan.exact_stuck && !self.memory[layout.stuck as usize].and(busy).is_empty() {
                return Err(MachineError::Stuck);
            }
            step += 1;
            at = plan.turns[at].next;
            steps
                .add(at, &self.memory, busy, &mut scheduler)
                .map_err(|_| MachineError::NoProgress)?;
        }
        self.compute_pending_goals(&mut scheduler);
        Ok(scheduler.tallies())
    }

    /// Appends the states in some lanes: the fluents that playouts depend on.
    #[inline(never)]
    fn append_states(&self, lanes: LaneWord, like: &BitState, states: &mut Vec<BitState>) {
        for lane in lanes.lanes() {
            let mut state = like.clone();
            state.words.fill(0);
            for fluent in &self.plan.fluents {
                let holds = self.memory[*fluent as usize].get(lane);
                state.set(*fluent as usize, holds);
            }
            states.push(state);
        }
    }

    /// Takes in the results of lanes that are over, or saves their last states.
    #[inline(always)]
    fn take_results(&mut self, over: LaneWord, scheduler: &mut PlayoutScheduler) {
        if matches!(self.plan.goals, GoalSchedule::Early) {
            self.pending = over;
            self.add_scores(scheduler);
            return;
        }
        let plan = Arc::clone(&self.plan);
        let GoalSchedule::Late(_, fluents) = &plan.goals else {
            return;
        };
        if !self.pending.and(over).is_empty() {
            self.compute_pending_goals(scheduler);
        }
        let finals = plan.layout.finals as usize;
        let words = &mut self.memory;
        for (i, fluent) in fluents.iter().enumerate() {
            words[finals + i] = words[finals + i].blend(words[*fluent as usize], over);
        }
        self.pending = self.pending.or(over);
    }

    /// Computes the goals of lanes whose last states are saved.
    #[inline(always)]
    fn compute_pending_goals(&mut self, scheduler: &mut PlayoutScheduler) {
        if self.pending.is_empty() {
            return;
        }
        if let Some(runner) = &mut self.goal_code {
            let part = CodePart {
                sections: 0..runner.code.sections.len(),
            };
            runner.run(&part, &mut self.memory);
        }
        self.add_scores(scheduler);
    }

    /// Adds the computed goals to the scores.
    #[inline(always)]
    fn add_scores(&mut self, scheduler: &mut PlayoutScheduler) {
        let lanes = std::mem::replace(&mut self.pending, LaneWord::NONE);
        let first = self.plan.layout.goals as usize;
        let goals = &self.memory[first..first + self.goal_values.len()];
        for role in 0..self.roles {
            let (mut one, mut more) = (LaneWord::NONE, LaneWord::NONE);
            for (goal, word) in self.goal_values.iter().zip(goals) {
                if goal.role == role {
                    more = more.or(one.and(*word));
                    one = one.or(*word);
                    if goal.value.is_none() {
                        more = more.or(*word);
                    }
                }
            }
            let sound = lanes.and(one).without(more);
            for (goal, word) in self.goal_values.iter().zip(goals) {
                if let Some(value) = goal.value
                    && goal.role == role
                {
                    scheduler.points(role, value, word.and(sound));
                }
            }
        }
    }
}
