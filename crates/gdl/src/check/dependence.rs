//! The first state depends on no state, and neither moves nor results on what the players do.

use super::codes::{BASE_DEPENDS, INIT_DEPENDS, LEGAL_DEPENDS, RESULT_DEPENDS};
use super::dependencies::Ways;
use super::found::Found;
use super::path;
use super::relations::Use;
use super::sheet::Sheet;
use crate::diagnostic::{Diagnostic, Severity};

struct Rule {
    code: &'static str,
    severity: Severity,
    /// These must not depend …
    heads: &'static [&'static str],
    /// … on these.
    targets: &'static [&'static str],
    help: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        code: INIT_DEPENDS,
        severity: Severity::Error,
        heads: &["init"],
        targets: &["true", "does"],
        help: "`init` describes the state before anything is true or done; use relations that do not look at the state",
    },
    Rule {
        code: LEGAL_DEPENDS,
        severity: Severity::Error,
        heads: &["legal"],
        targets: &["does"],
        help: "players choose among legal moves, so these are known before; keep the move as a fact with `next` and look at it with `true`",
    },
    Rule {
        code: RESULT_DEPENDS,
        severity: Severity::Warning,
        heads: &["goal", "terminal"],
        targets: &["does"],
        help: "in the state that is judged nobody has moved yet, so `does` never holds; keep the move as a fact with `next` and look at it with `true`",
    },
    Rule {
        code: BASE_DEPENDS,
        severity: Severity::Warning,
        heads: &["base", "input"],
        targets: &["true", "does"],
        help: "`base` and `input` list what can ever hold or be done, whatever the state is",
    },
];

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for rule in &RULES {
        let ways = Ways::to(&sheet.relations, sheet.keywords(rule.targets));
        for head in sheet.keywords(rule.heads) {
            for clause in &sheet.relations.get(head).heads {
                // The plainest case first: a condition that is itself a target.
                let body = sheet.relations.body(*clause);
                let first = body
                    .iter()
                    .find(|asked| ways.is_target(asked.relation))
                    .or_else(|| body.iter().find(|asked| ways.leads(asked.relation)));
                if let Some(first) = first {
                    report(sheet, found, rule, &ways, *first);
                }
            }
        }
    }
}

fn report(sheet: &Sheet<'_>, found: &mut Found, rule: &Rule, ways: &Ways, first: Use) {
    // `terminal` by way of a `goal` that is at fault itself is not told twice.
    let asked = sheet.relations.get(first.relation);
    // Neither is what comes from a condition that may not stand there at all.
    if asked
        .keyword
        .is_some_and(|word| rule.heads.contains(&word) || matches!(word, "init" | "next"))
    {
        return;
    }
    // A rule that itself names what the players do is a mistake beyond doubt; by way of relations
    // that are meant for `next`, published sheets do it and are played.
    let is_direct = asked.keyword == Some("does");
    let (code, severity) = match rule.code {
        RESULT_DEPENDS if is_direct => (LEGAL_DEPENDS, Severity::Error),
        code => (code, rule.severity),
    };
    found.add(code, || {
        let path = ways.path(&sheet.relations, first);
        let head = sheet.relation_name(sheet.relations.head(first.clause));
        let target = path.last().map_or("", |u| sheet.relation_name(u.relation));
        let message = if path.len() == 1 {
            format!("`{head}` depends on `{target}`")
        } else {
            let way = path::in_words(sheet, &path);
            format!("`{head}` depends on `{target}`: {way}")
        };
        let diagnostic = match severity {
            Severity::Error => Diagnostic::error(code, message),
            Severity::Warning => Diagnostic::warning(code, message),
        };
        path::with_labels(sheet, diagnostic, &path).help(rule.help)
    });
}
