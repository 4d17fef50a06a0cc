//! A place at the table: a player of ours or one that is reached over the network.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::pending;
use ludorum_search::Report;
use tokio::time::timeout;

use super::client::{Address, Trouble};
use super::local::{LocalSeat, Onlookers};
use super::{Manager, ManagerError, wire};
use crate::guest::{Guest, Question};
use crate::protocol::{
    Joint, Message, READY, Start, begins_with, excerpt, is_complaint, says_busy,
};
use crate::record::{MishapKind, Record};
use crate::seed;
use crate::setup::{Entrant, Setup};

/// Players are given so long to hear that a match is over, or to say how they are.
const FAREWELL: Duration = Duration::from_secs(2);
/// Between two looks whether a player is there; each pause is twice the one before,
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A place at the table.
#[derive(Debug)]
pub(super) enum Seat {
    Local(LocalSeat),
    Remote(RemoteSeat),
    Guest(Guest),
}

/// What a player is asked in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) role: usize,
    pub(super) step: u32,
    /// The role's legal moves.
    pub(super) legal: &'a [String],
    /// What was played last.
    pub(super) last: Option<&'a Vec<String>>,
    /// Whether it is the first question since the match began or was taken up again.
    pub(super) is_first: bool,
    pub(super) clock: Duration,
}

/// A move, and what a player of ours thought about it.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) report: Option<Report>,
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self { text, report: None }
    }
}

/// A player that is reached over the network.
#[derive(Debug)]
pub(super) struct RemoteSeat {
    address: Address,
    /// As it is named in the setup.
    name: String,
    id: String,
    grace: Duration,
    /// Whether the player believes that the match began where it was taken up again.
    is_fresh: bool,
}

/// How a match is told to players that do not know it yet.
#[derive(Debug)]
pub(super) struct Invitation {
    role: String,
    start_clock: Duration,
    play_clock: Duration,
    /// The rules; in a match that is taken up again, with the state reached in the place of the
    /// initial one.
    sheet: Arc<str>,
    /// Whether they are the rules as they were at first, although the match is under way.
    is_behind: bool,
    /// What was played before.
    past: Vec<Vec<String>>,
}

impl Invitation {
    /// One for each role.
    pub(super) fn all(setup: &Setup, record: &Record) -> Vec<Self> {
        let last = record.steps.last();
        let later = last.and_then(|step| wire::sheet_from(&setup.sheet, &step.state));
        let is_behind = last.is_some() && later.is_none();
        let sheet: Arc<str> = later.unwrap_or_else(|| wire::sheet(&setup.sheet)).into();
        let past: Vec<Vec<String>> = record.steps.iter().map(|s| s.moves.clone()).collect();
        let one = |role: &String| Self {
            role: role.clone(),
            start_clock: setup.start_clock,
            play_clock: setup.play_clock,
            sheet: Arc::clone(&sheet),
            is_behind,
            past: past.clone(),
        };
        record.roles.iter().map(one).collect()
    }
}

impl Seat {
    pub(super) fn new(
        manager: &Manager,
        setup: &Setup,
        role: usize,
        entrant: &Entrant,
    ) -> Result<Self, ManagerError> {
        match entrant {
            Entrant::Local(spec) => {
                let own = seed::of_player(setup.seed, role);
                let spec = seed::fill_in(spec, &[("seed", own)]);
                let (sheet, tables) = (Arc::clone(&setup.sheet), manager.tables.clone());
                let seat = LocalSeat::new(spec, role, sheet, tables, manager.grace);
                Ok(Self::Local(seat.map_err(ManagerError::Thread)?))
            }
            Entrant::Remote(name) => {
                let address = Address::new(name);
                // A player that has several roles could not tell messages apart: for it, they are
                // several matches. Two addresses that look different may be one player's, so all
                // have a name of their own.
                let before = setup.entrants[..role].iter();
                let is_remote = |other: &&Entrant| matches!(other, Entrant::Remote(_));
                let before = before.filter(is_remote).count();
                let id = match before {
                    0 => setup.id.clone(),
                    _ => format!("{}.{}", setup.id, before + 1),
                };
                Ok(Self::Remote(RemoteSeat {
                    address: address.ok_or_else(|| ManagerError::Address(name.clone()))?,
                    name: name.clone(),
                    id,
                    grace: manager.grace,
                    is_fresh: true,
                }))
            }
            Entrant::Guest(guest) => Ok(Self::Guest(guest.clone())),
        }
    }

    /// The name of a player that is reached over the network.
    pub(super) fn address(&self) -> Option<&str> {
        match self {
            Self::Local(_) | Self::Guest(_) => None,
            Self::Remote(seat) => Some(&seat.name),
        }
    }

    /// Waits until the player is there and has room for a match, but not for long.
    pub(super) async fn attend(&self, patience: Duration) -> Result<(), Trouble> {
        match self {
            Self::Local(_) | Self::Guest(_) => Ok(()),
            Self::Remote(seat) => seat.attend(patience).await,
        }
    }

    /// Tells the player of the match and waits until it is ready.
    pub(super) async fn start(
        &mut self,
        invitation: Invitation,
        onlookers: Onlookers,
    ) -> Result<(), Trouble> {
        match self {
            Self::Local(seat) => {
                let Invitation {
                    past, start_clock, ..
                } = invitation;
                seat.start(past, start_clock, onlookers).await
            }
            Self::Remote(seat) => seat.start(invitation).await,
            Self::Guest(_) => Ok(()),
        }
    }

    /// Tells the player what was played last and asks for its move.
    pub(super) async fn play(&mut self, asked: Asked<'_>) -> Result<Reply, Trouble> {
        let Asked {
            last,
            is_first,
            clock,
            ..
        } = asked;
        match self {
            // What was played before the match was taken up again, it has heard already.
            Self::Local(seat) => {
                let told = last.filter(|_| !is_first).cloned();
                let (text, report) = seat.play(told, clock).await?;
                let report = Some(report);
                Ok(Reply { text, report })
            }
            Self::Remote(seat) => {
                let told = last.filter(|_| !(is_first && seat.is_fresh));
                let moves = told.map(|moves| Joint::new(moves.clone()));
                let id = seat.id.clone();
                let message = Message::Play { id, moves };
                let answer = seat.ask(&message, clock + seat.grace).await;
                answer.map(Reply::from)
            }
            Self::Guest(guest) => {
                let question = Question {
                    role: asked.role,
                    step: asked.step,
                    legal: asked.legal.to_vec(),
                };
                let answer = guest.chair.play(question);
                if guest.is_timed {
                    let answer = timeout(clock, answer).await;
                    return answer.map(Reply::from).map_err(|_| Trouble::late(clock));
                }
                Ok(answer.await.into())
            }
        }
    }

    /// Ends when somebody who can give up does.
    pub(super) async fn resignation(entrant: &Entrant) {
        match entrant {
            Entrant::Guest(guest) => guest.chair.resignation().await,
            Entrant::Local(_) | Entrant::Remote(_) => pending().await,
        }
    }

    /// Tells the player that the match is over; how it takes that is its own business.
    pub(super) async fn farewell(&mut self, last: Option<&Vec<String>>, is_completed: bool) {
        if let Self::Remote(seat) = self {
            let id = seat.id.clone();
            let message = if is_completed {
                let moves = last.map(|moves| Joint::new(moves.clone()));
                Message::Stop { id, moves }
            } else {
                Message::Abort { id }
            };
            let answer = seat.ask(&message, FAREWELL).await;
            if let Err(trouble) = answer {
                tracing::debug!(player = seat.name, detail = trouble.detail, "no farewell");
            }
        }
    }
}

impl RemoteSeat {
    async fn ask(&self, message: &Message, limit: Duration) -> Result<String, Trouble> {
        self.address
            .ask(message.to_string(), &self.name, limit)
            .await
    }

    async fn attend(&self, patience: Duration) -> Result<(), Trouble> {
        let begin = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let Err(trouble) = self.look().await else {
                return Ok(());
            };
            let left = patience.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(trouble);
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Whether the player can be reached and does not say that it is busy. Not everybody knows the
    /// question, and whoever is there may be asked to play.
    async fn look(&self) -> Result<(), Trouble> {
        self.address.knock().await?;
        if !self.is_busy().await {
            return Ok(());
        }
        // It may hold this very match, if the game manager that asked it before was killed.
        let id = self.id.clone();
        let _ = self.ask(&Message::Abort { id }, FAREWELL).await;
        if !self.is_busy().await {
            return Ok(());
        }
        Err(Trouble::new(MishapKind::Refused, "it says that it is busy"))
    }

    async fn is_busy(&self) -> bool {
        let answer = self.ask(&Message::Info, FAREWELL).await;
        answer.is_ok_and(|answer| says_busy(&answer))
    }

    async fn start(&mut self, invitation: Invitation) -> Result<(), Trouble> {
        if !invitation.past.is_empty() {
            // A player that still holds the match would be too busy for it.
            let id = self.id.clone();
            let _ = self.ask(&Message::Abort { id }, FAREWELL).await;
        }
        self.is_fresh = !invitation.is_behind;
        let limit = invitation.start_clock + self.grace;
        let message = Message::Start(Start {
            id: self.id.clone(),
            role: invitation.role,
            sheet: invitation.sheet.to_string(),
            start_clock: invitation.start_clock,
            play_clock: invitation.play_clock,
        });
        let answer = self.ask(&message, limit).await?;
        if begins_with(&answer, READY) {
            return Ok(());
        }
        let kind = if is_complaint(&answer) {
            MishapKind::Refused
        } else {
            MishapKind::Garbage
        };
        let detail = format!("START was answered with `{}`", excerpt(&answer));
        Err(Trouble::new(kind, detail))
    }
}
