//! An engine in play that has ids of its own: `orand`, `chain` or `staged`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ludorum_chain::Chain;
use ludorum_lanes::StagedLanes;
use ludorum_logic::TermId;
use ludorum_orand::Orand;
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{
    FluentId, Goal, GuidedRequest, GuidedResult, MoveId, Playout, PlayoutPolicy, PlayoutTotals,
    Reasoner, Rng, Role, StateSummary, StopSignal, check_move_count,
};

use super::in_play::{Answer, InPlay, PlayoutRequest};
use super::public::{IdMap, PublicIds};
use super::state::AutoState;

/// An engine whose fluents and moves can be exchanged with a vocabulary.
pub(super) trait Exchange: Reasoner<State: Clone> + std::fmt::Debug + 'static {
    fn set_interrupt(&mut self, flag: Arc<AtomicBool>);
    fn export_fluent(&mut self, id: FluentId, to: &mut Vocabulary) -> Option<TermId>;
    fn import_fluent(&mut self, term: TermId, from: &mut Vocabulary) -> Option<FluentId>;
    fn export_move(&mut self, role: Role, id: MoveId, to: &mut Vocabulary) -> Option<MoveId>;
    fn import_move(&mut self, role: Role, id: MoveId, from: &mut Vocabulary) -> Option<MoveId>;
    /// The state with these fluents, if the engine can represent it.
    fn state_of(&mut self, fluents: &[FluentId]) -> Option<Self::State>;

    /// Whether it makes guided playouts as random ones without histories.
    const IS_UNGUIDED: bool = false;
}

impl Exchange for Orand {
    fn set_interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.set_interrupt(Some(flag));
    }

    fn export_fluent(&mut self, id: FluentId, to: &mut Vocabulary) -> Option<TermId> {
        Some(self.export_fluent(id, to))
    }

    fn import_fluent(&mut self, term: TermId, from: &mut Vocabulary) -> Option<FluentId> {
        self.import_fluent(term, from)
    }

    fn export_move(&mut self, role: Role, id: MoveId, to: &mut Vocabulary) -> Option<MoveId> {
        self.export_move(role, id, to)
    }

    fn import_move(&mut self, role: Role, id: MoveId, from: &mut Vocabulary) -> Option<MoveId> {
        self.import_move(role, id, from)
    }

    fn state_of(&mut self, fluents: &[FluentId]) -> Option<Self::State> {
        Some(self.state_from_fluents(fluents))
    }
}

impl Exchange for Chain {
    fn set_interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.set_interrupt(Some(flag));
    }

    fn export_fluent(&mut self, id: FluentId, to: &mut Vocabulary) -> Option<TermId> {
        self.export_fluent(id, to)
    }

    fn import_fluent(&mut self, term: TermId, from: &mut Vocabulary) -> Option<FluentId> {
        self.import_fluent(term, from)
    }

    fn export_move(&mut self, role: Role, id: MoveId, to: &mut Vocabulary) -> Option<MoveId> {
        self.export_move(role, id, to)
    }

    fn import_move(&mut self, role: Role, id: MoveId, from: &mut Vocabulary) -> Option<MoveId> {
        self.import_move(role, id, from)
    }

    fn state_of(&mut self, fluents: &[FluentId]) -> Option<Self::State> {
        Some(self.state_from_fluents(fluents))
    }
}

impl Exchange for StagedLanes {
    /// A query takes milliseconds, or is one for playouts, for which this engine is chosen again.
    fn set_interrupt(&mut self, _flag: Arc<AtomicBool>) {}

    fn export_fluent(&mut self, id: FluentId, to: &mut Vocabulary) -> Option<TermId> {
        self.export_fluent(id, to)
    }

    fn import_fluent(&mut self, term: TermId, from: &mut Vocabulary) -> Option<FluentId> {
        self.import_fluent(term, from)
    }

    fn export_move(&mut self, role: Role, id: MoveId, to: &mut Vocabulary) -> Option<MoveId> {
        self.export_move(role, id, to)
    }

    fn import_move(&mut self, role: Role, id: MoveId, from: &mut Vocabulary) -> Option<MoveId> {
        self.import_move(role, id, from)
    }

    fn state_of(&mut self, fluents: &[FluentId]) -> Option<Self::State> {
        self.state_from_fluents(fluents)
    }

    const IS_UNGUIDED: bool = true;
}

/// Ids of the engine and the public ones, in both directions, as far as they have been met.
#[derive(Clone, Debug, Default)]
struct MetIds {
    to_public: IdMap,
    to_own: IdMap,
}

impl MetIds {
    fn insert(&mut self, own: u32, public: u32) {
        self.to_public.insert(own, public);
        self.to_own.insert(public, own);
    }
}

/// An engine, with the conversion of its ids. An id is converted by its term when it
/// is met for the first time.
#[derive(Debug)]
pub(super) struct OnRules<R: Reasoner> {
    engine: R,
    fluents: MetIds,
    moves: Vec<MetIds>,
    /// The state that was converted last, in both forms.
    current: Option<(AutoState, R::State)>,
    joint: Vec<MoveId>,
    own_fluents: Vec<FluentId>,
}

impl<R: Exchange> OnRules<R> {
    pub(super) fn new(engine: R) -> Self {
        Self {
            moves: vec![MetIds::default(); engine.roles().len()],
            fluents: MetIds::default(),
            engine,
            current: None,
            joint: Vec::new(),
            own_fluents: Vec::new(),
        }
    }

    /// A state in the engine's form, if it can represent it.
    fn own(&mut self, ids: &mut PublicIds, state: &AutoState) -> Option<R::State> {
        if let Some((known, own)) = &self.current
            && known == state
        {
            return Some(own.clone());
        }
        let public = ids.rules_state(state)?;
        let mut fluents = std::mem::take(&mut self.own_fluents);
        fluents.clear();
        for term in public.fluents() {
            fluents.extend(self.own_fluent(*term, ids));
        }
        if fluents.len() < public.fluents().len() {
            self.own_fluents = fluents;
            return None;
        }
        let own = self.engine.state_of(&fluents);
        self.own_fluents = fluents;
        let own = own?;
        self.current = Some((state.clone(), own.clone()));
        Some(own)
    }

    /// Several states in the engine's form, if it can represent all of them.
    fn all_own(&mut self, ids: &mut PublicIds, states: &[&AutoState]) -> Option<Vec<R::State>> {
        states.iter().map(|state| self.own(ids, state)).collect()
    }

    fn own_fluent(&mut self, term: TermId, ids: &mut PublicIds) -> Option<FluentId> {
        if let Some(own) = self.fluents.to_own.get(term.0) {
            return Some(FluentId(own));
        }
        let own = self.engine.import_fluent(term, &mut ids.vocabulary)?;
        self.fluents.insert(own.0, term.0);
        Some(own)
    }

    /// A state of the engine with public ids.
    fn public(&mut self, ids: &mut PublicIds, own: R::State) -> Option<AutoState> {
        let mut fluents = std::mem::take(&mut self.own_fluents);
        self.engine.fluents(&own, &mut fluents);
        let mut terms = Vec::with_capacity(fluents.len());
        for id in &fluents {
            let term = if let Some(term) = self.fluents.to_public.get(id.0) {
                TermId(term)
            } else {
                let term = self.engine.export_fluent(*id, &mut ids.vocabulary)?;
                self.fluents.insert(id.0, term.0);
                term
            };
            terms.push(term);
        }
        self.own_fluents = fluents;
        let state = ids.state(terms);
        self.current = Some((state.clone(), own));
        Some(state)
    }

    /// Replaces the moves of a role by their public ids.
    fn moves_to_public(&mut self, ids: &mut PublicIds, role: Role, moves: &mut Vec<MoveId>) {
        let Some(met) = self.moves.get_mut(role) else {
            return;
        };
        moves.retain_mut(|id| {
            let known = met.to_public.get(id.0).map(MoveId);
            let public = known.or_else(|| {
                let public = self.engine.export_move(role, *id, &mut ids.vocabulary)?;
                met.insert(id.0, public.0);
                Some(public)
            });
            // The engine has just given the move, so it has a term.
            debug_assert!(public.is_some(), "{id:?}");
            public.map(|public| *id = public).is_some()
        });
    }

    /// Appends the engine's ids of a joint move to `joint`, if it knows all of them.
    fn own_joint(&mut self, ids: &mut PublicIds, joint_move: &[MoveId]) -> Option<()> {
        for (role, id) in joint_move.iter().enumerate() {
            let own = if let Some(own) = self.moves[role].to_own.get(id.0) {
                MoveId(own)
            } else {
                let own = self.engine.import_move(role, *id, &mut ids.vocabulary)?;
                self.moves[role].insert(own.0, id.0);
                own
            };
            self.joint.push(own);
        }
        Some(())
    }
}

impl<R: Exchange> InPlay for OnRules<R> {
    fn boxed_fork(&self) -> Box<dyn InPlay> {
        Box::new(Self {
            engine: self.engine.fork(),
            fluents: self.fluents.clone(),
            moves: self.moves.clone(),
            current: None,
            joint: Vec::new(),
            own_fluents: Vec::new(),
        })
    }

    fn set_stop(&mut self, stop: &StopSignal, interrupt: &Arc<AtomicBool>) {
        self.engine.set_deadline(stop.deadline);
        self.engine.set_cancel(stop.cancel.clone());
        self.engine.set_interrupt(Arc::clone(interrupt));
    }

    fn own_form(&self, ids: &PublicIds, state: &AutoState) -> Option<AutoState> {
        let state = ids.rules_state(state)?;
        Some(AutoState::of_rules(state.into_owned()))
    }

    fn initial(&mut self, ids: &mut PublicIds) -> Answer<AutoState> {
        let own = self.engine.initial()?;
        Ok(self.public(ids, own))
    }

    fn is_terminal(&mut self, ids: &mut PublicIds, state: &AutoState) -> Answer<bool> {
        match self.own(ids, state) {
            Some(own) => self.engine.is_terminal(&own).map(Some),
            None => Ok(None),
        }
    }

    fn goal(&mut self, ids: &mut PublicIds, state: &AutoState, role: Role) -> Answer<Goal> {
        match self.own(ids, state) {
            Some(own) => self.engine.goal(&own, role).map(Some),
            None => Ok(None),
        }
    }

    fn legal_moves(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Answer<()> {
        let Some(own) = self.own(ids, state) else {
            return Ok(None);
        };
        moves.clear();
        let answer = self.engine.legal_moves(&own, role, moves);
        self.moves_to_public(ids, role, moves);
        answer.map(Some)
    }

    fn next(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        joint_move: &[MoveId],
    ) -> Answer<AutoState> {
        check_move_count(self.moves.len(), joint_move)?;
        let Some(own) = self.own(ids, state) else {
            return Ok(None);
        };
        self.joint.clear();
        if self.own_joint(ids, joint_move).is_none() {
            return Ok(None);
        }
        let next = self.engine.next(&own, &self.joint)?;
        Ok(self.public(ids, next))
    }

    fn summaries(
        &mut self,
        ids: &mut PublicIds,
        states: &[&AutoState],
    ) -> Answer<Vec<StateSummary>> {
        let Some(own) = self.all_own(ids, states) else {
            return Ok(None);
        };
        let mut summaries = self.engine.summaries(&own)?;
        for summary in &mut summaries {
            for (role, legal) in summary.legal.iter_mut().enumerate() {
                self.moves_to_public(ids, role, legal);
            }
        }
        Ok(Some(summaries))
    }

    fn next_states(
        &mut self,
        ids: &mut PublicIds,
        moves: &[(&AutoState, &[MoveId])],
    ) -> Answer<Vec<AutoState>> {
        let roles = self.moves.len();
        let mut before = Vec::with_capacity(moves.len());
        self.joint.clear();
        for (state, joint_move) in moves {
            check_move_count(roles, joint_move)?;
            let Some(own) = self.own(ids, state) else {
                return Ok(None);
            };
            before.push(own);
            if self.own_joint(ids, joint_move).is_none() {
                return Ok(None);
            }
        }
        let pairs: Vec<(&R::State, &[MoveId])> =
            before.iter().zip(self.joint.chunks(roles.max(1))).collect();
        let next = self.engine.next_states(&pairs)?;
        Ok(next.into_iter().map(|own| self.public(ids, own)).collect())
    }

    fn playout(
        &mut self,
        ids: &mut PublicIds,
        start: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Answer<Playout> {
        match self.own(ids, start) {
            Some(own) => self.engine.playout(&own, rng, limit).map(Some),
            None => Ok(None),
        }
    }

    fn playouts(
        &mut self,
        ids: &mut PublicIds,
        request: PlayoutRequest<'_>,
        rng: &mut Rng,
    ) -> Answer<Vec<PlayoutTotals>> {
        let Some(starts) = self.all_own(ids, request.starts) else {
            return Ok(None);
        };
        let totals = self
            .engine
            .playouts(&starts, request.each, rng, request.limit);
        totals.map(Some)
    }

    fn guided_playouts(
        &mut self,
        ids: &mut PublicIds,
        request: &GuidedRequest<'_, &AutoState>,
        rng: &mut Rng,
    ) -> Answer<GuidedResult> {
        if !R::IS_UNGUIDED {
            return Ok(None);
        }
        let Some(starts) = self.all_own(ids, request.starts) else {
            return Ok(None);
        };
        let policy = PlayoutPolicy::default();
        let result = self
            .engine
            .guided_playouts(&request.with(&starts, &policy), rng);
        result.map(Some)
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        !R::IS_UNGUIDED
    }

    fn wait_until_ready(&mut self) {
        self.engine.wait_until_ready();
    }
}
