//! Lines and columns of byte positions, with an index of line starts for many lookups in one text.

use serde::Serialize;

use crate::source::{LineColumn, Span};

/// The start of every line of a text, so that a position is found by binary search.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
    is_ascii: bool,
}

impl<'t> LineIndex<'t> {
    /// Indexes a text.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            starts: line_starts(text),
            is_ascii: text.is_ascii(),
        }
    }

    /// The line and column of a byte offset, equal to [`position`](crate::source::position).
    pub fn position(&self, offset: usize) -> LineColumn {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let before = if self.is_ascii {
            offset - start
        } else {
            self.text[start..offset].chars().count()
        };
        LineColumn {
            line,
            column: before + 1,
        }
    }

    /// A span with the lines and columns of both ends.
    pub fn range(&self, span: Span) -> SourceRange {
        let start = self.position(span.start as usize);
        let end = self.position(span.end as usize);
        SourceRange {
            start: span.start,
            end: span.end,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

/// A range of a text in bytes, lines and columns, as printed in JSON reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SourceRange {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The line of the first byte, from 1.
    pub line: usize,
    /// The character of the first byte within its line, from 1.
    pub column: usize,
    /// The line of the end, from 1.
    pub end_line: usize,
    /// The character of the end within its line, from 1.
    pub end_column: usize,
}

/// The byte offset of the start of every line. An empty text has one line.
pub fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.bytes().enumerate();
    let ends = bytes.filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(end, _)| end + 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::position;

    #[test]
    fn indexed_positions_are_the_counted_ones() {
        for text in ["", "a", "a\nb\n", "ç\nx ç y\r\n\n", "(role a)\n(role b)"] {
            let lines = LineIndex::new(text);
            for offset in 0..text.len() + 3 {
                assert_eq!(
                    lines.position(offset),
                    position(text, offset),
                    "{text:?} {offset}"
                );
            }
        }
    }

    #[test]
    fn a_range_has_lines_and_columns_of_both_ends() {
        let place = LineIndex::new("(role a)\n(role b)\n").range(Span { start: 9, end: 17 });
        assert_eq!((place.line, place.column), (2, 1));
        assert_eq!((place.end_line, place.end_column), (2, 9));
    }
}
