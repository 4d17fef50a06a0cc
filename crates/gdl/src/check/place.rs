//! Checks E106, E107 and W108: keywords that may only occur in heads, or only in bodies.

use super::codes::{BASE_IN_BODY, NEVER_ASKED, NEVER_CONCLUDED};
use super::found::Found;
use super::sheet::Sheet;
use crate::diagnostic::Diagnostic;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (index, clause) in sheet.clauses() {
        let head = sheet.relations.get(sheet.relations.head(index));
        if let Some(word @ ("true" | "does")) = head.keyword {
            found.add(NEVER_CONCLUDED, || {
                Diagnostic::error(NEVER_CONCLUDED, format!("`{word}` cannot be concluded"))
                    .at(clause.head.span, "this is the head of a clause")
                    .help(if word == "true" {
                        "say with `init` what holds at first and with `next` what holds after a move"
                    } else {
                        "say with `legal` what a player may do; what it does is the player's choice"
                    })
            });
        }
        for asked in sheet.relations.body(index) {
            match sheet.relations.get(asked.relation).keyword {
                Some(word @ ("init" | "next")) => found.add(NEVER_ASKED, || {
                    Diagnostic::error(NEVER_ASKED, format!("`{word}` cannot be a condition"))
                        .at(sheet.span(asked), "this is asked for in a body")
                        .help("conditions look at the current state: `(true …)`")
                }),
                Some(word @ ("base" | "input")) => found.add(BASE_IN_BODY, || {
                    Diagnostic::warning(BASE_IN_BODY, format!("`{word}` is used as a condition"))
                        .at(sheet.span(asked), "this is asked for in a body")
                        .help(format!(
                            "`{word}` is a hint for reasoners, and some leave it out; name the relation that it is made from"
                        ))
                }),
                _ => {}
            }
        }
    }
}
