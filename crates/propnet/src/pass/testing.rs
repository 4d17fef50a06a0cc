//! Small networks for the tests of passes.

use ludorum_ground::GroundBudget;
use ludorum_logic::Rules;

use super::super::network::{ComponentId, ComponentKind, Network};
use super::{Pass, PassBudget, optimise};

/// A game with the fluents p (initially true), q and s; the move a, b or c of the only role makes
/// p, q or s hold next.
const GAME: &str = "(role r) (init p) (legal r a) (legal r b) (legal r c) (goal r 50)
    (<= (next p) (does r a)) (<= (next q) (does r b)) (<= (next s) (does r c))";

/// The network of that game with further rules, without anonymous propositions.
pub(super) fn network(rules: &str) -> Network {
    network_of(&format!("{GAME} {rules}"))
}

/// The network of a game, without anonymous propositions.
pub(super) fn network_of(rules_text: &str) -> Network {
    let rules = Rules::from_text(rules_text).expect("valid rules");
    let program = ludorum_ground::ground(&rules, &GroundBudget::default(), &mut |_| {});
    let network = crate::build_network(&program.expect("a small game"));
    optimise(network, &[Pass::Opt1, Pass::Opt0], PassBudget::unlimited())
}

/// Rules that increment `n` up to a number, one step at a time.
pub(super) fn counter(end: u32) -> String {
    let rule = |i: u32| format!("(<= (next (n {})) (true (n {i})))", i + 1);
    (0..end).map(rule).collect::<Vec<_>>().join(" ")
}

/// The expression that a component computes: `&(a b)`, `|(a b)`, `~a`, inputs in alphabetical
/// order.
pub(super) fn expression_of(network: &Network, name: &str) -> String {
    let node = network.find(name).expect("a name of the network");
    expression(network, network.inputs(node)[0])
}

fn expression(network: &Network, node: ComponentId) -> String {
    let mut inputs: Vec<String> = match network.kind(node) {
        ComponentKind::And | ComponentKind::Or | ComponentKind::Not => {
            let inputs = network.inputs(node).iter();
            inputs.map(|input| expression(network, *input)).collect()
        }
        ComponentKind::Base => {
            return network.game.fluents[network.label(node) as usize].to_string();
        }
        _ => return network.name(node).unwrap_or_default(),
    };
    inputs.sort();
    match network.kind(node) {
        ComponentKind::Not => format!("~{}", inputs[0]),
        ComponentKind::And => format!("&({})", inputs.join(" ")),
        _ => format!("|({})", inputs.join(" ")),
    }
}

/// How many ANDs and ORs there are.
pub(super) fn gates(network: &Network) -> usize {
    let counts = network.counts();
    counts.of(ComponentKind::And) + counts.of(ComponentKind::Or)
}
