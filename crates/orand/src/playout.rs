//! Random playouts on the interpreter's rowsets. The successor state replaces the current one in
//! place.

use std::cmp::Ordering;
use std::sync::Arc;

use super::and_plan::{PlanHost as _, RowSource};
use super::cell::Cell;
use super::customise::Condition;
use super::flat::RelationKind;
use super::game::OrandGame;
use super::interpreter::Interpreter;
use super::shape::{EMPTY, term};
use super::state::OrandState;
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{Playout, PlayoutEnd, ReasonError, Rng};

/// Plays a random game from a state.
pub(super) fn play<C: Cell>(
    game: &mut OrandGame<C>,
    state: &OrandState,
    rng: &mut Rng,
    limit: u32,
) -> Result<Playout, ReasonError> {
    game.load_state(state);
    let mut steps = 0;
    let end = loop {
        if game.prove_terminal()? {
            break PlayoutEnd::Terminal;
        }
        if steps >= limit {
            break PlayoutEnd::Limit;
        }
        if !game.draw(rng)? {
            break PlayoutEnd::Stuck;
        }
        game.advance()?;
        steps += 1;
    };
    let goals = (0..game.roles)
        .map(|role| game.goal(role))
        .collect::<Result<_, _>>()?;
    Ok(Playout { goals, steps, end })
}

/// Orders rows by the terms they contain. Symbols of terms created during play depend on the order
/// of creation and must not influence the choice of moves.
fn order<C: Cell>(vocabulary: &Vocabulary, a: &[C], b: &[C]) -> Ordering {
    let Some((a, b)) = a.iter().zip(b).find(|(a, b)| a != b) else {
        return Ordering::Equal;
    };
    let (a, b) = (a.symbol(), b.symbol());
    if a.min(b) == EMPTY {
        return a.cmp(&b);
    }
    vocabulary.order(term(a), term(b))
}

impl<C: Cell> OrandGame<C> {
    /// Draws a random move for every role and makes the moves. Returns false if a role has none.
    pub(super) fn draw(&mut self, rng: &mut Rng) -> Result<bool, ReasonError> {
        let (legal, does) = (self.interpreter.flat.legal, self.interpreter.flat.does);
        self.prove(legal)?;
        let source = self.source(legal);
        let mut scratch = std::mem::take(&mut self.scratch);
        self.interpreter.leaves[does].clear();
        for role in 0..self.roles {
            scratch.clear();
            let rows = self.rows_of(source);
            let of_role = |i: &u32| self.is_role(rows.row(*i as usize), role);
            scratch.extend((0..rows.len as u32).filter(of_role));
            if scratch.is_empty() {
                self.scratch = scratch;
                return Ok(false);
            }
            let mut chosen = 0;
            if scratch.len() > 1 {
                // Row order depends on earlier proofs. Selection by term order makes the choice
                // independent of it.
                chosen = rng.below(scratch.len());
                let vocabulary = &self.interpreter.vocabulary;
                scratch.select_nth_unstable_by(chosen, |a, b| {
                    order(vocabulary, rows.row(*a as usize), rows.row(*b as usize))
                });
            }
            let row = scratch[chosen] as usize;
            let Interpreter { leaves, tables, .. } = &mut self.interpreter;
            match source {
                RowSource::Node(node) => leaves[does].push(tables[node].results.row(row)),
                RowSource::Leaf(legal) => {
                    let row = leaves[legal].row(row).to_vec();
                    leaves[does].push(&row);
                }
            }
        }
        self.scratch = scratch;
        self.interpreter.action_changed();
        Ok(true)
    }

    /// Replaces the state by its successor.
    pub(super) fn advance(&mut self) -> Result<(), ReasonError> {
        let flat = Arc::clone(&self.interpreter.flat);
        for fluent in &flat.fluents {
            self.prove(fluent.next)?;
        }
        self.current = None;
        for fluent in &flat.fluents {
            let interpreter = &mut self.interpreter;
            if flat.relations[fluent.next].kind == RelationKind::Derived {
                let node = interpreter.node(Condition::all(
                    fluent.next,
                    flat.relations[fluent.next].width,
                ));
                let table = &mut interpreter.tables[node];
                let (mut data, len) = (std::mem::take(&mut table.results.data), table.results.len);
                interpreter.leaves[fluent.now].swap(&mut data, len);
                data.clear();
                table.results.data = data;
                table.results.len = 0;
                table.epoch = 0;
            } else {
                interpreter.leaves[fluent.now].clear();
                for i in 0..interpreter.leaves[fluent.next].len {
                    let row = interpreter.leaves[fluent.next].row(i).to_vec();
                    interpreter.leaves[fluent.now].push(&row);
                }
            }
        }
        self.interpreter.state_changed();
        Ok(())
    }
}
