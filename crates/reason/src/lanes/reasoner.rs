//! The [`Reasoner`] on lanes, and its questions about many states at once.

use std::sync::Arc;

use super::code::Code;
use super::compile::{Choice, Goals, Plan, Questions};
use super::engine::Runner;
use super::machine::{Machine, Stuck};
use super::native::Native;
use super::questions::Desk;
use crate::contract::{Goal, MoveId, NoGoal, ReasonError, Reasoner, Role, check_move_count};
use crate::dice::Dice;
use crate::ground_game::{BitState, GroundGame};
use crate::playout::{self, End, Playout, Tally};
use crate::propnet::circuit::Circuit;
use crate::propnet::network::Network;

/// Words of so many times 64 lanes.
const WIDTH: usize = 8;

/// A reasoner that evaluates many states at once.
#[derive(Clone, Debug)]
pub struct Lanes {
    network: Arc<Network>,
    circuit: Arc<Circuit>,
    desk: Desk<WIDTH>,
    /// The state in the first lane of the desk, if it is looked at.
    current: Option<BitState>,
    machine: Machine<WIDTH>,
}

impl Lanes {
    /// A reasoner on a network.
    pub fn new(network: Network) -> Self {
        let circuit = Arc::new(Circuit::new(&network));
        let questions = Arc::new(Questions::new(&circuit));
        let runner = Runner {
            code: Arc::new(questions.code.clone()),
            native: Native::new::<WIDTH>(&questions.code).map(Arc::new),
        };
        let choice = Choice {
            exact_stuck: false,
            late_goals: None,
        };
        let machine = machine(&network, &circuit, choice);
        Self {
            desk: Desk::new(questions, runner, circuit.fluents as usize),
            current: None,
            machine,
            circuit,
            network: Arc::new(network),
        }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How many states are evaluated at a time.
    pub const ROOM: usize = Desk::<WIDTH>::ROOM;

    /// The memory that playouts and questions work in, in bytes.
    pub fn working_bytes(&self) -> usize {
        self.machine.bytes() + self.desk.bytes()
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

    /// A playout that ends where it starts, if that is so: the game is over there, no step is allowed, or a role cannot move.
    fn without_a_step(&mut self, start: &BitState, limit: u32) -> Option<Playout> {
        self.look(start);
        let stuck = |moves: &std::ops::Range<usize>| {
            !moves.clone().any(|action| self.desk.legal(0, action))
        };
        let end = if self.desk.terminal(0) {
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
            goals: roles.map(|role| self.goal_in(0, role)).collect(),
            steps: 0,
            end,
        })
    }

    /// One attempt at many playouts, on the plan that there is.
    fn attempt(
        &mut self,
        starts: &[BitState],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Result<Vec<Tally>, Stuck>, ReasonError> {
        let roles = self.roles().len();
        let mut tallies = vec![Tally::new(roles); starts.len()];
        let mut by_turn: Vec<Vec<usize>> = Vec::new();
        for (i, start) in starts.iter().enumerate() {
            if let Some(playout) = self.without_a_step(start, limit) {
                tallies[i].add_times(&playout, u64::from(each));
            } else if let Some(turn) = self.machine.turn_of(start) {
                by_turn.resize(by_turn.len().max(turn + 1), Vec::new());
                by_turn[turn].push(i);
            } else {
                // No reachable state, for it has no turn or two.
                for _ in 0..each {
                    tallies[i].add(&playout::random(self, start, dice, limit)?);
                }
            }
        }
        for (turn, group) in by_turn.iter().enumerate() {
            for chunk in group.chunks(Self::ROOM) {
                let batch: Vec<&BitState> = chunk.iter().map(|i| &starts[*i]).collect();
                let seed = dice.bits();
                match self.machine.play(&batch, turn, u64::from(each), limit, seed) {
                    Ok(results) => {
                        for (i, tally) in chunk.iter().zip(results) {
                            tallies[*i] = tally;
                        }
                    }
                    Err(stuck) => return Ok(Err(stuck)),
                }
            }
        }
        Ok(Ok(tallies))
    }
}

fn machine(network: &Network, circuit: &Circuit, choice: Choice) -> Machine<WIDTH> {
    let plan = Arc::new(Plan::new(network, circuit, choice));
    let runner = |code: &Code| Runner {
        code: Arc::new(code.clone()),
        native: Native::new::<WIDTH>(code).map(Arc::new),
    };
    let turns = plan.turns.iter().map(|turn| runner(&turn.code)).collect();
    let goal_code = match &plan.goals {
        Goals::Early => None,
        Goals::Late(code, _) => Some(runner(code)),
    };
    Machine::new(
        plan,
        turns,
        goal_code,
        Arc::clone(&network.goals),
        network.game.roles.len(),
    )
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
        moves.clear();
        let range = self.game().moves_of(role);
        let first = range.start;
        let legal = range.filter(|action| self.desk.legal(0, *action));
        moves.extend(legal.map(|action| MoveId((action - first) as u32)));
        Ok(())
    }

    fn next(&mut self, state: &BitState, joint_move: &[MoveId]) -> Result<BitState, ReasonError> {
        check_move_count(self.roles().len(), joint_move)?;
        self.look(state);
        self.desk.clear_moves(self.circuit.moves as usize);
        for (role, id) in joint_move.iter().enumerate() {
            let range = self.game().moves_of(role);
            let action = range.start + id.index();
            if action >= range.end || !self.desk.legal(0, action) {
                return Err(self.game().illegal(role, *id));
            }
            self.desk.play(0, action);
        }
        self.desk.advance();
        self.current = None;
        Ok(self.desk.state(0))
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

    fn state_from_facts(&mut self, facts: &[String]) -> Result<BitState, ReasonError> {
        let state = self.game().state_from_facts(facts)?;
        self.network.check_reachable(&state)?;
        Ok(state)
    }

    fn key(&self, state: &BitState) -> u128 {
        self.game().key(state)
    }

    fn fork(&self) -> Self {
        self.clone()
    }

    fn components(&self) -> Option<usize> {
        Some(self.network.len())
    }

    fn playouts(
        &mut self,
        starts: &[BitState],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Vec<Tally>, ReasonError> {
        let before = dice.clone();
        if let Ok(tallies) = self.attempt(starts, each, dice, limit)? {
            return Ok(tallies);
        }
        // Seldom: the sheet leaves somebody without a move. From now on that is looked for.
        let choice = Choice {
            exact_stuck: true,
            late_goals: None,
        };
        self.machine = machine(&self.network, &self.circuit, choice);
        *dice = before;
        match self.attempt(starts, each, dice, limit)? {
            Ok(tallies) => Ok(tallies),
            Err(Stuck) => unreachable!("a plan that looks for lanes without a move meets none unprepared"),
        }
    }

    fn batch(&self) -> u32 {
        100_000
    }
}
