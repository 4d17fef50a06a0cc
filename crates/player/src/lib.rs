/*!
The contract of a player, and the machinery that all players of Ludorum share.

- [`Player`] is the contract: a player of one role in one match. Its [`Answer`] is a move with a
  [`Report`] of the search.
- [`Searcher`] is what differs from player to player: an algorithm that searches a [`Position`] on a
  reasoner until its [`SearchContext`] says stop.
- [`SearchPlayer`] makes a player of a searcher. It follows the match, keeps the clock, and runs the
  searcher in a thread of its own. It waits no longer than the clock allows: the last
  [`SearchResult`] that the searcher published by then becomes the answer, and without any result a
  legal move does. So a slow engine never makes a player late.
- [`OptionInfo`] describes an option of a player; [`OptionValues`] are the values of its options,
  which searchers read without knowing the registry of players.
- [`JointMoves`] iterates over the joint moves around a move of one role; [`SteppedRng`] is
  randomness that depends on the seed and the step of the match alone.

# Threads
A [`SearchPlayer`] owns one thread, in which the searcher runs. The two share a *result slot*: a
mutex and a condition variable around the latest result. Every command of the player opens a new
*generation* of the slot, which sets the cancel flag of the generation before; a result for an older
generation is dropped. [`CancelHandle`] ends both for good from any thread, and a
[`ReportObserver`] reads the slot from any thread.
*/

mod clock;
mod joint_moves;
mod latest_position;
pub mod options;
mod player;
mod report;
mod report_text;
mod result_slot;
mod search_context;
mod search_player;
mod search_result;
mod searcher;
mod stepped_rng;

pub use joint_moves::JointMoves;
pub use options::{OptionError, OptionInfo, OptionKind, OptionValues};
pub use player::{Answer, CancelHandle, PlayError, Player, ReportObserver};
pub use report::{MoveReport, OmittedMoves, Report, StrategyReport};
pub use search_context::SearchContext;
pub use search_player::SearchPlayer;
pub use search_result::{MoveResult, SearchResult, StrategyResult};
pub use searcher::{Position, Searcher};
pub use stepped_rng::{SteppedRng, derive_seed};
