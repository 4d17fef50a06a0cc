//! The task that plays a match: [`conduct`].

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ludorum_match::archive::ArchiveLedger;
use ludorum_match::{
    Entrant, Ledger, LedgerError, Manager, ManagerError, Outcome, Record, Setup, Step,
};
use ludorum_search::Report;

use super::LiveMatch;
use super::seat::Seat;
use super::state::Ending;
use super::witness::{Onlookers, Witness};

/// How often players are looked at while they think.
const GLANCE: Duration = Duration::from_millis(400);

/// What a match is played with.
pub(crate) struct Venue {
    pub(crate) manager: Manager,
    pub(crate) setup: Setup,
    /// What the match begins with.
    pub(crate) opening: Option<Record>,
    /// Where it is written down.
    pub(crate) ledger: Option<ArchiveLedger>,
}

/// Plays a match to its end. Whatever happens, watchers are told of an end.
pub(crate) async fn conduct(live: Arc<LiveMatch>, venue: Venue) {
    let onlookers = Onlookers::default();
    let reason = tokio::select! {
        reason = play(&live, venue, &onlookers) => reason,
        // It ends with the match only.
        () = glance(&live, &onlookers) => None,
    };
    if let Some(reason) = reason {
        tracing::info!(id = live.id, reason, "a match was broken off");
        live.end(Ending::Broken(reason));
    }
    // Players may hold much memory; nobody thinks any more.
    onlookers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

/// Plays round after round; another begins when a move was taken back. Tells why it ended, if not
/// as the rules have it.
async fn play(live: &Arc<LiveMatch>, venue: Venue, onlookers: &Onlookers) -> Option<String> {
    let Venue {
        manager,
        mut setup,
        opening,
        ledger,
    } = venue;
    let mut ledger = Book {
        players: live.seats.iter().map(Seat::asked_for).collect(),
        ledger,
    };
    if let Some(record) = &opening
        && let Err(error) = ledger.begin(record)
    {
        return Some(error.to_string());
    }
    let mut played = opening;
    loop {
        let mut witness = Witness {
            live: Arc::clone(live),
            onlookers: Arc::clone(onlookers),
        };
        let cancel = live.state().cancel.clone();
        let result = manager
            .conduct(&setup, played.take(), &mut ledger, &mut witness, cancel)
            .await;
        let mut record = match result {
            Ok(_) => return None,
            Err(ManagerError::Cancelled { record }) => *record,
            Err(error) => return Some(error.to_string()),
        };
        let Some(steps) = live.state().undo.take() else {
            return Some("the match was broken off".to_owned());
        };
        record.steps.truncate(steps as usize);
        if let Err(error) = ledger.take_back(steps) {
            return Some(error.to_string());
        }
        live.go_back(&record);
        // They knew the match already; only strangers have to be told of it anew.
        let is_remote = |entrant: &Entrant| matches!(entrant, Entrant::Remote(_));
        if !setup.entrants.iter().any(is_remote) {
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
    fn go_back(&self, record: &Record) {
        let mut state = self.state();
        state.round += 1;
        state.cancel = self.stop.child_token();
        state.go_to(record);
        for seat in &self.seats {
            if let Some(person) = &seat.person {
                person.begin(state.round);
            }
        }
        self.tell_position(&mut state, true);
        // When all is ready again, watchers are told that there is something to choose.
        state.told = state.told.and_then(|told| told.checked_sub(1));
    }
}

/// Looks at what players think, now and then.
async fn glance(live: &Arc<LiveMatch>, onlookers: &Onlookers) {
    let mut ticks = tokio::time::interval(GLANCE);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let thinkers = live.thinkers();
        if thinkers.is_empty() {
            continue;
        }
        let onlookers = Arc::clone(onlookers);
        // Putting thoughts into words takes a moment.
        let look = move || -> Vec<(usize, Report)> {
            let mut all = onlookers.lock().unwrap_or_else(PoisonError::into_inner);
            let mut seen = Vec::new();
            for role in thinkers {
                let report = all.get_mut(role).and_then(Option::as_mut);
                seen.extend(report.and_then(|o| o.report()).map(|report| (role, report)));
            }
            seen
        };
        let Ok(seen) = tokio::task::spawn_blocking(look).await else {
            continue;
        };
        for (role, report) in seen {
            live.show_thought(role, &report);
        }
    }
}

/// The archive, or nothing where there is none.
struct Book {
    ledger: Option<ArchiveLedger>,
    /// Who plays, as they were asked for: players are the same whatever an arena lets them use.
    players: Vec<String>,
}

impl Book {
    fn take_back(&self, steps: u32) -> Result<(), LedgerError> {
        let ledger = self.ledger.as_ref();
        ledger.map_or(Ok(()), |ledger| ledger.take_back(steps))
    }
}

impl Ledger for Book {
    fn begin(&mut self, record: &Record) -> Result<(), LedgerError> {
        let Some(ledger) = &mut self.ledger else {
            return Ok(());
        };
        let record = Record {
            players: self.players.clone(),
            ..record.clone()
        };
        ledger.begin(&record)
    }

    fn step(&mut self, step: &Step) -> Result<(), LedgerError> {
        let ledger = self.ledger.as_mut();
        ledger.map_or(Ok(()), |ledger| ledger.step(step))
    }

    fn end(&mut self, outcome: &Outcome) -> Result<(), LedgerError> {
        let ledger = self.ledger.as_mut();
        ledger.map_or(Ok(()), |ledger| ledger.end(outcome))
    }
}
