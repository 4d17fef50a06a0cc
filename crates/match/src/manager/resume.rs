//! The record of a new match, and the check whether a stored record belongs to the match that is
//! resumed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::referee::RefereeView;
use crate::record::MatchRecord;
use crate::setup::MatchSetup;

/// The record of a match that starts.
pub(super) fn new_record(setup: &MatchSetup, roles: &[String], begin: &RefereeView) -> MatchRecord {
    let clock = |clock: Duration| u64::try_from(clock.as_millis()).unwrap_or(u64::MAX);
    MatchRecord {
        id: setup.id.clone(),
        game: setup.game.clone(),
        roles: roles.to_vec(),
        players: setup.participants.iter().map(ToString::to_string).collect(),
        names: Vec::new(),
        start_clock_ms: clock(setup.start_clock),
        play_clock_ms: clock(setup.play_clock),
        seed: setup.seed,
        began_at_ms: now(),
        initial: begin.facts.clone(),
        start_errors: Vec::new(),
        steps: Vec::new(),
        outcome: None,
    }
}

/// How a stored record differs from the match to be played; none if it may be resumed.
pub(super) fn mismatch(kept: &MatchRecord, now: &MatchRecord) -> Option<String> {
    if kept.id != now.id {
        return Some(format!(
            "the record is that of match {}, not of {}",
            kept.id, now.id
        ));
    }
    if kept.roles != now.roles || kept.initial != now.initial {
        return Some("the record is that of another game".to_owned());
    }
    if kept.players != now.players {
        return Some(format!(
            "it was played by {}, not by {}",
            kept.players.join(" and "),
            now.players.join(" and ")
        ));
    }
    let clocks = |record: &MatchRecord| (record.start_clock_ms, record.play_clock_ms);
    if clocks(kept) != clocks(now) {
        let seconds = |ms: u64| Duration::from_millis(ms).as_secs_f64();
        let (start, play) = clocks(kept);
        let (start, play) = (seconds(start), seconds(play));
        return Some(format!(
            "its clocks were {start} s for the start and {play} s for a move"
        ));
    }
    (kept.seed != now.seed).then(|| format!("its seed was {}", kept.seed))
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
