//! Search in a factored model of the puzzle: a [model](crate::factor_model), [pattern
//! databases](crate::pattern_database) as heuristic, and a [beam search](crate::beam_search) guided
//! by them.
//!
//! All stages are interruptible and continue through the moves of a match, so that several short
//! clocks add up.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use crate::beam_search::{BeamOutcome, BeamSearch};
use crate::best_line::SolveMethod;
use crate::candidate_line::{CandidateLine, LineValidation};
use crate::factor_model::FactorModel;
use crate::model_builder::{BuildStatus, ModelBuilder};
use crate::pattern_database::PatternDatabases;
use crate::simulation::{SimulationEnd, SimulationPolicy, StateHistory, playout};
use crate::technique::{Technique, TechniqueContext, TechniqueStatus};

/// Positions of the model that cost as much as one position of an engine.
const MODEL_POSITIONS_PER_ENGINE_POSITION: u64 = 16;
/// The model is given up after this number of lines that led to another position than it says.
const MAX_MODEL_MISMATCHES: u32 = 3;
/// After this number of lines that met all requirements without the best goal, no more are tried
/// from the same root.
const MAX_MISSED_GOALS: u32 = 3;
/// Number of random playouts that estimate the number of steps to the end of the game.
const STEP_PROBES: usize = 4;
/// Poll interval of the stop condition, in positions of the model.
const POSITIONS_PER_POLL: u64 = 1 << 13;

/// The stages, in their order.
#[derive(Debug)]
enum FactoredSearchStage {
    Unstarted,
    /// The engine is queried for transition tables.
    BuildingModel(Box<ModelBuilder>),
    /// Redundant pairs of moves are found.
    PruningMoves(Box<FactorModel>),
    /// The pattern databases are filled.
    FillingDatabases(Box<(FactorModel, PatternDatabases)>),
    /// The beam search runs.
    Searching(Box<(FactorModel, PatternDatabases, BeamSearch)>),
    /// The technique has ended with this status.
    Ended(TechniqueStatus),
}

/// The state of the technique.
#[derive(Debug)]
pub(crate) struct FactoredSearch {
    stage: FactoredSearchStage,
    /// A line that is still to be validated.
    candidate: Option<CandidateLine>,
    /// The last line that was validated from this root.
    tested_line: Option<Vec<u8>>,
    /// How many step probes were made, and the length of the longest.
    step_probes: (usize, usize),
    max_bytes: usize,
    seed: u64,
    /// Lines that led to another position than the model says.
    model_mismatches: u32,
    /// Lines from this root that did not give the best goal.
    missed_goals: u32,
    positions_made: u64,
    /// Model positions that do not yet add up to one engine position.
    uncounted: u64,
}

impl FactoredSearch {
    pub(crate) fn new(max_bytes: usize, seed: u64) -> Self {
        Self {
            stage: FactoredSearchStage::Unstarted,
            candidate: None,
            tested_line: None,
            step_probes: (0, 0),
            max_bytes,
            seed,
            model_mismatches: 0,
            missed_goals: 0,
            positions_made: 0,
            uncounted: 0,
        }
    }

    /// One random playout to estimate the number of steps to the end of the game. It is ignored if
    /// the clock cut it.
    fn probe_steps<R: Reasoner>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let mut rng = Rng::new(self.seed.wrapping_add(self.step_probes.0 as u64));
        let mut line = Vec::new();
        let mut history = StateHistory::default();
        let root = context.root.clone();
        let end = playout(
            context,
            &root,
            SimulationPolicy::Random,
            &mut history,
            &mut rng,
            &mut line,
        )?;
        if end != SimulationEnd::Unfinished || !(context.stop)() {
            self.step_probes = (self.step_probes.0 + 1, self.step_probes.1.max(line.len()));
            context.simulations += 1;
        }
        Ok(())
    }

    /// Validates the candidate on the engine. If that is interrupted, the candidate stays.
    fn test_candidate<R: Reasoner>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let (FactoredSearchStage::Searching(all), Some(candidate)) = (&self.stage, &self.candidate)
        else {
            return Ok(());
        };
        let validation = candidate.validate(context, &all.0)?;
        context.simulations += 1;
        match validation {
            LineValidation::Accepted => {}
            LineValidation::GoalMissed => self.missed_goals += 1,
            LineValidation::ModelMismatch => self.model_mismatches += 1,
        }
        if self.model_mismatches >= MAX_MODEL_MISMATCHES {
            self.stage = FactoredSearchStage::Ended(TechniqueStatus::Inapplicable);
        }
        self.tested_line = self.candidate.take().map(|candidate| candidate.line);
        Ok(())
    }

    /// A piece of work of the current stage. Returns how many model positions were generated.
    fn run_stage<R: Reasoner>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<u64, ReasonError> {
        // Without the factorization nothing can be done now; the analysis may be there later.
        let analysis = context.analysis;
        let Some(factors) = &analysis.factors else {
            self.stage = FactoredSearchStage::Ended(TechniqueStatus::Finished);
            return Ok(0);
        };
        match &mut self.stage {
            FactoredSearchStage::Unstarted => {
                self.stage = match ModelBuilder::new(context, factors, self.max_bytes)? {
                    Some(builder) => FactoredSearchStage::BuildingModel(Box::new(builder)),
                    None => FactoredSearchStage::Ended(TechniqueStatus::Inapplicable),
                };
                Ok(0)
            }
            FactoredSearchStage::BuildingModel(builder) => {
                match builder.work(context, factors)? {
                    BuildStatus::Running => {}
                    BuildStatus::Finished(model) => {
                        self.stage = FactoredSearchStage::PruningMoves(model);
                    }
                    BuildStatus::Inapplicable => {
                        self.stage = FactoredSearchStage::Ended(TechniqueStatus::Inapplicable);
                    }
                }
                Ok(0)
            }
            FactoredSearchStage::PruningMoves(model) => {
                let size: usize = model.state_counts.iter().sum();
                let positions_made =
                    (model.moves.len() * size) as u64 / MODEL_POSITIONS_PER_ENGINE_POSITION;
                if model.prune_next_move()
                    && let FactoredSearchStage::PruningMoves(model) = self.take_stage()
                {
                    let left = self.max_bytes.saturating_sub(model.bytes());
                    let databases = PatternDatabases::new(&model, left.min(self.max_bytes / 2));
                    self.stage =
                        FactoredSearchStage::FillingDatabases(Box::new((*model, databases)));
                }
                Ok(positions_made)
            }
            FactoredSearchStage::FillingDatabases(both) => {
                let (model, databases) = &mut **both;
                let (is_full, positions_made) = databases.fill(model, quota);
                if is_full && self.step_probes.0 < STEP_PROBES {
                    self.probe_steps(context)?;
                }
                if is_full
                    && self.step_probes.0 >= STEP_PROBES
                    && let FactoredSearchStage::FillingDatabases(both) = self.take_stage()
                {
                    let (model, databases) = *both;
                    let taken = databases.bytes() + model.bytes();
                    let bytes = self.max_bytes.saturating_sub(taken);
                    let beam = BeamSearch::new(&model, self.step_probes.1, bytes, self.seed);
                    self.stage = FactoredSearchStage::Searching(Box::new((model, databases, beam)));
                }
                Ok(positions_made)
            }
            FactoredSearchStage::Searching(all) => {
                let (model, databases, beam) = &mut **all;
                if beam.needs_more_steps() && self.step_probes.0 < STEP_PROBES {
                    // The match has moved on since the last step probes.
                    self.probe_steps(context)?;
                    return Ok(0);
                }
                if beam.needs_more_steps() {
                    beam.raise_steps(model, self.step_probes.1);
                }
                let (outcome, positions_made) = beam.work(model, databases, quota);
                let (line, is_solution) = match outcome {
                    BeamOutcome::Running => return Ok(positions_made),
                    BeamOutcome::Unsolved(line) => (line, false),
                    BeamOutcome::Solved(line) => (line, true),
                };
                if is_solution || self.tested_line.as_ref() != Some(&line) {
                    self.candidate = Some(CandidateLine { line, is_solution });
                }
                Ok(positions_made)
            }
            FactoredSearchStage::Ended(_) => Ok(0),
        }
    }

    /// Takes the stage out, to be replaced by the next.
    fn take_stage(&mut self) -> FactoredSearchStage {
        std::mem::replace(
            &mut self.stage,
            FactoredSearchStage::Ended(TechniqueStatus::Finished),
        )
    }
}

impl<R: Reasoner> Technique<R> for FactoredSearch {
    fn method(&self) -> SolveMethod {
        SolveMethod::Factors
    }

    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError> {
        let mut left = quota.saturating_mul(MODEL_POSITIONS_PER_ENGINE_POSITION);
        while left > 0 && !context.should_stop() {
            if let FactoredSearchStage::Ended(status) = self.stage {
                return Ok(status);
            }
            if self.missed_goals >= MAX_MISSED_GOALS {
                return Ok(TechniqueStatus::Suspended);
            }
            let before = context.positions;
            let positions_made = if self.candidate.is_some() {
                self.test_candidate(context)?;
                0
            } else {
                self.run_stage(context, left.min(POSITIONS_PER_POLL))?
            };
            let queried =
                (context.positions - before).saturating_mul(MODEL_POSITIONS_PER_ENGINE_POSITION);
            left = left.saturating_sub((positions_made + queried).max(1));
            self.positions_made += positions_made;
            self.uncounted += positions_made;
            context.positions += self.uncounted / MODEL_POSITIONS_PER_ENGINE_POSITION;
            context.simulations += self.uncounted / MODEL_POSITIONS_PER_ENGINE_POSITION;
            self.uncounted %= MODEL_POSITIONS_PER_ENGINE_POSITION;
        }
        Ok(TechniqueStatus::Running)
    }

    fn advance(&mut self, id: MoveId) -> bool {
        // The longest probe is one step shorter now. When all probes are made and the search runs,
        // they are made again after each move.
        self.step_probes = match (&self.stage, self.step_probes) {
            (FactoredSearchStage::Searching(_), (STEP_PROBES.., _)) => (0, 0),
            (_, (count, longest)) => (count, longest.saturating_sub(1)),
        };
        self.tested_line = None;
        self.missed_goals = 0;
        let model = match &mut self.stage {
            FactoredSearchStage::Unstarted => return true,
            FactoredSearchStage::BuildingModel(builder) => {
                builder.advance(id);
                return true;
            }
            FactoredSearchStage::PruningMoves(model) => model,
            FactoredSearchStage::FillingDatabases(both) => &mut both.0,
            FactoredSearchStage::Searching(all) => &mut all.0,
            FactoredSearchStage::Ended(_) => return false,
        };
        let Some(effect) = model.advance(id) else {
            return false;
        };
        let candidate = self.candidate.take();
        self.candidate = candidate.and_then(|candidate| candidate.after_move(model, effect));
        if let FactoredSearchStage::Searching(all) = &mut self.stage {
            let (model, _, beam) = &mut **all;
            beam.advance(model, effect);
        }
        true
    }

    fn size(&self) -> (u64, u64) {
        let bytes = match &self.stage {
            FactoredSearchStage::PruningMoves(model) => model.bytes(),
            FactoredSearchStage::FillingDatabases(both) => both.0.bytes() + both.1.bytes(),
            FactoredSearchStage::Searching(all) => all.0.bytes() + all.1.bytes() + all.2.bytes(),
            FactoredSearchStage::BuildingModel(builder) => builder.bytes(),
            FactoredSearchStage::Unstarted | FactoredSearchStage::Ended(_) => 0,
        };
        (self.positions_made, bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{TestPuzzle, lamp_puzzle};

    #[test]
    fn short_turns_add_up_to_a_solution_during_a_match() {
        let mut puzzle = TestPuzzle::new(&lamp_puzzle(40));
        let legal = puzzle.legal();
        let mut search = FactoredSearch::new(1 << 20, 1);
        let mut step = 0;
        while puzzle.best.value() != Some(100) {
            assert!(step < 25, "nothing comes of it");
            // The quota is too small for one turn to finish everything.
            for _ in 0..3 {
                search.work(&mut puzzle.context(), 10).unwrap();
            }
            if puzzle.best.value() == Some(100) {
                break;
            }
            // An arbitrary move is played meanwhile.
            let id = legal[step % legal.len()];
            puzzle.play(id);
            puzzle.best.clear();
            assert!(advance(&mut search, id));
            step += 1;
        }
        assert!(step > 1, "it was too much in one turn");
        // The line was validated from the current position of the match.
        assert_eq!(puzzle.best.line().unwrap().moves.len(), 40 - step);
    }

    #[test]
    fn an_interrupted_model_query_is_continued() {
        let mut puzzle = TestPuzzle::new(&lamp_puzzle(40));
        let mut search = FactoredSearch::new(1 << 20, 1);
        let mut turns = 0;
        while !matches!(search.stage, FactoredSearchStage::PruningMoves(_)) {
            turns += 1;
            assert!(turns < 1000);
            let mut context = puzzle.context();
            // Every turn is stopped after a few positions.
            let polls = std::sync::atomic::AtomicU32::new(0);
            let stop = || polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 4;
            context.stop = &stop;
            search.work(&mut context, 1000).unwrap();
        }
        assert!(turns > 3);
    }

    /// Works until the beam search starts.
    fn searching(puzzle: &mut TestPuzzle) -> FactoredSearch {
        let mut search = FactoredSearch::new(1 << 20, 1);
        while !matches!(search.stage, FactoredSearchStage::Searching(_)) {
            let progress = search.work(&mut puzzle.context(), 1).unwrap();
            assert_eq!(progress, TechniqueStatus::Running);
        }
        search
    }

    fn advance(search: &mut FactoredSearch, id: MoveId) -> bool {
        Technique::<ludorum_prover::Prover>::advance(search, id)
    }

    #[test]
    fn steps_are_probed_again_when_the_limit_is_reached() {
        let mut puzzle = TestPuzzle::new(&lamp_puzzle(40));
        let mut search = searching(&mut puzzle);
        // As if all step probes had ended early.
        if let FactoredSearchStage::Searching(all) = &mut search.stage {
            all.2 = BeamSearch::new(&all.0, 1, 1 << 16, 1);
        }
        search.candidate = None;
        search.step_probes = (STEP_PROBES, 1);
        search.work(&mut puzzle.context(), 100).unwrap();
        assert_ne!(puzzle.best.value(), Some(100), "one step is too few");
        let id = puzzle.legal()[0];
        puzzle.play(id);
        assert!(advance(&mut search, id));
        for _ in 0..20 {
            search.work(&mut puzzle.context(), 100).unwrap();
        }
        assert_eq!(puzzle.best.value(), Some(100));
    }

    #[test]
    fn missed_goals_suspend_the_search_and_keep_the_model() {
        let mut puzzle = TestPuzzle::new(&lamp_puzzle(10));
        let mut search = searching(&mut puzzle);
        // The same lamps with fewer steps than the solution needs, which the beam search does not
        // know.
        let mut short = TestPuzzle::new(&lamp_puzzle(2));
        let mut turns = 0;
        while search.work(&mut short.context(), 100).unwrap() != TechniqueStatus::Suspended {
            turns += 1;
            assert!(turns < 100, "it goes on and on");
        }
        assert_eq!(
            (search.missed_goals, search.model_mismatches),
            (MAX_MISSED_GOALS, 0)
        );
        // After the next move it continues.
        let id = puzzle.legal()[0];
        puzzle.play(id);
        assert!(advance(&mut search, id));
        assert!(matches!(search.stage, FactoredSearchStage::Searching(_)));
        for _ in 0..20 {
            search.work(&mut puzzle.context(), 100).unwrap();
        }
        assert_eq!(puzzle.best.value(), Some(100));
    }

    #[test]
    fn short_runs_use_the_simulation_budget() {
        // One switch flips both lamps, so that they are never out at the same time.
        let rules = "(role r) (init (lit 1)) (init (step 0)) (lamp 1) (lamp 2)
             (succ 0 1) (succ 1 2) (succ 2 3)
             (legal r wait) (legal r press)
             (<= (next (lit ?x)) (true (lit ?x)) (does r wait))
             (<= (next (lit ?x)) (lamp ?x) (does r press) (not (true (lit ?x))))
             (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
             (<= some (true (lit ?x)))
             (<= terminal (true (step 3)))
             (<= (goal r 100) (not some)) (<= (goal r 0) some)";
        let mut puzzle = TestPuzzle::new(rules);
        let mut search = searching(&mut puzzle);
        let mut context = puzzle.context();
        assert_eq!(
            search.work(&mut context, 1000),
            Ok(TechniqueStatus::Running)
        );
        assert!(context.simulations >= 900, "{}", context.simulations);
        // The same line from the same root is validated only once.
        assert!(search.tested_line.is_some());
        assert!(
            context.positions <= context.simulations + 50,
            "{}",
            context.positions
        );
    }

    #[test]
    fn a_model_beyond_the_memory_is_inapplicable() {
        let mut puzzle = TestPuzzle::new(&lamp_puzzle(40));
        let mut search = FactoredSearch::new(16 << 10, 1);
        let progress = search.work(&mut puzzle.context(), 1000);
        assert_eq!(progress, Ok(TechniqueStatus::Inapplicable));
    }
}
