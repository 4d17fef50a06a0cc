//! Parser for the conditions of an infix rule: `~` binds tighter than `&`, and that tighter than
//! `|`. Parentheses and prefix forms such as `or(p,q)` are allowed.
//!
//! An operator-precedence parser with explicit stacks of levels and values, so the depth is limited
//! by memory only.

use super::lexer::TokenKind;
use super::parse::Parser;
use super::problem::{Problem, missing, unclosed, wrong_count};
use crate::ast::{Formula, FormulaId};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The construct that a level parses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The end of the clause.
    Body,
    /// The one condition after `~`.
    Tilde,
    /// The parenthesis that closes a group.
    Group,
    /// The parenthesis that closes `not(`, `and(` or `or(`.
    Call(&'static str),
}

/// An unfinished part of the body. Its values on the stack are the finished arguments of a call,
/// then the finished disjuncts, then the conjuncts so far.
struct Level {
    kind: Kind,
    open: Span,
    parts: u32,
    alternatives: u32,
    conditions: u32,
}

struct Stacks {
    levels: Vec<Level>,
    values: Vec<FormulaId>,
}

impl Stacks {
    fn open(&mut self, kind: Kind, open: Span) {
        let here = self.values.len() as u32;
        self.levels.push(Level {
            kind,
            open,
            parts: here,
            alternatives: here,
            conditions: here,
        });
    }
}

impl Parser<'_> {
    /// The conditions after `:-`.
    pub(super) fn body(&mut self) -> Result<Vec<FormulaId>, Problem> {
        let mut stacks = Stacks {
            levels: Vec::new(),
            values: Vec::new(),
        };
        stacks.open(Kind::Body, self.last_end());
        loop {
            if let Some(condition) = self.operand(&mut stacks)? {
                stacks.values.push(condition);
                if self.operators(&mut stacks)? {
                    return Ok(self.finish(stacks));
                }
            }
        }
    }

    /// Parses a condition; `None` after a token that only opens a level.
    fn operand(&mut self, stacks: &mut Stacks) -> Result<Option<FormulaId>, Problem> {
        let Some(token) = self.peek() else {
            return Err(missing("a condition", None, self.end()));
        };
        let span = token.span;
        match token.kind {
            TokenKind::Not => {
                self.at += 1;
                stacks.open(Kind::Tilde, span);
                return Ok(None);
            }
            TokenKind::Open => {
                self.at += 1;
                stacks.open(Kind::Group, span);
                return Ok(None);
            }
            TokenKind::Close => return Err(self.early_close(stacks, span)),
            TokenKind::Comma
            | TokenKind::And
            | TokenKind::Or
            | TokenKind::Arrow
            | TokenKind::Dot => return Err(missing("a condition", Some(token), self.end())),
            TokenKind::Name
            | TokenKind::QuotedName
            | TokenKind::Variable
            | TokenKind::QuotedVariable => {}
        }
        let formula = match self.connective() {
            Some("distinct") => {
                self.at += 1;
                let args = self.arguments()?;
                let &[left, right] = &args[..] else {
                    return Err(wrong_count(
                        "distinct",
                        args.len(),
                        span.to(self.last_end()),
                    ));
                };
                Formula::Distinct(left, right)
            }
            Some(connective) => {
                self.at += 2;
                stacks.open(Kind::Call(connective), span);
                return Ok(None);
            }
            None => Formula::Atom(self.atom()?),
        };
        let span = span.to(self.last_end());
        Ok(Some(self.description.add_formula(formula, span)))
    }

    /// The error for a closing parenthesis in the place of a condition.
    fn early_close(&self, stacks: &Stacks, close: Span) -> Problem {
        let after_open = matches!(self.tokens[self.at.saturating_sub(1)].kind, TokenKind::Open);
        match stacks.levels.last() {
            Some(level) if after_open && level.kind == Kind::Group => Problem::from(
                Diagnostic::error("E003", "empty parentheses")
                    .at(level.open.to(close), "the parentheses are empty")
                    .help("remove them or write a condition"),
            ),
            Some(Level {
                kind: Kind::Call(connective),
                open,
                ..
            }) if after_open => wrong_count(connective, 0, open.to(close)),
            _ => missing("a condition", self.peek(), self.end()),
        }
    }

    /// Parses what follows a condition and closes every level that ends there. Returns whether the
    /// body ends.
    fn operators(&mut self, stacks: &mut Stacks) -> Result<bool, Problem> {
        loop {
            let Some(level) = stacks.levels.last_mut() else {
                return Ok(true);
            };
            if level.kind == Kind::Tilde {
                let open = level.open;
                stacks.levels.pop();
                if let Some(value) = stacks.values.pop() {
                    let span = open.to(self.last_end());
                    stacks
                        .values
                        .push(self.description.add_formula(Formula::Not(value), span));
                }
                continue;
            }
            match self.kind(0) {
                Some(TokenKind::And) => {
                    self.at += 1;
                    return Ok(false);
                }
                Some(TokenKind::Or) => {
                    self.at += 1;
                    self.join(&mut stacks.values, level.conditions, Formula::And);
                    level.conditions = stacks.values.len() as u32;
                    return Ok(false);
                }
                _ if level.kind == Kind::Body => return Ok(true),
                _ => {}
            }
            self.join(&mut stacks.values, level.conditions, Formula::And);
            self.join(&mut stacks.values, level.alternatives, Formula::Or);
            match (level.kind, self.kind(0)) {
                (Kind::Call(_), Some(TokenKind::Comma)) => {
                    self.at += 1;
                    level.alternatives = stacks.values.len() as u32;
                    level.conditions = level.alternatives;
                    return Ok(false);
                }
                (Kind::Call(connective), Some(TokenKind::Close)) => {
                    self.at += 1;
                    let span = level.open.to(self.last_end());
                    let parts = stacks.values.split_off(level.parts as usize);
                    let formula = match (connective, &parts[..]) {
                        ("not", [part]) => Formula::Not(*part),
                        ("and", _) => Formula::And(parts),
                        ("or", _) => Formula::Or(parts),
                        _ => return Err(wrong_count(connective, parts.len(), span)),
                    };
                    stacks
                        .values
                        .push(self.description.add_formula(formula, span));
                    stacks.levels.pop();
                }
                (_, Some(TokenKind::Close)) => {
                    self.at += 1;
                    stacks.levels.pop();
                }
                _ => return Err(unclosed(level.open, self.peek(), self.end())),
            }
        }
    }

    /// Replaces all values from `from` on by one formula, unless there is only one.
    fn join(
        &mut self,
        values: &mut Vec<FormulaId>,
        from: u32,
        make: impl Fn(Vec<FormulaId>) -> Formula,
    ) {
        let from = from as usize;
        if values.len() > from + 1 {
            let parts = values.split_off(from);
            let first = self.description.formula_span(parts[0]);
            let last = self.description.formula_span(parts[parts.len() - 1]);
            values.push(self.description.add_formula(make(parts), first.to(last)));
        }
    }

    /// The conditions of the clause: its conjuncts, or a single disjunction.
    fn finish(&mut self, mut stacks: Stacks) -> Vec<FormulaId> {
        if let Some(body) = stacks.levels.first()
            && body.conditions > body.alternatives
        {
            self.join(&mut stacks.values, body.conditions, Formula::And);
            self.join(&mut stacks.values, body.alternatives, Formula::Or);
        }
        stacks.values
    }
}
