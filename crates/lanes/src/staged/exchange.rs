//! Exchange of fluents, moves and states with another vocabulary of the same rules.

use ludorum_logic::TermId;
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{FluentId, MoveId, Role};

use super::{StagedLanes, StagedState};

impl StagedLanes {
    /// The term of a fluent in another vocabulary of the same rules.
    pub fn export_fluent(&mut self, id: FluentId, to: &mut Vocabulary) -> Option<TermId> {
        let term = *self.shared.tables.fluent_terms.get(id.index())?;
        self.vocabulary.know(term);
        to.import_from(&self.vocabulary, &[term]).pop()
    }

    /// The fluent with a term of another vocabulary of the same rules, if a reachable state can have
    /// it.
    pub fn import_fluent(&mut self, term: TermId, from: &mut Vocabulary) -> Option<FluentId> {
        from.know(term);
        let own = self.vocabulary.import_from(from, &[term]).pop()?;
        let fluent = self.fluent_of(own)?;
        Some(FluentId(fluent as u32))
    }

    /// The id of a move in another vocabulary of the same rules.
    pub fn export_move(&mut self, role: Role, id: MoveId, to: &mut Vocabulary) -> Option<MoveId> {
        let (term, _) = self.vocabulary.move_of(role, id)?;
        let term = to.import_from(&self.vocabulary, &[term]).pop()?;
        Some(to.move_id(role, term))
    }

    /// The move with an id of another vocabulary of the same rules.
    pub fn import_move(&mut self, role: Role, id: MoveId, from: &mut Vocabulary) -> Option<MoveId> {
        let (term, _) = from.move_of(role, id)?;
        let own = self.vocabulary.import_from(from, &[term]).pop()?;
        Some(self.vocabulary.move_id(role, own))
    }

    /// The state with exactly the given fluents. `None` if no sequence of moves can lead to it, as
    /// far as that is known: answers about such a state could be wrong.
    pub fn state_from_fluents(&self, fluents: &[FluentId]) -> Option<StagedState> {
        let mut bits = BitState::empty(self.shared.network.game.fluents.len());
        for fluent in fluents {
            bits.set(fluent.index(), true);
        }
        let state = StagedState(bits);
        let start = self.start_of(&state);
        self.shared.network.check_reachable(&start).ok()?;
        Some(state)
    }
}
