//! The part of a sheet that a snippet shows.
//!
//! Real sheets come on one line of 100 kB, as they are sent over the wire, and labels may cover a whole file. So a snippet shows
//! a bounded stretch around each label, wherever lines begin and end.

use std::borrow::Cow;

use ludorum_gdl::Span;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::terminal::printable;

/// How much of a long line is shown on either side of a label, in bytes.
const REACH: usize = 60;
/// A label is shown on no more lines than this.
const LABEL_LINES: usize = 6;
/// A label on one line is shown no longer than this, in bytes.
const LABEL_BYTES: usize = 400;

/// A sheet to take excerpts from.
pub(crate) struct Excerpts<'s> {
    name: &'s str,
    text: Cow<'s, str>,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl<'s> Excerpts<'s> {
    pub(crate) fn new(name: &'s str, text: &'s str) -> Self {
        Self {
            name,
            starts: line_starts(text),
            text: printable(text),
        }
    }

    /// The part of a span that is marked in a snippet: within the text, and cut where it is too long to show.
    pub(crate) fn clip(&self, span: Span) -> SourceSpan {
        let start = self.floor(span.start as usize);
        let mut end = self.floor((span.end as usize).max(start));
        let last_line = self.line(start) + LABEL_LINES - 1;
        if self.line(end) > last_line {
            end = self.line_end(self.line(start)).max(start);
        }
        if end - start > LABEL_BYTES {
            end = self.floor(start + LABEL_BYTES);
        }
        (start, end - start).into()
    }

    /// The nearest boundary of a character at or before an offset.
    fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }

    /// The line of an offset, from 0.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// Where the text of a line ends, before its line end.
    fn line_end(&self, line: usize) -> usize {
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        let start = self.starts[line];
        start + self.text[start..end].trim_end_matches('\r').len()
    }
}

/// Where each line of a text starts; there is always a first line.
pub(super) fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i + 1),
        )
        .collect()
}

impl SourceCode for Excerpts<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        // Two labels far apart ask for all between them; without it, each gets a snippet of its own.
        if end > self.text.len()
            || end - start > 2 * LABEL_BYTES + 2 * REACH
            || self.line(end) - self.line(start) > 2 * LABEL_LINES
        {
            return Err(MietteError::OutOfBounds);
        }
        let (mut from, mut to) = (start, end);
        if lines_before > 0 {
            let mut line = self.line(start);
            from = self.starts[line].max(self.floor(start.saturating_sub(REACH)));
            for _ in 0..lines_before {
                let fits = line > 0 && self.starts[line] - self.starts[line - 1] <= 2 * REACH;
                if from != self.starts[line] || !fits {
                    break;
                }
                line -= 1;
                from = self.starts[line];
            }
        }
        if lines_after > 0 {
            let mut line = self.line(end);
            to = self.line_end(line).max(end).min(self.floor(end + REACH));
            for _ in 0..lines_after {
                let next = line + 1;
                if to < self.line_end(line) || next >= self.starts.len() {
                    break;
                }
                let next_end = self.line_end(next);
                if next_end - self.starts[next] > 2 * REACH {
                    break;
                }
                line = next;
                to = next_end;
            }
        }
        let line = self.line(from);
        let column = self.text[self.starts[line]..from].chars().count();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.to_owned(),
            &self.text.as_bytes()[from..to],
            (from, to - from).into(),
            line,
            column,
            self.line(to) - line + 1,
        )))
    }
}
