//! Whoever watches a match: [`Spectator`].

use std::time::Duration;

use ludorum_players::{Report, ReportObserver};

use crate::record::{MatchRecord, MatchStep};

/// Watches a match while it is played. What a spectator is told is in the log already; it should
/// not take long.
pub trait Spectator: Send {
    /// The players are about to be told of the match; a match that is taken up again has steps
    /// already.
    fn started(&mut self, _record: &MatchRecord) {}

    /// A player of ours has sat down: what it thinks can be seen from now on.
    fn player_ready(&mut self, _role: usize, _onlooker: Box<dyn ReportObserver>) {}

    /// All are ready, or their time is up.
    fn ready(&mut self, _record: &MatchRecord) {}

    /// The players are asked for their moves in a step: the legal ones of each role.
    fn moves_requested(&mut self, _step: u32, _legal: &[Vec<String>]) {}

    /// A player has answered, rightly or wrongly.
    fn move_received(&mut self, _role: usize, _took: Duration) {}

    /// What a player of ours thought about the move that it has answered with.
    fn search_report(&mut self, _role: usize, _report: &Report) {}

    /// A step was accepted.
    fn step(&mut self, _step: &MatchStep) {}

    /// The match is over.
    fn ended(&mut self, _record: &MatchRecord) {}
}

/// Nobody.
impl Spectator for () {}
