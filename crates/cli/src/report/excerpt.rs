//! The part of a sheet that a snippet shows.
//!
//! Some sheets are one line of 100 kB, as they are sent over the network, and labels may cover a
//! whole file. Therefore a snippet shows a bounded range around each label, independent of line
//! breaks.

use std::borrow::Cow;

use ludorum_gdl::Span;
use ludorum_gdl::line_index::line_starts;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::terminal::printable;

/// The most lines of a label that are shown.
const LABEL_LINES: usize = 6;
/// The most bytes of a label over several lines that are shown.
const LABEL_BYTES: usize = 400;
/// The screen columns left of the text in a snippet: line numbers and borders.
const MARGIN: usize = 14;

/// A sheet from which excerpts are taken.
pub(crate) struct Excerpts<'s> {
    name: &'s str,
    text: Cow<'s, str>,
    /// The byte offset of each line.
    starts: Vec<usize>,
    /// How much of a long line is shown on either side of a label, in bytes.
    reach: usize,
}

impl<'s> Excerpts<'s> {
    /// Excerpts of a sheet for a terminal with `width` columns.
    pub(crate) fn new(name: &'s str, text: &'s str, width: usize) -> Self {
        Self {
            name,
            reach: (width.saturating_sub(MARGIN) / 2).max(10),
            starts: line_starts(text),
            text: printable(text),
        }
    }

    /// The part of a span that is marked in a snippet: within the text, and cut if it is too long.
    pub(crate) fn clip(&self, span: Span) -> SourceSpan {
        let start = self.floor(span.start as usize);
        let mut end = self.floor((span.end as usize).max(start));
        let last_line = self.line(start) + LABEL_LINES - 1;
        if self.line(end) > last_line {
            end = self.line_end(self.line(start)).max(start);
        }
        let longest = if self.line(start) == self.line(end) {
            2 * self.reach
        } else {
            LABEL_BYTES
        };
        if end - start > longest {
            end = self.floor(start + longest);
        }
        (start, end - start).into()
    }

    /// The nearest character boundary at or before an offset.
    fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }

    /// The line of an offset, from 0.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// The end of the text of a line, before its line break.
    fn line_end(&self, line: usize) -> usize {
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        let start = self.starts[line];
        start + self.text[start..end].trim_end_matches('\r').len()
    }
}

impl SourceCode for Excerpts<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        // Miette asks for one range around two labels; if they are far apart, the error makes it
        // show a snippet for each.
        if end > self.text.len()
            || end - start > 2 * LABEL_BYTES + 2 * self.reach
            || self.line(end) - self.line(start) > 2 * LABEL_LINES
        {
            return Err(MietteError::OutOfBounds);
        }
        let (mut from, mut to) = (start, end);
        if lines_before > 0 {
            let mut line = self.line(start);
            from = self.starts[line].max(self.floor(start.saturating_sub(self.reach)));
            for _ in 0..lines_before {
                let fits = line > 0 && self.starts[line] - self.starts[line - 1] <= 2 * self.reach;
                if from != self.starts[line] || !fits {
                    break;
                }
                line -= 1;
                from = self.starts[line];
            }
        }
        if lines_after > 0 {
            let mut line = self.line(end);
            to = self
                .line_end(line)
                .max(end)
                .min(self.floor(end + self.reach));
            for _ in 0..lines_after {
                let next = line + 1;
                if to < self.line_end(line) || next >= self.starts.len() {
                    break;
                }
                let next_end = self.line_end(next);
                if next_end - self.starts[next] > 2 * self.reach {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, start: usize, end: usize) -> String {
        let excerpts = Excerpts::new("x", text, 54);
        let span = excerpts.clip(Span::new(start, end));
        let contents = excerpts
            .read_span(&span, 1, 1)
            .expect("a label can be shown");
        String::from_utf8(contents.data().to_vec()).expect("cut between characters")
    }

    #[test]
    fn short_lines_are_shown_whole_with_a_line_on_either_side() {
        let text = "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n";
        assert_eq!(excerpt(text, 10, 12), "two\r\nthree\r\nfour");
    }

    #[test]
    fn long_lines_are_cut_around_the_label() {
        let text = "ç".repeat(1_000);
        assert_eq!(excerpt(&text, 1_000, 1_002).chars().count(), 21);
        assert_eq!(excerpt(&text, 0, 2_000).chars().count(), 30);
    }

    #[test]
    fn every_span_can_be_shown_even_beyond_the_end_of_the_text() {
        for text in ["", "\n", "a", "aç\nb\n\nç", "a\r\n\r\nb"] {
            for start in 0..text.len() + 3 {
                for end in start..text.len() + 3 {
                    excerpt(text, start, end);
                }
            }
        }
    }

    #[test]
    fn a_label_over_many_lines_is_marked_on_its_first() {
        let text = "line\n".repeat(100);
        assert_eq!(excerpt(&text, 50, 400), "line\nline\nline");
    }
}
