/*!
The reference engine: backward chaining over the rules, with tabling.

It needs hardly any preparation and takes every valid rule sheet, including nested terms and
recursion of any kind. The answers of all other engines are compared with its answers. [`Prover`]
sends queries to `solve`, which runs the plans of the rules (`rule_plan`) over the `facts` of the
sheet and the fluents of the `state`. Answers are stored in tables (`answer_table`) until the state
or the joint move changes.
*/

mod answer_table;
mod facts;
mod fluent_statistics;
mod mask;
mod rule_plan;
mod solve;
mod state;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ludorum_logic::rule::RelationId;
use ludorum_logic::{RelationClass, Rules, TermId};

use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{
    FluentId, Goal, HeapSize as _, MoveId, ReasonError, Reasoner, Role, check_move_count,
};
use solve::Solver;
pub use state::ProverState;

/// The prover of a game.
#[derive(Clone, Debug)]
pub struct Prover {
    solver: Solver,
    roles: Arc<[String]>,
    /// The state that the answer tables of the solver are about.
    current: Option<ProverState>,
}

/// The mask that binds the role in `legal` and `goal`.
const ROLE_BOUND: u64 = 1;
/// The mask that binds the move in `legal`.
const MOVE_BOUND: u64 = 2;
/// The maximum number of moves returned when the query was stopped before all were found. Also the
/// number of moves that get ids between two checks of the stop signal: giving ids to thousands of
/// new moves takes time as well.
const SOME_MOVES: usize = 16;

impl Prover {
    /// A prover for the rules, fully prepared.
    pub fn new(rules: Arc<Rules>) -> Result<Self, ReasonError> {
        let mut prover = Self::unprepared(rules)?;
        prover.prepare();
        Ok(prover)
    }

    /// A prover with a time limit for its preparation. It may be slower than a fully prepared one.
    pub fn prepared_within(rules: Arc<Rules>, time: Duration) -> Result<Self, ReasonError> {
        let mut prover = Self::unprepared(rules)?;
        prover.solver.prepare(Some(Instant::now() + time));
        Ok(prover)
    }

    /// Prepares for many queries: computes rigid relations and the statistics of fluents. Cached
    /// answers are dropped. States and moves stay valid.
    pub fn prepare(&mut self) {
        self.prepare_until(None);
    }

    /// Prepares as far as possible until a deadline.
    pub fn prepare_until(&mut self, moment: Option<Instant>) {
        self.solver.prepare(moment);
        self.current = None;
    }

    /// Queries end with [`ReasonError::Stopped`] when another thread sets this flag. It is
    /// independent of the cancel flag of the caller.
    pub fn set_interrupt(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.solver.interrupt = flag;
    }

    fn unprepared(rules: Arc<Rules>) -> Result<Self, ReasonError> {
        if let Some((id, relation)) = rules.relations().find(|(_, r)| r.arity > mask::MAX_ARITY) {
            return Err(ReasonError::Budget(format!(
                "`{}` has {} arguments; this engine takes up to {}",
                rules.relation_name(id),
                relation.arity,
                mask::MAX_ARITY
            )));
        }
        let roles = rules
            .roles
            .iter()
            .map(|role| rules.terms.text(*role))
            .collect();
        Ok(Self {
            solver: Solver::new(rules),
            roles,
            current: None,
        })
    }

    fn vocabulary(&mut self) -> &mut Vocabulary {
        &mut self.solver.vocabulary
    }

    /// A fork of the table of terms and moves that all forks of this prover share.
    pub fn shared_vocabulary(&self) -> Vocabulary {
        self.solver.vocabulary.clone()
    }

    /// Makes a state the current one. Answers about another state are dropped.
    fn set_state(&mut self, state: &ProverState) {
        if self.current.as_ref() == Some(state) {
            return;
        }
        self.solver.vocabulary.know_all(&state.fluents);
        self.solver.forget(RelationClass::State);
        self.solver
            .view
            .set(&state.fluents, self.solver.vocabulary.terms());
        self.solver.joint.clear();
        self.current = Some(state.clone());
    }

    fn state(&mut self, fluents: Vec<TermId>) -> ProverState {
        let (fluents, key) = self.vocabulary().state(fluents);
        ProverState { fluents, key }
    }

    fn check_sizes(&self, answers: &[TermId]) -> Result<(), ReasonError> {
        self.solver.vocabulary.check_sizes(answers)
    }

    fn role_term(&self, role: Role) -> Result<TermId, ReasonError> {
        let roles = &self.solver.rules.roles;
        roles.get(role).copied().ok_or(ReasonError::UnknownRole {
            role,
            count: roles.len(),
        })
    }

    /// Whether one move is legal. Does not compute all legal moves, which may be thousands.
    fn is_legal(&mut self, role: TermId, term: TermId) -> Result<bool, ReasonError> {
        let legal = self.solver.rules.keywords.legal;
        if let Some(moves) = self.solver.all(legal, ROLE_BOUND, &[role]) {
            return Ok(moves.contains(&term));
        }
        let query = self
            .solver
            .ask(legal, ROLE_BOUND | MOVE_BOUND, &[role, term])?;
        Ok(self.solver.count(query) > 0)
    }

    /// The answers of a relation for a role.
    fn answers_for_role(
        &mut self,
        relation: RelationId,
        role: Role,
    ) -> Result<&[TermId], ReasonError> {
        let role = self.role_term(role)?;
        let query = self.solver.ask(relation, ROLE_BOUND, &[role])?;
        self.check_sizes(self.solver.answers(query))?;
        Ok(self.solver.answers(query))
    }
}

impl Reasoner for Prover {
    type State = ProverState;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&mut self) -> Result<ProverState, ReasonError> {
        let query = self.solver.ask(self.solver.rules.keywords.init, 0, &[])?;
        let fluents = self.solver.answers(query).to_vec();
        self.check_sizes(&fluents)?;
        Ok(self.state(fluents))
    }

    fn is_terminal(&mut self, state: &ProverState) -> Result<bool, ReasonError> {
        self.set_state(state);
        let query = self
            .solver
            .ask(self.solver.rules.keywords.terminal, 0, &[])?;
        Ok(self.solver.count(query) > 0)
    }

    fn goal(&mut self, state: &ProverState, role: Role) -> Result<Goal, ReasonError> {
        self.set_state(state);
        let values = self
            .answers_for_role(self.solver.rules.keywords.goal, role)?
            .to_vec();
        let terms = self.solver.vocabulary.terms();
        Ok(Goal::from_texts(
            values.iter().map(|id| terms.text(*id)).collect(),
        ))
    }

    fn legal_moves(
        &mut self,
        state: &ProverState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.set_state(state);
        moves.clear();
        let legal = self.solver.rules.keywords.legal;
        let (terms, mut answer) = match self.answers_for_role(legal, role) {
            Ok(terms) => (terms.to_vec(), Ok(())),
            Err(ReasonError::Stopped) => {
                let role = self.role_term(role)?;
                let known = self.solver.known(legal, ROLE_BOUND, &[role]);
                let known = known[..known.len().min(SOME_MOVES)].to_vec();
                self.check_sizes(&known)?;
                (known, Err(ReasonError::Stopped))
            }
            Err(error) => return Err(error),
        };
        for (named, term) in terms.into_iter().enumerate() {
            if named % SOME_MOVES == SOME_MOVES - 1 && answer.is_ok() {
                answer = self.solver.check_time();
                if answer.is_err() {
                    break;
                }
            }
            moves.push(self.vocabulary().move_id(role, term));
        }
        self.vocabulary().sort_moves(role, moves);
        answer
    }

    fn next(
        &mut self,
        state: &ProverState,
        joint_move: &[MoveId],
    ) -> Result<ProverState, ReasonError> {
        check_move_count(self.roles.len(), joint_move)?;
        self.set_state(state);
        let mut joint = Vec::with_capacity(joint_move.len());
        for (role, id) in joint_move.iter().enumerate() {
            let known = self.vocabulary().move_of(role, *id);
            let known = known.map(|(term, text)| (term, text.to_owned()));
            let role_term = self.role_term(role)?;
            let is_legal = match &known {
                Some((term, _)) => self.is_legal(role_term, *term)?,
                None => false,
            };
            match known {
                Some((term, _)) if is_legal => joint.push((role_term, term)),
                _ => {
                    return Err(ReasonError::IllegalMove {
                        role: self.roles[role].clone(),
                        text: known.map_or_else(|| format!("move {}", id.0), |(_, text)| text),
                    });
                }
            }
        }
        if self.solver.joint != joint {
            self.solver.forget(RelationClass::Action);
            self.solver.joint = joint;
        }
        let query = self.solver.ask(self.solver.rules.keywords.next, 0, &[])?;
        let fluents = self.solver.answers(query).to_vec();
        self.check_sizes(&fluents)?;
        Ok(self.state(fluents))
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.vocabulary()
            .move_of(role, id)
            .map(|(_, text)| text.to_owned())
            .unwrap_or_default()
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.vocabulary().find_move(role, text)
    }

    fn facts(&mut self, state: &ProverState) -> Vec<String> {
        self.vocabulary().facts(&state.fluents)
    }

    fn fluents(&mut self, state: &ProverState, fluents: &mut Vec<FluentId>) {
        fluents.clear();
        fluents.extend(state.fluents.iter().map(|id| FluentId(id.0)));
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.vocabulary().term_text(TermId(id.0))
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<ProverState, ReasonError> {
        let vocabulary = self.vocabulary();
        let fluents = facts.iter().map(|fact| vocabulary.fluent(fact));
        let fluents = fluents.collect::<Result<_, _>>()?;
        Ok(self.state(fluents))
    }

    fn key(&self, state: &ProverState) -> u128 {
        state.key
    }

    fn fork(&self) -> Self {
        let mut fork = self.clone();
        fork.solver.cancel = None;
        fork
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.solver.deadline = deadline;
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.solver.cancel = cancel;
    }

    fn state_bytes(&self, state: &ProverState) -> usize {
        size_of::<ProverState>() + state.heap_bytes()
    }
}
