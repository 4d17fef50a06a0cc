//! A part of a propositional network as a graph, with the values of a state.

use std::collections::BTreeSet;

use ludorum_propnet::evaluation_order::EvaluationOrder;
use ludorum_propnet::{ComponentKind, DotGraph, Network};
use serde::Serialize;

use super::compiled_network::CompiledNetwork;

/// Default limit on components in the graph.
const DEFAULT_NODES: usize = 400;
/// Largest accepted limit on components.
const MAX_NODES: usize = 4000;

/// The state whose values are shown.
#[derive(Debug)]
pub(crate) enum Highlight {
    /// No state.
    Nothing,
    /// The state with these fluents.
    Facts(Vec<String>),
}

/// A part of a network.
#[derive(Debug, Serialize)]
pub(crate) struct NetworkView {
    nodes: Vec<Node>,
    /// From an input to the component that reads it.
    edges: Vec<(u32, u32)>,
    /// The components that are true in the state.
    lit: Option<Vec<u32>>,
    truncated: bool,
    /// The number of components of the whole network.
    total: usize,
    /// The component whose cone of influence is shown; none for the whole network.
    cone: Option<String>,
}

#[derive(Debug, Serialize)]
struct Node {
    id: u32,
    kind: &'static str,
    label: String,
    /// Distance from fluents and moves.
    level: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<bool>,
}

/// The cone of influence of a component, or the whole network if that is small enough.
pub(crate) fn network(
    study: &CompiledNetwork,
    cone: Option<&str>,
    limit: Option<usize>,
    lit: &Highlight,
) -> Result<NetworkView, String> {
    let network = &study.network;
    let limit = limit.unwrap_or(DEFAULT_NODES).clamp(1, MAX_NODES);
    // Of a network that is too large, the cone of `terminal` is shown.
    let default = (network.len() > limit).then_some("terminal");
    let wanted = cone.or(default);
    let root = match wanted {
        None => None,
        Some(name) => find(network, name),
    };
    if cone.is_some() && root.is_none() {
        return Err("the network has nothing of this name".to_owned());
    }
    let drawing = DotGraph::new(network, root, limit);
    let levels = levels(network);
    let holds = match lit {
        Highlight::Nothing => None,
        Highlight::Facts(facts) => {
            let facts: BTreeSet<&str> = facts.iter().map(String::as_str).collect();
            let fluents = &network.game.fluents;
            Some(values(network, |n| facts.contains(&*fluents[n])))
        }
    };
    let on = |node: u32| holds.as_ref().map(|holds| holds[node as usize]);
    let nodes = drawing.nodes().iter().map(|node| {
        let kind = network.kind(*node);
        Node {
            id: *node,
            kind: kind.name(),
            label: network
                .name(*node)
                .unwrap_or_else(|| kind.name().to_uppercase()),
            level: levels[*node as usize],
            on: on(*node),
        }
    });
    let mut edges = Vec::new();
    for node in drawing.nodes() {
        let inputs = network.inputs(*node).iter();
        let shown = inputs.filter(|input| drawing.shows(**input));
        edges.extend(shown.map(|input| (*input, *node)));
    }
    let mut lit = drawing.nodes().to_vec();
    lit.retain(|node| on(*node) == Some(true));
    Ok(NetworkView {
        nodes: nodes.collect(),
        edges,
        lit: holds.is_some().then_some(lit),
        truncated: drawing.left_out > 0 || (cone.is_none() && root.is_some()),
        total: network.len(),
        cone: root.and(wanted).map(str::to_owned),
    })
}

/// A component by its number or name.
fn find(network: &Network, name: &str) -> Option<u32> {
    let number = name.parse::<u32>().ok();
    let number = number.filter(|number| (*number as usize) < network.len());
    number.or_else(|| network.find(name))
}

/// The distance of each component from the inputs. Components of a cycle have equal distances.
fn levels(network: &Network) -> Vec<u32> {
    let mut levels = vec![0; network.len()];
    let groups = EvaluationOrder::new(network);
    // By index, because cycles can be large.
    let mut group_of = vec![0; network.len()];
    for (number, (group, _)) in groups.iter().enumerate() {
        for node in group {
            group_of[*node as usize] = number;
        }
    }
    for (number, (group, _)) in groups.iter().enumerate() {
        let own = group.iter();
        let own = own.filter(|node| !network.kind(**node).is_source());
        let inputs = own.flat_map(|node| network.inputs(*node));
        let before = inputs.filter(|input| group_of[**input as usize] != number);
        let level = before.map(|input| levels[*input as usize] + 1).max();
        for node in group {
            levels[*node as usize] = level.unwrap_or(0);
        }
    }
    levels
}

/// The value of each component in a state without moves.
fn values(network: &Network, state: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut values = vec![false; network.len()];
    for (group, is_cyclic) in EvaluationOrder::new(network).iter() {
        loop {
            let mut is_changed = false;
            for node in group {
                let mut inputs = network.inputs(*node).iter().map(|i| values[*i as usize]);
                let value = match network.kind(*node) {
                    ComponentKind::True => true,
                    ComponentKind::False | ComponentKind::Input | ComponentKind::Init => false,
                    ComponentKind::Base => state(network.label(*node) as usize),
                    ComponentKind::And => inputs.all(|value| value),
                    ComponentKind::Not => !inputs.next().unwrap_or(false),
                    _ => inputs.any(|value| value),
                };
                is_changed |= value != values[*node as usize];
                values[*node as usize] = value;
            }
            // Values of a cycle only change from false to true, so the iteration reaches a least
            // fixpoint.
            if !is_changed || !is_cyclic {
                break;
            }
        }
    }
    values
}
