/*!
Tournaments: formats, schedules and standings.

A [`TournamentPlan`] is read from a TOML file. A [`TournamentSchedule`] pairs the players, and
[`Standings`] rank them; both are pure functions of the plan and the [`Results`] so far. The
[`TournamentRunner`](crate::tournament_runner::TournamentRunner) plays the scheduled matches and
stores everything in the [archive](crate::archive), from which an interrupted tournament is resumed.

# Pairings
In every format, two players meet in a pairing. In each game of the plan they play all role
assignments in which both have a role, each `repeats` times: 2 in a two-player game, 6 with three
roles, `2^r - 2` with `r` roles (up to 10 roles; beyond that 32 random halves and their
complements). A match distributes one point in proportion to the mean goals of the players' roles. A
player that forfeits gets nothing; a match without an end is a draw. Puzzles are played alone and
the goals compared as if both had been in one match; a player with several pairings in a round plays
a puzzle once for all of them.

# Ranking
- Round-robin: by points. Equal points share a rank.
- Swiss: see [`schedule`]; by pairings won, then by the opponents' scores (Buchholz), then by
  points.
- Knock-out: by the round reached, then by points. Tied pairings are replayed; after that, the order
  of the file decides.
- Ladder: by the place on the ladder.
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
