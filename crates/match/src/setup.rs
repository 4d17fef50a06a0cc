//! The settings of a match: [`MatchSetup`].

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ludorum_players::{PlayerSpec, PlayerSpecError};
use thiserror::Error;

use crate::move_source::CustomPlayer;
use crate::player_client::PlayerAddress;

/// The settings of a match: game, clocks, participants.
#[derive(Clone, Debug)]
pub struct MatchSetup {
    /// The match id of the protocol; unique.
    pub id: String,
    /// The name of the game, for people.
    pub game: String,
    /// The rule sheet, as it is sent to players.
    pub sheet: Arc<str>,
    /// The start clock.
    pub start_clock: Duration,
    /// The play clock.
    pub play_clock: Duration,
    /// The participants, one for each role in the order of the roles.
    pub participants: Vec<Participant>,
    /// Seed of all randomness of the match: moves that replace missing ones, and built-in players
    /// without a seed of their own.
    pub seed: u64,
    /// A player with this many errors loses the match; none for no limit.
    pub forfeit_after: Option<u32>,
    /// Limit on steps, after which the match ends without a result.
    pub max_steps: u32,
}

/// Who plays a role.
#[derive(Clone, Debug, PartialEq)]
pub enum Participant {
    /// A built-in player in this process.
    Local(PlayerSpec),
    /// A remote player that speaks the GGP protocol, by its address `http://host:port`.
    Remote(String),
    /// A participant in this process with a [`MoveSource`](crate::MoveSource) of its own, such as a
    /// person.
    Custom(CustomPlayer),
}

/// A text that denotes no participant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParticipantError {
    /// No built-in player.
    #[error(transparent)]
    Spec(#[from] PlayerSpecError),
    /// An invalid address.
    #[error("`{0}` is not the address of a player; write it like http://localhost:9147")]
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
