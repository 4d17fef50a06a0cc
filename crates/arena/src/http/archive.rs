//! What was played: the archive as pages.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ludorum_match::archive::{Archive, Filter, Summary};
use ludorum_match::rating::rate;
use ludorum_match::{Record, archive::ArchiveError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::address::{Path, Query};
use crate::error::Refusal;
use crate::hall::{Hall, Work};
use crate::library::Game;
use crate::replay;

/// So many matches are listed unless less is asked for.
const LISTED: u32 = 50;
/// And never more.
const MOST: u32 = 500;
/// Ratings rest on so many matches, the latest.
const RATED: u32 = 20_000;

/// Which matches.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    limit: Option<u32>,
    /// Those before the match of this name.
    after: Option<String>,
    game: Option<String>,
    player: Option<String>,
}

pub(super) async fn list(
    State(hall): State<Arc<Hall>>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    let Some(archive) = hall.archive.clone() else {
        return Ok(super::json(&json!({"matches": [], "more": false})));
    };
    let limit = wanted.limit.unwrap_or(LISTED).clamp(1, MOST);
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let filter = Filter {
        game: given(wanted.game),
        player: given(wanted.player),
        before: given(wanted.after),
        // One more tells whether there are more.
        limit: Some(limit + 1),
        ..Filter::default()
    };
    let found = hall
        .work(Work::View, move || archive.matches(&filter))
        .await?;
    let mut found = found.map_err(|error| failed(&error))?;
    found.reverse();
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let matches: Vec<Value> = found.iter().map(entry).collect();
    Ok(super::json(&json!({"matches": matches, "more": more})))
}

fn entry(summary: &Summary) -> Value {
    let players: Vec<&str> = summary
        .seats
        .iter()
        .map(|seat| seat.name.as_str())
        .collect();
    let roles: Vec<&str> = summary
        .seats
        .iter()
        .map(|seat| seat.role.as_str())
        .collect();
    let goals: Vec<Option<u8>> = summary.seats.iter().map(|seat| seat.goal).collect();
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

fn failed(error: &ArchiveError) -> Refusal {
    tracing::warn!(%error, "the archive cannot be read");
    Refusal::broken(error)
}

/// A match of the archive and its game.
fn load(hall: &Hall, archive: &Archive, id: &str) -> Result<(Record, Arc<Game>), Refusal> {
    let missing = || {
        let id = super::excerpt(id);
        Refusal::missing(format!("the archive has no match `{id}`"))
    };
    let record = archive.record(id).map_err(|error| failed(&error))?;
    let record = record.ok_or_else(missing)?;
    let sheet = archive.sheet(id).map_err(|error| failed(&error))?;
    let sheet = sheet.ok_or_else(missing)?;
    let game = hall.library.of_sheet(&sheet).unwrap_or_else(|| {
        let title = Some(record.game.clone());
        hall.library.bring(&sheet, title, record.roles.clone())
    });
    Ok((record, game))
}

pub(super) async fn show(
    State(hall): State<Arc<Hall>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let archive = hall.archive()?;
    let own = Arc::clone(&hall);
    let look = move || load(&own, &archive, &id);
    let (record, game) = hall.work(Work::View, look).await??;
    let joints: Vec<&[String]> = record.steps.iter().map(|step| &step.moves[..]).collect();
    let mishaps = record.steps.iter().flat_map(|step| {
        let errors = step.mishaps.iter();
        errors.map(|m| json!({"step": step.number, "role": m.role, "kind": m.kind.name(), "text": m.detail}))
    });
    let mishaps: Vec<Value> = mishaps.collect();
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
        "errors": mishaps,
    })))
}

pub(super) async fn step(
    State(hall): State<Arc<Hall>>,
    Path((id, step)): Path<(String, u32)>,
) -> Result<Response, Refusal> {
    let archive = hall.archive()?;
    let own = Arc::clone(&hall);
    let look = move || {
        let (record, game) = load(&own, &archive, &id)?;
        replay::archived(&own.manager, &game, &record, step)
    };
    let snapshot = hall.work(Work::View, look).await??;
    Ok(super::json(&snapshot))
}

pub(super) async fn ratings(State(hall): State<Arc<Hall>>) -> Result<Response, Refusal> {
    let Some(archive) = hall.archive.clone() else {
        return Ok(super::json(&json!({"players": []})));
    };
    let work = move || {
        let filter = Filter {
            limit: Some(RATED),
            ..Filter::default()
        };
        archive.comparisons(&filter).map(|all| rate(&all))
    };
    let ratings = hall.work(Work::Study, work).await?;
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
