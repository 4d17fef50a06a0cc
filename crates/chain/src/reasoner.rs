//! The implementation of the [`Reasoner`] contract.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::rule_groups::Query;
use super::{Chain, ChainState};
use ludorum_reasoner::{
    FluentId, Goal, HeapSize as _, MoveId, Playout, ReasonError, Reasoner, Rng, Role,
    check_move_count,
};

impl Reasoner for Chain {
    type State = ChainState;

    fn roles(&self) -> &[String] {
        &self.compiled.role_names
    }

    fn initial(&mut self) -> Result<ChainState, ReasonError> {
        let initial = self.compiled.initial.clone();
        Ok(self.state(initial))
    }

    fn is_terminal(&mut self, state: &ChainState) -> Result<bool, ReasonError> {
        self.load_state(state);
        self.machine.ensure(&self.compiled, Query::Terminal)?;
        Ok(self.machine.knowledge.has(self.compiled.terminal))
    }

    fn goal(&mut self, state: &ChainState, role: Role) -> Result<Goal, ReasonError> {
        self.check_role(role)?;
        self.load_state(state);
        self.machine.ensure(&self.compiled, Query::Goal)?;
        Ok(self.compiled.goals.of(role, &self.machine.knowledge))
    }

    fn legal_moves(
        &mut self,
        state: &ChainState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.check_role(role)?;
        self.load_state(state);
        moves.clear();
        self.machine.ensure(&self.compiled, Query::Legal)?;
        for predicate in self.compiled.moves.predicates() {
            let list = self.machine.knowledge.list_of(predicate).iter();
            let knowledge = &self.machine.knowledge;
            let outside = list.filter_map(|id| self.compiled.moves.move_of(knowledge, *id));
            moves.extend(outside.filter(|(of, _)| *of == role).map(|(_, id)| id));
        }
        if self.compiled.moves.in_order {
            moves.sort_unstable();
        } else {
            let mut texts: Vec<(String, MoveId)> = Vec::with_capacity(moves.len());
            for id in moves.iter() {
                texts.push((self.text_of_move(role, *id), *id));
            }
            texts.sort_unstable();
            moves.clear();
            moves.extend(texts.into_iter().map(|(_, id)| id));
        }
        Ok(())
    }

    fn next(
        &mut self,
        state: &ChainState,
        joint_move: &[MoveId],
    ) -> Result<ChainState, ReasonError> {
        check_move_count(self.compiled.roles.len(), joint_move)?;
        self.load_state(state);
        self.machine.ensure(&self.compiled, Query::Legal)?;
        let mut joint = Vec::with_capacity(joint_move.len());
        for (role, id) in joint_move.iter().enumerate() {
            let knowledge = &mut self.machine.knowledge;
            match self.compiled.moves.instance_of(knowledge, role, *id) {
                Some((does, legal)) if self.machine.knowledge.has(legal) => {
                    joint.push((does, legal));
                }
                _ => {
                    let text = self.text_of_move(role, *id);
                    return Err(ReasonError::IllegalMove {
                        role: self.compiled.role_names[role].clone(),
                        text: if text.is_empty() {
                            format!("move {}", id.0)
                        } else {
                            text
                        },
                    });
                }
            }
        }
        self.machine
            .apply_moves(&self.compiled, joint.into_iter())?;
        let mut fluents = std::mem::take(&mut self.fluents);
        self.machine.next_fluents(&self.compiled, &mut fluents);
        let next = self.state(fluents.clone());
        self.fluents = fluents;
        Ok(next)
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.text_of_move(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        let (functor, parts) = self.term(text).ok()??;
        self.move_with(role, functor, &parts)
    }

    fn facts(&mut self, state: &ChainState) -> Vec<String> {
        let texts = state.fluents.iter().map(|id| self.text_of_fluent(*id));
        let mut facts: Vec<String> = texts.collect();
        facts.sort_unstable();
        facts
    }

    fn fluents(&mut self, state: &ChainState, fluents: &mut Vec<FluentId>) {
        fluents.clear();
        fluents.extend(state.fluents.iter().map(|id| FluentId(*id)));
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.text_of_fluent(id.0)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<ChainState, ReasonError> {
        let mut fluents = Vec::with_capacity(facts.len());
        for fact in facts {
            let bad = |reason: String| ReasonError::BadText {
                text: fact.clone(),
                reason,
            };
            let term = self.term(fact).map_err(bad)?;
            let id = term.and_then(|(functor, parts)| self.fluent_with(functor, &parts));
            let id = id.ok_or_else(|| bad("no state of this game can hold it".to_owned()))?;
            fluents.push(id);
        }
        Ok(self.state(fluents))
    }

    fn key(&self, state: &ChainState) -> u128 {
        state.key
    }

    fn fork(&self) -> Self {
        Self::with(Arc::clone(&self.compiled))
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.machine.set_deadline(deadline);
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.machine.set_cancel(cancel);
    }

    fn state_bytes(&self, state: &ChainState) -> usize {
        size_of::<ChainState>() + state.heap_bytes()
    }

    fn playout(
        &mut self,
        state: &ChainState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.current = None;
        self.machine.load(&self.compiled, &state.fluents);
        let (steps, end) = self.play(rng, limit)?;
        self.machine.ensure(&self.compiled, Query::Goal)?;
        let roles = 0..self.compiled.roles.len();
        let goals = roles
            .map(|role| self.compiled.goals.of(role, &self.machine.knowledge))
            .collect();
        Ok(Playout { goals, steps, end })
    }
}
