/*!
Search for puzzles, the games with one role (Świechowski 2015, chapter 4).

A puzzle has no opponents and no chance, so a line that was found once can be played. A portfolio of
techniques shares the time and the best line; the search ends as soon as a line reaches the highest
goal value of the rules.

| module | technique or job |
| --- | --- |
| `uct` | UCT on the best value instead of the mean (Świechowski 2015, equation 4.1) |
| `nested_rollout` | nested rollout policy adaptation (Rosin 2011) |
| `breadth_first` | breadth-first search |
| `iterative_deepening` | depth-first iterative deepening (Korf 1985) |
| `factored_search` | beam search with pattern databases (Culberson and Schaeffer 1998) |
| `rule_analysis` | highest goal value (`goal_requirements`) and independent factors of the rules |
| `portfolio`, `scheduler` | threads, and the turns of the techniques of each thread |
| `best_line` | the best line, shared by all techniques and threads |

`factored_search` works on transition tables of independent factors (`factor_model`, made by
`model_builder`), with distances from `pattern_database`, in a `beam_search`. Its lines are
validated on the engine (`candidate_line`). All other techniques play on the engine itself, so every
line in `best_line` is valid whatever a technique assumes. `uct` uses the playouts of `simulation`
and the table of `transposition_index`.

Every technique is bounded in memory (`memory_estimate`), can be stopped at any time and continues
where it stopped.

[`PuzzleSearcher`] is the searcher of a player in a match. [`SolveRequest`] solves a puzzle without
a match.
*/

mod background_analysis;
mod beam_search;
mod best_line;
mod breadth_first;
mod candidate_line;
mod factor_model;
mod factored_search;
mod goal_requirements;
mod iterative_deepening;
mod memory_estimate;
mod model_builder;
mod nested_rollout;
pub mod options;
mod pattern_database;
mod portfolio;
mod rule_analysis;
mod scheduler;
mod settings;
mod simulation;
mod solve;
mod status;
mod technique;
#[cfg(test)]
mod test_support;
mod transposition_index;
mod uct;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

pub use best_line::SolveMethod;
use ludorum_player::OptionValues;
use ludorum_player::{MoveResult, SearchContext, SearchResult};
use ludorum_player::{Position, Searcher};
use portfolio::PortfolioSearch;
use settings::Settings;
pub use solve::{Solution, SolutionProof, SolveRequest};
use status::SearchStatus;

/// Minimal time between two published results.
const PUBLISH_INTERVAL: Duration = Duration::from_millis(20);

/// The searcher of the player `solo`, for games with one role.
pub struct PuzzleSearcher<R: Reasoner> {
    search: PortfolioSearch<R>,
    rng: Rng,
    /// The own move that was chosen and applied to the search, but is not played yet in the match.
    pending_move: Option<MoveId>,
}

impl<R: Reasoner + 'static> PuzzleSearcher<R> {
    /// Makes the searcher from its options. With the compiled game it analyses the rules first.
    pub fn new(options: &OptionValues, game: Option<Arc<CompiledGame>>) -> Self {
        let settings = Settings::new(options);
        Self {
            rng: Rng::new(settings.seed),
            search: PortfolioSearch::new(settings, game),
            pending_move: None,
        }
    }

    /// The position to search: that of the match, or the one after a move that was chosen and is
    /// going to be played (pondering).
    fn search_root(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
    ) -> Result<R::State, ReasonError> {
        if self.pending_move.is_some() && self.pending_move != position.chosen {
            self.reset();
        }
        let Some(id) = position.chosen else {
            return Ok(position.state.clone());
        };
        let next = reasoner.next(&position.state, &[id])?;
        if self.pending_move.is_none() {
            self.search.advance(id);
            self.pending_move = Some(id);
        }
        Ok(next)
    }
}

/// The status as a result for the player, with the pending move in front of the line.
fn search_result(status: &SearchStatus, before: Option<MoveId>) -> Option<SearchResult> {
    let line = status.line.as_ref()?;
    let all = before.iter().chain(&line.moves);
    let moves: Vec<Vec<MoveId>> = all.map(|id| vec![*id]).collect();
    let choice = *moves.first()?.first()?;
    let value = f64::from(line.value);
    let sizes = status.sizes.iter();
    let (nodes, bytes) = sizes.fold((0, 0), |(nodes, bytes), (_, some, more)| {
        (nodes + some, bytes + more)
    });
    Some(SearchResult {
        simulations: status.simulations,
        depth: moves.len() as u32,
        nodes,
        bytes,
        moves: vec![MoveResult {
            id: choice,
            visits: status.simulations,
            value: Some(value),
            bounds: status.is_proven().then_some((line.value, line.value)),
            values: vec![value],
            line: moves[1..].to_vec(),
        }],
        values: vec![value],
        line: moves,
        proven: status.is_proven(),
        ..SearchResult::of_move(choice)
    })
}

impl<R: Reasoner + 'static> Searcher<R> for PuzzleSearcher<R> {
    fn search(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        let before = position.chosen;
        let own = &position.legal[position.role];
        let random_move = own[self.rng.below(own.len())];
        context.publish(
            before.map_or_else(|| SearchResult::guess(random_move), SearchResult::of_move),
        );
        let root = self.search_root(reasoner, position)?;
        if reasoner.is_terminal(&root)? {
            return Ok(());
        }
        let known = self.search.status();
        if let Some(search_result) = search_result(&known, before) {
            context.publish(search_result);
            if known.is_proven() {
                return Ok(());
            }
        }
        let mut last_published: Option<Instant> = None;
        let mut latest = None;
        let result = self.search.run(
            reasoner,
            &root,
            context.deadline,
            &|| context.is_over(),
            &context.cancel_flag(),
            &mut |status| {
                if last_published
                    .is_none_or(|last_published| last_published.elapsed() >= PUBLISH_INTERVAL)
                    || status.is_proven()
                {
                    last_published = Some(Instant::now());
                    if let Some(search_result) = search_result(status, before) {
                        context.publish(search_result);
                    }
                }
                latest = Some(status.clone());
            },
        );
        if let Some(search_result) = latest.as_ref().and_then(|it| search_result(it, before)) {
            context.publish(search_result);
        }
        result
    }

    fn advance(&mut self, joint_move: &[MoveId], _state: &R::State) {
        let [id] = joint_move else {
            return;
        };
        match self.pending_move.take() {
            Some(pending_move) if pending_move == *id => {}
            // The match was played with another move than the chosen one.
            Some(_) => self.search.reset(),
            None => self.search.advance(*id),
        }
    }

    fn reset(&mut self) {
        self.pending_move = None;
        self.search.reset();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::test_support::{TestPuzzle, history_puzzle};
    use ludorum_prover::Prover;

    /// Searches from the start of a puzzle, or from the position after a chosen move, and returns
    /// the last published result.
    fn search(
        searcher: &mut PuzzleSearcher<Prover>,
        puzzle: &mut TestPuzzle,
        chosen: Option<MoveId>,
    ) -> Arc<SearchResult> {
        let context = SearchContext::detached(Arc::default(), None);
        let position = Position {
            state: puzzle.root.clone(),
            role: 0,
            legal: vec![puzzle.legal()],
            chosen,
        };
        searcher
            .search(&mut puzzle.prover, &position, &context)
            .unwrap();
        context.result().unwrap()
    }

    #[test]
    fn pondering_searches_the_position_after_the_chosen_move() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let options = OptionValues::defaults(options::SOLO);
        let mut searcher: PuzzleSearcher<Prover> = PuzzleSearcher::new(&options, None);
        // A first step to the right is not optimal.
        let right = puzzle.prover.find_move(0, "right").unwrap();
        let result = search(&mut searcher, &mut puzzle, Some(right));
        assert_eq!((result.choice, &result.values[..]), (right, &[10.0][..]));
        assert_eq!(result.line.len(), 5);
        assert!(result.proven);
        // The result is known already when the match reaches that position.
        searcher.advance(&[right], &puzzle.root.clone());
        let known = searcher.search.status();
        assert!(known.is_proven());
        assert_eq!(known.line.unwrap().moves.len(), 4);
    }

    #[test]
    fn a_chosen_move_that_was_not_played_resets_the_search() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let options = OptionValues::defaults(options::SOLO);
        let mut searcher: PuzzleSearcher<Prover> = PuzzleSearcher::new(&options, None);
        let right = puzzle.prover.find_move(0, "right").unwrap();
        let left = puzzle.prover.find_move(0, "left").unwrap();
        search(&mut searcher, &mut puzzle, Some(right));
        // The search returns to the position before the move.
        let result = search(&mut searcher, &mut puzzle, None);
        assert_eq!((result.choice, &result.values[..]), (left, &[70.0][..]));
        // Another move than the chosen one was played.
        search(&mut searcher, &mut puzzle, Some(right));
        searcher.advance(&[left], &puzzle.root.clone());
        assert!(searcher.search.status().line.is_none());
        puzzle.play(left);
        let result = search(&mut searcher, &mut puzzle, None);
        assert_eq!((result.line.len(), &result.values[..]), (4, &[70.0][..]));
    }
}
