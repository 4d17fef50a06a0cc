//! `one-ply`: the player 'Rand 1-ply' (Świechowski 2015, section 3.5.1).
//!
//! It plays a move that wins at once, avoids moves that lose at once, and otherwise plays at
//! random. With simultaneous moves, a move wins if it does so against all replies, and loses if
//! some reply makes it lose; large numbers of replies are sampled.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use ludorum_player::JointMoves;
use ludorum_player::SteppedRng;
use ludorum_player::{MoveResult, SearchContext, SearchResult};
use ludorum_player::{Position, Searcher};

/// The maximum number of joint moves for each own move; of more a sample is drawn.
const MAX_JOINT_MOVES: usize = 64;
/// The goal value of a win.
const WIN: u8 = 100;

/// Searches one move ahead.
#[derive(Debug)]
pub struct OnePly(pub SteppedRng);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MoveOutcome {
    Loses,
    Open,
    Wins,
}

impl<R: Reasoner> Searcher<R> for OnePly {
    fn search(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        // Random order, so that ties are broken at random, also when the time ends early.
        let mut rng = self.0.rng();
        let mut moves = position.legal[position.role].clone();
        for i in (1..moves.len()).rev() {
            moves.swap(i, rng.below(i + 1));
        }
        let mut result = SearchResult::of_move(moves[0]);
        let mut best = None;
        for id in moves {
            if context.is_over() {
                break;
            }
            let positions = &mut result.simulations;
            let outcome = evaluate(reasoner, position, id, &mut rng, positions)?;
            if best < Some(outcome) {
                best = Some(outcome);
                result.choice = id;
            }
            let bounds = match outcome {
                MoveOutcome::Loses => Some((0, 0)),
                MoveOutcome::Open => None,
                MoveOutcome::Wins => Some((WIN, WIN)),
            };
            result.moves.push(MoveResult {
                id,
                visits: 1,
                value: bounds.map(|(value, _)| f64::from(value)),
                bounds,
                ..MoveResult::default()
            });
            if outcome == MoveOutcome::Wins {
                result.proven = true;
                break;
            }
            context.publish(result.clone());
        }
        result.depth = 1;
        // The chosen move comes first.
        if let Some(place) = result.moves.iter().position(|m| m.id == result.choice) {
            result.moves.swap(0, place);
        }
        context.publish(result);
        Ok(())
    }

    fn advance(&mut self, _joint_move: &[MoveId], _state: &R::State) {
        self.0.advance();
    }

    fn reset(&mut self) {
        self.0.start_new_line();
    }
}

fn evaluate<R: Reasoner>(
    reasoner: &mut R,
    position: &Position<R::State>,
    id: MoveId,
    rng: &mut Rng,
    positions: &mut u64,
) -> Result<MoveOutcome, ReasonError> {
    let joint_moves = JointMoves::new(&position.legal, position.role, id);
    let mut worst = MoveOutcome::Wins;
    for joint_move in joint_moves.all_or_sample(MAX_JOINT_MOVES, rng) {
        *positions += 1;
        let next = reasoner.next(&position.state, &joint_move)?;
        let outcome = if reasoner.is_terminal(&next)? {
            match reasoner.goal(&next, position.role)?.value() {
                Some(WIN..) => MoveOutcome::Wins,
                Some(0) => MoveOutcome::Loses,
                _ => MoveOutcome::Open,
            }
        } else {
            MoveOutcome::Open
        };
        worst = worst.min(outcome);
        if worst == MoveOutcome::Loses {
            break;
        }
    }
    Ok(worst)
}
