//! Evaluation order: the strongly connected components of a network in topological order.

use super::network::{ComponentId, ComponentKind, Network};

/// The strongly connected components of a network in topological order, so that whatever a group
/// depends on comes before it. A group of several components is a cycle.
///
/// Bases and inputs are set from outside, so that their own inputs do not count as dependencies.
#[derive(Clone, Debug)]
pub struct EvaluationOrder {
    members: Vec<ComponentId>,
    starts: Vec<u32>,
    cyclic: Vec<bool>,
}

impl EvaluationOrder {
    /// Finds the groups by Tarjan's algorithm (Tarjan 1972), iteratively.
    pub fn new(network: &Network) -> Self {
        Search {
            network,
            index: vec![UNSEEN; network.len()],
            low: vec![0; network.len()],
            on_stack: vec![false; network.len()],
            stack: Vec::new(),
            next: 0,
            groups: Self {
                members: Vec::with_capacity(network.len()),
                starts: vec![0],
                cyclic: Vec::new(),
            },
        }
        .run()
    }

    /// The groups in order: members, and whether they form a cycle.
    pub fn iter(&self) -> impl Iterator<Item = (&[ComponentId], bool)> {
        self.starts
            .windows(2)
            .zip(&self.cyclic)
            .map(|(bounds, cyclic)| {
                (
                    &self.members[bounds[0] as usize..bounds[1] as usize],
                    *cyclic,
                )
            })
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search<'n> {
    network: &'n Network,
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<ComponentId>,
    next: u32,
    groups: EvaluationOrder,
}

impl Search<'_> {
    fn run(mut self) -> EvaluationOrder {
        let mut path: Vec<(ComponentId, usize)> = Vec::new();
        for root in self.network.components() {
            if self.index[root as usize] != UNSEEN {
                continue;
            }
            self.enter(root);
            path.push((root, 0));
            while let Some((node, place)) = path.last_mut() {
                let node = *node;
                let inputs = dependencies(self.network, node);
                if let Some(input) = inputs.get(*place) {
                    *place += 1;
                    if self.index[*input as usize] == UNSEEN {
                        self.enter(*input);
                        path.push((*input, 0));
                    } else if self.on_stack[*input as usize] {
                        let low = self.index[*input as usize];
                        self.low[node as usize] = self.low[node as usize].min(low);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let low = self.low[node as usize];
                    self.low[*parent as usize] = self.low[*parent as usize].min(low);
                }
                if self.low[node as usize] == self.index[node as usize] {
                    self.close(node);
                }
            }
        }
        self.groups
    }

    fn enter(&mut self, node: ComponentId) {
        self.index[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    /// Closes the group of `root`, whose members are on top of the stack.
    fn close(&mut self, root: ComponentId) {
        let start = self.groups.members.len();
        while let Some(node) = self.stack.pop() {
            self.on_stack[node as usize] = false;
            self.groups.members.push(node);
            if node == root {
                break;
            }
        }
        let members = &mut self.groups.members[start..];
        members.reverse();
        let cyclic = members.len() > 1 || dependencies(self.network, root).contains(&root);
        self.groups.starts.push(self.groups.members.len() as u32);
        self.groups.cyclic.push(cyclic);
    }
}

/// The components that the value of a component depends on within a state.
pub(super) fn dependencies(network: &Network, node: ComponentId) -> &[ComponentId] {
    match network.kind(node) {
        ComponentKind::True | ComponentKind::False | ComponentKind::Base | ComponentKind::Input => {
            &[]
        }
        _ => network.inputs(node),
    }
}

/// The components that are part of a cycle.
pub(super) fn cyclic_nodes(network: &Network) -> Vec<ComponentId> {
    if is_in_order(network) {
        return Vec::new();
    }
    EvaluationOrder::new(network)
        .iter()
        .filter(|(_, cyclic)| *cyclic)
        .flat_map(|(members, _)| members.iter().copied())
        .collect()
}

/// Whether every component other than a NOT comes after its dependencies, with NOTs looked through;
/// then there is no cycle. Networks are built in this order, and the check is much faster than a
/// search for cycles.
fn is_in_order(network: &Network) -> bool {
    network.components().all(|node| {
        // Nothing depends on transitions within a state.
        matches!(
            network.kind(node),
            ComponentKind::Not | ComponentKind::Transition
        ) || dependencies(network, node).iter().all(|input| {
            let behind = match network.kind(*input) {
                ComponentKind::Not => network.inputs(*input)[0],
                _ => *input,
            };
            behind < node && network.kind(behind) != ComponentKind::Not
        })
    })
}
