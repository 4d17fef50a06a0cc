/*!
Puzzles: games of one role (chapter 4 of the thesis, and beyond).

Nobody interferes with the one player of a puzzle, so a line that was found once can be played. [`search`] lets several techniques look for the best
line within the same time and share what they find; as soon as a line gives the most that the rules can give, the search is over.

- [`sheet`] reads the rules beforehand: the best goal that they can give ([`needs`]), and the parts that the puzzle falls into.
- [`tree`]: the thesis's way. The best value instead of the mean in UCT, whole branches for best lines, playouts that [`explore`], positions by
  key or by the thesis's nested tables ([`transpositions`]).
- [`nested`]: nested rollouts with policy adaptation.
- [`breadth`] and [`depth`]: every position once. They prove what is the best where a puzzle is small enough.
- [`factors`]: puzzles whose parts do not look at each other, as cubes and lamps, played on tables ([`model`]) with distances looked up
  ([`patterns`]) in a widening [`beam`].

All of it is bounded in memory and stops when told to. [`best`] holds the line; a line of any technique was played on the engine before it is
there, so it can be relied on, whatever a technique assumes. [`solve`](mod@solve) is all of this without a match around it.
*/

mod beam;
pub(crate) mod best;
mod breadth;
mod depth;
mod desk;
mod explore;
mod factors;
mod making;
mod model;
mod needs;
mod nested;
mod patterns;
mod reading;
mod room;
mod search;
mod settings;
mod sheet;
pub(crate) mod solve;
mod standing;
mod team;
#[cfg(test)]
mod testing;
mod transpositions;
mod tree;

use std::time::{Duration, Instant};

use ludorum_reason::{Dice, MoveId, ReasonError, Reasoner};

use crate::contract::board::{MoveThought, Thought, Watch};
use crate::contract::mind::{Mind, Position};
use crate::spec::Spec;
use search::Search;
use settings::Settings;
use standing::Standing;

/// How often the state of things is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(20);

/// The mind of `solo`, for games of one role.
pub(crate) struct Solo<R: Reasoner> {
    search: Search<R>,
    dice: Dice,
}

impl<R: Reasoner + 'static> Solo<R> {
    pub(crate) fn new(spec: &Spec) -> Self {
        let settings = Settings::new(spec);
        Self {
            dice: Dice::new(settings.seed),
            search: Search::new(settings),
        }
    }
}

/// What there is, as a thought.
fn thought(standing: &Standing) -> Option<Thought> {
    let line = standing.line.as_ref()?;
    let choice = *line.moves.first()?;
    let value = f64::from(line.value);
    let moves: Vec<Vec<MoveId>> = line.moves.iter().map(|id| vec![*id]).collect();
    let sizes = standing.sizes.iter();
    let (nodes, bytes) = sizes.fold((0, 0), |(nodes, bytes), (_, some, more)| {
        (nodes + some, bytes + more)
    });
    Some(Thought {
        simulations: standing.simulations,
        depth: moves.len() as u32,
        nodes,
        bytes,
        moves: vec![MoveThought {
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
        ..Thought::plain(choice)
    })
}

impl<R: Reasoner + 'static> Mind<R> for Solo<R> {
    fn think(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        watch: &Watch,
    ) -> Result<(), ReasonError> {
        let own = &position.legal[position.role];
        watch.show(Thought::guess(own[self.dice.below(own.len())]));
        if reasoner.is_terminal(&position.state)? {
            return Ok(());
        }
        let known = self.search.standing();
        if let Some(thought) = thought(&known) {
            watch.show(thought);
            if known.is_proven() {
                return Ok(());
            }
        }
        let mut shown: Option<Instant> = None;
        let mut latest = None;
        let result = self.search.run(
            reasoner,
            &position.state,
            watch.until,
            &|| watch.is_over(),
            &watch.turned(),
            &mut |standing| {
                if shown.is_none_or(|shown| shown.elapsed() >= SHOWN_EVERY) || standing.is_proven()
                {
                    shown = Some(Instant::now());
                    if let Some(thought) = thought(standing) {
                        watch.show(thought);
                    }
                }
                latest = Some(standing.clone());
            },
        );
        if let Some(thought) = latest.as_ref().and_then(thought) {
            watch.show(thought);
        }
        result
    }

    fn advance(&mut self, joint_move: &[MoveId], _state: &R::State) {
        if let [id] = joint_move {
            self.search.advance(*id);
        }
    }

    fn forget(&mut self) {
        self.search.forget();
    }
}
