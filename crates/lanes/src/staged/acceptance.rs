//! The probability that a draw is accepted, computed and not sampled.

use ludorum_reasoner::ReasonError;

use super::{StagedLanes, StagedState};

impl StagedLanes {
    /// The probability that a draw in a state makes a step: for each role that chooses, the number of
    /// legal moves in relation to that of candidates times slots. `None` if a role has no candidate.
    /// Candidates that have failed before are not left out.
    #[allow(clippy::cast_precision_loss)] // numbers of moves
    pub fn acceptance(&mut self, state: &StagedState) -> Result<Option<f64>, ReasonError> {
        let legal = self.evaluate(&[state])?.remove(0).legal;
        let (stage, mover) = self.stage_of(&state.0)?;
        let shared = self.shared.clone();
        let tables = &shared.tables;
        let mut draw = state.0.clone();
        draw.set(tables.stages[stage].draw as usize, true);
        let evaluator = self.lanes.evaluator();
        evaluator.load([draw].iter());
        let mut probability = 1.0;
        for role in &tables.stages[stage].roles {
            let mut candidates = 0u64;
            let range = shared.network.game.moves_of(*role);
            evaluator.each_legal(range, 1, |_, action| {
                candidates += u64::from(tables.leaf_of.contains_key(&action));
            });
            if candidates == 0 {
                return Ok(None);
            }
            let mut draws = shared.staging.draws.iter();
            let bound = draws
                .find(|draw| draw.role == *role)
                .map_or(1, |draw| draw.bound);
            let slots = candidates as f64 * f64::from(bound);
            // Where turns share their stages, the moves are those of the role that has the turn.
            let owner = mover.filter(|_| tables.shared).unwrap_or(*role);
            probability *= legal[owner].len() as f64 / slots;
        }
        Ok(Some(probability))
    }
}
