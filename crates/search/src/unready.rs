//! A test engine that is never ready for guided playouts.

use std::borrow::Borrow;

use ludorum_lanes::Lanes;
use ludorum_reasoner::{
    FluentId, Goal, GuidedRequest, GuidedResult, MoveHistory, MoveId, ReasonError, Reasoner, Rng,
    Role,
};

/// Lanes whose guided playouts are random, as they are while the machine for them is being
/// compiled. The requests must not wait for it.
#[derive(Debug)]
pub(crate) struct Unready(pub(crate) Lanes);

type State = <Lanes as Reasoner>::State;

impl Reasoner for Unready {
    type State = State;

    fn roles(&self) -> &[String] {
        self.0.roles()
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        self.0.initial()
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        self.0.is_terminal(state)
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Goal, ReasonError> {
        self.0.goal(state, role)
    }

    fn legal_moves(
        &mut self,
        state: &State,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.0.legal_moves(state, role, moves)
    }

    fn next(&mut self, state: &State, joint_move: &[MoveId]) -> Result<State, ReasonError> {
        self.0.next(state, joint_move)
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.0.move_text(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.0.find_move(role, text)
    }

    fn facts(&mut self, state: &State) -> Vec<String> {
        self.0.facts(state)
    }

    fn fluents(&mut self, state: &State, fluents: &mut Vec<FluentId>) {
        self.0.fluents(state, fluents);
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.0.fluent_text(id)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<State, ReasonError> {
        self.0.state_from_facts(facts)
    }

    fn key(&self, state: &State) -> u128 {
        self.0.key(state)
    }

    fn fork(&self) -> Self {
        Self(self.0.fork())
    }

    fn preferred_batch(&self) -> u32 {
        self.0.preferred_batch()
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        false
    }

    fn guided_playouts<B: Borrow<State>>(
        &mut self,
        wanted: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        assert!(!wanted.wait_until_ready, "it would be for ever");
        let GuidedRequest {
            starts,
            each,
            limit,
            ..
        } = *wanted;
        let histories = vec![MoveHistory::new(self.roles().len()); wanted.group_count()];
        let totals = self.0.playouts(starts, each, rng, limit)?;
        Ok(GuidedResult { totals, histories })
    }
}
