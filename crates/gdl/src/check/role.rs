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
    let clauses = sheet.clauses_defining("role", 1);
    if clauses.is_empty() {
        found.add(NO_ROLE, || {
            Diagnostic::error(NO_ROLE, "the sheet declares no role")
                .at(
                    Span::default(),
                    "no clause of the sheet has `role` as its head",
                )
                .help("add a fact for each role, such as `(role white)`")
        });
    }
    let mut first: FxHashMap<Symbol, Span> = FxHashMap::default();
    for (_, clause) in clauses {
        let arg = clause.head.args[0];
        let not_fixed = |message: &str, label: &str| {
            Diagnostic::error(ROLE_NOT_FIXED, message)
                .at(sheet.description.term_span(arg), label)
                .help("declare each role by a fact with a constant, such as `(role white)`")
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
                not_fixed("a role is a variable", "a variable does not name a role")
            }),
            SyntaxTerm::Compound { .. } => found.add(ROLE_NOT_FIXED, || {
                not_fixed("a role is not a constant", "this is a compound term")
            }),
            SyntaxTerm::Constant(name) => {
                let span = sheet.description.term_span(arg);
                if let Some(before) = first.get(name) {
                    found.add(ROLE_TWICE, || {
                        let name = sheet.name(*name);
                        Diagnostic::warning(ROLE_TWICE, format!("role `{name}` is declared twice"))
                            .at(clause.span, "declared again here")
                            .at(*before, "first declared here")
                            .help("remove one of them; declaring a role again has no effect")
                    });
                } else {
                    first.insert(*name, span);
                }
            }
        }
    }
}
