//! The connection of the manager to a player: local, remote or custom.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::pending;
use ludorum_players::Report;
use tokio::time::timeout;

use super::local_player::{LocalPlayer, Observers};
use super::{GameManager, GameManagerError, start_sheet};
use crate::move_source::{CustomPlayer, MoveRequest};
use crate::player_client::{CallError, PlayerAddress};
use crate::protocol::{
    JointMove, Message, READY, StartMessage, begins_with, excerpt, is_refusal, reports_busy,
};
use crate::record::{MatchRecord, PlayerErrorKind};
use crate::seed;
use crate::setup::{MatchSetup, Participant};

/// Time limit of STOP, ABORT and INFO messages.
const FINISH_TIMEOUT: Duration = Duration::from_secs(2);
/// First pause between checks whether a player is ready. Every further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause between checks whether a player is ready.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// The connection to a player.
#[derive(Debug)]
pub(super) enum PlayerLink {
    Local(LocalPlayer),
    Remote(RemotePlayer),
    Custom(CustomPlayer),
}

/// A request for a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveQuery<'a> {
    pub(super) role: usize,
    pub(super) step: u32,
    /// The role's legal moves.
    pub(super) legal: &'a [String],
    /// The joint move that was played last.
    pub(super) last: Option<&'a Vec<String>>,
    /// Whether this is the first request since the match started or was resumed.
    pub(super) is_first: bool,
    pub(super) clock: Duration,
}

/// A move, with the search report of a built-in player.
#[derive(Debug)]
pub(super) struct MoveReply {
    pub(super) text: String,
    pub(super) report: Option<Report>,
}

impl From<String> for MoveReply {
    fn from(text: String) -> Self {
        Self { text, report: None }
    }
}

/// A remote player.
#[derive(Debug)]
pub(super) struct RemotePlayer {
    address: PlayerAddress,
    /// Its address as written in the setup.
    name: String,
    id: String,
    grace: Duration,
    /// Whether the player was started in the state where the match was resumed.
    is_fresh: bool,
}

/// The information that players get when a match starts.
#[derive(Debug)]
pub(super) struct StartInfo {
    role: String,
    start_clock: Duration,
    play_clock: Duration,
    /// The rules. In a resumed match, the state reached replaces the initial state.
    sheet: Arc<str>,
    /// Whether the sheet has the original initial state although the match is under way.
    has_original_state: bool,
    /// The joint moves played so far.
    past: Vec<Vec<String>>,
}

impl StartInfo {
    /// One for each role.
    pub(super) fn all(setup: &MatchSetup, record: &MatchRecord) -> Vec<Self> {
        let last = record.steps.last();
        let later = last.and_then(|step| start_sheet::sheet_from(&setup.sheet, &step.state));
        let has_original_state = last.is_some() && later.is_none();
        let sheet: Arc<str> = later
            .unwrap_or_else(|| start_sheet::sheet(&setup.sheet))
            .into();
        let past: Vec<Vec<String>> = record.steps.iter().map(|s| s.moves.clone()).collect();
        let one = |role: &String| Self {
            role: role.clone(),
            start_clock: setup.start_clock,
            play_clock: setup.play_clock,
            sheet: Arc::clone(&sheet),
            has_original_state,
            past: past.clone(),
        };
        record.roles.iter().map(one).collect()
    }
}

impl PlayerLink {
    pub(super) fn new(
        manager: &GameManager,
        setup: &MatchSetup,
        role: usize,
        participant: &Participant,
    ) -> Result<Self, GameManagerError> {
        match participant {
            Participant::Local(spec) => {
                let own = seed::of_player(setup.seed, role);
                let spec = seed::fill_in(spec, &[("seed", own)]);
                let (sheet, engines) = (Arc::clone(&setup.sheet), manager.engines.clone());
                let player = LocalPlayer::new(spec, role, sheet, engines, manager.grace);
                Ok(Self::Local(player.map_err(GameManagerError::Thread)?))
            }
            Participant::Remote(name) => {
                let address = PlayerAddress::new(name);
                // A player that plays several roles could not tell their messages apart, so each
                // role has a match id of its own. Two different addresses may lead to the same
                // player, so all remote roles get one.
                let before = setup.participants[..role].iter();
                let is_remote = |other: &&Participant| matches!(other, Participant::Remote(_));
                let before = before.filter(is_remote).count();
                let id = match before {
                    0 => setup.id.clone(),
                    _ => format!("{}.{}", setup.id, before + 1),
                };
                Ok(Self::Remote(RemotePlayer {
                    address: address.ok_or_else(|| GameManagerError::Address(name.clone()))?,
                    name: name.clone(),
                    id,
                    grace: manager.grace,
                    is_fresh: true,
                }))
            }
            Participant::Custom(custom) => Ok(Self::Custom(custom.clone())),
        }
    }

    /// The address of a remote player.
    pub(super) fn address(&self) -> Option<&str> {
        match self {
            Self::Local(_) | Self::Custom(_) => None,
            Self::Remote(player) => Some(&player.name),
        }
    }

    /// Waits until the player is reachable and not busy, at most for the given time.
    pub(super) async fn wait_until_ready(
        &self,
        availability_timeout: Duration,
    ) -> Result<(), CallError> {
        match self {
            Self::Local(_) | Self::Custom(_) => Ok(()),
            Self::Remote(player) => player.wait_until_ready(availability_timeout).await,
        }
    }

    /// Sends START and waits until the player is ready.
    pub(super) async fn start(
        &mut self,
        start_info: StartInfo,
        observers: Observers,
    ) -> Result<(), CallError> {
        match self {
            Self::Local(player) => {
                let StartInfo {
                    past, start_clock, ..
                } = start_info;
                player.start(past, start_clock, observers).await
            }
            Self::Remote(player) => player.start(start_info).await,
            Self::Custom(_) => Ok(()),
        }
    }

    /// Tells the player the last joint move and requests a move.
    pub(super) async fn play(&mut self, query: MoveQuery<'_>) -> Result<MoveReply, CallError> {
        let MoveQuery {
            last,
            is_first,
            clock,
            ..
        } = query;
        match self {
            // The player has received the moves from before the match was resumed.
            Self::Local(player) => {
                let last_move = last.filter(|_| !is_first).cloned();
                let (text, report) = player.play(last_move, clock).await?;
                let report = Some(report);
                Ok(MoveReply { text, report })
            }
            Self::Remote(player) => {
                let last_move = last.filter(|_| !(is_first && player.is_fresh));
                let moves = last_move.map(|moves| JointMove::new(moves.clone()));
                let id = player.id.clone();
                let message = Message::Play { id, moves };
                let answer = player.send(&message, clock + player.grace).await;
                answer.map(MoveReply::from)
            }
            Self::Custom(custom) => {
                let request = MoveRequest {
                    role: query.role,
                    step: query.step,
                    legal: query.legal.to_vec(),
                };
                let answer = custom.source.play(request);
                if custom.is_timed {
                    let answer = timeout(clock, answer).await;
                    return answer
                        .map(MoveReply::from)
                        .map_err(|_| CallError::late(clock));
                }
                Ok(answer.await.into())
            }
        }
    }

    /// Completes when a participant that can resign does so.
    pub(super) async fn resignation(participant: &Participant) {
        match participant {
            Participant::Custom(custom) => custom.source.resignation().await,
            Participant::Local(_) | Participant::Remote(_) => pending().await,
        }
    }

    /// Tells the player that the match is over; errors are only logged.
    pub(super) async fn finish(&mut self, last: Option<&Vec<String>>, is_completed: bool) {
        if let Self::Remote(player) = self {
            let id = player.id.clone();
            let message = if is_completed {
                let moves = last.map(|moves| JointMove::new(moves.clone()));
                Message::Stop { id, moves }
            } else {
                Message::Abort { id }
            };
            let answer = player.send(&message, FINISH_TIMEOUT).await;
            if let Err(error) = answer {
                tracing::debug!(
                    player = player.name,
                    detail = error.detail,
                    "the player did not confirm the end of the match"
                );
            }
        }
    }
}

impl RemotePlayer {
    async fn send(&self, message: &Message, limit: Duration) -> Result<String, CallError> {
        self.address
            .send(message.to_string(), &self.name, limit)
            .await
    }

    async fn wait_until_ready(&self, availability_timeout: Duration) -> Result<(), CallError> {
        let begin = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let Err(error) = self.check_ready().await else {
                return Ok(());
            };
            let left = availability_timeout.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(error);
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Whether the player is reachable and does not report that it is busy. A player that does not
    /// understand INFO counts as ready.
    async fn check_ready(&self) -> Result<(), CallError> {
        self.address.probe().await?;
        if !self.is_busy().await {
            return Ok(());
        }
        // It may still hold this match, from a game manager that was killed.
        let id = self.id.clone();
        let _ = self.send(&Message::Abort { id }, FINISH_TIMEOUT).await;
        if !self.is_busy().await {
            return Ok(());
        }
        Err(CallError::new(
            PlayerErrorKind::Refused,
            "it says that it is busy",
        ))
    }

    async fn is_busy(&self) -> bool {
        let answer = self.send(&Message::Info, FINISH_TIMEOUT).await;
        answer.is_ok_and(|answer| reports_busy(&answer))
    }

    async fn start(&mut self, start_info: StartInfo) -> Result<(), CallError> {
        if !start_info.past.is_empty() {
            // A player that still holds the match would be too busy for it.
            let id = self.id.clone();
            let _ = self.send(&Message::Abort { id }, FINISH_TIMEOUT).await;
        }
        self.is_fresh = !start_info.has_original_state;
        let limit = start_info.start_clock + self.grace;
        let message = Message::Start(StartMessage {
            id: self.id.clone(),
            role: start_info.role,
            sheet: start_info.sheet.to_string(),
            start_clock: start_info.start_clock,
            play_clock: start_info.play_clock,
        });
        let answer = self.send(&message, limit).await?;
        if begins_with(&answer, READY) {
            return Ok(());
        }
        let kind = if is_refusal(&answer) {
            PlayerErrorKind::Refused
        } else {
            PlayerErrorKind::Garbage
        };
        let detail = format!("START was answered with `{}`", excerpt(&answer));
        Err(CallError::new(kind, detail))
    }
}
