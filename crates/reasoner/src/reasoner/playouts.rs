//! Random playouts through the basic queries. Every engine can play these.

use std::borrow::Borrow;

use super::Reasoner;
use crate::error::ReasonError;
use crate::ids::{MoveId, Role};
use crate::playout::{Playout, PlayoutEnd, PlayoutRecord, PlayoutTotals};
use crate::rng::Rng;

/// A uniformly random playout.
pub fn random_playout<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    rng: &mut Rng,
    limit: u32,
) -> Result<Playout, ReasonError> {
    step_by_step(reasoner, state, limit, |_, legal| {
        legal[rng.below(legal.len())]
    })
}

/// A uniformly random playout with its moves.
pub fn recorded_playout<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    rng: &mut Rng,
    limit: u32,
) -> Result<PlayoutRecord, ReasonError> {
    let roles = reasoner.roles().len().max(1);
    let mut moves = Vec::new();
    let playout = step_by_step(reasoner, state, limit, |_, legal| {
        let id = legal[rng.below(legal.len())];
        moves.push(id);
        id
    })?;
    // In a stuck state the roles before the one without a legal move have already chosen theirs.
    let moves = moves.chunks(roles).take(playout.steps as usize);
    Ok(PlayoutRecord {
        moves: moves.map(<[_]>::to_vec).collect(),
        playout,
    })
}

/// A playout in which `choose` picks one of the legal moves of a role. The list is never empty.
pub(super) fn step_by_step<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    limit: u32,
    mut choose: impl FnMut(Role, &mut Vec<MoveId>) -> MoveId,
) -> Result<Playout, ReasonError> {
    let roles = reasoner.roles().len();
    let mut state = state.clone();
    let mut legal: Vec<MoveId> = Vec::new();
    let mut joint: Vec<MoveId> = Vec::with_capacity(roles);
    let mut steps = 0;
    let end = 'game: loop {
        if reasoner.is_terminal(&state)? {
            break PlayoutEnd::Terminal;
        }
        if steps >= limit {
            break PlayoutEnd::Limit;
        }
        joint.clear();
        for role in 0..roles {
            reasoner.legal_moves(&state, role, &mut legal)?;
            if legal.is_empty() {
                break 'game PlayoutEnd::Stuck;
            }
            joint.push(choose(role, &mut legal));
        }
        state = reasoner.next(&state, &joint)?;
        steps += 1;
    };
    let goals = (0..roles)
        .map(|role| reasoner.goal(&state, role))
        .collect::<Result<_, _>>()?;
    Ok(Playout { goals, steps, end })
}

/// Checks the stop signal between the playouts of one call, except before the first. Many callers
/// ask for one playout at a time, and reading the clock before each would cost too much.
pub(super) fn check_between_playouts<R: Reasoner>(
    reasoner: &R,
    is_first: &mut bool,
) -> Result<(), ReasonError> {
    if !std::mem::take(is_first) && reasoner.is_stopped() {
        return Err(ReasonError::Stopped);
    }
    Ok(())
}

/// Recorded playouts from several states, one after the other.
pub fn recorded_playouts<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    starts: &[B],
    each: u32,
    rng: &mut Rng,
    limit: u32,
) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
    let mut is_first = true;
    let one = |start: &B| {
        let record = |_| {
            check_between_playouts(reasoner, &mut is_first)?;
            recorded_playout(reasoner, start.borrow(), rng, limit)
        };
        (0..each).map(record).collect()
    };
    starts.iter().map(one).collect()
}

/// Random playouts from several states, one after the other, summed up for each start.
pub fn playout_totals<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    starts: &[B],
    each: u32,
    rng: &mut Rng,
    limit: u32,
) -> Result<Vec<PlayoutTotals>, ReasonError> {
    let roles = reasoner.roles().len();
    let mut is_first = true;
    starts
        .iter()
        .map(|start| {
            let mut totals = PlayoutTotals::new(roles);
            for _ in 0..each {
                check_between_playouts(reasoner, &mut is_first)?;
                totals.add(&reasoner.playout(start.borrow(), rng, limit)?);
            }
            Ok(totals)
        })
        .collect()
}
