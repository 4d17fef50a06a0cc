/*!
The [`Reasoner`] contract that every engine implements, and what all engines share.

An engine is made from [`ludorum_logic::Rules`] and answers the queries of a game: the initial
state, the legal moves, the successor under a joint move, whether a state is terminal, the goals.
This crate contains no engine.

- `ids`, `goal`, `error`, `summary`: [`Role`], [`MoveId`], [`FluentId`], [`Goal`], [`ReasonError`],
  [`StateSummary`].
- `playout`: the types of random and guided playouts; `rng`: their random numbers.
- `reasoner`: the trait [`Reasoner`], with default implementations of its compound queries.
- `stop_signal`: [`StopSignal`], a deadline and a cancel flag.
- `game_walker`: [`GameWalker`], a reasoner with a current state that is used through KIF text.
- `playability`: [`PlayabilityTest`], random playouts that look for errors of a rule sheet.
- [`vocabulary`] and [`zobrist`]: interned terms and state keys, for engines that work on rules.
*/

mod cache_report;
mod engine_choice;
mod error;
mod game_walker;
mod goal;
mod heap_size;
mod ids;
mod playability;
mod playout;
mod reasoner;
mod rng;
mod stop_signal;
mod summary;
#[cfg(feature = "testing")]
pub mod testing;
pub mod vocabulary;
pub mod zobrist;

pub use cache_report::{CacheReport, CachedQuery, HitRate};
pub use engine_choice::{EngineChoice, EngineCosts, NetworkProgress};
pub use error::{ReasonError, check_move_count};
pub use game_walker::{GameWalker, ReasonerWalker};
pub use goal::{Goal, NoGoal};
pub use heap_size::{HeapSize, allocation};
pub use ids::{FluentId, MoveId, Role};
pub use playability::{FaultKind, PlayabilityFault, PlayabilityReport, PlayabilityTest};
pub use playout::{
    GuidedRequest, GuidedResult, MoveHistory, MovePair, MoveTotals, PerRole, Playout, PlayoutEnd,
    PlayoutPolicy, PlayoutRecord, PlayoutTotals,
};
pub use reasoner::{
    Reasoner, count_differences, guided_playout, guided_playouts, playout_totals, random_playout,
    recorded_playout, recorded_playouts, state_summaries,
};
pub use rng::Rng;
pub use stop_signal::StopSignal;
pub use summary::StateSummary;
