//! A place at a match: who plays a role.

use std::sync::Arc;

use ludorum_match::{Entrant, Guest};
use serde::{Deserialize, Serialize};

use super::person::Person;
use crate::secret;

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Somebody in front of a browser.
    Person,
    /// A player of ours.
    Player,
    /// A player on the network.
    Remote,
}

/// Who plays a role.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) kind: Kind,
    /// For people: as it was asked for, without the bounds that the arena sets.
    pub(crate) name: String,
    /// What opens the seat of a person.
    pub(crate) secret: Option<String>,
    pub(super) person: Option<Arc<Person>>,
    pub(crate) entrant: Entrant,
    /// Whether the play clock holds here.
    pub(super) is_timed: bool,
}

impl Seat {
    /// A seat for a person, with a secret.
    pub(crate) fn for_person(name: String, secret: String, is_timed: bool) -> Self {
        let person = Arc::new(Person::default());
        let chair = Arc::clone(&person);
        Self {
            kind: Kind::Person,
            secret: Some(secret),
            person: Some(person),
            entrant: Entrant::Guest(Guest {
                name: name.clone(),
                is_timed,
                chair,
            }),
            name,
            is_timed,
        }
    }

    /// A seat for a player of ours or on the network.
    pub(crate) fn for_player(entrant: Entrant, name: String) -> Self {
        let kind = match entrant {
            Entrant::Remote(_) => Kind::Remote,
            Entrant::Local(_) | Entrant::Guest(_) => Kind::Player,
        };
        Self {
            kind,
            name,
            secret: None,
            person: None,
            entrant,
            is_timed: true,
        }
    }

    /// Who plays, as it was asked for, without the bounds that the arena sets.
    pub(super) fn asked_for(&self) -> String {
        match self.entrant {
            Entrant::Local(_) => self.name.clone(),
            Entrant::Remote(_) | Entrant::Guest(_) => self.entrant.to_string(),
        }
    }

    /// Whether this is its secret.
    pub(super) fn is_opened_by(&self, key: &str) -> bool {
        let own = self.secret.as_ref();
        own.is_some_and(|own| secret::is_same(own, key))
    }
}
