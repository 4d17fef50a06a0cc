//! Proven bounds of each role's goal: score-bounded MCTS (Cazenave and Saffidine 2011). MCTS-Solver
//! (Winands et al. 2008) is the special case of wins and losses.
//!
//! Terminal nodes have their goals for bounds, which are propagated upwards:
//! - One role has a choice: it gets the best of its moves. It plays a move whose lower bound is the
//!   highest, or one that may be better, and the other roles' goals are bounded by those moves. No
//!   tie-breaking among equal moves is assumed.
//! - Several roles have a choice: the lower bound of each is the best of its moves against all
//!   joint replies, its upper bound the highest goal of any joint move. This is sound but weak: a
//!   mixed strategy may guarantee more. A role with a move that guarantees the maximum plays it.
//!
//! The goals of other roles are not used. That goals have a constant sum is known only after the
//! whole game is searched: a search that assumed it after the first playouts would miss the one
//! line in which two cooperating roles both win.

use super::arena::Arena;
use super::node::{Expansion, MAX_GOAL, Mover, NONE, Node, NodeId};

/// The maximum number of joint moves of a node with several movers.
const MAX_JOINT_MOVES: usize = 256;

/// The bounds of a missing child.
const UNKNOWN: (u8, u8) = (0, MAX_GOAL);

/// The bounds of a child for each role.
struct Child {
    picks: Box<[u32]>,
    bounds: Vec<(u8, u8)>,
}

/// Recomputes the bounds of an expanded node from those of its children; gives whether they
/// changed.
pub(super) fn tighten<S>(arena: &Arena<S>, id: NodeId) -> bool {
    let Some(children) = children(arena, id) else {
        return false;
    };
    let mut slot = arena.lock(id);
    let Some(node) = slot.node_mut() else {
        return false;
    };
    let Some(expansion) = &mut node.expansion else {
        return false;
    };
    let mut bounds = vec![UNKNOWN; node.stats.len()];
    match expansion.movers.len() {
        0 => {
            if let Some(child) = children.first() {
                bounds.copy_from_slice(&child.bounds);
            }
        }
        1 => one_mover(expansion, &children, &mut bounds),
        _ => several_movers(expansion, &children, &mut bounds),
    }
    apply(node, &bounds)
}

/// The children of a node. Only one node is locked at a time, because transpositions allow cycles.
fn children<S>(arena: &Arena<S>, id: NodeId) -> Option<Vec<Child>> {
    let links: Vec<(Box<[u32]>, NodeId)> = {
        let slot = arena.lock(id);
        let expansion = slot.node()?.expansion.as_ref()?;
        let edges = expansion.edges.iter().enumerate();
        let edges = edges.filter(|(_, edge)| edge.child != NONE);
        let edges = edges.map(|(pick, edge)| (Box::from([pick as u32]), edge.child));
        let joint = expansion
            .joint
            .iter()
            .map(|(picks, id)| (picks.clone(), *id));
        edges.chain(joint).collect()
    };
    let child = |(picks, id): (Box<[u32]>, NodeId)| {
        let slot = arena.lock(id);
        let stats = slot.node()?.stats.iter();
        let bounds = stats.map(|stat| (stat.low, stat.high)).collect();
        Some(Child { picks, bounds })
    };
    Some(links.into_iter().filter_map(child).collect())
}

fn one_mover(expansion: &mut Expansion, children: &[Child], bounds: &mut [(u8, u8)]) {
    let mover = expansion.movers[0].role as usize;
    let roles = bounds.len();
    let mut child_bounds = vec![UNKNOWN; roles * expansion.edges.len()];
    for child in children {
        let first = child.picks[0] as usize * roles;
        child_bounds[first..first + roles].copy_from_slice(&child.bounds);
    }
    let rows = child_bounds.chunks_mut(roles);
    for (edge, row) in expansion.edges.iter_mut().zip(rows) {
        // Proven bounds are kept when the child is freed.
        edge.low = edge.low.max(row[mover].0);
        edge.high = edge.high.min(row[mover].1);
        row[mover] = (edge.low, edge.high);
    }
    let low = expansion
        .edges
        .iter()
        .map(|edge| edge.low)
        .max()
        .unwrap_or(0);
    let high = expansion
        .edges
        .iter()
        .map(|edge| edge.high)
        .max()
        .unwrap_or(MAX_GOAL);
    bounds.fill((MAX_GOAL, 0));
    let rows = child_bounds.chunks(roles);
    for row in rows.filter(|row| row[mover].0 == low || row[mover].1 > low) {
        for (bound, child) in bounds.iter_mut().zip(row) {
            *bound = (bound.0.min(child.0), bound.1.max(child.1));
        }
    }
    bounds[mover] = (low, high);
}

fn several_movers(expansion: &mut Expansion, children: &[Child], bounds: &mut [(u8, u8)]) {
    let counts = expansion.movers.iter().map(|mover| mover.count as usize);
    let all = counts.fold(1usize, usize::saturating_mul);
    if all > MAX_JOINT_MOVES {
        return;
    }
    // For each edge the lowest goal of its role over the joint moves in the tree, and how many
    // those are.
    let mut least = vec![(MAX_GOAL, 0usize); expansion.edges.len()];
    for child in children {
        for (pick, mover) in child.picks.iter().zip(&expansion.movers) {
            let edge = &mut least[*pick as usize];
            *edge = (edge.0.min(child.bounds[mover.role as usize].0), edge.1 + 1);
        }
    }
    for mover in &expansion.movers {
        let others = all / mover.count as usize;
        for edge in &mut least[mover.edges()] {
            // Some replies are not in the tree.
            if edge.1 < others {
                edge.0 = 0;
            }
        }
    }
    // Movers with a move that guarantees the maximum.
    let wins = |mover: &&Mover| least[mover.edges()].iter().any(|(low, _)| *low == MAX_GOAL);
    let winners: Vec<usize> = (0..expansion.movers.len())
        .filter(|place| wins(&&expansion.movers[*place]))
        .collect();
    let is_plausible = |picks: &[u32]| {
        let mut winners = winners.iter();
        winners.all(|place| least[picks[*place] as usize].0 == MAX_GOAL)
    };
    if children.len() == all || !winners.is_empty() {
        bounds.fill((MAX_GOAL, 0));
        for child in children {
            if is_plausible(&child.picks) {
                for (bound, child) in bounds.iter_mut().zip(&child.bounds) {
                    *bound = (bound.0.min(child.0), bound.1.max(child.1));
                }
            }
        }
    }
    for (edge, (low, _)) in expansion.edges.iter_mut().zip(&least) {
        edge.low = edge.low.max(*low);
    }
    for mover in &expansion.movers {
        let sure = least[mover.edges()].iter().map(|(low, _)| *low).max();
        let bound = &mut bounds[mover.role as usize];
        bound.0 = bound.0.max(sure.unwrap_or(0));
        bound.1 = bound.1.max(bound.0);
    }
}

fn apply<S>(node: &mut Node<S>, bounds: &[(u8, u8)]) -> bool {
    let mut changed = false;
    for (stat, (low, high)) in node.stats.iter_mut().zip(bounds) {
        let (low, high) = (stat.low.max(*low), stat.high.min(*high));
        // The children may have been freed since the bounds were proven.
        if low <= high && (low, high) != (stat.low, stat.high) {
            (stat.low, stat.high) = (low, high);
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use ludorum_reasoner::MoveId;

    use super::*;

    fn arena() -> Arena<u8> {
        Arena::new(1 << 20)
    }

    fn put(arena: &Arena<u8>, bounds: &[(u8, u8)]) -> NodeId {
        let mut node = Node::new(0, bounds.len());
        for (stat, (low, high)) in node.stats.iter_mut().zip(bounds) {
            (stat.low, stat.high) = (*low, *high);
        }
        let id = arena.allocate().unwrap();
        arena.insert(id, node);
        id
    }

    /// The bounds of a node whose joint moves lead to these children; none is a missing child.
    fn above(counts: &[u32], children: &[Option<&[(u8, u8)]>]) -> Vec<(u8, u8)> {
        let arena = arena();
        let legal: Vec<Vec<MoveId>> = counts
            .iter()
            .map(|count| (0..*count).map(MoveId).collect())
            .collect();
        let mut expansion = Expansion::new(&legal, |_, _| {});
        for (number, child) in children.iter().enumerate() {
            let mut rest = number as u32;
            let picks = expansion.movers.iter().map(|mover| {
                let pick = mover.first + rest % mover.count;
                rest /= mover.count;
                pick
            });
            let picks: Vec<u32> = picks.collect();
            let child = child.map_or(NONE, |bounds| put(&arena, bounds));
            if child != NONE {
                expansion.set_child(&picks, child);
            }
        }
        let mut node = Node::new(0, counts.len());
        node.expansion = Some(Box::new(expansion));
        let id = arena.allocate().unwrap();
        arena.insert(id, node);
        tighten(&arena, id);
        let slot = arena.lock(id);
        let stats = slot.node().unwrap().stats.iter();
        stats.map(|stat| (stat.low, stat.high)).collect()
    }

    #[test]
    fn a_role_with_a_winning_move_wins() {
        let win: &[(u8, u8)] = &[(100, 100), (0, 0)];
        assert_eq!(above(&[2, 1], &[Some(win), None]), [(100, 100), (0, 0)]);
        // A draw proves nothing while another move may win.
        let draw: &[(u8, u8)] = &[(50, 50), (50, 50)];
        assert_eq!(above(&[2, 1], &[Some(draw), None]), [(50, 100), (0, 100)]);
        let loss: &[(u8, u8)] = &[(0, 50), (20, 100)];
        assert_eq!(
            above(&[2, 1], &[Some(draw), Some(loss)]),
            [(50, 50), (50, 50)]
        );
    }

    #[test]
    fn no_tie_breaking_is_assumed_among_equal_moves() {
        let children: [Option<&[(u8, u8)]>; 3] = [
            Some(&[(50, 50), (0, 0), (100, 100)]),
            Some(&[(50, 50), (80, 80), (100, 100)]),
            Some(&[(40, 40), (90, 90), (0, 0)]),
        ];
        assert_eq!(
            above(&[3, 1, 1], &children),
            [(50, 50), (0, 80), (100, 100)]
        );
    }

    #[test]
    fn a_simultaneous_move_proves_only_what_holds_against_every_reply() {
        let win: &[(u8, u8)] = &[(100, 100), (0, 0)];
        let loss: &[(u8, u8)] = &[(0, 0), (100, 100)];
        // The first move of the first role wins against both replies.
        let sure = [Some(win), Some(loss), Some(win), None];
        assert_eq!(above(&[2, 2], &sure), [(100, 100), (0, 0)]);
        // Matching pennies: no role can guarantee anything.
        let pennies = [Some(win), Some(loss), Some(loss), Some(win)];
        assert_eq!(above(&[2, 2], &pennies), [(0, 100), (0, 100)]);
    }
}
