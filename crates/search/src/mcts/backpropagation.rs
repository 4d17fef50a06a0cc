//! Backpropagation: the results of playouts are added to all nodes on their paths.

use std::sync::atomic::Ordering;

use ludorum_reasoner::{MoveId, PlayoutTotals, Role};

use super::batch::{Batch, PathEnd};
use super::bounds;
use super::node::{MAX_GOAL, NONE, Node};
use super::settings::Settings;
use super::tree::Tree;

/// Backpropagates the results of a batch: the totals of its leaves, in the order of paths. Gives
/// the number of simulations, visits of solved nodes included.
pub(super) fn backpropagate<S: Clone + Eq>(
    batch: &Batch<S>,
    tree: &Tree<S>,
    tallies: &[PlayoutTotals],
    settings: &Settings,
) -> u64 {
    let has_records = settings.grave.is_some();
    let mut moves: Vec<(Role, MoveId, u64)> = Vec::new();
    let mut tallies = tallies.iter();
    let mut playouts = 0;
    let mut sums: Vec<u64> = Vec::new();
    let times = batch.times;
    let mut depth = 0;
    for path in &batch.paths {
        let (id, is_new) = match path.end {
            PathEnd::Leaf(leaf) => {
                let Some(tally) = tallies.next().filter(|tally| tally.playouts > 0) else {
                    batch.undo(tree, *path);
                    continue;
                };
                sums.clear();
                sums.extend((0..tally.points.len()).map(|role| points(tally, role)));
                (batch.leaves[leaf as usize].id, true)
            }
            PathEnd::Solved(id) => {
                sums.clear();
                if let Some(node) = tree.arena.lock(id).node() {
                    let stats = node.stats.iter();
                    sums.extend(stats.map(|s| u64::from(s.low) * u64::from(times)));
                } else {
                    batch.undo(tree, *path);
                    continue;
                }
                (id, tree.transpositions.is_used())
            }
            PathEnd::Unexpanded(_) | PathEnd::Busy => continue,
        };
        playouts += u64::from(times);
        let steps = batch.steps_of(*path);
        depth = depth.max(steps.len() as u32);
        let mut is_news = false;
        let mut below = None;
        moves.clear();
        if id != NONE
            && let Some(node) = tree.arena.lock(id).node_mut()
        {
            node.visits += u64::from(times);
            for (stat, sum) in node.stats.iter_mut().zip(&sums) {
                stat.points += sum;
            }
            // A node with several parents may have been solved through another one.
            is_news = is_new && (node.is_end || (node.parents > 1 && node.is_solved()));
            below = shared_means(node);
        }
        for step in steps.iter().rev() {
            if let Some(node) = tree.arena.lock(step.node).node_mut() {
                for (stat, sum) in node.stats.iter_mut().zip(&sums) {
                    stat.points += sum;
                }
                let known = below.take();
                below = shared_means(node);
                if let Some(expansion) = &mut node.expansion {
                    // Movers and picks are in the same order.
                    for (pick, mover) in batch.picks_of(*step).iter().zip(&expansion.movers) {
                        let edge = &mut expansion.edges[*pick as usize];
                        let role = mover.role as usize;
                        edge.points += sums[role];
                        edge.complete_pending(times);
                        if has_records {
                            moves.push((role, edge.id, sums[role]));
                        }
                    }
                    if let Some(amaf) = &expansion.amaf {
                        amaf.learn_moves(&moves, times);
                    }
                    if let (Some((visits, means)), [mover]) = (known, &*expansion.movers)
                        && let [pick] = batch.picks_of(*step)
                    {
                        expansion.edges[*pick as usize]
                            .adopt_mean(visits, means[mover.role as usize]);
                    }
                }
            }
            if is_news && settings.solver {
                is_news = bounds::tighten(&tree.arena, step.node);
            }
        }
    }
    tree.depth.fetch_max(depth, Ordering::AcqRel);
    playouts
}

/// The visits and the mean goals of a node with several parents.
fn shared_means<S>(node: &Node<S>) -> Option<(u64, Vec<f64>)> {
    let roles = 0..node.stats.len();
    (node.parents > 1).then(|| (node.visits, roles.map(|role| node.mean(role)).collect()))
}

/// The points of a role. A playout without a goal for the role counts as 0 in a game of one role,
/// and as 50 in other games.
pub(crate) fn points(tally: &PlayoutTotals, role: usize) -> u64 {
    let missing = tally.playouts - tally.scored[role].min(tally.playouts);
    let neutral = if tally.points.len() == 1 {
        0
    } else {
        u64::from(MAX_GOAL) / 2
    };
    tally.points[role] + missing * neutral
}
