//! Nested rollouts that adapt their policy (NRPA, Rosin 2011).
//!
//! A level plays some number of games of the level below, each time makes the moves of its best
//! line more likely, and hands that line up. The lowest level draws moves by their weights. What a
//! weight belongs to is another thing in every run, since no one choice is good for all puzzles:
//! the move, the move at its step, the move after the one before, the move in its position.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};
use rustc_hash::FxHashMap;

use crate::best_line::SolveMethod;
use crate::memory_estimate;
use crate::rule_analysis::ROLE;
use crate::technique::{Technique, TechniqueContext, TechniqueStatus};

/// Levels above the playouts.
const LEVELS: usize = 3;
/// Games that a level plays of the one below.
const ITERATIONS: u32 = 40;
/// How much a move of the best line gains.
const ALPHA: f64 = 1.0;
/// The bytes of a weight.
const WEIGHT_BYTES: usize = size_of::<(u64, f64)>();
/// The bytes that a choice on the way of a line may take: lines of all levels, of a playout and of
/// one that is handed up, each in lists that may be twice as long as needed, and what is changed
/// when it is learned from.
const BYTES_PER_CHOICE: usize = 256;

/// What a weight belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MoveCoding {
    Move,
    Step,
    PreviousMove,
    Position,
}

const CODINGS: [MoveCoding; 4] = [
    MoveCoding::Move,
    MoveCoding::Step,
    MoveCoding::Position,
    MoveCoding::PreviousMove,
];

impl MoveCoding {
    fn of(self, id: MoveId, step: usize, before: MoveId, key: u128) -> u64 {
        let context = match self {
            Self::Move => 0,
            Self::Step => step as u64 + 1,
            Self::PreviousMove => u64::from(before.0) + 1,
            Self::Position => key as u64,
        };
        context.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(id.0)
    }
}

/// A line, with all choices on the way.
#[derive(Clone, Debug, Default)]
struct Rollout {
    /// The value plus one; 0 for a line without an end.
    score: u32,
    moves: Vec<MoveId>,
    /// The codes of all moves at each step, one step after the other.
    codes: Vec<u64>,
    /// Where each step begins in them, and which was chosen.
    steps: Vec<(u32, u32)>,
    /// Whether there were more choices than there is memory for. It is a line like any other, but
    /// nothing is learned from it.
    is_too_long: bool,
}

impl Rollout {
    fn clear(&mut self) {
        self.score = 0;
        self.moves.clear();
        self.codes.clear();
        self.steps.clear();
        self.is_too_long = false;
    }

    fn bytes(&self) -> usize {
        4 * self.moves.capacity() + 8 * (self.codes.capacity() + self.steps.capacity())
    }
}

type PolicyWeights = FxHashMap<u64, f64>;

#[derive(Clone, Debug, Default)]
struct Level {
    policy: PolicyWeights,
    best: Rollout,
    iterations: u32,
}

/// Nested rollouts.
#[derive(Debug)]
pub(crate) struct NestedRollout {
    /// The lowest first.
    levels: Vec<Level>,
    code: usize,
    rng: Rng,
    legal: Vec<MoveId>,
    weights: Vec<f64>,
    rollout: Rollout,
    max_bytes: usize,
}

impl NestedRollout {
    pub(crate) fn new(max_bytes: usize, seed: u64) -> Self {
        Self {
            levels: vec![Level::default(); LEVELS],
            code: (seed % CODINGS.len() as u64) as usize,
            rng: Rng::new(seed),
            legal: Vec::new(),
            weights: Vec::new(),
            rollout: Rollout::default(),
            max_bytes,
        }
    }

    /// Whether a level has room for the weights of a line. Half of the memory is for weights: those
    /// of three levels, and a copy that is made of one.
    fn has_memory(&self, level: &Level) -> bool {
        let (len, capacity) = (level.policy.len(), level.policy.capacity());
        let most = self.max_bytes / 2 / (LEVELS + 1);
        memory_estimate::hash_table_bytes(len, capacity, level.best.codes.len(), WEIGHT_BYTES)
            <= most
    }

    /// Plays with the policy of the lowest level.
    fn roll_out<R: Reasoner>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let code = CODINGS[self.code];
        let most_codes = self.max_bytes / 2 / BYTES_PER_CHOICE;
        let policy = &self.levels[0].policy;
        let rollout = &mut self.rollout;
        rollout.clear();
        let mut state = context.root.clone();
        let mut before = MoveId(u32::MAX - 1);
        loop {
            if context.reasoner.is_terminal(&state)? {
                rollout.score = u32::from(context.goal_value(&state)?) + 1;
                return Ok(());
            }
            let step = rollout.moves.len();
            if step >= context.max_steps || context.should_cut_playout() {
                return Ok(());
            }
            context
                .reasoner
                .legal_moves(&state, ROLE, &mut self.legal)?;
            if self.legal.is_empty() {
                return Ok(());
            }
            let key = match code {
                MoveCoding::Position => context.reasoner.key(&state),
                _ => 0,
            };
            let begin = rollout.codes.len();
            if begin + self.legal.len() > most_codes && !rollout.is_too_long {
                rollout.is_too_long = true;
                rollout.codes = Vec::new();
                rollout.steps = Vec::new();
            }
            self.weights.clear();
            for id in &self.legal {
                let code = code.of(*id, step, before, key);
                if !rollout.is_too_long {
                    rollout.codes.push(code);
                }
                self.weights
                    .push(policy.get(&code).map_or(1.0, |weight| weight.exp()));
            }
            let mut left = self.rng.next_f64() * self.weights.iter().sum::<f64>();
            let found = self.weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            let chosen = found.unwrap_or(self.legal.len() - 1);
            before = self.legal[chosen];
            if !rollout.is_too_long {
                rollout.steps.push((begin as u32, chosen as u32));
            }
            rollout.moves.push(before);
            state = context.next(&state, before)?;
        }
    }

    /// Takes a played line to the levels above, as far as they are done.
    fn finish_rollout(&mut self) {
        let (mut line, levels) = (std::mem::take(&mut self.rollout), self.levels.len());
        for i in 0..levels {
            let level = &mut self.levels[i];
            level.iterations += 1;
            if line.score >= level.best.score {
                level.best = line;
            }
            let has_memory = self.has_memory(&self.levels[i]);
            let level = &mut self.levels[i];
            // A line that gives nothing is no example.
            if level.best.score > 1 && has_memory {
                adapt(&mut level.policy, &level.best);
            }
            // A level that is full begins anew.
            if level.iterations < ITERATIONS && has_memory {
                return;
            }
            line = std::mem::take(&mut level.best);
            level.iterations = 0;
            let above = self.levels.get(i + 1).map(|above| above.policy.clone());
            self.levels[i].policy = above.unwrap_or_default();
        }
        // The highest level is done: another run, about other codes.
        self.code = (self.code + 1) % CODINGS.len();
        self.levels.fill(Level::default());
    }
}

/// Makes the moves of a line more likely, and the others at each step less, by their chances.
fn adapt(policy: &mut PolicyWeights, line: &Rollout) {
    let mut changes: Vec<(u64, f64)> = Vec::with_capacity(line.codes.len() + line.steps.len());
    for (i, (begin, chosen)) in line.steps.iter().enumerate() {
        let end = line
            .steps
            .get(i + 1)
            .map_or(line.codes.len(), |next| next.0 as usize);
        let codes = &line.codes[*begin as usize..end];
        let weight = |code: &u64| policy.get(code).map_or(1.0, |weight| weight.exp());
        let sum: f64 = codes.iter().map(weight).sum();
        changes.push((codes[*chosen as usize], ALPHA));
        changes.extend(
            codes
                .iter()
                .map(|code| (*code, -ALPHA * weight(code) / sum)),
        );
    }
    for (code, change) in changes {
        let weight = policy.entry(code).or_insert(0.0);
        *weight = (*weight + change).clamp(-50.0, 50.0);
    }
}

impl<R: Reasoner> Technique<R> for NestedRollout {
    fn method(&self) -> SolveMethod {
        SolveMethod::Nested
    }

    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError> {
        let end = context.positions + quota;
        while context.positions < end && !context.should_stop() {
            // A root that is the end takes no steps.
            context.positions += 1;
            self.roll_out(context)?;
            context.simulations += 1;
            let rollout = &self.rollout;
            if let Some(value) = rollout.score.checked_sub(1) {
                context.best.offer(
                    value as u8,
                    rollout.moves.len(),
                    SolveMethod::Nested,
                    || rollout.moves.clone(),
                );
            }
            if !self.rollout.is_too_long {
                self.finish_rollout();
            }
        }
        Ok(TechniqueStatus::Running)
    }

    fn size(&self) -> (u64, u64) {
        let levels = self.levels.iter().map(|level| {
            let policy = &level.policy;
            memory_estimate::hash_table_bytes(policy.len(), policy.capacity(), 0, WEIGHT_BYTES)
                + level.best.bytes()
        });
        (0, (levels.sum::<usize>() + self.rollout.bytes()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{TestPuzzle, history_puzzle};
    use ludorum_prover::Prover;

    #[test]
    fn a_step_of_adaptation_moves_weights_as_computed_by_hand() {
        let mut policy = PolicyWeights::default();
        let line = Rollout {
            score: 101,
            moves: vec![MoveId(1)],
            codes: vec![10, 11, 12, 13],
            steps: vec![(0, 1)],
            is_too_long: false,
        };
        adapt(&mut policy, &line);
        // Four moves with even chances: + 1 - 1/4 for the chosen one, - 1/4 for the others.
        let close = |code: u64, expected: f64| (policy[&code] - expected).abs() < 1e-12;
        assert!(close(11, 0.75) && close(10, -0.25) && close(13, -0.25));
    }

    #[test]
    fn levels_hand_their_best_line_up_when_their_games_are_played() {
        let mut nested = NestedRollout::new(1 << 20, 0);
        for score in 0..ITERATIONS {
            nested.rollout = Rollout {
                score,
                ..Rollout::default()
            };
            nested.finish_rollout();
        }
        assert_eq!(nested.levels[0].iterations, 0);
        assert_eq!(nested.levels[1].iterations, 1);
        assert_eq!(nested.levels[1].best.score, ITERATIONS - 1);
    }

    #[test]
    fn weights_and_lines_stay_within_the_memory() {
        let most = 64 << 10;
        let mut puzzle = TestPuzzle::new(&history_puzzle(100));
        let mut context = puzzle.context();
        let mut nested = NestedRollout::new(most, 0);
        for _ in 0..40 {
            nested.work(&mut context, 500).unwrap();
            let size = Technique::<Prover>::size(&nested).1;
            assert!(size <= most as u64, "{size}");
        }
        assert!(context.best.value().is_some());
        // A line with more choices than there is memory for is found all the same.
        let mut puzzle = TestPuzzle::new(&history_puzzle(100));
        let mut context = puzzle.context();
        let mut nested = NestedRollout::new(0, 0);
        nested.work(&mut context, 1).unwrap();
        assert_eq!(context.best.line().unwrap().moves.len(), 100);
    }
}
