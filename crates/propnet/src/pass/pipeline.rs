//! The pass pipeline: applies a sequence of passes within a time budget.
//!
//! The passes of Sironi and Winands 2016 take linear time and always run. The others run while
//! there is time. A pass that runs out of time leaves the rest of the network as it is, and a pass
//! that could hardly start is skipped. Consecutive passes over an and-inverter graph hand it on, so
//! that the network is read and written once.

use std::time::{Duration, Instant};

use super::super::network::{ComponentCounts, Network};
use super::and_inverter_graph::AndInverterGraph;
use super::budget::PassBudget;
use super::{Pass, write_network};

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassOutcome {
    /// It was completed.
    Done,
    /// The time ran out before it had processed everything.
    CutShort,
    /// It was skipped for lack of time.
    Skipped,
}

/// What a pass did.
#[derive(Clone, Copy, Debug)]
pub struct PassReport {
    /// The pass.
    pub pass: Pass,
    /// The component counts after it.
    pub after: ComponentCounts,
    /// How long it took.
    pub time: Duration,
    /// How it ended.
    pub outcome: PassOutcome,
}

/// Upper estimate of the time for reading, mapping or writing one wire, from the largest known
/// networks.
const NANOSECONDS_PER_WIRE: u64 = 120;

/// A network in the form that the last pass left it in.
enum PassInput {
    Network(Network),
    AndInverterGraph(Box<AndInverterGraph>),
}

impl PassInput {
    fn into_network(self) -> Network {
        match self {
            Self::Network(network) => network,
            Self::AndInverterGraph(gates) => write_network::write(&gates),
        }
    }

    fn counts(&self) -> ComponentCounts {
        match self {
            Self::Network(network) => network.counts(),
            Self::AndInverterGraph(gates) => write_network::write(gates).counts(),
        }
    }

    /// A lower bound on the time of the next pass over the graph: mapping, and reading or writing
    /// the network.
    fn least_time(&self) -> Duration {
        let work = match self {
            Self::Network(network) => 3 * network.wire_count(),
            Self::AndInverterGraph(gates) => 2 * gates.wire_count(),
        };
        Duration::from_nanos(work as u64 * NANOSECONDS_PER_WIRE)
    }
}

/// Applies passes in order and reports on each; see [`optimise`].
pub fn optimise_with_reports(
    network: Network,
    passes: &[Pass],
    mut budget: PassBudget,
) -> (Network, Vec<PassReport>) {
    let mut effects = Vec::with_capacity(passes.len());
    let mut form = PassInput::Network(network);
    for pass in passes {
        let start = Instant::now();
        let outcome;
        (form, outcome) = step(form, *pass, &mut budget);
        let time = start.elapsed();
        effects.push(PassReport {
            pass: *pass,
            after: form.counts(),
            time,
            outcome,
        });
    }
    (form.into_network(), effects)
}

/// Applies passes in order. Those beyond Sironi and Winands 2016 run until the budget is spent.
pub fn optimise(network: Network, passes: &[Pass], mut budget: PassBudget) -> Network {
    let form = passes
        .iter()
        .fold(PassInput::Network(network), |form, pass| {
            step(form, *pass, &mut budget).0
        });
    form.into_network()
}

fn step(form: PassInput, pass: Pass, budget: &mut PassBudget) -> (PassInput, PassOutcome) {
    let Some(change) = pass.over_gates() else {
        return (
            PassInput::Network(pass.run(&form.into_network())),
            PassOutcome::Done,
        );
    };
    *budget = budget.started();
    if !budget.allows(form.least_time()) {
        return (form, PassOutcome::Skipped);
    }
    let gates = match form {
        PassInput::Network(network) => Box::new(AndInverterGraph::with_budget(&network, *budget)),
        PassInput::AndInverterGraph(gates) => gates,
    };
    let gates = Box::new(change(&gates));
    let outcome = if budget.is_spent() {
        PassOutcome::CutShort
    } else {
        PassOutcome::Done
    };
    (PassInput::AndInverterGraph(gates), outcome)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expression_of, network};
    use super::super::{FULL, SIRONI_WINANDS};
    use super::*;

    const RULES: &str = "(<= terminal (true p) (true q)) (<= terminal (true p) (true s))";

    #[test]
    fn without_time_only_the_linear_passes_run() {
        let (after, effects) =
            optimise_with_reports(network(RULES), FULL, PassBudget::of_time(Duration::ZERO));
        for effect in effects {
            let expected = if SIRONI_WINANDS.contains(&effect.pass) {
                PassOutcome::Done
            } else {
                PassOutcome::Skipped
            };
            assert_eq!(effect.outcome, expected, "{}", effect.pass);
        }
        assert_eq!(expression_of(&after, "terminal"), "|(&(p q) &(p s))");
    }

    #[test]
    fn a_pass_that_is_cut_short_changes_no_behaviour() {
        let gates = AndInverterGraph::with_budget(
            &network(RULES),
            PassBudget::of_time(Duration::ZERO).started(),
        );
        for pass in FULL {
            if let Some(change) = pass.over_gates() {
                let after = write_network::write(&change(&gates));
                assert_eq!(
                    expression_of(&after, "terminal"),
                    "|(&(p q) &(p s))",
                    "{pass}"
                );
            }
        }
    }

    #[test]
    fn reports_do_not_change_the_result() {
        let (with, effects) = optimise_with_reports(network(RULES), FULL, PassBudget::unlimited());
        let without = optimise(network(RULES), FULL, PassBudget::unlimited());
        assert_eq!(with.counts(), without.counts());
        assert_eq!(
            effects.last().map(|effect| effect.after),
            Some(with.counts())
        );
    }
}
