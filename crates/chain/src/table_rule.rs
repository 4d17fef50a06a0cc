//! Rules with reference tables, and their evaluation (Schofield and Saffidine 2013, section 6).
//!
//! A rule is a sequence of levels. A level takes a reference number, which stands for the values of
//! all live variables, and enumerates the rows that belong to it. A row holds instance ids to test,
//! and the reference number for the next level. There are two ways to enumerate the rows of a
//! reference number:
//! - *scan*: read the list of a predicate, with a table that has an entry for each pair
//!   of reference number and instance, [`FAIL`] where they disagree (definition 7);
//! - *walk*: read the rows of the reference number, each with an instance that has to hold. This is
//!   used where these rows are fewer than the list is long, an addition to definition 7.
//!
//! Conditions on rigid relations are resolved at build time: rows that they exclude do not exist.
//!
//! A mispredicted branch on whether a row passes costs more than the row. The last level therefore
//! does not branch: it writes a result for every row, and rows that fail write [`NO_RESULT`], which
//! is present already.

use super::budget::{ChainError, WorkClock};
use super::clause::PredicateId;
use super::knowledge_base::{KnowledgeBase, NEVER_HOLDS, NO_RESULT};

/// No row: `RefNo` = -1 in definition 7.
pub(super) const FAIL: u32 = u32::MAX;

/// How a level enumerates the rows of a reference number.
#[derive(Debug, PartialEq)]
pub(super) enum LevelAccess {
    /// Scans the list of a predicate with `size` instances from `base` on. The row starts at
    /// `table[reference * size + instance - base]`, which may be [`FAIL`].
    Scan {
        predicate: PredicateId,
        base: u32,
        size: u32,
        table: Box<[u32]>,
    },
    /// Walks through the rows from `starts[reference]` to `starts[reference + 1]`.
    Walk { starts: Box<[u32]> },
}

/// The form of a level's rows, which decides how they are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Any form.
    General,
    /// In the last level of a scan, the table holds the results themselves, or [`NO_RESULT`].
    Results,
    /// In the last level, a row is a few tests and the result. In a scan, [`FAIL`] is replaced by a
    /// row that writes [`NO_RESULT`].
    Tested,
}

/// A level: maps reference numbers to reference numbers of the next level.
///
/// A row has `positive` instances that must hold, `negative` instances that must not hold, the
/// result if `gives_result`, and the next reference number unless this is the last level.
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

/// A rule with reference tables.
#[derive(Debug)]
pub(super) struct TableRule {
    /// The predicate it derives.
    pub(super) predicate: PredicateId,
    /// Ground conditions that must hold (preconditions in definition 1).
    pub(super) present: Box<[u32]>,
    /// Ground conditions that must not hold.
    pub(super) absent: Box<[u32]>,
    pub(super) levels: Box<[RuleLevel]>,
    /// Number of levels after which the result is determined. Later levels only test for existence.
    pub(super) result_level: u32,
    /// The result, if it is determined before the first level.
    pub(super) result: u32,
}

/// The outcome of a level or a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Continue.
    More,
    /// The result is derived, and no further row can add another.
    Found,
    /// The deadline has passed.
    Late,
}

/// Number of rows that count as one unit of work.
const ROWS_PER_UNIT: u32 = 16;

/// Maximum number of tests of a row that are evaluated without branches.
const FEW_TESTS: u32 = 3;

impl RuleLevel {
    /// Chooses the fastest row form; `is_last` marks the last level.
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
    /// Evaluates the rule. The scan of the first level begins at list position `from`.
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
                if (self.result_level > 0 || !knowledge.has(self.result))
                    && self.level(knowledge, clock, 0, 0, self.result, from) == Outcome::Late
                {
                    return Err(clock.check().err().unwrap_or(ChainError::Late));
                }
            }
        }
        Ok(())
    }

    /// Evaluates the rows of a level for a reference number.
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
        // A level without branches does not check the clock in between: charge its rows in advance.
        let rows = match &level.access {
            LevelAccess::Scan { predicate, .. } => knowledge.counts[*predicate as usize] - from,
            LevelAccess::Walk { .. } => 0,
        };
        if clock.spend(1 + rows / ROWS_PER_UNIT) && clock.check().is_err() {
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
                // The list may grow during the scan.
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

    /// Evaluates a last level without branches.
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
                    // SAFETY: `is_sound` holds for this rule, so rows consist of tests and a
                    // result.
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
                // The list may grow during the scan.
                loop {
                    let to = knowledge.counts[*predicate as usize];
                    if at >= to {
                        return;
                    }
                    let mut writer = knowledge.writer(self.predicate);
                    // SAFETY: places below the count are within the list. The list holds only
                    // instances of the predicate, and the table has an entry for each of them for
                    // every reference number. `is_sound` holds, so the entries are results, or
                    // starts of complete rows.
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

    /// Whether all unchecked accesses are within bounds.
    ///
    /// Every level without branches must have rows of tests and a result, all of them instance ids.
    /// All results must be instances of the head's predicate, whose ids are `head`. The list of
    /// that predicate then holds nothing else, which scans of it rely on.
    pub(super) fn is_sound(&self, ids: u32, head: std::ops::Range<u32>) -> bool {
        let is_result = |id: &u32| *id == NO_RESULT || head.contains(id);
        if self.result_level == 0 && !head.contains(&self.result) {
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

    /// Evaluates a row. The outcome tells whether the level continues.
    #[inline(always)]
    #[allow(clippy::inline_always)] // a call costs as much as the row
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
            Outcome::Found if number < self.result_level as usize => Outcome::More,
            outcome => outcome,
        }
    }

    /// Bytes of its tables.
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
