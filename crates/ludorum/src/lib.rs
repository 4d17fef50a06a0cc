/*!
General game playing as a library: any game in the Game Description Language (GDL), by its rules
alone.

```
let game = ludorum::Game::named("tic-tac-toe")?;
let mut engine = game.engine("auto")?;
let start = engine.initial()?;
let totals = engine.playouts(&start, 10_000)?;
println!("x gets {:.1} on average", totals.mean(0).unwrap_or(0.0));
# Ok::<(), ludorum::Error>(())
```

- A [`Game`] is a rule sheet that was read and checked: a shipped one by name, a file, or a text.
  It is cheap to clone and can be shared between threads.
- An [`Engine`] answers questions about states of the game: legal moves, successors, goals, random
  playouts. It is chosen by name, as in `propnet` or `lanes:passes=paper`; see [`engines`]. An
  engine works for one thread at a time; [`Engine::fork`] makes one for another thread that shares
  everything that was compiled.
- A [`State`] is a value: the set of facts that are true in it. It can be cloned, compared, hashed
  and kept.
- A [`Player`] searches for a move within a time limit: `ludorum`, `mcts:threads=2`, `minimax`; see
  [`players`].
- [`Game::solve`] solves puzzles, games with one role. [`Game::draw`] draws a state as SVG.

Moves are numbers ([`MoveId`]) where speed counts and KIF text, as in `(mark 1 2)`, where people or
files are concerned; [`Engine::move_text`] and [`Engine::find_move`] translate.

# A game from its own text

Problems of a rule sheet are values with a code, a sentence and a place in the text:

```
let error = ludorum::Game::from_text("half a game", "(role robot) (init (at 1)").unwrap_err();
let ludorum::Error::Rules { diagnostics, .. } = error else { panic!() };
assert!(diagnostics.iter().any(|problem| problem.is_error()));
```
*/

mod engine;
mod error;
mod game;
mod player;

pub use engine::{Engine, EngineOptions};
pub use error::Error;
pub use game::{Drawing, Game};
pub use player::Player;

pub use ludorum_engines::AnyState as State;
pub use ludorum_gdl::{Diagnostic, Severity, Span};
pub use ludorum_players::{Answer, MoveReport, Report, Solution, SolutionProof};
pub use ludorum_reasoner::{Goal, MoveId, Role, StateSummary};
pub use ludorum_reasoner::{Playout, PlayoutEnd, PlayoutRecord, PlayoutTotals};

/// The names of all engines with a line of help each.
///
/// Options follow a colon: `propnet:propagation=forward`, `prover:cache=64`.
///
/// ```
/// assert!(ludorum::engines().iter().any(|(name, _)| *name == "lanes"));
/// ```
pub fn engines() -> Vec<(&'static str, &'static str)> {
    let all = ludorum_engines::Engine::ALL.into_iter();
    all.map(|engine| (engine.name(), engine.about())).collect()
}

/// The names of all players with a line of help each.
///
/// ```
/// assert!(ludorum::players().iter().any(|(name, _)| *name == "mcts"));
/// ```
pub fn players() -> Vec<(&'static str, &'static str)> {
    let all = ludorum_players::registry::players().iter();
    all.map(|player| (player.name, player.about)).collect()
}

/// The names of the games that ship, sorted.
///
/// ```
/// assert!(ludorum::shipped_games().contains(&"connect-four"));
/// ```
pub fn shipped_games() -> Vec<&'static str> {
    ludorum_games::all().iter().map(|game| game.name).collect()
}
