//! A line that was found on a [`Model`], played on the engine: only then it counts.
//!
//! That a line does not give the best goal need not be a fault of the model: from where the match
//! is there may be too few steps, or too many.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use crate::best_line::SolveMethod;
use crate::factor_model::{FactorModel, MoveEffect};
use crate::technique::TechniqueContext;

/// What has come of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineValidation {
    /// As much as could be expected of it.
    Accepted,
    /// It leads where the model says, or would, and yet not to the best goal.
    GoalMissed,
    /// It leads elsewhere than the model says.
    ModelMismatch,
}

/// A line that is yet to be played on the engine.
#[derive(Debug)]
pub(crate) struct CandidateLine {
    pub(crate) line: Vec<u8>,
    /// Whether everything is as wanted at its end.
    pub(crate) is_solution: bool,
}

impl CandidateLine {
    /// The same from after a move of the match, which the model has made already; none if there is
    /// no way.
    pub(crate) fn after_move(mut self, model: &FactorModel, effect: MoveEffect) -> Option<Self> {
        match effect {
            // The line is as long as before, and the match is shorter.
            MoveEffect::Identity => self.is_solution = false,
            MoveEffect::Move(number) => {
                // With a way back there may be too few steps for it.
                self.is_solution &= self.line.first() == Some(&number);
                self.line = model.rebase_line(&[number], self.line)?;
            }
        }
        Some(self)
    }

    /// Plays the line, then waits for the end where that is possible, and offers what comes out.
    pub(crate) fn validate<R: Reasoner>(
        &self,
        context: &mut TechniqueContext<'_, R>,
        model: &FactorModel,
    ) -> Result<LineValidation, ReasonError> {
        let numbers = self.line.iter();
        let mut moves: Vec<MoveId> = numbers.map(|n| model.moves[*n as usize]).collect();
        let (steps, mut state, mut is_terminal) = context.replay(&moves)?;
        let is_whole = steps == moves.len();
        if self.is_solution && is_whole {
            let facts = context.reasoner.facts(&state);
            let factors = context.analysis.factors.as_ref();
            if !factors.is_some_and(|factors| factors.all_requirements_met(&facts)) {
                return Ok(LineValidation::ModelMismatch);
            }
        }
        moves.truncate(steps);
        while let (true, false, Some(no_op)) = (is_whole, is_terminal, model.no_op) {
            if moves.len() >= context.max_steps {
                break;
            }
            state = context.next(&state, no_op)?;
            moves.push(no_op);
            is_terminal = context.reasoner.is_terminal(&state)?;
        }
        let mut is_best = false;
        if is_terminal {
            let value = context.goal_value(&state)?;
            is_best = value >= context.analysis.ceiling;
            context
                .best
                .offer(value, moves.len(), SolveMethod::Factors, || moves);
        }
        Ok(if is_best || !self.is_solution {
            LineValidation::Accepted
        } else {
            LineValidation::GoalMissed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_builder::{BuildStatus, ModelBuilder};
    use crate::rule_analysis::ROLE;
    use crate::test_support::{TestPuzzle, lamp_puzzle};

    /// The lamps with their model.
    fn puzzle(steps: usize) -> (TestPuzzle, FactorModel) {
        let mut puzzle = TestPuzzle::new(&lamp_puzzle(steps));
        let analysis = puzzle.analysis.clone();
        let factors = analysis.factors.as_ref().unwrap();
        let mut builder = ModelBuilder::new(&mut puzzle.context(), factors, 1 << 20)
            .unwrap()
            .unwrap();
        let model = loop {
            match builder.work(&mut puzzle.context(), factors).unwrap() {
                BuildStatus::Running => {}
                BuildStatus::Finished(model) => break *model,
                BuildStatus::Inapplicable => panic!("there is no model"),
            }
        };
        (puzzle, model)
    }

    /// The line that puts out all lamps: the second of each three is pressed.
    fn line(puzzle: &mut TestPuzzle, model: &FactorModel) -> Vec<u8> {
        let wanted = ["(press 2)", "(press 5)", "(press 8)"];
        let is_wanted = |number: &u8| {
            let text = puzzle.prover.move_text(ROLE, model.moves[*number as usize]);
            wanted.contains(&&*text)
        };
        (0..model.moves.len() as u8).filter(is_wanted).collect()
    }

    #[test]
    fn only_a_line_that_leads_elsewhere_is_a_fault_of_the_model() {
        for (steps, expected) in [
            (10, LineValidation::Accepted),
            (2, LineValidation::GoalMissed),
        ] {
            let (mut puzzle, mut model) = puzzle(steps);
            let line = line(&mut puzzle, &model);
            assert_eq!(line.len(), 3);
            let is_solution = true;
            let candidate = CandidateLine { line, is_solution };
            assert_eq!(
                candidate.validate(&mut puzzle.context(), &model),
                Ok(expected)
            );
            let short = CandidateLine {
                line: candidate.line[..1].to_vec(),
                is_solution,
            };
            assert_eq!(
                short.validate(&mut puzzle.context(), &model),
                Ok(LineValidation::ModelMismatch)
            );
            // Without a way to wait for the end, there is none of such a line.
            model.no_op = None;
            let expected = Ok(LineValidation::GoalMissed);
            assert_eq!(candidate.validate(&mut puzzle.context(), &model), expected);
        }
    }

    #[test]
    fn after_an_idle_move_a_line_promises_nothing() {
        let (mut puzzle, model) = puzzle(3);
        let line = line(&mut puzzle, &model);
        let candidate = CandidateLine {
            line: line.clone(),
            is_solution: true,
        };
        let candidate = candidate.after_move(&model, MoveEffect::Identity).unwrap();
        assert_eq!((&candidate.line, candidate.is_solution), (&line, false));
        puzzle.play(model.no_op.unwrap());
        let validation = candidate.validate(&mut puzzle.context(), &model);
        assert_eq!(validation, Ok(LineValidation::Accepted));
        let candidate = CandidateLine {
            line: line.clone(),
            is_solution: true,
        };
        let candidate = candidate
            .after_move(&model, MoveEffect::Move(line[0]))
            .unwrap();
        assert_eq!(
            (&candidate.line[..], candidate.is_solution),
            (&line[1..], true)
        );
    }
}
