//! Checks E116 and W106: sheets of GDL-II, the extension with incomplete information and
//! randomness.

use super::codes::{GDL_II, ROLE_RANDOM};
use super::found::Found;
use super::sheet::Sheet;
use crate::ast::{Clause, SyntaxTerm};
use crate::diagnostic::Diagnostic;

/// Whether a relation is the keyword `sees` of GDL-II.
pub(super) fn is_sees(name: &str, arity: usize) -> bool {
    arity == 2 && name.eq_ignore_ascii_case("sees")
}

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    let random: Option<&Clause> = sheet
        .clauses_defining("role", 1)
        .into_iter()
        .map(|(_, clause)| clause)
        .find(|clause| {
            matches!(sheet.description.term(clause.head.args[0]),
                SyntaxTerm::Constant(name) if sheet.name(*name).eq_ignore_ascii_case("random"))
        });
    // In GDL-II, `sees` only occurs in heads. A sheet that uses it in a body has an ordinary
    // relation of that name.
    let sees = sheet
        .relations
        .iter()
        .map(|(_, relation)| relation)
        .find(|r| is_sees(sheet.name(r.symbol), r.arity) && r.uses.is_empty())
        .and_then(|relation| relation.heads.first());
    if let Some(clause) = sees {
        found.add(GDL_II, || {
            let diagnostic = Diagnostic::error(
                GDL_II,
                "this sheet is written in GDL-II: it uses `sees`",
            )
            .at(
                sheet.clause(*clause).head.span,
                "`sees` is for games with imperfect information",
            )
            .help(
                "only games with perfect information can be played, and ignoring `sees` would \
                change the game",
            );
            match random {
                Some(clause) => diagnostic.at(clause.span, "this role moves at random"),
                None => diagnostic,
            }
        });
    } else if let Some(clause) = random {
        found.add(ROLE_RANDOM, || {
            Diagnostic::warning(
                ROLE_RANDOM,
                "this sheet may be written in GDL-II: it has the role `random`",
            )
            .at(clause.span, "in GDL-II this role moves at random")
            .help(
                "here `random` is an ordinary player; if this is intended, give the role another \
                name",
            )
        });
    }
}
