//! Which way to go in an open node.

use ludorum_reasoner::{MoveId, Role};

use super::amaf::{self, Record, Records};
use super::node::{Arm, Body, MOST, Node};
use super::settings::Settings;

/// Chooses an arm for every mover of a node, puts their places into `picks`, and counts so many
/// playouts in. `only` is a move that its role has already made; `records` is what was played below
/// the node's reference.
pub(super) fn select<S>(
    node: &mut Node<S>,
    settings: &Settings,
    times: u32,
    only: Option<(Role, MoveId)>,
    records: Option<&Records>,
    picks: &mut Vec<u32>,
) {
    let visits = node.visits;
    node.visits += u64::from(times);
    let Some(body) = &mut node.body else {
        return;
    };
    let alone = body.movers.len() == 1;
    for mover in 0..body.movers.len() {
        let mover = body.movers[mover];
        let arms = &body.arms[mover.arms()];
        let arms = &arms[..width(arms.len(), visits, settings)];
        let made = only.filter(|(role, _)| *role == mover.role as usize);
        let made = made.and_then(|(_, id)| {
            let all = &body.arms[mover.arms()];
            all.iter().position(|arm| arm.id == id)
        });
        let records = records.and_then(|records| records.get(mover.role as usize));
        let records = records.map_or(&[][..], Vec::as_slice);
        let place = made.unwrap_or_else(|| best(arms, visits, settings, records, alone));
        let pick = mover.first as usize + place;
        let arm = &mut body.arms[pick];
        arm.set_out(times);
        picks.push(pick as u32);
    }
}

/// Takes back what [`select`] counted in.
pub(super) fn undo<S>(node: &mut Node<S>, times: u32, picks: &[u32]) {
    node.visits = node.visits.saturating_sub(u64::from(times));
    if let Some(body) = &mut node.body {
        for pick in picks {
            let arm = &mut body.arms[*pick as usize];
            arm.take_back(times);
        }
    }
}

/// How many of the moves are considered: all, unless there are very many (progressive widening).
#[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // an estimate of a positive number
fn width(count: usize, visits: u64, settings: &Settings) -> usize {
    if count <= settings.widen {
        return count;
    }
    let more = (visits as f64).sqrt() as usize;
    count.min(settings.widen + more)
}

/// The arm with the highest upper confidence bound (Equation 2.1 of the thesis). Of a role that
/// chooses alone, moves that are proven to be worse than another are passed over.
#[allow(clippy::cast_precision_loss)] // counts far below 2^52
fn best(arms: &[Arm], visits: u64, settings: &Settings, records: &[Record], alone: bool) -> usize {
    let log = (visits.max(1) as f64).ln();
    let is_proven = arms.iter().fold(false, |any, arm| any | arm.is_bounded());
    if is_proven || settings.grave.is_some() {
        return best_of_known(arms, log, settings, records, alone);
    }
    let most = f64::from(MOST);
    let untried = settings.fpu * most;
    // No move that was tried is worth as much as one that was not: the first of those, without a
    // look at the others.
    if settings.fpu >= 1.0 + settings.c * log.sqrt()
        && let Some(place) = arms.iter().position(|arm| arm.visits == 0)
    {
        return place;
    }
    // Here the time of the search goes: one root and two divisions for each move.
    let reach = settings.c * settings.c * most * most * log;
    let mut best = 0;
    let mut best_score = f64::NEG_INFINITY;
    for (place, arm) in arms.iter().enumerate() {
        let visits = f64::from(arm.visits);
        let score = if arm.visits == 0 {
            untried
        } else {
            arm.points as f64 / arm.shared_by(settings.loss) + (reach / visits).sqrt()
        };
        if score > best_score {
            best = place;
            best_score = score;
        }
    }
    best
}

/// The same where something is proven, or known from elsewhere.
fn best_of_known(
    arms: &[Arm],
    log: f64,
    settings: &Settings,
    records: &[Record],
    alone: bool,
) -> usize {
    // The arm that promises most for certain; whatever cannot be better is no alternative to it.
    let sure = arms.iter().enumerate();
    let sure = sure.max_by_key(|(place, arm)| (arm.low, arm.high, usize::MAX - place));
    let (sure, low) = match sure {
        Some((place, arm)) if alone => (place, arm.low),
        _ => (0, 0),
    };
    let mut best = sure;
    let mut best_score = f64::NEG_INFINITY;
    for (place, arm) in arms.iter().enumerate() {
        if alone && arm.high <= low && place != sure {
            continue;
        }
        let own = value(arm, settings.loss);
        let value = match settings.grave {
            Some(grave) if arm.low < arm.high => amaf::value(arm, own, records, grave),
            _ => (arm.visits > 0).then_some(own),
        };
        let score = value.map_or(settings.fpu, |value| {
            value + settings.c * (log / f64::from(arm.visits.max(1))).sqrt()
        });
        if score > best_score {
            best = place;
            best_score = score;
        }
    }
    best
}

/// What a role can expect of a move, 0 to 1.
#[allow(clippy::cast_precision_loss)] // counts far below 2^52
fn value(arm: &Arm, loss: f64) -> f64 {
    let most = f64::from(MOST);
    if arm.low == arm.high {
        return f64::from(arm.low) / most;
    }
    let mean = arm.points as f64 / (most * arm.shared_by(loss).max(1.0));
    mean.clamp(f64::from(arm.low) / most, f64::from(arm.high) / most)
}

/// The most visited arm of each mover.
pub(super) fn most_visited(body: &Body) -> Vec<u32> {
    let movers = body.movers.iter();
    let pick = |mover: &super::node::Mover| {
        let arms = mover.arms();
        let best = arms.max_by_key(|place| {
            let arm = &body.arms[*place];
            // A proven win is played even if it was found late, a proven loss is not.
            (arm.low, arm.high > 0, arm.visits)
        });
        best.unwrap_or(0) as u32
    };
    movers.map(pick).collect()
}
