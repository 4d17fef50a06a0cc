//! A rule with reference tables, and how it is run: section 6 of the paper.
//!
//! A program is a chain of levels. A level takes a reference number, which stands for the values of all variables that still matter, and goes through the rows
//! that follow from it; a row holds the numbers of instances to look at, and the reference number for the next level. There are two ways to get from a reference number to rows:
//! - *scan*: through the list of a predicate, by the paper's table with an entry for each pair of a reference number and an instance, [`FAIL`] where they do not agree;
//! - *walk*: through the rows of the reference number, each with an instance that has to hold, where those are fewer than the list is long.
//!
//! What never changes is in the tables already: rows that it forbids do not exist.

use super::clause::PredicateId;
use super::knowledge::Knowledge;

/// No row: the paper's -1.
pub(super) const FAIL: u32 = u32::MAX;

/// The number of an instance that never holds.
pub(super) const NEVER: u32 = 0;

/// How a level gets from a reference number to rows.
#[derive(Debug, PartialEq)]
pub(super) enum Access {
    /// Through the list of a predicate with so many instances from `base` on: `table[reference * size + instance - base]` is where the row starts, or [`FAIL`].
    Scan {
        predicate: PredicateId,
        base: u32,
        size: u32,
        table: Box<[u32]>,
    },
    /// From `starts[reference]` to `starts[reference + 1]`.
    Walk { starts: Box<[u32]> },
}

/// A step from reference numbers to reference numbers.
///
/// A row is `positive` instances that must hold, `negative` ones that must not, the result if `gives_result`, and the next reference number if this is
/// not the last level.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) access: Access,
    pub(super) rows: Box<[u32]>,
    pub(super) stride: u32,
    pub(super) positive: u32,
    pub(super) negative: u32,
    pub(super) gives_result: bool,
    /// Whether rows of one entry stand in the table of a scan themselves.
    pub(super) direct: bool,
}

/// A rule, compiled.
#[derive(Debug)]
pub(super) struct Program {
    /// What the rule derives.
    pub(super) predicate: PredicateId,
    /// Instances that must hold, whatever the values.
    pub(super) present: Box<[u32]>,
    /// Instances that must not.
    pub(super) absent: Box<[u32]>,
    pub(super) levels: Box<[Level]>,
    /// After so many levels the result is known; what follows only asks whether there is a way.
    pub(super) cut: u32,
    /// The result, where it is known before the first level.
    pub(super) result: u32,
}

impl Program {
    /// Runs the rule. Of the list that the first level scans, only what comes `from` a place on counts; gives how long the list was.
    #[inline]
    pub(super) fn run(&self, knowledge: &mut Knowledge, from: u32) {
        if self.present.iter().any(|id| !knowledge.has(*id))
            || self.absent.iter().any(|id| knowledge.has(*id))
        {
            return;
        }
        if self.cut == 0 && knowledge.has(self.result) {
            return;
        }
        if self.levels.is_empty() {
            knowledge.add(self.predicate, self.result);
            return;
        }
        self.level(knowledge, 0, 0, self.result, from);
    }

    /// Goes through the rows of a level; true if a result came of it.
    fn level(
        &self,
        knowledge: &mut Knowledge,
        number: usize,
        reference: u32,
        result: u32,
        from: u32,
    ) -> bool {
        let level = &self.levels[number];
        match &level.access {
            Access::Walk { starts } => {
                let from = starts[reference as usize] as usize;
                let to = starts[reference as usize + 1] as usize;
                let rows = &level.rows[from..to];
                for row in rows.chunks_exact(level.stride as usize) {
                    if self.row(knowledge, number, level, row, result) {
                        return true;
                    }
                }
            }
            Access::Scan {
                predicate,
                base,
                size,
                table,
            } => {
                let first = (reference * size) as usize;
                let table = &table[first..first + *size as usize];
                let mut at = from;
                if level.direct {
                    if level.gives_result && number + 1 == self.levels.len() {
                        while at < knowledge.counts[*predicate as usize] {
                            let id = knowledge.lists[(base + at) as usize];
                            at += 1;
                            let result = table[(id - base) as usize];
                            if result != FAIL {
                                knowledge.add(self.predicate, result);
                            }
                        }
                        return false;
                    }
                    while at < knowledge.counts[*predicate as usize] {
                        let id = knowledge.lists[(base + at) as usize];
                        at += 1;
                        let entry = table[(id - base) as usize];
                        if entry != FAIL && self.row(knowledge, number, level, &[entry], result) {
                            return true;
                        }
                    }
                    return false;
                }
                // The list may grow meanwhile.
                while at < knowledge.counts[*predicate as usize] {
                    let id = knowledge.lists[(base + at) as usize];
                    at += 1;
                    let start = table[(id - base) as usize];
                    if start == FAIL {
                        continue;
                    }
                    let row = &level.rows[start as usize..(start + level.stride) as usize];
                    if self.row(knowledge, number, level, row, result) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Looks at a row; true if a result came of it and the level need not go on.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the body of the two loops above: a call for each row costs as much as the row
    fn row(
        &self,
        knowledge: &mut Knowledge,
        number: usize,
        level: &Level,
        row: &[u32],
        mut result: u32,
    ) -> bool {
        let (positive, rest) = row.split_at(level.positive as usize);
        if positive.iter().any(|id| !knowledge.has(*id)) {
            return false;
        }
        let (negative, rest) = rest.split_at(level.negative as usize);
        if negative.iter().any(|id| knowledge.has(*id)) {
            return false;
        }
        let is_last = number + 1 == self.levels.len();
        if level.gives_result {
            result = rest[0];
            if is_last {
                knowledge.add(self.predicate, result);
                return false;
            }
            if knowledge.has(result) {
                return false;
            }
        }
        let found = if is_last {
            knowledge.add(self.predicate, result);
            true
        } else {
            self.level(knowledge, number + 1, rest[rest.len() - 1], result, 0)
        };
        found && number >= self.cut as usize
    }

    /// The bytes that its tables take.
    pub(super) fn bytes(&self) -> usize {
        let level = |level: &Level| {
            let access = match &level.access {
                Access::Scan { table, .. } => table.len(),
                Access::Walk { starts } => starts.len(),
            };
            4 * (level.rows.len() + access)
        };
        self.levels.iter().map(level).sum()
    }
}
