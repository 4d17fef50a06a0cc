//! The [`Reasoner`] of staged games.

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ludorum_logic::TermId;
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::{
    FluentId, Goal, GuidedRequest, GuidedResult, HeapSize, MoveId, PlayoutTotals, ReasonError,
    Reasoner, Rng, Role, StateSummary,
};

use super::evaluate::Evaluation;
use super::{StagedLanes, StagedState};

impl StagedLanes {
    fn check_role(&self, role: Role) -> Result<(), ReasonError> {
        let count = self.shared.roles.len();
        if role < count {
            return Ok(());
        }
        Err(ReasonError::UnknownRole { role, count })
    }

    fn evaluate_one(&mut self, state: &StagedState) -> Result<Evaluation, ReasonError> {
        Ok(self.evaluate(&[state])?.remove(0))
    }

    /// The legal moves of a role, sorted by text.
    fn moves_in(&mut self, state: &StagedState, found: &Evaluation, role: Role) -> Vec<MoveId> {
        let shared = Arc::clone(&self.shared);
        let mut moves: Vec<MoveId> = found.legal[role]
            .iter()
            .map(|(leaf, rest)| {
                let term = shared
                    .tables
                    .move_term(&state.0, *leaf, *rest, &mut self.vocabulary);
                self.vocabulary.move_id(role, term)
            })
            .collect();
        if let Some(turns) = &shared.tables.turns {
            let (control, passive) = turns[role];
            if !state.0.get(control as usize) {
                moves.push(self.vocabulary.move_id(role, passive));
            }
        }
        self.vocabulary.sort_moves(role, &mut moves);
        moves.dedup();
        moves
    }

    /// The fluent of the original game with a term.
    pub(super) fn fluent_of(&self, term: TermId) -> Option<usize> {
        let fluent = *self.shared.fluents.get(&term)?;
        Some(fluent as usize)
    }
}

impl Reasoner for StagedLanes {
    type State = StagedState;

    fn roles(&self) -> &[String] {
        &self.shared.roles
    }

    fn initial(&mut self) -> Result<StagedState, ReasonError> {
        let initial = self.shared.network.game.initial.clone();
        Ok(StagedState(self.original_part(initial)))
    }

    fn is_terminal(&mut self, state: &StagedState) -> Result<bool, ReasonError> {
        Ok(self.evaluate_one(state)?.terminal)
    }

    fn goal(&mut self, state: &StagedState, role: Role) -> Result<Goal, ReasonError> {
        self.check_role(role)?;
        Ok(self.evaluate_one(state)?.goals.swap_remove(role))
    }

    fn legal_moves(
        &mut self,
        state: &StagedState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.check_role(role)?;
        let found = self.evaluate_one(state)?;
        if found.moves_unknown {
            self.check_assumed(state)?;
        }
        *moves = self.moves_in(state, &found, role);
        Ok(())
    }

    fn next(
        &mut self,
        state: &StagedState,
        joint_move: &[MoveId],
    ) -> Result<StagedState, ReasonError> {
        Ok(self.successors(&[(state, joint_move)])?.remove(0))
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.vocabulary
            .move_of(role, id)
            .map(|(_, text)| text.to_owned())
            .unwrap_or_default()
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.vocabulary.find_move(role, text)
    }

    fn facts(&mut self, state: &StagedState) -> Vec<String> {
        let terms = &self.shared.tables.fluent_terms;
        let fluents: Vec<TermId> = state.0.ones().map(|i| terms[i]).collect();
        self.vocabulary.facts(&fluents)
    }

    fn fluents(&mut self, state: &StagedState, fluents: &mut Vec<FluentId>) {
        state.0.fluents(fluents);
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.shared.network.game.fluent_text(id)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<StagedState, ReasonError> {
        let mut state = BitState::empty(self.shared.network.game.fluents.len());
        for fact in facts {
            let term = self.vocabulary.fluent(fact)?;
            let Some(fluent) = self.fluent_of(term) else {
                return Err(ReasonError::BadText {
                    text: fact.clone(),
                    reason: "no reachable state holds it".to_owned(),
                });
            };
            state.set(fluent, true);
        }
        let state = StagedState(state);
        // The network is right in reachable states only.
        let start = self.start_of(&state);
        self.shared.network.check_reachable(&start)?;
        Ok(state)
    }

    fn fluent_difference(&mut self, first: &StagedState, second: &StagedState) -> (usize, usize) {
        first.0.difference(&second.0)
    }

    fn key(&self, state: &StagedState) -> u128 {
        self.shared.network.game.key(&state.0)
    }

    fn fork(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            lanes: self.lanes.fork(),
            vocabulary: self.vocabulary.clone(),
            stop: self.stop.of_fork(),
        }
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.stop.deadline = deadline;
        self.lanes.set_deadline(deadline);
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.stop.cancel.clone_from(&cancel);
        self.lanes.set_cancel(cancel);
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    fn wait_until_ready(&mut self) {
        self.lanes.wait_until_ready();
    }

    fn components(&self) -> Option<usize> {
        Some(self.shared.network.len())
    }

    fn playouts<B: Borrow<StagedState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        for start in starts {
            self.check_start(start.borrow())?;
        }
        let starts: Vec<BitState> = starts
            .iter()
            .map(|start| self.start_of(start.borrow()))
            .collect();
        self.lanes.playouts(&starts, each, rng, limit)
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        true
    }

    fn guided_playouts<B: Borrow<StagedState>>(
        &mut self,
        request: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        for start in request.starts {
            self.check_start(start.borrow())?;
        }
        let starts: Vec<BitState> = request
            .starts
            .iter()
            .map(|start| self.start_of(start.borrow()))
            .collect();
        let starts: Vec<&BitState> = starts.iter().collect();
        self.lanes
            .guided_playouts(&request.with(&starts, request.policy), rng)
    }

    fn summaries<B: Borrow<StagedState>>(
        &mut self,
        states: &[B],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        let states: Vec<&StagedState> = states.iter().map(Borrow::borrow).collect();
        let found = self.evaluate(&states)?;
        let roles = self.shared.roles.len();
        Ok(states
            .into_iter()
            .zip(found)
            .map(|(state, found)| StateSummary {
                terminal: found.terminal,
                legal: (0..roles)
                    .map(|role| self.moves_in(state, &found, role))
                    .collect(),
                goals: found.goals,
            })
            .collect())
    }

    fn next_states(
        &mut self,
        moves: &[(&StagedState, &[MoveId])],
    ) -> Result<Vec<StagedState>, ReasonError> {
        self.successors(moves)
    }

    fn state_bytes(&self, state: &StagedState) -> usize {
        size_of::<StagedState>() + state.0.heap_bytes()
    }

    fn preferred_batch(&self) -> u32 {
        100_000
    }
}
