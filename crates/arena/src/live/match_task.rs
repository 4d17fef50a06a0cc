//! The task that plays a match: [`conduct`].

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

/// How often players are looked at while they think.
const POLL_INTERVAL: Duration = Duration::from_millis(400);

/// What a match is played with.
pub(crate) struct MatchJob {
    pub(crate) manager: GameManager,
    pub(crate) setup: MatchSetup,
    /// What the match begins with.
    pub(crate) opening: Option<MatchRecord>,
    /// Where it is written down.
    pub(crate) log: Option<ArchiveMatchLog>,
}

/// Plays a match to its end. Whatever happens, watchers are announced of an end.
pub(crate) async fn run_match(live: Arc<LiveMatch>, job: MatchJob) {
    let observers = Observers::default();
    let reason = tokio::select! {
        reason = play(&live, job, &observers) => reason,
        // It ends with the match only.
        () = poll_reports(&live, &observers) => None,
    };
    if let Some(reason) = reason {
        tracing::info!(id = live.id, reason, "a match was broken off");
        live.end(Ending::Broken(reason));
    }
    // Players may hold much memory; nobody thinks any more.
    observers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

/// Plays round after round; another begins when a move was taken back. Tells why it ended, if not
/// as the rules have it.
async fn play(live: &Arc<LiveMatch>, job: MatchJob, observers: &Observers) -> Option<String> {
    let MatchJob {
        manager,
        mut setup,
        opening,
        log,
    } = job;
    let mut log = RequestedPlayersLog {
        players: live.seats.iter().map(RolePlayer::requested_spec).collect(),
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
        // They knew the match already; only strangers have to be announced of it anew.
        let is_remote = |participant: &Participant| matches!(participant, Participant::Remote(_));
        if !setup.participants.iter().any(is_remote) {
            setup.start_clock = Duration::ZERO;
            // The manager holds a record to the clocks of its match; in the archive they stay as
            // they were.
            record.start_clock_ms = 0;
        }
        played = Some(record);
    }
}

impl LiveMatch {
    /// Begins another round at an earlier position.
    fn rewind(&self, record: &MatchRecord) {
        let mut state = self.state();
        state.round += 1;
        state.cancel = self.stop.child_token();
        state.go_to(record);
        for seat in &self.seats {
            if let Some(person) = &seat.person {
                person.begin(state.round);
            }
        }
        self.publish_position(&mut state, true);
        // When all is ready again, watchers are announced that there is something to choose.
        state.announced = state
            .announced
            .and_then(|announced| announced.checked_sub(1));
    }
}

/// Looks at what players think, now and then.
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
        // Putting reports into words takes a moment.
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

/// The archive, or nothing where there is none.
struct RequestedPlayersLog {
    log: Option<ArchiveMatchLog>,
    /// Who plays, as they were pending for: players are the same whatever an arena lets them use.
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
