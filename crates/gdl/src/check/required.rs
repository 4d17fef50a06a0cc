//! Checks E103, W101, W102 and W103: a game needs `legal`, `terminal` and `goal`, the first and the
//! last for every role.

use rustc_hash::FxHashSet;

use super::codes::{NO_GOAL, NO_LEGAL, NO_TERMINAL, ROLE_WITHOUT};
use super::found::Found;
use super::sheet::Sheet;
use crate::ast::SyntaxTerm;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::symbol::Symbol;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    let is_missing = |word| {
        sheet
            .keywords(&[word])
            .all(|id| sheet.relations.get(id).heads.is_empty())
    };
    if is_missing("legal") {
        found.add(NO_LEGAL, || {
            Diagnostic::error(NO_LEGAL, "no rule says which moves are legal")
                .at(
                    Span::default(),
                    "no clause of the sheet has `legal` as its head",
                )
                .help("add a rule for each role, such as `(<= (legal ?r noop) (role ?r))`")
        });
    } else {
        roles_without(sheet, found, "legal", "can never move");
    }
    if is_missing("terminal") {
        found.add(NO_TERMINAL, || {
            Diagnostic::warning(NO_TERMINAL, "no rule says when the game ends")
                .at(
                    Span::default(),
                    "no clause of the sheet has `terminal` as its head",
                )
                .help("add a rule such as `(<= terminal (not open))`")
        });
    }
    if is_missing("goal") {
        found.add(NO_GOAL, || {
            Diagnostic::warning(NO_GOAL, "no rule defines goal values")
                .at(
                    Span::default(),
                    "no clause of the sheet has `goal` as its head",
                )
                .help(
                    "add rules with values from 0 to 100 for each role, such as \
                    `(<= (goal white 100) …)`",
                )
        });
    } else {
        roles_without(sheet, found, "goal", "never gets a goal value");
    }
}

/// Reports roles that no rule for `legal` or `goal` can apply to, because all of them name other
/// roles.
fn roles_without(sheet: &Sheet<'_>, found: &mut Found, word: &str, consequence: &str) {
    let mut named: FxHashSet<Symbol> = FxHashSet::default();
    for (_, clause) in sheet.clauses_defining(word, 2) {
        match sheet.description.term(clause.head.args[0]) {
            SyntaxTerm::Constant(name) => {
                named.insert(*name);
            }
            // A rule with a variable may apply to any role.
            SyntaxTerm::Variable(_) => return,
            SyntaxTerm::Compound { .. } => {}
        }
    }
    let mut reported = FxHashSet::default();
    for (_, clause) in sheet.clauses_defining("role", 1) {
        if let SyntaxTerm::Constant(role) = sheet.description.term(clause.head.args[0])
            && !named.contains(role)
            && reported.insert(*role)
        {
            found.add(ROLE_WITHOUT, || {
                let role = sheet.name(*role);
                Diagnostic::warning(ROLE_WITHOUT, format!("role `{role}` {consequence}"))
                    .at(
                        clause.span,
                        format!("no clause defines `({word} {role} …)`"),
                    )
                    .help(format!("add a rule for `({word} {role} …)`"))
            });
        }
    }
}
