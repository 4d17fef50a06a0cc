//! Checks E115 and W117: goal values are integers from 0 to 100.

use super::codes::{GOAL_NOT_A_NUMBER, GOAL_OUT_OF_RANGE};
use super::found::Found;
use super::sheet::Sheet;
use crate::ast::SyntaxTerm;
use crate::diagnostic::Diagnostic;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (_, clause) in sheet.concluding("goal", 2) {
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
                            format!("the result `{text}` is not between 0 and 100"),
                        )
                        .at(span, "this result")
                        .help("give the worst result 0 and the best one 100")
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
            format!("the result is {what}, not a whole number"),
        )
        .at(span, "this result")
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
