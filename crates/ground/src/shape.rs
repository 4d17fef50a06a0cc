//! Shapes: which arguments are taken apart into columns, and how they are put together again.

use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};

/// For each argument, the function that was taken apart there and how many columns it has.
pub(crate) type PredicateShape = Vec<Option<(Symbol, usize)>>;

/// The arguments of an atom, put together again.
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
