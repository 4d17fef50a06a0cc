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
        let paths = ShortestPaths::to(&sheet.relations, sheet.keywords(rule.targets));
        for head in sheet.keywords(rule.heads) {
            for clause in &sheet.relations.get(head).heads {
                // Prefer a condition that is itself a target: it gives the shortest explanation.
                let body = sheet.relations.body(*clause);
                let first = body
                    .iter()
                    .find(|asked| paths.is_target(asked.relation))
                    .or_else(|| body.iter().find(|asked| paths.reaches(asked.relation)));
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
    let asked = sheet.relations.get(first.relation);
    // Conditions that are forbidden in bodies at all have a check of their own.
    if asked
        .keyword
        .is_some_and(|word| rule.heads.contains(&word) || matches!(word, "init" | "next"))
    {
        return;
    }
    // Depending on `does` directly is an error. Published and played sheets do so indirectly,
    // through relations that are meant for `next`.
    let is_direct = asked.keyword == Some("does");
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
