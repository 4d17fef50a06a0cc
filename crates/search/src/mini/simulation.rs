//! Simulations that follow strategies, many in step with each other.
//!
//! In every step all simulations are looked at together, the states that strategies look ahead to
//! are one batch, and so are the states that are gone on to. On an engine that works out many
//! states at once that costs little more than one simulation would.

use std::time::Instant;

use ludorum_reasoner::{
    FluentId, Goal, MoveId, Playout, PlayoutEnd, PlayoutTotals, ReasonError, Reasoner, Rng, Role,
};

use super::cast::Cast;
use super::lexicon::Lexicon;
use super::strategies::census::{Census, Sample};
use super::strategy::{Ended, Scene, Sight, Successor, Worth, choose};
use crate::mcts::points;

/// A game from a leaf to its end.
#[derive(Debug)]
pub(super) struct Simulation<S> {
    /// Which of the leaves it began at.
    pub(super) leaf: usize,
    state: S,
    /// How many steps from the beginning of the match it is.
    depth: u32,
    steps: u32,
    /// The strategy of each role, by its place.
    pub(super) places: Vec<usize>,
    /// What each role has played.
    moves: Vec<Vec<MoveId>>,
    /// The last states, as many as somebody remembers.
    trail: Vec<Vec<FluentId>>,
    sample: Sample,
    end: Option<PlayoutEnd>,
    /// Whether everybody has learned from it.
    pub(super) is_told: bool,
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
            trail: Vec::new(),
            sample: Sample::default(),
            end: None,
            is_told: false,
        }
    }
}

/// What simulations are made with.
pub(super) struct Stage<'a, R> {
    pub(super) reasoner: &'a mut R,
    pub(super) casts: &'a mut [Cast],
    pub(super) lexicon: &'a mut Lexicon,
    /// Where all states are counted, in the learning phase.
    pub(super) census: Option<&'a mut Census>,
    pub(super) rng: &'a mut Rng,
    /// The steps after which a simulation is cut.
    pub(super) limit: u32,
    pub(super) deadline: Option<Instant>,
}

/// A move that a strategy decides about with a look ahead.
#[derive(Debug)]
struct Decision {
    /// The place of the simulation among those under way.
    number: usize,
    role: Role,
    /// The first of its successors.
    first: usize,
}

/// The legal moves of each role.
type Legal = Vec<Vec<MoveId>>;

impl<R: Reasoner> Stage<'_, R> {
    /// Plays simulations to their ends, and lets everybody learn from them. Gives a tally for each.
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
            let legal = self.look(&mut active)?;
            self.context(&mut active);
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

    /// Finds the legal moves, and which simulations are over.
    fn look(
        &mut self,
        active: &mut [&mut Simulation<R::State>],
    ) -> Result<Vec<Legal>, ReasonError> {
        let roles = self.casts.len();
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

    /// Shows the states to strategies that want to see them, and keeps those that somebody
    /// remembers.
    fn context(&mut self, active: &mut [&mut Simulation<R::State>]) {
        let is_watched = self.census.is_some() || self.casts.iter().any(Cast::is_watching);
        for simulation in active {
            let memory = self.casts.iter().zip(&simulation.places);
            let memory = memory.map(|(cast, place)| cast.strategies[*place].memory());
            let memory = memory.max().unwrap_or(0);
            if !is_watched && memory == 0 {
                continue;
            }
            let mut facts = Vec::new();
            self.reasoner.fluents(&simulation.state, &mut facts);
            self.lexicon.know(self.reasoner, &facts);
            if let Some(census) = &mut self.census {
                let step = simulation.depth + simulation.steps;
                census.count(&mut simulation.sample, step, &facts, self.lexicon);
            }
            if is_watched {
                for strategy in self.casts.iter_mut().flat_map(|cast| &mut cast.strategies) {
                    strategy.context(&facts, self.lexicon);
                }
            }
            simulation.trail.push(facts);
            if simulation.trail.len() > memory {
                simulation.trail.remove(0);
            }
        }
    }

    /// Makes a move in each simulation.
    fn step(
        &mut self,
        under_way: &mut [&mut Simulation<R::State>],
        legal: &[Legal],
    ) -> Result<(), ReasonError> {
        let mut joints: Vec<Vec<MoveId>> = Vec::with_capacity(legal.len());
        let mut decisions: Vec<Decision> = Vec::new();
        let mut worths: Vec<Worth> = Vec::new();
        let mut looked_at = 0;
        for (number, legal) in legal.iter().enumerate() {
            // By chance first. Where several roles choose at the same time, these are also the
            // moves that a role expects of the others.
            let drawn = legal.iter().map(|moves| moves[self.rng.below(moves.len())]);
            let mut joint: Vec<MoveId> = drawn.collect();
            for (role, moves) in legal.iter().enumerate() {
                let cast = &mut self.casts[role];
                let place = under_way[number].places[role];
                let probability = cast.kind(place).probability();
                if moves.len() < 2 || self.rng.next_f64() >= probability {
                    continue;
                }
                let strategy = &mut cast.strategies[place];
                if strategy.sight() > Sight::Moves {
                    let first = looked_at;
                    looked_at += moves.len();
                    decisions.push(Decision {
                        number,
                        role,
                        first,
                    });
                    continue;
                }
                let scene = Scene {
                    lexicon: self.lexicon,
                    legal: moves,
                    trail: &[],
                    successors: &[],
                };
                worths.clear();
                strategy.judge(&scene, &mut worths)?;
                joint[role] = moves[choose(&worths, self.rng)];
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
                let successors = self.shown(
                    &states[first..first + moves.len()],
                    &mobility[first..first + moves.len()],
                );
                let scene = Scene {
                    lexicon: self.lexicon,
                    legal: moves,
                    trail: &under_way[number].trail,
                    successors: &successors,
                };
                let place = under_way[number].places[role];
                worths.clear();
                self.casts[role].strategies[place].judge(&scene, &mut worths)?;
                self.casts[role].note(place, moves, &worths);
                let best = choose(&worths, self.rng);
                joints[number][role] = moves[best];
                let mut joint = expected[number].clone();
                joint[role] = moves[best];
                known[number] = Some((joint, states[first + best].clone()));
            }
        }
        self.go_on(under_way, joints, known)
    }

    /// The states after each move that a decision is about, one decision after the other.
    fn successors(
        &mut self,
        under_way: &[&mut Simulation<R::State>],
        legal: &[Legal],
        expected: &[Vec<MoveId>],
        decisions: &[Decision],
    ) -> Result<Vec<R::State>, ReasonError> {
        let roles = self.casts.len();
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

    /// How many legal moves each role has in each of the states, where a strategy wants to know.
    fn mobility(
        &mut self,
        under_way: &[&mut Simulation<R::State>],
        legal: &[Legal],
        decisions: &[Decision],
        states: &[R::State],
    ) -> Result<Vec<Vec<usize>>, ReasonError> {
        let roles = self.casts.len();
        let mut all = vec![Vec::new(); states.len()];
        let mut wanted: Vec<usize> = Vec::new();
        for decision in decisions {
            let place = under_way[decision.number].places[decision.role];
            let strategy = &self.casts[decision.role].strategies[place];
            if strategy.sight() == Sight::SuccessorMoves {
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

    /// What a strategy is shown of some states: the numbers of legal moves where they are known,
    /// else the facts.
    fn shown(&mut self, states: &[R::State], mobility: &[Vec<usize>]) -> Vec<Successor> {
        let mut successors = Vec::with_capacity(states.len());
        for (state, mobility) in states.iter().zip(mobility) {
            let mut facts = Vec::new();
            if mobility.is_empty() {
                self.reasoner.fluents(state, &mut facts);
                self.lexicon.know(self.reasoner, &facts);
            }
            successors.push(Successor {
                facts,
                mobility: mobility.clone(),
            });
        }
        successors
    }

    /// Goes on to the states after joint moves. Some are known from looking ahead.
    fn go_on(
        &mut self,
        under_way: &mut [&mut Simulation<R::State>],
        joints: Vec<Vec<MoveId>>,
        mut known: Vec<Option<(Vec<MoveId>, R::State)>>,
    ) -> Result<(), ReasonError> {
        // Where several roles have looked ahead, another one may have done something else than was
        // expected.
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

    /// Takes in what came out of a simulation.
    fn end(&mut self, simulation: &mut Simulation<R::State>) -> Result<PlayoutTotals, ReasonError> {
        let roles = 0..self.casts.len();
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
        self.lexicon.know(self.reasoner, &last);
        let goals: Vec<Option<u8>> = playout.goals.iter().map(Goal::value).collect();
        let ended = Ended {
            moves: &simulation.moves,
            goals: &goals,
            last: &last,
        };
        let mut tally = PlayoutTotals::new(self.casts.len());
        tally.add(&playout);
        simulation.is_told = true;
        for (role, cast) in self.casts.iter_mut().enumerate() {
            for strategy in &mut cast.strategies {
                strategy.learn(&ended, self.lexicon);
            }
            #[allow(clippy::cast_precision_loss)] // a goal
            cast.earn(simulation.places[role], points(&tally, role) as f64, 1);
        }
        if let Some(census) = &mut self.census {
            census.end(&simulation.sample, &goals);
        }
        Ok(tally)
    }
}
