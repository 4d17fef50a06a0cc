//! Assigns columns to the variables and terms of a rule.

use ludorum_gdl::Symbol;
use rustc_hash::FxHashMap;

use super::flat::{Arg, FlatLiteral, Var};

/// The columns assigned so far.
pub(super) struct RuleColumns {
    /// The first column of each variable.
    pub(super) first: Vec<Var>,
    pub(super) count: Var,
    /// Conditions that compose or decompose terms.
    pub(super) extra: Vec<FlatLiteral>,
    /// The columns of terms in closed shapes.
    pub(super) terms: FxHashMap<(Symbol, Vec<Arg>), Arg>,
}

impl RuleColumns {
    /// The column of a term, shared by all its occurrences.
    pub(super) fn term(&mut self, functor: Symbol, parts: Vec<Arg>) -> Arg {
        let count = &mut self.count;
        let extra = &mut self.extra;
        let column = self.terms.entry((functor, parts));
        *column.or_insert_with_key(|(functor, parts)| {
            let whole = Arg::Var(*count);
            *count += 1;
            extra.push(FlatLiteral::Term(whole, *functor, parts.clone()));
            whole
        })
    }
}
