//! Opt2: finds components that have one value all through the game (Algorithm 4 of 'Optimizing
//! Propositional Networks').
//!
//! From the initial state on, the set of values that each component can take is grown until nothing
//! is added: an AND can be true when all its inputs can, an OR false when all its inputs can; a
//! legal move can be played. What can take one value only is connected to that constant, and Opt0
//! removes it.

use super::super::evaluation_order::cyclic_nodes;
use super::super::network::{ComponentId, ComponentKind, FALSE, Network, TRUE};
use super::opt0::{self, inputs_by_move};

/// A set of truth values.
type Values = u8;
const T: Values = 1;
const F: Values = 2;

pub(super) fn run(network: &Network) -> Network {
    let values = possible_values(network);
    let mut result = Network::new(network.game.clone(), network.goals.clone());
    result.inherit(network);
    for node in network.components().skip(2) {
        let constant = match values[node as usize] {
            T => Some(TRUE),
            F => Some(FALSE),
            _ => None,
        };
        let kind = network.kind(node);
        match constant {
            // A constant input is left to the legal move that goes with it.
            Some(constant) if kind != ComponentKind::Input => {
                if kind == ComponentKind::Base {
                    result.fixed[network.label(node) as usize] = Some(constant == TRUE);
                }
                // Gates keep their kind: a gate over one constant is what Opt0 looks for.
                let constant = match (kind, constant) {
                    (ComponentKind::Not, TRUE) => FALSE,
                    (ComponentKind::Not, _) => TRUE,
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
    let mut values = swept_values(network);
    // TI of an AND and FI of an OR: inputs that can be true, that can be false.
    let mut able: Vec<u32> = vec![0; network.len()];
    let mut stack: Vec<(ComponentId, Values)> = Vec::new();
    // What the sweep has not handed on goes on the stack; from here on it is the algorithm as
    // published.
    for node in network.components() {
        let kind = network.kind(node);
        let inputs = network.inputs(node).iter().map(|i| values[*i as usize]);
        match kind {
            ComponentKind::And => {
                able[node as usize] = inputs.filter(|v| v & T != 0).count() as u32
            }
            ComponentKind::Or => able[node as usize] = inputs.filter(|v| v & F != 0).count() as u32,
            _ => {}
        }
        let new = evaluated(network, node, &values) & !values[node as usize];
        if new != 0 {
            stack.push((node, new | FORCED));
        }
        if kind == ComponentKind::Legal {
            let input = input_of[network.label(node) as usize];
            let new = values[node as usize] & !values[input as usize];
            if new != 0 {
                stack.push((input, new | FORCED));
            }
        }
    }
    while let Some((node, added)) = stack.pop() {
        let kind = network.kind(node);
        let out = if added & FORCED != 0 {
            added & (T | F)
        } else {
            match kind {
                ComponentKind::Not => (added & T) << 1 | (added & F) >> 1,
                ComponentKind::And | ComponentKind::Or => {
                    let (counted, other) = if kind == ComponentKind::And {
                        (T, F)
                    } else {
                        (F, T)
                    };
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
        if kind == ComponentKind::Legal {
            stack.push((input_of[network.label(node) as usize], new));
        }
    }
    values
}

/// Marks values that a component takes by itself, not through an input.
const FORCED: Values = 4;

/// The values that the inputs of a component let it take.
#[inline]
fn evaluated(network: &Network, node: ComponentId, values: &[Values]) -> Values {
    let mut inputs = network.inputs(node).iter().map(|i| values[*i as usize]);
    match network.kind(node) {
        ComponentKind::True | ComponentKind::False | ComponentKind::Input => 0,
        ComponentKind::Not => inputs.next().map_or(0, |v| (v & T) << 1 | (v & F) >> 1),
        ComponentKind::And => inputs.fold(T, |all, v| all & (v | F) | v & F),
        ComponentKind::Or => inputs.fold(F, |all, v| all & (v | T) | v & T),
        _ => inputs.next().unwrap_or(0),
    }
}

/// A first part of the values: those of the start, handed on in the order of components. Most
/// inputs come before what they lead to, so this settles nearly all of a large network, and unlike
/// the stack it walks through memory in order.
fn swept_values(network: &Network) -> Vec<Values> {
    let mut values: Vec<Values> = vec![0; network.len()];
    for node in network.components() {
        values[node as usize] = match network.kind(node) {
            ComponentKind::True => T,
            ComponentKind::Base if network.game.initial.get(network.label(node) as usize) => T,
            ComponentKind::False | ComponentKind::Input | ComponentKind::Base => F,
            _ => 0,
        };
    }
    // A least fixpoint starts from false, so what is part of a cycle can be.
    for node in cyclic_nodes(network) {
        values[node as usize] |= F;
    }
    let input_of = inputs_by_move(network);
    for _ in 0..SWEEPS {
        let mut changed = false;
        for node in network.components() {
            let value = values[node as usize];
            if value != T | F {
                let new = value | evaluated(network, node, &values);
                changed |= new != value;
                values[node as usize] = new;
            }
            if network.kind(node) == ComponentKind::Legal {
                values[input_of[network.label(node) as usize] as usize] |= values[node as usize];
            }
        }
        if !changed {
            break;
        }
    }
    values
}

/// How often components are gone through in order.
const SWEEPS: usize = 6;
