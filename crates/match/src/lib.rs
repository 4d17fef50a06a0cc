/*!
Matches: everything between a player and the world.

# How it is put together
- [`setup`]: what a match is before it begins: a game, clocks, and an [`Entrant`] for each role.
- [`ledger`]: where a match is written down while it is played. Every accepted move is in the ledger before anybody is told of it.
- [`record`]: what is left of a match when it is over, and in between: its moves, states, errors and goals.
- [`archive`]: where matches are kept, in a file of `SQLite`.
- [`tournament`]: many matches between several players: plans, schedules, tables.
- [`rating`]: how strong players are, from who got how much against whom.
*/

pub mod archive;
pub mod ledger;
pub mod rating;
pub mod record;
pub mod setup;
pub mod tournament;

pub use archive::Archive;
pub use ledger::{Ledger, LedgerError};
pub use record::{Mishap, MishapKind, Outcome, Record, Step};
pub use setup::{Entrant, Setup};
