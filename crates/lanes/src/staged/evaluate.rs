//! Evaluation of states of the original game on the staged network, hundreds at a time.

use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::network::goal_of_role;
use ludorum_reasoner::{Goal, MoveId, ReasonError, Role};

use super::super::lane_evaluator::LaneEvaluator;
use super::{StagedLanes, StagedState};

/// A prefix and a suffix, by number.
pub(super) type Parts = (u32, u32);

/// What the rules say about a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    pub(super) terminal: bool,
    pub(super) goals: Vec<Goal>,
    /// The legal moves of each role that chooses.
    pub(super) legal: Vec<Vec<Parts>>,
    /// Whether the state is over, and an [assumption](StagedLanes::check_assumed) does not hold in
    /// it, so that its legal moves are not known.
    pub(super) moves_unknown: bool,
}

/// A role, its candidate, and whether this is the first test of it.
type Tested = (Role, u32, bool);

/// The joint move of a step, as parts: `None` for a role that does not choose.
type JointParts = Vec<Option<Parts>>;

/// The error for a state in which an argument of a move has several values.
fn several_values() -> ReasonError {
    ReasonError::Unsupported(
        "a state in which a fluent that determines an argument of a move has several values"
            .to_owned(),
    )
}

impl StagedLanes {
    /// The pair of stages in which a state is played, and the role that has the turn.
    pub(super) fn stage_of(&self, state: &BitState) -> Result<(usize, Option<Role>), ReasonError> {
        let tables = &self.shared.tables;
        let Some(turns) = &tables.turns else {
            return Ok((0, None));
        };
        let mut held = (0..turns.len()).filter(|role| state.get(turns[*role].0 as usize));
        let role = held.next();
        match (role, held.next()) {
            (Some(role), None) => {
                let mut stages = tables.stages.iter();
                let stage = stages.position(|stage| stage.roles.contains(&role));
                Ok((
                    if tables.shared { 0 } else { stage.unwrap_or(0) },
                    Some(role),
                ))
            }
            _ => Err(ReasonError::Unsupported(
                "a state in which not exactly one role has the turn".to_owned(),
            )),
        }
    }

    /// An error if not exactly one fluent holds of each set of which the staged rules assume it. They
    /// are wrong about the moves of other states.
    pub(super) fn check_assumed(&self, state: &StagedState) -> Result<(), ReasonError> {
        if self.is_as_assumed(&state.0) {
            return Ok(());
        }
        Err(ReasonError::Unsupported(
            "a state in which a fluent that is assumed to have one value has not".to_owned(),
        ))
    }

    fn is_as_assumed(&self, state: &BitState) -> bool {
        let assumed = self.shared.tables.assumed.iter();
        assumed.into_iter().all(|set| {
            let both = state.words.iter().zip(&set.words);
            both.map(|(a, b)| (a & b).count_ones()).sum::<u32>() == 1
        })
    }

    /// An error if playouts cannot start from a state.
    pub(super) fn check_start(&mut self, state: &StagedState) -> Result<(), ReasonError> {
        if self.is_as_assumed(&state.0) {
            return Ok(());
        }
        // A state that is over is a playout without steps.
        self.evaluate(&[state]).map(|_| ())
    }

    /// The state in the first draw stage, from which playouts start.
    pub(super) fn start_of(&self, state: &StagedState) -> BitState {
        let mut start = state.0.clone();
        start.set(self.shared.tables.stages[0].draw as usize, true);
        start
    }

    /// Evaluates states.
    pub(super) fn evaluate(
        &mut self,
        states: &[&StagedState],
    ) -> Result<Vec<Evaluation>, ReasonError> {
        let mut all = Vec::with_capacity(states.len());
        for chunk in states.chunks(LaneEvaluator::CAPACITY) {
            self.stop.check()?;
            self.evaluate_chunk(chunk, &mut all)?;
        }
        Ok(all)
    }

    fn evaluate_chunk(
        &mut self,
        states: &[&StagedState],
        all: &mut Vec<Evaluation>,
    ) -> Result<(), ReasonError> {
        let shared = self.shared.clone();
        let tables = &shared.tables;
        let roles = shared.roles.len();
        let count = states.len();
        let mut draws: Vec<BitState> = Vec::with_capacity(count);
        let mut stages: Vec<usize> = Vec::with_capacity(count);
        let mut movers: Vec<Option<Role>> = Vec::with_capacity(count);
        for state in states {
            let (stage, mover) = self.stage_of(&state.0)?;
            let mut draw = state.0.clone();
            draw.set(tables.stages[stage].draw as usize, true);
            draws.push(draw);
            stages.push(stage);
            movers.push(mover);
        }
        let mut unknown: Vec<bool> = states
            .iter()
            .map(|state| !self.is_as_assumed(&state.0))
            .collect();
        // The candidates of each role in each state.
        let mut leaves: Vec<Vec<Vec<u32>>> = vec![vec![Vec::new(); roles]; count];
        let evaluator = self.lanes.evaluator();
        evaluator.load(draws.iter());
        #[allow(clippy::needless_range_loop)] // the index of two lists
        for role in 0..roles {
            let range = shared.network.game.moves_of(role);
            evaluator.each_legal(range, count, |lane, action| {
                if let Some(leaf) = tables.leaf_of.get(&action) {
                    unknown[lane] |= !tables.leaves[*leaf as usize].is_clear(&states[lane].0);
                    leaves[lane][role].push(*leaf);
                }
            });
        }
        let mut found: Vec<Evaluation> = (0..count)
            .map(|_| Evaluation {
                legal: vec![Vec::new(); roles],
                ..Evaluation::default()
            })
            .collect();
        if !tables.asks_for_moves {
            self.read_results(count, &mut found);
        }
        for (i, state) in states.iter().enumerate().filter(|(i, _)| unknown[*i]) {
            if tables.asks_for_moves || !found[i].terminal {
                self.check_assumed(state)?;
                return Err(several_values());
            }
            found[i].moves_unknown = true;
            leaves[i].fill(Vec::new());
        }
        // Each test has a candidate of each role that chooses. A role with fewer candidates than
        // others repeats its first one, of which the answer is known.
        let mut tests: Vec<(usize, Vec<Tested>)> = Vec::new();
        for (state, of_roles) in leaves.iter().enumerate() {
            let choosing = &tables.stages[stages[state]].roles;
            let most = choosing
                .iter()
                .map(|role| of_roles[*role].len())
                .max()
                .unwrap_or(0);
            for i in 0..most {
                let candidates = choosing.iter().filter_map(|role| {
                    let list = &of_roles[*role];
                    let leaf = list.get(i).or_else(|| list.first())?;
                    Some((*role, *leaf, i < list.len()))
                });
                tests.push((state, candidates.collect()));
            }
        }
        for chunk in tests.chunks(LaneEvaluator::CAPACITY) {
            self.stop.check()?;
            let loaded: Vec<BitState> = chunk
                .iter()
                .map(|(state, candidates)| {
                    let mut test = states[*state].0.clone();
                    test.set(tables.stages[stages[*state]].test as usize, true);
                    for (_, leaf, _) in candidates {
                        for fluent in &tables.leaves[*leaf as usize].remembered {
                            test.set(*fluent as usize, true);
                        }
                    }
                    test
                })
                .collect();
            let evaluator = self.lanes.evaluator();
            evaluator.load(loaded.iter());
            for role in 0..roles {
                let range = shared.network.game.moves_of(role);
                evaluator.each_legal(range, chunk.len(), |lane, action| {
                    let Some(rest) = tables.rest_of.get(&action) else {
                        return;
                    };
                    let (state, candidates) = &chunk[lane];
                    let own = candidates
                        .iter()
                        .find(|(r, _, is_new)| *r == role && *is_new);
                    if let Some((_, leaf, _)) = own
                        && tables.fits(*leaf, *rest)
                    {
                        found[*state].legal[role].push((*leaf, *rest));
                    }
                });
            }
        }
        if tables.asks_for_moves {
            // What was tried is remembered, so that the state knows which moves it has.
            for (state, draw) in draws.iter_mut().enumerate() {
                for (role, candidates) in leaves[state].iter().enumerate() {
                    for leaf in candidates {
                        let leaf_data = &tables.leaves[*leaf as usize];
                        let is_legal = found[state].legal[role].iter().any(|(l, _)| l == leaf);
                        if is_legal {
                            if let Some(known) = tables.known[leaf_data.class] {
                                draw.set(known as usize, true);
                            }
                        } else if let Some(tried) = leaf_data.tried {
                            draw.set(tried as usize, true);
                        }
                    }
                }
            }
            self.lanes.evaluator().load(draws.iter());
            self.read_results(count, &mut found);
        }
        if tables.shared {
            // The actor has drawn for the role that has the turn.
            for (one, mover) in found.iter_mut().zip(movers) {
                if let Some(mover) = mover {
                    let actor = tables.stages[0].roles[0];
                    one.legal.swap(actor, mover);
                }
            }
        }
        all.append(&mut found);
        Ok(())
    }

    /// Reads terminal and goals of the loaded states.
    fn read_results(&mut self, count: usize, found: &mut [Evaluation]) {
        let shared = self.shared.clone();
        let goals = &shared.network.goals;
        let roles = shared.roles.len();
        let evaluator = self.lanes.evaluator();
        for (lane, one) in found.iter_mut().enumerate().take(count) {
            one.terminal = evaluator.terminal(lane);
            one.goals = (0..roles)
                .map(|role| goal_of_role(goals, role, |goal| evaluator.goal(lane, goal)))
                .collect();
        }
    }

    /// The parts of the moves of a joint move; checks the moves of roles that do not choose.
    fn joint_parts(
        &mut self,
        state: &BitState,
        joint: &[MoveId],
    ) -> Result<JointParts, ReasonError> {
        let shared = self.shared.clone();
        let tables = &shared.tables;
        let (stage, mover) = self.stage_of(state)?;
        let mut parts = Vec::with_capacity(joint.len());
        for (role, id) in joint.iter().enumerate() {
            let term = self.vocabulary.move_of(role, *id).map(|(term, _)| term);
            let Some(term) = term else {
                return Err(self.illegal(role, *id));
            };
            let chooses = if tables.shared {
                mover == Some(role)
            } else {
                tables.stages[stage].roles.contains(&role)
            };
            if chooses {
                match tables.parts_of(state, role, term, &self.vocabulary) {
                    Some(one) => parts.push(Some(one)),
                    None => return Err(self.illegal(role, *id)),
                }
            } else {
                let passive = tables.turns.as_ref().map(|turns| turns[role].1);
                if passive != Some(term) {
                    return Err(self.illegal(role, *id));
                }
                parts.push(None);
            }
        }
        Ok(parts)
    }

    pub(super) fn illegal(&mut self, role: Role, id: MoveId) -> ReasonError {
        let text = self
            .vocabulary
            .move_of(role, id)
            .map(|(_, text)| text.to_owned());
        ReasonError::IllegalMove {
            role: self.shared.roles[role].clone(),
            text: text.unwrap_or_default(),
        }
    }

    /// The successors of states under joint moves.
    pub(super) fn successors(
        &mut self,
        moves: &[(&StagedState, &[MoveId])],
    ) -> Result<Vec<StagedState>, ReasonError> {
        let mut all = Vec::with_capacity(moves.len());
        for chunk in moves.chunks(LaneEvaluator::CAPACITY) {
            self.stop.check()?;
            self.successors_of_chunk(chunk, &mut all)?;
        }
        Ok(all)
    }

    fn successors_of_chunk(
        &mut self,
        moves: &[(&StagedState, &[MoveId])],
        all: &mut Vec<StagedState>,
    ) -> Result<(), ReasonError> {
        let shared = self.shared.clone();
        let tables = &shared.tables;
        let roles = shared.roles.len();
        let mut parts: Vec<JointParts> = Vec::with_capacity(moves.len());
        let mut draws: Vec<BitState> = Vec::with_capacity(moves.len());
        let mut tests: Vec<BitState> = Vec::with_capacity(moves.len());
        for (state, joint) in moves {
            ludorum_reasoner::check_move_count(roles, joint)?;
            self.check_assumed(state)?;
            let (stage, _) = self.stage_of(&state.0)?;
            let joint = self.joint_parts(&state.0, joint)?;
            let mut draw = state.0.clone();
            draw.set(tables.stages[stage].draw as usize, true);
            draws.push(draw);
            let mut test = state.0.clone();
            test.set(tables.stages[stage].test as usize, true);
            for (leaf, _) in joint.iter().flatten() {
                for fluent in &tables.leaves[*leaf as usize].remembered {
                    test.set(*fluent as usize, true);
                }
            }
            tests.push(test);
            parts.push(joint);
        }
        let evaluator = self.lanes.evaluator();
        evaluator.load(draws.iter());
        let mut illegal: Option<(usize, Role)> = None;
        for (lane, joint) in parts.iter().enumerate() {
            for (role, part) in joint.iter().enumerate() {
                if let Some((leaf, _)) = part {
                    let leaf = &tables.leaves[*leaf as usize];
                    if !evaluator.legal(lane, leaf.action) {
                        illegal.get_or_insert((lane, role));
                    } else if !leaf.is_clear(&moves[lane].0.0) {
                        return Err(several_values());
                    }
                }
            }
        }
        evaluator.load(tests.iter());
        evaluator.clear_moves(shared.network.game.move_count());
        for (lane, joint) in parts.iter().enumerate() {
            let mut played: Vec<Option<usize>> = tables.idle.clone();
            for (role, part) in joint.iter().enumerate() {
                let Some((leaf, rest)) = part else {
                    continue;
                };
                let action = tables.rests[*rest as usize].action;
                if !evaluator.legal(lane, action) {
                    illegal.get_or_insert((lane, role));
                }
                played[tables.leaves[*leaf as usize].role] = Some(action);
            }
            for action in played.into_iter().flatten() {
                evaluator.play(lane, action);
            }
        }
        if let Some((lane, role)) = illegal {
            return Err(self.illegal(role, moves[lane].1[role]));
        }
        evaluator.advance();
        for next in evaluator.states(moves.len()) {
            if !next.get(tables.moved as usize) {
                return Err(several_values());
            }
            all.push(StagedState(self.original_part(next)));
        }
        Ok(())
    }

    /// The fluents of the original game.
    pub(super) fn original_part(&self, mut state: BitState) -> BitState {
        let original = &self.shared.tables.original;
        for (word, mask) in state.words.iter_mut().zip(&original.words) {
            *word &= mask;
        }
        state
    }
}
