//! The entries of a sheet in order: clauses, and comments on separate lines.

use super::clause::{FormattedClause, format_clause};
use super::comment;
use super::lines::Lines;
use crate::ast::{Clause, Comment};
use crate::symbol::Symbol;
use crate::{Description, Notation};

/// A clause or comment of the sheet.
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// Whether the source has an empty line before it.
    pub(super) blank_before: bool,
    /// Whether it is on the same line of the source as the entry before.
    pub(super) on_line_before: bool,
}

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Comment,
    /// A clause without conditions.
    Fact {
        relation: Symbol,
        ends_in_comment: bool,
    },
    /// A clause with conditions.
    Rule,
}

/// All clauses and comments of a description in text order.
pub(super) fn entries(description: &Description, text: &str, notation: Notation) -> Vec<Entry> {
    let mut collector = Collector {
        source: Lines::new(text),
        notation,
        entries: Vec::with_capacity(description.clauses.len() + description.comments.len()),
        last_end: None,
    };
    let mut comments = description.comments.iter().peekable();
    let mut clauses = description.clauses.iter().peekable();
    while let Some(clause) = clauses.next() {
        let span = clause.span;
        while let Some(comment) = comments.next_if(|c| c.span.start < span.start) {
            collector.comment(comment);
        }
        let mut inside = Vec::new();
        while let Some(comment) = comments.next_if(|c| c.span.start < span.end) {
            inside.push(comment);
        }
        let next = clauses.peek().map_or(u32::MAX, |clause| clause.span.start);
        let behind = comments
            .next_if(|c| c.span.start < next && collector.source.same(span.end, c.span.start));
        let laid = format_clause(
            description,
            clause,
            inside,
            behind,
            &collector.source,
            notation,
        );
        collector.clause(clause, laid);
    }
    for comment in comments {
        collector.comment(comment);
    }
    collector.entries
}

struct Collector<'t> {
    source: Lines<'t>,
    notation: Notation,
    entries: Vec<Entry>,
    /// The end of the entry before in the source.
    last_end: Option<u32>,
}

impl Collector<'_> {
    fn comment(&mut self, comment: &Comment) {
        let blank_before = self.blank_before(comment.span.start);
        self.last_end = Some(comment.span.end);
        self.add_comment(comment, blank_before);
    }

    fn clause(&mut self, clause: &Clause, laid: FormattedClause) {
        let span = clause.span;
        let mut blank_before = self.blank_before(span.start);
        let mut on_line_before = self.last_end.is_some_and(|last| {
            !span.is_empty() && last <= span.start && self.source.same(last, span.start)
        });
        for comment in laid.before {
            self.add_comment(comment, blank_before);
            blank_before = false;
            on_line_before = false;
        }
        let kind = if clause.body.is_empty() {
            Kind::Fact {
                relation: clause.head.relation,
                ends_in_comment: laid.ends_in_comment,
            }
        } else {
            Kind::Rule
        };
        self.entries.push(Entry {
            kind,
            lines: laid.lines,
            blank_before,
            on_line_before,
        });
        self.last_end = Some(span.end);
        for comment in laid.after {
            self.add_comment(comment, false);
            self.last_end = Some(span.end.max(comment.span.end));
        }
    }

    fn add_comment(&mut self, comment: &Comment, blank_before: bool) {
        self.entries.push(Entry {
            kind: Kind::Comment,
            lines: vec![comment::text(&comment.text, self.notation)],
            blank_before,
            on_line_before: false,
        });
    }

    fn blank_before(&self, start: u32) -> bool {
        self.last_end
            .is_some_and(|last| self.source.blank_between(last, start))
    }
}
