//! The costs of the engines, and the choice of the cheapest for a question: the one place that
//! chooses.
//!
//! Costs are measured when an engine is ready (`measure`). They decide who answers, never what the
//! answer is, except for playouts: engines draw different random games from the same seed. Where
//! playouts have to be reproducible, [`CostTable::nominal_playouts`] replaces the measured costs of
//! playouts by fixed ones.

/// The number of playouts in a call of a search on an engine that plays many at once.
pub(super) const MANY: u64 = 512;

/// An engine among which `auto` chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// Takes every sheet and every state; ready at once.
    Prover,
    Orand,
    Chain,
    Propnet,
    Lanes,
    /// Lanes on rewritten rules. It has its own network, with which others share no states.
    Staged,
}

impl Candidate {
    pub(super) const ALL: [Self; 6] = [
        Self::Prover,
        Self::Orand,
        Self::Chain,
        Self::Propnet,
        Self::Lanes,
        Self::Staged,
    ];
    pub(super) const COUNT: usize = Self::ALL.len();

    /// Whether it takes states of the network.
    pub(super) const fn is_on_network(self) -> bool {
        matches!(self, Self::Propnet | Self::Lanes)
    }

    /// Whether it plays hundreds of playouts at once.
    pub(super) const fn plays_many(self) -> bool {
        matches!(self, Self::Lanes | Self::Staged)
    }

    /// The name of the engine.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Orand => "orand",
            Self::Chain => "chain",
            Self::Propnet => "propnet",
            Self::Lanes => "lanes",
            Self::Staged => "staged",
        }
    }
}

/// A kind of question, with a cost of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Terminal, goals and legal moves. They are asked together, and an engine loads a state once
    /// for all of them, so they have one cost.
    State,
    /// Successors under a joint move.
    Next,
    /// Playouts, by their steps.
    Playout,
}

impl Question {
    pub(super) const ALL: [Self; 3] = [Self::State, Self::Next, Self::Playout];
}

/// What questions of a kind cost, in seconds: for every started batch of `width` questions a fixed
/// time, and some time for each question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) batch: f64,
    pub(super) each: f64,
    pub(super) width: u64,
}

impl Cost {
    /// The cost for an engine that takes one question after the other.
    pub(super) const fn one_by_one(each: f64) -> Self {
        Self {
            batch: 0.0,
            each,
            width: 1,
        }
    }

    /// The seconds that so many questions take in one call.
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub(super) fn of(self, questions: u64) -> f64 {
        self.batch * questions.div_ceil(self.width) as f64 + self.each * questions as f64
    }
}

/// The costs of an engine, by kind of question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Costs(pub(super) [Cost; Question::ALL.len()]);

impl Costs {
    /// The costs of an engine that nothing is known about.
    pub(super) const UNKNOWN: Self = Self([Cost::one_by_one(f64::INFINITY); Question::ALL.len()]);

    pub(super) fn of(&self, question: Question) -> Cost {
        self.0[question as usize]
    }

    /// Typical costs, relative to a step on the network. Chain is not in question for reproducible
    /// playouts: which moves it draws depends on the plans of its rules, and these on the clock.
    /// Neither is `staged`: whether it is built depends on the clock.
    pub(super) const fn nominal(candidate: Candidate) -> Self {
        let cost = match candidate {
            Candidate::Prover => Cost::one_by_one(64.0),
            Candidate::Orand => Cost::one_by_one(32.0),
            Candidate::Chain | Candidate::Staged => Cost::one_by_one(f64::INFINITY),
            Candidate::Propnet => Cost::one_by_one(1.0),
            Candidate::Lanes => Cost {
                batch: 8.0,
                each: 0.0,
                width: 512,
            },
        };
        Self([cost; Question::ALL.len()])
    }
}

/// The engines that are ready, with their costs.
#[derive(Clone, Debug)]
pub(super) struct CostTable(pub(super) [Option<Costs>; Candidate::COUNT]);

impl CostTable {
    /// The cheapest engine for so many questions in one call. An engine is passed over where one
    /// batch takes more than `longest` seconds. The prover, if there is no other.
    pub(super) fn best(&self, question: Question, questions: u64, longest: f64) -> Candidate {
        let mut best = (Candidate::Prover, f64::INFINITY);
        for candidate in Candidate::ALL {
            let Some(costs) = &self.0[candidate as usize] else {
                continue;
            };
            let cost = costs.of(question);
            if cost.batch <= longest && cost.of(questions) < best.1 {
                best = (candidate, cost.of(questions));
            }
        }
        best.0
    }

    /// The same engines with fixed costs of playouts.
    pub(super) fn nominal_playouts(&self) -> Self {
        let mut table = self.clone();
        for candidate in Candidate::ALL {
            if let Some(costs) = &mut table.0[candidate as usize] {
                costs.0[Question::Playout as usize] =
                    Costs::nominal(candidate).of(Question::Playout);
            }
        }
        table
    }

    /// The table without an engine.
    pub(super) fn without(&self, candidate: Candidate) -> Self {
        let mut table = self.clone();
        table.0[candidate as usize] = None;
        table
    }

    /// The costs of a question on an engine, if it is ready.
    pub(super) fn cost(&self, candidate: Candidate, question: Question) -> Option<Cost> {
        Some(self.0[candidate as usize]?.of(question))
    }

    /// The engines that are cheapest for some question and number of questions, with and without
    /// those that take many questions at once.
    pub(super) fn useful(&self) -> [bool; Candidate::COUNT] {
        let mut useful = [false; Candidate::COUNT];
        useful[Candidate::Prover as usize] = true;
        for question in Question::ALL {
            for longest in [0.0, f64::INFINITY] {
                for log in 0..=10 {
                    useful[self.best(question, 1 << log, longest) as usize] = true;
                    let nominal = self.nominal_playouts();
                    useful[nominal.best(question, 1 << log, longest) as usize] = true;
                }
            }
        }
        useful
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(batch: f64) -> Costs {
        let cost = Cost {
            batch,
            each: 0.001,
            width: 512,
        };
        Costs([cost; 3])
    }

    fn table(prover: f64, propnet: Option<f64>, batch: Option<f64>) -> CostTable {
        let one_by_one = |each| Costs([Cost::one_by_one(each); 3]);
        let mut table = [None; Candidate::COUNT];
        table[Candidate::Prover as usize] = Some(one_by_one(prover));
        table[Candidate::Propnet as usize] = propnet.map(one_by_one);
        table[Candidate::Lanes as usize] = batch.map(lanes);
        CostTable(table)
    }

    #[test]
    fn single_questions_and_batches_go_to_different_engines() {
        let table = table(1.0, Some(20.0), Some(50.0));
        let best = |questions| table.best(Question::State, questions, f64::INFINITY);
        // The network is slower than proving here, and lanes are faster than both for many.
        assert_eq!(best(1), Candidate::Prover);
        assert_eq!(best(40), Candidate::Prover);
        assert_eq!(best(60), Candidate::Lanes);
        assert_eq!(best(100_000), Candidate::Lanes);
        // A batch that takes too long is left to the others.
        assert_eq!(table.best(Question::Playout, 512, 49.0), Candidate::Prover);
    }

    #[test]
    fn without_measurements_the_prover_answers() {
        let mut table = CostTable([None; Candidate::COUNT]);
        assert_eq!(table.best(Question::Next, 1, 1.0), Candidate::Prover);
        table.0[Candidate::Prover as usize] = Some(Costs::UNKNOWN);
        assert_eq!(table.best(Question::Next, 1, 1.0), Candidate::Prover);
        table.0[Candidate::Orand as usize] = Some(lanes(1.0));
        assert_eq!(table.best(Question::Next, 1, 1.0), Candidate::Orand);
    }

    #[test]
    fn nominal_playouts_do_not_depend_on_measurements() {
        let best = |table: CostTable, questions| {
            let nominal = table.nominal_playouts();
            nominal.best(Question::Playout, questions, f64::INFINITY)
        };
        for propnet in [1e-9, 1e9] {
            for batch in [1e-9, 1e9] {
                let of = |questions| best(table(1.0, Some(propnet), Some(batch)), questions);
                assert_eq!(of(1), Candidate::Propnet);
                assert_eq!(of(512), Candidate::Lanes);
            }
            assert_eq!(
                best(table(1.0, Some(propnet), None), 512),
                Candidate::Propnet
            );
        }
        assert_eq!(best(table(1.0, None, None), 512), Candidate::Prover);
    }

    #[test]
    fn engines_that_are_best_for_nothing_are_not_useful() {
        let useful = table(1.0, Some(0.5), Some(8.0)).useful();
        assert_eq!(useful, [true, false, false, true, true, false]);
        let useful = table(1.0, Some(2.0), None).useful();
        assert!(
            useful[Candidate::Propnet as usize],
            "for reproducible playouts"
        );
    }
}
