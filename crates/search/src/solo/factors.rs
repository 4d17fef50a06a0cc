//! Search over independent parts: a [model](super::model) of the puzzle, [tables](super::patterns) of distances, a [beam](super::beam) through it.

use ludorum_reason::{Dice, MoveId, ReasonError, Reasoner};

use super::beam::{Beam, Outcome};
use super::best::Method;
use super::desk::{Desk, Progress, Technique};
use super::explore::{Policy, Trail, playout};
use super::model::Model;
use super::patterns::Patterns;

/// A position of the model costs so much less than one of an engine.
const CHEAPER: u64 = 16;
/// After so many lines that lead where everything is as wanted, and yet do not give the best goal, the model does not tell enough.
const MOST_DECEITS: u32 = 3;
/// Playouts by which the number of steps is found out.
const TRIALS: usize = 4;

#[derive(Debug)]
enum Stage {
    Unknown,
    Filling(Box<(Model, Patterns)>),
    Searching(Box<(Model, Patterns, Beam)>),
    Over,
}

/// Search over independent parts.
#[derive(Debug)]
pub(super) struct Factors {
    stage: Stage,
    most_bytes: usize,
    seed: u64,
    deceits: u32,
    made: u64,
}

impl Factors {
    pub(super) fn new(most_bytes: usize, seed: u64) -> Self {
        Self {
            stage: Stage::Unknown,
            most_bytes,
            seed,
            deceits: 0,
            made: 0,
        }
    }

    /// How many steps there are until the end, at most, as far as playouts tell.
    fn steps<R: Reasoner>(&self, desk: &mut Desk<'_, R>) -> Result<usize, ReasonError> {
        let mut dice = Dice::new(self.seed);
        let mut most = 0;
        for _ in 0..TRIALS {
            let mut line = Vec::new();
            let root = desk.root.clone();
            playout(
                desk,
                &root,
                Policy::Random,
                &mut Trail::default(),
                &mut dice,
                &mut line,
            )?;
            most = most.max(line.len());
        }
        Ok(most)
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
}

impl<R: Reasoner> Technique<R> for Factors {
    fn method(&self) -> Method {
        Method::Factors
    }

    fn work(&mut self, desk: &mut Desk<'_, R>, quota: u64) -> Result<Progress, ReasonError> {
        let mut left = quota.saturating_mul(CHEAPER);
        while left > 0 && !desk.is_over() {
            let mut made = 0;
            match &mut self.stage {
                Stage::Unknown => {
                    self.stage = match Model::new(desk)? {
                        Some(model) => {
                            let patterns = Patterns::new(&model, self.most_bytes / 2);
                            Stage::Filling(Box::new((model, patterns)))
                        }
                        None => Stage::Over,
                    };
                }
                Stage::Filling(both) => {
                    let (model, patterns) = &mut **both;
                    let (is_full, done) = patterns.fill(model, left.min(1 << 16));
                    made = done;
                    if is_full {
                        let steps = self.steps(desk)?;
                        let Stage::Filling(both) = std::mem::replace(&mut self.stage, Stage::Over)
                        else {
                            return Ok(Progress::Done);
                        };
                        let (model, patterns) = *both;
                        let bytes = self.most_bytes.saturating_sub(patterns.bytes());
                        let beam = Beam::new(&model, steps, bytes, self.seed);
                        self.stage = Stage::Searching(Box::new((model, patterns, beam)));
                    }
                }
                Stage::Searching(all) => {
                    let (model, patterns, beam) = &mut **all;
                    let (outcome, done) = beam.work(model, patterns, left.min(1 << 14));
                    made = done;
                    match outcome {
                        Outcome::More => {}
                        Outcome::Missed(line) => {
                            Self::offer(desk, model, &line)?;
                        }
                        Outcome::Found(line) => {
                            if !Self::offer(desk, model, &line)? {
                                self.deceits += 1;
                                if self.deceits >= MOST_DECEITS {
                                    self.stage = Stage::Over;
                                }
                            }
                        }
                    }
                }
                Stage::Over => return Ok(Progress::Done),
            }
            left = left.saturating_sub(made.max(1));
            self.made += made;
            desk.positions += made / CHEAPER;
            desk.simulations += made / CHEAPER;
        }
        Ok(Progress::More)
    }

    fn size(&self) -> (u64, u64) {
        let bytes = match &self.stage {
            Stage::Filling(both) => both.1.bytes(),
            Stage::Searching(all) => all.1.bytes() + all.2.bytes(),
            Stage::Unknown | Stage::Over => 0,
        };
        (self.made, bytes as u64)
    }
}
