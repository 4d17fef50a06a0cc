//! The ids of fluents and moves that `auto` gives to its callers, and the two forms of states.
//!
//! The public ids are those of the vocabulary of the prover, which all forks share. The network has
//! ids of its own, which are all known when it is made ([`NetworkIds`]).

use std::borrow::Cow;
use std::sync::Arc;

use ludorum_logic::TermId;
use ludorum_propnet::BitState;
use ludorum_propnet::ground_game::GroundGame;
use ludorum_propnet::network::Network;
use ludorum_prover::ProverState;
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{FluentId, MoveHistory, MoveId, MovePair, PlayoutPolicy, ReasonError, Role};

use super::state::{AutoState, Form};

/// A map between two sets of ids. Small ids are indexes, large ones keys.
#[derive(Clone, Debug, Default)]
pub(super) struct IdMap {
    small: Vec<u32>,
    large: rustc_hash::FxHashMap<u32, u32>,
}

/// Ids below this are indexes.
const SMALL: u32 = 1 << 20;
const NONE: u32 = u32::MAX;

impl IdMap {
    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<u32> {
        match self.small.get(id as usize) {
            Some(other) => (*other != NONE).then_some(*other),
            None => self.large.get(&id).copied(),
        }
    }

    pub(super) fn insert(&mut self, id: u32, other: u32) {
        if id >= SMALL {
            self.large.insert(id, other);
            return;
        }
        if id as usize >= self.small.len() {
            self.small
                .resize((id as usize + 1).next_power_of_two(), NONE);
        }
        self.small[id as usize] = other;
    }
}

/// The ids of the network and the public ones.
#[derive(Debug)]
pub(super) struct NetworkIds {
    network: Arc<Network>,
    /// The public ids of moves, by role and network id.
    moves: Vec<Vec<MoveId>>,
    /// The network ids of moves, by role and public id.
    network_moves: Vec<IdMap>,
    /// The public ids of fluents, by network id.
    fluents: Vec<TermId>,
    /// The network ids of fluents, by public id.
    network_fluents: IdMap,
}

impl NetworkIds {
    /// Gives public ids to the moves and fluents of a network.
    pub(super) fn new(network: Arc<Network>, vocabulary: &mut Vocabulary) -> Self {
        let game = &network.game;
        let mut moves = Vec::new();
        let mut network_moves = Vec::new();
        for role in 0..game.roles.len() {
            let terms = vocabulary.import(&game.terms, game.move_terms(role));
            let public = terms.iter().map(|term| vocabulary.move_id(role, *term));
            let public: Vec<MoveId> = public.collect();
            let mut map = IdMap::default();
            for (own, id) in (0..).zip(&public) {
                map.insert(id.0, own);
            }
            moves.push(public);
            network_moves.push(map);
        }
        let fluents = vocabulary.import(&game.terms, &game.fluent_terms);
        let mut network_fluents = IdMap::default();
        for (own, term) in (0..).zip(&fluents) {
            network_fluents.insert(term.0, own);
        }
        Self {
            network,
            moves,
            network_moves,
            fluents,
            network_fluents,
        }
    }

    pub(super) fn game(&self) -> &GroundGame {
        &self.network.game
    }

    /// The number of components of the network.
    pub(super) fn components(&self) -> usize {
        self.network.len()
    }

    /// The state with these fluents, if the network can represent it.
    fn bits(&self, state: &ProverState) -> Option<BitState> {
        let mut bits = BitState::empty(self.fluents.len());
        for term in state.fluents() {
            bits.set(self.network_fluents.get(term.0)? as usize, true);
        }
        Some(bits)
    }

    /// A state of the network.
    pub(super) fn state(&self, bits: BitState) -> AutoState {
        AutoState {
            key: self.game().key(&bits),
            form: Form::Network(bits),
        }
    }

    /// The successor of a state.
    pub(super) fn state_after(&self, key: u128, before: &BitState, next: BitState) -> AutoState {
        AutoState {
            key: self.game().key_after(key, before, &next),
            form: Form::Network(next),
        }
    }

    /// The public id of a move.
    pub(super) fn public_move(&self, role: Role, id: MoveId) -> MoveId {
        self.moves[role][id.index()]
    }

    /// Appends the network ids of a joint move. `None` if the network does not have a move.
    pub(super) fn network_joint(&self, joint: &[MoveId], out: &mut Vec<MoveId>) -> Option<()> {
        if joint.len() != self.network_moves.len() {
            return None;
        }
        for (map, id) in self.network_moves.iter().zip(joint) {
            out.push(MoveId(map.get(id.0)?));
        }
        Some(())
    }

    /// A policy with public ids, converted to network ids.
    pub(super) fn policy_to_network(&self, policy: &PlayoutPolicy) -> PlayoutPolicy {
        let scores = self.moves.iter().enumerate().map(|(role, public)| {
            let score = |id: &MoveId| policy.score(role, *id);
            public.iter().map(score).collect()
        });
        let network = |role: Role, id: MoveId| {
            let map: &IdMap = self.network_moves.get(role)?;
            map.get(id.0).map(MoveId)
        };
        PlayoutPolicy {
            epsilon: policy.epsilon,
            epsilons: policy.epsilons.clone(),
            scores: scores.collect(),
            pairs: policy.pairs.as_ref().map(|pairs| {
                let pairs = pairs.iter();
                pairs
                    .filter_map(|(pair, score)| {
                        let pair = MovePair {
                            before: (pair.before.0, network(pair.before.0, pair.before.1)?),
                            role: pair.role,
                            id: network(pair.role, pair.id)?,
                        };
                        Some((pair, *score))
                    })
                    .collect()
            }),
        }
    }

    /// A history with network ids, converted to public ids.
    pub(super) fn history_to_public(&self, history: MoveHistory) -> MoveHistory {
        let mut result = MoveHistory::new(self.moves.len());
        for (pair, totals) in history.pairs {
            let pair = MovePair {
                before: (
                    pair.before.0,
                    self.public_move(pair.before.0, pair.before.1),
                ),
                role: pair.role,
                id: self.public_move(pair.role, pair.id),
            };
            result.pairs.insert(pair, totals);
        }
        for (role, totals) in history.moves.iter().enumerate() {
            for (network, totals) in totals.iter().enumerate() {
                if totals.playouts > 0 {
                    let id = self.moves[role][network];
                    result.add(role, id, totals.playouts, totals.points);
                }
            }
        }
        result
    }
}

/// One fork's table of public ids.
#[derive(Clone, Debug)]
pub(super) struct PublicIds {
    pub(super) vocabulary: Vocabulary,
    /// The ids of the network, once there is one.
    pub(super) network: Option<Arc<NetworkIds>>,
}

impl PublicIds {
    pub(super) fn new(vocabulary: Vocabulary) -> Self {
        Self {
            vocabulary,
            network: None,
        }
    }

    /// A state by its fluents.
    pub(super) fn state(&mut self, fluents: Vec<TermId>) -> AutoState {
        let (fluents, key) = self.vocabulary.state(fluents);
        AutoState::of_rules(ProverState::new(fluents, key))
    }

    /// A state in the form of the engines on the rules. `None` if another reasoner made it.
    pub(super) fn rules_state<'s>(&self, state: &'s AutoState) -> Option<Cow<'s, ProverState>> {
        let bits = match &state.form {
            Form::Rules(state) => return Some(Cow::Borrowed(state)),
            Form::Network(bits) => bits,
        };
        let ids = self.network.as_ref()?;
        let mut fluents: Vec<TermId> = bits.ones().map(|fluent| ids.fluents[fluent]).collect();
        fluents.sort_unstable();
        Some(Cow::Owned(ProverState::new(fluents.into(), state.key)))
    }

    /// A state in the form of the engines on the network. `None` if the network cannot represent
    /// it, or if there is none.
    pub(super) fn network_state<'s>(&self, state: &'s AutoState) -> Option<Cow<'s, BitState>> {
        match &state.form {
            Form::Network(bits) => Some(Cow::Borrowed(bits)),
            Form::Rules(state) => self.network.as_ref()?.bits(state).map(Cow::Owned),
        }
    }

    /// The fluents of a state, ascending.
    pub(super) fn fluents(&self, state: &AutoState, fluents: &mut Vec<FluentId>) {
        fluents.clear();
        if let Some(state) = self.rules_state(state) {
            fluents.extend(state.fluents().iter().map(|term| FluentId(term.0)));
        }
    }

    /// The texts of the fluents of a state, sorted.
    pub(super) fn facts(&mut self, state: &AutoState) -> Vec<String> {
        match self.rules_state(state) {
            Some(state) => self.vocabulary.facts(state.fluents()),
            None => Vec::new(),
        }
    }

    /// The state with these facts.
    pub(super) fn state_from_facts(&mut self, facts: &[String]) -> Result<AutoState, ReasonError> {
        let fluents = facts.iter().map(|fact| self.vocabulary.fluent(fact));
        let fluents = fluents.collect::<Result<Vec<TermId>, _>>()?;
        Ok(self.state(fluents))
    }
}
