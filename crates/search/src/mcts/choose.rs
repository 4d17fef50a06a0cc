//! What a tree says about its root: the move to play, and the report.

use ludorum_reasoner::{MoveId, Rng, Role};
use rustc_hash::FxHashMap;

use super::node::{Arm, Body, MOST, NONE, NodeId};
use super::select;
use super::settings::Final;
use super::tree::Tree;
use ludorum_player::{MoveResult, SearchResult};

/// The longest line that is told.
const LONGEST_LINE: usize = 24;
/// Lines are told for so many moves,
const MOST_LINES: usize = 8;
/// each of them this long.
const MOVE_LINE: usize = 8;
/// Where several roles choose at the same time, moves with at least this share of the best one's
/// visits are mixed.
const MIXED: f64 = 0.5;
/// A secure move stays this far below its mean, with one visit.
const CAUTION: f64 = 1.0;

/// A move of the role at the root, over all trees.
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
    fn of(arm: &Arm) -> Self {
        Self {
            id: arm.id,
            visits: u64::from(arm.visits),
            points: arm.points,
            low: arm.low,
            high: arm.high,
        }
    }

    /// Takes in what another tree says about the move.
    fn add(&mut self, arm: &Arm) {
        self.visits += u64::from(arm.visits);
        self.points += arm.points;
        self.low = self.low.max(arm.low);
        self.high = self.high.min(arm.high);
    }

    /// What the role can expect, 0 to 100.
    fn value(&self) -> Option<f64> {
        if self.low == self.high {
            return Some(f64::from(self.low));
        }
        let mean = self.points as f64 / self.visits as f64;
        (self.visits > 0).then(|| mean.clamp(f64::from(self.low), f64::from(self.high)))
    }

    /// How good it is, for comparing.
    fn merit(&self, choice: Final) -> f64 {
        let value = self.value().unwrap_or(-1.0);
        match choice {
            Final::Robust => self.visits as f64,
            Final::Max => value,
            Final::Secure => value - CAUTION * f64::from(MOST) / (self.visits.max(1) as f64).sqrt(),
        }
    }
}

/// What the role at the root knows about its moves.
#[derive(Debug)]
pub(super) struct Verdict {
    candidates: Vec<Candidate>,
    /// Whether others choose at the same time.
    is_mixed: bool,
    /// Its move, if it has but one.
    fixed: Option<MoveId>,
    /// The most that it can get, as far as is proven.
    most: u8,
    choice: Final,
}

impl Verdict {
    /// Adds up what trees say about the moves of a role in their common root.
    pub(super) fn new<S: Clone + Eq>(trees: &[Tree<S>], role: Role, choice: Final) -> Self {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut is_mixed = false;
        let mut fixed = None;
        let mut most = MOST;
        for tree in trees {
            let root = tree.arena.lock(tree.root());
            if let Some(node) = root.node() {
                most = most.min(node.shares[role].high);
            }
            let Some(body) = root.node().and_then(|node| node.body.as_deref()) else {
                continue;
            };
            let Some(mover) = body.mover(role) else {
                fixed = body.fixed.get(role).copied();
                continue;
            };
            is_mixed = body.movers.len() > 1;
            let arms = &body.arms[mover.arms()];
            if candidates.is_empty() {
                // Mostly this is the only tree, and there may be thousands of moves.
                candidates.extend(arms.iter().map(Candidate::of));
                continue;
            }
            let known = candidates.iter().enumerate();
            let places: FxHashMap<MoveId, usize> = known.map(|(i, c)| (c.id, i)).collect();
            for arm in arms {
                match places.get(&arm.id) {
                    Some(place) => candidates[*place].add(arm),
                    None => candidates.push(Candidate::of(arm)),
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

    /// The moves that are not proven to be worse than another, the best first.
    fn sorted(&self) -> Vec<Candidate> {
        let bounds = self.candidates.iter().map(|c| (c.low, c.high));
        let best = bounds.max().unwrap_or((0, MOST));
        let low = best.0;
        let mut sorted = self.candidates.clone();
        let is_decided = self.is_decided();
        let key = |c: &Candidate| {
            // What is certain to be the best goes first, what is certain not to be goes last. Of
            // moves that are sure of the same, one that may bring more is better.
            let is_sure = is_decided && (c.low, c.high) == best;
            (is_sure, c.high >= low && (c.high > 0 || low == MOST))
        };
        sorted.sort_by(|a, b| {
            let merit = b.merit(self.choice).total_cmp(&a.merit(self.choice));
            let value = |c: &Candidate| c.value().unwrap_or(-1.0);
            let value = value(b).total_cmp(&value(a));
            key(b).cmp(&key(a)).then(merit).then(value)
        });
        sorted
    }

    /// Whether no move can be better than one that is known. Where there is no choice nothing is
    /// decided: thinking is for later moves.
    pub(super) fn is_decided(&self) -> bool {
        let Some(best) = self.candidates.iter().max_by_key(|c| (c.low, c.high)) else {
            return false;
        };
        let others = self.candidates.iter().filter(|c| c.id != best.id);
        !self.is_mixed && others.into_iter().all(|other| other.high <= best.low)
    }

    /// Whether nothing is known about any of several moves.
    fn is_guess(&self) -> bool {
        let is_known = |c: &Candidate| c.visits > 0 || (c.low, c.high) != (0, MOST);
        !self.candidates.is_empty() && !self.candidates.iter().any(is_known)
    }

    /// By how many visits the best move leads, if visits decide.
    pub(super) fn lead(&self) -> Option<u64> {
        if self.choice != Final::Robust || self.is_mixed {
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
        // Where a move is sure to bring all that can be had, there is nothing to mix.
        let sure = sorted.iter().max_by_key(|c| c.low);
        if let Some(sure) = sure.filter(|c| self.is_mixed && c.low >= self.most.max(1)) {
            return Some(sure.id);
        }
        if !self.is_mixed {
            return Some(best.id);
        }
        // A fixed choice could be exploited where others choose at the same time: the visits are
        // the mixture that the roles have settled on.
        let least = (best.visits as f64 * MIXED).ceil() as u64;
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

    /// All that is to be told.
    pub(super) fn thought<S: Clone + Eq>(
        &self,
        trees: &[Tree<S>],
        rng: &mut Rng,
    ) -> Option<SearchResult> {
        let choice = self.choose(rng)?;
        let first = trees.first()?;
        let sorted = self.sorted().into_iter().enumerate();
        let moves = sorted.map(|(place, c)| {
            let child = if place < MOST_LINES && !self.is_mixed {
                child(first, c.id)
            } else {
                NONE
            };
            MoveResult {
                id: c.id,
                visits: c.visits,
                value: c.value(),
                bounds: ((c.low, c.high) != (0, MOST)).then_some((c.low, c.high)),
                values: values(first, child),
                line: line(first, child, None, MOVE_LINE),
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
            line: line(first, first.root(), Some(choice), LONGEST_LINE),
            proven: self.is_decided(),
            strategies: Vec::new(),
        })
    }
}

/// Where a move leads from the root, if one role alone has a choice there.
fn child<S: Clone + Eq>(tree: &Tree<S>, id: MoveId) -> NodeId {
    let root = tree.arena.lock(tree.root());
    let body = root.node().and_then(|node| node.body.as_deref());
    let arms = body.filter(|body| body.movers.len() == 1);
    let mut arms = arms.into_iter().flat_map(|body| &body.arms);
    arms.find(|arm| arm.id == id).map_or(NONE, |arm| arm.child)
}

/// What each role got in a node.
fn values<S: Clone + Eq>(tree: &Tree<S>, id: NodeId) -> Vec<f64> {
    if id == NONE {
        return Vec::new();
    }
    let slot = tree.arena.lock(id);
    let Some(node) = slot.node() else {
        return Vec::new();
    };
    (0..node.shares.len()).map(|role| node.mean(role)).collect()
}

/// What is likely to be played from a node: the most visited moves, after the choice that was made
/// where one role chooses alone.
fn line<S: Clone + Eq>(
    tree: &Tree<S>,
    mut id: NodeId,
    mut choice: Option<MoveId>,
    longest: usize,
) -> Vec<Vec<MoveId>> {
    let mut line = Vec::new();
    while id != NONE && line.len() < longest {
        let slot = tree.arena.lock(id);
        let Some(body) = slot.node().and_then(|node| node.body.as_deref()) else {
            break;
        };
        if !is_tried(body) {
            break;
        }
        let mut picks = select::most_visited(body);
        let chosen = choice.take().filter(|_| picks.len() == 1);
        let place = chosen.and_then(|id| body.arms.iter().position(|arm| arm.id == id));
        if let Some(place) = place {
            picks[0] = place as u32;
        }
        line.push(body.joint_move(&picks).into_vec());
        id = body.child(&picks);
    }
    line
}

fn is_tried(body: &Body) -> bool {
    body.movers.is_empty() || body.arms.iter().any(|arm| arm.visits > 0)
}
