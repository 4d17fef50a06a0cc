//! UCB1 selection of edges in an expanded node (UCT, Kocsis and Szepesvári 2006).

use ludorum_reasoner::{MoveId, Role};

use super::amaf::{self, Record, Records};
use super::node::{ChildEdge, Expansion, MAX_GOAL, Node};
use super::settings::Settings;

/// Selects an edge for every mover of a node, appends their indices to `picks`, and adds `times`
/// pending visits. `only` is a move that its role has already made; `records` are the AMAF
/// statistics of the node's reference.
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
    let Some(expansion) = &mut node.expansion else {
        return;
    };
    let alone = expansion.movers.len() == 1;
    for mover in 0..expansion.movers.len() {
        let mover = expansion.movers[mover];
        let edges = &expansion.edges[mover.edges()];
        let edges = &edges[..width(edges.len(), visits, settings)];
        let made = only.filter(|(role, _)| *role == mover.role as usize);
        let made = made.and_then(|(_, id)| {
            let all = &expansion.edges[mover.edges()];
            all.iter().position(|edge| edge.id == id)
        });
        let records = records.and_then(|records| records.get(mover.role as usize));
        let records = records.map_or(&[][..], Vec::as_slice);
        let place = made.unwrap_or_else(|| best(edges, visits, settings, records, alone));
        let pick = mover.first as usize + place;
        let edge = &mut expansion.edges[pick];
        edge.add_pending(times);
        picks.push(pick as u32);
    }
}

/// Removes the pending visits that [`select`] added.
pub(super) fn undo<S>(node: &mut Node<S>, times: u32, picks: &[u32]) {
    node.visits = node.visits.saturating_sub(u64::from(times));
    if let Some(expansion) = &mut node.expansion {
        for pick in picks {
            let edge = &mut expansion.edges[*pick as usize];
            edge.cancel_pending(times);
        }
    }
}

/// Progressive widening (Chaslot et al. 2008b): how many of the moves are considered. All of them,
/// up to `widen`; of more moves, another one with the square root of the visits.
#[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // an estimate of a positive number
fn width(count: usize, visits: u64, settings: &Settings) -> usize {
    if count <= settings.widen {
        return count;
    }
    let more = (visits as f64).sqrt() as usize;
    count.min(settings.widen + more)
}

/// The edge with the highest upper confidence bound: UCB1 (Auer et al. 2002; Świechowski 2015,
/// equation 2.1). If the role chooses alone, moves that are proven to be no better than another are
/// skipped.
#[allow(clippy::cast_precision_loss)] // counts far below 2^52
fn best(
    edges: &[ChildEdge],
    visits: u64,
    settings: &Settings,
    records: &[Record],
    alone: bool,
) -> usize {
    let log = (visits.max(1) as f64).ln();
    let is_proven = edges
        .iter()
        .fold(false, |any, edge| any | edge.is_bounded());
    if is_proven || settings.grave.is_some() {
        return best_of_known(edges, log, settings, records, alone);
    }
    let most = f64::from(MAX_GOAL);
    let untried = settings.fpu * most;
    // If first-play urgency exceeds every upper confidence bound, the first untried edge is
    // selected without computing the others.
    if settings.fpu >= 1.0 + settings.c * log.sqrt()
        && let Some(place) = edges.iter().position(|edge| edge.visits == 0)
    {
        return place;
    }
    // The hot loop of the search: a square root and two divisions for each edge.
    let reach = settings.c * settings.c * most * most * log;
    let mut best = 0;
    let mut best_score = f64::NEG_INFINITY;
    for (place, edge) in edges.iter().enumerate() {
        let visits = f64::from(edge.visits);
        let score = if edge.visits == 0 {
            untried
        } else {
            edge.points as f64 / edge.effective_visits(settings.loss) + (reach / visits).sqrt()
        };
        if score > best_score {
            best = place;
            best_score = score;
        }
    }
    best
}

/// UCB1 selection with proven bounds or AMAF values.
fn best_of_known(
    edges: &[ChildEdge],
    log: f64,
    settings: &Settings,
    records: &[Record],
    alone: bool,
) -> usize {
    // The edge with the best proven bounds; an edge whose upper bound is no higher than its lower
    // bound is skipped.
    let sure = edges.iter().enumerate();
    let sure = sure.max_by_key(|(place, edge)| (edge.low, edge.high, usize::MAX - place));
    let (sure, low) = match sure {
        Some((place, edge)) if alone => (place, edge.low),
        _ => (0, 0),
    };
    let mut best = sure;
    let mut best_score = f64::NEG_INFINITY;
    for (place, edge) in edges.iter().enumerate() {
        if alone && edge.high <= low && place != sure {
            continue;
        }
        let own = value(edge, settings.loss);
        let value = match settings.grave {
            Some(grave) if edge.low < edge.high => amaf::value(edge, own, records, grave),
            _ => (edge.visits > 0).then_some(own),
        };
        let score = value.map_or(settings.fpu, |value| {
            value + settings.c * (log / f64::from(edge.visits.max(1))).sqrt()
        });
        if score > best_score {
            best = place;
            best_score = score;
        }
    }
    best
}

/// The value of an edge for its role, 0 to 1, with virtual loss.
#[allow(clippy::cast_precision_loss)] // counts far below 2^52
fn value(edge: &ChildEdge, loss: f64) -> f64 {
    let most = f64::from(MAX_GOAL);
    if edge.low == edge.high {
        return f64::from(edge.low) / most;
    }
    let mean = edge.points as f64 / (most * edge.effective_visits(loss).max(1.0));
    mean.clamp(f64::from(edge.low) / most, f64::from(edge.high) / most)
}

/// The most visited edge of each mover (robust child, Chaslot et al. 2008b).
pub(super) fn most_visited(expansion: &Expansion) -> Vec<u32> {
    let movers = expansion.movers.iter();
    let pick = |mover: &super::node::Mover| {
        let edges = mover.edges();
        let best = edges.max_by_key(|place| {
            let edge = &expansion.edges[*place];
            // A proven win is preferred even if it was found late, a proven loss is avoided.
            (edge.low, edge.high > 0, edge.visits)
        });
        best.unwrap_or(0) as u32
    };
    movers.map(pick).collect()
}
