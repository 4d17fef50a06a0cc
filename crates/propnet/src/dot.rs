//! A network, or the cone of one component, as a graph in the DOT language of Graphviz.

use std::fmt::Write as _;

use super::evaluation_order::dependencies;
use super::network::{ComponentId, ComponentKind, Network};

/// A part of a network that is drawn.
#[derive(Clone, Debug)]
pub struct DotGraph {
    /// The components, in breadth-first order from the root.
    nodes: Vec<ComponentId>,
    shown: Vec<bool>,
    /// How many components were left out because of the limit.
    pub left_out: usize,
}

impl DotGraph {
    /// The cone of influence of `root`, back to fluents and moves, or the whole network; at most
    /// `limit` components.
    pub fn new(network: &Network, root: Option<ComponentId>, limit: usize) -> Self {
        let mut seen = vec![false; network.len()];
        let mut nodes = Vec::new();
        match root {
            None => nodes.extend(network.components()),
            Some(root) => {
                // Breadth first, so that the limit cuts off the farthest components.
                nodes.push(root);
                seen[root as usize] = true;
                let mut at = 0;
                while at < nodes.len() {
                    for input in dependencies(network, nodes[at]) {
                        if !std::mem::replace(&mut seen[*input as usize], true) {
                            nodes.push(*input);
                        }
                    }
                    at += 1;
                }
            }
        }
        let left_out = nodes.len().saturating_sub(limit);
        nodes.truncate(limit);
        let mut shown = vec![false; network.len()];
        for node in &nodes {
            shown[*node as usize] = true;
        }
        Self {
            nodes,
            shown,
            left_out,
        }
    }

    /// The components, in breadth-first order from the root.
    pub fn nodes(&self) -> &[ComponentId] {
        &self.nodes
    }

    /// Whether a component is drawn.
    pub fn shows(&self, node: ComponentId) -> bool {
        self.shown.get(node as usize).is_some_and(|shown| *shown)
    }

    /// How many components are drawn.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The graph in the DOT language.
    pub fn to_dot(&self, network: &Network, title: &str) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "digraph \"{}\" {{", escaped(title));
        out.push_str("  rankdir=LR;\n  node [fontname=\"Helvetica\", fontsize=10];\n");
        for node in &self.nodes {
            let kind = network.kind(*node);
            let (shape, fill) = look(kind);
            let label = network
                .name(*node)
                .unwrap_or_else(|| kind.name().to_uppercase());
            let _ = writeln!(
                out,
                "  n{node} [label=\"{}\", shape={shape}, style=filled, fillcolor=\"{fill}\"];",
                escaped(&label)
            );
        }
        for node in &self.nodes {
            let mut cut = 0;
            for input in network.inputs(*node) {
                if self.shown[*input as usize] {
                    // From a transition to its base, one step of the game passes.
                    let step = network.kind(*node) == ComponentKind::Base;
                    let style = if step { " [style=dashed]" } else { "" };
                    let _ = writeln!(out, "  n{input} -> n{node}{style};");
                } else {
                    cut += 1;
                }
            }
            if cut > 0 && !network.kind(*node).is_source() {
                let _ = writeln!(
                    out,
                    "  c{node} [label=\"{cut} more\", shape=plaintext];\n  \
                     c{node} -> n{node} [style=dotted];"
                );
            }
        }
        out.push_str("}\n");
        out
    }
}

fn look(kind: ComponentKind) -> (&'static str, &'static str) {
    match kind {
        ComponentKind::Base => ("box", "#cfe2ff"),
        ComponentKind::Input => ("box", "#ffe5b4"),
        ComponentKind::Legal => ("box", "#fff3cd"),
        ComponentKind::Goal | ComponentKind::Terminal => ("box", "#f8d7da"),
        ComponentKind::Transition => ("cds", "#e2e3e5"),
        ComponentKind::And => ("invhouse", "#d1e7dd"),
        ComponentKind::Or => ("house", "#d1e7dd"),
        ComponentKind::Not => ("invtriangle", "#f5f5f5"),
        ComponentKind::True | ComponentKind::False | ComponentKind::Init | ComponentKind::Other => {
            ("ellipse", "#ffffff")
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
