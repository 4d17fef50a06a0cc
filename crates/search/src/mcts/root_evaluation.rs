//! Final move selection and the report, from the statistics at the root.

use ludorum_reasoner::{MoveId, Rng, Role};
use rustc_hash::FxHashMap;

use super::node::{ChildEdge, Expansion, MAX_GOAL, NONE, NodeId};
use super::select;
use super::settings::FinalMoveRule;
use super::tree::Tree;
use ludorum_player::{MoveResult, SearchResult};

/// The maximum length of the principal variation.
const MAX_LINE: usize = 24;
/// The number of moves that are reported with a line.
const MAX_LINES: usize = 8;
/// The maximum length of such a line.
const MAX_MOVE_LINE: usize = 8;
/// With simultaneous moves, moves with at least this fraction of the best move's visits are mixed.
const MIN_MIXED_SHARE: f64 = 0.5;
/// The distance of a secure child's lower confidence bound from its mean, at one visit.
const SECURE_MARGIN: f64 = 1.0;

/// A move of the role at the root, added up over all trees.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    id: MoveId,
    visits: u64,
    points: u64,
    low: u8,
    high: u8,
}

#[allow(clippy::cast_precision_loss)] // counts far below 2^52
impl Candidate {
    fn of(edge: &ChildEdge) -> Self {
        Self {
            id: edge.id,
            visits: u64::from(edge.visits),
            points: edge.points,
            low: edge.low,
            high: edge.high,
        }
    }

    /// Adds the statistics of another tree.
    fn add(&mut self, edge: &ChildEdge) {
        self.visits += u64::from(edge.visits);
        self.points += edge.points;
        self.low = self.low.max(edge.low);
        self.high = self.high.min(edge.high);
    }

    /// The expected goal of the role, 0 to 100.
    fn value(&self) -> Option<f64> {
        if self.low == self.high {
            return Some(f64::from(self.low));
        }
        let mean = self.points as f64 / self.visits as f64;
        (self.visits > 0).then(|| mean.clamp(f64::from(self.low), f64::from(self.high)))
    }

    /// The criterion of final move selection (robust, max and secure child, Chaslot et al. 2008b).
    fn criterion_value(&self, choice: FinalMoveRule) -> f64 {
        let value = self.value().unwrap_or(-1.0);
        match choice {
            FinalMoveRule::Robust => self.visits as f64,
            FinalMoveRule::Max => value,
            FinalMoveRule::Secure => {
                value - SECURE_MARGIN * f64::from(MAX_GOAL) / (self.visits.max(1) as f64).sqrt()
            }
        }
    }
}

/// The moves of a role at the root.
#[derive(Debug)]
pub(super) struct RootEvaluation {
    candidates: Vec<Candidate>,
    /// Whether other roles choose at the same time.
    is_mixed: bool,
    /// The move of the role, if it has but one.
    fixed: Option<MoveId>,
    /// The proven upper bound of the role's goal.
    most: u8,
    choice: FinalMoveRule,
}

impl RootEvaluation {
    /// Adds up the statistics of a role's moves over all trees.
    pub(super) fn new<S: Clone + Eq>(trees: &[Tree<S>], role: Role, choice: FinalMoveRule) -> Self {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut is_mixed = false;
        let mut fixed = None;
        let mut most = MAX_GOAL;
        for tree in trees {
            let root = tree.arena.lock(tree.root());
            if let Some(node) = root.node() {
                most = most.min(node.stats[role].high);
            }
            let Some(expansion) = root.node().and_then(|node| node.expansion.as_deref()) else {
                continue;
            };
            let Some(mover) = expansion.mover(role) else {
                fixed = expansion.fixed.get(role).copied();
                continue;
            };
            is_mixed = expansion.movers.len() > 1;
            let edges = &expansion.edges[mover.edges()];
            if candidates.is_empty() {
                // There is usually one tree, with up to thousands of moves.
                candidates.extend(edges.iter().map(Candidate::of));
                continue;
            }
            let known = candidates.iter().enumerate();
            let places: FxHashMap<MoveId, usize> = known.map(|(i, c)| (c.id, i)).collect();
            for edge in edges {
                match places.get(&edge.id) {
                    Some(place) => candidates[*place].add(edge),
                    None => candidates.push(Candidate::of(edge)),
                }
            }
        }
        Self {
            candidates,
            is_mixed,
            fixed,
            most,
            choice,
        }
    }

    /// The moves, the best first.
    fn sorted(&self) -> Vec<Candidate> {
        let bounds = self.candidates.iter().map(|c| (c.low, c.high));
        let best = bounds.max().unwrap_or((0, MAX_GOAL));
        let low = best.0;
        let mut sorted = self.candidates.clone();
        let is_decided = self.is_decided();
        let key = |c: &Candidate| {
            // A proven best move comes first, proven worse moves come last. Among moves with the
            // same lower bound the one with the higher upper bound is better.
            let is_sure = is_decided && (c.low, c.high) == best;
            (is_sure, c.high >= low && (c.high > 0 || low == MAX_GOAL))
        };
        sorted.sort_by(|a, b| {
            let criterion_value = b
                .criterion_value(self.choice)
                .total_cmp(&a.criterion_value(self.choice));
            let value = |c: &Candidate| c.value().unwrap_or(-1.0);
            let value = value(b).total_cmp(&value(a));
            key(b).cmp(&key(a)).then(criterion_value).then(value)
        });
        sorted
    }

    /// Whether no move can be better than the best one. If the role has no choice nothing is
    /// decided: the search prepares later moves.
    pub(super) fn is_decided(&self) -> bool {
        let Some(best) = self.candidates.iter().max_by_key(|c| (c.low, c.high)) else {
            return false;
        };
        let others = self.candidates.iter().filter(|c| c.id != best.id);
        !self.is_mixed && others.into_iter().all(|other| other.high <= best.low)
    }

    /// Whether there are several moves and nothing is known about any.
    fn is_guess(&self) -> bool {
        let is_known = |c: &Candidate| c.visits > 0 || (c.low, c.high) != (0, MAX_GOAL);
        !self.candidates.is_empty() && !self.candidates.iter().any(is_known)
    }

    /// The visits by which the most visited move leads, if visits decide.
    pub(super) fn lead(&self) -> Option<u64> {
        if self.choice != FinalMoveRule::Robust || self.is_mixed {
            return None;
        }
        match self.sorted()[..] {
            [first, second, ..] => first.visits.checked_sub(second.visits),
            _ => None,
        }
    }

    /// The move to play.
    #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // counts far below 2^52
    pub(super) fn choose(&self, rng: &mut Rng) -> Option<MoveId> {
        let sorted = self.sorted();
        let Some(best) = sorted.first() else {
            return self.fixed;
        };
        // A move that guarantees the maximum is not mixed.
        let sure = sorted.iter().max_by_key(|c| c.low);
        if let Some(sure) = sure.filter(|c| self.is_mixed && c.low >= self.most.max(1)) {
            return Some(sure.id);
        }
        if !self.is_mixed {
            return Some(best.id);
        }
        // Against simultaneous moves a deterministic choice could be exploited; the distribution of
        // visits is the mixed strategy of decoupled UCT.
        let least = (best.visits as f64 * MIN_MIXED_SHARE).ceil() as u64;
        let good: Vec<&Candidate> = sorted.iter().filter(|c| c.visits >= least).collect();
        let all: u64 = good.iter().map(|c| c.visits).sum();
        let mut rest = rng.below(usize::try_from(all).unwrap_or(usize::MAX)) as u64;
        for candidate in good {
            if rest < candidate.visits {
                return Some(candidate.id);
            }
            rest -= candidate.visits;
        }
        Some(best.id)
    }

    /// The search result.
    pub(super) fn search_result<S: Clone + Eq>(
        &self,
        trees: &[Tree<S>],
        rng: &mut Rng,
    ) -> Option<SearchResult> {
        let choice = self.choose(rng)?;
        let first = trees.first()?;
        let sorted = self.sorted().into_iter().enumerate();
        let moves = sorted.map(|(place, c)| {
            let child = if place < MAX_LINES && !self.is_mixed {
                child(first, c.id)
            } else {
                NONE
            };
            MoveResult {
                id: c.id,
                visits: c.visits,
                value: c.value(),
                bounds: ((c.low, c.high) != (0, MAX_GOAL)).then_some((c.low, c.high)),
                values: values(first, child),
                line: line(first, child, None, MAX_MOVE_LINE),
            }
        });
        let moves = moves.collect();
        let is_guess = self.is_guess();
        let sum = |of: fn(&Tree<S>) -> u64| trees.iter().map(of).sum::<u64>();
        Some(SearchResult {
            choice,
            simulations: sum(|tree| tree.playouts.load(std::sync::atomic::Ordering::Acquire)),
            is_guess,
            depth: trees
                .iter()
                .map(|tree| tree.depth.load(std::sync::atomic::Ordering::Acquire))
                .max()
                .unwrap_or(0),
            nodes: sum(|tree| tree.arena.nodes() as u64),
            bytes: sum(|tree| tree.arena.bytes() as u64),
            moves,
            values: if is_guess {
                Vec::new()
            } else {
                values(first, first.root())
            },
            line: line(first, first.root(), Some(choice), MAX_LINE),
            proven: self.is_decided(),
            strategies: Vec::new(),
        })
    }
}

/// The child of a move at the root, if one role alone has a choice there.
fn child<S: Clone + Eq>(tree: &Tree<S>, id: MoveId) -> NodeId {
    let root = tree.arena.lock(tree.root());
    let expansion = root.node().and_then(|node| node.expansion.as_deref());
    let edges = expansion.filter(|expansion| expansion.movers.len() == 1);
    let mut edges = edges.into_iter().flat_map(|expansion| &expansion.edges);
    edges
        .find(|edge| edge.id == id)
        .map_or(NONE, |edge| edge.child)
}

/// The mean goal of each role in a node.
fn values<S: Clone + Eq>(tree: &Tree<S>, id: NodeId) -> Vec<f64> {
    if id == NONE {
        return Vec::new();
    }
    let slot = tree.arena.lock(id);
    let Some(node) = slot.node() else {
        return Vec::new();
    };
    (0..node.stats.len()).map(|role| node.mean(role)).collect()
}

/// The principal variation from a node: the most visited moves, beginning with the choice if it is
/// given and one role alone has a choice.
fn line<S: Clone + Eq>(
    tree: &Tree<S>,
    mut id: NodeId,
    mut choice: Option<MoveId>,
    longest: usize,
) -> Vec<Vec<MoveId>> {
    let mut line = Vec::new();
    while id != NONE && line.len() < longest {
        let slot = tree.arena.lock(id);
        let Some(expansion) = slot.node().and_then(|node| node.expansion.as_deref()) else {
            break;
        };
        if !is_tried(expansion) {
            break;
        }
        let mut picks = select::most_visited(expansion);
        let chosen = choice.take().filter(|_| picks.len() == 1);
        let place = chosen.and_then(|id| expansion.edges.iter().position(|edge| edge.id == id));
        if let Some(place) = place {
            picks[0] = place as u32;
        }
        line.push(expansion.joint_move(&picks).into_vec());
        id = expansion.child(&picks);
    }
    line
}

fn is_tried(expansion: &Expansion) -> bool {
    expansion.movers.is_empty() || expansion.edges.iter().any(|edge| edge.visits > 0)
}
