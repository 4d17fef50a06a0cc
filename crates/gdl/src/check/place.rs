//! Checks E106, E107 and W108: keywords that may only occur in heads, or only in bodies.

use super::codes::{BASE_IN_BODY, KEYWORD_AS_HEAD, KEYWORD_IN_BODY};
use super::found::Found;
use super::sheet::Sheet;
use crate::diagnostic::Diagnostic;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (index, clause) in sheet.clauses() {
        let head = sheet.relations.get(sheet.relations.head(index));
        if let Some(word @ ("true" | "does")) = head.keyword {
            found.add(KEYWORD_AS_HEAD, || {
                Diagnostic::error(
                    KEYWORD_AS_HEAD,
                    format!("`{word}` cannot be the head of a clause"),
                )
                .at(clause.head.span, "this is the head of a clause")
                .help(if word == "true" {
                    "use `init` for what holds in the initial state and `next` for what \
                            holds after a move"
                } else {
                    "use `legal` to define the moves that a player may choose; `does` \
                            holds for the chosen ones"
                })
            });
        }
        for usage in sheet.relations.body(index) {
            match sheet.relations.get(usage.relation).keyword {
                Some(word @ ("init" | "next")) => found.add(KEYWORD_IN_BODY, || {
                    Diagnostic::error(KEYWORD_IN_BODY, format!("`{word}` cannot be a condition"))
                        .at(sheet.span(usage), "this is in the body of a rule")
                        .help("conditions test the current state with `(true …)`")
                }),
                Some(word @ ("base" | "input")) => found.add(BASE_IN_BODY, || {
                    Diagnostic::warning(BASE_IN_BODY, format!("`{word}` is used as a condition"))
                        .at(sheet.span(usage), "this is in the body of a rule")
                        .help(format!(
                            "`{word}` is optional information for reasoners and may be \
                                missing; use the relation that defines it"
                        ))
                }),
                _ => {}
            }
        }
    }
}
