//! UCT for puzzles (Świechowski 2015, section 4.2; UCT: Kocsis and Szepesvári 2006).
//!
//! Selection uses the best value of a move instead of the mean (equation 4.1), since a line can be
//! repeated exactly and most playouts give 0. Transpositions share a node. A new best line of any
//! technique is inserted as a whole branch (section 4.2.2). A node whose subtree is exhausted is
//! not visited again; when that is the root, the best line is optimal.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use crate::best_line::SolveMethod;
use crate::rule_analysis::ROLE;
use crate::settings::{PlayoutMode, SelectionValue, Settings};
use crate::simulation::{
    SIMULATION_POLICIES, SimulationEnd, SimulationPolicy, StateHistory, playout,
};
use crate::technique::{Technique, TechniqueContext, TechniqueStatus};
use crate::transposition_index::TranspositionIndex;

/// Index of a child that does not exist.
const NO_NODE: u32 = u32::MAX;

#[derive(Debug)]
struct Edge {
    id: MoveId,
    child: u32,
    visits: u32,
    /// The best value of a line through the edge.
    max_value: u8,
    sum: f64,
}

#[derive(Debug)]
struct Node<S> {
    state: S,
    edges: Vec<Edge>,
    visits: u32,
    /// The goal value of a terminal state.
    value: Option<u8>,
    /// Whether the whole subtree was searched.
    is_exhausted: bool,
}

/// A node on the path of a simulation, with the index of the chosen edge.
type PathStep = (u32, usize);

/// The search tree.
#[derive(Debug)]
pub(crate) struct UctTree<S> {
    nodes: Vec<Node<S>>,
    root: u32,
    table: TranspositionIndex<S>,
    bytes: usize,
    max_bytes: usize,
    exploration: f64,
    score: SelectionValue,
    playouts: PlayoutMode,
    rng: Rng,
    /// The version of the best line that is inserted in the tree.
    best_line_version: u64,
    path: Vec<PathStep>,
    line: Vec<MoveId>,
}

impl<S: Clone + Eq> UctTree<S> {
    pub(crate) fn new(settings: &Settings, max_bytes: usize, seed: u64) -> Self {
        Self {
            nodes: Vec::new(),
            root: NO_NODE,
            table: TranspositionIndex::new(settings.table),
            bytes: 0,
            max_bytes,
            exploration: settings.exploration,
            score: settings.score,
            playouts: settings.playouts,
            rng: Rng::new(seed),
            best_line_version: 0,
            path: Vec::new(),
            line: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.nodes = Vec::new();
        self.table.clear();
        self.root = NO_NODE;
        self.bytes = 0;
        self.best_line_version = 0;
    }

    fn is_full(&self) -> bool {
        self.bytes >= self.max_bytes
    }

    /// The node of a state, and whether it is new.
    fn node<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        state: S,
    ) -> Result<(u32, bool), ReasonError> {
        let key = self.table.position_key(context.reasoner, &state)?;
        if let Some(found) = self.table.find(&key, &state) {
            return Ok((found, false));
        }
        let mut edges = Vec::new();
        let mut value = None;
        if context.reasoner.is_terminal(&state)? {
            value = Some(context.goal_value(&state)?);
        } else {
            let mut moves = Vec::new();
            context.reasoner.legal_moves(&state, ROLE, &mut moves)?;
            for i in (1..moves.len()).rev() {
                moves.swap(i, self.rng.below(i + 1));
            }
            edges = moves
                .into_iter()
                .map(|id| Edge {
                    id,
                    child: NO_NODE,
                    visits: 0,
                    max_value: 0,
                    sum: 0.0,
                })
                .collect();
        }
        let number = self.nodes.len() as u32;
        let edge_bytes = edges.len() * size_of::<Edge>();
        self.bytes += size_of::<Node<S>>()
            + context.reasoner.state_bytes(&state)
            + edge_bytes
            + self.table.entry_bytes();
        self.table.insert(key, &state, number);
        self.nodes.push(Node {
            is_exhausted: edges.is_empty(),
            state,
            edges,
            visits: 0,
            value,
        });
        Ok((number, true))
    }

    /// Selection (Świechowski 2015, equation 4.1): an unvisited edge, or the one with the highest
    /// upper bound. `None` if all children are exhausted.
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
                .is_some_and(|child| child.is_exhausted)
            {
                continue;
            }
            let value = match self.score {
                SelectionValue::Max => f64::from(edge.max_value),
                SelectionValue::Mean => edge.sum / f64::from(edge.visits),
            };
            let score = value / 100.0 + self.exploration * (visits / f64::from(edge.visits)).sqrt();
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((i, score));
            }
        }
        best.map(|(i, _)| i)
    }

    fn choose_policy(&mut self) -> SimulationPolicy {
        let count = SIMULATION_POLICIES.len();
        match self.playouts {
            PlayoutMode::Random => SimulationPolicy::Random,
            PlayoutMode::Explore => SIMULATION_POLICIES[self.rng.below(count - 1)],
            PlayoutMode::Mixed => SIMULATION_POLICIES[self.rng.below(count)],
        }
    }

    /// One simulation: selection, expansion, playout and backpropagation.
    fn simulate<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        self.path.clear();
        self.line.clear();
        let mut history = StateHistory::default();
        let mut at = self.root;
        let end = loop {
            let node = &self.nodes[at as usize];
            if let Some(value) = node.value {
                break SimulationEnd::Value(value);
            }
            let Some(chosen) = self
                .select(node)
                .filter(|_| self.line.len() < context.max_steps)
            else {
                self.nodes[at as usize].is_exhausted |= self.line.len() < context.max_steps;
                break SimulationEnd::Unfinished;
            };
            history.push(&node.state);
            let edge = &node.edges[chosen];
            self.path.push((at, chosen));
            self.line.push(edge.id);
            if edge.child != NO_NODE {
                at = edge.child;
                continue;
            }
            let (id, state) = (edge.id, node.state.clone());
            let next = context.next(&state, id)?;
            if self.is_full() {
                let policy = self.choose_policy();
                break playout(
                    context,
                    &next,
                    policy,
                    &mut history,
                    &mut self.rng,
                    &mut self.line,
                )?;
            }
            let (child, is_new) = self.node(context, next)?;
            self.nodes[at as usize].edges[chosen].child = child;
            if is_new && self.nodes[child as usize].value.is_none() {
                let policy = self.choose_policy();
                let start = self.nodes[child as usize].state.clone();
                break playout(
                    context,
                    &start,
                    policy,
                    &mut history,
                    &mut self.rng,
                    &mut self.line,
                )?;
            }
            at = child;
        };
        let value = match end {
            SimulationEnd::Value(value) => {
                let line = &self.line;
                context
                    .best
                    .offer(value, line.len(), SolveMethod::Tree, || line.clone());
                value
            }
            SimulationEnd::Unfinished => 0,
        };
        self.backpropagate(value);
        Ok(())
    }

    /// Backpropagation of a value along the path, with the maximum and the sum of each edge.
    fn backpropagate(&mut self, value: u8) {
        while let Some((at, chosen)) = self.path.pop() {
            let node = &mut self.nodes[at as usize];
            node.visits = node.visits.saturating_add(1);
            let edge = &mut node.edges[chosen];
            edge.visits = edge.visits.saturating_add(1);
            edge.max_value = edge.max_value.max(value);
            edge.sum += f64::from(value);
            let node = &self.nodes[at as usize];
            let is_exhausted = node.edges.iter().all(|edge| {
                let child = self.nodes.get(edge.child as usize);
                child.is_some_and(|child| child.is_exhausted)
            });
            self.nodes[at as usize].is_exhausted |= is_exhausted;
        }
    }

    /// Inserts the best line as a branch (Świechowski 2015, section 4.2.2).
    fn insert_best_line<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let version = context.best.version();
        let Some(line) = context
            .best
            .line()
            .filter(|_| version != self.best_line_version)
        else {
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
            if edges[chosen].child == NO_NODE {
                if self.is_full() {
                    break;
                }
                let state = self.nodes[at as usize].state.clone();
                let next = context.next(&state, *id)?;
                let (child, _) = self.node(context, next)?;
                self.nodes[at as usize].edges[chosen].child = child;
            }
            at = self.nodes[at as usize].edges[chosen].child;
        }
        self.backpropagate(line.value);
        self.best_line_version = version;
        Ok(())
    }
}

impl<R: Reasoner> Technique<R> for UctTree<R::State> {
    fn method(&self) -> SolveMethod {
        SolveMethod::Tree
    }

    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError> {
        if self.root == NO_NODE {
            let root = context.root.clone();
            self.root = self.node(context, root)?.0;
            if let Some(value) = self.nodes[self.root as usize].value {
                context.best.offer(value, 0, SolveMethod::Tree, Vec::new);
            }
        }
        let end = context.positions + quota;
        while context.positions < end && !context.should_stop() {
            if self.nodes[self.root as usize].is_exhausted {
                return Ok(TechniqueStatus::Proven);
            }
            // A simulation inside the tree generates no positions, so one is always counted.
            context.positions += 1;
            self.insert_best_line(context)?;
            self.simulate(context)?;
            context.simulations += 1;
        }
        Ok(TechniqueStatus::Running)
    }

    fn advance(&mut self, id: MoveId) -> bool {
        let child = self.nodes.get(self.root as usize).and_then(|root| {
            let edge = root.edges.iter().find(|edge| edge.id == id)?;
            (edge.child != NO_NODE).then_some(edge.child)
        });
        match child {
            // Nodes beside the new root are not removed, so a tree that is half full is dropped.
            Some(child) if self.bytes < self.max_bytes / 2 => {
                self.root = child;
                self.best_line_version = 0;
            }
            _ => self.clear(),
        }
        true
    }

    fn size(&self) -> (u64, u64) {
        (self.nodes.len() as u64, self.bytes as u64)
    }
}
