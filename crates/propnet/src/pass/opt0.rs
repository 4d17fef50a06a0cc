//! Opt0: constant propagation (Sironi and Winands 2016, section 4.1, algorithms 1 and 2).
//!
//! A component with a constant input may be decided; unless it has a meaning of its own, it is
//! removed, and its outputs are connected to the constant and examined in turn. A constant does not
//! pass a transition, because the base may have another value in the initial state.

use super::super::network::{ComponentId, ComponentKind, FALSE, Network, Rewrite, TRUE};

pub(super) fn run(network: &Network) -> Network {
    let outputs = network.outputs();
    let mut rewrite = Rewrite::new(network);
    rewrite.drop_neutral = true;
    // For each gate, how many inputs are not known to be neutral.
    let mut open: Vec<u32> = network
        .components()
        .map(|node| network.inputs(node).len() as u32)
        .collect();
    let input_of = inputs_by_move(network);
    let mut known: Vec<Option<bool>> = vec![None; network.len()];
    let mut todo = vec![(TRUE, true), (FALSE, false)];
    while let Some((source, value)) = todo.pop() {
        let constant = if value { TRUE } else { FALSE };
        for node in outputs.of(source) {
            if known[*node as usize].is_some() {
                continue;
            }
            let decided = match network.kind(*node) {
                ComponentKind::Transition => None,
                ComponentKind::Not => Some(!value),
                ComponentKind::And | ComponentKind::Or => {
                    let absorbing = network.kind(*node) == ComponentKind::Or;
                    open[*node as usize] -= 1;
                    (value == absorbing || open[*node as usize] == 0).then_some(value)
                }
                _ => {
                    let meaningless = matches!(
                        network.kind(*node),
                        ComponentKind::Other | ComponentKind::Base
                    ) || !value
                        && matches!(
                            network.kind(*node),
                            ComponentKind::Init | ComponentKind::Goal
                        );
                    if meaningless {
                        rewrite.replace(*node, constant);
                    }
                    if network.kind(*node) == ComponentKind::Legal && !value {
                        rewrite.replace(*node, constant);
                        // A move that is never legal is never played.
                        let input = input_of[network.label(*node) as usize];
                        if known[input as usize].is_none() {
                            rewrite.replace(input, FALSE);
                            known[input as usize] = Some(false);
                            todo.push((input, false));
                        }
                    } else {
                        // The component stays, and others read the constant instead.
                        rewrite.instead[*node as usize] = constant;
                    }
                    Some(value)
                }
            };
            if let Some(decided) = decided {
                known[*node as usize] = Some(decided);
                if network.kind(*node).is_gate() {
                    rewrite.replace(*node, if decided { TRUE } else { FALSE });
                }
                todo.push((*node, decided));
            }
        }
    }
    shorten(network, &open, &known, &mut rewrite);
    drop_idle_transitions(network, &outputs, &mut rewrite);
    network.rewrite(&rewrite)
}

/// Replaces gates with one remaining input by that input.
fn shorten(network: &Network, open: &[u32], known: &[Option<bool>], rewrite: &mut Rewrite) {
    for node in network.components() {
        if known[node as usize].is_none()
            && matches!(network.kind(node), ComponentKind::And | ComponentKind::Or)
            && open[node as usize] == 1
            && network.inputs(node).len() > 1
        {
            let rest = network
                .inputs(node)
                .iter()
                .find(|input| known[**input as usize].is_none() && **input > FALSE);
            if let Some(rest) = rest {
                rewrite.replace(node, *rest);
            }
        }
    }
}

/// Removes transitions whose base is removed.
fn drop_idle_transitions(
    network: &Network,
    outputs: &super::super::network::OutputLists,
    rewrite: &mut Rewrite,
) {
    for node in network.components() {
        if network.kind(node) == ComponentKind::Transition
            && outputs
                .of(node)
                .iter()
                .all(|base| rewrite.removed[*base as usize])
        {
            rewrite.removed[node as usize] = true;
        }
    }
}

/// The input component of every move.
pub(super) fn inputs_by_move(network: &Network) -> Vec<ComponentId> {
    let mut inputs = vec![FALSE; network.game.move_count()];
    for node in network.components() {
        if network.kind(node) == ComponentKind::Input {
            inputs[network.label(node) as usize] = node;
        }
    }
    inputs
}
