//! Lexer of KIF: parentheses, words and comments.

use crate::ast::Comment;
use crate::diagnostic::{Diagnostic, DiagnosticList};
use crate::source::{Span, is_blank, is_name_char};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Open,
    Close,
    Word,
}

/// A token with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// The tokens and comments of `text`. Characters that cannot be part of a word are reported and
/// skipped.
pub(super) fn lex(text: &str, report: &mut DiagnosticList) -> (Vec<Token>, Vec<Comment>) {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut comments = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'(' | b')' => {
                at += 1;
                let kind = if bytes[start] == b'(' {
                    TokenKind::Open
                } else {
                    TokenKind::Close
                };
                tokens.push(Token {
                    kind,
                    span: Span::new(start, at),
                });
            }
            b';' => {
                let end = text[at..].find(['\n', '\r']).map_or(text.len(), |i| at + i);
                at = end;
                comments.push(Comment {
                    text: text[start..end].trim_end().to_owned(),
                    span: Span::new(start, end),
                });
            }
            byte if byte.is_ascii_whitespace() || byte == 0x0b => at += 1,
            _ => {
                let end = text[at..]
                    .find(|c| !is_name_char(c))
                    .map_or(text.len(), |i| at + i);
                if end > at {
                    at = end;
                    tokens.push(Token {
                        kind: TokenKind::Word,
                        span: Span::new(start, at),
                    });
                } else {
                    // Non-ASCII white space is accepted between words; control characters are not.
                    let character = text[at..].chars().next().unwrap_or(' ');
                    at += character.len_utf8();
                    if !is_blank(character) {
                        report.push(
                            Diagnostic::error(
                                "E006",
                                format!("the character {character:?} cannot stand in a rule sheet"),
                            )
                            .at(Span::new(start, at), "this character")
                            .help(
                                "remove it; names consist of letters, digits and marks such \
                                    as `+ - _ . : ' *`",
                            ),
                        );
                    }
                }
            }
        }
    }
    (tokens, comments)
}
