//! Many playouts at once.

use std::sync::Arc;

use super::code::Slot;
use super::compile::{Goals, Part, Plan};
use super::engine::Runner;
use super::random::Random;
use super::starts::StartLog;
use super::word::{Memory, Word};
use crate::ground_game::BitState;
use crate::playout::Tally;
use crate::propnet::network::GoalValue;

/// Something that the plan did not reckon with: a role without a legal move. Nothing has been counted.
#[derive(Debug)]
pub(super) struct Stuck;

/// Runs playouts in lanes.
#[derive(Clone, Debug)]
pub(super) struct Machine<const W: usize> {
    plan: Arc<Plan>,
    turns: Vec<Runner>,
    goal_code: Option<Runner>,
    goal_values: Arc<[GoalValue]>,
    roles: usize,
    memory: Memory<W>,
    /// Lanes whose last states wait for their goals.
    pending: Word<W>,
}

/// How lanes begin anew: slots with what they hold at the start.
enum Refill<const W: usize> {
    /// All lanes start from one state: slots to be emptied, slots to be filled.
    Same(Vec<Slot>, Vec<Slot>),
    /// Each lane has its own start.
    Each(Vec<(Slot, Word<W>)>),
}

/// Lanes and the starts that they serve: lane `i` plays from start `i % starts`.
struct Service<'t> {
    tallies: &'t mut [Tally],
    remaining: Vec<u64>,
    /// When the playout in each lane began; kept for several starts only.
    began: Vec<u64>,
}

impl<const W: usize> Machine<W> {
    pub(super) fn new(
        plan: Arc<Plan>,
        turns: Vec<Runner>,
        goal_code: Option<Runner>,
        goal_values: Arc<[GoalValue]>,
        roles: usize,
    ) -> Self {
        Self {
            memory: Memory::new(plan.slots as usize),
            plan,
            turns,
            goal_code,
            goal_values,
            roles,
            pending: Word::NONE,
        }
    }

    /// The memory that the machine works in.
    pub(super) fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// The turn of a state; none if the plan's turns do not cover it.
    pub(super) fn turn_of(&self, state: &BitState) -> Option<usize> {
        if self.plan.control.is_empty() {
            return Some(0);
        }
        let mut held = (0..self.plan.control.len())
            .filter(|turn| state.get(self.plan.control[*turn] as usize));
        let turn = held.next()?;
        held.next().is_none().then_some(turn)
    }

    fn run(&mut self, turn: usize, part: impl Fn(&super::compile::Turn) -> &Part) {
        let plan = &self.plan;
        self.turns[turn].run(
            part(&plan.turns[turn]),
            plan.layout.changed,
            self.memory.words_mut(),
        );
    }

    /// Plays `each` playouts from every start, at most as many as there are lanes, none of which is over and all of which have the given turn.
    pub(super) fn play(
        &mut self,
        starts: &[&BitState],
        turn: usize,
        each: u64,
        limit: u32,
        seed: u64,
    ) -> Result<Vec<Tally>, Stuck> {
        let mut tallies = vec![Tally::new(self.roles); starts.len()];
        if each == 0 || starts.is_empty() {
            return Ok(tallies);
        }
        let mut service = Service {
            tallies: &mut tallies,
            remaining: vec![each; starts.len()],
            began: if starts.len() > 1 {
                vec![0; Word::<W>::LANES]
            } else {
                Vec::new()
            },
        };
        let mut random = Random::new(seed);
        let plan = Arc::clone(&self.plan);
        let layout = &plan.layout;
        self.load(starts);
        self.pending = Word::NONE;
        let refill = self.prepare(turn, starts.len());
        let mut log = StartLog::new(limit);
        let mut busy = Word::NONE;
        let mut at = turn;
        let mut step: u64 = 0;
        loop {
            if step > 0 {
                self.run(at, |turn| &turn.early);
            }
            let memory = self.memory.words();
            let mut over = memory[layout.terminal as usize].and(busy);
            let mut stuck = Word::NONE;
            if plan.exact_stuck {
                stuck = memory[layout.stuck as usize].and(busy).without(over);
                over = over.or(stuck);
            }
            let limited = log.expired(step).and(busy).without(over);
            if !over.or(limited).is_empty() {
                let over = over.or(limited);
                service.count(over, limited, stuck, step);
                self.record(over, &mut service);
                busy = busy.without(over);
            }
            if at == turn {
                let fresh = service.refill(busy, step);
                if !fresh.is_empty() {
                    if step > 0 {
                        self.begin_anew(&refill, fresh);
                    }
                    log.push(step, fresh);
                    busy = busy.or(fresh);
                }
            }
            if busy.is_empty() && service.is_done() {
                break;
            }
            let words = self.plan.turns[at].random as usize;
            let first = layout.random as usize;
            random.fill(&mut self.memory.words_mut()[first..first + words]);
            self.run(at, |turn| &turn.main);
            if !plan.exact_stuck
                && !self.memory.words()[layout.stuck as usize].and(busy).is_empty()
            {
                return Err(Stuck);
            }
            service.step(busy);
            step += 1;
            at = plan.turns[at].next;
        }
        self.flush(&mut service);
        Ok(tallies)
    }

    /// Puts starts into lanes, each into as many as there are for it.
    fn load(&mut self, starts: &[&BitState]) {
        let words = self.memory.words_mut();
        for fluent in &self.plan.fluents {
            let fluent = *fluent as usize;
            words[fluent] = if let [start] = starts {
                Word::splat(start.get(fluent))
            } else {
                let mut word = Word::NONE;
                for lane in 0..Word::<W>::LANES {
                    word.set(lane, starts[lane % starts.len()].get(fluent));
                }
                word
            };
        }
    }

    /// Computes what the early code leaves for starts, and remembers all that a lane needs to begin anew.
    fn prepare(&mut self, turn: usize, starts: usize) -> Refill<W> {
        self.run(turn, |turn| &turn.early);
        let plan = &self.plan;
        let step = &plan.turns[turn];
        let kept = step.early.sections.clone();
        let kept = kept.flat_map(|section| &step.code.sections[section].kept);
        let cycles = step.early.sections.clone();
        let cycles = cycles.flat_map(|section| &step.code.sections[section].cleared);
        let mut slots: Vec<Slot> = plan
            .fluents
            .iter()
            .chain(kept)
            .chain(cycles)
            .copied()
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let words = self.memory.words();
        if starts == 1 {
            let (full, empty) = slots
                .into_iter()
                .partition(|slot| words[*slot as usize].get(0));
            Refill::Same(empty, full)
        } else {
            Refill::Each(
                slots
                    .into_iter()
                    .map(|slot| (slot, words[slot as usize]))
                    .collect(),
            )
        }
    }

    fn begin_anew(&mut self, refill: &Refill<W>, lanes: Word<W>) {
        let words = self.memory.words_mut();
        match refill {
            Refill::Same(empty, full) => {
                for slot in empty {
                    words[*slot as usize] = words[*slot as usize].without(lanes);
                }
                for slot in full {
                    words[*slot as usize] = words[*slot as usize].or(lanes);
                }
            }
            Refill::Each(slots) => {
                for (slot, start) in slots {
                    words[*slot as usize] = words[*slot as usize].blend(*start, lanes);
                }
            }
        }
    }

    /// Takes in the results of lanes that are over.
    fn record(&mut self, over: Word<W>, service: &mut Service) {
        let plan = Arc::clone(&self.plan);
        let Goals::Late(_, fluents) = &plan.goals else {
            self.pending = over;
            self.give(service);
            return;
        };
        if !self.pending.and(over).is_empty() {
            self.flush(service);
        }
        let finals = plan.layout.finals as usize;
        let words = self.memory.words_mut();
        for (i, fluent) in fluents.iter().enumerate() {
            words[finals + i] = words[finals + i].blend(words[*fluent as usize], over);
        }
        self.pending = self.pending.or(over);
    }

    /// Computes the goals of lanes that wait for them.
    fn flush(&mut self, service: &mut Service) {
        if self.pending.is_empty() {
            return;
        }
        if let Some(runner) = &self.goal_code {
            let part = Part {
                sections: 0..runner.code.sections.len(),
            };
            runner.run(&part, self.plan.layout.changed, self.memory.words_mut());
        }
        self.give(service);
    }

    /// Adds up goals that have been computed.
    fn give(&mut self, service: &mut Service) {
        let lanes = std::mem::replace(&mut self.pending, Word::NONE);
        let first = self.plan.layout.goals as usize;
        let goals = &self.memory.words()[first..first + self.goal_values.len()];
        for role in 0..self.roles {
            let (mut one, mut more) = (Word::NONE, Word::NONE);
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
                    service.points(role, value, word.and(sound));
                }
            }
        }
    }
}

impl Service<'_> {
    /// Counts playouts that are over.
    fn count<const W: usize>(
        &mut self,
        over: Word<W>,
        limited: Word<W>,
        stuck: Word<W>,
        step: u64,
    ) {
        if let [tally] = self.tallies {
            tally.playouts += u64::from(over.count());
            tally.limited += u64::from(limited.count());
            tally.stuck += u64::from(stuck.count());
            return;
        }
        let starts = self.tallies.len();
        for lane in over.lanes() {
            let tally = &mut self.tallies[lane % starts];
            tally.playouts += 1;
            tally.steps += step - self.began[lane];
            tally.limited += u64::from(limited.get(lane));
            tally.stuck += u64::from(stuck.get(lane));
        }
    }

    /// Counts a step of all busy lanes, where all of them serve one start.
    #[inline]
    fn step<const W: usize>(&mut self, busy: Word<W>) {
        if let [tally] = self.tallies {
            tally.steps += u64::from(busy.count());
        }
    }

    /// The idle lanes that begin anew.
    fn refill<const W: usize>(&mut self, busy: Word<W>, step: u64) -> Word<W> {
        let idle = Word::ALL.without(busy);
        if idle.is_empty() {
            return idle;
        }
        if let [remaining] = &mut self.remaining[..] {
            let wanted = u64::from(idle.count());
            if wanted <= *remaining {
                *remaining -= wanted;
                return idle;
            }
        }
        let starts = self.remaining.len();
        let mut fresh = Word::NONE;
        for lane in idle.lanes() {
            let remaining = &mut self.remaining[lane % starts];
            if *remaining > 0 {
                *remaining -= 1;
                fresh.set(lane, true);
                if let Some(began) = self.began.get_mut(lane) {
                    *began = step;
                }
            }
        }
        fresh
    }

    fn is_done(&self) -> bool {
        self.remaining.iter().all(|remaining| *remaining == 0)
    }

    fn points<const W: usize>(&mut self, role: usize, value: u8, lanes: Word<W>) {
        if let [tally] = self.tallies {
            let count = u64::from(lanes.count());
            tally.points[role] += count * u64::from(value);
            tally.scored[role] += count;
            return;
        }
        let starts = self.tallies.len();
        for lane in lanes.lanes() {
            let tally = &mut self.tallies[lane % starts];
            tally.points[role] += u64::from(value);
            tally.scored[role] += 1;
        }
    }
}
