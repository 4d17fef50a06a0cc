//! What a match is before it begins: [`MatchSetup`].

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ludorum_players::{PlayerSpec, PlayerSpecError};
use thiserror::Error;

use crate::move_source::CustomPlayer;
use crate::player_client::PlayerAddress;

/// A match that can be played.
#[derive(Clone, Debug)]
pub struct MatchSetup {
    /// The name of the match, as the protocol knows it; unique.
    pub id: String,
    /// The name of the game, for people.
    pub game: String,
    /// The rule sheet, as it is sent to players.
    pub sheet: Arc<str>,
    /// The time before the first move.
    pub start_clock: Duration,
    /// The time for each move.
    pub play_clock: Duration,
    /// Who plays, one for each role in the order of the roles.
    pub participants: Vec<Participant>,
    /// Where all chance of this match comes from: moves in place of missing ones, and players of
    /// ours that are given no seed of their own.
    pub seed: u64,
    /// How many errors of a player end the match for it; none if no number does.
    pub forfeit_after: Option<u32>,
    /// How many steps the match may have before it is given up.
    pub max_steps: u32,
}

/// Somebody who plays a role.
#[derive(Clone, Debug, PartialEq)]
pub enum Participant {
    /// A player of ours, in this process.
    Local(PlayerSpec),
    /// A player that speaks the protocol, by its address, as `http://host:port`.
    Remote(String),
    /// Somebody in this process who is asked in a way of its own, such as a person.
    Custom(CustomPlayer),
}

/// A text that names nobody who could play.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParticipantError {
    /// No player of ours.
    #[error(transparent)]
    PlayerSpec(#[from] PlayerSpecError),
    /// An address that is none.
    #[error("`{0}` is no address of a player; write it like http://localhost:9147")]
    Address(String),
}

impl FromStr for Participant {
    type Err = ParticipantError;

    fn from_str(text: &str) -> Result<Self, ParticipantError> {
        let text = text.trim();
        if text.contains("://") {
            return match PlayerAddress::new(text) {
                Some(_) => Ok(Self::Remote(text.to_owned())),
                None => Err(ParticipantError::Address(text.to_owned())),
            };
        }
        Ok(Self::Local(text.parse()?))
    }
}

impl fmt::Display for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(spec) => write!(f, "{spec}"),
            Self::Remote(address) => f.write_str(address),
            Self::Custom(guest) => f.write_str(&guest.name),
        }
    }
}
