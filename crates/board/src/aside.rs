//! What is told beside a board: whose turn it is, counters, and things at hand.

use rustc_hash::FxHashSet;

use crate::form::Form;
use crate::model::Aside;
use crate::words;

/// Finds what the remaining forms tell.
pub(crate) fn find(forms: &[&Form], roles: &[String], contents: &FxHashSet<String>) -> Vec<Aside> {
    forms
        .iter()
        .filter_map(|form| {
            control(form, roles)
                .or_else(|| hand(form, roles, contents))
                .or_else(|| counter(form, roles))
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

fn control(form: &Form, roles: &[String]) -> Option<Aside> {
    let parts = words::words(&form.name);
    let called = parts.iter().any(|part| {
        part.contains("control") || part.contains("turn") || part.contains("move") || part == "to"
    });
    let is_control =
        form.arity == 1 && called && form.most() == 1 && are_roles(&form.seen[0], roles);
    is_control.then(|| Aside::Control {
        shape: form.shape.clone(),
    })
}

fn counter(form: &Form, roles: &[String]) -> Option<Aside> {
    let counter = |role: Option<usize>, value: usize| Aside::Counter {
        shape: form.shape.clone(),
        title: words::spoken(&form.name),
        role,
        value,
    };
    let numbers = |leaf: usize| {
        !form.seen[leaf].is_empty() && form.seen[leaf].iter().all(|value| is_number(value))
    };
    match form.arity {
        1 if numbers(0) && form.most() == 1 => Some(counter(None, 0)),
        2 if are_roles(&form.seen[0], roles) && numbers(1) && form.keyness(&[0]) >= 1.0 => {
            Some(counter(Some(0), 1))
        }
        2 if are_roles(&form.seen[1], roles) && numbers(0) && form.keyness(&[1]) >= 1.0 => {
            Some(counter(Some(1), 0))
        }
        _ => None,
    }
}

/// Whether a form tells things at hand.
pub(crate) fn is_hand(form: &Form, roles: &[String], contents: &FxHashSet<String>) -> bool {
    hand(form, roles, contents).is_some()
}

fn hand(form: &Form, roles: &[String], contents: &FxHashSet<String>) -> Option<Aside> {
    let role = (0..form.arity).find(|leaf| are_roles(&form.seen[*leaf], roles));
    let item: Vec<usize> = (0..form.arity).filter(|leaf| Some(*leaf) != role).collect();
    let [leaf] = item[..] else { return None };
    let values = &form.seen[leaf];
    let known = values
        .iter()
        .filter(|value| contents.contains(*value))
        .count();
    let numbers = values.iter().all(|value| value.parse::<i64>().is_ok());
    let is_hand =
        !values.is_empty() && !numbers && known == values.len() && !are_roles(values, roles);
    is_hand.then(|| Aside::Hand {
        shape: form.shape.clone(),
        title: words::spoken(&form.name),
        role,
        item,
    })
}
