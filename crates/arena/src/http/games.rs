//! Routes of games, their pictures, and the list of players.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use ludorum_players::registry;
use serde::Deserialize;
use serde_json::json;

use super::body::Body;
use super::parameters::Path;
use crate::app_state::{AppState, Work};
use crate::error::ApiError;
use crate::replay;

/// Limit on joint moves that lead to a position.
pub(super) const MAX_MOVES: usize = 2000;

pub(super) async fn list(State(state): State<Arc<AppState>>) -> Response {
    let games: Vec<_> = state
        .library
        .shipped()
        .iter()
        .map(|game| game.entry())
        .collect();
    super::json(&json!({"games": games}))
}

pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let game = state.game(&name)?;
    Ok(super::json(&json!({
        "name": game.name,
        "title": game.title,
        "summary": game.summary(),
        "how_to_play": game.how_to_play,
        "roles": game.roles,
        "tags": game.tags,
        "players": game.roles.len(),
        "sheet": &*game.sheet,
    })))
}

pub(super) async fn picture(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let game = state.game(&name)?;
    let draw = move || game.drawing().map(|drawing| drawing.picture().to_owned());
    let svg = state.work(Work::Inspect, draw).await?;
    let svg = svg.ok_or_else(|| ApiError::missing("this game has no picture"))?;
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (CONTENT_TYPE, "image/svg+xml; charset=utf-8"),
        (CACHE_CONTROL, "max-age=3600"),
        // A standalone picture may use its own styles and nothing else.
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ),
    ] {
        headers.insert(name, axum::http::HeaderValue::from_static(value));
    }
    Ok((headers, svg).into_response())
}

/// The joint moves that lead to a position.
#[derive(Debug, Deserialize)]
pub(super) struct PositionBody {
    moves: Vec<Vec<String>>,
}

pub(super) async fn position(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
    Body(body): Body<PositionBody>,
) -> Result<Response, ApiError> {
    let game = state.game(&name)?;
    if body.moves.len() > MAX_MOVES {
        return Err(ApiError::wrong(
            "too-many",
            format!("a position is at most {MAX_MOVES} steps away"),
        ));
    }
    let manager = state.manager.clone();
    let look = move || replay::position_after(&manager, &game, &body.moves);
    let snapshot = state.work(Work::Inspect, look).await??;
    Ok(super::json(&snapshot))
}

pub(super) async fn players() -> Response {
    let players = registry::players().iter().map(|player| {
        json!({
            "spec": player.name,
            "title": title(player.name),
            "help": player.about,
        })
    });
    let players: Vec<_> = players.collect();
    super::json(&json!({"players": players, "default": registry::DEFAULT_PLAYER}))
}

/// The name of a player for people.
fn title(name: &str) -> &str {
    match name {
        "random" => "Random",
        "legal" => "First legal move",
        "one-ply" => "Beginner",
        "mcs" => "Intermediate",
        "mcts" => "Strong: tree search",
        "mini" => "Strong: portfolio of strategies",
        "mini-base" => "Strong: one strategy for all games",
        "mini-1s" => "Strong: one strategy of your choice",
        "minimax" => "Perfect in small games",
        "solo" => "Puzzle solver",
        "ludorum" => "Ludorum, the usual player",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_player_has_a_title_of_its_own() {
        let titles = registry::players().iter().map(|player| title(player.name));
        let titles: BTreeSet<&str> = titles.collect();
        assert_eq!(titles.len(), registry::players().len());
        for player in registry::players() {
            assert_ne!(title(player.name), player.name);
        }
    }
}
