//! Checks E104, E105 and W107: reserved words have a fixed arity and are not names of anything
//! else.

use super::codes::{KEYWORD_ARITY, KEYWORD_AS_CONSTANT, KEYWORD_AS_FUNCTION};
use super::found::Found;
use super::sheet::Sheet;
use crate::ast::{SyntaxAtom, SyntaxTerm};
use crate::diagnostic::{Diagnostic, arguments};
use crate::keyword;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (index, clause) in sheet.clauses() {
        arity(sheet, found, &clause.head);
        for usage in sheet.relations.body(index) {
            if let Some(atom) = sheet.atom(usage.formula) {
                arity(sheet, found, atom);
            }
        }
    }
    for id in &sheet.names.reserved {
        let span = sheet.description.term_span(*id);
        match sheet.description.term(*id) {
            SyntaxTerm::Compound { functor, .. } => found.add(KEYWORD_AS_FUNCTION, || {
                let word = sheet.name(*functor);
                let help = if keyword::connective(word).is_some() {
                    format!(
                        "write `{word}` around the condition, not inside it: `({word} (true …))`"
                    )
                } else {
                    format!("`{word}` is a relation and cannot be part of a term; use another name")
                };
                Diagnostic::error(
                    KEYWORD_AS_FUNCTION,
                    format!("the keyword `{word}` is used as a function"),
                )
                .at(span, "this is a term, not a condition")
                .help(help)
            }),
            SyntaxTerm::Constant(name) => found.add(KEYWORD_AS_CONSTANT, || {
                let word = sheet.name(*name);
                Diagnostic::warning(
                    KEYWORD_AS_CONSTANT,
                    format!("the keyword `{word}` is used as a constant"),
                )
                .at(span, "inside a term a keyword is an ordinary name")
                .help("use another name, or check the parentheses")
            }),
            SyntaxTerm::Variable(_) => {}
        }
    }
}

fn arity(sheet: &Sheet<'_>, found: &mut Found, atom: &SyntaxAtom) {
    let name = sheet.name(atom.relation);
    let (word, right) = match (keyword::relation(name), keyword::connective(name)) {
        (Some(word), _) => (word, keyword::arity(word)),
        // A `not` without arguments; with arguments, the parser reads it as the connective.
        (None, Some(word)) => (word, None),
        (None, None) => return,
    };
    if right == Some(atom.args.len()) {
        return;
    }
    found.add(KEYWORD_ARITY, || {
        let have = atom.args.len();
        Diagnostic::error(KEYWORD_ARITY, format!("`{word}` with {}", arguments(have)))
            .at(
                atom.span,
                match right {
                    Some(right) => format!("`{word}` takes {}", arguments(right)),
                    None => format!("`{word}` needs conditions as arguments"),
                },
            )
            .help(match word {
                "role" => "write `(role white)`",
                "init" => "write `(init (cell 1 1 blank))`, with the fact as one term",
                "true" => "write `(true (cell 1 1 blank))`, with the fact as one term",
                "next" => "write `(next (cell 1 1 blank))`, with the fact as one term",
                "base" => "write `(base (cell 1 1 blank))`, with the fact as one term",
                "does" => "write `(does white (mark 1 1))`, with the move as one term",
                "legal" => "write `(legal white (mark 1 1))`, with the move as one term",
                "input" => "write `(input white (mark 1 1))`, with the move as one term",
                "goal" => "write `(goal white 100)`, with the role and its goal value",
                "terminal" => "write `terminal` without arguments and put conditions into the body",
                _ => "write the conditions inside the same parentheses",
            })
    });
}
