//! The names that random sheets are made of: roles, and relations, fluents and moves with their
//! arguments.

use super::types::{ITEMS, Type};
use crate::rng::Rng;

/// What a relation may look at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sight {
    Rigid,
    State,
    Action,
}

/// A name with typed arguments.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) args: Vec<Type>,
    pub(super) sight: Sight,
    /// Negation looks only to lower levels.
    pub(super) level: usize,
}

/// The name of a role: a constant, or sometimes a term, which may have a constant's name.
pub(super) fn role(number: usize, rng: &mut Rng) -> String {
    match rng.below(8) {
        0 => format!("(team {})", ITEMS[number]),
        1 => format!("(r0 {})", ITEMS[number]),
        _ => format!("r{number}"),
    }
}

/// A name that may be taken with another number of arguments.
pub(super) fn name(
    kind: &str,
    number: usize,
    arity: usize,
    known: &[Signature],
    rng: &mut Rng,
) -> String {
    let is_free = |name: &str| {
        !known
            .iter()
            .any(|s| s.name == name && s.args.len() == arity)
    };
    let first = known.first().map(|s| s.name.clone());
    match first {
        Some(first) if rng.below(4) == 0 && is_free(&first) => first,
        _ => format!("{kind}{number}"),
    }
}

/// A name over arguments, or alone.
pub(super) fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() {
        name.to_owned()
    } else {
        format!("({name} {})", args.join(" "))
    }
}
