//! Lexer of the infix notation.

use std::borrow::Cow;

use super::name::{
    is_name, is_plain_byte, is_variable_name, read_quoted, read_variable, write_name,
    write_variable,
};
use crate::ast::Comment;
use crate::diagnostic::{Diagnostic, DiagnosticList};
use crate::source::{Span, is_blank, is_name_char};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A plain name.
    Name,
    /// A name in quotes.
    QuotedName,
    /// A word that starts with an upper-case letter or `_`.
    Variable,
    /// `?'h-speed'`.
    QuotedVariable,
    Open,
    Close,
    Comma,
    And,
    Or,
    Not,
    Arrow,
    Dot,
}

/// A token with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether it is the first token of its line.
    pub(super) starts_line: bool,
    /// The indentation of its line in bytes.
    pub(super) indent: u16,
}

impl Token {
    /// The name that the token denotes, without quotes and the mark of a variable.
    pub(super) fn name<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let word = self.span.of(text);
        let name = match self.kind {
            TokenKind::QuotedName | TokenKind::QuotedVariable => {
                let inner = word.trim_start_matches('?').strip_prefix('\'');
                inner
                    .and_then(|inner| inner.strip_suffix('\''))
                    .and_then(read_quoted)
            }
            TokenKind::Variable => read_variable(word.strip_prefix('?').unwrap_or(word)),
            _ => None,
        };
        name.unwrap_or(Cow::Borrowed(word))
    }
}

/// The tokens and comments of `text`. Invalid characters are reported, and misspelt names are read
/// as intended.
pub(crate) fn lex(text: &str, report: &mut DiagnosticList) -> (Vec<Token>, Vec<Comment>) {
    let mut lexer = Lexer {
        text,
        report,
        tokens: Vec::with_capacity(text.len() / 4),
        comments: Vec::new(),
        at: 0,
        line: 0,
        starts_line: true,
        indent: 0,
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    (lexer.tokens, lexer.comments)
}

struct Lexer<'t, 'r> {
    text: &'t str,
    report: &'r mut DiagnosticList,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    at: usize,
    /// The start of the current line.
    line: usize,
    starts_line: bool,
    indent: u16,
}

impl Lexer<'_, '_> {
    fn step(&mut self) {
        use TokenKind::{And, Arrow, Close, Comma, Dot, Name, Not, Open, Or, Variable};
        let start = self.at;
        let bytes = self.text.as_bytes();
        match bytes[start] {
            b'\n' | b'\r' => {
                self.at += 1;
                self.line = self.at;
                self.starts_line = true;
            }
            b'(' => self.token(Open, 1),
            b')' => self.token(Close, 1),
            b',' => self.token(Comma, 1),
            b'&' => self.token(And, 1),
            b'|' => self.token(Or, 1),
            b'~' => self.token(Not, 1),
            b'.' => self.token(Dot, 1),
            b':' if bytes.get(start + 1) == Some(&b'-') => self.token(Arrow, 2),
            b'%' | b';' => self.comment(),
            b'\'' => self.quoted(TokenKind::QuotedName, 1),
            b'?' if bytes.get(start + 1) == Some(&b'\'') => {
                self.quoted(TokenKind::QuotedVariable, 2);
            }
            byte if is_plain_byte(byte) => {
                let length = self.word_length();
                let word = &self.text[start..start + length];
                if !word.bytes().all(is_plain_byte) {
                    self.needs_quotes(word);
                    self.token(Name, length);
                } else if byte.is_ascii_uppercase() || byte == b'_' {
                    self.token(Variable, length);
                } else {
                    self.token(Name, length);
                }
            }
            _ => self.unexpected(),
        }
    }

    fn token(&mut self, kind: TokenKind, length: usize) {
        if self.starts_line {
            self.indent = u16::try_from(self.at - self.line).unwrap_or(u16::MAX);
        }
        self.tokens.push(Token {
            kind,
            span: Span::new(self.at, self.at + length),
            starts_line: self.starts_line,
            indent: self.indent,
        });
        self.starts_line = false;
        self.at += length;
    }

    fn comment(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        self.comments.push(Comment {
            text: rest[..length].trim_end().to_owned(),
            span: Span::new(self.at, self.at + length),
        });
        self.at += length;
    }

    /// The length of the word at the current position, including characters that need quotes.
    fn word_length(&self) -> usize {
        let rest = &self.text[self.at..];
        rest.find(|c: char| {
            !is_name_char(c) || matches!(c, ',' | '&' | '|' | '~' | ':' | '.' | '%' | '\'')
        })
        .unwrap_or(rest.len())
    }

    fn quoted(&mut self, kind: TokenKind, opening: usize) {
        let rest = &self.text.as_bytes()[self.at..];
        let mut length = opening;
        while !matches!(rest.get(length), None | Some(b'\'' | b'\n' | b'\r')) {
            // A backslash does not escape a line break.
            let escaped = matches!(rest.get(length + 1), Some(b'\'' | b'\\'));
            length += if rest[length] == b'\\' && escaped {
                2
            } else {
                1
            };
        }
        let span = Span::new(self.at, self.at + length);
        if rest.get(length) != Some(&b'\'') {
            self.report.push(
                Diagnostic::error("E020", "a quote is never closed")
                    .at(span, "the name has no closing quote on this line")
                    .help("add `'` after the name; a quote inside a name is written `\\'`"),
            );
            self.token(kind, length);
            return;
        }
        let inner = &self.text[self.at + opening..self.at + length];
        let name = read_quoted(inner);
        let fits = match kind {
            TokenKind::QuotedVariable => name.is_some_and(|name| is_variable_name(&name)),
            _ => name.is_some_and(|name| is_name(&name)),
        };
        self.token(kind, length + 1);
        if !fits {
            let span = Span {
                end: span.end + 1,
                ..span
            };
            self.report.push(
                Diagnostic::error("E021", "the quotes do not contain a valid name")
                    .at(span, "this is not a valid name")
                    .help(
                        "a name is not empty, has no blanks, parentheses or semicolons, and \
                        does not start with `?`; a backslash in it is written `\\\\`",
                    ),
            );
        }
    }

    /// Handles a character that starts no token.
    fn unexpected(&mut self) {
        let start = self.at;
        let character = self.text[start..].chars().next().unwrap_or(' ');
        if is_blank(character) {
            self.at += character.len_utf8();
            return;
        }
        let length = self.word_length();
        if length == 0 {
            self.at += character.len_utf8();
            self.report.push(
                Diagnostic::error(
                    "E006",
                    format!("the character {character:?} cannot stand here"),
                )
                .at(Span::new(start, self.at), "this character")
                .help("remove it; the arrow of a rule is `:-`"),
            );
            return;
        }
        let word = &self.text[start..start + length];
        if word == "<=" {
            self.report.push(
                Diagnostic::error("E026", "a KIF arrow in an infix sheet")
                    .at(Span::new(start, start + length), "`<=` is KIF notation")
                    .help("write `head :- condition & condition`"),
            );
            self.token(TokenKind::Arrow, length);
        } else if word == "?" {
            self.report.push(
                Diagnostic::error("E005", "a variable without a name")
                    .at(Span::new(start, start + length), "only a question mark")
                    .help("write a name that starts with an upper-case letter, such as `X`"),
            );
            self.token(TokenKind::Variable, length);
        } else if let Some(name) = word.strip_prefix('?') {
            let mut right = String::new();
            write_variable(name, &mut right);
            self.report.push(
                Diagnostic::error("E026", "a KIF variable in an infix sheet")
                    .at(
                        Span::new(start, start + length),
                        "the question mark is KIF notation",
                    )
                    .help(format!("write `{right}`")),
            );
            self.token(TokenKind::Variable, length);
        } else {
            self.needs_quotes(word);
            self.token(TokenKind::Name, length);
        }
    }

    fn needs_quotes(&mut self, word: &str) {
        let mut right = String::new();
        write_name(word, &mut right);
        self.report.push(
            Diagnostic::error("E022", format!("the name `{word}` needs quotes"))
                .at(
                    Span::new(self.at, self.at + word.len()),
                    "this contains characters other than letters, digits and `_`",
                )
                .help(format!("write `{right}`")),
        );
    }
}
