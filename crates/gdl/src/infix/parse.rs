//! Parser of the infix notation: clauses, heads, atoms and terms. Bodies are parsed in
//! [`super::body`]. No function recurses, so the depth is limited by memory only.

use super::lexer::{Token, TokenKind, lex};
use super::problem::{
    Problem, after_clause, connective_as_head, connective_as_name, missing, no_variable, unclosed,
    variable_as,
};
use crate::Parsed;
use crate::ast::{Clause, Description, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use crate::diagnostic::{Diagnostic, DiagnosticList};
use crate::keyword;
use crate::source::Span;
use crate::symbol::Symbol;

/// Parses a sheet in infix notation. Clauses with syntax errors are left out and reported.
pub fn parse(text: &str) -> Parsed {
    let mut report = DiagnosticList::default();
    let (tokens, comments) = lex(text, &mut report);
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        description: Description::new(),
        report,
    };
    parser.description.comments = comments;
    parser.clauses();
    if parser.description.clauses.is_empty() && parser.report.is_empty() {
        parser.report.push(
            Diagnostic::error("E011", "the sheet is empty")
                .at(Span::new(0, 0), "the text has no clause")
                .help(
                    "a sheet consists of facts such as `role(white)` and rules such as \
                        `terminal :- …`",
                ),
        );
    }
    Parsed {
        description: parser.description,
        diagnostics: parser.report.into_diagnostics(),
    }
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
    /// The index of the next token.
    pub(super) at: usize,
    pub(super) description: Description,
    report: DiagnosticList,
}

/// A functor whose arguments are being parsed.
struct Frame {
    functor: Symbol,
    name: Span,
    open: Span,
    args: Vec<SyntaxTermId>,
}

impl<'t> Parser<'t> {
    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn kind(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    /// The empty span at the end of the text.
    pub(super) fn end(&self) -> Span {
        let end = self.tokens.last().map_or(0, |token| token.span.end);
        Span { start: end, end }
    }

    /// The empty span at the end of the previous token.
    pub(super) fn last_end(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn intern(&mut self, word: &str) -> Symbol {
        let word = keyword::relation(word).unwrap_or(word);
        self.description.symbols.intern(word)
    }

    fn clauses(&mut self) {
        let mut before: Option<(&Token, bool)> = None;
        while let Some(first) = self.peek() {
            let start = self.at;
            if first.kind == TokenKind::Dot {
                self.at += 1;
                before = None;
                continue;
            }
            match self.clause() {
                Ok(clause) => {
                    if let Some((last, true)) = before
                        && first.starts_line
                        && first.indent > last.indent
                        && !clause.is_rule
                    {
                        self.looks_like_a_condition(clause.span);
                    }
                    before = Some((first, clause.is_rule));
                    self.description.clauses.push(clause);
                }
                Err(problem) => {
                    self.report.push(problem.into_diagnostic());
                    self.recover(start);
                    before = None;
                }
            }
        }
    }

    fn looks_like_a_condition(&mut self, span: Span) {
        self.report.push(
            Diagnostic::warning("W020", "a fact that is indented like a condition")
                .at(span, "this is read as a new clause")
                .help("if it belongs to the rule above, add `&` at the end of the previous line"),
        );
    }

    /// Skips to the probable start of the next clause: after a full stop, or at a line that is
    /// indented no more than the start of the broken clause.
    fn recover(&mut self, start: usize) {
        let indent = self.tokens[start].indent;
        let starts_clause = |token: &Token| {
            token.starts_line
                && token.indent <= indent
                && matches!(
                    token.kind,
                    TokenKind::Name | TokenKind::QuotedName | TokenKind::Variable
                )
        };
        let stop = (self.at + 1).min(self.tokens.len());
        // A broken clause may have consumed the start of the next one. Only the last such start is
        // used, so no token is parsed more than twice.
        let swallowed = (start + 1..stop).rfind(|i| starts_clause(&self.tokens[*i]));
        self.at = swallowed.unwrap_or_else(|| {
            let from = self.at.max(start + 1);
            (from..self.tokens.len())
                .find(|i| self.tokens[*i].kind == TokenKind::Dot || starts_clause(&self.tokens[*i]))
                .unwrap_or(self.tokens.len())
        });
    }

    fn clause(&mut self) -> Result<Clause, Problem> {
        let head = self.head()?;
        let mut body = Vec::new();
        let is_rule = self.kind(0) == Some(TokenKind::Arrow);
        let mut span = head.span;
        if is_rule {
            self.at += 1;
            if self.kind(0) == Some(TokenKind::Dot) {
                self.at += 1;
            } else {
                body = self.body()?;
            }
            span = span.to(self.last_end());
        }
        match self.peek() {
            Some(token)
                if !matches!(
                    token.kind,
                    TokenKind::Name
                        | TokenKind::QuotedName
                        | TokenKind::Variable
                        | TokenKind::QuotedVariable
                        | TokenKind::Dot
                ) =>
            {
                Err(after_clause(token, is_rule))
            }
            _ => Ok(Clause {
                head,
                body,
                is_rule,
                span,
            }),
        }
    }

    fn head(&mut self) -> Result<SyntaxAtom, Problem> {
        let Some(token) = self.peek() else {
            return Err(missing("a head", None, self.end()));
        };
        match token.kind {
            TokenKind::Arrow => Err(Problem::from(
                Diagnostic::error("E007", "a rule without a head")
                    .at(token.span, "there is no head before `:-`")
                    .help("write `head :- condition & condition`"),
            )),
            TokenKind::Not => Err(connective_as_head("~", token.span)),
            TokenKind::Open => Err(Problem::from(
                Diagnostic::error("E004", "a parenthesis at the start of a clause")
                    .at(token.span, "no name stands before this parenthesis")
                    .help(
                        "a clause starts with the name of a relation; only in KIF do clauses \
                        start with a parenthesis",
                    ),
            )),
            TokenKind::Close => Err(after_clause(token, false)),
            _ => match self.connective() {
                Some(connective) => Err(connective_as_head(connective, token.span)),
                None => self.atom(),
            },
        }
    }

    /// The connective in prefix form at the current token, such as `or(` or `NOT(`.
    pub(super) fn connective(&self) -> Option<&'static str> {
        let token = self.peek()?;
        let applied = self.kind(1) == Some(TokenKind::Open);
        match token.kind {
            TokenKind::Name | TokenKind::Variable if applied => {
                keyword::connective(token.span.of(self.text))
            }
            _ => None,
        }
    }

    /// Parses an atom.
    pub(super) fn atom(&mut self) -> Result<SyntaxAtom, Problem> {
        let Some(token) = self.peek() else {
            return Err(missing("a relation", None, self.end()));
        };
        let name_span = token.span;
        let relation = self.application_name(token, "relation")?;
        self.at += 1;
        let args = match self.kind(0) {
            Some(TokenKind::Open) => self.arguments()?,
            _ => Vec::new(),
        };
        Ok(SyntaxAtom {
            relation,
            args,
            span: name_span.to(self.last_end()),
            name_span,
        })
    }

    /// The name of a relation or functor at `token`, which is the next one.
    fn application_name(&mut self, token: &Token, what: &str) -> Result<Symbol, Problem> {
        let word = token.span.of(self.text);
        let quoted = match token.kind {
            TokenKind::Name => false,
            TokenKind::QuotedName => true,
            // Keywords are case-insensitive.
            TokenKind::Variable if keyword::relation(word).is_some() => {
                return Ok(self.intern(word));
            }
            TokenKind::Variable | TokenKind::QuotedVariable => {
                return Err(variable_as(what, word, token.span));
            }
            _ => return Err(missing(&format!("a {what}"), Some(token), self.end())),
        };
        let name = token.name(self.text);
        let applied = self.kind(1) == Some(TokenKind::Open);
        if what == "relation"
            && quoted == applied
            && let Some(connective) = keyword::connective(&name)
        {
            return Err(connective_as_name(connective, quoted, token.span));
        }
        Ok(self.intern(&name))
    }

    /// Parses the arguments in parentheses.
    pub(super) fn arguments(&mut self) -> Result<Vec<SyntaxTermId>, Problem> {
        let open = self.tokens[self.at].span;
        if self.skip_needless_parentheses() {
            return Ok(Vec::new());
        }
        self.at += 1;
        let mut args = Vec::new();
        loop {
            args.push(self.term()?);
            match self.kind(0) {
                Some(TokenKind::Comma) => self.at += 1,
                Some(TokenKind::Close) => {
                    self.at += 1;
                    return Ok(args);
                }
                _ => return Err(unclosed(open, self.peek(), self.end())),
            }
        }
    }

    /// Skips `()` after a name. Returns whether it was there.
    fn skip_needless_parentheses(&mut self) -> bool {
        if self.kind(1) != Some(TokenKind::Close) {
            return false;
        }
        let name = self.last_end();
        self.at += 2;
        let word = name.of(self.text);
        self.report.push(
            Diagnostic::warning("W001", format!("unnecessary parentheses after `{word}`"))
                .at(name.to(self.last_end()), "the parentheses are empty")
                .help(format!("write `{word}`")),
        );
        true
    }

    fn term(&mut self) -> Result<SyntaxTermId, Problem> {
        let mut stack: Vec<Frame> = Vec::new();
        loop {
            // Descend: a variable or plain name is finished at once, a functor waits for its
            // arguments.
            let Some(token) = self.peek() else {
                return Err(missing("a term", None, self.end()));
            };
            let applied = self.kind(1) == Some(TokenKind::Open);
            let is_variable = matches!(token.kind, TokenKind::Variable | TokenKind::QuotedVariable);
            let mut done = if is_variable && !applied {
                let variable = self.variable(token)?;
                self.at += 1;
                self.description.add_term(variable, token.span)
            } else {
                let what = if applied { "function" } else { "term" };
                let functor = self.application_name(token, what)?;
                self.at += 1;
                if applied && !self.skip_needless_parentheses() {
                    stack.push(Frame {
                        functor,
                        name: token.span,
                        open: self.tokens[self.at].span,
                        args: Vec::new(),
                    });
                    self.at += 1;
                    continue;
                }
                let span = token.span.to(self.last_end());
                self.description
                    .add_term(SyntaxTerm::Constant(functor), span)
            };
            // Ascend: pass the finished term to its functor. A functor with all its arguments is a
            // finished term itself.
            loop {
                let Some(frame) = stack.last_mut() else {
                    return Ok(done);
                };
                frame.args.push(done);
                match self.kind(0) {
                    Some(TokenKind::Comma) => {
                        self.at += 1;
                        break;
                    }
                    Some(TokenKind::Close) => {
                        self.at += 1;
                        let args = std::mem::take(&mut frame.args);
                        let functor = frame.functor;
                        let span = frame.name.to(self.last_end());
                        stack.pop();
                        done = self
                            .description
                            .add_term(SyntaxTerm::Compound { functor, args }, span);
                    }
                    _ => return Err(unclosed(frame.open, self.peek(), self.end())),
                }
            }
        }
    }

    fn variable(&mut self, token: &Token) -> Result<SyntaxTerm, Problem> {
        let word = token.span.of(self.text);
        if token.kind == TokenKind::Variable && super::name::read_variable(word).is_none() {
            return Err(no_variable(word, token.span));
        }
        let name = token.name(self.text);
        Ok(SyntaxTerm::Variable(self.description.symbols.intern(&name)))
    }
}
