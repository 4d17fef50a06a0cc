//! Joins the entries of a sheet: which facts share a line, and where empty lines are.

use super::WIDTH;
use super::entries::{Entry, Kind};
use crate::symbol::Symbol;

/// The whole text.
pub(super) fn write(entries: &[Entry]) -> String {
    let joined = joined(entries);
    let blank = Blanks::new(entries);
    let mut out = String::new();
    for (i, entry) in entries.iter().enumerate() {
        if joined[i] {
            out.push(' ');
        } else if i > 0 {
            out.push('\n');
            if blank.before(entries, i) {
                out.push('\n');
            }
        }
        for (k, line) in entry.lines.iter().enumerate() {
            if k > 0 {
                out.push('\n');
            }
            out.push_str(line);
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Whether an entry continues the line of the one before: for facts that share a line of the
/// source, if all of them fit.
fn joined(entries: &[Entry]) -> Vec<bool> {
    let mut joined = vec![false; entries.len()];
    let mut start = 0;
    while start < entries.len() {
        let mut width = width(&entries[start]);
        let mut end = start + 1;
        while end < entries.len() && goes_on(&entries[end - 1], &entries[end]) {
            width += 1 + self::width(&entries[end]);
            end += 1;
        }
        joined[start + 1..end].fill(width <= WIDTH);
        start = end;
    }
    joined
}

fn goes_on(last: &Entry, next: &Entry) -> bool {
    let open = matches!(
        last.kind,
        Kind::Fact {
            ends_in_comment: false,
            ..
        }
    );
    open && next.on_line_before && matches!(next.kind, Kind::Fact { .. })
}

fn width(entry: &Entry) -> usize {
    entry.lines.first().map_or(0, |line| line.chars().count())
}

/// Context of an entry for the placement of empty lines.
struct Blanks {
    /// Whether a fact has a neighbour of the same relation, ignoring comments.
    in_series: Vec<bool>,
    /// The next clause, ignoring comments.
    next_clause: Vec<Option<Kind>>,
}

impl Blanks {
    fn new(entries: &[Entry]) -> Self {
        let mut in_series = vec![false; entries.len()];
        let mut last: Option<(usize, Option<Symbol>)> = None;
        for (i, entry) in entries.iter().enumerate() {
            let relation = match entry.kind {
                Kind::Comment => continue,
                Kind::Fact { relation, .. } => Some(relation),
                Kind::Rule => None,
            };
            if let Some((before, same)) = last
                && relation.is_some()
                && same == relation
            {
                in_series[before] = true;
                in_series[i] = true;
            }
            last = Some((i, relation));
        }
        let mut next_clause = vec![None; entries.len()];
        let mut next = None;
        for (i, entry) in entries.iter().enumerate().rev() {
            if entry.kind != Kind::Comment {
                next = Some(entry.kind);
            }
            next_clause[i] = next;
        }
        Self {
            in_series,
            next_clause,
        }
    }

    /// Whether an empty line precedes entry `i`, which starts a line and is not the first.
    fn before(&self, entries: &[Entry], i: usize) -> bool {
        if entries[i].blank_before {
            return true;
        }
        match (entries[i - 1].kind, entries[i].kind) {
            // A comment belongs to the clause after it.
            (Kind::Comment, _) => false,
            (Kind::Rule, _) | (Kind::Fact { .. }, Kind::Rule) => true,
            // Empty lines separate series of facts of different relations; a mixed list is kept.
            (Kind::Fact { relation, .. }, Kind::Fact { relation: next, .. }) => {
                relation != next && (self.in_series[i - 1] || self.in_series[i])
            }
            // A comment within a series of facts stays in it; any other starts a section.
            (Kind::Fact { relation, .. }, Kind::Comment) => !matches!(
                self.next_clause[i],
                Some(Kind::Fact { relation: next, .. }) if next == relation
            ),
        }
    }
}
