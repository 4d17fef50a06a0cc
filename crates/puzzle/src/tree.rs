//! Monte Carlo tree search for one role: the best value instead of the mean (Equation 4.1 of the
//! thesis).
//!
//! A position that several ways lead to is one node. Whatever line becomes the best, found here or
//! elsewhere, is put into the tree as a whole branch. A node below which everything was seen is not
//! visited again; when that is the root, the best line is the best there is.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use super::best::Method;
use super::desk::{Desk, Progress, ROLE, Technique};
use super::explore::{End, POLICIES, Policy, Trail, playout};
use super::settings::{Playouts, Score, Settings};
use super::transpositions::Transpositions;

/// No node.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Edge {
    id: MoveId,
    child: u32,
    visits: u32,
    /// The best value of a line through it.
    best: u8,
    sum: f64,
}

#[derive(Debug)]
struct Node<S> {
    state: S,
    edges: Vec<Edge>,
    visits: u32,
    /// What the role gets, at the end of the game.
    value: Option<u8>,
    /// Whether everything below was seen.
    is_done: bool,
}

/// Where a visit went: a node and one of its edges.
type Step = (u32, usize);

/// The tree.
#[derive(Debug)]
pub(super) struct Tree<S> {
    nodes: Vec<Node<S>>,
    root: u32,
    table: Transpositions<S>,
    bytes: usize,
    most_bytes: usize,
    c: f64,
    score: Score,
    playouts: Playouts,
    rng: Rng,
    /// The mark of the best line that is in the tree.
    mark: u64,
    path: Vec<Step>,
    line: Vec<MoveId>,
}

impl<S: Clone + Eq> Tree<S> {
    pub(super) fn new(settings: &Settings, most_bytes: usize, seed: u64) -> Self {
        Self {
            nodes: Vec::new(),
            root: NONE,
            table: Transpositions::new(settings.table),
            bytes: 0,
            most_bytes,
            c: settings.c,
            score: settings.score,
            playouts: settings.playouts,
            rng: Rng::new(seed),
            mark: 0,
            path: Vec::new(),
            line: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.nodes = Vec::new();
        self.table.clear();
        self.root = NONE;
        self.bytes = 0;
        self.mark = 0;
    }

    fn is_full(&self) -> bool {
        self.bytes >= self.most_bytes
    }

    /// A node for a state; the one that is there, if there is one.
    fn node<R: Reasoner<State = S>>(
        &mut self,
        desk: &mut Desk<'_, R>,
        state: S,
    ) -> Result<(u32, bool), ReasonError> {
        let place = self.table.place(desk.reasoner, &state)?;
        if let Some(found) = self.table.find(&place, &state) {
            return Ok((found, false));
        }
        let mut edges = Vec::new();
        let mut value = None;
        if desk.reasoner.is_terminal(&state)? {
            value = Some(desk.value(&state)?);
        } else {
            let mut moves = Vec::new();
            desk.reasoner.legal_moves(&state, ROLE, &mut moves)?;
            for i in (1..moves.len()).rev() {
                moves.swap(i, self.rng.below(i + 1));
            }
            edges = moves
                .into_iter()
                .map(|id| Edge {
                    id,
                    child: NONE,
                    visits: 0,
                    best: 0,
                    sum: 0.0,
                })
                .collect();
        }
        let number = self.nodes.len() as u32;
        let edge_bytes = edges.len() * size_of::<Edge>();
        self.bytes += size_of::<Node<S>>()
            + desk.reasoner.state_bytes(&state)
            + edge_bytes
            + self.table.entry_bytes();
        self.table.put(place, &state, number);
        self.nodes.push(Node {
            is_done: edges.is_empty(),
            state,
            edges,
            visits: 0,
            value,
        });
        Ok((number, true))
    }

    /// The edge to follow: one that was never tried, or the one with the best score; none if all is
    /// seen.
    #[allow(clippy::cast_precision_loss)] // counts
    fn select(&self, node: &Node<S>) -> Option<usize> {
        let visits = f64::from(node.visits.max(1)).ln();
        let mut best: Option<(usize, f64)> = None;
        for (i, edge) in node.edges.iter().enumerate() {
            if edge.visits == 0 {
                return Some(i);
            }
            if self
                .nodes
                .get(edge.child as usize)
                .is_some_and(|child| child.is_done)
            {
                continue;
            }
            let value = match self.score {
                Score::Max => f64::from(edge.best),
                Score::Mean => edge.sum / f64::from(edge.visits),
            };
            let score = value / 100.0 + self.c * (visits / f64::from(edge.visits)).sqrt();
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((i, score));
            }
        }
        best.map(|(i, _)| i)
    }

    fn policy(&mut self) -> Policy {
        let count = POLICIES.len();
        match self.playouts {
            Playouts::Random => Policy::Random,
            Playouts::Explore => POLICIES[self.rng.below(count - 1)],
            Playouts::Mixed => POLICIES[self.rng.below(count)],
        }
    }

    /// One simulation.
    fn simulate<R: Reasoner<State = S>>(
        &mut self,
        desk: &mut Desk<'_, R>,
    ) -> Result<(), ReasonError> {
        self.path.clear();
        self.line.clear();
        let mut trail = Trail::default();
        let mut at = self.root;
        let end = loop {
            let node = &self.nodes[at as usize];
            if let Some(value) = node.value {
                break End::Value(value);
            }
            let Some(chosen) = self.select(node).filter(|_| self.line.len() < desk.limit) else {
                self.nodes[at as usize].is_done |= self.line.len() < desk.limit;
                break End::Nothing;
            };
            trail.push(&node.state);
            let edge = &node.edges[chosen];
            self.path.push((at, chosen));
            self.line.push(edge.id);
            if edge.child != NONE {
                at = edge.child;
                continue;
            }
            let (id, state) = (edge.id, node.state.clone());
            let next = desk.next(&state, id)?;
            if self.is_full() {
                let policy = self.policy();
                break playout(
                    desk,
                    &next,
                    policy,
                    &mut trail,
                    &mut self.rng,
                    &mut self.line,
                )?;
            }
            let (child, is_new) = self.node(desk, next)?;
            self.nodes[at as usize].edges[chosen].child = child;
            if is_new && self.nodes[child as usize].value.is_none() {
                let policy = self.policy();
                let start = self.nodes[child as usize].state.clone();
                break playout(
                    desk,
                    &start,
                    policy,
                    &mut trail,
                    &mut self.rng,
                    &mut self.line,
                )?;
            }
            at = child;
        };
        let value = match end {
            End::Value(value) => {
                let line = &self.line;
                desk.best
                    .offer(value, line.len(), Method::Tree, || line.clone());
                value
            }
            End::Nothing => 0,
        };
        self.back_up(value);
        Ok(())
    }

    /// Takes a value from the end of the path to the root.
    fn back_up(&mut self, value: u8) {
        while let Some((at, chosen)) = self.path.pop() {
            let node = &mut self.nodes[at as usize];
            node.visits = node.visits.saturating_add(1);
            let edge = &mut node.edges[chosen];
            edge.visits = edge.visits.saturating_add(1);
            edge.best = edge.best.max(value);
            edge.sum += f64::from(value);
            let node = &self.nodes[at as usize];
            let is_done = node.edges.iter().all(|edge| {
                let child = self.nodes.get(edge.child as usize);
                child.is_some_and(|child| child.is_done)
            });
            self.nodes[at as usize].is_done |= is_done;
        }
    }

    /// Puts the best line into the tree as a branch.
    fn graft<R: Reasoner<State = S>>(&mut self, desk: &mut Desk<'_, R>) -> Result<(), ReasonError> {
        let mark = desk.best.mark();
        let Some(line) = desk.best.line().filter(|_| mark != self.mark) else {
            return Ok(());
        };
        self.path.clear();
        let mut at = self.root;
        for id in &line.moves {
            let edges = &self.nodes[at as usize].edges;
            let Some(chosen) = edges.iter().position(|edge| edge.id == *id) else {
                break;
            };
            self.path.push((at, chosen));
            if edges[chosen].child == NONE {
                if self.is_full() {
                    break;
                }
                let state = self.nodes[at as usize].state.clone();
                let next = desk.next(&state, *id)?;
                let (child, _) = self.node(desk, next)?;
                self.nodes[at as usize].edges[chosen].child = child;
            }
            at = self.nodes[at as usize].edges[chosen].child;
        }
        self.back_up(line.value);
        self.mark = mark;
        Ok(())
    }
}

impl<R: Reasoner> Technique<R> for Tree<R::State> {
    fn method(&self) -> Method {
        Method::Tree
    }

    fn work(&mut self, desk: &mut Desk<'_, R>, quota: u64) -> Result<Progress, ReasonError> {
        if self.root == NONE {
            let root = desk.root.clone();
            self.root = self.node(desk, root)?.0;
            if let Some(value) = self.nodes[self.root as usize].value {
                desk.best.offer(value, 0, Method::Tree, Vec::new);
            }
        }
        let end = desk.positions + quota;
        while desk.positions < end && !desk.is_over() {
            if self.nodes[self.root as usize].is_done {
                return Ok(Progress::Proven);
            }
            // Ways through known positions make none.
            desk.positions += 1;
            self.graft(desk)?;
            self.simulate(desk)?;
            desk.simulations += 1;
        }
        Ok(Progress::More)
    }

    fn advance(&mut self, id: MoveId) -> bool {
        let child = self.nodes.get(self.root as usize).and_then(|root| {
            let edge = root.edges.iter().find(|edge| edge.id == id)?;
            (edge.child != NONE).then_some(edge.child)
        });
        match child {
            // What lies beside the way is not taken out, so a full tree is grown anew.
            Some(child) if self.bytes < self.most_bytes / 2 => {
                self.root = child;
                self.mark = 0;
            }
            _ => self.clear(),
        }
        true
    }

    fn size(&self) -> (u64, u64) {
        (self.nodes.len() as u64, self.bytes as u64)
    }
}
