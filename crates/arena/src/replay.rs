//! Snapshots of states outside of running matches: archived matches and shared positions.

use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_match::{GameManager, MatchRecord, Outcome, Participant};
use ludorum_reasoner::{GameWalker, ReasonError};

use crate::error::ApiError;
use crate::library::LibraryGame;
use crate::pictures::{DrawOptions, RenderedState};
use crate::snapshot::{BoardView, PlayerKind, RolePlayerView, Snapshot, StatusLine};

/// Time limit of the engine for one position.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(10);

/// A state and how it was reached.
struct ReplayedState<'a> {
    step: u32,
    steps: u32,
    facts: &'a [String],
    joint: Option<&'a [String]>,
}

/// A position of an archived match. Draws, so it must run on a blocking thread.
pub(crate) fn archived_position(
    manager: &GameManager,
    game: &LibraryGame,
    record: &MatchRecord,
    step: u32,
) -> Result<Snapshot, ApiError> {
    let steps = record.steps.len() as u32;
    let last = step.checked_sub(1).map(|n| record.steps.get(n as usize));
    let missing = || ApiError::missing(format!("the match has {steps} steps"));
    let last = last.map(|last| last.ok_or_else(missing)).transpose()?;
    let position = ReplayedState {
        step,
        steps,
        facts: last.map_or(&record.initial, |last| &last.state),
        joint: last.map(|last| &last.moves[..]),
    };
    let outcome = record.outcome.as_ref();
    let mut snapshot = snapshot(game, &record.roles, &position, outcome);
    snapshot.id.clone_from(&record.id);
    snapshot.players.clone_from(&record.players);
    let roles = record.roles.iter().zip(&record.players);
    let views = roles.map(|(role, player)| RolePlayerView {
        role: role.clone(),
        kind: kind(player),
        name: player.clone(),
    });
    snapshot.seats = views.collect();
    if !snapshot.terminal {
        // If the engine gives no answer, nobody is shown as choosing.
        snapshot.to_move = movers(manager, game, position.facts).unwrap_or_default();
        if step < steps || outcome.is_none() {
            snapshot.words = words(&snapshot);
        }
    }
    Ok(snapshot)
}

/// The kind of player that a name in a record denotes.
fn kind(player: &str) -> PlayerKind {
    match player.parse() {
        Ok(Participant::Local(_)) => PlayerKind::Player,
        Ok(Participant::Remote(_)) => PlayerKind::Remote,
        _ => PlayerKind::Person,
    }
}

/// The position after some joint moves. Draws, so it must run on a blocking thread.
pub(crate) fn position_after(
    manager: &GameManager,
    game: &LibraryGame,
    moves: &[Vec<String>],
) -> Result<Snapshot, ApiError> {
    let wrong = |error: &dyn std::fmt::Display| ApiError::wrong("position", error);
    let table = manager.engine(&game.sheet, Engine::PROVER);
    let table = table.map_err(|error| wrong(&error))?;
    let mut walker = table.walker().map_err(|error| wrong(&error))?;
    walker.set_deadline(Some(Instant::now() + ENGINE_TIMEOUT));
    for (step, joint) in moves.iter().enumerate() {
        let failed = |error: &dyn std::fmt::Display| {
            wrong(&format!("step {} cannot be played: {error}", step + 1))
        };
        let is_over = walker.is_terminal().map_err(|error| failed(&error))?;
        if is_over {
            return Err(failed(&"the game is over"));
        }
        walker.step(joint).map_err(|error| failed(&error))?;
    }
    let facts = walker.facts();
    let position = ReplayedState {
        step: moves.len() as u32,
        steps: moves.len() as u32,
        facts: &facts,
        joint: moves.last().map(|joint| &joint[..]),
    };
    let outcome = outcome(&mut *walker).map_err(|error| wrong(&error))?;
    let mut snapshot = snapshot(game, &game.roles, &position, outcome.as_ref());
    if outcome.is_none() {
        snapshot.to_move = roles_with_choice(&mut *walker).map_err(|error| wrong(&error))?;
        snapshot.words = words(&snapshot);
    }
    Ok(snapshot)
}

fn outcome(walker: &mut dyn GameWalker) -> Result<Option<Outcome>, ReasonError> {
    if !walker.is_terminal()? {
        return Ok(None);
    }
    let roles = 0..walker.roles().len();
    let goals: Result<Vec<_>, ReasonError> =
        roles.map(|role| Ok(walker.goal(role)?.value())).collect();
    Ok(Some(Outcome {
        completed: true,
        goals: goals?,
        forfeited: Vec::new(),
        reason: None,
    }))
}

fn movers(manager: &GameManager, game: &LibraryGame, facts: &[String]) -> Option<Vec<usize>> {
    let table = manager.engine(&game.sheet, Engine::PROVER).ok()?;
    let mut walker = table.walker().ok()?;
    walker.set_deadline(Some(Instant::now() + ENGINE_TIMEOUT));
    walker.go_to(facts).ok()?;
    roles_with_choice(&mut *walker).ok()
}

/// The roles with more than one legal move.
fn roles_with_choice(walker: &mut dyn GameWalker) -> Result<Vec<usize>, ReasonError> {
    let mut movers = Vec::new();
    for role in 0..walker.roles().len() {
        if walker.legal(role)?.len() > 1 {
            movers.push(role);
        }
    }
    Ok(movers)
}

fn words(snapshot: &Snapshot) -> String {
    StatusLine {
        roles: &snapshot.roles,
        to_move: &snapshot.to_move,
        you: None,
        goals: None,
        reason: None,
        is_now: false,
        is_finished: false,
    }
    .words()
}

fn snapshot(
    game: &LibraryGame,
    roles: &[String],
    position: &ReplayedState<'_>,
    outcome: Option<&Outcome>,
) -> Snapshot {
    let ReplayedState {
        step,
        steps,
        facts,
        joint,
    } = *position;
    let outcome = outcome.filter(|_| step == steps);
    let goals = outcome.map(|outcome| outcome.goals.clone());
    let drawing = game.drawing();
    let scene = drawing.map_or_else(RenderedState::default, |drawing| {
        let options = DrawOptions {
            last: joint.unwrap_or_default(),
            over: outcome.is_some(),
            ..DrawOptions::default()
        };
        drawing.draw(facts, &options)
    });
    let status = StatusLine {
        roles,
        to_move: &[],
        you: None,
        goals: goals.as_deref(),
        reason: outcome.and_then(|outcome| outcome.reason.as_deref()),
        is_now: true,
        is_finished: outcome.is_some(),
    };
    Snapshot {
        id: String::new(),
        game: game.name.clone(),
        title: game.title.clone(),
        step,
        steps,
        roles: roles.to_vec(),
        players: Vec::new(),
        seats: Vec::new(),
        to_move: Vec::new(),
        terminal: outcome.is_some_and(|outcome| outcome.completed),
        joint: joint.map(<[String]>::to_vec),
        waiting_for: Vec::new(),
        finished: outcome.is_some(),
        you: None,
        legal: Vec::new(),
        board: BoardView::from(&scene),
        words: status.words(),
        clocks: vec![None; roles.len()],
        goals,
    }
}
