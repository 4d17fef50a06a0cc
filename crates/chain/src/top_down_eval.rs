//! Top-down evaluation of relations that keep their rules.

use std::cell::RefCell;

use ludorum_logic::rule::RelationId;

use super::budget::{ChainError, JoinStop};
use super::extension::{self, ColumnSet};
use super::join::{Answer, JoinContext};
use super::pattern::{self, UNBOUND};
use super::tabling::AnswerTable;
use super::top_down::TopDownRelation;
use ludorum_logic::TermId;

impl JoinContext<'_> {
    /// Enumerates the answers of a relation for given values of some columns, possibly with
    /// duplicates.
    pub(super) fn call(
        &self,
        relation: RelationId,
        columns: ColumnSet,
        key: &[TermId],
        answer: Answer<'_>,
    ) -> Result<(), JoinStop> {
        let Some(deferred) = self.rigid.top_down(relation) else {
            return Ok(());
        };
        if !deferred.is_recursive {
            return self.follow(deferred, columns, key, answer);
        }
        if let Some(table) = self.table
            && table.borrow().component == deferred.component
        {
            // The answers known so far; later rounds bring the rest.
            let number = table.borrow_mut().call(relation, columns, key)?;
            return all_answers(table, number, answer);
        }
        let table = RefCell::new(AnswerTable::new(deferred.component));
        let number = table.borrow_mut().call(relation, columns, key)?;
        self.exhaust(&table)?;
        all_answers(&table, number, answer)
    }

    /// Evaluates all calls of a table, and those they make, to a fixpoint.
    fn exhaust(&self, table: &RefCell<AnswerTable>) -> Result<(), JoinStop> {
        let world = JoinContext {
            table: Some(table),
            dynamic: None,
            ..*self
        };
        let ask = |number: usize| {
            let (relation, columns, key) = {
                let call = &table.borrow().calls[number];
                (call.relation, call.columns, call.key.clone())
            };
            let mut grown = false;
            if let Some(deferred) = self.rigid.top_down(relation) {
                world.follow(deferred, columns, &key, &mut |row| {
                    grown |= table.borrow_mut().note(number, row)?;
                    Ok(())
                })?;
            }
            Ok::<bool, JoinStop>(grown)
        };
        let count = || table.borrow().calls.len();
        let mut asked = 0;
        loop {
            // Evaluate every call once, so that all calls are recorded. Then repeat, the latest
            // first, since earlier calls wait for later ones.
            while asked < count() {
                ask(asked)?;
                asked += 1;
            }
            let mut grown = false;
            for number in (0..asked).rev() {
                grown |= ask(number)?;
            }
            if !grown && asked == count() {
                return Ok(());
            }
        }
    }

    /// Evaluates the rules of a relation.
    fn follow(
        &self,
        deferred: &TopDownRelation,
        columns: ColumnSet,
        key: &[TermId],
        answer: Answer<'_>,
    ) -> Result<(), JoinStop> {
        let Some(way) = deferred.orders.get(&columns) else {
            let problem = "a relation is asked in a way that nobody has prepared";
            return Err(JoinStop::Error(ChainError::Unsupported(problem.to_owned())));
        };
        for (rule, steps) in deferred.rules.iter().zip(way) {
            let mut values = vec![UNBOUND; rule.variables];
            let mut trail = Vec::new();
            let head = rule.head.iter().enumerate();
            let known = head.filter(|(column, _)| extension::has(columns, *column));
            let fits = known.zip(key).all(|((_, arg), term)| {
                pattern::fits(arg, *term, &mut values, &mut trail, self.terms)
            });
            if fits {
                self.solve(steps, None, &mut values, &mut |values| match pattern::row(
                    &rule.head, values, self.terms,
                ) {
                    Some(row) => answer(&row),
                    None => Ok(()),
                })?;
            }
        }
        Ok(())
    }
}

fn all_answers(
    table: &RefCell<AnswerTable>,
    number: usize,
    answer: Answer<'_>,
) -> Result<(), JoinStop> {
    let mut place = 0;
    loop {
        // Copied because `answer` may add rows to the table.
        let row = table.borrow().answer(number, place);
        let Some(row) = row else { return Ok(()) };
        answer(&row)?;
        place += 1;
    }
}
