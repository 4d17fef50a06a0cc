//! Matches: starting them, looking at them, playing in them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ludorum_match::{Entrant, Setup};
use ludorum_search::{Spec, spec};
use serde::Deserialize;
use serde_json::json;

use super::address::{Path, Query};
use super::body::Body;
use super::games::MOVES;
use crate::adviser;
use crate::error::Refusal;
use crate::hall::{Hall, Share, Work};
use crate::library::SHEET;
use crate::live::{Kind, LiveMatch, Seat, Venue, conduct};
use crate::secret;

/// The longest clock in seconds.
const LONGEST: f64 = 3600.0;
/// The shortest clock for a move.
const SHORTEST: f64 = 0.05;
/// The clock for a move where none is given.
const USUAL: f64 = 3.0;
/// The longest hint.
const HINT: f64 = 30.0;
/// A match is given up after so many steps.
const STEPS: u32 = 2000;
/// The most characters of a person's name.
const NAME: usize = 40;
/// The most roles of a game that is played here: each has threads and memory of its own.
const ROLES: usize = 16;
/// So long it may take to get to the position that a match begins with.
const OPENING: Duration = Duration::from_secs(20);

/// What a match is to be.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    game: String,
    seats: Vec<WantedSeat>,
    #[serde(default)]
    start_clock: f64,
    play_clock: Option<f64>,
    seed: Option<u64>,
    #[serde(default)]
    moves: Vec<Vec<String>>,
    /// Whether the play clock holds for people too.
    #[serde(default)]
    clock_for_people: bool,
}

#[derive(Debug, Deserialize)]
struct WantedSeat {
    role: String,
    kind: Kind,
    spec: Option<String>,
    url: Option<String>,
    name: Option<String>,
}

pub(super) async fn list(State(hall): State<Arc<Hall>>) -> Response {
    let matches = hall.all();
    let matches: Vec<_> = matches.iter().map(|live| live.entry()).collect();
    super::json(&json!({"matches": matches}))
}

pub(super) async fn start(
    State(hall): State<Arc<Hall>>,
    Body(wanted): Body<Wanted>,
) -> Result<Response, Refusal> {
    let game = hall.game(&wanted.game)?;
    let clock = |name: &str, seconds: f64, least: f64| {
        let range = least..=LONGEST;
        let is_fine = range.contains(&seconds);
        let message = format!("{name} is from {least} to {LONGEST} seconds");
        is_fine
            .then(|| Duration::from_secs_f64(seconds))
            .ok_or_else(|| Refusal::wrong("clock", message))
    };
    let start_clock = clock("start_clock", wanted.start_clock, 0.0)?;
    let play_clock = clock("play_clock", wanted.play_clock.unwrap_or(USUAL), SHORTEST)?;
    if wanted.moves.len() > MOVES {
        let message = format!("a match begins with at most {MOVES} steps");
        return Err(Refusal::wrong("too-many", message));
    }
    if game.roles.len() > ROLES {
        let message = format!("games of up to {ROLES} roles can be played here");
        return Err(Refusal::wrong("roles", message));
    }
    hall.check_room()?;
    let is_player = |seat: &&WantedSeat| matches!(seat.kind, Kind::Player);
    let share = hall.share(wanted.seats.iter().filter(is_player).count());
    let seats = seats(&hall, &share, &game.roles, &wanted)?;
    let no_chance = || Refusal::broken("the system has no random numbers");
    let id = format!("arena-{}", secret::word(10).ok_or_else(no_chance)?);
    let is_brought = game.name.starts_with(SHEET);
    let setup = Setup {
        id: id.clone(),
        // A sheet that somebody brought is known by its title, elsewhere its fingerprint means
        // nothing.
        game: if is_brought { &game.title } else { &game.name }.clone(),
        sheet: Arc::clone(&game.sheet),
        start_clock,
        play_clock,
        entrants: seats.iter().map(|seat| seat.entrant.clone()).collect(),
        seed: wanted.seed.unwrap_or_else(random_seed),
        forfeit_after: None,
        max_steps: STEPS,
    };
    let secrets: Vec<_> = game
        .roles
        .iter()
        .zip(&seats)
        .map(|(role, seat)| json!({"role": role, "seat": seat.secret}))
        .collect();
    let opening = if wanted.moves.is_empty() {
        None
    } else {
        let turn = hall.opening().await?;
        let opening = hall.manager.opening(&setup, wanted.moves);
        let opening = tokio::time::timeout(OPENING, opening).await;
        drop(turn);
        let slow = |_| Refusal::full("slow", "it takes too long to get to this position");
        let opening = opening.map_err(slow)?;
        Some(opening.map_err(|error| Refusal::wrong("position", error))?)
    };
    let stop = hall.stop.child_token();
    let live = LiveMatch::new(id, game, seats, play_clock, stop);
    let live = Arc::new(live);
    hall.admit(Arc::clone(&live))?;
    hall.metrics.match_event("started");
    tracing::info!(id = live.id, game = live.game.name, "a match begins");
    let venue = Venue {
        manager: hall.manager.clone(),
        ledger: hall.archive.as_ref().map(|a| a.ledger(&setup.sheet)),
        setup,
        opening,
    };
    let answer = json!({"match": live.id, "seats": secrets});
    tokio::spawn(async move {
        conduct(live, venue).await;
        drop(share);
        hall.metrics.match_event("ended");
    });
    Ok((StatusCode::CREATED, super::json(&answer)).into_response())
}

fn random_seed() -> u64 {
    let mut bytes = [0; 8];
    // Without random numbers every match is the same, which is no reason not to play.
    let _ = getrandom::fill(&mut bytes);
    // Numbers that survive JavaScript.
    u64::from_le_bytes(bytes) >> 12
}

/// Who sits where, in the order of the roles.
fn seats(
    hall: &Hall,
    share: &Share,
    roles: &[String],
    wanted: &Wanted,
) -> Result<Vec<Seat>, Refusal> {
    let wrong = |message: String| Refusal::wrong("seats", message);
    if wanted.seats.len() != roles.len() {
        let message = format!(
            "the game has {} roles ({}), and {} seats were taken",
            roles.len(),
            roles.join(", "),
            wanted.seats.len()
        );
        return Err(wrong(message));
    }
    let mut seats = Vec::with_capacity(roles.len());
    for role in roles {
        let mut fitting = wanted.seats.iter().filter(|seat| seat.role == *role);
        let seat = fitting.next();
        let seat = seat.ok_or_else(|| wrong(format!("nobody plays {role}")))?;
        seats.push(match seat.kind {
            Kind::Person => {
                let name = seat.name.as_deref().unwrap_or_default().trim();
                let name = name.chars().filter(|c| !c.is_control()).take(NAME);
                let name: String = name.collect();
                let name = if name.is_empty() {
                    "person".to_owned()
                } else {
                    name
                };
                let no_chance = || Refusal::broken("the system has no random numbers");
                let key = secret::word(24).ok_or_else(no_chance)?;
                Seat::for_person(name, key, wanted.clock_for_people)
            }
            Kind::Player => {
                let text = seat.spec.as_deref().unwrap_or(spec::USUAL);
                let spec: Spec = text
                    .parse()
                    .map_err(|error| Refusal::wrong("spec", error))?;
                Seat::for_player(
                    Entrant::Local(within(hall, share, &spec)?),
                    spec.to_string(),
                )
            }
            Kind::Remote => {
                let url = seat.url.as_deref().unwrap_or_default().trim();
                let Ok(entrant @ Entrant::Remote(_)) = url.parse() else {
                    let url = super::excerpt(url);
                    let message = format!(
                        "`{url}` is no address of a player; write it like http://localhost:9147"
                    );
                    return Err(Refusal::wrong("url", message));
                };
                Seat::for_player(entrant, url.to_owned())
            }
        });
    }
    Ok(seats)
}

/// A player that keeps within what the arena may use.
fn within(hall: &Hall, share: &Share, spec: &Spec) -> Result<Spec, Refusal> {
    for (name, most) in [("memory", share.each), ("threads", hall.options.threads)] {
        let written = spec.written(name).and_then(|text| text.parse::<u64>().ok());
        if written.is_some_and(|written| written > most) {
            let message = format!("`{name}` is at most {most} here");
            return Err(Refusal::wrong("spec", message));
        }
    }
    Ok(spec.clone().unless_written("memory", share.each))
}

/// Who looks.
#[derive(Debug, Deserialize)]
pub(super) struct Viewer {
    seat: Option<String>,
}

pub(super) async fn now(
    State(hall): State<Arc<Hall>>,
    Path(id): Path<String>,
    Query(viewer): Query<Viewer>,
) -> Result<Response, Refusal> {
    look(&hall, &id, None, &viewer).await
}

pub(super) async fn step(
    State(hall): State<Arc<Hall>>,
    Path((id, step)): Path<(String, u32)>,
    Query(viewer): Query<Viewer>,
) -> Result<Response, Refusal> {
    look(&hall, &id, Some(step), &viewer).await
}

async fn look(
    hall: &Hall,
    id: &str,
    step: Option<u32>,
    viewer: &Viewer,
) -> Result<Response, Refusal> {
    let live = hall.find(id)?;
    let seat = viewer.seat.as_deref().filter(|seat| !seat.is_empty());
    let you = seat.map(|seat| live.role_of(seat)).transpose()?;
    let look = move || live.snapshot(step, you);
    let snapshot = hall.work(Work::View, look).await??;
    Ok(super::json(&snapshot))
}

/// A move of a person.
#[derive(Debug, Deserialize)]
pub(super) struct Played {
    seat: String,
    step: u32,
    #[serde(rename = "move")]
    text: String,
}

pub(super) async fn play(
    State(hall): State<Arc<Hall>>,
    Path(id): Path<String>,
    Body(played): Body<Played>,
) -> Result<Response, Refusal> {
    let live = hall.find(&id)?;
    live.play(&played.seat, played.step, &played.text)?;
    Ok(accepted(&json!({"step": played.step})))
}

/// Who wants something.
#[derive(Debug, Deserialize)]
pub(super) struct Who {
    seat: String,
}

pub(super) async fn undo(
    State(hall): State<Arc<Hall>>,
    Path(id): Path<String>,
    Body(who): Body<Who>,
) -> Result<Response, Refusal> {
    let step = hall.find(&id)?.undo(&who.seat)?;
    Ok(accepted(&json!({"step": step})))
}

pub(super) async fn resign(
    State(hall): State<Arc<Hall>>,
    Path(id): Path<String>,
    Body(who): Body<Who>,
) -> Result<Response, Refusal> {
    hall.find(&id)?.resign(&who.seat)?;
    Ok(accepted(&json!({})))
}

fn accepted(body: &serde_json::Value) -> Response {
    (StatusCode::ACCEPTED, super::json(body)).into_response()
}

/// Who wants a hint, and how long may be thought about it.
#[derive(Debug, Deserialize)]
pub(super) struct WantedHint {
    seat: String,
    seconds: Option<f64>,
}

pub(super) async fn hint(
    State(hall): State<Arc<Hall>>,
    Path(id): Path<String>,
    Query(wanted): Query<WantedHint>,
) -> Result<Response, Refusal> {
    let live = hall.find(&id)?;
    let seconds = wanted.seconds.unwrap_or(1.0);
    if !(SHORTEST..=HINT).contains(&seconds) {
        let message = format!("a hint takes from {SHORTEST} to {HINT} seconds");
        return Err(Refusal::wrong("clock", message));
    }
    let question = live.question(&wanted.seat)?;
    let (manager, memory) = (hall.manager.clone(), hall.options.memory);
    let advise = move || {
        let time = Duration::from_secs_f64(seconds);
        adviser::advise(&manager, &live.game, &question, time, memory)
    };
    let advice = hall.work(Work::Hint, advise).await?;
    let moves = advice.map_err(|error| Refusal::wrong("hint", error))?;
    Ok(super::json(&json!({"moves": moves})))
}

pub(super) async fn evaluation(
    State(hall): State<Arc<Hall>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let live = hall.find(&id)?;
    Ok(super::json(
        &json!({"steps": live.evaluations(), "moves": live.moves()}),
    ))
}

#[cfg(test)]
mod tests {
    use ludorum_match::CancellationToken;

    use super::*;
    use crate::options::Options;

    #[test]
    fn players_get_the_memory_of_the_arena_unless_they_ask_for_less() {
        let options = Options {
            memory: 100,
            ..Options::default()
        };
        let hall = Hall::new(options, CancellationToken::new()).unwrap();
        let share = hall.share(2);
        let bounded = |text: &str| within(&hall, &share, &text.parse().unwrap());
        assert_eq!(bounded("mcts").unwrap().to_string(), "mcts:memory=100");
        assert_eq!(
            bounded("mcts:memory=7").unwrap().to_string(),
            "mcts:memory=7"
        );
        assert!(bounded("mcts:memory=101").is_err());
    }
}
