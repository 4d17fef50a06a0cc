//! The task that plays a match: [`run_match`].

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ludorum_match::archive::ArchiveMatchLog;
use ludorum_match::{
    GameManager, GameManagerError, MatchLog, MatchLogError, MatchRecord, MatchSetup, MatchStep,
    Outcome, Participant,
};
use ludorum_players::Report;

use super::LiveMatch;
use super::role_player::RolePlayer;
use super::spectator::{LiveSpectator, Observers};
use super::state::Ending;

/// Poll interval of search reports.
const POLL_INTERVAL: Duration = Duration::from_millis(400);

/// What the task of a match needs.
pub(crate) struct MatchJob {
    pub(crate) manager: GameManager,
    pub(crate) setup: MatchSetup,
    /// The record of the opening.
    pub(crate) opening: Option<MatchRecord>,
    /// The log in the archive.
    pub(crate) log: Option<ArchiveMatchLog>,
}

/// Plays a match to its end. Whatever happens, watchers receive an end event.
pub(crate) async fn run_match(live: Arc<LiveMatch>, job: MatchJob) {
    let observers = Observers::default();
    let reason = tokio::select! {
        reason = play(&live, job, &observers) => reason,
        // This branch never completes.
        () = poll_reports(&live, &observers) => None,
    };
    if let Some(reason) = reason {
        tracing::info!(id = live.id, reason, "a match was broken off");
        live.end(Ending::Broken(reason));
    }
    // Drops the observers at once: players may hold much memory.
    observers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

/// Plays until the match ends. Taking back a move cancels the manager's match and resumes it from
/// the shortened record, which is a new round. Returns why the match broke off, if it did.
async fn play(live: &Arc<LiveMatch>, job: MatchJob, observers: &Observers) -> Option<String> {
    let MatchJob {
        manager,
        mut setup,
        opening,
        log,
    } = job;
    let mut log = RequestedPlayersLog {
        players: live
            .role_players
            .iter()
            .map(RolePlayer::requested_spec)
            .collect(),
        log,
    };
    if let Some(record) = &opening
        && let Err(error) = log.begin(record)
    {
        return Some(error.to_string());
    }
    let mut played = opening;
    loop {
        let mut spectator = LiveSpectator {
            live: Arc::clone(live),
            observers: Arc::clone(observers),
        };
        let cancel = live.state().cancel.clone();
        let result = manager
            .run_match(&setup, played.take(), &mut log, &mut spectator, cancel)
            .await;
        let mut record = match result {
            Ok(_) => return None,
            Err(GameManagerError::Cancelled { record }) => *record,
            Err(error) => return Some(error.to_string()),
        };
        let Some(steps) = live.state().undo.take() else {
            return Some("the match was broken off".to_owned());
        };
        record.steps.truncate(steps as usize);
        if let Err(error) = log.truncate(steps) {
            return Some(error.to_string());
        }
        live.rewind(&record);
        // Local players keep their state; only remote ones need a start clock for a new START.
        let is_remote = |participant: &Participant| matches!(participant, Participant::Remote(_));
        if !setup.participants.iter().any(is_remote) {
            setup.start_clock = Duration::ZERO;
            // The manager requires the clocks of a record to match the setup; the archive keeps the
            // original ones.
            record.start_clock_ms = 0;
        }
        played = Some(record);
    }
}

impl LiveMatch {
    /// Starts a new round at an earlier position.
    fn rewind(&self, record: &MatchRecord) {
        let mut state = self.state();
        state.round += 1;
        state.cancel = self.stop.child_token();
        state.go_to(record);
        for player in &self.role_players {
            if let Some(person) = &player.person {
                person.begin(state.round);
            }
        }
        self.publish_position(&mut state, true);
        // Once players are ready again, watchers receive the position a second time.
        state.announced = state
            .announced
            .and_then(|announced| announced.checked_sub(1));
    }
}

/// Polls the search reports of players that are searching.
async fn poll_reports(live: &Arc<LiveMatch>, observers: &Observers) {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let searching_roles = live.searching_roles();
        if searching_roles.is_empty() {
            continue;
        }
        let observers = Arc::clone(observers);
        // Making a report takes too long for an async worker.
        let look = move || -> Vec<(usize, Report)> {
            let mut all = observers.lock().unwrap_or_else(PoisonError::into_inner);
            let mut seen = Vec::new();
            for role in searching_roles {
                let report = all.get_mut(role).and_then(Option::as_mut);
                seen.extend(report.and_then(|o| o.report()).map(|report| (role, report)));
            }
            seen
        };
        let Ok(seen) = tokio::task::spawn_blocking(look).await else {
            continue;
        };
        for (role, report) in seen {
            live.publish_report(role, &report);
        }
    }
}

/// Logs to the archive, if there is one, with the players as they were requested.
struct RequestedPlayersLog {
    log: Option<ArchiveMatchLog>,
    /// The specs as they were requested, without the limits that the arena adds.
    players: Vec<String>,
}

impl RequestedPlayersLog {
    fn truncate(&self, steps: u32) -> Result<(), MatchLogError> {
        let log = self.log.as_ref();
        log.map_or(Ok(()), |log| log.truncate(steps))
    }
}

impl MatchLog for RequestedPlayersLog {
    fn begin(&mut self, record: &MatchRecord) -> Result<(), MatchLogError> {
        let Some(log) = &mut self.log else {
            return Ok(());
        };
        let record = MatchRecord {
            players: self.players.clone(),
            ..record.clone()
        };
        log.begin(&record)
    }

    fn step(&mut self, step: &MatchStep) -> Result<(), MatchLogError> {
        let log = self.log.as_mut();
        log.map_or(Ok(()), |log| log.step(step))
    }

    fn end(&mut self, outcome: &Outcome) -> Result<(), MatchLogError> {
        let log = self.log.as_mut();
        log.map_or(Ok(()), |log| log.end(outcome))
    }
}
