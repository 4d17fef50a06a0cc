/*!
The engine that chooses among the others while it plays.

[`Auto`] answers from the first moment with the prover, which takes every rule sheet and needs
hardly any preparation. Meanwhile `compiler` grounds the rules and builds the network on a thread of
its own. When the network is ready, every fork switches to it at its next query. A query that the
prover is still working on is interrupted and answered by the network. If grounding exceeds its
limits, the prover stays, and [`EngineChoice`] says why. Forward chaining or the OR-AND interpreter
then plays the playouts, if one of them is faster than the prover (`fallback_engine`).

States and move ids stay valid over the switch. An [`AutoState`] is a state of the prover or of the
network. A state of the prover is converted at the first query to the network. Moves keep the ids of
the prover: the compiler imports all moves of the network into the prover by their term ids before
any fork switches. States that no sequence of moves can reach, which the network rejects, stay with
the prover.
*/

mod batch_lanes;
mod compiler;
mod fallback_engine;
mod network_engines;
mod state;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use compiler::{Compiler, NoNetwork};
use fallback_engine::{FallbackEngine, PlayoutLimits};
use ludorum_reasoner::{
    EngineChoice, FluentId, Goal, GuidedRequest, GuidedResult, HeapSize as _, MoveId, Playout,
    PlayoutRecord, PlayoutTotals, ReasonError, Reasoner, Rng, Role, StateSummary, StopSignal,
    check_move_count, count_differences, guided_playouts, playout_totals, random_playout,
    recorded_playouts, state_summaries,
};
use network_engines::NetworkEngines;
pub use state::AutoState;
use state::Form;
pub(crate) use state::foreign_state_error;

use crate::settings::EngineSettings;
use ludorum_propnet::{BitState, CompiledGame};
use ludorum_prover::{Prover, ProverState};

/// Time limit of the prover's preparation before its first answer. The rest of the preparation
/// follows if the prover stays.
const PREPARATION: Duration = Duration::from_millis(25);

/// The engine that chooses among the others.
#[derive(Debug)]
pub struct Auto {
    prover: Prover,
    compiler: Arc<Compiler>,
    /// The engines on the network, once this fork has switched to them.
    compiled: Option<Box<NetworkEngines>>,
    /// Whether this fork has seen the result of the compiler.
    decided: bool,
    /// An engine for playouts, for games without a network.
    fallback: Option<FallbackEngine>,
    stop: StopSignal,
}

impl Auto {
    /// Starts compiling in the background and is ready to answer. If compiling exceeds
    /// [`EngineSettings::limits`], the prover stays.
    pub fn new(game: Arc<CompiledGame>, settings: &EngineSettings) -> Result<Self, ReasonError> {
        let prover = Prover::prepared_within(Arc::clone(game.rules()), PREPARATION)?;
        let compiler = Compiler::start(game, settings, &prover);
        Ok(Self::with_compiler(prover, compiler))
    }

    fn with_compiler(mut prover: Prover, compiler: Compiler) -> Self {
        prover.set_interrupt(Some(compiler.ready_flag()));
        Self {
            prover,
            compiler: Arc::new(compiler),
            compiled: None,
            decided: false,
            fallback: None,
            stop: StopSignal::default(),
        }
    }

    /// Which engine answers and why.
    pub fn choice(&self) -> EngineChoice {
        self.compiler.choice()
    }

    /// Switches to the result of the compiler, if there is one.
    #[cold]
    fn check_compiler(&mut self) {
        let Some(result) = self.compiler.result() else {
            return;
        };
        self.decided = true;
        self.prover.set_interrupt(None);
        match result {
            Ok(mut compiled) => {
                compiled.set_stop_signal(&self.stop);
                self.compiled = Some(Box::new(compiled));
            }
            Err(NoNetwork) => self.prover.prepare_until(self.stop.deadline),
        }
    }

    /// Forwards the stop signal to the network.
    fn forward_stop_signal(&mut self) {
        if let Some(compiled) = &mut self.compiled {
            compiled.set_stop_signal(&self.stop);
        }
    }

    /// Whether this fork uses the network. Called before every query.
    #[inline]
    fn is_compiled(&mut self) -> bool {
        if !self.decided {
            self.check_compiler();
        }
        self.compiled.is_some()
    }

    /// A playout by the fallback engine, if there is no network and a fallback engine is faster than
    /// the prover.
    fn fallback_playout(
        &mut self,
        state: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Option<Result<Playout, ReasonError>> {
        if !self.decided || self.compiled.is_some() {
            return None;
        }
        if self.fallback.is_none() {
            self.fallback = self.compiler.fallback();
        }
        let fallback = self.fallback.as_mut()?;
        let Form::Rules(rules_state) = &state.form else {
            return None;
        };
        let facts = self.prover.facts(&rules_state.state);
        let limits = PlayoutLimits {
            steps: limit,
            deadline: self.stop.deadline,
            cancel: self.stop.cancel.clone(),
        };
        fallback.playout(&facts, rng, limits)
    }

    /// The network and some states in its representation, if it can represent all of them.
    fn all_compiled<'s, B: Borrow<AutoState>>(
        &mut self,
        states: &'s [B],
    ) -> Option<(&mut NetworkEngines, Vec<&'s BitState>)> {
        self.is_compiled();
        let compiled = self.compiled.as_mut()?;
        let mut all = Vec::with_capacity(states.len());
        for state in states {
            all.push(match &state.borrow().form {
                Form::Network(bits) => bits,
                Form::Rules(rules_state) => {
                    rules_state.bits(&mut self.prover, &mut compiled.network)?
                }
            });
        }
        Some((compiled, all))
    }

    /// Queries the network about a state if it can represent the state, else the prover.
    #[inline]
    fn ask<T>(
        &mut self,
        state: &AutoState,
        mut network: impl FnMut(&mut NetworkEngines, &BitState) -> Result<T, ReasonError>,
        mut rules: impl FnMut(&mut Prover, &ProverState) -> Result<T, ReasonError>,
    ) -> Result<T, ReasonError> {
        loop {
            self.is_compiled();
            let rules_state = match (&state.form, &mut self.compiled) {
                (Form::Network(bits), Some(compiled)) => return network(compiled, bits),
                (Form::Network(_), None) => return Err(foreign_state_error()),
                (Form::Rules(rules_state), Some(compiled)) => {
                    if let Some(bits) = rules_state.bits(&mut self.prover, &mut compiled.network) {
                        return network(compiled, bits);
                    }
                    rules_state
                }
                (Form::Rules(rules_state), None) => rules_state,
            };
            let answer = rules(&mut self.prover, &rules_state.state);
            let interrupted = matches!(answer, Err(ReasonError::Stopped)) && !self.decided;
            // The compiler has interrupted the prover: repeat the query on the network.
            if !(interrupted && self.is_compiled()) {
                return answer;
            }
        }
    }
}

impl Reasoner for Auto {
    type State = AutoState;

    fn roles(&self) -> &[String] {
        self.prover.roles()
    }

    fn initial(&mut self) -> Result<AutoState, ReasonError> {
        if self.is_compiled()
            && let Some(compiled) = &mut self.compiled
        {
            return compiled.initial();
        }
        match self.prover.initial() {
            Err(ReasonError::Stopped) if self.is_compiled() => self.initial(),
            state => Ok(AutoState::of_prover(state?)),
        }
    }

    fn is_terminal(&mut self, state: &AutoState) -> Result<bool, ReasonError> {
        self.ask(
            state,
            |compiled, bits| compiled.network.is_terminal(bits),
            Prover::is_terminal,
        )
    }

    fn goal(&mut self, state: &AutoState, role: Role) -> Result<Goal, ReasonError> {
        self.ask(
            state,
            |compiled, bits| compiled.network.goal(bits, role),
            |prover, rules_state| prover.goal(rules_state, role),
        )
    }

    fn legal_moves(
        &mut self,
        state: &AutoState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        // Both closures fill the same list.
        let list = std::cell::RefCell::new(moves);
        let answer = self.ask(
            state,
            |compiled, bits| compiled.legal_moves(bits, role, &mut list.borrow_mut()),
            |prover, rules_state| prover.legal_moves(rules_state, role, &mut list.borrow_mut()),
        );
        if !self.decided {
            self.compiler.begin();
        }
        answer
    }

    fn next(&mut self, state: &AutoState, joint_move: &[MoveId]) -> Result<AutoState, ReasonError> {
        check_move_count(self.prover.roles().len(), joint_move)?;
        let next = self.ask(
            state,
            |compiled, bits| compiled.next(bits, state.key, joint_move),
            |prover, rules_state| {
                let next = prover.next(rules_state, joint_move)?;
                Ok(Ok(AutoState::of_prover(next)))
            },
        )?;
        next.map_err(|unknown| {
            let (role, id) = (unknown.role, joint_move[unknown.role]);
            let text = self.prover.move_text(role, id);
            ReasonError::IllegalMove {
                role: self.prover.roles()[role].clone(),
                text: if text.is_empty() {
                    format!("move {}", id.0)
                } else {
                    text
                },
            }
        })
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.prover.move_text(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.prover.find_move(role, text)
    }

    fn facts(&mut self, state: &AutoState) -> Vec<String> {
        self.is_compiled();
        match (&state.form, &mut self.compiled) {
            (Form::Rules(rules_state), _) => self.prover.facts(&rules_state.state),
            (Form::Network(bits), Some(compiled)) => compiled.network.facts(bits),
            (Form::Network(_), None) => Vec::new(),
        }
    }

    fn fluents(&mut self, state: &AutoState, fluents: &mut Vec<FluentId>) {
        self.is_compiled();
        match (&state.form, &self.compiled) {
            (Form::Rules(rules_state), _) => self.prover.fluents(&rules_state.state, fluents),
            (Form::Network(bits), Some(compiled)) => compiled.fluents(bits, fluents),
            (Form::Network(_), None) => fluents.clear(),
        }
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.prover.fluent_text(id)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<AutoState, ReasonError> {
        if self.is_compiled()
            && let Some(compiled) = &mut self.compiled
            && let Ok(bits) = compiled.network.state_from_facts(facts)
        {
            return Ok(compiled.state(bits));
        }
        // States that the network cannot represent stay with the prover.
        self.prover
            .state_from_facts(facts)
            .map(AutoState::of_prover)
    }

    fn key(&self, state: &AutoState) -> u128 {
        state.key
    }

    fn fork(&self) -> Self {
        let stop = self.stop.of_fork();
        let mut compiled = self.compiled.clone();
        if let Some(compiled) = &mut compiled {
            compiled.set_stop_signal(&stop);
        }
        Self {
            prover: self.prover.fork(),
            compiler: Arc::clone(&self.compiler),
            compiled,
            decided: self.decided,
            fallback: self.fallback.as_ref().map(FallbackEngine::fork),
            stop,
        }
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.prover.set_deadline(deadline);
        self.stop.deadline = deadline;
        self.forward_stop_signal();
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.prover.set_cancel(cancel.clone());
        self.stop.cancel = cancel;
        self.forward_stop_signal();
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    fn wait_until_ready(&mut self) {
        self.compiler.wait();
        self.is_compiled();
    }

    fn engine_choice(&self) -> Option<EngineChoice> {
        Some(self.choice())
    }

    fn fluent_difference(&mut self, first: &AutoState, second: &AutoState) -> (usize, usize) {
        if let (Form::Network(first), Form::Network(second)) = (&first.form, &second.form) {
            return first.difference(second);
        }
        let states = [first.clone(), second.clone()];
        if let Some((_, bits)) = self.all_compiled(&states) {
            return bits[0].difference(bits[1]);
        }
        let facts = states.map(|state| self.facts(&state));
        count_differences(&facts[0], &facts[1])
    }

    fn components(&self) -> Option<usize> {
        self.compiled.as_ref()?.network.components()
    }

    fn playout(
        &mut self,
        state: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        if self.is_compiled()
            && let Some(compiled) = &mut self.compiled
        {
            let bits = match &state.form {
                Form::Network(bits) => Some(bits),
                Form::Rules(rules_state) => {
                    rules_state.bits(&mut self.prover, &mut compiled.network)
                }
            };
            if let Some(bits) = bits {
                return compiled.playout(bits, rng, limit);
            }
        }
        if let Some(played) = self.fallback_playout(state, rng, limit) {
            return played;
        }
        // Query by query, so that the playout can switch to the network in the middle.
        random_playout(self, state, rng, limit)
    }

    fn playouts<B: Borrow<AutoState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        if let Some((compiled, bits)) = self.all_compiled(starts) {
            return compiled.playouts(&bits, each, rng, limit);
        }
        playout_totals(self, starts, each, rng, limit)
    }

    fn recorded_playouts<B: Borrow<AutoState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
        if let Some((compiled, bits)) = self.all_compiled(starts)
            && let Some(records) = compiled.records(&bits, each, rng, limit)
        {
            return records;
        }
        recorded_playouts(self, starts, each, rng, limit)
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        self.is_compiled();
        let compiled = self.compiled.as_mut();
        compiled.is_none_or(|compiled| compiled.is_ready_for_guided_playouts())
    }

    fn guided_playouts<B: Borrow<AutoState>>(
        &mut self,
        request: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        if let Some((compiled, bits)) = self.all_compiled(request.starts) {
            let request = request.with(&bits, request.policy);
            return compiled.guided_playouts(&request, rng);
        }
        guided_playouts(self, request, rng)
    }

    fn summaries<B: Borrow<AutoState>>(
        &mut self,
        states: &[B],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        if let Some((compiled, bits)) = self.all_compiled(states) {
            return compiled.summaries(&bits);
        }
        state_summaries(self, states)
    }

    fn next_states(
        &mut self,
        moves: &[(&AutoState, &[MoveId])],
    ) -> Result<Vec<AutoState>, ReasonError> {
        self.is_compiled();
        if let Some(compiled) = &mut self.compiled
            && let Some(states) = compiled.next_states(moves)
        {
            return states;
        }
        let one = |(state, joint_move): &(&AutoState, &[MoveId])| self.next(state, joint_move);
        moves.iter().map(one).collect()
    }

    fn state_bytes(&self, state: &AutoState) -> usize {
        size_of::<AutoState>() + state.heap_bytes()
    }

    fn preferred_batch(&self) -> u32 {
        self.compiled
            .as_ref()
            .map_or(1, |compiled| compiled.preferred_batch())
    }
}
