//! The cell name and content of a fact, and which contents mean an empty cell.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::glyph;
use crate::term_schema::TermSchema;

/// The contents that mean an empty cell.
pub(crate) fn empty_contents(
    schema: &TermSchema,
    content: &[usize],
    roles: &[String],
) -> FxHashSet<String> {
    let mut empty = FxHashSet::default();
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let first = schema.nonempty_states().next();
    for fact in first.into_iter().flatten() {
        *counts.entry(content_of(fact, content)).or_default() += 1;
    }
    let mut seen: FxHashSet<String> = FxHashSet::default();
    for fact in schema.all() {
        seen.insert(content_of(fact, content));
    }
    for leaf in content {
        seen.extend(schema.values(*leaf).iter().cloned());
    }
    let whole: usize = counts.values().sum();
    let others: Vec<String> = seen.iter().filter(|value| *value != "b").cloned().collect();
    let crosses = others.iter().any(|v| v == "x") && others.iter().any(|v| v == "o");
    let numbers = !others.is_empty() && others.iter().all(|v| v.parse::<i64>().is_ok());
    for value in seen {
        if glyph::is_blank(&value) {
            empty.insert(value);
        } else if glyph::may_be_blank(&value) && !roles.contains(&value) {
            let count = counts.get(&value).copied().unwrap_or(0);
            let is_common = 4 * count >= whole && counts.values().all(|other| *other <= count);
            if is_common
                || (value == "b" && (crosses || numbers || (counts.len() > 4 && count > 1)))
            {
                empty.insert(value);
            }
        }
    }
    if empty.len() > 1 {
        // At most one uncertain name for empty cells is accepted: it must occur in the first state.
        empty.retain(|value| glyph::is_blank(value) || counts.contains_key(value));
    }
    empty
}

/// The content of a fact, its leaves joined by spaces.
pub(crate) fn content_of(fact: &[String], content: &[usize]) -> String {
    let words: Vec<&str> = content
        .iter()
        .filter_map(|leaf| fact.get(*leaf).map(String::as_str))
        .collect();
    words.join(" ")
}

/// The name of the cell of a fact.
pub(crate) fn name_of(fact: &[String], key: &[usize]) -> Vec<String> {
    key.iter()
        .filter_map(|leaf| fact.get(*leaf).cloned())
        .collect()
}
