//! Opt2: finds components that have one value all through the game (Algorithm 4 of 'Optimizing Propositional Networks').
//!
//! From the initial state on, the set of values that each component can take is grown until nothing is added: an AND can be
//! true when all its inputs can, an OR false when all its inputs can; a legal move can be played. What can take one value only is
//! connected to that constant, and Opt0 removes it.

use super::super::network::{FALSE, Kind, Network, NodeId, TRUE};
use super::super::order::cyclic_nodes;
use super::opt0::{self, inputs_by_move};

/// A set of truth values.
type Values = u8;
const T: Values = 1;
const F: Values = 2;

pub(super) fn run(network: &Network) -> Network {
    let values = possible_values(network);
    let mut result = Network::new(network.game.clone(), network.goals.clone());
    result.inherit(network);
    for node in network.nodes().skip(2) {
        let constant = match values[node as usize] {
            T => Some(TRUE),
            F => Some(FALSE),
            _ => None,
        };
        let kind = network.kind(node);
        match constant {
            // A constant input is left to the legal move that goes with it.
            Some(constant) if kind != Kind::Input => {
                if kind == Kind::Base {
                    result.fixed[network.label(node) as usize] = Some(constant == TRUE);
                }
                // Gates keep their kind: a gate over one constant is what Opt0 looks for.
                let constant = match (kind, constant) {
                    (Kind::Not, TRUE) => FALSE,
                    (Kind::Not, _) => TRUE,
                    (_, constant) => constant,
                };
                result.add(kind, network.label(node), &[constant]);
            }
            _ => {
                result.add(kind, network.label(node), network.inputs(node));
            }
        }
    }
    opt0::run(&result)
}

/// The values that each component can take in any reachable state.
fn possible_values(network: &Network) -> Vec<Values> {
    let outputs = network.outputs();
    let input_of = inputs_by_move(network);
    let mut values: Vec<Values> = vec![0; network.len()];
    // TI of an AND and FI of an OR: inputs that can be true, that can be false.
    let mut able: Vec<u32> = vec![0; network.len()];
    let mut stack: Vec<(NodeId, Values)> = vec![(TRUE, T), (FALSE, F)];
    for node in network.nodes() {
        match network.kind(node) {
            Kind::Input => stack.push((node, F)),
            Kind::Base => {
                let holds = network.game.initial.get(network.label(node) as usize);
                stack.push((node, if holds { T } else { F }));
            }
            _ => {}
        }
    }
    // A least fixpoint starts from false, so what is part of a cycle can be.
    for node in cyclic_nodes(network) {
        stack.push((node, F | FORCED));
    }
    while let Some((node, added)) = stack.pop() {
        let kind = network.kind(node);
        let out = if added & FORCED != 0 {
            added & (T | F)
        } else {
            match kind {
                Kind::Not => (added & T) << 1 | (added & F) >> 1,
                Kind::And | Kind::Or => {
                    let (counted, other) = if kind == Kind::And { (T, F) } else { (F, T) };
                    let mut out = added & other;
                    if added & counted != 0 {
                        able[node as usize] += 1;
                        if able[node as usize] as usize == network.inputs(node).len() {
                            out |= counted;
                        }
                    }
                    out
                }
                _ => added,
            }
        };
        let new = out & !values[node as usize];
        if new == 0 {
            continue;
        }
        values[node as usize] |= new;
        stack.extend(outputs.of(node).iter().map(|output| (*output, new)));
        if kind == Kind::Legal {
            stack.push((input_of[network.label(node) as usize], new));
        }
    }
    values
}

/// Marks values that a component takes by itself, not through an input.
const FORCED: Values = 4;
