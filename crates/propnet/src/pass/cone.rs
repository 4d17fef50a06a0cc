//! Cone of influence reduction: removes everything that no legal move, next fluent, goal or end
//! depends on.
//!
//! Unlike Opt3 this also removes unused cycles. Fluents are part of the state whether or not
//! anything reads them, so their transitions are roots.

use super::super::network::{ComponentId, ComponentKind, Network, Rewrite};

pub(super) fn run(network: &Network) -> Network {
    let mut used = vec![false; network.len()];
    let mut todo: Vec<ComponentId> = network
        .components()
        .filter(|node| {
            let kind = network.kind(*node);
            !kind.is_gate() && !matches!(kind, ComponentKind::Other | ComponentKind::Init)
        })
        .collect();
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut used[node as usize], true) {
            todo.extend_from_slice(network.inputs(node));
        }
    }
    let mut rewrite = Rewrite::new(network);
    for node in network.components() {
        rewrite.removed[node as usize] = !used[node as usize];
    }
    network.rewrite(&rewrite)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{gates, network};
    use super::*;

    #[test]
    fn an_unused_cycle_is_removed() {
        let mut before = network("(<= terminal (true p))");
        let first = before.len() as ComponentId;
        let base = before.find("(true q)").expect("a base");
        before.add(ComponentKind::Or, 0, &[first + 1, base]);
        before.add(ComponentKind::And, 0, &[first, base]);
        let after = run(&before);
        assert_eq!(gates(&before), gates(&after) + 2);
    }

    #[test]
    fn fluents_that_nothing_reads_stay_in_the_state() {
        let after = run(&network(
            "(<= terminal (true p)) (<= (next u) (true s) (true p))",
        ));
        assert!(after.find("(next u)").is_some());
    }
}
