//! Watching a match: [`Spectator`].

use std::time::Duration;

use ludorum_players::{Report, ReportObserver};

use crate::record::{MatchRecord, MatchStep};

/// Receives the events of a match. Everything it receives has been logged; it must return quickly.
pub trait Spectator: Send {
    /// The players are about to be started. A resumed match has steps already.
    fn started(&mut self, _record: &MatchRecord) {}

    /// A built-in player was made; its search can be observed from now on.
    fn player_ready(&mut self, _role: usize, _observer: Box<dyn ReportObserver>) {}

    /// All players are ready, or the start clock has ended.
    fn ready(&mut self, _record: &MatchRecord) {}

    /// Moves are requested in a step; these are the legal moves of each role.
    fn moves_requested(&mut self, _step: u32, _legal: &[Vec<String>]) {}

    /// A player has answered, rightly or wrongly.
    fn move_received(&mut self, _role: usize, _took: Duration) {}

    /// The final search report of a built-in player for the move it answered.
    fn search_report(&mut self, _role: usize, _report: &Report) {}

    /// A step was accepted.
    fn step(&mut self, _step: &MatchStep) {}

    /// The match is over.
    fn ended(&mut self, _record: &MatchRecord) {}
}

/// A spectator that ignores everything.
impl Spectator for () {}
