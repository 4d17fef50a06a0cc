//! Hints: the best moves of a person according to a short search.

use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_match::GameManager;
use ludorum_players::DEFAULT_PLAYER;
use ludorum_players::PlayerSpec;
use serde::Serialize;

use crate::library::LibraryGame;
use crate::live::Decision;
use crate::snapshot::words;

/// Limit on moves in a hint.
const MAX_MOVES: usize = 8;

/// A move with its search result.
#[derive(Debug, Serialize)]
pub(crate) struct Hint {
    #[serde(rename = "move")]
    text: String,
    words: String,
    visits: u64,
    /// Expected goal value, 0 to 100.
    value: Option<f64>,
    /// Whether the value is proven.
    proven: bool,
    /// The expected continuation.
    line: Vec<Vec<String>>,
}

/// The best moves first. Blocks for the given time.
pub(crate) fn search_hints(
    manager: &GameManager,
    game: &LibraryGame,
    decision: &Decision,
    time: Duration,
    memory: u64,
) -> Result<Vec<Hint>, String> {
    let to_text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: PlayerSpec = DEFAULT_PLAYER.parse().map_err(|error| to_text(&error))?;
    let spec = spec.unless_written("memory", memory);
    let table = manager.engine(&game.sheet, Engine::AUTO);
    let table = table.map_err(|error| to_text(&error))?;
    let player = table.player(&spec, decision.role);
    let mut player = player.map_err(|error| to_text(&error))?;
    player
        .set_state(&decision.facts)
        .map_err(|error| to_text(&error))?;
    let answer = player.play(Instant::now() + time);
    let answer = answer.map_err(|error| to_text(&error))?;
    let report = answer.report;
    if report.moves.is_empty() {
        return Ok(vec![Hint {
            words: words(&answer.text),
            text: answer.text,
            visits: 0,
            value: None,
            proven: report.proven,
            line: Vec::new(),
        }]);
    }
    let moves = report.moves.into_iter().take(MAX_MOVES);
    Ok(moves
        .map(|found| Hint {
            words: words(&found.text),
            text: found.text,
            visits: found.visits,
            value: found.value,
            proven: found.bounds.is_some_and(|(low, high)| low == high),
            line: found.line,
        })
        .collect())
}
