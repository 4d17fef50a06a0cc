//! Redundancy removal: drops what the other inputs of a gate imply.
//!
//! An AND implies its inputs and theirs in turn, and a move that is played implies everything that
//! makes it legal. So `a & (a | b)` becomes `a` (absorption), `a & (~a | b)` becomes `a & b`, and a
//! move that is legal only on an empty square makes the condition that the square is empty
//! redundant. The same holds for ORs, which are ANDs with inverted signs.

use super::super::network::Network;
use super::and_inverter_graph::{ABSENT, AndInverterGraph, Edge, NEVER, mapped_edge};
use super::exclude::ExclusiveGroups;
use super::write_network;

/// The largest number of implied edges that are stored for a move.
const MAX_CLOSURE: usize = 64;
/// The largest number of implied edges that are collected for a gate.
const MAX_IMPLIED: usize = 512;
/// Input gates with more inputs than this are not simplified.
const MAX_INPUTS: usize = 64;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&context(&AndInverterGraph::new(network)))
}

pub(super) fn context(gates: &AndInverterGraph) -> AndInverterGraph {
    let uses = gates.uses();
    let mut known = ImpliedEdges::new(gates);
    let mut kept: Vec<Edge> = Vec::new();
    let mut inner: Vec<Edge> = Vec::new();
    gates.map(|new, edges, signal| {
        let inputs = gates.inputs(signal);
        kept.clear();
        if !known.assume(inputs) {
            return NEVER;
        }
        for edge in inputs {
            if known.is_implied(*edge) {
                continue;
            }
            let Some(below) = gates.and_inputs(edge ^ 1) else {
                kept.push(mapped_edge(edges, *edge));
                continue;
            };
            if below.len() > MAX_INPUTS {
                kept.push(mapped_edge(edges, *edge));
                continue;
            }
            // The input gate is negated: it is redundant if one of its own inputs is known not to
            // hold.
            if below.iter().any(|e| known.holds(e ^ 1)) {
                continue;
            }
            let open = below.iter().filter(|e| !known.holds(**e)).count();
            if open <= 1 || open < below.len() && uses[(edge >> 1) as usize] == 1 {
                inner.clear();
                let rest = below.iter().filter(|e| !known.holds(**e));
                inner.extend(rest.map(|e| mapped_edge(edges, *e)));
                kept.push(new.and(&mut inner) ^ 1);
            } else {
                kept.push(mapped_edge(edges, *edge));
            }
        }
        new.and(&mut kept)
    })
}

/// The edges that hold wherever all inputs of a gate hold.
struct ImpliedEdges<'g> {
    gates: &'g AndInverterGraph,
    groups: ExclusiveGroups,
    /// What each move implies, computed on first use.
    closures: Vec<Option<Box<[Edge]>>>,
    /// For every edge, the last gate in whose context it held.
    held: Vec<u32>,
    /// For every edge, the last gate in whose context another input implied it.
    implied: Vec<u32>,
    /// For every group, the member that is known to hold, and the gate in whose context it does.
    member: Vec<(Edge, u32)>,
    now: u32,
    count: usize,
    todo: Vec<Edge>,
}

impl<'g> ImpliedEdges<'g> {
    fn new(gates: &'g AndInverterGraph) -> Self {
        let groups = ExclusiveGroups::new(gates);
        Self {
            gates,
            closures: vec![None; gates.legal.len()],
            held: vec![0; gates.len() * 2],
            implied: vec![0; gates.len() * 2],
            member: vec![(ABSENT, 0); groups.members.len()],
            groups,
            now: 0,
            count: 0,
            todo: Vec::new(),
        }
    }

    fn is_implied(&self, edge: Edge) -> bool {
        self.implied[edge as usize] == self.now || self.is_excluded(edge)
    }

    fn holds(&self, edge: Edge) -> bool {
        self.held[edge as usize] == self.now || self.is_excluded(edge)
    }

    /// Whether an edge is the negation of a group member that cannot hold because another member
    /// does.
    fn is_excluded(&self, edge: Edge) -> bool {
        edge & 1 == 1
            && self.groups.of(edge).is_some_and(|group| {
                let (member, when) = self.member[group];
                when == self.now && member != edge ^ 1
            })
    }

    /// Starts the context of a gate with its inputs; false if they contradict each other.
    fn assume(&mut self, inputs: &[Edge]) -> bool {
        self.now += 1;
        self.count = 0;
        for edge in inputs {
            self.held[*edge as usize] = self.now;
        }
        let mut consistent = true;
        for edge in inputs {
            consistent &= self.expand(*edge);
        }
        consistent
    }

    /// Adds what an input implies; false on a contradiction.
    fn expand(&mut self, edge: Edge) -> bool {
        let mut consistent = true;
        self.todo.clear();
        self.todo.push(edge);
        while let Some(at) = self.todo.pop() {
            if self.held[(at ^ 1) as usize] == self.now {
                return false;
            }
            if at & 1 == 0
                && let Some(group) = self.groups.of(at)
            {
                let (member, when) = self.member[group];
                consistent &= when != self.now || member == at;
                self.member[group] = (at, self.now);
            }
            if at != edge {
                self.held[at as usize] = self.now;
                if self.implied[at as usize] == self.now || self.count > MAX_IMPLIED {
                    continue;
                }
                self.implied[at as usize] = self.now;
                self.count += 1;
            }
            if let Some(inputs) = self.gates.and_inputs(at) {
                self.todo.extend_from_slice(inputs);
            } else if at & 1 == 0
                && let Some(action) = self.gates.action_of(at >> 1)
            {
                let closure = closure(self.gates, &mut self.closures, action);
                self.todo.extend_from_slice(closure);
            } else if at & 1 == 1
                && let Some(inputs) = self.gates.and_inputs(at ^ 1)
            {
                common(self.gates, &mut self.closures, inputs, &mut self.todo);
            }
        }
        consistent
    }
}

/// What a move implies: the inputs of the AND that makes it legal, transitively.
fn closure<'c>(
    gates: &AndInverterGraph,
    closures: &'c mut [Option<Box<[Edge]>>],
    action: usize,
) -> &'c [Edge] {
    closures[action].get_or_insert_with(|| {
        let legal = gates.legal[action];
        if legal == ABSENT {
            return Box::new([]);
        }
        let mut found = vec![legal];
        let mut at = 0;
        while at < found.len() && found.len() < MAX_CLOSURE {
            if let Some(inputs) = gates.and_inputs(found[at]) {
                found.extend_from_slice(inputs);
            }
            at += 1;
        }
        found.sort_unstable();
        found.dedup();
        found.into()
    })
}

/// Adds what all of some moves imply, because one of them is played.
fn common(
    gates: &AndInverterGraph,
    closures: &mut [Option<Box<[Edge]>>],
    negated: &[Edge],
    found: &mut Vec<Edge>,
) {
    let mut shared: Option<Vec<Edge>> = None;
    for edge in negated {
        let action = match gates.action_of(edge >> 1) {
            Some(action) if edge & 1 == 1 => action,
            _ => return,
        };
        let closure = closure(gates, closures, action);
        match &mut shared {
            None => shared = Some(closure.to_vec()),
            Some(shared) => shared.retain(|e| closure.binary_search(e).is_ok()),
        }
        if shared.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
    }
    found.extend(shared.into_iter().flatten());
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expression_of, network, network_of};
    use super::*;

    #[test]
    fn implied_inputs_are_removed() {
        let after = run(&network(
            "(<= x (true p)) (<= x (true q)) (<= terminal (true p) x) (<= (next u) x)",
        ));
        assert_eq!(expression_of(&after, "terminal"), "p");
        let after = run(&network(
            "(<= x (not (true p))) (<= x (true q)) (<= terminal (true p) x)",
        ));
        assert_eq!(expression_of(&after, "terminal"), "&(p q)");
    }

    #[test]
    fn a_move_implies_what_makes_it_legal() {
        let after = run(&network_of(
            "(role r) (init p) (<= (next p) (not (true p))) (<= (legal r a) (true p))
             (legal r b) (goal r 0)
             (<= terminal (true q)) (<= (next q) (does r a) (true p))
             (<= (next s) (does r a) (not (true p)))
             (<= terminal (true s))",
        ));
        assert_eq!(expression_of(&after, "(next q)"), "(does r a)");
        assert_eq!(expression_of(&after, "(next s)"), "false");
    }
}
