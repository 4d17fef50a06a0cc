//! Whoever watches a match: [`Spectator`].

use std::time::Duration;

use ludorum_search::{Onlooker, Report};

use crate::record::{Record, Step};

/// Watches a match while it is played. What a spectator is told is in the ledger already; it should
/// not take long.
pub trait Spectator: Send {
    /// The players are about to be told of the match; a match that is taken up again has steps
    /// already.
    fn started(&mut self, _record: &Record) {}

    /// A player of ours has sat down: what it thinks can be seen from now on.
    fn seated(&mut self, _role: usize, _onlooker: Box<dyn Onlooker>) {}

    /// All are ready, or their time is up.
    fn ready(&mut self, _record: &Record) {}

    /// The players are asked for their moves in a step: the legal ones of each role.
    fn asked(&mut self, _step: u32, _legal: &[Vec<String>]) {}

    /// A player has answered, rightly or wrongly.
    fn answered(&mut self, _role: usize, _took: Duration) {}

    /// What a player of ours thought about the move that it has answered with.
    fn thought(&mut self, _role: usize, _report: &Report) {}

    /// A step was accepted.
    fn step(&mut self, _step: &Step) {}

    /// The match is over.
    fn ended(&mut self, _record: &Record) {}
}

/// Nobody.
impl Spectator for () {}
