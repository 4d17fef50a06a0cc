//! Goal values: the instances of `goal`, by role.

use ludorum_logic::{TermId, Terms};

use super::clause::PredicateId;
use super::knowledge_base::KnowledgeBase;
use super::schema::Schema;
use ludorum_reasoner::{Goal, Role};

/// The instances of `goal`.
#[derive(Debug)]
pub(super) struct Goals {
    /// The predicate and its first instance id; `None` if no goal is ever derived.
    predicate: Option<(PredicateId, u32)>,
    /// By role, its index in the first column.
    places: Vec<Option<u32>>,
    /// The values of the second column as texts, and as goals in `values`.
    texts: Vec<String>,
    values: Vec<Goal>,
}

impl Goals {
    pub(super) fn new(
        schema: &Schema,
        predicates: &[PredicateId],
        roles: &[TermId],
        terms: &Terms,
    ) -> Self {
        let predicate = predicates.iter().map(|number| schema.predicate(*number));
        let predicate = predicate.into_iter().find(|predicate| predicate.base > 0);
        let mut columns = predicate.into_iter().flat_map(|p| schema.columns(p));
        let places = match columns.next() {
            Some(column) => roles.iter().map(|role| column.index(*role)).collect(),
            None => vec![None; roles.len()],
        };
        let terms = columns
            .flat_map(|column| &column.terms)
            .map(|term| terms.text(*term));
        let texts: Vec<String> = terms.collect();
        Self {
            predicate: predicate.map(|predicate| (predicate.number, predicate.base)),
            places,
            values: texts
                .iter()
                .map(|text| Goal::from_texts(vec![text.clone()]))
                .collect(),
            texts,
        }
    }

    /// The goal of a role, once the goal rules have run.
    pub(super) fn of(&self, role: Role, knowledge: &KnowledgeBase) -> Goal {
        let mut found: Vec<usize> = Vec::new();
        let mut one: Option<usize> = None;
        if let (Some((predicate, base)), Some(place)) = (self.predicate, self.places[role]) {
            let count = self.texts.len();
            let from = base as usize + place as usize * count;
            for id in knowledge.list_of(predicate) {
                let id = *id as usize;
                if (from..from + count).contains(&id) {
                    found.extend(one.replace(id - from));
                }
            }
        }
        match one {
            Some(one) if found.is_empty() => self.values[one].clone(),
            _ => {
                let all = found.into_iter().chain(one);
                Goal::from_texts(all.map(|i| self.texts[i].clone()).collect())
            }
        }
    }
}
