/*!
The choice of the engine, made by the machine.

[`Auto`] answers from the first moment with the prover, which takes every sheet and needs no
preparation worth speaking of. Meanwhile the `compiler` grounds the rules and builds the network in
a thread of its own; once that is there, every fork goes over to it at its next question, a question
that the prover is still working on included. Where grounding goes over its budget the prover stays,
and [`EngineChoice`] says why; playouts are then left to forward chaining or to the OR-AND interpreter,
whichever is fastest (`standin`).

Nothing that was handed out before becomes invalid. A [`AutoState`] is a state of the prover or of
the network; one of the prover's is converted when the network is first asked about it. Moves have
the prover's numbers for good: the compiler numbers all moves of the network with it before anyone
goes over. States that no play can reach, which the network refuses, stay with the prover.
*/

mod batches;
mod compiled;
mod compiler;
mod standin;
mod state;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use compiled::Compiled;
use compiler::{Compiler, NoNetwork};
use ludorum_reasoner::{
    EngineChoice, FluentId, Goal, GuidedRequest, GuidedResult, HeapSize as _, MoveId, Playout,
    PlayoutRecord, PlayoutTotals, ReasonError, Reasoner, Rng, Role, StateSummary, StopSignal,
    check_move_count, count_differences, guided_playouts, playout_totals, random_playout,
    recorded_playouts, state_summaries,
};
use standin::{Bounds, Standin};
pub use state::AutoState;
use state::Form;

use crate::any_state::foreign;
use crate::engine::Settings;
use ludorum_propnet::{BitState, CompiledGame};
use ludorum_prover::{Prover, ProverState};

/// How long the prover may prepare itself before its first answer; what remains is done if it is to
/// stay.
const PREPARATION: Duration = Duration::from_millis(25);

/// The engine that chooses engines.
#[derive(Debug)]
pub struct Auto {
    prover: Prover,
    compiler: Arc<Compiler>,
    /// The network, once this fork has gone over to it.
    compiled: Option<Box<Compiled>>,
    /// Whether the compiler's result has been taken note of.
    decided: bool,
    /// An engine for playouts, where there is no network.
    standin: Option<Standin>,
    until: StopSignal,
}

impl Auto {
    /// Ready to answer; compiling begins in the background. Over [`Settings::limits`] the prover
    /// stays.
    pub fn new(game: Arc<CompiledGame>, settings: &Settings) -> Result<Self, ReasonError> {
        let prover = Prover::prepared_within(Arc::clone(game.rules()), PREPARATION)?;
        let compiler = Compiler::start(game, settings, &prover);
        Ok(Self::with(prover, compiler))
    }

    fn with(mut prover: Prover, compiler: Compiler) -> Self {
        prover.set_interrupt(Some(compiler.ready_flag()));
        Self {
            prover,
            compiler: Arc::new(compiler),
            compiled: None,
            decided: false,
            standin: None,
            until: StopSignal::default(),
        }
    }

    /// Which engine answers and why.
    pub fn choice(&self) -> EngineChoice {
        self.compiler.choice()
    }

    /// Takes note of what the compiler has made, if it is done.
    #[cold]
    fn look_for_network(&mut self) {
        let Some(result) = self.compiler.result() else {
            return;
        };
        self.decided = true;
        self.prover.set_interrupt(None);
        match result {
            Ok(mut compiled) => {
                compiled.set_until(&self.until);
                self.compiled = Some(Box::new(compiled));
            }
            Err(NoNetwork) => self.prover.prepare_until(self.until.deadline),
        }
    }

    /// Tells the network when to stop.
    fn pass_on(&mut self) {
        if let Some(compiled) = &mut self.compiled {
            compiled.set_until(&self.until);
        }
    }

    /// Whether the network is there, to be asked before every question.
    #[inline]
    fn is_compiled(&mut self) -> bool {
        if !self.decided {
            self.look_for_network();
        }
        self.compiled.is_some()
    }

    /// A playout by another engine than the prover, where there is no network and that engine is
    /// faster.
    fn playout_by_standin(
        &mut self,
        state: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Option<Result<Playout, ReasonError>> {
        if !self.decided || self.compiled.is_some() {
            return None;
        }
        if self.standin.is_none() {
            self.standin = self.compiler.standin();
        }
        let standin = self.standin.as_mut()?;
        let Form::Rules(early) = &state.form else {
            return None;
        };
        let facts = self.prover.facts(&early.state);
        let bounds = Bounds {
            steps: limit,
            deadline: self.until.deadline,
            cancel: self.until.cancel.clone(),
        };
        standin.playout(&facts, rng, bounds)
    }

    /// The network with several states, if both are ready.
    fn all_compiled<'s, B: Borrow<AutoState>>(
        &mut self,
        states: &'s [B],
    ) -> Option<(&mut Compiled, Vec<&'s BitState>)> {
        self.is_compiled();
        let compiled = self.compiled.as_mut()?;
        let mut all = Vec::with_capacity(states.len());
        for state in states {
            all.push(match &state.borrow().form {
                Form::Network(bits) => bits,
                Form::Rules(early) => early.bits(&mut self.prover, compiled)?,
            });
        }
        Some((compiled, all))
    }

    /// Asks the network about a state if both are ready, else the prover.
    #[inline]
    fn ask<T>(
        &mut self,
        state: &AutoState,
        mut network: impl FnMut(&mut Compiled, &BitState) -> Result<T, ReasonError>,
        mut rules: impl FnMut(&mut Prover, &ProverState) -> Result<T, ReasonError>,
    ) -> Result<T, ReasonError> {
        loop {
            self.is_compiled();
            let early = match (&state.form, &mut self.compiled) {
                (Form::Network(bits), Some(compiled)) => return network(compiled, bits),
                (Form::Network(_), None) => return Err(foreign()),
                (Form::Rules(early), Some(compiled)) => {
                    if let Some(bits) = early.bits(&mut self.prover, compiled) {
                        return network(compiled, bits);
                    }
                    early
                }
                (Form::Rules(early), None) => early,
            };
            let answer = rules(&mut self.prover, &early.state);
            let interrupted = matches!(answer, Err(ReasonError::Stopped)) && !self.decided;
            // The compiler has interrupted the prover: the network knows the answer.
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
            state => Ok(AutoState::early(state?)),
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
            |prover, early| prover.goal(early, role),
        )
    }

    fn legal_moves(
        &mut self,
        state: &AutoState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        // Both ways fill the same list.
        let list = std::cell::RefCell::new(moves);
        let answer = self.ask(
            state,
            |compiled, bits| compiled.legal_moves(bits, role, &mut list.borrow_mut()),
            |prover, early| prover.legal_moves(early, role, &mut list.borrow_mut()),
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
            |prover, early| {
                let next = prover.next(early, joint_move)?;
                Ok(Ok(AutoState::early(next)))
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
            (Form::Rules(early), _) => self.prover.facts(&early.state),
            (Form::Network(bits), Some(compiled)) => compiled.network.facts(bits),
            (Form::Network(_), None) => Vec::new(),
        }
    }

    fn fluents(&mut self, state: &AutoState, fluents: &mut Vec<FluentId>) {
        self.is_compiled();
        match (&state.form, &self.compiled) {
            (Form::Rules(early), _) => self.prover.fluents(&early.state, fluents),
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
        // A state that the network does not know is one for the prover.
        self.prover.state_from_facts(facts).map(AutoState::early)
    }

    fn key(&self, state: &AutoState) -> u128 {
        state.key
    }

    fn fork(&self) -> Self {
        let until = self.until.of_fork();
        let mut compiled = self.compiled.clone();
        if let Some(compiled) = &mut compiled {
            compiled.set_until(&until);
        }
        Self {
            prover: self.prover.fork(),
            compiler: Arc::clone(&self.compiler),
            compiled,
            decided: self.decided,
            standin: self.standin.as_ref().map(Standin::fork),
            until,
        }
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.prover.set_deadline(deadline);
        self.until.deadline = deadline;
        self.pass_on();
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.prover.set_cancel(cancel.clone());
        self.until.cancel = cancel;
        self.pass_on();
    }

    fn is_stopped(&self) -> bool {
        self.until.is_stopped()
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
            return bits[0].difference(&bits[1]);
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
                Form::Rules(early) => early.bits(&mut self.prover, compiled),
            };
            if let Some(bits) = bits {
                return compiled.playout(bits, rng, limit);
            }
        }
        if let Some(played) = self.playout_by_standin(state, rng, limit) {
            return played;
        }
        // Question by question, so that it goes over to the network on the way.
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
        wanted: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        if let Some((compiled, bits)) = self.all_compiled(wanted.starts) {
            let wanted = wanted.with(&bits, wanted.policy);
            return compiled.guided_playouts(&wanted, rng);
        }
        guided_playouts(self, wanted, rng)
    }

    fn summaries<B: Borrow<AutoState>>(
        &mut self,
        states: &[B],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        if let Some((compiled, bits)) = self.all_compiled(states) {
            return compiled.survey(&bits);
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
            .map_or(1, |compiled| compiled.batch())
    }
}
