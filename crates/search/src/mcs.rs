//! `mcs`: flat Monte Carlo search (Browne et al. 2012, section 2.3). Every move of the role gets
//! the same number of playouts; the other roles reply at random, and the rest of the playout is
//! random.

use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use ludorum_player::JointMoves;
use ludorum_player::OptionValues;
use ludorum_player::SteppedRng;
use ludorum_player::{MoveResult, SearchContext, SearchResult};
use ludorum_player::{Position, Searcher};

/// The number of moves in a query to an engine that plays many playouts at once; four times as many
/// playouts are shared out among them.
const MANY: usize = 512;
/// The interval at which results are published.
const PUBLISH_INTERVAL: Duration = Duration::from_millis(20);

/// Flat Monte Carlo search.
#[derive(Debug)]
pub struct Mcs {
    rng: SteppedRng,
    /// The maximum number of playouts for a move; 0 for no limit.
    simulations: u64,
    limit: u32,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    id: MoveId,
    playouts: u64,
    points: u64,
}

impl Record {
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    fn mean(&self) -> Option<f64> {
        (self.playouts > 0).then(|| self.points as f64 / self.playouts as f64)
    }
}

impl Mcs {
    /// Makes the searcher from its options.
    pub fn new(options: &OptionValues) -> Self {
        Self {
            rng: SteppedRng::new(options.count("seed")),
            simulations: options.count("simulations"),
            limit: u32::try_from(options.count("limit")).unwrap_or(u32::MAX),
        }
    }

    /// Playouts for each move in a query to an engine that plays many at once, within the budget.
    fn each(&self, records: &[Record]) -> u32 {
        let count = records.len().max(1);
        let each = (4 * MANY / count).max(1) as u64;
        let made: u64 = records.iter().map(|record| record.playouts).sum();
        let left = match self.simulations {
            0 => u64::MAX,
            all => all.saturating_sub(made).div_ceil(count as u64),
        };
        each.min(left).max(1) as u32
    }

    /// Plays from each of some moves.
    fn play<R: Reasoner>(
        &self,
        reasoner: &mut R,
        position: &Position<R::State>,
        records: &mut [Record],
        each: u32,
        rng: &mut Rng,
    ) -> Result<(), ReasonError> {
        let joint_moves: Vec<Vec<MoveId>> = records
            .iter()
            .map(|record| JointMoves::new(&position.legal, position.role, record.id).sample(rng))
            .collect();
        let moves: Vec<(&R::State, &[MoveId])> = joint_moves
            .iter()
            .map(|joint_move| (&position.state, &joint_move[..]))
            .collect();
        let states = reasoner.next_states(&moves)?;
        let tallies = reasoner.playouts(&states, each, rng, self.limit)?;
        for (record, tally) in records.iter_mut().zip(tallies) {
            record.playouts += tally.playouts;
            record.points += tally.points[position.role];
        }
        Ok(())
    }
}

impl<R: Reasoner> Searcher<R> for Mcs {
    fn search(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        let own = &position.legal[position.role];
        let mut rng = self.rng.rng();
        context.publish(SearchResult::guess(own[rng.below(own.len())]));
        if position.legal.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let mut records: Vec<Record> = own
            .iter()
            .map(|id| Record {
                id: *id,
                playouts: 0,
                points: 0,
            })
            .collect();
        // Random order, so that no move is preferred when the time ends within a round.
        for i in (1..records.len()).rev() {
            records.swap(i, rng.below(i + 1));
        }
        let mut published = Instant::now();
        // The first result is published at once.
        let mut pause = Duration::ZERO;
        let mut result = Ok(());
        'rounds: while result.is_ok() {
            let (chunk, each) = match reasoner.preferred_batch() {
                0 | 1 => (1, 1),
                _ => (MANY, self.each(&records)),
            };
            for chunk in records.clone().chunks(chunk) {
                let made: u64 = records.iter().map(|record| record.playouts).sum();
                if context.is_over() || (self.simulations > 0 && made >= self.simulations) {
                    break 'rounds;
                }
                let mut some = chunk.to_vec();
                result = self.play(reasoner, position, &mut some, each, &mut rng);
                if result.is_err() {
                    break;
                }
                for new in some {
                    if let Some(record) = records.iter_mut().find(|record| record.id == new.id) {
                        *record = new;
                    }
                }
                if published.elapsed() >= pause {
                    published = Instant::now();
                    pause = PUBLISH_INTERVAL;
                    context.publish(search_result(&records));
                }
            }
        }
        if records.iter().any(|record| record.playouts > 0) {
            context.publish(search_result(&records));
        }
        result
    }

    fn advance(&mut self, _joint_move: &[MoveId], _state: &R::State) {
        self.rng.advance();
    }

    fn reset(&mut self) {
        self.rng.start_new_line();
    }
}

fn search_result(records: &[Record]) -> SearchResult {
    let mut sorted = records.to_vec();
    let value_of = |record: &Record| record.mean().unwrap_or(-1.0);
    sorted.sort_by(|a, b| value_of(b).total_cmp(&value_of(a)));
    let mut result = SearchResult::of_move(sorted[0].id);
    result.simulations = sorted.iter().map(|record| record.playouts).sum();
    result.depth = 1;
    result.moves = sorted
        .iter()
        .map(|record| MoveResult {
            id: record.id,
            visits: record.playouts,
            value: record.mean(),
            ..MoveResult::default()
        })
        .collect();
    result
}
