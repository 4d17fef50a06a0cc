//! Builds the basic network from a ground program.
//!
//! Every atom becomes a proposition, every rule with several conditions an AND, every atom with
//! several rules an OR, every negated atom one NOT. Atoms with the same rules share their gates.
//! The constraints of Sironi and Winands 2016, section 3, hold by construction: one TRUE and one
//! FALSE, one type for each proposition, inputs and legal moves one to one, and no components
//! without inputs but constants and input propositions.

use std::ops::Range;
use std::sync::Arc;

use ludorum_ground::{AtomId, AtomKind, GroundLiteral, GroundProgram};
use rustc_hash::FxHashMap;

use super::network::{ComponentId, ComponentKind, FALSE, GoalValue, NO_LABEL, Network, TRUE};
use crate::ground_game::{GroundGame, MoveOrder};

/// Builds the basic network of a ground program, before any passes.
pub fn build_network(program: &GroundProgram) -> Network {
    let (game, order) = GroundGame::new(program);
    let mut builder = Builder {
        program,
        pending: Vec::new(),
        wires: Vec::new(),
        values: vec![Wire::Node(FALSE); program.atom_count()],
        by_rules: FxHashMap::default(),
    };
    builder.add_sources(&order);
    builder.add_atoms(&order);
    builder.finish(game)
}

/// A connection to an input.
#[derive(Clone, Copy)]
enum Wire {
    /// To a component.
    Node(ComponentId),
    /// To the value of an atom or its negation; resolved once all atoms have a component.
    Literal(GroundLiteral),
}

/// A component whose inputs are not connected yet.
struct PendingComponent {
    kind: ComponentKind,
    label: u32,
    wires: Range<usize>,
}

struct Builder<'p> {
    program: &'p GroundProgram,
    /// The components from number 2 on; the first two are the constants.
    pending: Vec<PendingComponent>,
    wires: Vec<Wire>,
    /// The source of each atom's value.
    values: Vec<Wire>,
    /// By hash of its rules: an atom, and the gate that computes its value.
    by_rules: FxHashMap<u64, (AtomId, Wire)>,
}

impl Builder<'_> {
    fn add(&mut self, kind: ComponentKind, label: u32, wires: &[Wire]) -> ComponentId {
        let start = self.wires.len();
        self.wires.extend_from_slice(wires);
        self.pending.push(PendingComponent {
            kind,
            label,
            wires: start..self.wires.len(),
        });
        self.pending.len() as ComponentId + 1
    }

    /// Adds bases with their transitions, and inputs.
    fn add_sources(&mut self, order: &MoveOrder) {
        self.add(ComponentKind::Init, NO_LABEL, &[Wire::Node(FALSE)]);
        for (i, fluent) in self.program.fluents.iter().enumerate() {
            let label = i as u32;
            let next = fluent.next.map_or(Wire::Node(FALSE), |atom| {
                Wire::Literal(GroundLiteral::new(atom, false))
            });
            let transition = self.add(ComponentKind::Transition, label, &[next]);
            let base = self.add(ComponentKind::Base, label, &[Wire::Node(transition)]);
            self.values[fluent.truth as usize] = Wire::Node(base);
        }
        let moves = self.program.moves.iter().zip(order);
        for (label, (role, place)) in moves
            .flat_map(|(role, places)| places.iter().map(move |place| (role, *place)))
            .enumerate()
        {
            let input = self.add(ComponentKind::Input, label as u32, &[]);
            self.values[role[place].does as usize] = Wire::Node(input);
        }
    }

    /// Adds all other atoms with the gates of their rules.
    fn add_atoms(&mut self, order: &MoveOrder) {
        let program = self.program;
        let mut labels: Vec<u32> = vec![NO_LABEL; program.atom_count()];
        let moves = program.moves.iter().zip(order);
        for (label, action) in moves
            .flat_map(|(role, places)| places.iter().map(move |place| &role[*place]))
            .enumerate()
        {
            labels[action.legal as usize] = label as u32;
        }
        for (i, goal) in program.goals.iter().enumerate() {
            labels[goal.atom as usize] = i as u32;
        }
        let atoms = program
            .components()
            .flat_map(|component| component.atoms.iter().map(move |a| (a, component.cyclic)));
        for (atom, cyclic) in atoms {
            // Within a cycle the values of other atoms are not known yet, so gates cannot be
            // shared.
            let value = if cyclic {
                self.gates(*atom)
            } else {
                self.value(*atom)
            };
            let kind = match program.relation_of(*atom).kind {
                // The transition reads the gate directly.
                AtomKind::Next => {
                    self.values[*atom as usize] = value;
                    continue;
                }
                // An atom about something that is not a role of the game.
                AtomKind::Legal | AtomKind::Goal if labels[*atom as usize] == NO_LABEL => {
                    ComponentKind::Other
                }
                AtomKind::Legal => ComponentKind::Legal,
                AtomKind::Goal => ComponentKind::Goal,
                AtomKind::Terminal => ComponentKind::Terminal,
                AtomKind::True | AtomKind::Does | AtomKind::Other => ComponentKind::Other,
            };
            let label = if kind == ComponentKind::Other {
                *atom
            } else {
                labels[*atom as usize]
            };
            let node = self.add(kind, label, &[value]);
            self.values[*atom as usize] = Wire::Node(node);
        }
        if program.terminal.is_none() {
            self.add(ComponentKind::Terminal, NO_LABEL, &[Wire::Node(FALSE)]);
        }
    }

    /// The gate of an atom's rules, shared with an atom that has the same rules.
    fn value(&mut self, atom: AtomId) -> Wire {
        let mut bodies = self.program.bodies_of(atom);
        let trivial = match (bodies.next(), bodies.next()) {
            (None, _) => true,
            (Some(body), None) => body.len() < 2,
            _ => false,
        };
        if trivial {
            return self.gates(atom);
        }
        let hash = self.hash(atom);
        match self.by_rules.get(&hash) {
            Some((other, gate)) if self.rules(*other) == self.rules(atom) => *gate,
            Some(_) => self.gates(atom),
            None => {
                let gate = self.gates(atom);
                self.by_rules.insert(hash, (atom, gate));
                gate
            }
        }
    }

    /// A literal as its component and its sign in one number.
    fn edge(&self, literal: GroundLiteral) -> u64 {
        let (node, negated) = self.connect(Wire::Literal(literal));
        u64::from(node) << 1 | u64::from(negated)
    }

    /// A hash of an atom's rules that does not depend on the order of rules and conditions.
    fn hash(&self, atom: AtomId) -> u64 {
        let mut hash = 0u64;
        for body in self.program.bodies_of(atom) {
            let conditions = body.iter().fold(0u64, |sum, literal| {
                sum.wrapping_add(mixed(self.edge(*literal).wrapping_add(1)))
            });
            hash = hash.wrapping_add(mixed(conditions));
        }
        hash
    }

    /// The rules of an atom in canonical order.
    fn rules(&self, atom: AtomId) -> Vec<Vec<u64>> {
        let mut rules: Vec<Vec<u64>> = self
            .program
            .bodies_of(atom)
            .map(|body| {
                let mut edges: Vec<u64> = body.iter().map(|l| self.edge(*l)).collect();
                edges.sort_unstable();
                edges
            })
            .collect();
        rules.sort_unstable();
        rules
    }

    /// Adds the gates of an atom's rules.
    fn gates(&mut self, atom: AtomId) -> Wire {
        let program = self.program;
        let mut parts: Vec<Wire> = Vec::new();
        for body in program.bodies_of(atom) {
            parts.push(match body {
                [] => Wire::Node(TRUE),
                [literal] => Wire::Literal(*literal),
                _ => {
                    let wires: Vec<Wire> = body.iter().copied().map(Wire::Literal).collect();
                    Wire::Node(self.add(ComponentKind::And, NO_LABEL, &wires))
                }
            });
        }
        match parts[..] {
            [] => Wire::Node(FALSE),
            [part] => part,
            _ => Wire::Node(self.add(ComponentKind::Or, NO_LABEL, &parts)),
        }
    }

    /// Connects all inputs, with one NOT for each component that is negated.
    fn finish(self, game: GroundGame) -> Network {
        let goals: Vec<GoalValue> = self
            .program
            .goals
            .iter()
            .map(|goal| {
                let text: Box<str> = self.program.terms.text(goal.term).into();
                GoalValue {
                    role: goal.role,
                    value: text.parse().ok(),
                    text,
                }
            })
            .collect();
        let mut network = Network::new(Arc::new(game), goals.into());
        let mut negations: FxHashMap<ComponentId, ComponentId> = FxHashMap::default();
        let mut nots: Vec<ComponentId> = Vec::new();
        let mut inputs: Vec<ComponentId> = Vec::new();
        for component in &self.pending {
            inputs.clear();
            for wire in &self.wires[component.wires.clone()] {
                let (node, negated) = self.connect(*wire);
                if negated {
                    let fresh = (self.pending.len() + 2 + nots.len()) as ComponentId;
                    let not = *negations.entry(node).or_insert_with(|| {
                        nots.push(node);
                        fresh
                    });
                    inputs.push(not);
                } else {
                    inputs.push(node);
                }
            }
            network.add(component.kind, component.label, &inputs);
        }
        for node in nots {
            network.add(ComponentKind::Not, NO_LABEL, &[node]);
        }
        network
    }

    /// The component at the end of a connection, and whether it is negated. A chain arises where a
    /// `next` atom is another literal; it has one link.
    fn connect(&self, wire: Wire) -> (ComponentId, bool) {
        let mut negated = false;
        let mut at = wire;
        loop {
            match at {
                Wire::Node(node) => return (node, negated),
                Wire::Literal(literal) => {
                    negated ^= literal.is_negated();
                    at = self.values[literal.atom() as usize];
                }
            }
        }
    }
}

/// A bit mixing function for hashes.
fn mixed(number: u64) -> u64 {
    let product = number.wrapping_mul(0xf135_7aea_2e62_a9c5);
    (product ^ product >> 29)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(26)
}
