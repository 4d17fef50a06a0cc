//! Formatting of one clause into lines.
//!
//! A line holds one condition, or one part of a condition that is broken over several lines. A
//! comment is placed at the end of a line if it followed the content of that line in the source,
//! otherwise on a separate line before the next one.

use super::{WIDTH, comment, lines::Lines};
use crate::ast::{Clause, Comment, Description, Formula, FormulaId, SyntaxAtom};
use crate::{Notation, infix, kif};

/// Maximum depth at which connectives are broken over lines. Bounds the indentation and the
/// recursion.
const MAX_DEPTH: usize = 12;

/// The indentation of a condition.
const INDENT: usize = 2;

/// A formatted clause.
pub(super) struct FormattedClause<'d> {
    /// Comments from inside its head, which are placed before the clause.
    pub(super) before: Vec<&'d Comment>,
    /// Its lines, including comments.
    pub(super) lines: Vec<String>,
    /// Whether the last line ends in a comment.
    pub(super) ends_in_comment: bool,
    /// Comments that are placed after the clause.
    pub(super) after: Vec<&'d Comment>,
}

/// One line: its text and the source range of its content.
struct Line {
    indent: usize,
    text: String,
    start: u32,
    end: u32,
}

/// Formats a clause with the comments inside it and the comment that follows its last line.
pub(super) fn format_clause<'d>(
    description: &'d Description,
    clause: &'d Clause,
    inside: Vec<&'d Comment>,
    behind: Option<&'d Comment>,
    source: &Lines,
    notation: Notation,
) -> FormattedClause<'d> {
    let mut layout = Layout {
        description,
        notation,
        inside: &inside,
        lines: Vec::new(),
        indent: 0,
        prefix: String::new(),
    };
    layout.head(clause);
    let lines = layout.body(clause);
    let count = lines.len();

    // Place every comment at the end of a line, before a line, before the clause or after its last
    // line.
    let mut before = Vec::new();
    let mut ends: Vec<Option<&Comment>> = vec![None; count];
    let mut own: Vec<Vec<&Comment>> = vec![Vec::new(); count + 1];
    for comment in inside {
        let at = comment.span.start;
        let next = lines.partition_point(|line| line.end <= at);
        let Some(last) = next.checked_sub(1) else {
            before.push(comment);
            continue;
        };
        let ends_line = ends[last].is_none()
            && own[next].is_empty()
            && source.same(lines[last].end, at)
            && lines.get(next).is_none_or(|line| at < line.start);
        if ends_line {
            ends[last] = Some(comment);
        } else {
            own[next].push(comment);
        }
    }

    let mut tail = own.pop().unwrap_or_default();
    let closes = notation == Notation::Kif && clause.is_rule;
    let mut closer_line = None;
    let mut after = Vec::new();
    let last_end = &mut ends[count - 1];
    if closes && !clause.body.is_empty() {
        // The closing parenthesis follows all comments of the rule, on a separate line if
        // necessary.
        if tail.is_empty() && (last_end.is_none() || behind.is_none()) {
            *last_end = last_end.or(behind);
        } else {
            closer_line = Some(behind);
        }
    } else {
        tail.extend(behind);
        if last_end.is_none() && tail.len() == 1 && behind.is_some() {
            *last_end = tail.pop();
        }
        after = std::mem::take(&mut tail);
    }

    let mut out = Vec::new();
    let say = |comment: &Comment| comment::text(&comment.text, notation);
    for (i, line) in lines.into_iter().enumerate() {
        let indent = " ".repeat(line.indent);
        out.extend(own[i].iter().map(|c| format!("{indent}{}", say(c))));
        let mut text = indent + &line.text;
        if i + 1 == count && closes && closer_line.is_none() {
            text.push(')');
        }
        push_comment(&mut text, ends[i].map(say));
        out.push(text);
    }
    let mut ends_in_comment = ends[count - 1].is_some();
    if let Some(behind) = closer_line {
        let indent = " ".repeat(INDENT);
        out.extend(tail.iter().map(|c| format!("{indent}{}", say(c))));
        let mut text = indent + ")";
        push_comment(&mut text, behind.map(say));
        out.push(text);
        ends_in_comment = behind.is_some();
    }
    FormattedClause {
        before,
        lines: out,
        ends_in_comment,
        after,
    }
}

fn push_comment(line: &mut String, comment: Option<String>) {
    if let Some(comment) = comment {
        line.push(' ');
        line.push_str(&comment);
    }
}

struct Layout<'d> {
    description: &'d Description,
    notation: Notation,
    inside: &'d [&'d Comment],
    lines: Vec<Line>,
    /// The line under construction: its indentation and text.
    indent: usize,
    prefix: String,
}

impl Layout<'_> {
    fn head(&mut self, clause: &Clause) {
        let text = match self.notation {
            Notation::Kif if clause.is_rule => {
                format!("(<= {}", kif::atom(self.description, &clause.head))
            }
            Notation::Kif => kif::atom(self.description, &clause.head),
            Notation::Infix => {
                let head = infix::atom(self.description, &clause.head);
                match (clause.is_rule, clause.body.is_empty()) {
                    (false, _) => head,
                    (true, false) => head + " :-",
                    (true, true) => head + " :- .",
                }
            }
        };
        let (start, end) = atom_extent(self.description, &clause.head);
        self.lines.push(Line {
            indent: 0,
            text,
            start,
            end,
        });
    }

    fn body(mut self, clause: &Clause) -> Vec<Line> {
        for (i, part) in clause.body.iter().enumerate() {
            let is_last = i + 1 == clause.body.len();
            let suffix = match self.notation {
                Notation::Infix if !is_last => " &",
                _ => "",
            };
            self.indent = INDENT;
            self.formula(*part, 0, suffix);
        }
        self.lines
    }

    /// Appends the lines of a formula; the first one continues the current line.
    fn formula(&mut self, id: FormulaId, depth: usize, suffix: &str) {
        let flat = match self.notation {
            Notation::Kif => kif::formula(self.description, id),
            Notation::Infix => infix::formula(self.description, id),
        };
        let column = self.indent + self.prefix.chars().count();
        // One more column for the closing parenthesis of the rule.
        let fits = column + flat.chars().count() + suffix.len() < WIDTH;
        let parts = parts(self.description, id, depth);
        if parts.is_empty() || (fits && !self.is_broken_by_comment(id, depth)) {
            let (start, _) = self.extent(id, depth, true);
            let (_, end) = self.extent(id, depth, false);
            let text = std::mem::take(&mut self.prefix) + &flat + suffix;
            self.lines.push(Line {
                indent: self.indent,
                text,
                start,
                end,
            });
            return;
        }
        let formula = self.description.formula(id);
        let (opening, separator, closing) = match self.notation {
            Notation::Kif => (kif_opening(formula), "", ")"),
            Notation::Infix => {
                let (opening, separator) = infix::connective(formula);
                let closing = if opening == "~" { "" } else { ")" };
                (opening, separator.trim_end(), closing)
            }
        };
        self.prefix.push_str(opening);
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                self.indent = column + opening.len();
            }
            if i + 1 == parts.len() {
                self.formula(*part, depth + 1, &format!("{closing}{suffix}"));
            } else {
                self.formula(*part, depth + 1, separator);
            }
        }
    }

    /// Whether a comment is between two parts of a formula that can be broken.
    fn is_broken_by_comment(&self, id: FormulaId, depth: usize) -> bool {
        let (_, first_end) = self.extent(id, depth, true);
        let (_, last_end) = self.extent(id, depth, false);
        let next = self
            .inside
            .partition_point(|comment| comment.span.start < first_end);
        self.inside
            .get(next)
            .is_some_and(|comment| comment.span.start < last_end)
    }

    /// The source range of the first or last part of a formula that cannot be broken.
    fn extent(&self, mut id: FormulaId, mut depth: usize, first: bool) -> (u32, u32) {
        loop {
            let parts = parts(self.description, id, depth);
            match if first { parts.first() } else { parts.last() } {
                Some(part) => id = *part,
                None => break,
            }
            depth += 1;
        }
        if let Formula::Atom(atom) = self.description.formula(id) {
            return atom_extent(self.description, atom);
        }
        let span = self.description.formula_span(id);
        (span.start, span.end)
    }
}

/// The parts at which a formula can be broken; none below [`MAX_DEPTH`].
fn parts(description: &Description, id: FormulaId, depth: usize) -> &[FormulaId] {
    match description.formula(id) {
        Formula::Not(part) if depth < MAX_DEPTH => std::slice::from_ref(part),
        Formula::And(parts) | Formula::Or(parts) if depth < MAX_DEPTH => parts,
        _ => &[],
    }
}

/// The range from the name to the last argument. A comment before the closing parenthesis counts as
/// following the atom.
fn atom_extent(description: &Description, atom: &SyntaxAtom) -> (u32, u32) {
    let end = match atom.args.last() {
        Some(last) => description.term_span(*last).end,
        None => atom.name_span.end,
    };
    (atom.name_span.start, end)
}

fn kif_opening(formula: &Formula) -> &'static str {
    match formula {
        Formula::Not(_) => "(not ",
        Formula::And(_) => "(and ",
        Formula::Or(_) => "(or ",
        Formula::Atom(_) | Formula::Distinct(..) => "",
    }
}
