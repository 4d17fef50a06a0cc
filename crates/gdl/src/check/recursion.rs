//! Check W116, the recursion restriction: recursive rules must not build ever larger terms.
//!
//! If a condition `q(…)` of a rule for `p` depends on `p`, then each argument of `q` must be
//! ground, or an argument of the head, or an argument of a condition that does not depend on `p`
//! (Love et al. 2008, definition of the recursion restriction).

use rustc_hash::FxHashSet;

use super::codes::RECURSION;
use super::coverage::{Key, Requirements, gaps};
use super::found::Found;
use super::sheet::Sheet;
use crate::ast::{FormulaId, SyntaxTermId};
use crate::diagnostic::Diagnostic;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (index, clause) in sheet.clauses() {
        let recursive: FxHashSet<FormulaId> = sheet
            .relations
            .body(index)
            .iter()
            .filter(|usage| sheet.dependencies.in_cycle(&sheet.relations, usage))
            .map(|usage| usage.formula)
            .collect();
        if recursive.is_empty() {
            continue;
        }
        let arguments = Arguments {
            sheet,
            recursive: &recursive,
            head: clause.head.args.iter().map(|a| shape(sheet, *a)).collect(),
        };
        let mut reported = FxHashSet::default();
        for gap in gaps(sheet.description, clause, &[], &arguments).gaps {
            let Some(id) = gap.required_by else { continue };
            let Some(atom) = sheet.atom(id) else { continue };
            if !reported.insert((id, gap.key)) {
                continue;
            }
            found.add(RECURSION, || {
                let head = sheet.name(clause.head.relation);
                let mut args = atom.args.iter();
                let arg = args.find(|arg| shape(sheet, **arg) == gap.key);
                let description = sheet.description;
                let text = arg.map_or_else(String::new, |a| crate::kif::term(description, *a));
                let span = arg.map_or(atom.span, |a| sheet.description.term_span(*a));
                let used = sheet.name(atom.relation);
                Diagnostic::warning(
                    RECURSION,
                    format!(
                        "`{}` in a recursive condition of `{head}` is not bounded",
                        shortened(&text)
                    ),
                )
                .at(
                    span,
                    format!(
                        "it occurs neither in the head nor in a condition outside the recursion \
                        through `{used}`"
                    ),
                )
                .at(
                    clause.head.name_span,
                    format!("`{used}` depends on `{head}`"),
                )
                .help(
                    "make it an argument of the head or of a condition that does not depend on \
                    the head; otherwise the recursion may never end",
                )
            });
        }
    }
}

fn shape(sheet: &Sheet<'_>, term: SyntaxTermId) -> Key {
    sheet.shapes.of_term(term)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

struct Arguments<'a, 'd> {
    sheet: &'a Sheet<'d>,
    recursive: &'a FxHashSet<FormulaId>,
    head: FxHashSet<Key>,
}

impl Requirements for Arguments<'_, '_> {
    fn provides(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
        if let Some(atom) = self.sheet.atom(leaf)
            && !negated
            && !self.recursive.contains(&leaf)
        {
            keys.extend(atom.args.iter().map(|arg| shape(self.sheet, *arg)));
        }
    }

    fn requires(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
        // A negative literal binds no terms. Negation in cycles is the subject of another check.
        if let Some(atom) = self.sheet.atom(leaf)
            && !negated
            && self.recursive.contains(&leaf)
        {
            for arg in &atom.args {
                let key = shape(self.sheet, *arg);
                if !self.sheet.shapes.is_ground(*arg) && !self.head.contains(&key) {
                    keys.push(key);
                }
            }
        }
    }
}
