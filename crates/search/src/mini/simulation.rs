//! Simulations that follow strategies, many in lockstep.
//!
//! In every step the states of all simulations, all successors for lookahead, and all next states
//! are one batch each for the engine. On an engine that evaluates many states at once a batch costs
//! little more than one state.

use std::time::Instant;

use ludorum_reasoner::{
    FluentId, Goal, MoveId, Playout, PlayoutEnd, PlayoutTotals, ReasonError, Reasoner, Rng, Role,
};

use super::fluent_terms::FluentTerms;
use super::role_strategies::RoleStrategies;
use super::strategies::feature_statistics::{FeatureStatistics, SimulationFeatures};
use super::strategy::{DecisionView, FinishedSimulation, Lookahead, MoveValue, Successor, choose};
use crate::mcts::points;

/// A simulation from a leaf to the end of the game.
#[derive(Debug)]
pub(super) struct Simulation<S> {
    /// The index of the leaf where it began.
    pub(super) leaf: usize,
    state: S,
    /// The number of steps from the initial state of the match to the leaf.
    depth: u32,
    steps: u32,
    /// The index of the strategy of each role.
    pub(super) places: Vec<usize>,
    /// The moves of each role.
    moves: Vec<Vec<MoveId>>,
    /// The most recent states, as many as a strategy needs.
    recent_states: Vec<Vec<FluentId>>,
    sample: SimulationFeatures,
    end: Option<PlayoutEnd>,
    /// Whether the strategies were updated with its result.
    pub(super) is_observed: bool,
}

impl<S> Simulation<S> {
    pub(super) fn new(leaf: usize, state: S, depth: u32, places: Vec<usize>) -> Self {
        Self {
            leaf,
            state,
            depth,
            steps: 0,
            moves: vec![Vec::new(); places.len()],
            places,
            recent_states: Vec::new(),
            sample: SimulationFeatures::default(),
            end: None,
            is_observed: false,
        }
    }
}

/// The resources of a batch of simulations.
pub(super) struct SimulationBatch<'a, R> {
    pub(super) reasoner: &'a mut R,
    pub(super) role_strategies: &'a mut [RoleStrategies],
    pub(super) fluent_terms: &'a mut FluentTerms,
    /// The feature counts, during the learning phase.
    pub(super) feature_statistics: Option<&'a mut FeatureStatistics>,
    pub(super) rng: &'a mut Rng,
    /// The maximum number of steps.
    pub(super) limit: u32,
    pub(super) deadline: Option<Instant>,
}

/// A decision that needs lookahead.
#[derive(Debug)]
struct Decision {
    /// The index of the simulation among the active ones.
    number: usize,
    role: Role,
    /// The index of its first successor.
    first: usize,
}

/// The legal moves of each role.
type Legal = Vec<Vec<MoveId>>;

impl<R: Reasoner> SimulationBatch<'_, R> {
    /// Plays simulations to their ends and updates the strategies. Returns the totals of each.
    pub(super) fn play(
        &mut self,
        simulations: &mut [Simulation<R::State>],
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        loop {
            if self.deadline.is_some_and(|end| Instant::now() >= end) {
                return Err(ReasonError::Stopped);
            }
            let mut active: Vec<&mut Simulation<R::State>> = simulations
                .iter_mut()
                .filter(|simulation| simulation.end.is_none())
                .collect();
            if active.is_empty() {
                break;
            }
            let legal = self.find_legal_moves(&mut active)?;
            self.observe_state(&mut active);
            let mut under_way: Vec<&mut Simulation<R::State>> = Vec::with_capacity(active.len());
            let mut choices: Vec<Legal> = Vec::with_capacity(active.len());
            for (simulation, legal) in active.into_iter().zip(legal) {
                if simulation.end.is_none() {
                    under_way.push(simulation);
                    choices.push(legal);
                }
            }
            self.step(&mut under_way, &choices)?;
        }
        simulations.iter_mut().map(|s| self.end(s)).collect()
    }

    /// Determines the legal moves of active simulations and which of them have ended.
    fn find_legal_moves(
        &mut self,
        active: &mut [&mut Simulation<R::State>],
    ) -> Result<Vec<Legal>, ReasonError> {
        let roles = self.role_strategies.len();
        let mut all = Vec::with_capacity(active.len());
        if self.reasoner.preferred_batch() > 1 {
            let states: Vec<R::State> = active.iter().map(|s| s.state.clone()).collect();
            for (simulation, survey) in active.iter_mut().zip(self.reasoner.summaries(&states)?) {
                simulation.end = survey.terminal.then_some(PlayoutEnd::Terminal);
                all.push(survey.legal);
            }
        } else {
            for simulation in &mut *active {
                let mut legal = vec![Vec::new(); roles];
                if self.reasoner.is_terminal(&simulation.state)? {
                    simulation.end = Some(PlayoutEnd::Terminal);
                } else {
                    for (role, moves) in legal.iter_mut().enumerate() {
                        self.reasoner.legal_moves(&simulation.state, role, moves)?;
                    }
                }
                all.push(legal);
            }
        }
        for (simulation, legal) in active.iter_mut().zip(&all) {
            if simulation.end.is_some() {
                continue;
            }
            if simulation.steps >= self.limit {
                simulation.end = Some(PlayoutEnd::Limit);
            } else if legal.iter().any(Vec::is_empty) {
                simulation.end = Some(PlayoutEnd::Stuck);
            }
        }
        Ok(all)
    }

    /// Passes the states to strategies that observe them and keeps recent states.
    fn observe_state(&mut self, active: &mut [&mut Simulation<R::State>]) {
        let is_watched = self.feature_statistics.is_some()
            || self
                .role_strategies
                .iter()
                .any(RoleStrategies::observes_states);
        for simulation in active {
            let memory = self.role_strategies.iter().zip(&simulation.places);
            let memory = memory.map(|(entry, place)| entry.strategies[*place].history_length());
            let memory = memory.max().unwrap_or(0);
            if !is_watched && memory == 0 {
                continue;
            }
            let mut facts = Vec::new();
            self.reasoner.fluents(&simulation.state, &mut facts);
            self.fluent_terms.intern_all(self.reasoner, &facts);
            if let Some(feature_statistics) = &mut self.feature_statistics {
                let step = simulation.depth + simulation.steps;
                feature_statistics.count(&mut simulation.sample, step, &facts, self.fluent_terms);
            }
            if is_watched {
                for strategy in self
                    .role_strategies
                    .iter_mut()
                    .flat_map(|entry| &mut entry.strategies)
                {
                    strategy.observe_state(&facts, self.fluent_terms);
                }
            }
            simulation.recent_states.push(facts);
            if simulation.recent_states.len() > memory {
                simulation.recent_states.remove(0);
            }
        }
    }

    /// Makes one joint move in each active simulation.
    fn step(
        &mut self,
        under_way: &mut [&mut Simulation<R::State>],
        legal: &[Legal],
    ) -> Result<(), ReasonError> {
        let mut joints: Vec<Vec<MoveId>> = Vec::with_capacity(legal.len());
        let mut decisions: Vec<Decision> = Vec::new();
        let mut move_values: Vec<MoveValue> = Vec::new();
        let mut looked_at = 0;
        for (number, legal) in legal.iter().enumerate() {
            // Random moves first. Where several roles choose at the same time, a role assumes these
            // moves of the others.
            let drawn = legal.iter().map(|moves| moves[self.rng.below(moves.len())]);
            let mut joint: Vec<MoveId> = drawn.collect();
            for (role, moves) in legal.iter().enumerate() {
                let entry = &mut self.role_strategies[role];
                let place = under_way[number].places[role];
                let probability = entry.kind(place).probability();
                if moves.len() < 2 || self.rng.next_f64() >= probability {
                    continue;
                }
                let strategy = &mut entry.strategies[place];
                if strategy.lookahead() > Lookahead::Moves {
                    let first = looked_at;
                    looked_at += moves.len();
                    decisions.push(Decision {
                        number,
                        role,
                        first,
                    });
                    continue;
                }
                let view = DecisionView {
                    fluent_terms: self.fluent_terms,
                    legal: moves,
                    recent_states: &[],
                    successors: &[],
                };
                move_values.clear();
                strategy.evaluate(&view, &mut move_values)?;
                joint[role] = moves[choose(&move_values, self.rng)];
            }
            joints.push(joint);
        }
        let mut known: Vec<Option<(Vec<MoveId>, R::State)>> = vec![None; joints.len()];
        if !decisions.is_empty() {
            let expected = joints.clone();
            let states = self.successors(under_way, legal, &expected, &decisions)?;
            let mobility = self.mobility(under_way, legal, &decisions, &states)?;
            for decision in &decisions {
                let Decision {
                    number,
                    role,
                    first,
                } = *decision;
                let moves = &legal[number][role];
                let successors = self.successor_views(
                    &states[first..first + moves.len()],
                    &mobility[first..first + moves.len()],
                );
                let view = DecisionView {
                    fluent_terms: self.fluent_terms,
                    legal: moves,
                    recent_states: &under_way[number].recent_states,
                    successors: &successors,
                };
                let place = under_way[number].places[role];
                move_values.clear();
                self.role_strategies[role].strategies[place].evaluate(&view, &mut move_values)?;
                self.role_strategies[role].note(place, moves, &move_values);
                let best = choose(&move_values, self.rng);
                joints[number][role] = moves[best];
                let mut joint = expected[number].clone();
                joint[role] = moves[best];
                known[number] = Some((joint, states[first + best].clone()));
            }
        }
        self.advance(under_way, joints, known)
    }

    /// The successors of all decisions, one decision after the other.
    fn successors(
        &mut self,
        under_way: &[&mut Simulation<R::State>],
        legal: &[Legal],
        expected: &[Vec<MoveId>],
        decisions: &[Decision],
    ) -> Result<Vec<R::State>, ReasonError> {
        let roles = self.role_strategies.len();
        let mut joints: Vec<MoveId> = Vec::new();
        let mut from: Vec<usize> = Vec::new();
        for decision in decisions {
            for id in &legal[decision.number][decision.role] {
                let first = joints.len();
                joints.extend_from_slice(&expected[decision.number]);
                joints[first + decision.role] = *id;
                from.push(decision.number);
            }
        }
        let moves: Vec<(&R::State, &[MoveId])> = from
            .iter()
            .map(|number| &under_way[*number].state)
            .zip(joints.chunks(roles.max(1)))
            .collect();
        self.reasoner.next_states(&moves)
    }

    /// The number of legal moves of each role in successors, for strategies that need it.
    fn mobility(
        &mut self,
        under_way: &[&mut Simulation<R::State>],
        legal: &[Legal],
        decisions: &[Decision],
        states: &[R::State],
    ) -> Result<Vec<Vec<usize>>, ReasonError> {
        let roles = self.role_strategies.len();
        let mut all = vec![Vec::new(); states.len()];
        let mut wanted: Vec<usize> = Vec::new();
        for decision in decisions {
            let place = under_way[decision.number].places[decision.role];
            let strategy = &self.role_strategies[decision.role].strategies[place];
            if strategy.lookahead() == Lookahead::SuccessorMoves {
                let count = legal[decision.number][decision.role].len();
                wanted.extend(decision.first..decision.first + count);
            }
        }
        if wanted.is_empty() {
            return Ok(all);
        }
        if self.reasoner.preferred_batch() > 1 {
            let some: Vec<R::State> = wanted.iter().map(|i| states[*i].clone()).collect();
            for (place, survey) in wanted.iter().zip(self.reasoner.summaries(&some)?) {
                all[*place] = survey.legal.iter().map(Vec::len).collect();
            }
            return Ok(all);
        }
        let mut moves = Vec::new();
        for place in wanted {
            for role in 0..roles {
                self.reasoner
                    .legal_moves(&states[place], role, &mut moves)?;
                all[place].push(moves.len());
            }
        }
        Ok(all)
    }

    /// The successors as strategies see them: mobility where it was computed, else the fluents.
    fn successor_views(&mut self, states: &[R::State], mobility: &[Vec<usize>]) -> Vec<Successor> {
        let mut successors = Vec::with_capacity(states.len());
        for (state, mobility) in states.iter().zip(mobility) {
            let mut facts = Vec::new();
            if mobility.is_empty() {
                self.reasoner.fluents(state, &mut facts);
                self.fluent_terms.intern_all(self.reasoner, &facts);
            }
            successors.push(Successor {
                facts,
                mobility: mobility.clone(),
            });
        }
        successors
    }

    /// Advances simulations by their joint moves. Some successors are known from lookahead.
    fn advance(
        &mut self,
        under_way: &mut [&mut Simulation<R::State>],
        joints: Vec<Vec<MoveId>>,
        mut known: Vec<Option<(Vec<MoveId>, R::State)>>,
    ) -> Result<(), ReasonError> {
        // Where several roles used lookahead, another role may have chosen a different move than
        // was assumed.
        for (known, joint) in known.iter_mut().zip(&joints) {
            let is_wrong = known
                .as_ref()
                .is_some_and(|(expected, _)| expected != joint);
            if is_wrong {
                *known = None;
            }
        }
        let unknown: Vec<(&R::State, &[MoveId])> = under_way
            .iter()
            .zip(&joints)
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .map(|((simulation, joint), _)| (&simulation.state, &joint[..]))
            .collect();
        let mut states = self.reasoner.next_states(&unknown)?.into_iter();
        for ((simulation, joint), known) in under_way.iter_mut().zip(joints).zip(known) {
            let Some(state) = known.map(|(_, state)| state).or_else(|| states.next()) else {
                break;
            };
            simulation.state = state;
            simulation.steps += 1;
            for (moves, id) in simulation.moves.iter_mut().zip(joint) {
                moves.push(id);
            }
        }
        Ok(())
    }

    /// Updates the strategies with the result of a simulation.
    fn end(&mut self, simulation: &mut Simulation<R::State>) -> Result<PlayoutTotals, ReasonError> {
        let roles = 0..self.role_strategies.len();
        let goals = roles.map(|role| self.reasoner.goal(&simulation.state, role));
        let playout = Playout {
            goals: goals.collect::<Result<_, _>>()?,
            steps: simulation.steps,
            end: simulation.end.unwrap_or(PlayoutEnd::Limit),
        };
        for moves in &mut simulation.moves {
            moves.sort_unstable();
            moves.dedup();
        }
        let mut last = Vec::new();
        self.reasoner.fluents(&simulation.state, &mut last);
        self.fluent_terms.intern_all(self.reasoner, &last);
        let goals: Vec<Option<u8>> = playout.goals.iter().map(Goal::value).collect();
        let ended = FinishedSimulation {
            moves: &simulation.moves,
            goals: &goals,
            last: &last,
        };
        let mut tally = PlayoutTotals::new(self.role_strategies.len());
        tally.add(&playout);
        simulation.is_observed = true;
        for (role, entry) in self.role_strategies.iter_mut().enumerate() {
            for strategy in &mut entry.strategies {
                strategy.observe_end(&ended, self.fluent_terms);
            }
            #[allow(clippy::cast_precision_loss)] // a goal
            entry.credit(simulation.places[role], points(&tally, role) as f64, 1);
        }
        if let Some(feature_statistics) = &mut self.feature_statistics {
            feature_statistics.end(&simulation.sample, &goals);
        }
        Ok(tally)
    }
}
