//! Predicate shapes: which arguments are split into columns, and how columns become arguments
//! again.

use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};

/// For each argument that is split, its functor and arity.
pub(crate) type PredicateShape = Vec<Option<(Symbol, usize)>>;

/// Rebuilds the arguments of an atom from its columns.
pub(crate) fn arguments(
    terms: &mut Terms,
    shape: &PredicateShape,
    cells: &[u32],
    out: &mut Vec<TermId>,
) {
    if shape.is_empty() {
        out.extend(cells.iter().map(|cell| TermId(*cell)));
        return;
    }
    let mut at = 0;
    for function in shape {
        let Some((functor, arity)) = function else {
            out.push(TermId(cells[at]));
            at += 1;
            continue;
        };
        let parts: Vec<TermId> = cells[at..at + arity].iter().map(|c| TermId(*c)).collect();
        out.push(terms.intern(*functor, &parts));
        at += arity;
    }
}
