//! Passes one after another, within a time.
//!
//! The paper's passes are linear and always run. Those beyond it run while there is time: one that
//! is cut short leaves the rest of the network as it is, and one that could hardly begin is left
//! out. They hand gates on to each other, so that the network is read once and written once.

use std::time::{Duration, Instant};

use super::super::network::{ComponentCounts, Network};
use super::and_inverter_graph::AndInverterGraph;
use super::budget::PassBudget;
use super::{Pass, write_network};

/// What came of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassOutcome {
    /// It did all it can.
    Done,
    /// The time was over before it had seen everything.
    CutShort,
    /// There was no time for it.
    Skipped,
}

/// What a pass did.
#[derive(Clone, Copy, Debug)]
pub struct PassReport {
    /// The pass.
    pub pass: Pass,
    /// The components after it.
    pub after: ComponentCounts,
    /// How long it took.
    pub time: Duration,
    /// Whether it had the time it needs.
    pub outcome: PassOutcome,
}

/// What reading, mapping or writing a wire takes at most, a cautious figure from the largest
/// networks known.
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

    /// What the next pass over gates will take at the least: its own way through them, and reading
    /// or writing the network.
    fn least_time(&self) -> Duration {
        let work = match self {
            Self::Network(network) => 3 * network.wire_count(),
            Self::AndInverterGraph(gates) => 2 * gates.wire_count(),
        };
        Duration::from_nanos(work as u64 * NANOSECONDS_PER_WIRE)
    }
}

/// Applies passes in order, those beyond the paper's until the clock runs out, and tells what each
/// did.
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

/// The same without figures, which take time of their own.
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
    use super::super::testing::{network, written};
    use super::super::{FULL, SIRONI_WINANDS};
    use super::*;

    const RULES: &str = "(<= terminal (true p) (true q)) (<= terminal (true p) (true s))";

    #[test]
    fn without_time_only_the_papers_passes_run() {
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
        assert_eq!(written(&after, "terminal"), "|(&(p q) &(p s))");
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
                assert_eq!(written(&after, "terminal"), "|(&(p q) &(p s))", "{pass}");
            }
        }
    }

    #[test]
    fn figures_do_not_change_the_result() {
        let (with, effects) = optimise_with_reports(network(RULES), FULL, PassBudget::unlimited());
        let without = optimise(network(RULES), FULL, PassBudget::unlimited());
        assert_eq!(with.counts(), without.counts());
        assert_eq!(
            effects.last().map(|effect| effect.after),
            Some(with.counts())
        );
    }
}
