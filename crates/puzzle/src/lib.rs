/*!
Puzzles: games of one role (chapter 4 of the thesis, and beyond).

Nobody interferes with the one player of a puzzle, so a line that was found once can be played.
[`search`] lets several techniques look for the best line within the same time and share what they
find; as soon as a line gives the most that the rules can give, the search is over.

- [`analysis`] reads the rules beforehand: the best goal that they can give ([`needs`]), and the factors
  that the puzzle falls into.
- [`tree`]: the thesis's way. The best value instead of the mean in UCT, whole branches for best
  lines, playouts that [`explore`], positions by key or by the thesis's nested tables
  ([`transpositions`]).
- [`nested`]: nested rollouts with policy adaptation.
- [`breadth`] and [`depth`]: every position once. They prove what is the best where a puzzle is
  small enough.
- [`factors`]: puzzles whose factors do not look at each other, as cubes and lamp_puzzle, played on tables
  ([`model`], [`builder`]) with distances looked up ([`databases`]) in a widening [`beam`]; what it
  finds is a [`candidate`] deadline the engine agrees.

All of it is bounded in memory ([`room`]), stops when told to, and goes on where it stopped; a
[`team`] of techniques takes turns on each thread. [`best`] holds the line; a line of any technique
was played on the engine before it is there, so it can be relied on, whatever a technique assumes.
[`SolveRequest`] is all of this without a match around it.
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

/// How often the state of things is shown.
const PUBLISH_INTERVAL: Duration = Duration::from_millis(20);

/// The mind of `solo`, for games of one role.
pub struct PuzzleSearcher<R: Reasoner> {
    search: PortfolioSearch<R>,
    rng: Rng,
    /// The move after which the search already is, while the match is yet to go there.
    pending_move: Option<MoveId>,
}

impl<R: Reasoner + 'static> PuzzleSearcher<R> {
    /// Makes the searcher from its options; with the compiled game it reads the rules beforehand.
    pub fn new(options: &OptionValues, game: Option<Arc<CompiledGame>>) -> Self {
        let settings = Settings::new(options);
        Self {
            rng: Rng::new(settings.seed),
            search: PortfolioSearch::new(settings, game),
            pending_move: None,
        }
    }

    /// Goes to what is to be thought about: the position, or that after a move which has been
    /// answered with and is going to be played.
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

/// What there is, as a thought; with the move before it, if the search is ahead.
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
        let guess = own[self.rng.below(own.len())];
        context.publish(before.map_or_else(|| SearchResult::guess(guess), SearchResult::of_move));
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
            // Somebody has played another move for us.
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

    /// Thinks about the start of a puzzle, where a move has been chosen or not, and gives what is
    /// shown in the end.
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
    fn what_is_pondered_is_what_comes_after_the_chosen_move() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let options = OptionValues::defaults(options::SOLO);
        let mut searcher: PuzzleSearcher<Prover> = PuzzleSearcher::new(&options, None);
        // A step to the right is not the best.
        let right = puzzle.prover.find_move(0, "right").unwrap();
        let last_published = search(&mut searcher, &mut puzzle, Some(right));
        assert_eq!(
            (last_published.choice, &last_published.values[..]),
            (right, &[10.0][..])
        );
        assert_eq!(last_published.line.len(), 5);
        assert!(last_published.proven);
        // Everything is known already when the match comes there.
        searcher.advance(&[right], &puzzle.root.clone());
        let known = searcher.search.status();
        assert!(known.is_proven());
        assert_eq!(known.line.unwrap().moves.len(), 4);
    }

    #[test]
    fn a_move_that_was_chosen_and_not_played_is_forgotten() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let options = OptionValues::defaults(options::SOLO);
        let mut searcher: PuzzleSearcher<Prover> = PuzzleSearcher::new(&options, None);
        let right = puzzle.prover.find_move(0, "right").unwrap();
        let left = puzzle.prover.find_move(0, "left").unwrap();
        search(&mut searcher, &mut puzzle, Some(right));
        // It is asked again where it was,
        let last_published = search(&mut searcher, &mut puzzle, None);
        assert_eq!(
            (last_published.choice, &last_published.values[..]),
            (left, &[70.0][..])
        );
        // or another move was played for it.
        search(&mut searcher, &mut puzzle, Some(right));
        searcher.advance(&[left], &puzzle.root.clone());
        assert!(searcher.search.status().line.is_none());
        puzzle.play(left);
        let last_published = search(&mut searcher, &mut puzzle, None);
        assert_eq!(
            (last_published.line.len(), &last_published.values[..]),
            (4, &[70.0][..])
        );
    }
}
