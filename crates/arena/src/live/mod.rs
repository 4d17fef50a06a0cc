//! Running matches: [`LiveMatch`].
//!
//! The task of a match (`match_task`) calls the [game manager](ludorum_match::GameManager). Its
//! `spectator` writes the events of the match to the state (`state`) and the event log
//! (`event_log`). People supply their moves through `person_player`. Requests read the state and
//! never call the manager.

mod board_cache;
mod event_data;
mod event_log;
mod match_task;
mod person_player;
mod role_player;
mod spectator;
mod state;
mod view;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ludorum_match::CancellationToken;
use ludorum_match::protocol::{excerpt, find_legal, read_move};
use serde::Serialize;

pub(crate) use event_log::EventLog;
pub(crate) use match_task::{MatchJob, run_match};
pub(crate) use role_player::RolePlayer;
pub(crate) use view::Decision;

use crate::error::ApiError;
use crate::library::LibraryGame;
use crate::snapshot::RolePlayerView;
use board_cache::BoardCache;
use person_player::MoveTurn;
use state::MatchState;

/// A match that is running or has ended recently.
#[derive(Debug)]
pub(crate) struct LiveMatch {
    pub(crate) id: String,
    pub(crate) game: Arc<LibraryGame>,
    pub(crate) role_players: Vec<RolePlayer>,
    pub(crate) play_clock: Duration,
    started_ms: u64,
    pub(crate) log: EventLog,
    state: Mutex<MatchState>,
    boards: BoardCache,
    /// Cancels the match.
    pub(crate) stop: CancellationToken,
    /// The number of watchers.
    watchers: AtomicUsize,
    /// When the match was last requested.
    seen: Mutex<Instant>,
}

/// The list entry of a match.
#[derive(Debug, Serialize)]
pub(crate) struct MatchEntry {
    #[serde(rename = "match")]
    id: String,
    game: String,
    title: String,
    roles: Vec<String>,
    /// The player of each role.
    seats: Vec<RolePlayerView>,
    step: u32,
    finished: bool,
    started: u64,
    watchers: usize,
}

impl LiveMatch {
    pub(crate) fn new(
        id: String,
        game: Arc<LibraryGame>,
        role_players: Vec<RolePlayer>,
        play_clock: Duration,
        stop: CancellationToken,
    ) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.map_or(0, |since| since.as_millis() as u64);
        Self {
            id,
            game,
            role_players,
            play_clock,
            started_ms: now,
            log: EventLog::new(),
            state: Mutex::new(MatchState::new(stop.child_token())),
            boards: BoardCache::default(),
            stop,
            watchers: AtomicUsize::new(0),
            seen: Mutex::new(Instant::now()),
        }
    }

    fn state(&self) -> MutexGuard<'_, MatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry for lists of matches.
    pub(crate) fn entry(&self) -> MatchEntry {
        let state = self.state();
        MatchEntry {
            id: self.id.clone(),
            game: self.game.name.clone(),
            title: self.game.title.clone(),
            roles: self.game.roles.clone(),
            seats: self.role_views(),
            step: state.steps.len() as u32,
            finished: state.is_over(),
            started: self.started_ms,
            watchers: self.watchers.load(Ordering::Relaxed),
        }
    }

    /// The player of each role.
    fn role_views(&self) -> Vec<RolePlayerView> {
        let roles = self.game.roles.iter().zip(&self.role_players);
        let views = roles.map(|(role, player)| RolePlayerView {
            role: role.clone(),
            kind: player.kind,
            name: player.name.clone(),
        });
        views.collect()
    }

    /// The fluents of a position.
    pub(crate) fn facts(&self, step: u32) -> Option<Vec<String>> {
        self.state().facts(step).map(<[String]>::to_vec)
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.state().is_over()
    }

    /// Records the time of an access to the match.
    pub(crate) fn record_access(&self) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether people play in it and nobody has accessed it for this long.
    pub(crate) fn is_abandoned(&self, idle_timeout: Duration) -> bool {
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_watched = self.watchers.load(Ordering::Relaxed) > 0;
        let has_people = self
            .role_players
            .iter()
            .any(|player| player.person.is_some());
        has_people && !is_watched && seen.elapsed() > idle_timeout
    }

    /// Counts a watcher until the returned guard is dropped.
    pub(crate) fn watch(self: &Arc<Self>) -> Watching {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        Watching(Arc::clone(self))
    }

    /// The role with this secret.
    pub(crate) fn role_of(&self, secret: &str) -> Result<usize, ApiError> {
        let mut players = self.role_players.iter();
        let found = players.position(|player| player.has_secret(secret));
        found.ok_or_else(|| {
            ApiError::forbidden("no-seat", "this is not the secret of a role in this match")
        })
    }

    /// Plays a person's move in a step.
    pub(crate) fn play(&self, secret: &str, step: u32, text: &str) -> Result<(), ApiError> {
        let role = self.role_of(secret)?;
        let state = self.state();
        if state.is_over() {
            return Err(ApiError::conflict("over", "the match is over"));
        }
        let passed = || {
            let message = format!("step {step} is not the one that is being played");
            ApiError::conflict("step-passed", message)
        };
        let pending = state
            .pending
            .as_ref()
            .filter(|pending| pending.step == step);
        let pending = pending.ok_or_else(passed)?;
        let read = read_move(text).ok();
        let legal = read
            .as_ref()
            .and_then(|read| find_legal(&pending.legal[role], read));
        let Some(legal) = legal.cloned() else {
            let message = format!("`{}` is not a legal move here", excerpt(text));
            return Err(ApiError::wrong("illegal", message));
        };
        let turn = MoveTurn {
            round: state.round,
            step,
        };
        let person = self.role_players[role].person.as_ref();
        let is_new =
            !pending.answered[role] && person.is_some_and(|person| person.choose(turn, legal));
        if is_new {
            Ok(())
        } else {
            Err(ApiError::conflict(
                "chosen",
                "the move of this step is chosen already",
            ))
        }
    }

    /// Resigns for a person.
    pub(crate) fn resign(&self, secret: &str) -> Result<(), ApiError> {
        let role = self.role_of(secret)?;
        if self.state().is_over() {
            return Err(ApiError::conflict("over", "the match is over"));
        }
        if let Some(person) = &self.role_players[role].person {
            person.resign();
        }
        Ok(())
    }

    /// Takes back a person's last decision; returns the step that is played again.
    pub(crate) fn undo(&self, secret: &str) -> Result<u32, ApiError> {
        let role = self.role_of(secret)?;
        let people = self
            .role_players
            .iter()
            .filter(|player| player.person.is_some());
        if people.count() > 1 {
            let message = "moves cannot be taken back while somebody else plays";
            return Err(ApiError::conflict("others", message));
        }
        let mut state = self.state();
        if state.is_over() {
            return Err(ApiError::conflict("over", "the match is over"));
        }
        if self.log.len() + state.steps.len() >= event_log::MAX_EVENTS / 2 {
            let message = "too much was taken back in this match already";
            return Err(ApiError::conflict("too-often", message));
        }
        let nothing = || ApiError::conflict("nothing", "there is nothing to take back");
        let step = state.last_decision(role).ok_or_else(nothing)?;
        state.undo = Some(step);
        state.cancel.cancel();
        Ok(step)
    }
}

/// Counts a watcher of a match while it lives.
#[derive(Debug)]
pub(crate) struct Watching(Arc<LiveMatch>);

impl Watching {
    /// The match.
    pub(crate) fn live(&self) -> &LiveMatch {
        &self.0
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
        self.0.record_access();
    }
}
