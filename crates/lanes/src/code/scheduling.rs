//! Scheduling: in which section and in which order the nodes of a graph are computed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::graph::{LaneGraph, Literal, Operation};
use super::{SectionRequest, Slot};

/// No section, no slot.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A step in execution order.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScheduleStep {
    Compute(u32),
    /// Copies the word of a leaf that is stored elsewhere, before the leaf is overwritten.
    Save(u32),
    /// A store, by its index in the section's request.
    Store(u32),
}

pub(super) struct Scheduler<'g> {
    pub(super) graph: &'g LaneGraph,
    pub(super) requests: &'g [SectionRequest],
    /// How often each node is used by computed nodes and roots.
    pub(super) uses: Vec<u32>,
    /// The section that computes each node, or `NOWHERE`.
    pub(super) section_of: Vec<u32>,
    /// Nodes that are computed as pairs within their only use.
    pub(super) inlined: Vec<bool>,
    /// For the sum of a full adder its carry and vice versa; for other nodes the node itself.
    pub(super) partner: Vec<u32>,
    pub(super) steps: Vec<Vec<ScheduleStep>>,
}

impl<'g> Scheduler<'g> {
    pub(super) fn new(graph: &'g LaneGraph, requests: &'g [SectionRequest]) -> Self {
        Self {
            graph,
            requests,
            uses: vec![0; graph.len()],
            section_of: vec![NOWHERE; graph.len()],
            inlined: vec![false; graph.len()],
            partner: partners(graph),
            steps: Vec::new(),
        }
    }

    /// Decides in which section and in which order nodes are computed.
    pub(super) fn run(mut self) -> Self {
        self.place();
        self.inline();
        self.order();
        self
    }

    fn is_computed(&self, node: u32) -> bool {
        !matches!(
            self.graph.operation(node),
            Operation::Constant | Operation::Leaf
        )
    }

    fn roots(request: &SectionRequest) -> impl Iterator<Item = u32> + '_ {
        let stored = request.stores.iter().map(|(lit, _)| lit >> 1);
        stored.chain(request.keeps.iter().map(|lit| lit >> 1))
    }

    /// Assigns each node to the first section that needs it.
    fn place(&mut self) {
        let mut open = Vec::new();
        for (i, request) in self.requests.iter().enumerate() {
            for root in Self::roots(request) {
                self.uses[root as usize] += 1;
                open.push(root);
            }
            while let Some(node) = open.pop() {
                if !self.is_computed(node) || self.section_of[node as usize] != NOWHERE {
                    continue;
                }
                self.section_of[node as usize] = i as u32;
                for argument in self.graph.arguments(node) {
                    self.uses[(argument >> 1) as usize] += 1;
                    open.push(argument >> 1);
                }
            }
        }
    }

    /// Marks the nodes that become pairs.
    fn inline(&mut self) {
        for node in 0..self.graph.len() as u32 {
            let section = self.section_of[node as usize];
            if section == NOWHERE || self.graph.operation(node) != Operation::And {
                continue;
            }
            for argument in self.graph.arguments(node) {
                let inner = argument >> 1;
                if argument & 1 == 1
                    && self.uses[inner as usize] == 1
                    && self.section_of[inner as usize] == section
                    && self.graph.operation(inner) == Operation::And
                    && self.graph.arguments(inner).len() == 2
                {
                    self.inlined[inner as usize] = true;
                }
            }
        }
        // A node with pairs cannot be a pair itself.
        for node in (0..self.graph.len() as u32).rev() {
            if self.inlined[node as usize] {
                for argument in self.graph.arguments(node) {
                    self.inlined[(argument >> 1) as usize] = false;
                }
            }
        }
    }

    /// Orders nodes and stores depth first.
    fn order(&mut self) {
        let mut done = vec![false; self.graph.len()];
        let mut begun: FxHashSet<usize> = FxHashSet::default();
        let mut open: Vec<(u32, bool)> = Vec::new();
        for (i, request) in self.requests.iter().enumerate() {
            let mut steps = Vec::new();
            let roots: Vec<u32> = Self::roots(request).collect();
            for (place, root) in roots.iter().enumerate() {
                open.push((*root, false));
                while let Some((node, expanded)) = open.pop() {
                    if done[node as usize] || self.section_of[node as usize] != i as u32 {
                        continue;
                    }
                    if expanded {
                        done[node as usize] = true;
                        // Both halves of a full adder read the same words, and some targets compute
                        // them together.
                        let partner = self.partner[node as usize];
                        if !done[partner as usize] && self.section_of[partner as usize] == i as u32
                        {
                            done[partner as usize] = true;
                            steps.push(ScheduleStep::Compute(partner));
                        }
                        if !self.inlined[node as usize] {
                            steps.push(ScheduleStep::Compute(node));
                        }
                        continue;
                    }
                    // The nodes of a bundle are computed one after another, after the arguments of
                    // all of them.
                    let alone = [node];
                    let nodes = match self.graph.bundle(node) {
                        Some((bundle, nodes)) if begun.insert(bundle) => nodes,
                        _ => &alone[..],
                    };
                    open.extend(nodes.iter().rev().map(|node| (*node, true)));
                    for node in nodes.iter().rev() {
                        let arguments = self.graph.arguments(*node).iter().rev();
                        open.extend(arguments.map(|argument| (argument >> 1, false)));
                    }
                }
                if let Some((lit, slot)) = request.stores.get(place)
                    && !self.is_same(*lit, *slot)
                {
                    steps.push(ScheduleStep::Store(place as u32));
                }
            }
            self.steps.push(self.delay_stores(request, &steps));
        }
    }

    fn is_same(&self, lit: Literal, slot: Slot) -> bool {
        lit & 1 == 0
            && self.graph.operation(lit >> 1) == Operation::Leaf
            && self.graph.arguments(lit >> 1)[0] == slot
    }

    /// Moves each store behind the last read of the leaf that it overwrites, and saves leaves that
    /// are stored elsewhere before they are overwritten.
    fn delay_stores(&self, request: &SectionRequest, steps: &[ScheduleStep]) -> Vec<ScheduleStep> {
        let mut last_read: FxHashMap<Slot, usize> = FxHashMap::default();
        for (at, step) in steps.iter().enumerate() {
            if let ScheduleStep::Compute(node) = step {
                self.for_leaves(*node, &mut |slot| {
                    last_read.insert(slot, at);
                });
            }
        }
        let stored: FxHashSet<Slot> = request.stores.iter().map(|(_, slot)| *slot).collect();
        let mut saves = Vec::new();
        let mut delayed: Vec<(usize, ScheduleStep)> = Vec::new();
        let mut result = Vec::with_capacity(steps.len());
        let mut kept = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let ScheduleStep::Store(place) = step else {
                kept.push((at, *step));
                continue;
            };
            let (lit, slot) = request.stores[*place as usize];
            let node = lit >> 1;
            if self.graph.operation(node) == Operation::Leaf
                && stored.contains(&self.graph.arguments(node)[0])
            {
                saves.push(ScheduleStep::Save(node));
            }
            match last_read.get(&slot) {
                Some(read) if *read > at => delayed.push((*read, *step)),
                _ => kept.push((at, *step)),
            }
        }
        delayed.sort_by_key(|(at, _)| *at);
        saves.sort_by_key(|step| match step {
            ScheduleStep::Save(node) => *node,
            _ => 0,
        });
        saves.dedup_by_key(|step| match step {
            ScheduleStep::Save(node) => *node,
            _ => 0,
        });
        result.extend(saves);
        let mut delayed = delayed.into_iter().peekable();
        for (at, step) in kept {
            while delayed.peek().is_some_and(|(read, _)| *read < at) {
                result.extend(delayed.next().map(|(_, store)| store));
            }
            result.push(step);
        }
        result.extend(delayed.map(|(_, store)| store));
        result
    }

    /// Visits the leaves that computing a node reads, those of its pairs included.
    fn for_leaves(&self, node: u32, visit: &mut impl FnMut(Slot)) {
        for argument in self.graph.arguments(node) {
            let inner = argument >> 1;
            if self.graph.operation(inner) == Operation::Leaf {
                visit(self.graph.arguments(inner)[0]);
            } else if self.inlined[inner as usize] {
                for argument in self.graph.arguments(inner) {
                    if self.graph.operation(argument >> 1) == Operation::Leaf {
                        visit(self.graph.arguments(argument >> 1)[0]);
                    }
                }
            }
        }
    }

    /// Visits the nodes that a step reads, with pairs replaced by their arguments.
    pub(super) fn for_nodes(
        &self,
        section: usize,
        step: ScheduleStep,
        visit: &mut impl FnMut(u32),
    ) {
        match step {
            ScheduleStep::Compute(node) => {
                for argument in self.graph.arguments(node) {
                    let inner = argument >> 1;
                    if self.inlined[inner as usize] {
                        for argument in self.graph.arguments(inner) {
                            visit(argument >> 1);
                        }
                    } else {
                        visit(inner);
                    }
                }
            }
            ScheduleStep::Save(node) => visit(node),
            ScheduleStep::Store(place) => {
                visit(self.requests[section].stores[place as usize].0 >> 1);
            }
        }
    }
}

/// Finds the sum and the carry of the same three arguments.
fn partners(graph: &LaneGraph) -> Vec<u32> {
    let mut partners: Vec<u32> = (0..graph.len() as u32).collect();
    let mut first: FxHashMap<[u32; 3], u32> = FxHashMap::default();
    for node in 0..graph.len() as u32 {
        let operation = graph.operation(node);
        if matches!(operation, Operation::Xor | Operation::Majority)
            && let [a, b, c] = graph.arguments(node)
            && let Some(other) = first.insert([a >> 1, b >> 1, c >> 1], node)
            && graph.operation(other) != operation
        {
            partners[node as usize] = other;
            partners[other as usize] = node;
        }
    }
    partners
}
