//! Random games on the interpreter's rowsets: the next state is written where the current one is.

use std::sync::Arc;

use super::cell::Cell;
use super::customise::Condition;
use super::flat::Kind;
use super::game::Game;
use super::plan::Host as _;
use super::state::OrandState;
use crate::contract::ReasonError;
use crate::dice::Dice;
use crate::playout::{End, Playout};

/// Plays a random game from a state.
pub(super) fn play<C: Cell>(
    game: &mut Game<C>,
    state: &OrandState,
    dice: &mut Dice,
    limit: u32,
) -> Result<Playout, ReasonError> {
    game.look(state);
    let mut steps = 0;
    let end = loop {
        if game.prove_terminal()? {
            break End::Terminal;
        }
        if steps >= limit {
            break End::Limit;
        }
        if !game.draw(dice)? {
            break End::Stuck;
        }
        game.advance()?;
        steps += 1;
    };
    let goals = (0..game.roles)
        .map(|role| game.goal(role))
        .collect::<Result<_, _>>()?;
    Ok(Playout { goals, steps, end })
}

impl<C: Cell> Game<C> {
    /// Draws a random move for every role and makes them; false if a role has none.
    pub(super) fn draw(&mut self, dice: &mut Dice) -> Result<bool, ReasonError> {
        let (legal, does) = (self.machine.flat.legal, self.machine.flat.does);
        self.prove(legal)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        self.machine.leaves[does].clear();
        for role in 0..self.roles {
            scratch.clear();
            let cells = std::mem::take(&mut self.role_cells[role]);
            let rows = self.rows(legal);
            scratch
                .extend((0..rows.len as u32).filter(|i| rows.row(*i as usize).starts_with(&cells)));
            if scratch.is_empty() {
                self.role_cells[role] = cells;
                self.scratch = scratch;
                return Ok(false);
            }
            let mut chosen = 0;
            if scratch.len() > 1 {
                // The order of rows depends on what was proved before: the choice must not.
                chosen = dice.below(scratch.len());
                scratch.select_nth_unstable_by(chosen, |a, b| {
                    rows.row(*a as usize).cmp(rows.row(*b as usize))
                });
            }
            let row = scratch[chosen] as usize;
            self.role_cells[role] = cells;
            let machine = &mut self.machine;
            let width = machine.leaves[does].width;
            if machine.flat.relations[legal].kind == Kind::Derived {
                let node = machine.node(Condition::all(legal, width));
                machine.leaves[does].push(machine.tables[node].answers.row(row));
            } else {
                let row = machine.leaves[legal].row(row).to_vec();
                machine.leaves[does].push(&row);
            }
        }
        self.scratch = scratch;
        self.machine.action_changed();
        Ok(true)
    }

    /// Puts the next state in place of the current one.
    pub(super) fn advance(&mut self) -> Result<(), ReasonError> {
        let flat = Arc::clone(&self.machine.flat);
        for fluent in &flat.fluents {
            self.prove(fluent.next)?;
        }
        self.current = None;
        for fluent in &flat.fluents {
            let machine = &mut self.machine;
            if flat.relations[fluent.next].kind == Kind::Derived {
                let node = machine.node(Condition::all(
                    fluent.next,
                    flat.relations[fluent.next].width,
                ));
                let table = &mut machine.tables[node];
                let (mut data, len) = (std::mem::take(&mut table.answers.data), table.answers.len);
                machine.leaves[fluent.now].swap(&mut data, len);
                data.clear();
                table.answers.data = data;
                table.answers.len = 0;
                table.epoch = 0;
            } else {
                machine.leaves[fluent.now].clear();
                for i in 0..machine.leaves[fluent.next].len {
                    let row = machine.leaves[fluent.next].row(i).to_vec();
                    machine.leaves[fluent.now].push(&row);
                }
            }
        }
        self.machine.state_changed();
        Ok(())
    }
}
