//! The facts of the rule sheet, and all answers of the rigid relations that were computed during
//! preparation. Indexes are built for the argument positions that queries bind.

use ludorum_logic::rule::RelationId;
use ludorum_logic::{Rules, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::mask::{Mask, full};

/// The rows of a relation, by the values at some argument positions.
type Index = FxHashMap<Box<[TermId]>, Box<[u32]>>;

/// The facts of one relation, row by row.
#[derive(Clone, Debug, Default)]
struct FactTable {
    arity: usize,
    rows: usize,
    cells: Vec<TermId>,
    /// Whether these are all answers of the relation: it has no rules, or all their answers are
    /// included.
    complete: bool,
    /// The number of different terms at each argument position.
    distinct: Vec<usize>,
    indexes: Vec<(Mask, Index)>,
}

/// The facts of all relations.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    tables: Vec<FactTable>,
}

impl Facts {
    pub(super) fn new(rules: &Rules) -> Self {
        let mut tables: Vec<FactTable> = rules
            .relations()
            .map(|(_, relation)| FactTable {
                arity: relation.arity,
                rows: relation.facts.len(),
                cells: Vec::with_capacity(relation.arity * relation.facts.len()),
                complete: relation.rules.is_empty(),
                distinct: Vec::new(),
                indexes: Vec::new(),
            })
            .collect();
        for fact in &rules.facts {
            tables[fact.relation.index()].cells.extend(&fact.args);
        }
        for table in &mut tables {
            table.count_distinct();
        }
        Self { tables }
    }

    /// Stores all answers of a relation. Its rules are not used any more.
    pub(super) fn complete(&mut self, id: RelationId, rows: usize, cells: &[TermId]) {
        let table = &mut self.tables[id.index()];
        table.rows = rows;
        table.cells = cells.to_vec();
        table.complete = true;
        table.indexes.clear();
        table.count_distinct();
    }

    /// Whether all answers of a relation are stored.
    pub(super) fn is_complete(&self, id: RelationId) -> bool {
        self.tables[id.index()].complete
    }

    /// The number of facts of a relation.
    pub(super) fn rows(&self, id: RelationId) -> usize {
        self.tables[id.index()].rows
    }

    /// The number of different terms at an argument position of a relation, at least 1.
    pub(super) fn distinct(&self, id: RelationId, place: usize) -> usize {
        let distinct = self.tables[id.index()].distinct.get(place);
        distinct.map_or(1, |count| (*count).max(1))
    }

    /// Appends the answers for the bound values to `answers`, for each answer the values at the
    /// free positions. Returns the number of answers.
    pub(super) fn answers(
        &mut self,
        id: RelationId,
        mask: Mask,
        bound: &[TermId],
        answers: &mut Vec<TermId>,
    ) -> usize {
        let table = &mut self.tables[id.index()];
        if mask == 0 || table.rows == 0 {
            answers.extend_from_slice(&table.cells);
            return table.rows;
        }
        let index = table.index(mask);
        let Some(matching) = table.indexes[index].1.get(bound) else {
            return 0;
        };
        for row in matching {
            let start = *row as usize * table.arity;
            let cells = &table.cells[start..start + table.arity];
            for (place, cell) in cells.iter().enumerate() {
                if mask >> place & 1 == 0 {
                    answers.push(*cell);
                }
            }
        }
        matching.len()
    }

    /// Whether a fact is stored; `values` are all its arguments.
    pub(super) fn has(&mut self, id: RelationId, values: &[TermId]) -> bool {
        let table = &mut self.tables[id.index()];
        if table.arity == 0 || table.rows == 0 {
            return table.rows > 0;
        }
        let index = table.index(full(table.arity));
        table.indexes[index].1.contains_key(values)
    }
}

impl FactTable {
    fn count_distinct(&mut self) {
        let count = |place| {
            let column = self.cells.iter().skip(place).step_by(self.arity);
            column.collect::<FxHashSet<_>>().len()
        };
        self.distinct = (0..self.arity).map(count).collect();
    }

    /// The position of the index for a mask. Builds the index if it does not exist.
    fn index(&mut self, mask: Mask) -> usize {
        if let Some(place) = self.indexes.iter().position(|(m, _)| *m == mask) {
            return place;
        }
        let mut lists: FxHashMap<Vec<TermId>, Vec<u32>> = FxHashMap::default();
        for (row, cells) in self.cells.chunks_exact(self.arity).enumerate() {
            let key = (0..self.arity)
                .filter(|place| mask >> place & 1 == 1)
                .map(|place| cells[place])
                .collect();
            lists.entry(key).or_default().push(row as u32);
        }
        let index = lists
            .into_iter()
            .map(|(key, rows)| (key.into(), rows.into()))
            .collect();
        self.indexes.push((mask, index));
        self.indexes.len() - 1
    }
}
