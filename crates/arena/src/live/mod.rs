//! Matches that are being played: [`LiveMatch`].
//!
//! A match is conducted by a task (`conduct`) with the [manager](ludorum_match::Manager); a
//! `witness` tells the match what happens, which puts it into its state (`state`) and its `log`.
//! People sit on the chairs of `person`. Requests look at the state, never at the manager.

mod conduct;
mod events;
mod log;
mod person;
mod scenes;
mod seat;
mod state;
mod view;
mod witness;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ludorum_match::CancellationToken;
use ludorum_match::protocol::{among, read_move};
use serde::Serialize;

pub(crate) use conduct::{Venue, conduct};
pub(crate) use log::Log;
pub(crate) use seat::{Kind, Seat};
pub(crate) use view::Question;

use crate::error::Refusal;
use crate::library::Game;
use crate::snapshot::SeatView;
use person::Moment;
use scenes::Scenes;
use state::State;

/// A match that is being played, or was a while ago.
#[derive(Debug)]
pub(crate) struct LiveMatch {
    pub(crate) id: String,
    pub(crate) game: Arc<Game>,
    pub(crate) seats: Vec<Seat>,
    pub(crate) play_clock: Duration,
    started_ms: u64,
    pub(crate) log: Log,
    state: Mutex<State>,
    scenes: Scenes,
    /// Ends the match, whatever it is at.
    pub(crate) stop: CancellationToken,
    /// How many watch.
    watchers: AtomicUsize,
    /// When somebody last looked.
    seen: Mutex<Instant>,
}

/// A match in a few words.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    #[serde(rename = "match")]
    id: String,
    game: String,
    title: String,
    roles: Vec<String>,
    /// Who plays, role by role.
    seats: Vec<SeatView>,
    step: u32,
    finished: bool,
    started: u64,
    watchers: usize,
}

impl LiveMatch {
    pub(crate) fn new(
        id: String,
        game: Arc<Game>,
        seats: Vec<Seat>,
        play_clock: Duration,
        stop: CancellationToken,
    ) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.map_or(0, |since| since.as_millis() as u64);
        Self {
            id,
            game,
            seats,
            play_clock,
            started_ms: now,
            log: Log::new(),
            state: Mutex::new(State::new(stop.child_token())),
            scenes: Scenes::default(),
            stop,
            watchers: AtomicUsize::new(0),
            seen: Mutex::new(Instant::now()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In a few words.
    pub(crate) fn entry(&self) -> Entry {
        let state = self.state();
        Entry {
            id: self.id.clone(),
            game: self.game.name.clone(),
            title: self.game.title.clone(),
            roles: self.game.roles.clone(),
            seats: self.seat_views(),
            step: state.steps.len() as u32,
            finished: state.is_over(),
            started: self.started_ms,
            watchers: self.watchers.load(Ordering::Relaxed),
        }
    }

    /// Who plays.
    fn seat_views(&self) -> Vec<SeatView> {
        let seats = self.game.roles.iter().zip(&self.seats);
        let views = seats.map(|(role, seat)| SeatView {
            role: role.clone(),
            kind: seat.kind,
            name: seat.name.clone(),
        });
        views.collect()
    }

    /// The facts of a position.
    pub(crate) fn facts(&self, step: u32) -> Option<Vec<String>> {
        self.state().facts(step).map(<[String]>::to_vec)
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.state().is_over()
    }

    /// Somebody looks at it.
    pub(crate) fn look(&self) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether it waits for a person and nobody has looked for so long.
    pub(crate) fn is_abandoned(&self, patience: Duration) -> bool {
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_watched = self.watchers.load(Ordering::Relaxed) > 0;
        let has_people = self.seats.iter().any(|seat| seat.person.is_some());
        has_people && !is_watched && seen.elapsed() > patience
    }

    /// Somebody begins to watch, until what is returned is dropped.
    pub(crate) fn watch(self: &Arc<Self>) -> Watching {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        Watching(Arc::clone(self))
    }

    /// The role whose secret this is.
    pub(crate) fn role_of(&self, secret: &str) -> Result<usize, Refusal> {
        let mut seats = self.seats.iter();
        let found = seats.position(|seat| seat.is_opened_by(secret));
        found.ok_or_else(|| {
            Refusal::forbidden("no-seat", "this is not the key of a seat at this match")
        })
    }

    /// A person plays a move in a step.
    pub(crate) fn play(&self, secret: &str, step: u32, text: &str) -> Result<(), Refusal> {
        let role = self.role_of(secret)?;
        let state = self.state();
        if state.is_over() {
            return Err(Refusal::conflict("over", "the match is over"));
        }
        let passed = || {
            let message = format!("step {step} is not the one that is being played");
            Refusal::conflict("step-passed", message)
        };
        let asked = state.asked.as_ref().filter(|asked| asked.step == step);
        let asked = asked.ok_or_else(passed)?;
        let read = read_move(text).ok();
        let legal = read
            .as_ref()
            .and_then(|read| among(&asked.legal[role], read));
        let Some(legal) = legal.cloned() else {
            let message = format!("`{}` is not a legal move here", crate::http::excerpt(text));
            return Err(Refusal::wrong("illegal", message));
        };
        let moment = Moment {
            round: state.round,
            step,
        };
        let person = self.seats[role].person.as_ref();
        let is_new =
            !asked.answered[role] && person.is_some_and(|person| person.choose(moment, legal));
        if is_new {
            Ok(())
        } else {
            Err(Refusal::conflict(
                "chosen",
                "the move of this step is chosen already",
            ))
        }
    }

    /// A person gives up.
    pub(crate) fn resign(&self, secret: &str) -> Result<(), Refusal> {
        let role = self.role_of(secret)?;
        if self.state().is_over() {
            return Err(Refusal::conflict("over", "the match is over"));
        }
        if let Some(person) = &self.seats[role].person {
            person.resign();
        }
        Ok(())
    }

    /// A person takes back its last decision; tells the step that is played again.
    pub(crate) fn undo(&self, secret: &str) -> Result<u32, Refusal> {
        let role = self.role_of(secret)?;
        let people = self.seats.iter().filter(|seat| seat.person.is_some());
        if people.count() > 1 {
            let message = "moves cannot be taken back while somebody else plays";
            return Err(Refusal::conflict("others", message));
        }
        let mut state = self.state();
        if state.is_over() {
            return Err(Refusal::conflict("over", "the match is over"));
        }
        if self.log.len() + state.steps.len() >= log::MOST / 2 {
            let message = "too much was taken back in this match already";
            return Err(Refusal::conflict("too-often", message));
        }
        let nothing = || Refusal::conflict("nothing", "there is nothing to take back");
        let step = state.last_decision(role).ok_or_else(nothing)?;
        state.undo = Some(step);
        state.cancel.cancel();
        Ok(step)
    }
}

/// Somebody who watches a match.
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
        self.0.look();
    }
}
