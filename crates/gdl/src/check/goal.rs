//! Checks E115 and W117: goal values are integers from 0 to 100.

use super::codes::{GOAL_NOT_A_NUMBER, GOAL_OUT_OF_RANGE};
use super::found::Found;
use super::sheet::Sheet;
use crate::ast::SyntaxTerm;
use crate::diagnostic::Diagnostic;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (_, clause) in sheet.clauses_defining("goal", 2) {
        let value = clause.head.args[1];
        let span = sheet.description.term_span(value);
        match sheet.description.term(value) {
            // The values of a variable are only known during play.
            SyntaxTerm::Variable(_) => {}
            SyntaxTerm::Compound { .. } => not_a_number(found, span, "a compound term"),
            SyntaxTerm::Constant(name) => {
                let text = sheet.name(*name);
                match kind(text) {
                    GoalValue::InRange => {}
                    GoalValue::Word => not_a_number(found, span, &format!("`{text}`")),
                    GoalValue::OtherNumber => found.add(GOAL_OUT_OF_RANGE, || {
                        Diagnostic::warning(
                            GOAL_OUT_OF_RANGE,
                            format!("the goal value `{text}` is not between 0 and 100"),
                        )
                        .at(span, "this goal value")
                        .help("use 0 for the worst outcome and 100 for the best")
                    }),
                }
            }
        }
    }
}

fn not_a_number(found: &mut Found, span: crate::Span, what: &str) {
    found.add(GOAL_NOT_A_NUMBER, || {
        Diagnostic::error(
            GOAL_NOT_A_NUMBER,
            format!("the goal value is {what}, not a whole number"),
        )
        .at(span, "this goal value")
        .help("write a whole number from 0 to 100")
    });
}

enum GoalValue {
    InRange,
    OtherNumber,
    Word,
}

fn kind(text: &str) -> GoalValue {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return GoalValue::Word;
    }
    // The text consists of digits only, so a parse error means that the number is too large.
    match text.parse::<i64>() {
        Ok(0..=100) => GoalValue::InRange,
        _ => GoalValue::OtherNumber,
    }
}
