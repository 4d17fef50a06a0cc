//! Validation of a line that was found in a [`FactorModel`]: it counts only after the engine has
//! played it.
//!
//! A line may miss the best goal although the model is right, because the match can have too few or
//! too many steps left.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use crate::best_line::SolveMethod;
use crate::factor_model::{FactorModel, MoveEffect};
use crate::technique::TechniqueContext;

/// Result of playing a line on the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineValidation {
    /// The line does what was expected of it.
    Accepted,
    /// The line ends where the model says, but does not give the best goal.
    GoalMissed,
    /// The line leads to another position than the model says.
    ModelMismatch,
}

/// A line that is not yet played on the engine, as move indices of the model.
#[derive(Debug)]
pub(crate) struct CandidateLine {
    pub(crate) line: Vec<u8>,
    /// Whether the model says that its end meets all requirements.
    pub(crate) is_solution: bool,
}

impl CandidateLine {
    /// The same line from the position after a move of the match. The model has been advanced by
    /// that move already. Returns `None` if the move cannot be taken back.
    pub(crate) fn after_move(mut self, model: &FactorModel, effect: MoveEffect) -> Option<Self> {
        match effect {
            // The line is as long as before, but the match is one step shorter.
            MoveEffect::Identity => self.is_solution = false,
            MoveEffect::Move(number) => {
                // If the line starts by taking the move back, there may be too few steps left.
                self.is_solution &= self.line.first() == Some(&number);
                self.line = model.rebase_line(&[number], self.line)?;
            }
        }
        Some(self)
    }

    /// Plays the line, repeats the no-op until the game ends if there is one, and offers the result
    /// as best line.
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

    /// The lamp puzzle with its model.
    fn puzzle_and_model(steps: usize) -> (TestPuzzle, FactorModel) {
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

    /// The solution of the lamp puzzle: the middle lamp of each three is pressed.
    fn line(puzzle: &mut TestPuzzle, model: &FactorModel) -> Vec<u8> {
        let wanted = ["(press 2)", "(press 5)", "(press 8)"];
        let is_wanted = |number: &u8| {
            let text = puzzle.prover.move_text(ROLE, model.moves[*number as usize]);
            wanted.contains(&&*text)
        };
        (0..model.moves.len() as u8).filter(is_wanted).collect()
    }

    #[test]
    fn only_a_line_to_another_position_is_a_model_mismatch() {
        for (steps, expected) in [
            (10, LineValidation::Accepted),
            (2, LineValidation::GoalMissed),
        ] {
            let (mut puzzle, mut model) = puzzle_and_model(steps);
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
            // Without a no-op the line cannot be extended to the end of the game.
            model.no_op = None;
            let expected = Ok(LineValidation::GoalMissed);
            assert_eq!(candidate.validate(&mut puzzle.context(), &model), expected);
        }
    }

    #[test]
    fn after_a_no_op_a_line_is_no_longer_a_solution() {
        let (mut puzzle, model) = puzzle_and_model(3);
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
