//! Opt2: finds components with one value in all reachable states (Sironi and Winands 2016, section
//! 4.3, algorithm 4).
//!
//! From the initial state on, the set of values that each component can take grows until a
//! fixpoint: an AND can be true if all its inputs can, an OR can be false if all its inputs can,
//! and a legal move can be played. Components with one possible value are connected to that
//! constant, and Opt0 removes them.

use super::super::evaluation_order::cyclic_nodes;
use super::super::network::{ComponentId, ComponentKind, FALSE, Network, TRUE};
use super::opt0::{self, inputs_by_move};

/// A set of truth values, a union of [`T`] and [`F`].
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
            // An input with one value is left to the legal move that goes with it.
            Some(constant) if kind != ComponentKind::Input => {
                if kind == ComponentKind::Base {
                    result.fixed[network.label(node) as usize] = Some(constant == TRUE);
                }
                // Gates keep their kind: Opt0 looks for gates over constants.
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

/// The values that each component can take in reachable states.
fn possible_values(network: &Network) -> Vec<Values> {
    let outputs = network.outputs();
    let input_of = inputs_by_move(network);
    let mut values = swept_values(network);
    // The counters TI of an AND and FI of an OR in algorithm 4: how many inputs can be true, or
    // false.
    let mut able: Vec<u32> = vec![0; network.len()];
    let mut stack: Vec<(ComponentId, Values)> = Vec::new();
    // Values that the sweeps have not propagated go on the stack; from here on it is algorithm 4.
    for node in network.components() {
        let kind = network.kind(node);
        let inputs = network.inputs(node).iter().map(|i| values[*i as usize]);
        match kind {
            ComponentKind::And => {
                able[node as usize] = inputs.filter(|v| v & T != 0).count() as u32;
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

/// Marks values that a component takes itself, without an input.
const FORCED: Values = 4;

/// The values that a component can take, given those of its inputs.
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

/// Initial part of the fixpoint: propagates values from the initial state in the order of
/// components. Most inputs come before their outputs, so a few sweeps settle nearly all of a large
/// network, and unlike the stack they access memory sequentially.
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
    // A least fixpoint starts from false, so every component of a cycle can be false.
    for node in cyclic_nodes(network) {
        values[node as usize] |= F;
    }
    let input_of = inputs_by_move(network);
    for _ in 0..MAX_SWEEPS {
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

/// The largest number of sweeps in the order of components.
const MAX_SWEEPS: usize = 6;
