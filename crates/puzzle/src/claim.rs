//! A line that was found on a [`Model`], played on the engine: only then it counts.
//!
//! That a line does not give the best goal need not be a fault of the model: from where the match
//! is there may be too few steps, or too many.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use super::best::Method;
use super::desk::Desk;
use super::model::{Effect, Model};

/// What has come of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As much as could be expected of it.
    Fits,
    /// It leads where the model says, or would, and yet not to the best goal.
    Unfit,
    /// It leads elsewhere than the model says.
    Wrong,
}

/// A line that is yet to be played on the engine.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) line: Vec<u8>,
    /// Whether everything is as wanted at its end.
    pub(super) is_solution: bool,
}

impl Claim {
    /// The same from after a move of the match, which the model has made already; none if there is
    /// no way.
    pub(super) fn after(mut self, model: &Model, effect: Effect) -> Option<Self> {
        match effect {
            // The line is as long as before, and the match is shorter.
            Effect::None => self.is_solution = false,
            Effect::Of(number) => {
                // With a way back there may be too few steps for it.
                self.is_solution &= self.line.first() == Some(&number);
                self.line = model.after_playing(&[number], self.line)?;
            }
        }
        Some(self)
    }

    /// Plays the line, then waits for the end where that is possible, and offers what comes out.
    pub(super) fn test<R: Reasoner>(
        &self,
        desk: &mut Desk<'_, R>,
        model: &Model,
    ) -> Result<Verdict, ReasonError> {
        let numbers = self.line.iter();
        let mut moves: Vec<MoveId> = numbers.map(|n| model.moves[*n as usize]).collect();
        let (steps, mut state, mut is_terminal) = desk.follow(&moves)?;
        let is_whole = steps == moves.len();
        if self.is_solution && is_whole {
            let facts = desk.reasoner.facts(&state);
            let parts = desk.sheet.parts.as_ref();
            if !parts.is_some_and(|parts| parts.are_right(&facts)) {
                return Ok(Verdict::Wrong);
            }
        }
        moves.truncate(steps);
        while let (true, false, Some(idle)) = (is_whole, is_terminal, model.idle) {
            if moves.len() >= desk.limit {
                break;
            }
            state = desk.next(&state, idle)?;
            moves.push(idle);
            is_terminal = desk.reasoner.is_terminal(&state)?;
        }
        let mut is_best = false;
        if is_terminal {
            let value = desk.value(&state)?;
            is_best = value >= desk.sheet.ceiling;
            desk.best
                .offer(value, moves.len(), Method::Factors, || moves);
        }
        Ok(if is_best || !self.is_solution {
            Verdict::Fits
        } else {
            Verdict::Unfit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::ROLE;
    use crate::making::{Made, Making};
    use crate::testing::{Bench, lamps};

    /// The lamps with their model.
    fn bench(steps: usize) -> (Bench, Model) {
        let mut bench = Bench::new(&lamps(steps));
        let sheet = bench.sheet.clone();
        let parts = sheet.parts.as_ref().unwrap();
        let mut making = Making::new(&mut bench.desk(), parts, 1 << 20)
            .unwrap()
            .unwrap();
        let model = loop {
            match making.work(&mut bench.desk(), parts).unwrap() {
                Made::More => {}
                Made::Model(model) => break *model,
                Made::Nothing => panic!("there is no model"),
            }
        };
        (bench, model)
    }

    /// The line that puts out all lamps: the second of each three is pressed.
    fn line(bench: &mut Bench, model: &Model) -> Vec<u8> {
        let wanted = ["(press 2)", "(press 5)", "(press 8)"];
        let is_wanted = |number: &u8| {
            let text = bench.prover.move_text(ROLE, model.moves[*number as usize]);
            wanted.contains(&&*text)
        };
        (0..model.moves.len() as u8).filter(is_wanted).collect()
    }

    #[test]
    fn only_a_line_that_leads_elsewhere_is_a_fault_of_the_model() {
        for (steps, expected) in [(10, Verdict::Fits), (2, Verdict::Unfit)] {
            let (mut bench, mut model) = bench(steps);
            let line = line(&mut bench, &model);
            assert_eq!(line.len(), 3);
            let is_solution = true;
            let claim = Claim { line, is_solution };
            assert_eq!(claim.test(&mut bench.desk(), &model), Ok(expected));
            let short = Claim {
                line: claim.line[..1].to_vec(),
                is_solution,
            };
            assert_eq!(short.test(&mut bench.desk(), &model), Ok(Verdict::Wrong));
            // Without a way to wait for the end, there is none of such a line.
            model.idle = None;
            let expected = Ok(Verdict::Unfit);
            assert_eq!(claim.test(&mut bench.desk(), &model), expected);
        }
    }

    #[test]
    fn after_an_idle_move_a_line_promises_nothing() {
        let (mut bench, model) = bench(3);
        let line = line(&mut bench, &model);
        let claim = Claim {
            line: line.clone(),
            is_solution: true,
        };
        let claim = claim.after(&model, Effect::None).unwrap();
        assert_eq!((&claim.line, claim.is_solution), (&line, false));
        bench.play(model.idle.unwrap());
        let verdict = claim.test(&mut bench.desk(), &model);
        assert_eq!(verdict, Ok(Verdict::Fits));
        let claim = Claim {
            line: line.clone(),
            is_solution: true,
        };
        let claim = claim.after(&model, Effect::Of(line[0])).unwrap();
        assert_eq!((&claim.line[..], claim.is_solution), (&line[1..], true));
    }
}
