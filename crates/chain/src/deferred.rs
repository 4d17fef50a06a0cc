//! Rigid relations that are too large to be written out: their rules are followed when somebody
//! asks.
//!
//! A relation over nine cells can have a hundred million rows, and a rule asks for one of them at a
//! time. Such a relation keeps its rules. For every set of columns that is known when it is asked,
//! there is an order of conditions for each rule ([`Way`]), made when the rule that asks is made.
//! Answers of relations that depend on themselves are collected in a [`Table`]: every question that
//! comes up on the way has its answers there, and all are asked again until there is nothing new.

use std::cell::RefCell;

use ludorum_logic::rule::{Pattern, RelationId};
use ludorum_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use super::budget::{ChainError, Halt};
use super::clause::Condition;
use super::extension::{self, Columns, Extension};
use super::join::{self, Step, World};
use super::pattern::{self, FREE};
use super::rigid::Rigid;

/// The most answers of one question to relations that depend on themselves, all questions on the
/// way included.
const MAX_ANSWERS: usize = 1_000_000;

/// A rule of a relation that is not written out.
#[derive(Debug)]
pub(super) struct DeferredRule {
    pub(super) head: Vec<Pattern>,
    pub(super) body: Vec<Condition>,
    pub(super) variables: usize,
}

/// The conditions of each rule in an order.
type Way = Vec<Vec<Step>>;

/// A relation that is not written out; its facts are.
#[derive(Debug)]
pub(super) struct Deferred {
    pub(super) rules: Vec<DeferredRule>,
    pub(super) component: u32,
    /// Whether it depends on itself.
    pub(super) is_recursive: bool,
    /// By the columns that are known.
    ways: FxHashMap<Columns, Way>,
}

impl Deferred {
    pub(super) fn new(rules: Vec<DeferredRule>, component: u32, is_recursive: bool) -> Self {
        Self {
            rules,
            component,
            is_recursive,
            ways: FxHashMap::default(),
        }
    }
}

impl Rigid {
    /// Makes sure that all that some steps look up can be found quickly: indexes, and orders for
    /// the rules of what is not written out.
    pub(super) fn prepare(&mut self, steps: &[Step]) {
        let mut todo: Vec<Asked> = Vec::new();
        asked(steps, &mut todo);
        while let Some((relation, columns, is_test)) = todo.pop() {
            // What is written out needs no index for a test.
            if let Some(extension) = self.get_mut(relation)
                && !is_test
            {
                extension.index(columns);
            }
            let Some(deferred) = self.deferred(relation) else {
                continue;
            };
            if deferred.ways.contains_key(&columns) {
                continue;
            }
            let way = deferred.rules.iter().map(|rule| {
                let mut bound = vec![false; rule.variables];
                for (column, arg) in rule.head.iter().enumerate() {
                    if extension::has(columns, column) {
                        arg.for_each_variable(&mut |v| bound[v as usize] = true);
                    }
                }
                let order = join::greedy_order(&rule.body, None, bound.clone(), self);
                join::steps(&rule.body, &order, bound)
            });
            let way: Way = way.collect();
            for steps in &way {
                asked(steps, &mut todo);
            }
            if let Some(deferred) = self.deferred_mut(relation) {
                deferred.ways.insert(columns, way);
            }
        }
    }
}

/// A relation, the columns that are known when it is asked, and whether it is only asked whether a
/// row is there.
type Asked = (RelationId, Columns, bool);

/// Notes what steps ask.
fn asked(steps: &[Step], todo: &mut Vec<Asked>) {
    for step in steps {
        match &step.condition {
            Condition::Rigid { relation, .. } => {
                todo.push((*relation, step.columns, step.is_test));
            }
            Condition::Any(tests) => {
                let relations = tests
                    .iter()
                    .filter_map(|test| Some((test.rigid_relation()?, every_column(test), true)));
                todo.extend(relations);
            }
            _ => {}
        }
    }
}

/// The set of all columns of a condition on a rigid relation.
pub(super) fn every_column(condition: &Condition) -> Columns {
    match condition {
        Condition::Rigid { args, .. } => all_columns(args.len()),
        _ => 0,
    }
}

/// The set of the first columns, as far as sets reach.
pub(super) fn all_columns(count: usize) -> Columns {
    match count {
        0 => 0,
        1..64 => (1 << count) - 1,
        _ => Columns::MAX,
    }
}

/// A question to a relation that depends on itself, with its answers so far.
struct Call {
    relation: RelationId,
    columns: Columns,
    key: Box<[TermId]>,
    answers: Extension,
}

/// The questions to a component of relations that depend on themselves.
pub(super) struct Table {
    component: u32,
    calls: Vec<Call>,
    known: FxHashMap<(RelationId, Columns, Box<[TermId]>), usize>,
    rows: usize,
}

impl Table {
    fn new(component: u32) -> Self {
        Self {
            component,
            calls: Vec::new(),
            known: FxHashMap::default(),
            rows: 0,
        }
    }

    /// The number of a question, which is noted if it is new.
    fn call(
        &mut self,
        relation: RelationId,
        columns: Columns,
        key: &[TermId],
    ) -> Result<usize, Halt> {
        let next = self.calls.len();
        let number = *self
            .known
            .entry((relation, columns, key.into()))
            .or_insert(next);
        if number == next {
            self.calls.push(Call {
                relation,
                columns,
                key: key.into(),
                answers: Extension::default(),
            });
            self.check_size()?;
        }
        Ok(number)
    }

    fn check_size(&self) -> Result<(), Halt> {
        if self.rows + self.calls.len() > MAX_ANSWERS {
            return Err(Halt::Stop(ChainError::Unsupported(format!(
                "a question to a relation that never changes has more than {MAX_ANSWERS} answers"
            ))));
        }
        Ok(())
    }

    /// Notes an answer; false if it is known.
    fn note(&mut self, number: usize, row: &[TermId]) -> Result<bool, Halt> {
        let answers = &mut self.calls[number].answers;
        if answers.len() == 0 {
            *answers = Extension::new(row.len());
        }
        if !answers.insert(row) {
            return Ok(false);
        }
        self.rows += 1;
        self.check_size()?;
        Ok(true)
    }

    fn answer(&self, number: usize, place: usize) -> Option<Vec<TermId>> {
        let answers = &self.calls[number].answers;
        (place < answers.len()).then(|| answers.row(place).to_vec())
    }
}

/// What is done with an answer.
pub(super) type Answer<'a> = &'a mut dyn FnMut(&[TermId]) -> Result<(), Halt>;

impl World<'_> {
    /// Gives all answers that the rules of a relation have for some values of some columns, some
    /// perhaps more than once.
    pub(super) fn call(
        &self,
        relation: RelationId,
        columns: Columns,
        key: &[TermId],
        answer: Answer<'_>,
    ) -> Result<(), Halt> {
        let Some(deferred) = self.rigid.deferred(relation) else {
            return Ok(());
        };
        if !deferred.is_recursive {
            return self.follow(deferred, columns, key, answer);
        }
        if let Some(table) = self.table
            && table.borrow().component == deferred.component
        {
            // What is known by now; the rest comes in a later round.
            let number = table.borrow_mut().call(relation, columns, key)?;
            return all_answers(table, number, answer);
        }
        let table = RefCell::new(Table::new(deferred.component));
        let number = table.borrow_mut().call(relation, columns, key)?;
        self.exhaust(&table)?;
        all_answers(&table, number, answer)
    }

    /// Asks all questions of a table, and those that come up, until there is nothing new.
    fn exhaust(&self, table: &RefCell<Table>) -> Result<(), Halt> {
        let world = World {
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
            if let Some(deferred) = self.rigid.deferred(relation) {
                world.follow(deferred, columns, &key, &mut |row| {
                    grown |= table.borrow_mut().note(number, row)?;
                    Ok(())
                })?;
            }
            Ok::<bool, Halt>(grown)
        };
        let count = || table.borrow().calls.len();
        let mut asked = 0;
        loop {
            // First every question once, so that all come up; then again, the latest first: those
            // are what the earlier ones wait for.
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

    /// Follows the rules of a relation.
    fn follow(
        &self,
        deferred: &Deferred,
        columns: Columns,
        key: &[TermId],
        answer: Answer<'_>,
    ) -> Result<(), Halt> {
        let Some(way) = deferred.ways.get(&columns) else {
            let problem = "a relation is asked in a way that nobody has prepared";
            return Err(Halt::Stop(ChainError::Unsupported(problem.to_owned())));
        };
        for (rule, steps) in deferred.rules.iter().zip(way) {
            let mut values = vec![FREE; rule.variables];
            let mut trail = Vec::new();
            let head = rule.head.iter().enumerate();
            let known = head.filter(|(column, _)| extension::has(columns, *column));
            let fits = known.zip(key).all(|((_, arg), term)| {
                pattern::fits(arg, *term, &mut values, &mut trail, self.terms)
            });
            if fits {
                self.solve(steps, None, &mut values, &mut |values| match row(
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

fn all_answers(table: &RefCell<Table>, number: usize, answer: Answer<'_>) -> Result<(), Halt> {
    let mut place = 0;
    loop {
        // Copied, because whoever takes it may come upon more.
        let row = table.borrow().answer(number, place);
        let Some(row) = row else { return Ok(()) };
        answer(&row)?;
        place += 1;
    }
}

/// The terms of some patterns. All terms that a relation here can have are in the table.
pub(super) fn row(args: &[Pattern], values: &[TermId], terms: &Terms) -> Option<Vec<TermId>> {
    let cells = args.iter();
    cells
        .map(|arg| pattern::value(arg, values, terms))
        .collect()
}
