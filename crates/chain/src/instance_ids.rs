//! Assigns instance ids to predicates (Schofield and Saffidine 2013, definition 4).
//!
//! `true`, `next`, `legal` and `does` come first, each ordered by text. `next` is then at a fixed
//! distance from `true` and `does` from `legal`, and ids of moves have the order that the reasoner
//! contract requires.

use ludorum_logic::{Rules, Terms};
use rustc_hash::FxHashMap;

use super::budget::ChainError;
use super::clause::PredicateId;
use super::knowledge_base::FIRST;
use super::schema::{Predicate, PredicateShape, Schema};
use super::sparse_instances::CAPACITY;

impl Schema {
    /// Assigns ids to the instances of all used predicates, at most `most` in total.
    pub(super) fn number(
        &mut self,
        rules: &Rules,
        terms: &Terms,
        used: &[bool],
        most: u64,
    ) -> Result<(), ChainError> {
        self.columns.finish();
        let keywords = rules.keywords;
        let mut order: Vec<(u8, String, PredicateId)> = Vec::new();
        for predicate in &self.predicates {
            let relation = predicate.relation;
            let blocks = [keywords.true_, keywords.next, keywords.legal, keywords.does];
            let block = blocks.iter().position(|keyword| *keyword == relation);
            // The beginning of the text of a fluent or move.
            let opening = match predicate.shape.last() {
                Some(Some((functor, _))) => format!("({} ", terms.symbols.name(*functor)),
                _ => "~".to_owned(),
            };
            if block.is_some() || used[predicate.number as usize] {
                order.push((block.unwrap_or(4) as u8, opening, predicate.number));
            }
        }
        order.sort_unstable();
        self.make_sparse(rules, &order, most);
        let mut base = u64::from(FIRST);
        let mut starts = [0u64; 5];
        for (block, _, number) in &order {
            let start = &mut starts[*block as usize];
            if *start == 0 {
                *start = base;
            }
            let predicate = &mut self.predicates[*number as usize];
            predicate.base = base as u32;
            base = base.saturating_add(predicate.range()).saturating_add(1);
            if base > most {
                return Err(ChainError::Unsupported(format!(
                    "`{}` can have {} instances, too many for the knowledge base",
                    rules.relation_name(predicate.relation),
                    predicate.size
                )));
            }
        }
        let of_block = |wanted: u8| -> Vec<PredicateId> {
            let inside = order.iter().filter(|(block, ..)| *block == wanted);
            inside.map(|(.., number)| *number).collect()
        };
        self.fluents = of_block(0);
        self.moves = of_block(2);
        self.to_next = (starts[1] - starts[0]) as u32;
        self.to_does = (starts[3] - starts[2]) as u32;
        self.ids = base as u32;
        Ok(())
    }

    /// Adds a predicate with some of another one's columns, with ids after all others. Returns
    /// `None` if that exceeds `most` ids.
    pub(super) fn add_part(
        &mut self,
        whole: PredicateId,
        picked: &[bool],
        most: u64,
    ) -> Option<PredicateId> {
        let whole = &self.predicates[whole as usize];
        let columns = whole.columns.iter().zip(picked);
        let columns: Vec<u32> = columns
            .filter(|(_, p)| **p)
            .map(|(column, _)| *column)
            .collect();
        let mut size = 1u64;
        let mut strides = vec![0; columns.len()];
        for (stride, column) in strides.iter_mut().zip(&columns).rev() {
            *stride = size as u32;
            size = size.saturating_mul(self.columns.all[*column as usize].len() as u64);
        }
        let end = u64::from(self.ids).saturating_add(size).saturating_add(1);
        if end > most {
            return None;
        }
        let number = self.predicates.len() as PredicateId;
        let part = Predicate {
            number,
            relation: whole.relation,
            shape: vec![None; columns.len()],
            columns,
            strides,
            base: self.ids,
            size,
            sparse: None,
        };
        self.predicates.push(part);
        self.ids = end as u32;
        Some(number)
    }

    /// Removes the predicates that were added last.
    pub(super) fn truncate(&mut self, predicates: usize, ids: u32) {
        self.predicates.truncate(predicates);
        self.ids = ids;
    }

    /// Makes very large predicates sparse: their instances get ids on demand.
    ///
    /// Fluents are never sparse, since states consist of their ids. Goals are not either, since
    /// their ids encode role and value.
    fn make_sparse(&mut self, rules: &Rules, order: &[(u8, String, PredicateId)], most: u64) {
        let keywords = rules.keywords;
        let fixed = [keywords.true_, keywords.next, keywords.goal];
        // Find the largest size that lets the other predicates fit: as few sparse predicates as
        // possible.
        let mut largest = most;
        loop {
            let sizes = order.iter().map(|(.., number)| {
                let size = self.predicates[*number as usize].size;
                if size > largest {
                    u64::from(CAPACITY)
                } else {
                    size
                }
            });
            if largest <= u64::from(CAPACITY) || sizes.fold(0, u64::saturating_add) <= most / 2 {
                break;
            }
            largest /= 2;
        }
        let mut twins: FxHashMap<PredicateShape, usize> = FxHashMap::default();
        for (.., number) in order {
            let predicate = &mut self.predicates[*number as usize];
            if predicate.size <= largest || fixed.contains(&predicate.relation) {
                continue;
            }
            let is_twin = [keywords.legal, keywords.does].contains(&predicate.relation);
            let twin = twins.get(&predicate.shape).copied().filter(|_| is_twin);
            let place = twin.unwrap_or_else(|| {
                self.sparse.push(predicate.columns.len());
                self.sparse.len() - 1
            });
            if is_twin {
                twins.insert(predicate.shape.clone(), place);
            }
            predicate.sparse = Some(place);
        }
    }
}
