//! LineIndex of a text, for whoever tells many places in it.

use serde::Serialize;

use crate::source::{Position, Span};

/// An index of lines: a sheet with many problems is not walked from the start for each.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
    is_ascii: bool,
}

impl<'t> LineIndex<'t> {
    /// The lines of a text.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            starts: line_starts(text),
            is_ascii: text.is_ascii(),
        }
    }

    /// The position of a byte offset, as [`position`](crate::source::position) counts it.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let before = if self.is_ascii {
            offset - start
        } else {
            self.text[start..offset].chars().count()
        };
        Position {
            line,
            column: before + 1,
        }
    }

    /// A place as machines read it.
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

/// A place in a text: bytes, lines and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SourceRange {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The line of the first, from 1.
    pub line: usize,
    /// Its character within the line, from 1.
    pub column: usize,
    /// The line of the end.
    pub end_line: usize,
    /// Its character within the line.
    pub end_column: usize,
}

/// Where each line of a text starts; there is always a first line.
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
    fn a_place_has_both_ends() {
        let place = LineIndex::new("(role a)\n(role b)\n").range(Span { start: 9, end: 17 });
        assert_eq!((place.line, place.column), (2, 1));
        assert_eq!((place.end_line, place.end_column), (2, 9));
    }
}
