/*!
`minimax`: everything is looked at, one step deeper each time, as long as there is time. In small
games that is the whole truth.

With `others=paranoid` all other roles together want our harm, and choose knowing our move: that is
[alpha-beta](paranoid), exact for two roles whose goals have a constant sum and for one role alone,
and a lower bound of what can be reached otherwise. With `others=maxn` every role wants its [own
best](max_n). States beyond the horizon count as neither won nor lost.
*/

mod max_n;
mod paranoid;
mod walk;

use ludorum_reasoner::{ReasonError, Reasoner};

use ludorum_player::OptionValues;
use ludorum_player::{MoveResult, SearchContext, SearchResult};
use ludorum_player::{Position, Searcher};
use max_n::MaxN;
use paranoid::Paranoid;
use walk::{Stop, Walk};

/// What a state beyond the horizon is worth.
const UNKNOWN: u8 = 50;
/// The most that a role can get.
const MOST: u8 = 100;

/// A way of looking at everything to a depth.
trait Lookahead<R: Reasoner> {
    /// What a role can get from a position, move by move in the order given, and whether the
    /// horizon was never met.
    fn look(
        &mut self,
        walk: &mut Walk<'_, R>,
        position: &Position<R::State>,
        depth: u32,
        moves: &mut [MoveResult],
    ) -> Result<bool, Stop>;
}

/// The mind of `minimax`.
#[derive(Clone, Debug)]
pub struct Minimax {
    depth: u32,
    bytes: usize,
    others: &'static str,
    positions: u64,
}

impl Minimax {
    /// Makes the searcher from its options.
    pub fn new(options: &OptionValues) -> Self {
        Self {
            depth: u32::try_from(options.count("depth")).unwrap_or(u32::MAX),
            bytes: usize::try_from(options.count("memory") << 20).unwrap_or(usize::MAX),
            others: options.word("others"),
            positions: options.count("positions"),
        }
    }
}

impl<R: Reasoner> Searcher<R> for Minimax {
    fn search(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        let own = position.legal[position.role].iter();
        let mut moves: Vec<MoveResult> = own
            .map(|id| MoveResult {
                id: *id,
                ..MoveResult::default()
            })
            .collect();
        context.publish(SearchResult::of_move(moves[0].id));
        if position.legal.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let is_paranoid = match self.others {
            "paranoid" => true,
            "maxn" => false,
            _ => position.legal.len() <= 2,
        };
        let mut lookahead: Box<dyn Lookahead<R>> = if is_paranoid {
            Box::new(Paranoid::new(self.bytes))
        } else {
            Box::new(MaxN::new(self.bytes))
        };
        let mut walk = Walk::new(reasoner, context, self.positions);
        for depth in 1..=self.depth {
            let mut deeper = moves.clone();
            match lookahead.look(&mut walk, position, depth, &mut deeper) {
                Ok(is_all) => {
                    let best = best(&deeper);
                    // A loss is put off: what looked best before the loss was seen is harder to
                    // refute.
                    let is_lost = deeper[best].value == Some(0.0);
                    if is_lost {
                        for (found, deeper) in moves.iter_mut().zip(deeper) {
                            found.value = deeper.value;
                            found.visits = deeper.visits;
                        }
                    } else {
                        moves = deeper;
                        moves[..=best].rotate_right(1);
                    }
                    let is_won = moves[0].value == Some(f64::from(MOST));
                    // Where the others want their own best, a win may rest on what they do not see
                    // yet.
                    let proven = is_all || is_paranoid && (is_lost || is_won);
                    context.publish(thought(&moves, depth, walk.positions, proven));
                    if proven {
                        return Ok(());
                    }
                }
                Err(Stop::Over) => return Ok(()),
                Err(Stop::Reason(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The first of the best moves.
fn best(moves: &[MoveResult]) -> usize {
    let value = |place: usize| moves[place].value.unwrap_or(-1.0);
    (1..moves.len()).fold(0, |best, place| {
        if value(place) > value(best) {
            place
        } else {
            best
        }
    })
}

fn thought(moves: &[MoveResult], depth: u32, positions: u64, proven: bool) -> SearchResult {
    let mut thought = SearchResult::of_move(moves[0].id);
    thought.moves = moves.to_vec();
    thought.moves[1..].sort_by(|a, b| {
        let value = |m: &MoveResult| m.value.unwrap_or(-1.0);
        value(b).total_cmp(&value(a))
    });
    thought.simulations = positions;
    thought.depth = depth;
    thought.proven = proven;
    thought
}
