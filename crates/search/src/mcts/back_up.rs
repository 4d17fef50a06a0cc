//! The way back: what came of playouts, added up in every node that they went through.

use std::sync::atomic::Ordering;

use ludorum_reasoner::{MoveId, PlayoutTotals, Role};

use super::batch::{Batch, End};
use super::bounds;
use super::node::{MOST, NONE, Node};
use super::settings::Settings;
use super::tree::Tree;

/// Takes what came of a batch back to the root: the tallies of its leaves, in the order of paths.
/// Gives how many playouts were made, those that would have told nothing new included.
pub(super) fn back_up<S: Clone + Eq>(
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
            End::Leaf(leaf) => {
                let Some(tally) = tallies.next().filter(|tally| tally.playouts > 0) else {
                    batch.undo(tree, *path);
                    continue;
                };
                sums.clear();
                sums.extend((0..tally.points.len()).map(|role| points(tally, role)));
                (batch.leaves[leaf as usize].id, true)
            }
            End::Solved(id) => {
                sums.clear();
                if let Some(node) = tree.arena.lock(id).node() {
                    let shares = node.shares.iter();
                    sums.extend(shares.map(|s| u64::from(s.low) * u64::from(times)));
                } else {
                    batch.undo(tree, *path);
                    continue;
                }
                (id, tree.table.is_used())
            }
            End::Closed(_) | End::Taken => continue,
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
            for (share, sum) in node.shares.iter_mut().zip(&sums) {
                share.points += sum;
            }
            // A node that several ways lead to may have been solved on another.
            is_news = is_new && (node.is_end || (node.ways > 1 && node.is_solved()));
            below = shared_means(node);
        }
        for step in steps.iter().rev() {
            if let Some(node) = tree.arena.lock(step.node).node_mut() {
                for (share, sum) in node.shares.iter_mut().zip(&sums) {
                    share.points += sum;
                }
                let known = below.take();
                below = shared_means(node);
                if let Some(body) = &mut node.body {
                    // There is a pick for each mover, in their order.
                    for (pick, mover) in batch.picks_of(*step).iter().zip(&body.movers) {
                        let arm = &mut body.arms[*pick as usize];
                        let role = mover.role as usize;
                        arm.points += sums[role];
                        arm.come_back(times);
                        if has_records {
                            moves.push((role, arm.id, sums[role]));
                        }
                    }
                    if let Some(amaf) = &body.amaf {
                        amaf.learn_moves(&moves, times);
                    }
                    if let (Some((visits, means)), [mover]) = (known, &*body.movers)
                        && let [pick] = batch.picks_of(*step)
                    {
                        body.arms[*pick as usize].believe(visits, means[mover.role as usize]);
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

/// The visits of a node that several ways lead to, and what each role got there on average.
fn shared_means<S>(node: &Node<S>) -> Option<(u64, Vec<f64>)> {
    let roles = 0..node.shares.len();
    (node.ways > 1).then(|| (node.visits, roles.map(|role| node.mean(role)).collect()))
}

/// The points of a role. A playout that gave it none counts as nothing for a role that plays alone,
/// and for others as neither won nor lost.
pub(crate) fn points(tally: &PlayoutTotals, role: usize) -> u64 {
    let missing = tally.playouts - tally.scored[role].min(tally.playouts);
    let neutral = if tally.points.len() == 1 {
        0
    } else {
        u64::from(MOST) / 2
    };
    tally.points[role] + missing * neutral
}
