//! Tabling: memoised answers of recursive relations that are evaluated top-down.

use ludorum_logic::TermId;
use ludorum_logic::rule::RelationId;
use rustc_hash::FxHashMap;

use super::budget::{ChainError, JoinStop};
use super::extension::{ColumnSet, Extension};

/// Maximum number of answers and calls of one top-down query.
const MAX_ANSWERS: usize = 1_000_000;

/// A call of a recursive relation, with its answers so far.
pub(super) struct TabledCall {
    pub(super) relation: RelationId,
    pub(super) columns: ColumnSet,
    pub(super) key: Box<[TermId]>,
    pub(super) answers: Extension,
}

/// The calls of a component of mutually recursive relations.
pub(super) struct AnswerTable {
    pub(super) component: u32,
    pub(super) calls: Vec<TabledCall>,
    known: FxHashMap<(RelationId, ColumnSet, Box<[TermId]>), usize>,
    rows: usize,
}

impl AnswerTable {
    pub(super) fn new(component: u32) -> Self {
        Self {
            component,
            calls: Vec::new(),
            known: FxHashMap::default(),
            rows: 0,
        }
    }

    /// The number of a call, recorded if it is new.
    pub(super) fn call(
        &mut self,
        relation: RelationId,
        columns: ColumnSet,
        key: &[TermId],
    ) -> Result<usize, JoinStop> {
        let next = self.calls.len();
        let number = *self
            .known
            .entry((relation, columns, key.into()))
            .or_insert(next);
        if number == next {
            self.calls.push(TabledCall {
                relation,
                columns,
                key: key.into(),
                answers: Extension::default(),
            });
            self.check_size()?;
        }
        Ok(number)
    }

    fn check_size(&self) -> Result<(), JoinStop> {
        if self.rows + self.calls.len() > MAX_ANSWERS {
            return Err(JoinStop::Error(ChainError::Unsupported(format!(
                "a query of a rigid relation has more than {MAX_ANSWERS} answers"
            ))));
        }
        Ok(())
    }

    /// Records an answer. Returns false if it is known.
    pub(super) fn note(&mut self, number: usize, row: &[TermId]) -> Result<bool, JoinStop> {
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

    pub(super) fn answer(&self, number: usize, place: usize) -> Option<Vec<TermId>> {
        let answers = &self.calls[number].answers;
        (place < answers.len()).then(|| answers.row(place).to_vec())
    }
}
