//! What is proven about a node: for each role the least and the most it gets.
//!
//! A node where the game ends has its goals for bounds, and bounds go up from there (score-bounded
//! search; MCTS-Solver is the case of wins and losses).
//!
//! - One role has a choice: it gets the best of its moves. It goes for a move that is sure to be as
//!   good as any, or for one that may be better; what the others get is bounded by those moves.
//!   Among several of them nothing is assumed.
//! - Several roles have a choice: each is sure of the best of its moves against all that the others
//!   may do, and gets at most the most that is anywhere. That is sound, but says little: a mixture
//!   of moves may be sure of more. A role that is sure of everything makes sure of it.
//!
//! Nothing is concluded from goals of other roles. That goals have a constant sum cannot be known
//! before all of the game is seen: a search that believed it after the first playouts would not
//! look for the one way in which two roles that cooperate both win.

use super::arena::Arena;
use super::node::{Body, MOST, Mover, NONE, Node, NodeId};

/// Several roles with a choice are looked at together up to so many joint moves.
const MOST_JOINT: usize = 256;

/// The bounds of a child that is not there.
const UNKNOWN: (u8, u8) = (0, MOST);

/// What is known about where a choice of arms leads: bounds for each role.
struct Child {
    picks: Box<[u32]>,
    bounds: Vec<(u8, u8)>,
}

/// Works out the bounds of an open node from those of its children; gives whether they have
/// changed.
pub(super) fn tighten<S>(arena: &Arena<S>, id: NodeId) -> bool {
    let Some(children) = children(arena, id) else {
        return false;
    };
    let mut slot = arena.lock(id);
    let Some(node) = slot.node_mut() else {
        return false;
    };
    let Some(body) = &mut node.body else {
        return false;
    };
    let mut bounds = vec![UNKNOWN; node.shares.len()];
    match body.movers.len() {
        0 => {
            if let Some(child) = children.first() {
                bounds.copy_from_slice(&child.bounds);
            }
        }
        1 => one_mover(body, &children, &mut bounds),
        _ => several_movers(body, &children, &mut bounds),
    }
    apply(node, &bounds)
}

/// The children of a node. Only one node is locked at a time, for ways may lead back to where they
/// were.
fn children<S>(arena: &Arena<S>, id: NodeId) -> Option<Vec<Child>> {
    let links: Vec<(Box<[u32]>, NodeId)> = {
        let slot = arena.lock(id);
        let body = slot.node()?.body.as_ref()?;
        let arms = body.arms.iter().enumerate();
        let arms = arms.filter(|(_, arm)| arm.child != NONE);
        let arms = arms.map(|(pick, arm)| (Box::from([pick as u32]), arm.child));
        let joint = body.joint.iter().map(|(picks, id)| (picks.clone(), *id));
        arms.chain(joint).collect()
    };
    let child = |(picks, id): (Box<[u32]>, NodeId)| {
        let slot = arena.lock(id);
        let shares = slot.node()?.shares.iter();
        let bounds = shares.map(|share| (share.low, share.high)).collect();
        Some(Child { picks, bounds })
    };
    Some(links.into_iter().filter_map(child).collect())
}

fn one_mover(body: &mut Body, children: &[Child], bounds: &mut [(u8, u8)]) {
    let mover = body.movers[0].role as usize;
    let roles = bounds.len();
    let mut child_bounds = vec![UNKNOWN; roles * body.arms.len()];
    for child in children {
        let first = child.picks[0] as usize * roles;
        child_bounds[first..first + roles].copy_from_slice(&child.bounds);
    }
    let rows = child_bounds.chunks_mut(roles);
    for (arm, row) in body.arms.iter_mut().zip(rows) {
        // What was proven stays proven when the child is forgotten.
        arm.low = arm.low.max(row[mover].0);
        arm.high = arm.high.min(row[mover].1);
        row[mover] = (arm.low, arm.high);
    }
    let low = body.arms.iter().map(|arm| arm.low).max().unwrap_or(0);
    let high = body.arms.iter().map(|arm| arm.high).max().unwrap_or(MOST);
    bounds.fill((MOST, 0));
    let rows = child_bounds.chunks(roles);
    for row in rows.filter(|row| row[mover].0 == low || row[mover].1 > low) {
        for (bound, child) in bounds.iter_mut().zip(row) {
            *bound = (bound.0.min(child.0), bound.1.max(child.1));
        }
    }
    bounds[mover] = (low, high);
}

fn several_movers(body: &mut Body, children: &[Child], bounds: &mut [(u8, u8)]) {
    let counts = body.movers.iter().map(|mover| mover.count as usize);
    let all = counts.fold(1usize, usize::saturating_mul);
    if all > MOST_JOINT {
        return;
    }
    // For each arm the least that its role gets over the joint moves seen, and how many those are.
    let mut least = vec![(MOST, 0usize); body.arms.len()];
    for child in children {
        for (pick, mover) in child.picks.iter().zip(&body.movers) {
            let arm = &mut least[*pick as usize];
            *arm = (arm.0.min(child.bounds[mover.role as usize].0), arm.1 + 1);
        }
    }
    for mover in &body.movers {
        let others = all / mover.count as usize;
        for arm in &mut least[mover.arms()] {
            // Some answers have not been seen.
            if arm.1 < others {
                arm.0 = 0;
            }
        }
    }
    // Roles that can make sure of everything.
    let wins = |mover: &&Mover| least[mover.arms()].iter().any(|(low, _)| *low == MOST);
    let winners: Vec<usize> = (0..body.movers.len())
        .filter(|place| wins(&&body.movers[*place]))
        .collect();
    let is_plausible = |picks: &[u32]| {
        let mut winners = winners.iter();
        winners.all(|place| least[picks[*place] as usize].0 == MOST)
    };
    if children.len() == all || !winners.is_empty() {
        bounds.fill((MOST, 0));
        for child in children {
            if is_plausible(&child.picks) {
                for (bound, child) in bounds.iter_mut().zip(&child.bounds) {
                    *bound = (bound.0.min(child.0), bound.1.max(child.1));
                }
            }
        }
    }
    for (arm, (low, _)) in body.arms.iter_mut().zip(&least) {
        arm.low = arm.low.max(*low);
    }
    for mover in &body.movers {
        let sure = least[mover.arms()].iter().map(|(low, _)| *low).max();
        let bound = &mut bounds[mover.role as usize];
        bound.0 = bound.0.max(sure.unwrap_or(0));
        bound.1 = bound.1.max(bound.0);
    }
}

fn apply<S>(node: &mut Node<S>, bounds: &[(u8, u8)]) -> bool {
    let mut changed = false;
    for (share, (low, high)) in node.shares.iter_mut().zip(bounds) {
        let (low, high) = (share.low.max(*low), share.high.min(*high));
        // What was forgotten in between may have been proven otherwise.
        if low <= high && (low, high) != (share.low, share.high) {
            (share.low, share.high) = (low, high);
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
        for (share, (low, high)) in node.shares.iter_mut().zip(bounds) {
            (share.low, share.high) = (*low, *high);
        }
        let id = arena.allocate().unwrap();
        arena.put(id, node);
        id
    }

    /// The bounds of a node whose joint moves lead to children; none stands for a child that is not
    /// there.
    fn above(counts: &[u32], children: &[Option<&[(u8, u8)]>]) -> Vec<(u8, u8)> {
        let arena = arena();
        let legal: Vec<Vec<MoveId>> = counts
            .iter()
            .map(|count| (0..*count).map(MoveId).collect())
            .collect();
        let mut body = Body::new(&legal, |_, _| {});
        for (number, child) in children.iter().enumerate() {
            let mut rest = number as u32;
            let picks = body.movers.iter().map(|mover| {
                let pick = mover.first + rest % mover.count;
                rest /= mover.count;
                pick
            });
            let picks: Vec<u32> = picks.collect();
            let child = child.map_or(NONE, |bounds| put(&arena, bounds));
            if child != NONE {
                body.set_child(&picks, child);
            }
        }
        let mut node = Node::new(0, counts.len());
        node.body = Some(Box::new(body));
        let id = arena.allocate().unwrap();
        arena.put(id, node);
        tighten(&arena, id);
        let slot = arena.lock(id);
        let shares = slot.node().unwrap().shares.iter();
        shares.map(|share| (share.low, share.high)).collect()
    }

    #[test]
    fn whoever_is_sure_to_win_wins() {
        let win: &[(u8, u8)] = &[(100, 100), (0, 0)];
        assert_eq!(above(&[2, 1], &[Some(win), None]), [(100, 100), (0, 0)]);
        // A draw is not enough as long as there may be more.
        let draw: &[(u8, u8)] = &[(50, 50), (50, 50)];
        assert_eq!(above(&[2, 1], &[Some(draw), None]), [(50, 100), (0, 100)]);
        let loss: &[(u8, u8)] = &[(0, 50), (20, 100)];
        assert_eq!(
            above(&[2, 1], &[Some(draw), Some(loss)]),
            [(50, 50), (50, 50)]
        );
    }

    #[test]
    fn nothing_is_assumed_about_a_choice_between_equals() {
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
    fn simultaneous_moves_prove_what_no_answer_can_spoil() {
        let win: &[(u8, u8)] = &[(100, 100), (0, 0)];
        let loss: &[(u8, u8)] = &[(0, 0), (100, 100)];
        // The first move of the first role wins against both answers.
        let sure = [Some(win), Some(loss), Some(win), None];
        assert_eq!(above(&[2, 2], &sure), [(100, 100), (0, 0)]);
        // Matching pennies: nobody is sure of anything.
        let pennies = [Some(win), Some(loss), Some(loss), Some(win)];
        assert_eq!(above(&[2, 2], &pennies), [(0, 100), (0, 100)]);
    }
}
