//! Facts of the sheet and of rigid relations whose answers were all computed beforehand, indexed by
//! whatever arguments queries bind.

use ludorum_logic::rule::RelationId;
use ludorum_logic::{Rules, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::Mask;

/// Rows of a relation by the values at some places.
type Index = FxHashMap<Box<[TermId]>, Box<[u32]>>;

/// The facts of one relation, in rows.
#[derive(Clone, Debug, Default)]
struct Table {
    arity: usize,
    rows: usize,
    cells: Vec<TermId>,
    /// Whether these are all answers of the relation: it has no rules, or none that need to be
    /// looked at.
    whole: bool,
    /// How many different terms there are at each place.
    distinct: Vec<usize>,
    indexes: Vec<(Mask, Index)>,
}

/// The facts of all relations.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    tables: Vec<Table>,
}

impl Facts {
    pub(super) fn new(rules: &Rules) -> Self {
        let mut tables: Vec<Table> = rules
            .relations()
            .map(|(_, relation)| Table {
                arity: relation.arity,
                rows: relation.facts.len(),
                cells: Vec::with_capacity(relation.arity * relation.facts.len()),
                whole: relation.rules.is_empty(),
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

    /// Takes all answers of a relation, so that its rules are needed no more.
    pub(super) fn complete(&mut self, id: RelationId, rows: usize, cells: &[TermId]) {
        let table = &mut self.tables[id.index()];
        table.rows = rows;
        table.cells = cells.to_vec();
        table.whole = true;
        table.indexes.clear();
        table.count_distinct();
    }

    /// Whether all answers of a relation are here.
    pub(super) fn is_whole(&self, id: RelationId) -> bool {
        self.tables[id.index()].whole
    }

    /// How many facts a relation has.
    pub(super) fn rows(&self, id: RelationId) -> usize {
        self.tables[id.index()].rows
    }

    /// How many different terms stand at a place of a relation, at least 1.
    pub(super) fn distinct(&self, id: RelationId, place: usize) -> usize {
        let distinct = self.tables[id.index()].distinct.get(place);
        distinct.map_or(1, |count| (*count).max(1))
    }

    /// Puts the answers for the bound values, the free places of each in turn, into `answers`;
    /// gives their number.
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

    /// Whether a fact is there; `values` are all its arguments.
    pub(super) fn has(&mut self, id: RelationId, values: &[TermId]) -> bool {
        let table = &mut self.tables[id.index()];
        if table.arity == 0 || table.rows == 0 {
            return table.rows > 0;
        }
        let index = table.index(full(table.arity));
        table.indexes[index].1.contains_key(values)
    }
}

/// The mask of all places.
pub(super) fn full(arity: usize) -> Mask {
    if arity >= 64 {
        Mask::MAX
    } else {
        (1 << arity) - 1
    }
}

impl Table {
    fn count_distinct(&mut self) {
        let count = |place| {
            let column = self.cells.iter().skip(place).step_by(self.arity);
            column.collect::<FxHashSet<_>>().len()
        };
        self.distinct = (0..self.arity).map(count).collect();
    }

    /// The position of the index for a mask, built when it is new.
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
