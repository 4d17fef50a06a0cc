//! Routes of the archive.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ludorum_match::archive::{Archive, MatchFilter, MatchSummary};
use ludorum_match::rating::rate;
use ludorum_match::{MatchRecord, archive::ArchiveError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::parameters::{Path, Query};
use crate::app_state::{AppState, Work};
use crate::error::ApiError;
use crate::library::LibraryGame;
use crate::replay;

/// Default number of matches in a list.
const DEFAULT_LISTED: u32 = 50;
/// Largest number of matches in a list.
const MAX_LISTED: u32 = 500;
/// Number of the latest matches from which ratings are computed.
const MAX_RATED: u32 = 20_000;

/// The query of a list of matches.
#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    limit: Option<u32>,
    /// The id of the match after which the list continues (older matches).
    after: Option<String>,
    game: Option<String>,
    player: Option<String>,
}

pub(super) async fn list(
    State(state): State<Arc<AppState>>,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    let Some(archive) = state.archive.clone() else {
        return Ok(super::json(&json!({"matches": [], "more": false})));
    };
    let limit = query.limit.unwrap_or(DEFAULT_LISTED).clamp(1, MAX_LISTED);
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let filter = MatchFilter {
        game: given(query.game),
        player: given(query.player),
        before: given(query.after),
        // One more, to find out whether there are more.
        limit: Some(limit + 1),
        ..MatchFilter::default()
    };
    let found = state
        .work(Work::Position, move || archive.matches(&filter))
        .await?;
    let mut found = found.map_err(|error| failed(&error))?;
    found.reverse();
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let matches: Vec<Value> = found.iter().map(entry).collect();
    Ok(super::json(&json!({"matches": matches, "more": more})))
}

fn entry(summary: &MatchSummary) -> Value {
    let players: Vec<&str> = summary
        .roles
        .iter()
        .map(|played| played.name.as_str())
        .collect();
    let roles: Vec<&str> = summary
        .roles
        .iter()
        .map(|played| played.role.as_str())
        .collect();
    let goals: Vec<Option<u8>> = summary.roles.iter().map(|played| played.goal).collect();
    json!({
        "id": summary.id,
        "game": summary.game,
        "roles": roles,
        "players": players,
        "goals": goals,
        "errors": summary.errors,
        "started": summary.began_at_ms,
        "moves": summary.steps,
        "state": summary.state,
        "tournament": summary.tournament,
    })
}

fn failed(error: &ArchiveError) -> ApiError {
    tracing::warn!(%error, "the archive cannot be read");
    ApiError::broken(error)
}

/// A match of the archive and its game.
fn load(
    state: &AppState,
    archive: &Archive,
    id: &str,
) -> Result<(MatchRecord, Arc<LibraryGame>), ApiError> {
    let missing = || {
        let id = super::excerpt(id);
        ApiError::missing(format!("the archive has no match `{id}`"))
    };
    let record = archive.record(id).map_err(|error| failed(&error))?;
    let record = record.ok_or_else(missing)?;
    let sheet = archive.sheet(id).map_err(|error| failed(&error))?;
    let sheet = sheet.ok_or_else(missing)?;
    let game = state.library.find_sheet(&sheet).unwrap_or_else(|| {
        let title = Some(record.game.clone());
        state.library.add_sheet(&sheet, title, record.roles.clone())
    });
    Ok((record, game))
}

pub(super) async fn show(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let archive = state.archive()?;
    let own = Arc::clone(&state);
    let load_position = move || load(&own, &archive, &id);
    let (record, game) = state.work(Work::Position, load_position).await??;
    let joints: Vec<&[String]> = record.steps.iter().map(|step| &step.moves[..]).collect();
    let player_errors = record.steps.iter().flat_map(|step| {
        let errors = step.player_errors.iter();
        errors.map(|error| {
            let kind = error.kind.name();
            json!({"step": step.number, "role": error.role, "kind": kind, "text": error.detail})
        })
    });
    let player_errors: Vec<Value> = player_errors.collect();
    let outcome = record.outcome.as_ref();
    Ok(super::json(&json!({
        "id": record.id,
        "game": game.name,
        "title": game.title,
        "roles": record.roles,
        "players": record.players,
        "goals": outcome.map(|outcome| &outcome.goals),
        "reason": outcome.and_then(|outcome| outcome.reason.as_ref()),
        "finished": outcome.is_some(),
        "started": record.began_at_ms,
        "start_clock": record.start_clock_ms,
        "play_clock": record.play_clock_ms,
        "steps": record.steps.len(),
        "moves": joints,
        "errors": player_errors,
    })))
}

pub(super) async fn step(
    State(state): State<Arc<AppState>>,
    Path((id, step)): Path<(String, u32)>,
) -> Result<Response, ApiError> {
    let archive = state.archive()?;
    let own = Arc::clone(&state);
    let load_position = move || {
        let (record, game) = load(&own, &archive, &id)?;
        replay::archived_position(&own.manager, &game, &record, step)
    };
    let snapshot = state.work(Work::Position, load_position).await??;
    Ok(super::json(&snapshot))
}

pub(super) async fn ratings(State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let Some(archive) = state.archive.clone() else {
        return Ok(super::json(&json!({"players": []})));
    };
    let work = move || {
        let filter = MatchFilter {
            limit: Some(MAX_RATED),
            ..MatchFilter::default()
        };
        archive.comparisons(&filter).map(|all| rate(&all))
    };
    let ratings = state.work(Work::Inspect, work).await?;
    let ratings = ratings.map_err(|error| failed(&error))?;
    let players = ratings.iter().map(|rating| {
        json!({
            "name": rating.player,
            "rating": rating.elo,
            "low": rating.low,
            "high": rating.high,
            "matches": rating.comparisons,
            "points": rating.points,
        })
    });
    let players: Vec<Value> = players.collect();
    Ok(super::json(&json!({"players": players})))
}
