//! Playouts under a policy, through the basic queries. Every engine can play these.

use std::borrow::Borrow;

use super::Reasoner;
use super::playouts::{check_between_playouts, step_by_step};
use crate::error::ReasonError;
use crate::ids::{MoveId, Role};
use crate::playout::{
    GuidedRequest, GuidedResult, MoveHistory, MovePair, Playout, PlayoutEnd, PlayoutPolicy,
    PlayoutTotals,
};
use crate::rng::Rng;

/// A move and the role that makes it.
type RoleMove = (Role, MoveId);

/// A playout under an epsilon-greedy policy. What was played is added to `history`.
pub fn guided_playout<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    policy: &PlayoutPolicy,
    history: &mut MoveHistory,
    rng: &mut Rng,
    limit: u32,
) -> Result<Playout, ReasonError> {
    // The moves played, each with the move before it.
    let mut played: Vec<(RoleMove, Option<RoleMove>)> = Vec::new();
    let (mut before, mut latest) = (None, None);
    let playout = step_by_step(reasoner, state, limit, |role, legal| {
        if role == 0 {
            before = latest.or(before);
            latest = None;
        }
        let is_choice = legal.len() > 1;
        if rng.next_f64() >= policy.epsilon_of(role) {
            let score = |id: &MoveId| policy.score_after(before, role, *id);
            let best = legal.iter().map(score).max_by(f32::total_cmp);
            let best = best.unwrap_or_default();
            // `total_cmp` also orders NaN, so at least one move is kept.
            legal.retain(|id| score(id).total_cmp(&best).is_ge());
        }
        let id = legal[rng.below(legal.len())];
        played.push(((role, id), before));
        if is_choice && latest.is_none() {
            latest = Some((role, id));
        }
        id
    })?;
    if playout.end == PlayoutEnd::Stuck {
        // Drop the last joint move: some roles have chosen, but it was never made.
        played.truncate(playout.steps as usize * playout.goals.len());
    }
    played.sort_unstable();
    played.dedup();
    let mut last = None;
    for ((role, id), before) in played {
        let Some(value) = playout.goals[role].value() else {
            continue;
        };
        if last.replace((role, id)) != Some((role, id)) {
            history.add(role, id, 1, u64::from(value));
        }
        if let (Some(before), Some(_)) = (before, &policy.pairs) {
            let totals = history
                .pairs
                .entry(MovePair { before, role, id })
                .or_default();
            totals.playouts += 1;
            totals.points += u64::from(value);
        }
    }
    Ok(playout)
}

/// Guided playouts from several states, one after the other.
pub fn guided_playouts<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    request: &GuidedRequest<'_, B>,
    rng: &mut Rng,
) -> Result<GuidedResult, ReasonError> {
    let roles = reasoner.roles().len();
    let mut histories = request.histories(roles);
    let mut totals = Vec::with_capacity(request.starts.len());
    let mut is_first = true;
    for (i, start) in request.starts.iter().enumerate() {
        let history = &mut histories[request.group(i)];
        let mut sum = PlayoutTotals::new(roles);
        for _ in 0..request.each {
            check_between_playouts(reasoner, &mut is_first)?;
            let GuidedRequest { policy, limit, .. } = *request;
            sum.add(&guided_playout(
                reasoner,
                start.borrow(),
                policy,
                history,
                rng,
                limit,
            )?);
        }
        totals.push(sum);
    }
    Ok(GuidedResult { totals, histories })
}
