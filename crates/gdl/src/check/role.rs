//! Checks E101, E102 and W105: roles are facts with a constant, such as `(role white)`.

use rustc_hash::FxHashMap;

use super::codes::{NO_ROLE, ROLE_NOT_FIXED, ROLE_TWICE};
use super::found::Found;
use super::sheet::Sheet;
use crate::ast::SyntaxTerm;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::symbol::Symbol;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    let clauses = sheet.concluding("role", 1);
    if clauses.is_empty() {
        found.add(NO_ROLE, || {
            Diagnostic::error(NO_ROLE, "the sheet names no role")
                .at(Span::default(), "no `role` in the whole sheet")
                .help("say who plays, one fact for each: `(role white)`")
        });
    }
    let mut first: FxHashMap<Symbol, Span> = FxHashMap::default();
    for (_, clause) in clauses {
        let arg = clause.head.args[0];
        let not_fixed = |message: &str, label: &str| {
            Diagnostic::error(ROLE_NOT_FIXED, message)
                .at(sheet.description.term_span(arg), label)
                .help("name every role in a fact of its own, such as `(role white)`")
        };
        if !clause.body.is_empty() {
            found.add(ROLE_NOT_FIXED, || {
                let by_rule = not_fixed("a role is defined by a rule", "this role has conditions");
                by_rule.at(
                    sheet.description.formula_span(clause.body[0]),
                    "roles must not depend on anything",
                )
            });
            continue;
        }
        match sheet.description.term(arg) {
            SyntaxTerm::Variable(_) => found.add(ROLE_NOT_FIXED, || {
                not_fixed("a role is a variable", "this could be anybody")
            }),
            SyntaxTerm::Compound { .. } => found.add(ROLE_NOT_FIXED, || {
                not_fixed("a role is not a plain name", "this is a compound term")
            }),
            SyntaxTerm::Constant(name) => {
                let span = sheet.description.term_span(arg);
                if let Some(before) = first.get(name) {
                    found.add(ROLE_TWICE, || {
                        let name = sheet.name(*name);
                        Diagnostic::warning(ROLE_TWICE, format!("role `{name}` is named twice"))
                            .at(clause.span, "named again")
                            .at(*before, "first named here")
                            .help("remove one of them; a role counts once")
                    });
                } else {
                    first.insert(*name, span);
                }
            }
        }
    }
}
