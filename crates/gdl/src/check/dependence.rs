//! Checks E108, E109, W109 and W121: forbidden dependencies of `init`, `legal`, `goal`, `terminal`,
//! `base` and `input` on `true` and `does` (Love et al. 2008).

use super::codes::{BASE_DEPENDS, INIT_DEPENDS, LEGAL_DEPENDS, RESULT_DEPENDS};
use super::dependencies::ShortestPaths;
use super::found::Found;
use super::path;
use super::relations::Use;
use super::sheet::Sheet;
use crate::diagnostic::{Diagnostic, Severity};

struct Rule {
    code: &'static str,
    severity: Severity,
    /// The relations that must not depend on the targets.
    heads: &'static [&'static str],
    /// The relations that they must not depend on.
    targets: &'static [&'static str],
    help: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        code: INIT_DEPENDS,
        severity: Severity::Error,
        heads: &["init"],
        targets: &["true", "does"],
        help: "`init` defines the initial state, so it must not depend on a state or on moves; use \
            only relations that do not depend on `true` or `does`",
    },
    Rule {
        code: LEGAL_DEPENDS,
        severity: Severity::Error,
        heads: &["legal"],
        targets: &["does"],
        help: "legal moves must be known before the players choose; store the move in the state \
            with `next` and test it with `true`",
    },
    Rule {
        code: RESULT_DEPENDS,
        severity: Severity::Warning,
        heads: &["goal", "terminal"],
        targets: &["does"],
        help: "`goal` and `terminal` are evaluated in a state, before the next moves, so `does` \
            never holds; store the move in the state with `next` and test it with `true`",
    },
    Rule {
        code: BASE_DEPENDS,
        severity: Severity::Warning,
        heads: &["base", "input"],
        targets: &["true", "does"],
        help: "`base` and `input` list all possible facts and moves, so they must not depend on a \
            state or on moves",
    },
];

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for rule in &RULES {
        let paths = ShortestPaths::to(&sheet.relations, sheet.keywords(rule.targets));
        for head in sheet.keywords(rule.heads) {
            for clause in &sheet.relations.get(head).heads {
                // Prefer a condition that is itself a target: it gives the shortest explanation.
                let body = sheet.relations.body(*clause);
                let first = body
                    .iter()
                    .find(|usage| paths.is_target(usage.relation))
                    .or_else(|| body.iter().find(|usage| paths.reaches(usage.relation)));
                if let Some(first) = first {
                    report(sheet, found, rule, &paths, *first);
                }
            }
        }
    }
}

fn report(sheet: &Sheet<'_>, found: &mut Found, rule: &Rule, paths: &ShortestPaths, first: Use) {
    // A violation through another relation of the same rule, such as `terminal` through `goal`, is
    // reported only once.
    let used = sheet.relations.get(first.relation);
    // Conditions that are forbidden in bodies at all have a check of their own.
    if used
        .keyword
        .is_some_and(|word| rule.heads.contains(&word) || matches!(word, "init" | "next"))
    {
        return;
    }
    // Depending on `does` directly is an error. Published and played sheets do so indirectly,
    // through relations that are meant for `next`.
    let is_direct = used.keyword == Some("does");
    let (code, severity) = match rule.code {
        RESULT_DEPENDS if is_direct => (LEGAL_DEPENDS, Severity::Error),
        code => (code, rule.severity),
    };
    found.add(code, || {
        let path = paths.path(&sheet.relations, first);
        let head = sheet.relation_name(sheet.relations.head(first.clause));
        let target = path.last().map_or("", |u| sheet.relation_name(u.relation));
        let message = if path.len() == 1 {
            format!("`{head}` depends on `{target}`")
        } else {
            let path_text = path::in_words(sheet, &path);
            format!("`{head}` depends on `{target}`: {path_text}")
        };
        let diagnostic = match severity {
            Severity::Error => Diagnostic::error(code, message),
            Severity::Warning => Diagnostic::warning(code, message),
        };
        path::with_labels(sheet, diagnostic, &path).help(rule.help)
    });
}
