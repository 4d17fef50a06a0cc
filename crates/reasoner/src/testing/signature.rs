//! The names in random rule sheets: roles, and the signatures of relations, fluents and moves.

use super::types::{ITEMS, Type};
use crate::rng::Rng;

/// What a relation may depend on.
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
    /// The stratum: negation refers to lower levels only.
    pub(super) level: usize,
}

/// The name of a role: a constant, or sometimes a compound term.
pub(super) fn role(number: usize, rng: &mut Rng) -> String {
    match rng.below(8) {
        0 => format!("(team {})", ITEMS[number]),
        1 => format!("(r0 {})", ITEMS[number]),
        _ => format!("r{number}"),
    }
}

/// A name for a signature. Sometimes a name that is used with another arity.
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

/// A name applied to arguments; the name alone without arguments.
pub(super) fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() {
        name.to_owned()
    } else {
        format!("({name} {})", args.join(" "))
    }
}
