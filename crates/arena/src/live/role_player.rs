//! The player of a role in an arena match.

use std::sync::Arc;

use ludorum_match::{CustomPlayer, Participant};

use super::person_player::PersonPlayer;
use crate::secret;
use crate::snapshot::PlayerKind;

/// The player of a role.
#[derive(Debug)]
pub(crate) struct RolePlayer {
    pub(crate) kind: PlayerKind,
    /// The name of a person, or the requested spec without the limits that the arena adds.
    pub(crate) name: String,
    /// The secret of a person's role.
    pub(crate) secret: Option<String>,
    pub(super) person: Option<Arc<PersonPlayer>>,
    pub(crate) participant: Participant,
    /// Whether the play clock applies.
    pub(super) is_timed: bool,
}

impl RolePlayer {
    /// A person, with a secret.
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

    /// A built-in or remote player.
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

    /// The player as requested, without the limits that the arena adds.
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
