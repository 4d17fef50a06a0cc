/*!
The [`Reasoner`] contract that every engine keeps, and what all engines share.

An engine is made from [`ludorum_logic::Rules`] and answers the questions of a game: the initial
state, the legal moves, the successor of a joint move, whether a state is terminal, the goals. There
is no engine here. [`contract`] has the trait, the ids of moves and fluents, goals and errors;
[`playout`] the types of random and guided playouts; [`stop_signal`] the deadline and the cancel
flag; [`walk`] a reasoner with a current state that speaks KIF text; [`trial`] random playouts that
test whether a game can be played; [`vocabulary`] and [`zobrist`] the interned terms and the state
keys of engines that work on rules.
*/

pub mod cache_report;
pub mod choice;
pub mod contract;
pub mod dice;
pub mod footprint;
pub mod playout;
pub mod stop_signal;
#[cfg(feature = "testing")]
pub mod testing;
pub mod trial;
pub mod vocabulary;
pub mod walk;
pub mod zobrist;

pub use cache_report::{CacheReport, Rate};
pub use choice::Choice;
pub use contract::{FluentId, Goal, MoveId, NoGoal, ReasonError, Reasoner, Role, Survey};
pub use dice::Dice;
pub use playout::{
    End, Guide, Guided, History, MoveRecord, Pair, PerRole, Playout, Record, Tally, Wanted,
};
pub use stop_signal::StopSignal;
pub use trial::{Effort, Fault, FaultKind, Trial};
pub use walk::{Walk, Walker};
