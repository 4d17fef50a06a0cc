//! A place at a match: who plays a role.

use std::sync::Arc;

use ludorum_match::{CustomPlayer, Participant};

use super::person_player::PersonPlayer;
use crate::secret;
use crate::snapshot::PlayerKind;

/// Who plays a role.
#[derive(Debug)]
pub(crate) struct RolePlayer {
    pub(crate) kind: PlayerKind,
    /// For people: as it was asked for, without the bounds that the arena sets.
    pub(crate) name: String,
    /// What opens the seat of a person.
    pub(crate) secret: Option<String>,
    pub(super) person: Option<Arc<PersonPlayer>>,
    pub(crate) participant: Participant,
    /// Whether the play clock holds here.
    pub(super) is_timed: bool,
}

impl RolePlayer {
    /// A seat for a person, with a secret.
    pub(crate) fn for_person(name: String, secret: String, is_timed: bool) -> Self {
        let person = Arc::new(PersonPlayer::default());
        let source = Arc::clone(&person);
        Self {
            kind: PlayerKind::Person,
            secret: Some(secret),
            person: Some(person),
            participant: Participant::Custom(CustomPlayer {
                name: name.clone(),
                is_timed,
                source,
            }),
            name,
            is_timed,
        }
    }

    /// A seat for a player of ours or on the network.
    pub(crate) fn for_player(participant: Participant, name: String) -> Self {
        let kind = match participant {
            Participant::Remote(_) => PlayerKind::Remote,
            Participant::Local(_) | Participant::Custom(_) => PlayerKind::Player,
        };
        Self {
            kind,
            name,
            secret: None,
            person: None,
            participant,
            is_timed: true,
        }
    }

    /// Who plays, as it was asked for, without the bounds that the arena sets.
    pub(super) fn requested_spec(&self) -> String {
        match self.participant {
            Participant::Local(_) => self.name.clone(),
            Participant::Remote(_) | Participant::Custom(_) => self.participant.to_string(),
        }
    }

    /// Whether this is its secret.
    pub(super) fn has_secret(&self, key: &str) -> bool {
        let own = self.secret.as_ref();
        own.is_some_and(|own| secret::is_same(own, key))
    }
}
