//! Passes one after another, within a time.
//!
//! The paper's passes are linear and always run. Those beyond it run while there is time: one that
//! is cut short leaves the rest of the network as it is, and one that could hardly begin is left
//! out. They hand gates on to each other, so that the network is read once and written once.

use std::time::{Duration, Instant};

use super::super::network::{Counts, Network};
use super::clock::Clock;
use super::gates::Gates;
use super::{Pass, emit};

/// What came of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did all it can.
    Done,
    /// The time was over before it had seen everything.
    CutShort,
    /// There was no time for it.
    LeftOut,
}

/// What a pass did.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// The pass.
    pub pass: Pass,
    /// The components after it.
    pub after: Counts,
    /// How long it took.
    pub time: Duration,
    /// Whether it had the time it needs.
    pub outcome: Outcome,
}

/// What reading, mapping or writing a wire takes at most, a cautious figure from the largest
/// networks known.
const NANOSECONDS_PER_WIRE: u64 = 120;

/// A network in the form that the last pass left it in.
enum Form {
    Network(Network),
    Gates(Box<Gates>),
}

impl Form {
    fn into_network(self) -> Network {
        match self {
            Self::Network(network) => network,
            Self::Gates(gates) => emit::network(&gates),
        }
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Network(network) => network.counts(),
            Self::Gates(gates) => emit::network(gates).counts(),
        }
    }

    /// What the next pass over gates will take at the least: its own way through them, and reading
    /// or writing the network.
    fn least_time(&self) -> Duration {
        let work = match self {
            Self::Network(network) => 3 * network.wire_count(),
            Self::Gates(gates) => 2 * gates.wire_count(),
        };
        Duration::from_nanos(work as u64 * NANOSECONDS_PER_WIRE)
    }
}

/// Applies passes in order, those beyond the paper's until the clock runs out, and tells what each
/// did.
pub fn apply(network: Network, passes: &[Pass], mut clock: Clock) -> (Network, Vec<Effect>) {
    let mut effects = Vec::with_capacity(passes.len());
    let mut form = Form::Network(network);
    for pass in passes {
        let start = Instant::now();
        let outcome;
        (form, outcome) = step(form, *pass, &mut clock);
        let time = start.elapsed();
        effects.push(Effect {
            pass: *pass,
            after: form.counts(),
            time,
            outcome,
        });
    }
    (form.into_network(), effects)
}

/// The same without figures, which take time of their own.
pub fn optimise(network: Network, passes: &[Pass], mut clock: Clock) -> Network {
    let form = passes.iter().fold(Form::Network(network), |form, pass| {
        step(form, *pass, &mut clock).0
    });
    form.into_network()
}

fn step(form: Form, pass: Pass, clock: &mut Clock) -> (Form, Outcome) {
    let Some(change) = pass.over_gates() else {
        return (Form::Network(pass.run(&form.into_network())), Outcome::Done);
    };
    *clock = clock.started();
    if !clock.has(form.least_time()) {
        return (form, Outcome::LeftOut);
    }
    let gates = match form {
        Form::Network(network) => Box::new(Gates::with_clock(&network, *clock)),
        Form::Gates(gates) => gates,
    };
    let gates = Box::new(change(&gates));
    let outcome = if clock.is_over() {
        Outcome::CutShort
    } else {
        Outcome::Done
    };
    (Form::Gates(gates), outcome)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{network, written};
    use super::super::{FULL, PAPER};
    use super::*;

    const RULES: &str = "(<= terminal (true p) (true q)) (<= terminal (true p) (true s))";

    #[test]
    fn without_time_only_the_papers_passes_run() {
        let (after, effects) = apply(network(RULES), FULL, Clock::lasting(Duration::ZERO));
        for effect in effects {
            let expected = if PAPER.contains(&effect.pass) {
                Outcome::Done
            } else {
                Outcome::LeftOut
            };
            assert_eq!(effect.outcome, expected, "{}", effect.pass);
        }
        assert_eq!(written(&after, "terminal"), "|(&(p q) &(p s))");
    }

    #[test]
    fn a_pass_that_is_cut_short_changes_no_behaviour() {
        let gates = Gates::with_clock(&network(RULES), Clock::lasting(Duration::ZERO).started());
        for pass in FULL {
            if let Some(change) = pass.over_gates() {
                let after = emit::network(&change(&gates));
                assert_eq!(written(&after, "terminal"), "|(&(p q) &(p s))", "{pass}");
            }
        }
    }

    #[test]
    fn figures_do_not_change_the_result() {
        let (with, effects) = apply(network(RULES), FULL, Clock::endless());
        let without = optimise(network(RULES), FULL, Clock::endless());
        assert_eq!(with.counts(), without.counts());
        assert_eq!(
            effects.last().map(|effect| effect.after),
            Some(with.counts())
        );
    }
}
