//! `one-ply`: the player 'Rand 1-ply' of section 3.5.1 of the thesis.
//!
//! A move that wins at once is played, a move that loses at once is avoided, otherwise chance
//! decides. Where others move at the same time a move wins if it does so whatever they do, and
//! loses if they can make it lose; of very many joint moves some are tried.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use ludorum_player::JointMoves;
use ludorum_player::SteppedRng;
use ludorum_player::{MoveResult, SearchContext, SearchResult};
use ludorum_player::{Position, Searcher};

/// So many joint moves are tried for each own move; more are sampled.
const MOST_REPLIES: usize = 64;
/// The goal of a role that has won, as the language has it.
const WIN: u8 = 100;

/// Looks one move ahead.
#[derive(Debug)]
pub struct OnePly(pub SteppedRng);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
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
        // In random order, so that the first of the best is any of them, also when the time is up
        // in between.
        let mut rng = self.0.rng();
        let mut moves = position.legal[position.role].clone();
        for i in (1..moves.len()).rev() {
            moves.swap(i, rng.below(i + 1));
        }
        let mut thought = SearchResult::of_move(moves[0]);
        let mut best = None;
        for id in moves {
            if context.is_over() {
                break;
            }
            let looked_at = &mut thought.simulations;
            let verdict = judge(reasoner, position, id, &mut rng, looked_at)?;
            if best < Some(verdict) {
                best = Some(verdict);
                thought.choice = id;
            }
            let bounds = match verdict {
                Verdict::Loses => Some((0, 0)),
                Verdict::Open => None,
                Verdict::Wins => Some((WIN, WIN)),
            };
            thought.moves.push(MoveResult {
                id,
                visits: 1,
                value: bounds.map(|(value, _)| f64::from(value)),
                bounds,
                ..MoveResult::default()
            });
            if verdict == Verdict::Wins {
                thought.proven = true;
                break;
            }
            context.publish(thought.clone());
        }
        thought.depth = 1;
        // The best first: what was chosen.
        if let Some(place) = thought.moves.iter().position(|m| m.id == thought.choice) {
            thought.moves.swap(0, place);
        }
        context.publish(thought);
        Ok(())
    }

    fn advance(&mut self, _joint_move: &[MoveId], _state: &R::State) {
        self.0.advance();
    }

    fn reset(&mut self) {
        self.0.start_new_line();
    }
}

fn judge<R: Reasoner>(
    reasoner: &mut R,
    position: &Position<R::State>,
    id: MoveId,
    rng: &mut Rng,
    looked_at: &mut u64,
) -> Result<Verdict, ReasonError> {
    let replies = JointMoves::new(&position.legal, position.role, id);
    let mut verdict = Verdict::Wins;
    for joint_move in replies.all_or_sample(MOST_REPLIES, rng) {
        *looked_at += 1;
        let next = reasoner.next(&position.state, &joint_move)?;
        let outcome = if reasoner.is_terminal(&next)? {
            match reasoner.goal(&next, position.role)?.value() {
                Some(WIN..) => Verdict::Wins,
                Some(0) => Verdict::Loses,
                _ => Verdict::Open,
            }
        } else {
            Verdict::Open
        };
        verdict = verdict.min(outcome);
        if verdict == Verdict::Loses {
            break;
        }
    }
    Ok(verdict)
}
