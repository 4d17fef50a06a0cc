//! Groups KIF tokens into nested lists, and locates missing and superfluous parentheses.

use super::lexer::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, DiagnosticList};
use crate::source::Span;

/// A word, or a list of nodes.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    /// The members of a list, `None` for a word.
    pub(super) children: Option<Vec<NodeId>>,
}

pub(super) type NodeId = u32;

/// All nodes of a text; `roots` are those outside any list.
#[derive(Debug, Default)]
pub(super) struct Forest {
    nodes: Vec<Node>,
    pub(super) roots: Vec<NodeId>,
}

impl Forest {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn add(&mut self, span: Span, children: Option<Vec<NodeId>>) -> NodeId {
        self.nodes.push(Node { span, children });
        (self.nodes.len() - 1) as NodeId
    }
}

/// A list that is not closed yet.
struct Open {
    at: Span,
    children: Vec<NodeId>,
}

/// Builds the forest. If parentheses do not balance, clauses at the start of a line show which
/// clause is broken. It is reported and left out, and the other clauses are still parsed.
pub(super) fn build(text: &str, tokens: &[Token], report: &mut DiagnosticList) -> Forest {
    let depth = tokens
        .iter()
        .try_fold(0usize, |depth, token| match token.kind {
            TokenKind::Open => Some(depth + 1),
            TokenKind::Close => depth.checked_sub(1),
            TokenKind::Word => Some(depth),
        });
    Builder {
        text,
        balanced: depth == Some(0),
        // The whole sheet is in parentheses, as in a START message.
        wrapped: tokens.len() > 1
            && tokens[..2]
                .iter()
                .all(|token| token.kind == TokenKind::Open),
        forest: Forest::default(),
        stack: Vec::new(),
        last_form: None,
    }
    .run(tokens, report)
}

struct Builder<'t> {
    text: &'t str,
    balanced: bool,
    wrapped: bool,
    forest: Forest,
    stack: Vec<Open>,
    /// The last complete list or word outside any list.
    last_form: Option<Span>,
}

impl Builder<'_> {
    fn run(mut self, tokens: &[Token], report: &mut DiagnosticList) -> Forest {
        for token in tokens {
            match token.kind {
                TokenKind::Open => {
                    if !self.balanced && self.starts_line(token.span) {
                        self.give_up_open_clause(token.span, report);
                    }
                    self.stack.push(Open {
                        at: token.span,
                        children: Vec::new(),
                    });
                }
                TokenKind::Close => match self.stack.pop() {
                    Some(open) => {
                        let span = open.at.to(token.span);
                        let id = self.forest.add(span, Some(open.children));
                        self.attach(id, span);
                    }
                    None => report.push(self.stray(token.span)),
                },
                TokenKind::Word => {
                    let id = self.forest.add(token.span, None);
                    self.attach(id, token.span);
                }
            }
        }
        if let Some(open) = self.stack.first() {
            let what = if self.stack.len() == 1 && self.wrapped {
                "this parenthesis around the whole sheet is never closed".to_owned()
            } else {
                "this parenthesis is never closed".to_owned()
            };
            let missing = self.stack.len();
            report.push(unclosed(missing).at(open.at, what).help(format!(
                "add {} at the end of this clause",
                closers(missing)
            )));
            // The complete clauses of a wrapped sheet are still checked.
            if self.wrapped && self.stack.len() == 1 {
                let open = self.stack.remove(0);
                self.forest.roots.extend(open.children);
            }
        }
        self.forest
    }

    fn attach(&mut self, id: NodeId, span: Span) {
        if let Some(open) = self.stack.last_mut() {
            open.children.push(id);
        } else {
            self.forest.roots.push(id);
            self.last_form = Some(span);
        }
    }

    fn starts_line(&self, span: Span) -> bool {
        let start = span.start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// Handles a clause at the start of a line while another one is open: the open one lacks a
    /// closing parenthesis.
    fn give_up_open_clause(&mut self, next: Span, report: &mut DiagnosticList) {
        let base = usize::from(self.wrapped);
        if self.stack.len() <= base {
            return;
        }
        let missing = self.stack.len() - base;
        let clause = self.stack[base].at;
        self.stack.truncate(base);
        report.push(
            unclosed(missing)
                .at(clause, "this parenthesis is never closed")
                .at(next, "the next clause seems to start here")
                .help(format!("add {} before the next clause", closers(missing))),
        );
    }

    fn last_character(&self, form: Span) -> Span {
        let width = form.of(self.text).chars().next_back();
        Span {
            start: form.end - width.map_or(0, char::len_utf8) as u32,
            end: form.end,
        }
    }

    fn stray(&self, at: Span) -> Diagnostic {
        let diagnostic = Diagnostic::error("E002", "an extra closing parenthesis")
            .at(at, "no open parenthesis matches it");
        match self.last_form {
            Some(form) if form.end <= at.start => diagnostic
                .at(
                    self.last_character(form),
                    "the previous clause already ends here",
                )
                .help("remove it, or remove an earlier one that ends the clause too soon"),
            _ => diagnostic.help("remove it"),
        }
    }
}

fn unclosed(missing: usize) -> Diagnostic {
    if missing == 1 {
        Diagnostic::error("E001", "a closing parenthesis is missing")
    } else {
        Diagnostic::error("E001", format!("{missing} closing parentheses are missing"))
    }
}

fn closers(count: usize) -> String {
    if count <= 8 {
        format!("`{}`", ")".repeat(count))
    } else {
        format!("{count} closing parentheses")
    }
}
