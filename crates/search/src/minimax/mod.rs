/*!
`minimax`: iterative deepening (Korf 1985). It solves small games completely.

With `others=paranoid` all other roles minimise the player's goal and know its move ([`paranoid`]:
alpha-beta, Knuth and Moore 1975; Sturtevant and Korf 2000). That is exact for one role, and for two
roles whose goals have a constant sum; otherwise it is a lower bound. With `others=maxn` every role
maximises its own goal ([`max_n`]). States beyond the horizon have the value 50.
*/

mod max_n;
mod paranoid;
mod query;

use ludorum_reasoner::{ReasonError, Reasoner};

use ludorum_player::OptionValues;
use ludorum_player::{MoveResult, SearchContext, SearchResult};
use ludorum_player::{Position, Searcher};
use max_n::MaxN;
use paranoid::Paranoid;
use query::{QueryBudget, SearchEnd};

/// The value of a state beyond the horizon.
const UNKNOWN: u8 = 50;
/// The highest goal value.
const MAX_GOAL: u8 = 100;

/// A search to a fixed depth.
trait DepthSearch<R: Reasoner> {
    /// Searches the moves of a role in the given order and sets their values; gives whether the
    /// horizon was never reached.
    fn search_depth(
        &mut self,
        queries: &mut QueryBudget<'_, R>,
        position: &Position<R::State>,
        depth: u32,
        moves: &mut [MoveResult],
    ) -> Result<bool, SearchEnd>;
}

/// Iterative deepening with alpha-beta or max^n.
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
        let mut depth_search: Box<dyn DepthSearch<R>> = if is_paranoid {
            Box::new(Paranoid::new(self.bytes))
        } else {
            Box::new(MaxN::new(self.bytes))
        };
        let mut queries = QueryBudget::new(reasoner, context, self.positions);
        for depth in 1..=self.depth {
            let mut deeper = moves.clone();
            match depth_search.search_depth(&mut queries, position, depth, &mut deeper) {
                Ok(is_complete) => {
                    let best = best(&deeper);
                    // A loss is postponed: the move that looked best before the loss was found is
                    // harder to refute.
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
                    let is_won = moves[0].value == Some(f64::from(MAX_GOAL));
                    // If the other roles maximise their own goals, a win may depend on what they do
                    // not see yet.
                    let proven = is_complete || is_paranoid && (is_lost || is_won);
                    context.publish(search_result(&moves, depth, queries.positions, proven));
                    if proven {
                        return Ok(());
                    }
                }
                Err(SearchEnd::Over) => return Ok(()),
                Err(SearchEnd::Reason(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The index of the first best move.
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

fn search_result(moves: &[MoveResult], depth: u32, positions: u64, proven: bool) -> SearchResult {
    let mut result = SearchResult::of_move(moves[0].id);
    result.moves = moves.to_vec();
    result.moves[1..].sort_by(|a, b| {
        let value = |m: &MoveResult| m.value.unwrap_or(-1.0);
        value(b).total_cmp(&value(a))
    });
    result.simulations = positions;
    result.depth = depth;
    result.proven = proven;
    result
}
