//! Mutual exclusion: simplification by groups of signals of which exactly one holds.
//!
//! Every role plays exactly one move, and exactly one fluent of each one-hot group holds
//! ([`super::one_hot`]). So an AND of two moves of a role never holds, a move makes the negations
//! of the role's other moves redundant, and the negations of most members of a group become the OR
//! of the remaining ones.

use super::super::network::Network;
use super::and_inverter_graph::{ABSENT, ALWAYS, AndInverterGraph, Edge, NEVER, mapped_edge};
use super::write_network;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&exclude(&AndInverterGraph::new(network)))
}

/// The largest number of members below a gate that are collected.
const MAX_MEMBERS: usize = 10_000;

/// Groups of signals of which exactly one holds.
pub(super) struct ExclusiveGroups {
    pub(super) members: Vec<Vec<Edge>>,
    /// The group of each signal, or [`ABSENT`].
    of: Vec<u32>,
}

impl ExclusiveGroups {
    /// The moves of each role, and the proven one-hot groups of fluents.
    pub(super) fn new(gates: &AndInverterGraph) -> Self {
        let mut groups = Self::of_moves(gates);
        for group in gates.exclusive.iter() {
            // If a member has become a constant or equal to another fluent, its edge says nothing
            // about it.
            if group.iter().all(|fluent| gates.has_base[*fluent as usize]) {
                groups.add(
                    group
                        .iter()
                        .map(|f| AndInverterGraph::base(*f as usize))
                        .collect(),
                );
            }
        }
        groups
    }

    /// The moves of each role.
    pub(super) fn of_moves(gates: &AndInverterGraph) -> Self {
        let mut groups = Self {
            members: Vec::new(),
            of: vec![ABSENT; gates.first_gate() as usize],
        };
        for role in 0..gates.game.roles.len() {
            let moves = gates.game.moves_of(role);
            let playable = moves.filter(|m| gates.has_input[*m] && gates.legal[*m] != NEVER);
            groups.add(playable.map(|m| gates.action(m)).collect());
        }
        groups
    }

    pub(super) fn add(&mut self, members: Vec<Edge>) {
        for edge in &members {
            self.of[(edge >> 1) as usize] = self.members.len() as u32;
        }
        self.members.push(members);
    }

    pub(super) fn of(&self, edge: Edge) -> Option<usize> {
        match self.of.get((edge >> 1) as usize) {
            None | Some(&ABSENT) => None,
            Some(group) => Some(*group as usize),
        }
    }
}

pub(super) fn exclude(gates: &AndInverterGraph) -> AndInverterGraph {
    let groups = ExclusiveGroups::new(gates);
    let denials = find_denials(gates, &groups);
    let mut work = GroupInputs {
        groups: &groups,
        holds: vec![ABSENT; groups.members.len()],
        denied: vec![Vec::new(); groups.members.len()],
        groups_seen: Vec::new(),
        stamp: vec![0; gates.first_gate() as usize],
        now: 0,
    };
    let mut todo: Vec<u32> = Vec::new();
    let mut rest: Vec<Edge> = Vec::new();
    let mut plain: Vec<Edge> = Vec::new();
    gates.map(|new, edges, signal| {
        rest.clear();
        plain.clear();
        let mut consistent = true;
        // The number of inputs that concern groups only.
        let mut before = 0;
        let is_denial = |edge: Edge| edge & 1 == 0 && denials[(edge >> 1) as usize];
        for edge in gates.inputs(signal) {
            let at = mapped_edge(edges, *edge);
            if is_denial(*edge) {
                before += 1;
                plain.push(at);
                todo.clear();
                todo.push(edge >> 1);
                while let Some(denial) = todo.pop() {
                    for denied in gates.inputs(denial) {
                        if is_denial(*denied) {
                            todo.push(denied >> 1);
                        } else {
                            consistent &= work.add_input(mapped_edge(edges, *denied));
                        }
                    }
                }
            } else if groups.of(at).is_some() {
                before += 1;
                plain.push(at);
                consistent &= work.add_input(at);
            } else {
                rest.push(at);
            }
        }
        let kept = rest.len();
        work.emit_inputs(new, &mut rest);
        if !consistent {
            return NEVER;
        }
        if rest.len() - kept > before {
            rest.truncate(kept);
            rest.append(&mut plain);
        }
        new.and(&mut rest)
    })
}

/// Marks denials: ANDs whose inputs are negated group members and other denials only.
fn find_denials(gates: &AndInverterGraph, groups: &ExclusiveGroups) -> Vec<bool> {
    let mut denials = vec![false; gates.len()];
    // How many members each denial negates, counted once for every path.
    let mut sizes = vec![0usize; gates.len()];
    for signal in gates.first_gate()..gates.len() as u32 {
        let Some(inputs) = gates.and_inputs(signal << 1) else {
            continue;
        };
        let mut size = 0usize;
        let all = inputs.iter().all(|edge| {
            let below = (edge >> 1) as usize;
            size += sizes[below].max(1);
            if edge & 1 == 1 {
                groups.of(*edge).is_some()
            } else {
                denials[below]
            }
        });
        denials[signal as usize] = all && size <= MAX_MEMBERS;
        sizes[signal as usize] = size;
    }
    denials
}

struct GroupInputs<'g> {
    groups: &'g ExclusiveGroups,
    /// For each group, the member that an AND requires.
    holds: Vec<Edge>,
    /// For each group, the members that an AND negates.
    denied: Vec<Vec<Edge>>,
    groups_seen: Vec<usize>,
    stamp: Vec<u32>,
    now: u32,
}

impl GroupInputs<'_> {
    /// Adds an input about a group; false if it contradicts another.
    fn add_input(&mut self, edge: Edge) -> bool {
        let Some(group) = self.groups.of(edge) else {
            // The move has become a constant: it is never legal.
            return edge != NEVER;
        };
        if self.holds[group] == ABSENT && self.denied[group].is_empty() {
            self.groups_seen.push(group);
        }
        if edge & 1 == 1 {
            self.denied[group].push(edge);
            return true;
        }
        let before = std::mem::replace(&mut self.holds[group], edge);
        before == ABSENT || before == edge
    }

    /// Adds the shortest inputs that express what was collected, and clears the collection.
    fn emit_inputs(&mut self, new: &mut AndInverterGraph, inputs: &mut Vec<Edge>) {
        for group in std::mem::take(&mut self.groups_seen) {
            let holds = std::mem::replace(&mut self.holds[group], ABSENT);
            let mut denied = std::mem::take(&mut self.denied[group]);
            let all = &self.groups.members[group];
            denied.sort_unstable();
            denied.dedup();
            if holds != ABSENT {
                // The other members do not hold anyway.
                let denied = denied.binary_search(&(holds ^ 1)).is_ok();
                let only = all.len() == 1;
                inputs.push(if denied {
                    NEVER
                } else if only {
                    ALWAYS
                } else {
                    holds
                });
            } else if denied.len() * 2 > all.len() {
                self.now += 1;
                for edge in &denied {
                    self.stamp[(edge >> 1) as usize] = self.now;
                }
                let is_rest = |edge: &&Edge| self.stamp[(**edge >> 1) as usize] != self.now;
                let mut rest: Vec<Edge> = all.iter().filter(is_rest).copied().collect();
                inputs.push(new.or(&mut rest));
            } else {
                inputs.extend_from_slice(&denied);
            }
            denied.clear();
            self.denied[group] = denied;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expression_of, network};
    use super::*;

    #[test]
    fn one_of_most_moves_is_none_of_the_others() {
        let after = run(&network(
            "(<= (next u) (does r a)) (<= (next u) (does r b))",
        ));
        assert_eq!(expression_of(&after, "(next u)"), "~(does r c)");
    }

    #[test]
    fn two_moves_of_a_role_are_never_played_at_once() {
        let after = run(&network("(<= (next u) (does r a) (does r b))"));
        assert_eq!(expression_of(&after, "(next u)"), "false");
    }

    #[test]
    fn all_moves_together_always_hold() {
        let after = run(&network(
            "(<= (next u) (does r a)) (<= (next u) (does r b)) (<= (next u) (does r c))",
        ));
        assert_eq!(expression_of(&after, "(next u)"), "true");
    }

    #[test]
    fn denials_behind_shared_gates_are_found() {
        let after = run(&network(
            "(init u) (init v) (<= x (does r a)) (<= x (does r b)) (<= y (does r b))
             (<= y (does r c))
             (<= (next u) x) (<= (next u) y) (<= (next v) x (true p)) (<= (next v) y (true q))",
        ));
        assert_eq!(expression_of(&after, "(next u)"), "true");
    }
}
