//! Playouts with the moves that were played in them.
//!
//! The draw leaves a word for every move, with the lanes that play it. A recorder walks over these
//! words after each step and gives every busy lane its moves; that costs more than the step itself
//! in small games, so that nobody pays for it who does not ask.

use std::collections::BTreeMap;

use super::compile::{Layout, Plan};
use super::machine::{Machine, Order, Unfinished};
use super::reasoner::{Lanes, Stuck};
use super::word::Word;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::network::GoalValue;
use ludorum_reasoner::contract::{Goal, MoveId, NoGoal, ReasonError, Reasoner, Role};
use ludorum_reasoner::dice::Dice;
use ludorum_reasoner::playout;
use ludorum_reasoner::playout::{End, Playout, Record};

/// Writes down what lanes play.
pub(super) struct Recorder {
    roles: usize,
    /// What the playout in each lane has played so far, role by role in each step.
    open: Vec<Vec<MoveId>>,
    /// What is over, by start.
    over: Vec<Vec<Record>>,
}

impl Recorder {
    /// Nothing yet, for so many starts.
    fn new(roles: usize, starts: usize) -> Self {
        Self {
            roles,
            open: vec![Vec::new(); Word::LANES],
            over: vec![Vec::new(); starts],
        }
    }

    /// Writes down the moves of a step.
    pub(super) fn played(&mut self, plan: &Plan, memory: &[Word], busy: Word) {
        let first = plan.layout.played as usize;
        for moves in &plan.role_moves {
            let words = &memory[first + moves.start..first + moves.end];
            for (id, word) in words.iter().enumerate() {
                for lane in word.and(busy).lanes() {
                    self.open[lane].push(MoveId(id as u32));
                }
            }
        }
    }

    /// Closes the records of lanes that are over.
    pub(super) fn end(
        &mut self,
        over: Word,
        end_of: impl Fn(usize) -> End,
        layout: &Layout,
        goals: &[GoalValue],
        memory: &[Word],
    ) {
        let first = layout.goals as usize;
        let words = &memory[first..first + goals.len()];
        let starts = self.over.len();
        for lane in over.lanes() {
            let moves = std::mem::take(&mut self.open[lane]);
            let steps = moves.len() / self.roles.max(1);
            let goal = |role| goal_in(lane, role, goals, words);
            self.over[lane % starts].push(Record {
                moves: moves.chunks(self.roles.max(1)).map(<[_]>::to_vec).collect(),
                playout: Playout {
                    goals: (0..self.roles).map(goal).collect(),
                    steps: steps as u32,
                    end: end_of(lane),
                },
            });
        }
    }
}

/// The goal of a role in a lane.
fn goal_in(lane: usize, role: Role, goals: &[GoalValue], words: &[Word]) -> Goal {
    let mut reached = goals
        .iter()
        .zip(words)
        .filter(|(goal, word)| goal.role == role && word.get(lane))
        .map(|(goal, _)| goal);
    match (reached.next(), reached.next()) {
        (None, _) => Goal::Missing(NoGoal::None),
        (
            Some(GoalValue {
                value: Some(value), ..
            }),
            None,
        ) => Goal::Value(*value),
        (Some(first), second) => {
            let all = std::iter::once(first).chain(second).chain(reached);
            Goal::from_texts(all.map(|goal| goal.text.to_string()).collect())
        }
    }
}

impl Lanes {
    /// Playouts from some states with what was played, start by start.
    pub(super) fn record(
        &mut self,
        starts: &[&BitState],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Vec<Vec<Record>>, ReasonError> {
        self.retry_if_stuck(dice, |lanes, dice| {
            let Some(mut machine) = lanes.take_out(true)? else {
                return playout::records(lanes, starts, each, dice, limit).map(Ok);
            };
            let records = lanes.try_to_record(&mut machine, starts, each, dice, limit);
            lanes.put_back(true, machine);
            records
        })
    }

    /// One attempt, on the plan that there is.
    fn try_to_record(
        &mut self,
        machine: &mut Machine,
        starts: &[&BitState],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Result<Vec<Vec<Record>>, Stuck>, ReasonError> {
        let roles = self.roles().len();
        let mut records: Vec<Vec<Record>> = vec![Vec::new(); starts.len()];
        let mut circles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, start) in starts.iter().enumerate() {
            if let Some(playout) = self.over_at_once(start, limit) {
                let moves = Vec::new();
                records[i] = vec![Record { moves, playout }; each as usize];
            } else if let Some(circle) = machine.circle_of(start) {
                circles.entry(circle).or_default().push(i);
            } else {
                // No reachable state, for it has no turn or two.
                let records = &mut records[i];
                for _ in 0..each {
                    self.until.check()?;
                    records.push(playout::recorded(self, start, dice, limit)?);
                }
            }
        }
        for group in circles.values() {
            for chunk in group.chunks(Self::CAPACITY) {
                let batch: Vec<&BitState> = chunk.iter().map(|i| starts[*i]).collect();
                let mut recorder = Recorder::new(roles, batch.len());
                let order = Order {
                    starts: &batch,
                    each: u64::from(each),
                    limit,
                    seed: dice.bits(),
                    guidance: None,
                    recorder: Some(&mut recorder),
                    until: &self.until,
                };
                match machine.play(order) {
                    Ok(_) => {}
                    Err(Unfinished::Stuck) => return Ok(Err(Stuck)),
                    Err(Unfinished::Late) => return Err(ReasonError::Late),
                }
                for (i, over) in chunk.iter().zip(recorder.over) {
                    records[*i] = over;
                }
            }
        }
        Ok(Ok(records))
    }
}
