//! Errors of the infix parser.

use super::lexer::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, arguments};
use crate::source::Span;

/// An error that makes the parser abandon a clause.
///
/// Boxed, since the results of all parser functions carry it.
pub(super) struct Problem(Box<Diagnostic>);

impl Problem {
    pub(super) fn into_diagnostic(self) -> Diagnostic {
        *self.0
    }
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(Box::new(diagnostic))
    }
}

pub(super) fn variable_as(what: &str, word: &str, span: Span) -> Problem {
    Problem::from(
        Diagnostic::error("E010", format!("a variable where a {what} is required"))
            .at(span, format!("`{word}` is a variable"))
            .help(
                "relations and functions have fixed names, which start with a lower-case letter \
                or are quoted",
            ),
    )
}

pub(super) fn connective_as_head(connective: &str, span: Span) -> Problem {
    Problem::from(
        Diagnostic::error(
            "E009",
            format!("`{connective}` cannot be the head of a rule or a fact"),
        )
        .at(span, "this is the head of the clause")
        .help(
            "the head must be a relation; put conditions with `~`, `|`, `&` or `distinct` into \
            the body",
        ),
    )
}

pub(super) fn connective_as_name(connective: &str, quoted: bool, span: Span) -> Problem {
    let (place, right) = match connective {
        _ if quoted => (
            "in quotes this is read as the name of a relation",
            "use another name for the relation".to_owned(),
        ),
        "or" => ("`or` has no conditions here", "write `p | q`".to_owned()),
        "and" => ("`and` has no conditions here", "write `p & q`".to_owned()),
        "not" => ("`not` has no condition here", "write `~p`".to_owned()),
        _ => (
            "this has no arguments here",
            format!("write `{connective}(X,Y)`, or `'{connective}'` if it is meant as a name"),
        ),
    };
    Problem::from(
        Diagnostic::error(
            "E024",
            format!("`{connective}` is not the name of a relation"),
        )
        .at(span, place)
        .help(right),
    )
}

pub(super) fn wrong_count(connective: &str, count: usize, span: Span) -> Problem {
    let right = match connective {
        "not" => "`not` takes one condition: `~p` or `not(p)`",
        "and" => "write `p & q`, or `and(p)` with at least one condition",
        "or" => "write `p | q`, or `or(p)` with at least one condition",
        _ => "`distinct` compares two terms: `distinct(X,Y)`",
    };
    Problem::from(
        Diagnostic::error("E008", format!("`{connective}` with {}", arguments(count)))
            .at(span, "the number of arguments is wrong")
            .help(right),
    )
}

pub(super) fn no_variable(word: &str, span: Span) -> Problem {
    let right = match word.strip_prefix('_') {
        Some(rest) if !rest.is_empty() => {
            let mut right = String::new();
            super::name::write_variable(rest, &mut right);
            format!("write `{right}`")
        }
        _ => "give it a name, such as `X`; every variable has one".to_owned(),
    };
    Problem::from(
        Diagnostic::error("E025", format!("`{word}` is not the name of a variable"))
            .at(span, "a variable starts with an upper-case letter")
            .help(right),
    )
}

/// A parenthesis that is not closed where it must be; `next` is the token there.
pub(super) fn unclosed(open: Span, next: Option<&Token>, end: Span) -> Problem {
    match next {
        Some(token) if !token.starts_line && token.kind != TokenKind::Arrow => Problem::from(
            Diagnostic::error("E023", "a comma or a closing parenthesis is missing")
                .at(token.span, "before this")
                .at(open, "this parenthesis is still open")
                .help(
                    "put `,` between arguments, `&` or `|` between conditions, and `)` at the end",
                ),
        ),
        next => Problem::from(
            Diagnostic::error("E001", "a closing parenthesis is missing")
                .at(open, "this parenthesis is never closed")
                .at(
                    next.map_or(end, |token| token.span),
                    "it is not closed before this",
                )
                .help("add `)`"),
        ),
    }
}

/// A token in the place of a condition or argument.
pub(super) fn missing(what: &str, next: Option<&Token>, end: Span) -> Problem {
    let Some(token) = next else {
        return Problem::from(
            Diagnostic::error("E023", format!("{what} is missing"))
                .at(end, "the sheet ends here")
                .help(format!(
                    "add {what} at the end of the clause, or remove the symbol that requires it"
                )),
        );
    };
    match token.kind {
        TokenKind::Arrow => misplaced_arrow(token.span),
        kind => Problem::from(
            Diagnostic::error("E023", format!("{what} is missing"))
                .at(token.span, format!("before {}", mark(kind)))
                .help(format!(
                    "add {what} here, or remove the symbol that requires it"
                )),
        ),
    }
}

pub(super) fn misplaced_arrow(span: Span) -> Problem {
    Problem::from(
        Diagnostic::error("E012", "a rule inside another clause")
            .at(span, "`:-` may only follow the head of a clause")
            .help(
                "the previous clause continues up to here; check its end for an extra `&`, `|` \
                or `,`",
            ),
    )
}

/// A token after a clause that cannot start another one.
pub(super) fn after_clause(token: &Token, is_rule: bool) -> Problem {
    let span = token.span;
    Problem::from(match token.kind {
        TokenKind::Close => Diagnostic::error("E002", "an extra closing parenthesis")
            .at(span, "no open parenthesis matches it")
            .help("remove it"),
        TokenKind::Arrow => return misplaced_arrow(span),
        TokenKind::Comma => Diagnostic::error("E023", "a comma between conditions")
            .at(span, "here")
            .help("conditions are joined by `&`"),
        kind if is_rule => {
            Diagnostic::error("E023", "two conditions without `&` or `|` between them")
                .at(span, format!("{} cannot start a clause", mark(kind)))
                .help("put `&` or `|` before it")
        }
        kind => Diagnostic::error("E023", "a condition outside a rule")
            .at(span, format!("{} cannot follow a fact", mark(kind)))
            .help("a rule is written `head :- condition & condition`"),
    })
}

/// The description of a token in messages.
fn mark(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Name | TokenKind::QuotedName => "a name",
        TokenKind::Variable | TokenKind::QuotedVariable => "a variable",
        TokenKind::Open => "`(`",
        TokenKind::Close => "`)`",
        TokenKind::Comma => "`,`",
        TokenKind::And => "`&`",
        TokenKind::Or => "`|`",
        TokenKind::Not => "`~`",
        TokenKind::Arrow => "`:-`",
        TokenKind::Dot => "the full stop",
    }
}
