//! Matching patterns with ground terms, and substitution.

use ludorum_logic::rule::Pattern;
use ludorum_logic::{TermId, Terms};

/// The value of an unbound variable.
pub(super) const UNBOUND: TermId = TermId(u32::MAX);

/// Whether all variables of a pattern are bound.
pub(super) fn is_bound(pattern: &Pattern, bound: &[bool]) -> bool {
    let mut all = true;
    pattern.for_each_variable(&mut |v| all &= bound[v as usize]);
    all
}

/// The term that a pattern stands for. `None` if a variable is unbound or there is no such term.
pub(super) fn value(pattern: &Pattern, values: &[TermId], terms: &Terms) -> Option<TermId> {
    match pattern {
        Pattern::Variable(v) => Some(values[*v as usize]).filter(|id| *id != UNBOUND),
        Pattern::Ground(id) => Some(*id),
        Pattern::Compound(functor, args) => {
            let args: Option<Vec<TermId>> =
                args.iter().map(|arg| value(arg, values, terms)).collect();
            terms.get(*functor, &args?)
        }
    }
}

/// The terms of some patterns. `None` if one has no term; no relation contains such a row.
pub(super) fn row(args: &[Pattern], values: &[TermId], terms: &Terms) -> Option<Vec<TermId>> {
    let cells = args.iter();
    cells.map(|arg| value(arg, values, terms)).collect()
}

/// The term that a pattern with bound variables stands for, interned if it is new.
pub(super) fn make(pattern: &Pattern, values: &[TermId], terms: &mut Terms) -> TermId {
    match pattern {
        Pattern::Variable(v) => values[*v as usize],
        Pattern::Ground(id) => *id,
        Pattern::Compound(functor, args) => {
            let args: Vec<TermId> = args.iter().map(|arg| make(arg, values, terms)).collect();
            terms.intern(*functor, &args)
        }
    }
}

/// Whether two patterns with bound variables stand for the same term, which need not be interned.
pub(super) fn equal(left: &Pattern, right: &Pattern, values: &[TermId], terms: &Terms) -> bool {
    let is_term = |pattern: &Pattern| !matches!(pattern, Pattern::Compound(..));
    if is_term(left) || is_term(right) {
        // A term that is not interned differs from every interned one.
        let left = value(left, values, terms);
        return left.is_some() && left == value(right, values, terms);
    }
    match (left, right) {
        (Pattern::Compound(f, a), Pattern::Compound(g, b)) => {
            f == g
                && a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(left, right)| equal(left, right, values, terms))
        }
        _ => false,
    }
}

/// Matches a pattern with a term. Binds unbound variables and records them in `trail`; the caller
/// undoes them, also after a failed match.
pub(super) fn fits(
    pattern: &Pattern,
    term: TermId,
    values: &mut [TermId],
    trail: &mut Vec<u32>,
    terms: &Terms,
) -> bool {
    match pattern {
        Pattern::Variable(v) => {
            let slot = &mut values[*v as usize];
            if *slot == UNBOUND {
                *slot = term;
                trail.push(*v);
                return true;
            }
            *slot == term
        }
        Pattern::Ground(id) => *id == term,
        Pattern::Compound(functor, args) => {
            let parts = terms.args(term);
            terms.functor(term) == *functor
                && parts.len() == args.len()
                && args
                    .iter()
                    .zip(parts)
                    .all(|(arg, part)| fits(arg, *part, values, trail, terms))
        }
    }
}

/// Unbinds the variables on the trail after position `from`.
pub(super) fn undo(values: &mut [TermId], trail: &mut Vec<u32>, from: usize) {
    for v in trail.drain(from..) {
        values[v as usize] = UNBOUND;
    }
}
