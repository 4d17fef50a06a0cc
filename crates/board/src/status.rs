//! Status items: the role to move, counters and hands.

use rustc_hash::FxHashSet;

use crate::model::StatusItem;
use crate::names;
use crate::term_schema::TermSchema;

/// Recognises the status items among the remaining schemas.
pub(crate) fn find(
    schemas: &[&TermSchema],
    roles: &[String],
    contents: &FxHashSet<String>,
) -> Vec<StatusItem> {
    schemas
        .iter()
        .filter_map(|schema| {
            control(schema, roles)
                .or_else(|| hand(schema, roles, contents))
                .or_else(|| counter(schema, roles))
        })
        .collect()
}

fn are_roles(values: &[String], roles: &[String]) -> bool {
    !values.is_empty() && values.iter().all(|value| roles.contains(value))
}

fn is_number(value: &str) -> bool {
    let digits = value.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    value.parse::<i64>().is_ok()
        || (value.len() - digits.len() == 1 && digits.parse::<u32>().is_ok())
}

fn control(schema: &TermSchema, roles: &[String]) -> Option<StatusItem> {
    let parts = names::split_words(&schema.name);
    let called = parts.iter().any(|part| {
        part.contains("control") || part.contains("turn") || part.contains("move") || part == "to"
    });
    let is_control =
        schema.arity == 1 && called && schema.max_facts() == 1 && are_roles(&schema.seen[0], roles);
    is_control.then(|| StatusItem::Control {
        shape: schema.shape.clone(),
    })
}

fn counter(schema: &TermSchema, roles: &[String]) -> Option<StatusItem> {
    let counter = |role: Option<usize>, value: usize| StatusItem::Counter {
        shape: schema.shape.clone(),
        title: names::display_name(&schema.name),
        role,
        value,
    };
    let numbers = |leaf: usize| {
        !schema.seen[leaf].is_empty() && schema.seen[leaf].iter().all(|value| is_number(value))
    };
    match schema.arity {
        1 if numbers(0) && schema.max_facts() == 1 => Some(counter(None, 0)),
        2 if are_roles(&schema.seen[0], roles) && numbers(1) && schema.key_ratio(&[0]) >= 1.0 => {
            Some(counter(Some(0), 1))
        }
        2 if are_roles(&schema.seen[1], roles) && numbers(0) && schema.key_ratio(&[1]) >= 1.0 => {
            Some(counter(Some(1), 0))
        }
        _ => None,
    }
}

/// Whether a schema describes a hand.
pub(crate) fn is_hand(schema: &TermSchema, roles: &[String], contents: &FxHashSet<String>) -> bool {
    hand(schema, roles, contents).is_some()
}

fn hand(schema: &TermSchema, roles: &[String], contents: &FxHashSet<String>) -> Option<StatusItem> {
    let role = (0..schema.arity).find(|leaf| are_roles(&schema.seen[*leaf], roles));
    let item: Vec<usize> = (0..schema.arity)
        .filter(|leaf| Some(*leaf) != role)
        .collect();
    let [leaf] = item[..] else { return None };
    let values = &schema.seen[leaf];
    let known = values
        .iter()
        .filter(|value| contents.contains(*value))
        .count();
    let numbers = values.iter().all(|value| value.parse::<i64>().is_ok());
    let is_hand =
        !values.is_empty() && !numbers && known == values.len() && !are_roles(values, roles);
    is_hand.then(|| StatusItem::Hand {
        shape: schema.shape.clone(),
        title: names::display_name(&schema.name),
        role,
        item,
    })
}
