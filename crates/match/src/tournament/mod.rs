/*!
Tournaments: many matches between several players, and who is best.

A [`TournamentPlan`] is read from a file in TOML. A [`TournamentSchedule`] says who meets whom, a [`Standings`] where
everybody stands; both are pure functions of the plan and the [`Results`] so far. The
[`TournamentRunner`](crate::tournament_runner::TournamentRunner) plays what is due and keeps everything in the [archive](crate::archive),
from which a tournament that was interrupted goes on.

# Encounters
Whatever the kind, two players meet in an encounter. In every game of the plan they play all
assignments of roles that mix them, each as often as `repeats` says: 2 in a game for two, 6 in a
game for three, `2^r - 2` in one for `r` (up to 10 roles; beyond, 32 random halves and their
opposites). A match gives its players one point together, shared as the mean goals of their roles
are; who forfeits gets nothing, and a match without an end is a draw. Puzzles are played alone, and
goals are compared as if both had been in one match; where a player has several encounters in a
round, it plays a puzzle only once for all of them.

# Who is first
- Round-robin: by points. Equal points share a place.
- Swiss: see [`schedule`]; by encounters won, then the opponents' (Buchholz), then points.
- Knock-out: by the round that was reached, then by points. Ties are played again, and after that
  the order of the file decides.
- Ladder: by the place on it.
*/

mod assignment;
pub mod file;
mod hash;
mod plan;
mod result;
pub mod schedule;
mod scheduled_match;
mod standings;

pub use file::{FileError, TournamentFile, TournamentFormat};
pub(crate) use hash::fingerprint;
pub use plan::{RuleSheet, TournamentGame, TournamentPlan, TournamentPlayer};
pub use result::{MatchResult, Results, share};
pub use schedule::TournamentSchedule;
pub use scheduled_match::ScheduledMatch;
pub use standings::{GameRatings, Standings, StandingsRow};

#[cfg(test)]
mod tests;
