//! Search over independent parts: a [model](super::model) of the puzzle, [tables](super::patterns)
//! of distances, a [beam](super::beam) through it.
//!
//! All of it is made in pieces, and goes on through the moves of a match: where clocks are short,
//! several of them add up.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use super::beam::{Beam, Outcome};
use super::best::Method;
use super::claim::{Claim, Verdict};
use super::desk::{Desk, Progress, Technique};
use super::explore::{End, Policy, Trail, playout};
use super::making::{Made, Making};
use super::model::Model;
use super::patterns::Patterns;

/// A position of the model costs so much less than one of an engine.
const CHEAPER: u64 = 16;
/// After so many lines that lead elsewhere than the model says, it is not believed any more.
const MOST_DECEITS: u32 = 3;
/// After so many lines that lead where everything is as wanted, and yet do not give the best goal,
/// there is no use in more of them from the same root.
const MOST_UNFIT: u32 = 3;
/// Playouts by which the number of steps is found out.
const TRIALS: usize = 4;
/// Positions of the model between two looks at the clock.
const PIECE: u64 = 1 << 13;

#[derive(Debug)]
enum Stage {
    Unknown,
    /// The engine is asked about the parts.
    Asking(Box<Making>),
    /// Moves are compared with each other.
    Relating(Box<Model>),
    Filling(Box<(Model, Patterns)>),
    Searching(Box<(Model, Patterns, Beam)>),
    Over(Progress),
}

/// Search over independent parts.
#[derive(Debug)]
pub(super) struct Factors {
    stage: Stage,
    claim: Option<Claim>,
    /// The last line that was played on the engine from this root.
    tested: Option<Vec<u8>>,
    /// The playouts that were made to find out the number of steps, and the longest.
    trials: (usize, usize),
    most_bytes: usize,
    seed: u64,
    deceits: u32,
    /// Lines from this root that did not give the best goal.
    unfit: u32,
    made: u64,
    /// Positions that are too few to count as one of an engine.
    rest: u64,
}

impl Factors {
    pub(super) fn new(most_bytes: usize, seed: u64) -> Self {
        Self {
            stage: Stage::Unknown,
            claim: None,
            tested: None,
            trials: (0, 0),
            most_bytes,
            seed,
            deceits: 0,
            unfit: 0,
            made: 0,
            rest: 0,
        }
    }

    /// A playout by which to find out how many steps there are until the end, at most; nothing
    /// comes of one that is cut by the clock.
    fn trial<R: Reasoner>(&mut self, desk: &mut Desk<'_, R>) -> Result<(), ReasonError> {
        let mut rng = Rng::new(self.seed.wrapping_add(self.trials.0 as u64));
        let mut line = Vec::new();
        let mut trail = Trail::default();
        let root = desk.root.clone();
        let end = playout(desk, &root, Policy::Random, &mut trail, &mut rng, &mut line)?;
        if end != End::Nothing || !(desk.stop)() {
            self.trials = (self.trials.0 + 1, self.trials.1.max(line.len()));
            desk.simulations += 1;
        }
        Ok(())
    }

    /// Plays what was found on the engine. It stays found until that has been done.
    fn test_claim<R: Reasoner>(&mut self, desk: &mut Desk<'_, R>) -> Result<(), ReasonError> {
        let (Stage::Searching(all), Some(claim)) = (&self.stage, &self.claim) else {
            return Ok(());
        };
        let verdict = claim.test(desk, &all.0)?;
        desk.simulations += 1;
        match verdict {
            Verdict::Fits => {}
            Verdict::Unfit => self.unfit += 1,
            Verdict::Wrong => self.deceits += 1,
        }
        if self.deceits >= MOST_DECEITS {
            self.stage = Stage::Over(Progress::Useless);
        }
        self.tested = self.claim.take().map(|claim| claim.line);
        Ok(())
    }

    /// A piece of work. Gives how many positions of the model were made.
    fn piece<R: Reasoner>(
        &mut self,
        desk: &mut Desk<'_, R>,
        quota: u64,
    ) -> Result<u64, ReasonError> {
        // Without the rules nothing can be said; they may be read later.
        let sheet = desk.sheet;
        let Some(parts) = &sheet.parts else {
            self.stage = Stage::Over(Progress::Done);
            return Ok(0);
        };
        match &mut self.stage {
            Stage::Unknown => {
                self.stage = match Making::new(desk, parts, self.most_bytes)? {
                    Some(making) => Stage::Asking(Box::new(making)),
                    None => Stage::Over(Progress::Useless),
                };
                Ok(0)
            }
            Stage::Asking(making) => {
                match making.work(desk, parts)? {
                    Made::More => {}
                    Made::Model(model) => self.stage = Stage::Relating(model),
                    Made::Nothing => self.stage = Stage::Over(Progress::Useless),
                }
                Ok(0)
            }
            Stage::Relating(model) => {
                let size: usize = model.sizes.iter().sum();
                let made = (model.moves.len() * size) as u64 / CHEAPER;
                if model.relate()
                    && let Stage::Relating(model) = self.take()
                {
                    let left = self.most_bytes.saturating_sub(model.bytes());
                    let patterns = Patterns::new(&model, left.min(self.most_bytes / 2));
                    self.stage = Stage::Filling(Box::new((*model, patterns)));
                }
                Ok(made)
            }
            Stage::Filling(both) => {
                let (model, patterns) = &mut **both;
                let (is_full, made) = patterns.fill(model, quota);
                if is_full && self.trials.0 < TRIALS {
                    self.trial(desk)?;
                }
                if is_full
                    && self.trials.0 >= TRIALS
                    && let Stage::Filling(both) = self.take()
                {
                    let (model, patterns) = *both;
                    let taken = patterns.bytes() + model.bytes();
                    let bytes = self.most_bytes.saturating_sub(taken);
                    let beam = Beam::new(&model, self.trials.1, bytes, self.seed);
                    self.stage = Stage::Searching(Box::new((model, patterns, beam)));
                }
                Ok(made)
            }
            Stage::Searching(all) => {
                let (model, patterns, beam) = &mut **all;
                if beam.is_short() && self.trials.0 < TRIALS {
                    // The match is elsewhere than when steps were last counted.
                    self.trial(desk)?;
                    return Ok(0);
                }
                if beam.is_short() {
                    beam.raise(model, self.trials.1);
                }
                let (outcome, made) = beam.work(model, patterns, quota);
                let (line, is_solution) = match outcome {
                    Outcome::More => return Ok(made),
                    Outcome::Missed(line) => (line, false),
                    Outcome::Found(line) => (line, true),
                };
                if is_solution || self.tested.as_ref() != Some(&line) {
                    self.claim = Some(Claim { line, is_solution });
                }
                Ok(made)
            }
            Stage::Over(_) => Ok(0),
        }
    }

    /// The stage, to be put back as another.
    fn take(&mut self) -> Stage {
        std::mem::replace(&mut self.stage, Stage::Over(Progress::Done))
    }
}

impl<R: Reasoner> Technique<R> for Factors {
    fn method(&self) -> Method {
        Method::Factors
    }

    fn work(&mut self, desk: &mut Desk<'_, R>, quota: u64) -> Result<Progress, ReasonError> {
        let mut left = quota.saturating_mul(CHEAPER);
        while left > 0 && !desk.is_over() {
            if let Stage::Over(progress) = self.stage {
                return Ok(progress);
            }
            if self.unfit >= MOST_UNFIT {
                return Ok(Progress::Resting);
            }
            let before = desk.positions;
            let made = if self.claim.is_some() {
                self.test_claim(desk)?;
                0
            } else {
                self.piece(desk, left.min(PIECE))?
            };
            let asked = (desk.positions - before).saturating_mul(CHEAPER);
            left = left.saturating_sub((made + asked).max(1));
            self.made += made;
            self.rest += made;
            desk.positions += self.rest / CHEAPER;
            desk.simulations += self.rest / CHEAPER;
            self.rest %= CHEAPER;
        }
        Ok(Progress::More)
    }

    fn advance(&mut self, id: MoveId) -> bool {
        // What is known of the steps is good for one less. Short clocks add up to all playouts, and
        // then it is time for others.
        self.trials = match (&self.stage, self.trials) {
            (Stage::Searching(_), (TRIALS.., _)) => (0, 0),
            (_, (count, longest)) => (count, longest.saturating_sub(1)),
        };
        self.tested = None;
        self.unfit = 0;
        let model = match &mut self.stage {
            Stage::Unknown => return true,
            Stage::Asking(making) => {
                making.advance(id);
                return true;
            }
            Stage::Relating(model) => model,
            Stage::Filling(both) => &mut both.0,
            Stage::Searching(all) => &mut all.0,
            Stage::Over(_) => return false,
        };
        let Some(effect) = model.advance(id) else {
            return false;
        };
        let claim = self.claim.take();
        self.claim = claim.and_then(|claim| claim.after(model, effect));
        if let Stage::Searching(all) = &mut self.stage {
            let (model, _, beam) = &mut **all;
            beam.advance(model, effect);
        }
        true
    }

    fn size(&self) -> (u64, u64) {
        let bytes = match &self.stage {
            Stage::Relating(model) => model.bytes(),
            Stage::Filling(both) => both.0.bytes() + both.1.bytes(),
            Stage::Searching(all) => all.0.bytes() + all.1.bytes() + all.2.bytes(),
            Stage::Asking(making) => making.bytes(),
            Stage::Unknown | Stage::Over(_) => 0,
        };
        (self.made, bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, lamps};

    #[test]
    fn short_turns_add_up_through_a_match() {
        let mut bench = Bench::new(&lamps(40));
        let legal = bench.legal();
        let mut factors = Factors::new(1 << 20, 1);
        let mut step = 0;
        while bench.best.value() != Some(100) {
            assert!(step < 25, "nothing comes of it");
            // So little that no turn is enough for all.
            for _ in 0..3 {
                factors.work(&mut bench.desk(), 10).unwrap();
            }
            if bench.best.value() == Some(100) {
                break;
            }
            // Any move is played meanwhile.
            let id = legal[step % legal.len()];
            bench.play(id);
            bench.best.clear();
            assert!(advance(&mut factors, id));
            step += 1;
        }
        assert!(step > 1, "it was too much in one turn");
        // The line was played on the engine from where the match is.
        assert_eq!(bench.best.line().unwrap().moves.len(), 40 - step);
    }

    #[test]
    fn an_engine_that_is_late_is_asked_on_from_there() {
        let mut bench = Bench::new(&lamps(40));
        let mut factors = Factors::new(1 << 20, 1);
        let mut turns = 0;
        while !matches!(factors.stage, Stage::Relating(_)) {
            turns += 1;
            assert!(turns < 1000);
            let mut desk = bench.desk();
            // The clock of every turn ends after a few positions.
            let looks = std::sync::atomic::AtomicU32::new(0);
            let stop = || looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 4;
            desk.stop = &stop;
            factors.work(&mut desk, 1000).unwrap();
        }
        assert!(turns > 3);
    }

    /// Works until there is a beam.
    fn searching(bench: &mut Bench) -> Factors {
        let mut factors = Factors::new(1 << 20, 1);
        while !matches!(factors.stage, Stage::Searching(_)) {
            let progress = factors.work(&mut bench.desk(), 1).unwrap();
            assert_eq!(progress, Progress::More);
        }
        factors
    }

    fn advance(factors: &mut Factors, id: MoveId) -> bool {
        Technique::<ludorum_prover::Prover>::advance(factors, id)
    }

    #[test]
    fn steps_are_counted_again_when_there_are_none_left() {
        let mut bench = Bench::new(&lamps(40));
        let mut factors = searching(&mut bench);
        // As if all playouts had come to an early end.
        if let Stage::Searching(all) = &mut factors.stage {
            all.2 = Beam::new(&all.0, 1, 1 << 16, 1);
        }
        factors.claim = None;
        factors.trials = (TRIALS, 1);
        factors.work(&mut bench.desk(), 100).unwrap();
        assert_ne!(bench.best.value(), Some(100), "one step is too few");
        let id = bench.legal()[0];
        bench.play(id);
        assert!(advance(&mut factors, id));
        for _ in 0..20 {
            factors.work(&mut bench.desk(), 100).unwrap();
        }
        assert_eq!(bench.best.value(), Some(100));
    }

    #[test]
    fn lines_that_do_not_fit_are_no_reason_to_forget_the_model() {
        let mut bench = Bench::new(&lamps(10));
        let mut factors = searching(&mut bench);
        // The same lamps, and fewer steps than it takes, which the beam does not know.
        let mut short = Bench::new(&lamps(2));
        let mut turns = 0;
        while factors.work(&mut short.desk(), 100).unwrap() != Progress::Resting {
            turns += 1;
            assert!(turns < 100, "it goes on and on");
        }
        assert_eq!((factors.unfit, factors.deceits), (MOST_UNFIT, 0));
        // After the next move it is at work again.
        let id = bench.legal()[0];
        bench.play(id);
        assert!(advance(&mut factors, id));
        assert!(matches!(factors.stage, Stage::Searching(_)));
        for _ in 0..20 {
            factors.work(&mut bench.desk(), 100).unwrap();
        }
        assert_eq!(bench.best.value(), Some(100));
    }

    #[test]
    fn short_runs_spend_the_budget_as_well() {
        // One switch flips both lamps, so that they are never out at once.
        let sheet = "(role r) (init (lit 1)) (init (step 0)) (lamp 1) (lamp 2) (succ 0 1) (succ 1 2) (succ 2 3)
             (legal r wait) (legal r press)
             (<= (next (lit ?x)) (true (lit ?x)) (does r wait))
             (<= (next (lit ?x)) (lamp ?x) (does r press) (not (true (lit ?x))))
             (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
             (<= some (true (lit ?x)))
             (<= terminal (true (step 3)))
             (<= (goal r 100) (not some)) (<= (goal r 0) some)";
        let mut bench = Bench::new(sheet);
        let mut factors = searching(&mut bench);
        let mut desk = bench.desk();
        assert_eq!(factors.work(&mut desk, 1000), Ok(Progress::More));
        assert!(desk.simulations >= 900, "{}", desk.simulations);
        // The same line from the same root is played once.
        assert!(factors.tested.is_some());
        assert!(
            desk.positions <= desk.simulations + 50,
            "{}",
            desk.positions
        );
    }

    #[test]
    fn tables_that_are_too_large_are_not_made() {
        let mut bench = Bench::new(&lamps(40));
        let mut factors = Factors::new(16 << 10, 1);
        let progress = factors.work(&mut bench.desk(), 1000);
        assert_eq!(progress, Ok(Progress::Useless));
    }
}
