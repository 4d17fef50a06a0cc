/*!
What a player is.

[`Player`] is the contract. [`seat`] is the one implementation: it holds the position and keeps the
clock. What differs from player to player is the [`mind`], which runs in a thread of its own and
shows what it thinks on a [`board`].
*/

pub(crate) mod board;
pub(crate) mod clock;
pub(crate) mod mind;
pub(crate) mod place;
mod player;
mod report;
pub(crate) mod seat;
mod words;

pub use player::{Answer, Dismissal, Onlooker, PlayError, Player};
pub use report::{MoveReport, Report, StrategyReport, Untold};
