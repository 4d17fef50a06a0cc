//! A rule with reference tables, and how it is run: section 6 of the paper.
//!
//! A program is a chain of levels. A level takes a reference number, which stands for the values of
//! all variables that still matter, and goes through the rows that follow from it; a row holds the
//! numbers of instances to look at, and the reference number for the next level. There are two ways
//! to get from a reference number to rows:
//! - *scan*: through the list of a predicate, by the paper's table with an entry for each pair of a
//!   reference number and an instance, [`FAIL`] where they do not agree;
//! - *walk*: through the rows of the reference number, each with an instance that has to hold,
//!   where those are fewer than the list is long.
//!
//! What never changes is in the tables already: rows that it forbids do not exist.
//!
//! A processor that guesses wrong whether a row passes loses more time than the row takes. So the
//! last level does not decide: it writes the result of every row, and rows that fail write
//! [`NO_RESULT`], which is there already.

use super::budget::{ChainError, WorkClock};
use super::clause::PredicateId;
use super::knowledge_base::{KnowledgeBase, NEVER_HOLDS, NO_RESULT};

/// No row: the paper's -1.
pub(super) const FAIL: u32 = u32::MAX;

/// How a level gets from a reference number to rows.
#[derive(Debug, PartialEq)]
pub(super) enum LevelAccess {
    /// Through the list of a predicate with so many instances from `base` on: `table[reference *
    /// size + instance - base]` is where the row starts, or [`FAIL`].
    Scan {
        predicate: PredicateId,
        base: u32,
        size: u32,
        table: Box<[u32]>,
    },
    /// From `starts[reference]` to `starts[reference + 1]`.
    Walk { starts: Box<[u32]> },
}

/// What the rows of a level are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Any.
    General,
    /// In the last level of a scan, the table holds the results themselves, [`NO_RESULT`] where there
    /// is none.
    Results,
    /// In the last level, a row is a few tests and the result. In a scan, [`FAIL`] has become a row
    /// that writes [`NO_RESULT`].
    Tested,
}

/// A step from reference numbers to reference numbers.
///
/// A row is `positive` instances that must hold, `negative` ones that must not, the result if
/// `gives_result`, and the next reference number if this is not the last level.
#[derive(Debug)]
pub(super) struct RuleLevel {
    pub(super) access: LevelAccess,
    pub(super) rows: Box<[u32]>,
    pub(super) stride: u32,
    pub(super) positive: u32,
    pub(super) negative: u32,
    pub(super) gives_result: bool,
    pub(super) kind: RowKind,
}

/// A rule, compiled.
#[derive(Debug)]
pub(super) struct TableRule {
    /// What the rule derives.
    pub(super) predicate: PredicateId,
    /// Instances that must hold, whatever the values.
    pub(super) present: Box<[u32]>,
    /// Instances that must not.
    pub(super) absent: Box<[u32]>,
    pub(super) levels: Box<[RuleLevel]>,
    /// After so many levels the result is known; what follows only asks whether there is a way.
    pub(super) cut: u32,
    /// The result, where it is known before the first level.
    pub(super) result: u32,
}

/// What came of a level or a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Go on.
    More,
    /// A result, and no other is needed.
    Found,
    /// The time is over.
    Late,
}

/// So many rows of a level are a unit of work.
const ROWS: u32 = 16;

/// The most tests of a row that are all made without looking at what comes out.
const FEW_TESTS: u32 = 3;

impl RuleLevel {
    /// Finds out how the rows can be gone through fastest; `is_last` if this is the last level.
    pub(super) fn specialise(&mut self, is_last: bool) {
        if !is_last || !self.gives_result {
            return;
        }
        let few = self.positive + self.negative <= FEW_TESTS;
        match &mut self.access {
            LevelAccess::Scan { table, .. } if self.stride == 1 => {
                for entry in table.iter_mut() {
                    *entry = match *entry {
                        FAIL => NO_RESULT,
                        row => self.rows[row as usize],
                    };
                }
                self.rows = Box::default();
                self.kind = RowKind::Results;
            }
            LevelAccess::Scan { table, .. } if few => {
                let trash = self.rows.len() as u32;
                let mut rows = std::mem::take(&mut self.rows).into_vec();
                rows.extend((0..self.positive).map(|_| NO_RESULT));
                rows.extend((0..self.negative).map(|_| NEVER_HOLDS));
                rows.push(NO_RESULT);
                self.rows = rows.into();
                for entry in table.iter_mut().filter(|entry| **entry == FAIL) {
                    *entry = trash;
                }
                self.kind = RowKind::Tested;
            }
            LevelAccess::Walk { .. } if few => self.kind = RowKind::Tested,
            _ => {}
        }
    }
}

impl TableRule {
    /// Runs the rule. Of the list that the first level scans, only what comes `from` a place on
    /// counts.
    #[inline]
    pub(super) fn run(
        &self,
        knowledge: &mut KnowledgeBase,
        clock: &WorkClock,
        from: u32,
    ) -> Result<(), ChainError> {
        for id in &self.present {
            if !knowledge.has(*id) {
                return Ok(());
            }
        }
        for id in &self.absent {
            if knowledge.has(*id) {
                return Ok(());
            }
        }
        match &self.levels[..] {
            [] => knowledge.add(self.predicate, self.result),
            [only] if only.kind != RowKind::General => self.write(knowledge, only, 0, from),
            _ => {
                if (self.cut > 0 || !knowledge.has(self.result))
                    && self.level(knowledge, clock, 0, 0, self.result, from) == Outcome::Late
                {
                    return Err(clock.check().err().unwrap_or(ChainError::Late));
                }
            }
        }
        Ok(())
    }

    /// Goes through the rows of a level.
    fn level(
        &self,
        knowledge: &mut KnowledgeBase,
        clock: &WorkClock,
        number: usize,
        reference: u32,
        result: u32,
        from: u32,
    ) -> Outcome {
        let level = &self.levels[number];
        // A level that only writes may have a long list: its rows count as work as well.
        let rows = match &level.access {
            LevelAccess::Scan { predicate, .. } => knowledge.counts[*predicate as usize] - from,
            LevelAccess::Walk { .. } => 0,
        };
        if clock.spend(1 + rows / ROWS) && clock.check().is_err() {
            return Outcome::Late;
        }
        if level.kind != RowKind::General {
            self.write(knowledge, level, reference, from);
            return Outcome::More;
        }
        match &level.access {
            LevelAccess::Walk { starts } => {
                let from = starts[reference as usize] as usize;
                let to = starts[reference as usize + 1] as usize;
                for row in level.rows[from..to].chunks_exact(level.stride as usize) {
                    let outcome = self.row(knowledge, clock, number, level, row, result);
                    if outcome != Outcome::More {
                        return outcome;
                    }
                }
            }
            LevelAccess::Scan {
                predicate,
                base,
                size,
                table,
            } => {
                let first = reference as usize * *size as usize;
                let table = &table[first..first + *size as usize];
                let stride = level.stride as usize;
                let mut at = from;
                // The list may grow meanwhile.
                while at < knowledge.counts[*predicate as usize] {
                    let id = knowledge.lists[(base + at) as usize];
                    at += 1;
                    let start = table[(id - base) as usize];
                    if start == FAIL {
                        continue;
                    }
                    let row = &level.rows[start as usize..start as usize + stride];
                    let outcome = self.row(knowledge, clock, number, level, row, result);
                    if outcome != Outcome::More {
                        return outcome;
                    }
                }
            }
        }
        Outcome::More
    }

    /// Goes through the rows of a last level that only writes.
    #[inline]
    fn write(&self, knowledge: &mut KnowledgeBase, level: &RuleLevel, reference: u32, from: u32) {
        let tests = (level.positive as usize, level.negative as usize);
        let stride = level.stride as usize;
        match &level.access {
            LevelAccess::Walk { starts } => {
                let from = starts[reference as usize] as usize;
                let to = starts[reference as usize + 1] as usize;
                let rows = &level.rows[from..to];
                let mut writer = knowledge.writer(self.predicate);
                for row in rows.chunks_exact(stride) {
                    // SAFETY: `is_sound` holds for this program: rows are of this form.
                    unsafe { writer.write_tested(row, tests) };
                }
                writer.finish();
            }
            LevelAccess::Scan {
                predicate,
                base,
                size,
                table,
            } => {
                let first = reference as usize * *size as usize;
                let table = &table[first..first + *size as usize];
                let mut at = from;
                // The list may grow meanwhile.
                loop {
                    let to = knowledge.counts[*predicate as usize];
                    if at >= to {
                        return;
                    }
                    let mut writer = knowledge.writer(self.predicate);
                    // SAFETY: places below the count are within the list. The list holds instances
                    // of the predicate alone, of which there are as many as the table has entries
                    // for a reference number; and `is_sound` holds: the entries are results, or
                    // where whole rows start.
                    unsafe {
                        if level.kind == RowKind::Results {
                            for place in at..to {
                                let id = writer.listed(base + place);
                                writer.write(*table.get_unchecked((id - base) as usize));
                            }
                        } else {
                            for place in at..to {
                                let id = writer.listed(base + place);
                                let start = *table.get_unchecked((id - base) as usize) as usize;
                                let row = level.rows.get_unchecked(start..start + stride);
                                writer.write_tested(row, tests);
                            }
                        }
                    }
                    writer.finish();
                    at = to;
                }
            }
        }
    }

    /// Whether all that is looked up without a check of bounds is within them: every level that
    /// only writes has rows of tests and a result, of numbers of instances, and all results are
    /// instances of the head's predicate, which has the numbers of a range. So its list holds
    /// nothing else, which is what scans of it rely on.
    pub(super) fn is_sound(&self, ids: u32, head: std::ops::Range<u32>) -> bool {
        let is_result = |id: &u32| *id == NO_RESULT || head.contains(id);
        if self.cut == 0 && !head.contains(&self.result) {
            return false;
        }
        self.levels.iter().all(|level| {
            let stride = level.stride as usize;
            let row_is_sound = |row: &[u32]| {
                row.len() == (level.positive + level.negative) as usize + 1
                    && row.iter().all(|id| *id < ids)
                    && row.last().is_some_and(is_result)
            };
            let rows_are_sound = || {
                stride > 0
                    && level.rows.len().is_multiple_of(stride)
                    && level.rows.chunks_exact(stride).all(row_is_sound)
            };
            match (level.kind, &level.access) {
                (RowKind::General, _) if !level.gives_result => true,
                (RowKind::General, _) => {
                    let place = (level.positive + level.negative) as usize;
                    let result_is_sound = |row: &[u32]| row.get(place).is_some_and(is_result);
                    stride > 0 && level.rows.chunks_exact(stride).all(result_is_sound)
                }
                (RowKind::Results, LevelAccess::Scan { table, .. }) => table.iter().all(is_result),
                (RowKind::Results, LevelAccess::Walk { .. }) => false,
                (RowKind::Tested, LevelAccess::Walk { .. }) => rows_are_sound(),
                (RowKind::Tested, LevelAccess::Scan { table, .. }) => {
                    let is_start = |start: &u32| {
                        (*start as usize).is_multiple_of(stride)
                            && *start as usize + stride <= level.rows.len()
                    };
                    rows_are_sound() && table.iter().all(is_start)
                }
            }
        })
    }

    /// Looks at a row: whether the level need not go on.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the body of the two loops above: a call for each row costs as much as the row
    fn row(
        &self,
        knowledge: &mut KnowledgeBase,
        clock: &WorkClock,
        number: usize,
        level: &RuleLevel,
        row: &[u32],
        mut result: u32,
    ) -> Outcome {
        let (positive, rest) = row.split_at(level.positive as usize);
        for id in positive {
            if !knowledge.has(*id) {
                return Outcome::More;
            }
        }
        let (negative, rest) = rest.split_at(level.negative as usize);
        for id in negative {
            if knowledge.has(*id) {
                return Outcome::More;
            }
        }
        let is_last = number + 1 == self.levels.len();
        if level.gives_result {
            result = rest[0];
            if is_last {
                knowledge.add(self.predicate, result);
                return Outcome::More;
            }
            if knowledge.has(result) {
                return Outcome::More;
            }
        }
        let outcome = if is_last {
            knowledge.add(self.predicate, result);
            Outcome::Found
        } else {
            let next = rest[rest.len() - 1];
            self.level(knowledge, clock, number + 1, next, result, 0)
        };
        match outcome {
            Outcome::Found if number < self.cut as usize => Outcome::More,
            outcome => outcome,
        }
    }

    /// The bytes that its tables take.
    pub(super) fn bytes(&self) -> usize {
        let level = |level: &RuleLevel| {
            let access = match &level.access {
                LevelAccess::Scan { table, .. } => table.len(),
                LevelAccess::Walk { starts } => starts.len(),
            };
            4 * (level.rows.len() + access)
        };
        self.levels.iter().map(level).sum()
    }
}
