//! Search over independent parts: a [model](super::model) of the puzzle, [tables](super::patterns) of distances, a [beam](super::beam) through it.
//!
//! All of it is made in pieces, and goes on through the moves of a match: where clocks are short, several of them add up.

use ludorum_reason::{Dice, MoveId, ReasonError, Reasoner};

use super::beam::{Beam, Outcome};
use super::best::Method;
use super::desk::{Desk, Progress, Technique};
use super::explore::{End, Policy, Trail, playout};
use super::making::{Made, Making};
use super::model::{Effect, Model};
use super::patterns::Patterns;

/// A position of the model costs so much less than one of an engine.
const CHEAPER: u64 = 16;
/// After so many lines that lead where everything is as wanted, and yet do not give the best goal, the model does not tell enough.
const MOST_DECEITS: u32 = 3;
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

/// A line that was found on the model and is yet to be played on the engine.
#[derive(Debug)]
struct Claim {
    line: Vec<u8>,
    /// Whether everything is as wanted at its end.
    is_solution: bool,
}

/// Search over independent parts.
#[derive(Debug)]
pub(super) struct Factors {
    stage: Stage,
    claim: Option<Claim>,
    /// The playouts that were made to find out the number of steps, and the longest.
    trials: (usize, usize),
    most_bytes: usize,
    seed: u64,
    deceits: u32,
    made: u64,
}

impl Factors {
    pub(super) fn new(most_bytes: usize, seed: u64) -> Self {
        Self {
            stage: Stage::Unknown,
            claim: None,
            trials: (0, 0),
            most_bytes,
            seed,
            deceits: 0,
            made: 0,
        }
    }

    /// How many steps there are until the end, at most, as far as playouts tell; none if there was no time for them.
    fn steps<R: Reasoner>(&mut self, desk: &mut Desk<'_, R>) -> Result<Option<usize>, ReasonError> {
        while self.trials.0 < TRIALS {
            let mut dice = Dice::new(self.seed.wrapping_add(self.trials.0 as u64));
            let mut line = Vec::new();
            let root = desk.root.clone();
            let end = playout(
                desk,
                &root,
                Policy::Random,
                &mut Trail::default(),
                &mut dice,
                &mut line,
            )?;
            if end == End::Nothing && (desk.stop)() {
                return Ok(None);
            }
            self.trials = (self.trials.0 + 1, self.trials.1.max(line.len()));
        }
        Ok(Some(self.trials.1))
    }

    /// Plays a line on the engine, then waits for the end where that is possible, and offers what comes out. Gives whether it is the best goal.
    fn offer<R: Reasoner>(
        desk: &mut Desk<'_, R>,
        model: &Model,
        line: &[u8],
    ) -> Result<bool, ReasonError> {
        let mut moves: Vec<MoveId> = line
            .iter()
            .map(|number| model.moves[*number as usize])
            .collect();
        let (steps, mut state, mut is_terminal) = desk.follow(&moves)?;
        if steps < moves.len() && !is_terminal {
            return Ok(false);
        }
        moves.truncate(steps);
        while let (false, Some(idle)) = (is_terminal, model.idle) {
            if moves.len() >= desk.limit {
                break;
            }
            state = desk.next(&state, idle)?;
            moves.push(idle);
            is_terminal = desk.reasoner.is_terminal(&state)?;
        }
        if !is_terminal {
            return Ok(false);
        }
        let value = desk.value(&state)?;
        desk.best
            .offer(value, moves.len(), Method::Factors, || moves);
        Ok(value >= desk.sheet.ceiling)
    }

    /// Plays what was found on the engine. It stays found until that has been done.
    fn test_claim<R: Reasoner>(&mut self, desk: &mut Desk<'_, R>) -> Result<(), ReasonError> {
        let (Stage::Searching(all), Some(claim)) = (&self.stage, &self.claim) else {
            return Ok(());
        };
        let is_best = Self::offer(desk, &all.0, &claim.line)?;
        if claim.is_solution && !is_best {
            self.deceits += 1;
            if self.deceits >= MOST_DECEITS {
                self.stage = Stage::Over(Progress::Useless);
            }
        }
        self.claim = None;
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
                self.stage = match Making::new(desk, parts)? {
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
                    let patterns = Patterns::new(&model, self.most_bytes / 2);
                    self.stage = Stage::Filling(Box::new((*model, patterns)));
                }
                Ok(made)
            }
            Stage::Filling(both) => {
                let (model, patterns) = &mut **both;
                let (is_full, made) = patterns.fill(model, quota);
                if is_full
                    && let Some(steps) = self.steps(desk)?
                    && let Stage::Filling(both) = self.take()
                {
                    let (model, patterns) = *both;
                    let taken = patterns.bytes() + model.bytes();
                    let bytes = self.most_bytes.saturating_sub(taken);
                    let beam = Beam::new(&model, steps, bytes, self.seed);
                    self.stage = Stage::Searching(Box::new((model, patterns, beam)));
                }
                Ok(made)
            }
            Stage::Searching(all) => {
                let (model, patterns, beam) = &mut **all;
                let (outcome, made) = beam.work(model, patterns, quota);
                let (line, is_solution) = match outcome {
                    Outcome::More => return Ok(made),
                    Outcome::Missed(line) => (line, false),
                    Outcome::Found(line) => (line, true),
                };
                self.claim = Some(Claim { line, is_solution });
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
            if self.claim.is_some() {
                self.test_claim(desk)?;
                continue;
            }
            let made = self.piece(desk, left.min(PIECE))?;
            left = left.saturating_sub(made.max(1));
            self.made += made;
            desk.positions += made / CHEAPER;
            desk.simulations += made / CHEAPER;
        }
        Ok(Progress::More)
    }

    fn advance(&mut self, id: MoveId) -> bool {
        self.trials = (0, 0);
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
        if let Effect::Of(number) = effect
            && let Some(claim) = self.claim.take()
        {
            // With a way back there may be too few steps for it, which says nothing about the model.
            let is_solution = claim.is_solution && claim.line.first() == Some(&number);
            let line = model.after_playing(&[number], claim.line);
            self.claim = line.map(|line| Claim { line, is_solution });
        }
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
            Stage::Unknown | Stage::Asking(_) | Stage::Over(_) => 0,
        };
        (self.made, bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solo::testing::Bench;

    /// Nine lamps in a row, all lit; a switch flips a lamp and the two beside it. All have to be out at the end of the match.
    fn lamps() -> String {
        let facts: Vec<String> = (1..10)
            .map(|n| format!("(init (lit {n})) (lamp {n}) (beside {n} {n})"))
            .collect();
        let beside: Vec<String> = (1..9)
            .map(|n| format!("(beside {n} {0}) (beside {0} {n})", n + 1))
            .collect();
        let succ: Vec<String> = (0..40).map(|n| format!("(succ {n} {})", n + 1)).collect();
        format!(
            "(role r) (init (step 0)) {} {} {} (legal r wait) (<= (legal r (press ?x)) (lamp ?x))
             (<= (flips ?y) (does r (press ?x)) (beside ?x ?y))
             (<= (next (lit ?x)) (true (lit ?x)) (not (flips ?x)))
             (<= (next (lit ?x)) (lamp ?x) (flips ?x) (not (true (lit ?x))))
             (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
             (<= some (true (lit ?x)))
             (<= terminal (true (step 40)))
             (<= (goal r 100) (not some)) (<= (goal r 0) some)",
            facts.join(" "),
            beside.join(" "),
            succ.join(" ")
        )
    }

    #[test]
    fn short_turns_add_up_through_a_match() {
        let mut bench = Bench::new(&lamps());
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
            assert!(Technique::<ludorum_reason::prover::Prover>::advance(
                &mut factors,
                id
            ));
            step += 1;
        }
        assert!(step > 1, "it was too much in one turn");
        // The line was played on the engine from where the match is.
        assert_eq!(bench.best.line().unwrap().moves.len(), 40 - step);
    }

    #[test]
    fn an_engine_that_is_late_is_asked_on_from_there() {
        let mut bench = Bench::new(&lamps());
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
}
