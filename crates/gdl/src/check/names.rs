//! The names that occur in terms: constants, functors, and reserved words among them.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::relations::leaves;
use crate::ast::{Clause, Description, Formula, SyntaxTerm, SyntaxTermId};
use crate::keyword;
use crate::source::Span;
use crate::symbol::Symbol;

/// The occurrences of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrences {
    /// The first occurrence.
    pub(super) first: Span,
    /// The number of occurrences.
    pub(super) count: usize,
}

/// The constants and functors of a sheet in text order.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) constants: IndexMap<Symbol, Occurrences, FxBuildHasher>,
    /// By name and arity.
    pub(super) functions: IndexMap<(Symbol, usize), Occurrences, FxBuildHasher>,
    /// Constants and compound terms whose name is a reserved word.
    pub(super) reserved: Vec<SyntaxTermId>,
}

impl Names {
    pub(super) fn of(description: &Description) -> Self {
        let mut this = Self::default();
        let reserved: Vec<bool> = description
            .symbols
            .iter()
            .map(|(_, name)| {
                keyword::relation(name).is_some() || keyword::connective(name).is_some()
            })
            .collect();
        for clause in &description.clauses {
            for root in terms(description, clause) {
                for id in description.subterms(root) {
                    let span = description.term_span(id);
                    let (occurrences, name) = match description.term(id) {
                        SyntaxTerm::Variable(_) => continue,
                        SyntaxTerm::Constant(name) => (this.constants.entry(*name), name),
                        SyntaxTerm::Compound { functor, args } => {
                            let entry = this.functions.entry((*functor, args.len()));
                            count(entry.or_insert(none_yet(span)));
                            if reserved[functor.index()] {
                                this.reserved.push(id);
                            }
                            continue;
                        }
                    };
                    count(occurrences.or_insert(none_yet(span)));
                    if reserved[name.index()] {
                        this.reserved.push(id);
                    }
                }
            }
        }
        this
    }
}

fn none_yet(first: Span) -> Occurrences {
    Occurrences { first, count: 0 }
}

fn count(occurrences: &mut Occurrences) {
    occurrences.count += 1;
}

/// The outermost terms of a clause in text order.
pub(super) fn terms<'d>(
    description: &'d Description,
    clause: &'d Clause,
) -> impl Iterator<Item = SyntaxTermId> + 'd {
    let body = leaves(description, clause).flat_map(|(id, _)| leaf_terms(description, id));
    clause.head.args.iter().copied().chain(body)
}

/// The outermost terms of an atom or a `distinct`.
pub(super) fn leaf_terms(
    description: &Description,
    leaf: crate::ast::FormulaId,
) -> impl Iterator<Item = SyntaxTermId> + '_ {
    let (args, pair) = match description.formula(leaf) {
        Formula::Atom(atom) => (&atom.args[..], None),
        Formula::Distinct(left, right) => (&[][..], Some([*left, *right])),
        _ => (&[][..], None),
    };
    args.iter().copied().chain(pair.into_iter().flatten())
}
