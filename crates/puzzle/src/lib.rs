/*!
Puzzles: games of one role (chapter 4 of the thesis, and beyond).

Nobody interferes with the one player of a puzzle, so a line that was found once can be played.
[`search`] lets several techniques look for the best line within the same time and share what they
find; as soon as a line gives the most that the rules can give, the search is over.

- [`sheet`] reads the rules beforehand: the best goal that they can give ([`needs`]), and the parts
  that the puzzle falls into.
- [`tree`]: the thesis's way. The best value instead of the mean in UCT, whole branches for best
  lines, playouts that [`explore`], positions by key or by the thesis's nested tables
  ([`transpositions`]).
- [`nested`]: nested rollouts with policy adaptation.
- [`breadth`] and [`depth`]: every position once. They prove what is the best where a puzzle is
  small enough.
- [`factors`]: puzzles whose parts do not look at each other, as cubes and lamps, played on tables
  ([`model`], [`making`]) with distances looked up ([`patterns`]) in a widening [`beam`]; what it
  finds is a [`claim`] until the engine agrees.

All of it is bounded in memory ([`room`]), stops when told to, and goes on where it stopped; a
[`team`] of techniques takes turns on each thread. [`best`] holds the line; a line of any technique
was played on the engine before it is there, so it can be relied on, whatever a technique assumes.
[`Puzzle`] is all of this without a match around it.
*/

mod beam;
mod best;
mod breadth;
mod claim;
mod depth;
mod desk;
mod explore;
mod factors;
mod making;
mod model;
mod needs;
mod nested;
pub mod options;
mod patterns;
mod reading;
mod room;
mod search;
mod settings;
mod sheet;
mod solve;
mod standing;
mod team;
#[cfg(test)]
mod testing;
mod transpositions;
mod tree;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

pub use best::Method;
use ludorum_player::OptionValues;
use ludorum_player::{MoveResult, SearchContext, SearchResult};
use ludorum_player::{Position, Searcher};
use search::Search;
use settings::Settings;
pub use solve::{Puzzle, Solution, SolutionProof};
use standing::Standing;

/// How often the state of things is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(20);

/// The mind of `solo`, for games of one role.
pub struct Solo<R: Reasoner> {
    search: Search<R>,
    rng: Rng,
    /// The move after which the search already is, while the match is yet to go there.
    ahead: Option<MoveId>,
}

impl<R: Reasoner + 'static> Solo<R> {
    /// Makes the searcher from its options; with the compiled game it reads the rules beforehand.
    pub fn new(options: &OptionValues, game: Option<Arc<CompiledGame>>) -> Self {
        let settings = Settings::new(options);
        Self {
            rng: Rng::new(settings.seed),
            search: Search::new(settings, game),
            ahead: None,
        }
    }

    /// Goes to what is to be thought about: the position, or that after a move which has been
    /// answered with and is going to be played.
    fn go(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
    ) -> Result<R::State, ReasonError> {
        if self.ahead.is_some() && self.ahead != position.chosen {
            self.reset();
        }
        let Some(id) = position.chosen else {
            return Ok(position.state.clone());
        };
        let next = reasoner.next(&position.state, &[id])?;
        if self.ahead.is_none() {
            self.search.advance(id);
            self.ahead = Some(id);
        }
        Ok(next)
    }
}

/// What there is, as a thought; with the move before it, if the search is ahead.
fn thought(standing: &Standing, before: Option<MoveId>) -> Option<SearchResult> {
    let line = standing.line.as_ref()?;
    let all = before.iter().chain(&line.moves);
    let moves: Vec<Vec<MoveId>> = all.map(|id| vec![*id]).collect();
    let choice = *moves.first()?.first()?;
    let value = f64::from(line.value);
    let sizes = standing.sizes.iter();
    let (nodes, bytes) = sizes.fold((0, 0), |(nodes, bytes), (_, some, more)| {
        (nodes + some, bytes + more)
    });
    Some(SearchResult {
        simulations: standing.simulations,
        depth: moves.len() as u32,
        nodes,
        bytes,
        moves: vec![MoveResult {
            id: choice,
            visits: standing.simulations,
            value: Some(value),
            bounds: standing.is_proven().then_some((line.value, line.value)),
            values: vec![value],
            line: moves[1..].to_vec(),
        }],
        values: vec![value],
        line: moves,
        proven: standing.is_proven(),
        ..SearchResult::of_move(choice)
    })
}

impl<R: Reasoner + 'static> Searcher<R> for Solo<R> {
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
        let root = self.go(reasoner, position)?;
        if reasoner.is_terminal(&root)? {
            return Ok(());
        }
        let known = self.search.standing();
        if let Some(thought) = thought(&known, before) {
            context.publish(thought);
            if known.is_proven() {
                return Ok(());
            }
        }
        let mut shown: Option<Instant> = None;
        let mut latest = None;
        let result = self.search.run(
            reasoner,
            &root,
            context.deadline,
            &|| context.is_over(),
            &context.cancel_flag(),
            &mut |standing| {
                if shown.is_none_or(|shown| shown.elapsed() >= SHOWN_EVERY) || standing.is_proven()
                {
                    shown = Some(Instant::now());
                    if let Some(thought) = thought(standing, before) {
                        context.publish(thought);
                    }
                }
                latest = Some(standing.clone());
            },
        );
        if let Some(thought) = latest.as_ref().and_then(|it| thought(it, before)) {
            context.publish(thought);
        }
        result
    }

    fn advance(&mut self, joint_move: &[MoveId], _state: &R::State) {
        let [id] = joint_move else {
            return;
        };
        match self.ahead.take() {
            Some(ahead) if ahead == *id => {}
            // Somebody has played another move for us.
            Some(_) => self.search.forget(),
            None => self.search.advance(*id),
        }
    }

    fn reset(&mut self) {
        self.ahead = None;
        self.search.forget();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::{Bench, went};
    use ludorum_prover::Prover;

    /// Thinks about the start of a puzzle, where a move has been chosen or not, and gives what is
    /// shown in the end.
    fn search(
        solo: &mut Solo<Prover>,
        bench: &mut Bench,
        chosen: Option<MoveId>,
    ) -> Arc<SearchResult> {
        let context = SearchContext::detached(Arc::default(), None);
        let position = Position {
            state: bench.root.clone(),
            role: 0,
            legal: vec![bench.legal()],
            chosen,
        };
        solo.search(&mut bench.prover, &position, &context).unwrap();
        context.result().unwrap()
    }

    #[test]
    fn what_is_pondered_is_what_comes_after_the_chosen_move() {
        let mut bench = Bench::new(&went(5));
        let options = OptionValues::defaults(options::SOLO);
        let mut solo: Solo<Prover> = Solo::new(&options, None);
        // A step to the right is not the best.
        let right = bench.prover.find_move(0, "right").unwrap();
        let shown = search(&mut solo, &mut bench, Some(right));
        assert_eq!((shown.choice, &shown.values[..]), (right, &[10.0][..]));
        assert_eq!(shown.line.len(), 5);
        assert!(shown.proven);
        // Everything is known already when the match comes there.
        solo.advance(&[right], &bench.root.clone());
        let known = solo.search.standing();
        assert!(known.is_proven());
        assert_eq!(known.line.unwrap().moves.len(), 4);
    }

    #[test]
    fn a_move_that_was_chosen_and_not_played_is_forgotten() {
        let mut bench = Bench::new(&went(5));
        let options = OptionValues::defaults(options::SOLO);
        let mut solo: Solo<Prover> = Solo::new(&options, None);
        let right = bench.prover.find_move(0, "right").unwrap();
        let left = bench.prover.find_move(0, "left").unwrap();
        search(&mut solo, &mut bench, Some(right));
        // It is asked again where it was,
        let shown = search(&mut solo, &mut bench, None);
        assert_eq!((shown.choice, &shown.values[..]), (left, &[70.0][..]));
        // or another move was played for it.
        search(&mut solo, &mut bench, Some(right));
        solo.advance(&[left], &bench.root.clone());
        assert!(solo.search.standing().line.is_none());
        bench.play(left);
        let shown = search(&mut solo, &mut bench, None);
        assert_eq!((shown.line.len(), &shown.values[..]), (4, &[70.0][..]));
    }
}
