/*!
The engine that chooses among the others while it plays.

[`Auto`] answers from the first moment with the prover, which takes every rule sheet and needs
hardly any preparation. Meanwhile `builders` make the other engines on threads of their own, measure
what questions cost on each, and put them into one `table`. Every question goes to the engine that is
cheapest for it (`costs`): single states may be answered by one engine, hundreds of states by
another, and playouts by a third. A query that an engine is still working on when another engine is
published is interrupted and asked again.

States and move ids stay valid over all changes (`public`). An [`AutoState`] has the fluents by their
public ids, which are the prover's, or is a bit set of the network. Engines on the rules that have
ids of their own convert them by terms, and every id only once (`on_rules`); the network's ids are
converted when it is made (`on_network`). What an engine cannot represent, such as states that no
sequence of moves can reach, the prover answers.

Games with many moves are played by `staged`, lanes on rewritten rules. It is built where the network
is large or late, and has its own network. It may fail, since the rewriting makes assumptions about
the game; then the next engine answers, and after some failures it is not asked such questions any
more.
*/

mod builders;
mod costs;
mod in_play;
mod measure;
mod on_network;
mod on_rules;
mod public;
mod state;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use builders::{Builders, CostSource};
use costs::{Candidate, CostTable, MANY, Question};
use in_play::{Answer, InPlay, PlayoutRequest};
use ludorum_logic::TermId;
use ludorum_propnet::CompiledGame;
use ludorum_prover::Prover;
use ludorum_reasoner::{
    EngineChoice, FluentId, Goal, GuidedRequest, GuidedResult, HeapSize as _, MoveId,
    NetworkProgress, Playout, PlayoutRecord, PlayoutTotals, ReasonError, Reasoner, Rng, Role,
    StateSummary, StopSignal, check_move_count, guided_playouts, recorded_playouts,
};
use public::PublicIds;
pub use state::AutoState;
use state::Form;
pub(crate) use state::foreign_state_error;
use table::{EngineTable, Progress, Snapshot};

use crate::settings::EngineSettings;

/// Time limit of the prover's preparation before its first answer. The rest of the preparation
/// follows in the background.
const PREPARATION: Duration = Duration::from_millis(25);
/// How much longer than the mean the longest playout of a batch is assumed to be.
const LONGEST: u64 = 2;
/// Batches of lanes that take less than this for a step, in seconds, are over before any deadline.
const QUICK_STEP: f64 = 50e-6;
/// The number of playouts per call at which lanes are fastest.
const PREFERRED_BATCH: u32 = 100_000;

/// The engine that chooses among the others.
#[derive(Debug)]
pub struct Auto {
    roles: Arc<[String]>,
    ids: PublicIds,
    table: Arc<TableHandle>,
    /// Forks of the engines that this fork has used, each with the version of the table with which
    /// it came.
    engines: [Option<(Box<dyn InPlay>, u32)>; Candidate::COUNT],
    /// The version of the table that the following fields are from.
    version: u32,
    costs: CostTable,
    /// The cheapest engine for one question of each kind.
    single: [Candidate; Question::ALL.len()],
    interrupt: Arc<AtomicBool>,
    /// See [`Reasoner::set_reproducible`].
    reproducible: bool,
    /// Whether the threads in the background know that a query has been answered.
    answered: bool,
    stop: StopSignal,
}

/// The table, with the end of its threads. All forks of a reasoner share one.
#[derive(Debug)]
struct TableHandle(Arc<EngineTable>);

impl Drop for TableHandle {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Auto {
    /// Starts to build engines in the background and is ready to answer. If compiling exceeds
    /// [`EngineSettings::limits`], the engines on the rules stay.
    pub fn new(game: Arc<CompiledGame>, settings: &EngineSettings) -> Result<Self, ReasonError> {
        let (auto, builders) = Self::planned(game, settings, CostSource::Measured)?;
        builders.start();
        Ok(auto)
    }

    /// A reasoner, and the work of its threads.
    fn planned(
        game: Arc<CompiledGame>,
        settings: &EngineSettings,
        source: CostSource,
    ) -> Result<(Self, Builders), ReasonError> {
        let prover = Prover::prepared_within(Arc::clone(game.rules()), PREPARATION)?;
        let table = Arc::new(EngineTable::new(prover.boxed_fork()));
        let Snapshot {
            version,
            costs,
            interrupt,
            ..
        } = table.snapshot();
        let auto = Self {
            roles: prover.roles().into(),
            ids: PublicIds::new(prover.shared_vocabulary()),
            table: Arc::new(TableHandle(Arc::clone(&table))),
            engines: [const { None }; Candidate::COUNT],
            version,
            costs,
            single: [Candidate::Prover; Question::ALL.len()],
            interrupt,
            reproducible: false,
            answered: false,
            stop: StopSignal::default(),
        };
        let builders = Builders::new(table, game, settings, prover, source);
        Ok((auto, builders))
    }

    fn table(&self) -> &EngineTable {
        &self.table.0
    }

    /// Which engines answer and why.
    pub fn choice(&self) -> EngineChoice {
        self.table().choice()
    }

    /// Takes over what is new in the table. Called before every question.
    #[inline]
    fn update(&mut self) {
        if self.table().version() != self.version {
            self.take_snapshot();
        }
    }

    #[cold]
    fn take_snapshot(&mut self) {
        let snapshot = self.table().snapshot();
        self.version = snapshot.version;
        self.costs = snapshot.costs;
        self.ids.network = snapshot.ids;
        self.interrupt = snapshot.interrupt;
        for (engine, version) in self.engines.iter_mut().zip(snapshot.versions) {
            // Engines that were replaced or dropped are not used any more.
            if engine.as_ref().map(|(_, version)| *version) != version {
                *engine = None;
            }
        }
        self.choose_for_single();
        self.forward_stop_signal();
    }

    fn choose_for_single(&mut self) {
        if self.reproducible {
            self.costs = self.costs.nominal_playouts();
        }
        self.single = Question::ALL.map(|question| self.costs.best(question, 1, f64::INFINITY));
    }

    fn forward_stop_signal(&mut self) {
        for (engine, _) in self.engines.iter_mut().flatten() {
            engine.set_stop(&self.stop, &self.interrupt);
        }
    }

    /// The cheapest engine for so many questions in one call.
    #[inline]
    fn best(&self, question: Question, count: u64) -> Candidate {
        if count == 1 {
            self.single[question as usize]
        } else {
            self.costs.best(question, count, f64::INFINITY)
        }
    }

    /// The cheapest engine for so many playouts in one call, with a step limit. Results of a batch
    /// of lanes come all at once, so a batch that would not be over by the deadline is not begun.
    fn best_for_playouts(&self, costs: &CostTable, count: u64, limit: u32) -> Candidate {
        let best = costs.best(Question::Playout, count, f64::INFINITY);
        let cost = costs.cost(best, Question::Playout);
        let slow = cost.filter(|cost| cost.batch > QUICK_STEP);
        let (Some(_), Some(deadline), false) = (slow, self.stop.deadline, self.reproducible) else {
            return best;
        };
        let steps = (self.table().mean_length() * LONGEST).min(u64::from(limit.max(1)));
        let left = deadline.saturating_duration_since(Instant::now());
        #[allow(clippy::cast_precision_loss)] // an estimate
        let longest = left.as_secs_f64() / steps as f64;
        costs.best(Question::Playout, count, longest)
    }

    /// Waits until playouts can be reproducible, if they have to be: until the engines are there
    /// among which fixed costs choose.
    fn wait_if_reproducible(&self) {
        if !self.reproducible {
            return;
        }
        let left = self.stop.deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            left / 2
        });
        let is_settled = |progress: Progress, network: &NetworkProgress| {
            let has_network = matches!(network, NetworkProgress::Ready { .. });
            progress.network && (has_network || progress.rules)
        };
        self.table().wait_for(left, &self.stop, is_settled);
    }

    /// Asks an engine.
    fn on<T>(
        &mut self,
        candidate: Candidate,
        ask: &mut impl FnMut(&mut dyn InPlay, &mut PublicIds) -> Answer<T>,
    ) -> Answer<T> {
        let slot = &mut self.engines[candidate as usize];
        if slot.is_none() {
            let fork = self.table.0.fork(candidate);
            *slot = fork.map(|(mut engine, version)| {
                engine.set_stop(&self.stop, &self.interrupt);
                (engine, version)
            });
        }
        match slot {
            Some((engine, _)) => ask(engine.as_mut(), &mut self.ids),
            // It was dropped from the table meanwhile.
            None => Ok(None),
        }
    }

    /// Asks the engine that `choose` gives. The prover answers what this engine cannot represent,
    /// and what exceeds its budget. If a new engine interrupts the query, it is asked again.
    ///
    /// Where `staged` fails, the engine answers that is the next for so many of these questions.
    fn ask<T>(
        &mut self,
        (question, count): (Question, u64),
        choose: impl Fn(&Self) -> Candidate,
        mut ask: impl FnMut(&mut dyn InPlay, &mut PublicIds) -> Answer<T>,
    ) -> Result<T, ReasonError> {
        loop {
            self.update();
            let mut candidate = choose(self);
            let mut answer = self.on(candidate, &mut ask);
            if candidate == Candidate::Staged && is_failure(&answer) {
                let others = self.costs.without(Candidate::Staged);
                candidate = others.best(question, count, f64::INFINITY);
                let failed = std::mem::replace(&mut answer, self.on(candidate, &mut ask));
                if let (Err(error), Ok(Some(_))) = (failed, &answer) {
                    self.table()
                        .record_failure(Candidate::Staged, question, &error);
                }
            }
            let is_refused = matches!(answer, Ok(None) | Err(ReasonError::Budget(_)));
            if is_refused && candidate != Candidate::Prover {
                answer = self.on(Candidate::Prover, &mut ask);
            }
            match answer {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => return Err(foreign_state_error()),
                Err(ReasonError::Stopped)
                    if self.table().version() != self.version && !self.stop.is_stopped() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Asks the cheapest engine for one question.
    #[inline]
    fn ask_one<T>(
        &mut self,
        question: Question,
        ask: impl FnMut(&mut dyn InPlay, &mut PublicIds) -> Answer<T>,
    ) -> Result<T, ReasonError> {
        self.ask((question, 1), |auto| auto.best(question, 1), ask)
    }

    /// Asks the cheapest engine for playouts of which callers see the moves, if it is one of those
    /// that can. `None` if it is not, or if it cannot represent a state: then they are played step
    /// by step.
    fn play_if<T>(
        &mut self,
        can: impl Fn(Candidate) -> bool,
        (count, limit): (u64, u32),
        rng: &mut Rng,
        mut ask: impl FnMut(&mut dyn InPlay, &mut PublicIds, &mut Rng) -> Answer<T>,
    ) -> Option<Result<T, ReasonError>> {
        self.wait_if_reproducible();
        self.update();
        let best = self.best_for_playouts(&self.costs, count, limit);
        if !can(best) {
            return None;
        }
        let before = rng.clone();
        let mut answer = self.on(best, &mut |engine, ids| ask(engine, ids, rng));
        if best == Candidate::Staged
            && is_failure(&answer)
            && let Err(error) = std::mem::replace(&mut answer, Ok(None))
        {
            self.table().record_failure(best, Question::Playout, &error);
        }
        if matches!(answer, Ok(None)) {
            *rng = before;
        }
        answer.transpose()
    }

    /// Asks the cheapest engine for playouts. The random numbers are the same when the query is
    /// repeated.
    fn ask_for_playouts<T>(
        &mut self,
        count: u64,
        limit: u32,
        rng: &mut Rng,
        mut ask: impl FnMut(&mut dyn InPlay, &mut PublicIds, &mut Rng) -> Answer<T>,
    ) -> Result<T, ReasonError> {
        self.wait_if_reproducible();
        let before = rng.clone();
        self.ask(
            (Question::Playout, count),
            |auto| auto.best_for_playouts(&auto.costs, count, limit),
            |engine, ids| {
                *rng = before.clone();
                ask(engine, ids, rng)
            },
        )
    }
}

/// Whether `staged` could not answer: it cannot represent a state, an assumption about the game does
/// not hold in it, or no move was found in many draws. A move that it does not know as legal may be
/// legal in such a state as well.
fn is_failure<T>(answer: &Answer<T>) -> bool {
    matches!(
        answer,
        Ok(None)
            | Err(ReasonError::Unsupported(_)
                | ReasonError::Budget(_)
                | ReasonError::IllegalMove { .. })
    )
}

fn borrowed<B: Borrow<AutoState>>(states: &[B]) -> Vec<&AutoState> {
    states.iter().map(Borrow::borrow).collect()
}

impl Reasoner for Auto {
    type State = AutoState;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&mut self) -> Result<AutoState, ReasonError> {
        self.ask_one(Question::State, |engine, ids| engine.initial(ids))
    }

    fn is_terminal(&mut self, state: &AutoState) -> Result<bool, ReasonError> {
        self.ask_one(Question::State, |engine, ids| {
            engine.is_terminal(ids, state)
        })
    }

    fn goal(&mut self, state: &AutoState, role: Role) -> Result<Goal, ReasonError> {
        self.ask_one(Question::State, |engine, ids| engine.goal(ids, state, role))
    }

    fn legal_moves(
        &mut self,
        state: &AutoState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        let answer = self.ask_one(Question::State, |engine, ids| {
            engine.legal_moves(ids, state, role, moves)
        });
        if !self.answered {
            self.answered = true;
            self.table()
                .set_progress(|progress| progress.answered = true);
        }
        answer
    }

    fn next(&mut self, state: &AutoState, joint_move: &[MoveId]) -> Result<AutoState, ReasonError> {
        check_move_count(self.roles.len(), joint_move)?;
        self.ask_one(Question::Next, |engine, ids| {
            engine.next(ids, state, joint_move)
        })
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        let known = self.ids.vocabulary.move_of(role, id);
        known.map(|(_, text)| text.to_owned()).unwrap_or_default()
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.ids.vocabulary.find_move(role, text)
    }

    fn facts(&mut self, state: &AutoState) -> Vec<String> {
        self.update();
        self.ids.facts(state)
    }

    fn fluents(&mut self, state: &AutoState, fluents: &mut Vec<FluentId>) {
        self.update();
        self.ids.fluents(state, fluents);
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.ids.vocabulary.term_text(TermId(id.0))
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<AutoState, ReasonError> {
        let state = self.ids.state_from_facts(facts)?;
        // In the form in which the next question will need it.
        self.ask_one(Question::State, |engine, ids| {
            Ok(engine.own_form(ids, &state))
        })
    }

    fn key(&self, state: &AutoState) -> u128 {
        state.key
    }

    fn fork(&self) -> Self {
        Self {
            roles: Arc::clone(&self.roles),
            ids: self.ids.clone(),
            table: Arc::clone(&self.table),
            engines: [const { None }; Candidate::COUNT],
            version: self.version,
            costs: self.costs.clone(),
            single: self.single,
            interrupt: Arc::clone(&self.interrupt),
            reproducible: self.reproducible,
            answered: self.answered,
            stop: self.stop.of_fork(),
        }
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.stop.deadline = deadline;
        self.forward_stop_signal();
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.stop.cancel = cancel;
        self.forward_stop_signal();
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    fn wait_until_ready(&mut self) {
        self.table()
            .set_progress(|progress| progress.answered = true);
        let is_done = |progress: Progress, _: &_| progress.is_done();
        self.table().wait_for(None, &StopSignal::default(), is_done);
        self.update();
    }

    fn set_reproducible(&mut self, reproducible: bool) {
        self.reproducible = reproducible;
        self.take_snapshot();
    }

    fn engine_choice(&self) -> Option<EngineChoice> {
        Some(self.choice())
    }

    fn fluent_difference(&mut self, first: &AutoState, second: &AutoState) -> (usize, usize) {
        self.update();
        if let (Form::Network(first), Form::Network(second)) = (&first.form, &second.form) {
            return first.difference(second);
        }
        let [first, second] = [first, second].map(|state| self.ids.rules_state(state));
        let (Some(first), Some(second)) = (first, second) else {
            return (0, 0);
        };
        // Both lists are sorted.
        let only = |here: &[TermId], there: &[TermId]| {
            let is_missing = |term: &&TermId| there.binary_search(term).is_err();
            here.iter().filter(is_missing).count()
        };
        let (first, second) = (first.fluents(), second.fluents());
        (only(first, second), only(second, first))
    }

    fn components(&self) -> Option<usize> {
        self.table().components()
    }

    fn playout(
        &mut self,
        state: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.wait_if_reproducible();
        let before = rng.clone();
        self.ask(
            (Question::Playout, 1),
            |auto| match auto.best_for_playouts(&auto.costs, 1, limit) {
                // It plays single ones step by step.
                Candidate::Staged => auto.best(Question::State, 1),
                best => best,
            },
            |engine, ids| {
                *rng = before.clone();
                engine.playout(ids, state, rng, limit)
            },
        )
    }

    fn playouts<B: Borrow<AutoState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let request = PlayoutRequest {
            starts: &borrowed(starts),
            each,
            limit,
        };
        let totals = self.ask_for_playouts(request.count(), limit, rng, |engine, ids, rng| {
            engine.playouts(ids, request, rng)
        })?;
        self.table().learn_length(&totals);
        Ok(totals)
    }

    fn recorded_playouts<B: Borrow<AutoState>>(
        &mut self,
        starts: &[B],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
        let request = PlayoutRequest {
            starts: &borrowed(starts),
            each,
            limit,
        };
        let how_many = (request.count(), limit);
        self.play_if(
            Candidate::is_on_network,
            how_many,
            rng,
            |engine, ids, rng| engine.recorded_playouts(ids, request, rng),
        )
        .unwrap_or_else(|| recorded_playouts(self, starts, each, rng, limit))
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        self.update();
        let best = self.best(Question::Playout, MANY);
        let is_ready = |engine: &mut dyn InPlay, _: &mut PublicIds| {
            Ok(Some(engine.is_ready_for_guided_playouts()))
        };
        !matches!(self.on(best, &mut { is_ready }), Ok(Some(false)))
    }

    fn guided_playouts<B: Borrow<AutoState>>(
        &mut self,
        request: &GuidedRequest<'_, B>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        let starts = borrowed(request.starts);
        let own = request.with(&starts, request.policy);
        // Scores of pairs need one playout at a time.
        let count = match own.policy.pairs {
            Some(_) => 1,
            None => starts.len() as u64 * u64::from(own.each),
        };
        // The playouts of `staged` are random, as those of an engine that is not ready.
        let can = |candidate: Candidate| {
            candidate.is_on_network() || candidate == Candidate::Staged && !own.wait_until_ready
        };
        let played = self.play_if(can, (count, own.limit), rng, |engine, ids, rng| {
            engine.guided_playouts(ids, &own, rng)
        });
        let result = played.unwrap_or_else(|| guided_playouts(self, request, rng))?;
        self.table().learn_length(&result.totals);
        Ok(result)
    }

    fn summaries<B: Borrow<AutoState>>(
        &mut self,
        states: &[B],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        let states = borrowed(states);
        let count = states.len() as u64;
        self.ask(
            (Question::State, count),
            |auto| auto.best(Question::State, count),
            |engine, ids| engine.summaries(ids, &states),
        )
    }

    fn next_states(
        &mut self,
        moves: &[(&AutoState, &[MoveId])],
    ) -> Result<Vec<AutoState>, ReasonError> {
        for (_, joint_move) in moves {
            check_move_count(self.roles.len(), joint_move)?;
        }
        let count = moves.len() as u64;
        self.ask(
            (Question::Next, count),
            |auto| auto.best(Question::Next, count),
            |engine, ids| engine.next_states(ids, moves),
        )
    }

    fn state_bytes(&self, state: &AutoState) -> usize {
        size_of::<AutoState>() + state.heap_bytes()
    }

    fn preferred_batch(&self) -> u32 {
        self.wait_if_reproducible();
        let fresh;
        let costs = if self.table().version() == self.version {
            &self.costs
        } else {
            let costs = self.table().snapshot().costs;
            fresh = if self.reproducible {
                costs.nominal_playouts()
            } else {
                costs
            };
            &fresh
        };
        if self.best_for_playouts(costs, MANY, u32::MAX).plays_many() {
            PREFERRED_BATCH
        } else {
            1
        }
    }
}
