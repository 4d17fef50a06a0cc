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
        let Some(top_down) = self.rigid.top_down(relation) else {
            return Ok(());
        };
        if !top_down.is_recursive {
            return self.evaluate_rules(top_down, columns, key, answer);
        }
        if let Some(table) = self.table
            && table.borrow().component == top_down.component
        {
            // The answers known so far; later rounds bring the rest.
            let number = table.borrow_mut().call(relation, columns, key)?;
            return all_answers(table, number, answer);
        }
        let table = RefCell::new(AnswerTable::new(top_down.component));
        let number = table.borrow_mut().call(relation, columns, key)?;
        self.complete_table(&table)?;
        all_answers(&table, number, answer)
    }

    /// Evaluates all calls of a table, and those they make, to a fixpoint.
    fn complete_table(&self, table: &RefCell<AnswerTable>) -> Result<(), JoinStop> {
        let context = JoinContext {
            table: Some(table),
            dynamic: None,
            ..*self
        };
        let evaluate = |number: usize| {
            let (relation, columns, key) = {
                let call = &table.borrow().calls[number];
                (call.relation, call.columns, call.key.clone())
            };
            let mut grown = false;
            if let Some(top_down) = self.rigid.top_down(relation) {
                context.evaluate_rules(top_down, columns, &key, &mut |row| {
                    grown |= table.borrow_mut().note(number, row)?;
                    Ok(())
                })?;
            }
            Ok::<bool, JoinStop>(grown)
        };
        let count = || table.borrow().calls.len();
        let mut evaluated = 0;
        loop {
            // Evaluate every call once, so that all calls are recorded. Then repeat, the latest
            // first, since earlier calls wait for later ones.
            while evaluated < count() {
                evaluate(evaluated)?;
                evaluated += 1;
            }
            let mut grown = false;
            for number in (0..evaluated).rev() {
                grown |= evaluate(number)?;
            }
            if !grown && evaluated == count() {
                return Ok(());
            }
        }
    }

    /// Evaluates the rules of a relation.
    fn evaluate_rules(
        &self,
        top_down: &TopDownRelation,
        columns: ColumnSet,
        key: &[TermId],
        answer: Answer<'_>,
    ) -> Result<(), JoinStop> {
        let Some(orders) = top_down.orders.get(&columns) else {
            let problem = "internal error: a binding pattern without condition orders";
            return Err(JoinStop::Error(ChainError::Unsupported(problem.to_owned())));
        };
        for (rule, steps) in top_down.rules.iter().zip(orders) {
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
