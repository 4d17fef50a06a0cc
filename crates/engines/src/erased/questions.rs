//! An engine whose type nobody knows.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ludorum_logic::Rules;

use super::state::ErasedState;
use ludorum_reasoner::CacheReport;
use ludorum_reasoner::Choice;
use ludorum_reasoner::contract::{FluentId, Goal, MoveId, ReasonError, Reasoner, Role, Survey};
use ludorum_reasoner::dice::Dice;
use ludorum_reasoner::footprint::allocation;
use ludorum_reasoner::playout::{Guided, Playout, Record, Tally, Wanted};

/// An engine whose type nobody knows: every question goes through a table of functions, every state
/// lies in a block of its own.
#[derive(Debug)]
pub struct Erased(Box<dyn Questions>);

impl Erased {
    /// Hides the type of an engine.
    pub fn new<R: Reasoner + 'static>(reasoner: R) -> Self {
        Self(Box::new(Shell(reasoner)))
    }
}

type Answer<T> = Result<T, ReasonError>;

/// Makes the table of functions from the questions of [`Reasoner`], and asks them of it.
macro_rules! questions {
    (
        &self: $(fn $look:ident($($shown:ident: $shape:ty),*) $(-> $seen:ty)?;)+
        &mut self: $(fn $ask:ident($($given:ident: $kind:ty),*) $(-> $answer:ty)?;)+
    ) => {
        trait Questions: fmt::Debug + Send {
            $(fn $look(&self $(, $shown: $shape)*) $(-> $seen)?;)+
            $(fn $ask(&mut self $(, $given: $kind)*) $(-> $answer)?;)+
            fn fork(&self) -> Box<dyn Questions>;
        }

        impl Reasoner for Erased {
            type State = ErasedState;

            $(fn $look(&self $(, $shown: $shape)*) $(-> $seen)? {
                self.0.$look($($shown),*)
            })+

            $(fn $ask(&mut self $(, $given: $kind)*) $(-> $answer)? {
                self.0.$ask($($given),*)
            })+

            fn fork(&self) -> Self {
                Self(self.0.fork())
            }
        }
    };
}

questions! {
    &self:
    fn roles() -> &[String];
    fn key(state: &ErasedState) -> u128;
    fn is_late() -> bool;
    fn choice() -> Option<Choice>;
    fn cache() -> Option<CacheReport>;
    fn rules() -> Option<Arc<Rules>>;
    fn components() -> Option<usize>;
    fn state_bytes(state: &ErasedState) -> usize;
    fn batch() -> u32;

    &mut self:
    fn initial() -> Answer<ErasedState>;
    fn is_terminal(state: &ErasedState) -> Answer<bool>;
    fn goal(state: &ErasedState, role: Role) -> Answer<Goal>;
    fn legal_moves(state: &ErasedState, role: Role, moves: &mut Vec<MoveId>) -> Answer<()>;
    fn next(state: &ErasedState, joint_move: &[MoveId]) -> Answer<ErasedState>;
    fn move_text(role: Role, id: MoveId) -> String;
    fn find_move(role: Role, text: &str) -> Option<MoveId>;
    fn facts(state: &ErasedState) -> Vec<String>;
    fn fluents(state: &ErasedState, fluents: &mut Vec<FluentId>);
    fn fluent_text(id: FluentId) -> String;
    fn state_from_facts(facts: &[String]) -> Answer<ErasedState>;
    fn set_deadline(deadline: Option<Instant>);
    fn set_cancel(cancel: Option<Arc<AtomicBool>>);
    fn settle();
    fn difference(first: &ErasedState, second: &ErasedState) -> (usize, usize);
    fn playout(state: &ErasedState, dice: &mut Dice, limit: u32) -> Answer<Playout>;
    fn playouts(starts: &[ErasedState], each: u32, dice: &mut Dice, limit: u32) -> Answer<Vec<Tally>>;
    fn records(starts: &[ErasedState], each: u32, dice: &mut Dice, limit: u32) -> Answer<Vec<Vec<Record>>>;
    fn is_ready_to_guide() -> bool;
    fn guided_playouts(wanted: &Wanted<'_, ErasedState>, dice: &mut Dice) -> Answer<Guided>;
    fn survey(states: &[ErasedState]) -> Answer<Vec<Survey>>;
    fn next_states(moves: &[(&ErasedState, &[MoveId])]) -> Answer<Vec<ErasedState>>;
}

/// An engine behind its table of functions.
struct Shell<R>(R);

impl<R> fmt::Debug for Shell<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::any::type_name::<R>())
    }
}

/// A list of states as the engine has them.
fn all_own<S: Clone + 'static>(states: &[ErasedState]) -> Answer<Vec<S>> {
    states.iter().map(|state| state.own().cloned()).collect()
}

impl<R: Reasoner + 'static> Questions for Shell<R> {
    fn roles(&self) -> &[String] {
        self.0.roles()
    }

    fn key(&self, state: &ErasedState) -> u128 {
        state.inner().map_or(0, |state| self.0.key(state))
    }

    fn is_late(&self) -> bool {
        self.0.is_late()
    }

    fn choice(&self) -> Option<Choice> {
        self.0.choice()
    }

    fn cache(&self) -> Option<CacheReport> {
        self.0.cache()
    }

    fn rules(&self) -> Option<Arc<Rules>> {
        self.0.rules()
    }

    fn components(&self) -> Option<usize> {
        self.0.components()
    }

    fn state_bytes(&self, state: &ErasedState) -> usize {
        let inner = state.inner().map_or(0, |state| self.0.state_bytes(state));
        // The counts of a shared block are in it.
        size_of::<ErasedState>() + allocation(inner + 2 * size_of::<usize>())
    }

    fn batch(&self) -> u32 {
        self.0.batch()
    }

    fn fork(&self) -> Box<dyn Questions> {
        Box::new(Self(self.0.fork()))
    }

    fn initial(&mut self) -> Answer<ErasedState> {
        self.0.initial().map(ErasedState::new)
    }

    fn is_terminal(&mut self, state: &ErasedState) -> Answer<bool> {
        self.0.is_terminal(state.own()?)
    }

    fn goal(&mut self, state: &ErasedState, role: Role) -> Answer<Goal> {
        self.0.goal(state.own()?, role)
    }

    fn legal_moves(
        &mut self,
        state: &ErasedState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Answer<()> {
        moves.clear();
        self.0.legal_moves(state.own()?, role, moves)
    }

    fn next(&mut self, state: &ErasedState, joint_move: &[MoveId]) -> Answer<ErasedState> {
        let next = self.0.next(state.own()?, joint_move)?;
        Ok(ErasedState::new(next))
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.0.move_text(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.0.find_move(role, text)
    }

    fn facts(&mut self, state: &ErasedState) -> Vec<String> {
        let state = state.inner();
        state.map_or(Vec::new(), |state| self.0.facts(state))
    }

    fn fluents(&mut self, state: &ErasedState, fluents: &mut Vec<FluentId>) {
        fluents.clear();
        if let Some(state) = state.inner() {
            self.0.fluents(state, fluents);
        }
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.0.fluent_text(id)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Answer<ErasedState> {
        self.0.state_from_facts(facts).map(ErasedState::new)
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.0.set_deadline(deadline);
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.0.set_cancel(cancel);
    }

    fn settle(&mut self) {
        self.0.settle();
    }

    fn difference(&mut self, first: &ErasedState, second: &ErasedState) -> (usize, usize) {
        match (first.inner(), second.inner()) {
            (Some(first), Some(second)) => self.0.difference(first, second),
            // States that are none of ours have nothing in common with anything, nor anything of
            // their own.
            _ => (0, 0),
        }
    }

    fn playout(&mut self, state: &ErasedState, dice: &mut Dice, limit: u32) -> Answer<Playout> {
        self.0.playout(state.own()?, dice, limit)
    }

    fn playouts(
        &mut self,
        starts: &[ErasedState],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Answer<Vec<Tally>> {
        self.0.playouts(&all_own(starts)?, each, dice, limit)
    }

    fn records(
        &mut self,
        starts: &[ErasedState],
        each: u32,
        dice: &mut Dice,
        limit: u32,
    ) -> Answer<Vec<Vec<Record>>> {
        self.0.records(&all_own(starts)?, each, dice, limit)
    }

    fn is_ready_to_guide(&mut self) -> bool {
        self.0.is_ready_to_guide()
    }

    fn guided_playouts(
        &mut self,
        wanted: &Wanted<'_, ErasedState>,
        dice: &mut Dice,
    ) -> Answer<Guided> {
        let starts = all_own(wanted.starts)?;
        self.0
            .guided_playouts(&wanted.put(&starts, wanted.guide), dice)
    }

    fn survey(&mut self, states: &[ErasedState]) -> Answer<Vec<Survey>> {
        self.0.survey(&all_own(states)?)
    }

    fn next_states(&mut self, moves: &[(&ErasedState, &[MoveId])]) -> Answer<Vec<ErasedState>> {
        let mut own: Vec<(&R::State, &[MoveId])> = Vec::with_capacity(moves.len());
        for (state, joint_move) in moves {
            own.push((state.own()?, joint_move));
        }
        let states = self.0.next_states(&own)?;
        Ok(states.into_iter().map(ErasedState::new).collect())
    }
}
