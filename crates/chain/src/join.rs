//! Joins over terms, for rules without reference tables.
//!
//! Rigid relations are computed this way, and so are rules whose tables would take too much memory.
//! Slower than tables.

use std::cell::RefCell;
use std::ops::Range;

use ludorum_logic::rule::{Pattern, RelationId};
use ludorum_logic::{TermId, Terms};

use super::budget::{JoinStop, WorkClock};
use super::clause::Condition;
use super::extension;
use super::join_step::JoinStep;
use super::knowledge_base::KnowledgeBase;
use super::pattern::{self, UNBOUND};
use super::rigid::RigidRelations;
use super::schema::{Predicate, Schema};
use super::tabling::AnswerTable;

/// Receives the answers of a join. An error ends it.
pub(super) type Answer<'a> = &'a mut dyn FnMut(&[TermId]) -> Result<(), JoinStop>;

/// The relations that conditions are evaluated on.
pub(super) struct JoinContext<'a> {
    pub(super) rigid: &'a RigidRelations,
    pub(super) terms: &'a Terms,
    pub(super) clock: &'a WorkClock,
    /// The dynamic predicates; `None` while rigid relations are evaluated.
    pub(super) dynamic: Option<(&'a Schema, &'a KnowledgeBase)>,
    /// Memoised answers of recursive top-down relations, while they are being computed.
    pub(super) table: Option<&'a RefCell<AnswerTable>>,
}

impl JoinContext<'_> {
    /// Enumerates the bindings that satisfy the steps, and calls `found` for each. `delta`
    /// restricts the first binding condition to these entries (the semi-naive delta).
    pub(super) fn solve(
        &self,
        steps: &[JoinStep],
        delta: Option<Range<usize>>,
        values: &mut Vec<TermId>,
        found: Answer<'_>,
    ) -> Result<(), JoinStop> {
        self.clock.tick()?;
        // Leading tests are evaluated in a loop: their number does not add to the stack depth.
        let tests = steps.iter().take_while(|step| step.is_test).count();
        for step in &steps[..tests] {
            if !self.holds(&step.condition, values)? {
                return Ok(());
            }
        }
        let Some((step, rest)) = steps[tests..].split_first() else {
            return found(values);
        };
        // The recursion is as deep as the rule has conditions, which the game description decides.
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let mut trail = Vec::new();
            match &step.condition {
                Condition::Rigid { relation, args, .. } => {
                    let Some(extension) = self.rigid.get(*relation) else {
                        return Ok(());
                    };
                    let key: Option<Vec<TermId>> = args
                        .iter()
                        .enumerate()
                        .filter(|(column, _)| extension::has(step.columns, *column))
                        .map(|(_, arg)| pattern::value(arg, values, self.terms))
                        .collect();
                    let Some(key) = key else {
                        return Ok(());
                    };
                    let mut one = |row: &[TermId]| {
                        if self.all_fit(args, row.iter().copied(), values, &mut trail) {
                            self.solve(rest, None, values, found)?;
                        }
                        pattern::undo(values, &mut trail, 0);
                        Ok(self.clock.tick()?)
                    };
                    if let Some(delta) = delta {
                        for row in delta {
                            one(extension.row(row))?;
                        }
                        return Ok(());
                    }
                    match extension.rows_with(step.columns, &key) {
                        Some(rows) => {
                            for row in rows {
                                one(extension.row(*row as usize))?;
                            }
                        }
                        None => {
                            for row in 0..extension.len() {
                                one(extension.row(row))?;
                            }
                        }
                    }
                    self.call(*relation, step.columns, &key, &mut one)?;
                }
                Condition::Dynamic {
                    predicate, args, ..
                } => {
                    let Some((schema, knowledge)) = self.dynamic else {
                        return Ok(());
                    };
                    let predicate = schema.predicate(*predicate);
                    let list = knowledge.list(predicate);
                    if delta.is_none()
                        && let Some(matching) =
                            self.matching_instances(predicate, args, values, list.len())
                    {
                        for id in matching {
                            self.clock.tick()?;
                            if !knowledge.has(id) {
                                continue;
                            }
                            let cells = schema.cells(predicate, id);
                            if self.all_fit(args, cells, values, &mut trail) {
                                self.solve(rest, None, values, found)?;
                            }
                            pattern::undo(values, &mut trail, 0);
                        }
                        return Ok(());
                    }
                    let list = delta.map_or(list, |delta| &list[delta]);
                    for id in list {
                        let fits = if let Some(place) = predicate.sparse {
                            let row = knowledge.sparse[place].row(id - predicate.base);
                            let cells = row.unwrap_or_default().iter().copied();
                            self.all_fit(args, cells, values, &mut trail)
                        } else {
                            let cells = schema.cells(predicate, *id);
                            self.all_fit(args, cells, values, &mut trail)
                        };
                        if fits {
                            self.solve(rest, None, values, found)?;
                        }
                        pattern::undo(values, &mut trail, 0);
                        self.clock.tick()?;
                    }
                }
                Condition::Distinct(..)
                | Condition::Constant(_)
                | Condition::Among(..)
                | Condition::Any(_) => {}
            }
            Ok(())
        })
    }

    /// The instances that agree with the bound variables of a condition, if they are fewer than
    /// `most`.
    fn matching_instances(
        &self,
        predicate: &Predicate,
        args: &[Pattern],
        values: &[TermId],
        most: usize,
    ) -> Option<Vec<u32>> {
        let (schema, _) = self.dynamic?;
        if predicate.sparse.is_some() {
            return None;
        }
        let mut ids = vec![predicate.base];
        for (number, (column, arg)) in schema.columns(predicate).zip(args).enumerate() {
            let stride = Schema::stride(predicate, number);
            if let Some(term) = pattern::value(arg, values, self.terms) {
                // A value outside the domain: no instance agrees.
                let Some(place) = column.index(term) else {
                    return Some(Vec::new());
                };
                for id in &mut ids {
                    *id += place * stride;
                }
            } else {
                if ids.len() * column.len() >= most {
                    return None;
                }
                let places = 0..column.len() as u32;
                let spread = |id: &u32| {
                    places
                        .clone()
                        .map(move |place| *id + place * stride)
                        .collect::<Vec<_>>()
                };
                ids = ids.iter().flat_map(spread).collect();
            }
        }
        Some(ids)
    }

    fn all_fit(
        &self,
        args: &[Pattern],
        mut cells: impl Iterator<Item = TermId>,
        values: &mut [TermId],
        trail: &mut Vec<u32>,
    ) -> bool {
        args.iter().all(|arg| {
            cells
                .next()
                .is_some_and(|cell| pattern::fits(arg, cell, values, trail, self.terms))
        })
    }

    /// Whether a condition with bound variables holds. Dynamic conditions count as possible while
    /// only rigid relations are known.
    pub(super) fn holds(&self, condition: &Condition, values: &[TermId]) -> Result<bool, JoinStop> {
        Ok(match condition {
            Condition::Dynamic {
                positive,
                predicate,
                args,
            } => {
                let Some((schema, knowledge)) = self.dynamic else {
                    return Ok(true);
                };
                let predicate = schema.predicate(*predicate);
                let cell = |i: usize| pattern::value(&args[i], values, self.terms);
                let id = knowledge.find(schema, predicate, cell);
                id.is_some_and(|id| knowledge.has(id)) == *positive
            }
            Condition::Rigid {
                positive,
                relation,
                args,
            } => {
                let row = pattern::row(args, values, self.terms);
                let holds = match row {
                    Some(row) => self.contains(*relation, &row)?,
                    None => false,
                };
                holds == *positive
            }
            Condition::Distinct(left, right) => !pattern::equal(left, right, values, self.terms),
            Condition::Among(pattern, allowed) => {
                let term = pattern::value(pattern, values, self.terms);
                term.is_some_and(|term| allowed.contains(&term))
            }
            Condition::Any(tests) => {
                for test in tests {
                    if self.holds(test, values)? {
                        return Ok(true);
                    }
                }
                false
            }
            Condition::Constant(variable) => {
                let term = values[*variable as usize];
                term != UNBOUND && self.terms.args(term).is_empty()
            }
        })
    }

    /// Whether a relation contains a row.
    fn contains(&self, relation: RelationId, row: &[TermId]) -> Result<bool, JoinStop> {
        let extension = self.rigid.get(relation);
        if extension.is_some_and(|extension| extension.contains(row)) {
            return Ok(true);
        }
        if self.rigid.top_down(relation).is_none() {
            return Ok(false);
        }
        let columns = extension::all_columns(row.len());
        let key = &row[..row.len().min(64)];
        let found = self.call(relation, columns, key, &mut |answer| {
            if answer == row {
                return Err(JoinStop::Enough);
            }
            Ok(())
        });
        match found {
            Err(JoinStop::Enough) => Ok(true),
            other => other.map(|()| false),
        }
    }
}
