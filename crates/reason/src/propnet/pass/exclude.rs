//! Mutual exclusion: of some signals exactly one holds at a time.
//!
//! Every role plays exactly one move. So an AND of two moves of a role never holds, a move makes the negations of all others
//! redundant, and 'none of these' over most of a role's moves is 'one of the others'.

use super::super::network::Network;
use super::emit;
use super::gates::{ABSENT, Edge, Gates, NO, YES, moved};

pub(super) fn run(network: &Network) -> Network {
    emit::network(&exclude(&Gates::new(network)))
}

/// Signals of which exactly one holds.
pub(super) struct Groups {
    pub(super) members: Vec<Vec<Edge>>,
    /// The group of each signal, or [`ABSENT`].
    of: Vec<u32>,
}

impl Groups {
    /// The moves of each role.
    pub(super) fn of_moves(gates: &Gates) -> Self {
        let mut groups = Self {
            members: Vec::new(),
            of: vec![ABSENT; gates.first_gate() as usize],
        };
        for role in 0..gates.game.roles.len() {
            let moves = gates.game.moves_of(role);
            let playable = moves.filter(|m| gates.has_input[*m] && gates.legal[*m] != NO);
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

pub(super) fn exclude(gates: &Gates) -> Gates {
    let groups = Groups::of_moves(gates);
    let mut work = Work {
        groups: &groups,
        only: groups.members.iter().map(|all| all.len() == 1).collect(),
        holds: vec![ABSENT; groups.members.len()],
        denied: vec![0; groups.members.len()],
        touched: Vec::new(),
        stamp: vec![0; gates.first_gate() as usize],
        now: 0,
    };
    let mut inputs = Vec::new();
    gates.map(|new, edges, signal| {
        inputs.clear();
        inputs.extend(gates.inputs(signal).iter().map(|edge| moved(edges, *edge)));
        work.and(new, &mut inputs)
    })
}

struct Work<'g> {
    groups: &'g Groups,
    /// Whether a group has just one member.
    only: Vec<bool>,
    /// For each group, the member that an AND asks for, and how many it denies.
    holds: Vec<Edge>,
    denied: Vec<u32>,
    touched: Vec<usize>,
    stamp: Vec<u32>,
    now: u32,
}

impl Work<'_> {
    fn and(&mut self, new: &mut Gates, inputs: &mut Vec<Edge>) -> Edge {
        inputs.sort_unstable();
        inputs.dedup();
        if self.only.iter().any(|only| *only) {
            // The only member always holds.
            for edge in inputs.iter_mut() {
                if self.groups.of(*edge).is_some_and(|group| self.only[group]) {
                    *edge = YES | *edge & 1;
                }
            }
        }
        let mut contradiction = false;
        for edge in inputs.iter() {
            let Some(group) = self.groups.of(*edge) else {
                continue;
            };
            if self.holds[group] == ABSENT && self.denied[group] == 0 {
                self.touched.push(group);
            }
            if edge & 1 == 1 {
                self.denied[group] += 1;
            } else {
                contradiction |= self.holds[group] != ABSENT;
                self.holds[group] = *edge;
            }
        }
        for group in std::mem::take(&mut self.touched) {
            let holds = std::mem::replace(&mut self.holds[group], ABSENT);
            let denied = std::mem::take(&mut self.denied[group]) as usize;
            let all = &self.groups.members[group];
            if holds != ABSENT {
                // The others do not hold anyway; if it is denied itself, its own negation stays and makes a contradiction.
                inputs
                    .retain(|e| self.groups.of(*e) != Some(group) || e & 1 == 0 || *e == holds ^ 1);
            } else if denied * 2 > all.len() {
                self.now += 1;
                for edge in inputs.iter() {
                    if self.groups.of(*edge) == Some(group) {
                        self.stamp[(edge >> 1) as usize] = self.now;
                    }
                }
                let is_rest = |edge: &&Edge| self.stamp[(**edge >> 1) as usize] != self.now;
                let mut rest: Vec<Edge> = all.iter().filter(is_rest).copied().collect();
                inputs.retain(|edge| self.groups.of(*edge) != Some(group));
                inputs.push(new.or(&mut rest));
            }
        }
        if contradiction {
            return NO;
        }
        new.and(inputs)
    }
}
