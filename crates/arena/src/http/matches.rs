//! Routes of running matches: starting, viewing and playing them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ludorum_match::{MatchSetup, Participant};
use ludorum_players::{PlayerSpec, registry};
use serde::Deserialize;
use serde_json::json;

use super::body::Body;
use super::games::MAX_MOVES;
use super::parameters::{Path, Query};
use crate::app_state::{AppState, MemoryReservation, Work};
use crate::error::ApiError;
use crate::hints;
use crate::library::SHEET_PREFIX;
use crate::live::{LiveMatch, MatchJob, RolePlayer, run_match};
use crate::secret;
use crate::snapshot::PlayerKind;

/// Longest accepted clock in seconds.
const MAX_CLOCK: f64 = 3600.0;
/// Shortest accepted play clock in seconds.
const MIN_PLAY_CLOCK: f64 = 0.05;
/// Default play clock in seconds.
const DEFAULT_PLAY_CLOCK: f64 = 3.0;
/// Longest time for a hint in seconds.
const MAX_HINT: f64 = 30.0;
/// Step limit of a match.
const MAX_STEPS: u32 = 2000;
/// Length limit of a person's name in characters.
const MAX_NAME: usize = 40;
/// Limit on roles of a game: every role needs threads and memory.
const MAX_ROLES: usize = 16;
/// Time limit of replaying the opening of a match.
const OPENING_TIMEOUT: Duration = Duration::from_secs(20);

/// The body of a request that starts a match.
#[derive(Debug, Deserialize)]
pub(super) struct StartRequest {
    game: String,
    seats: Vec<RequestedPlayer>,
    #[serde(default)]
    start_clock: f64,
    play_clock: Option<f64>,
    seed: Option<u64>,
    #[serde(default)]
    moves: Vec<Vec<String>>,
    /// Whether the play clock applies to people too.
    #[serde(default)]
    clock_for_people: bool,
}

#[derive(Debug, Deserialize)]
struct RequestedPlayer {
    role: String,
    kind: PlayerKind,
    spec: Option<String>,
    url: Option<String>,
    name: Option<String>,
}

pub(super) async fn list(State(state): State<Arc<AppState>>) -> Response {
    let matches = state.all();
    let matches: Vec<_> = matches.iter().map(|live| live.entry()).collect();
    super::json(&json!({"matches": matches}))
}

pub(super) async fn start(
    State(state): State<Arc<AppState>>,
    Body(wanted): Body<StartRequest>,
) -> Result<Response, ApiError> {
    let game = state.game(&wanted.game)?;
    let clock = |name: &str, seconds: f64, least: f64| {
        let range = least..=MAX_CLOCK;
        let is_fine = range.contains(&seconds);
        let message = format!("{name} is from {least} to {MAX_CLOCK} seconds");
        is_fine
            .then(|| Duration::from_secs_f64(seconds))
            .ok_or_else(|| ApiError::wrong("clock", message))
    };
    let start_clock = clock("start_clock", wanted.start_clock, 0.0)?;
    let play_clock = clock(
        "play_clock",
        wanted.play_clock.unwrap_or(DEFAULT_PLAY_CLOCK),
        MIN_PLAY_CLOCK,
    )?;
    if wanted.moves.len() > MAX_MOVES {
        let message = format!("a match begins with at most {MAX_MOVES} steps");
        return Err(ApiError::wrong("too-many", message));
    }
    if game.roles.len() > MAX_ROLES {
        let message = format!("games of up to {MAX_ROLES} roles can be played here");
        return Err(ApiError::wrong("roles", message));
    }
    state.check_room()?;
    let is_player = |requested: &&RequestedPlayer| matches!(requested.kind, PlayerKind::Player);
    let memory = state.reserve_memory(wanted.seats.iter().filter(is_player).count());
    let role_players = role_players(&state, &memory, &game.roles, &wanted)?;
    let no_randomness = || ApiError::broken("the system has no random numbers");
    let id = format!("arena-{}", secret::word(10).ok_or_else(no_randomness)?);
    let is_added = game.name.starts_with(SHEET_PREFIX);
    let setup = MatchSetup {
        id: id.clone(),
        // Outside of this arena the fingerprint of an uploaded sheet means nothing, its title does.
        game: if is_added { &game.title } else { &game.name }.clone(),
        sheet: Arc::clone(&game.sheet),
        start_clock,
        play_clock,
        participants: role_players
            .iter()
            .map(|player| player.participant.clone())
            .collect(),
        seed: wanted.seed.unwrap_or_else(random_seed),
        forfeit_after: None,
        max_steps: MAX_STEPS,
    };
    let secrets: Vec<_> = game
        .roles
        .iter()
        .zip(&role_players)
        .map(|(role, player)| json!({"role": role, "seat": player.secret}))
        .collect();
    let opening = if wanted.moves.is_empty() {
        None
    } else {
        let turn = state.opening().await?;
        let opening = state.manager.opening_record(&setup, wanted.moves);
        let opening = tokio::time::timeout(OPENING_TIMEOUT, opening).await;
        drop(turn);
        let slow = |_| ApiError::full("slow", "it takes too long to get to this position");
        let opening = opening.map_err(slow)?;
        Some(opening.map_err(|error| ApiError::wrong("position", error))?)
    };
    let stop = state.stop.child_token();
    let live = LiveMatch::new(id, game, role_players, play_clock, stop);
    let live = Arc::new(live);
    state.admit(Arc::clone(&live))?;
    state.metrics.match_event("started");
    tracing::info!(id = live.id, game = live.game.name, "a match begins");
    let job = MatchJob {
        manager: state.manager.clone(),
        log: state.archive.as_ref().map(|a| a.match_log(&setup.sheet)),
        setup,
        opening,
    };
    let answer = json!({"match": live.id, "seats": secrets});
    tokio::spawn(async move {
        run_match(live, job).await;
        drop(memory);
        state.metrics.match_event("ended");
    });
    Ok((StatusCode::CREATED, super::json(&answer)).into_response())
}

fn random_seed() -> u64 {
    let mut bytes = [0; 8];
    // Without random numbers every match has the same seed, which is still playable.
    let _ = getrandom::fill(&mut bytes);
    // 52 bits: JavaScript numbers represent them exactly.
    u64::from_le_bytes(bytes) >> 12
}

/// The player of each role, in the order of the roles.
fn role_players(
    state: &AppState,
    memory: &MemoryReservation,
    roles: &[String],
    wanted: &StartRequest,
) -> Result<Vec<RolePlayer>, ApiError> {
    let wrong = |message: String| ApiError::wrong("seats", message);
    if wanted.seats.len() != roles.len() {
        let message = format!(
            "the game has {} roles ({}), but there are players for {}",
            roles.len(),
            roles.join(", "),
            wanted.seats.len()
        );
        return Err(wrong(message));
    }
    let mut role_players = Vec::with_capacity(roles.len());
    for role in roles {
        let mut fitting = wanted.seats.iter().filter(|player| player.role == *role);
        let requested = fitting.next();
        let requested = requested.ok_or_else(|| wrong(format!("no player for role {role}")))?;
        role_players.push(match requested.kind {
            PlayerKind::Person => {
                let name = requested.name.as_deref().unwrap_or_default().trim();
                let name = name.chars().filter(|c| !c.is_control()).take(MAX_NAME);
                let name: String = name.collect();
                let name = if name.is_empty() {
                    "person".to_owned()
                } else {
                    name
                };
                let no_randomness = || ApiError::broken("the system has no random numbers");
                let key = secret::word(24).ok_or_else(no_randomness)?;
                RolePlayer::for_person(name, key, wanted.clock_for_people)
            }
            PlayerKind::Player => {
                let text = requested
                    .spec
                    .as_deref()
                    .unwrap_or(registry::DEFAULT_PLAYER);
                let spec: PlayerSpec = text
                    .parse()
                    .map_err(|error| ApiError::wrong("spec", error))?;
                RolePlayer::for_player(
                    Participant::Local(limited_spec(state, memory, &spec)?),
                    spec.to_string(),
                )
            }
            PlayerKind::Remote => {
                let url = requested.url.as_deref().unwrap_or_default().trim();
                let Ok(participant @ Participant::Remote(_)) = url.parse() else {
                    let url = super::excerpt(url);
                    let message = format!(
                        "`{url}` is not the address of a player; write it like \
                        http://localhost:9147"
                    );
                    return Err(ApiError::wrong("url", message));
                };
                RolePlayer::for_player(participant, url.to_owned())
            }
        });
    }
    Ok(role_players)
}

/// A spec with the memory and thread limits of the arena.
fn limited_spec(
    state: &AppState,
    memory: &MemoryReservation,
    spec: &PlayerSpec,
) -> Result<PlayerSpec, ApiError> {
    for (name, most) in [("memory", memory.each), ("threads", state.options.threads)] {
        let written = spec.written(name).and_then(|text| text.parse::<u64>().ok());
        if written.is_some_and(|written| written > most) {
            let message = format!("`{name}` is at most {most} here");
            return Err(ApiError::wrong("spec", message));
        }
    }
    Ok(spec.clone().unless_written("memory", memory.each))
}

/// The query of a viewer, with the secret of a role.
#[derive(Debug, Deserialize)]
pub(super) struct ViewerQuery {
    seat: Option<String>,
}

pub(super) async fn now(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(viewer): Query<ViewerQuery>,
) -> Result<Response, ApiError> {
    snapshot_response(&state, &id, None, &viewer).await
}

pub(super) async fn step(
    State(state): State<Arc<AppState>>,
    Path((id, step)): Path<(String, u32)>,
    Query(viewer): Query<ViewerQuery>,
) -> Result<Response, ApiError> {
    snapshot_response(&state, &id, Some(step), &viewer).await
}

async fn snapshot_response(
    state: &AppState,
    id: &str,
    step: Option<u32>,
    viewer: &ViewerQuery,
) -> Result<Response, ApiError> {
    let live = state.find(id)?;
    let secret = viewer.seat.as_deref().filter(|secret| !secret.is_empty());
    let you = secret.map(|secret| live.role_of(secret)).transpose()?;
    let snapshot = move || live.snapshot(step, you);
    let snapshot = state.work(Work::Position, snapshot).await??;
    Ok(super::json(&snapshot))
}

/// A move of a person.
#[derive(Debug, Deserialize)]
pub(super) struct MoveBody {
    seat: String,
    step: u32,
    #[serde(rename = "move")]
    text: String,
}

pub(super) async fn play(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
    Body(played): Body<MoveBody>,
) -> Result<Response, ApiError> {
    let live = state.find(&id)?;
    live.play(&played.seat, played.step, &played.text)?;
    Ok(accepted(&json!({"step": played.step})))
}

/// The secret of a person's role.
#[derive(Debug, Deserialize)]
pub(super) struct SecretBody {
    seat: String,
}

pub(super) async fn undo(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
    Body(who): Body<SecretBody>,
) -> Result<Response, ApiError> {
    let step = state.find(&id)?.undo(&who.seat)?;
    Ok(accepted(&json!({"step": step})))
}

pub(super) async fn resign(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
    Body(who): Body<SecretBody>,
) -> Result<Response, ApiError> {
    state.find(&id)?.resign(&who.seat)?;
    Ok(accepted(&json!({})))
}

fn accepted(body: &serde_json::Value) -> Response {
    (StatusCode::ACCEPTED, super::json(body)).into_response()
}

/// The query of a hint: the secret of a role, and the time to search.
#[derive(Debug, Deserialize)]
pub(super) struct HintQuery {
    seat: String,
    seconds: Option<f64>,
}

pub(super) async fn hint(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(wanted): Query<HintQuery>,
) -> Result<Response, ApiError> {
    let live = state.find(&id)?;
    let seconds = wanted.seconds.unwrap_or(1.0);
    if !(MIN_PLAY_CLOCK..=MAX_HINT).contains(&seconds) {
        let message = format!("a hint takes from {MIN_PLAY_CLOCK} to {MAX_HINT} seconds");
        return Err(ApiError::wrong("clock", message));
    }
    let decision = live.decision(&wanted.seat)?;
    let (manager, memory) = (state.manager.clone(), state.options.memory);
    let search_hints = move || {
        let time = Duration::from_secs_f64(seconds);
        hints::search_hints(&manager, &live.game, &decision, time, memory)
    };
    let advice = state.work(Work::Hint, search_hints).await?;
    let moves = advice.map_err(|error| ApiError::wrong("hint", error))?;
    Ok(super::json(&json!({"moves": moves})))
}

pub(super) async fn evaluation(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let live = state.find(&id)?;
    Ok(super::json(
        &json!({"steps": live.evaluations(), "moves": live.moves()}),
    ))
}

#[cfg(test)]
mod tests {
    use ludorum_match::CancellationToken;

    use super::*;
    use crate::options::ArenaOptions;

    #[test]
    fn players_get_the_arenas_memory_limit_unless_they_request_less() {
        let options = ArenaOptions {
            memory: 100,
            ..ArenaOptions::default()
        };
        let state = AppState::new(options, CancellationToken::new()).unwrap();
        let memory = state.reserve_memory(2);
        let bounded = |text: &str| limited_spec(&state, &memory, &text.parse().unwrap());
        assert_eq!(bounded("mcts").unwrap().to_string(), "mcts:memory=100");
        assert_eq!(
            bounded("mcts:memory=7").unwrap().to_string(),
            "mcts:memory=7"
        );
        assert!(bounded("mcts:memory=101").is_err());
    }
}
