//! The text of a rule sheet, and positions and spans in it.

use std::io::{self, Read};

use serde::Serialize;
use thiserror::Error;

/// Maximum size of a rule sheet in bytes. The largest known sheet has less than 100 kB.
pub const MAX_BYTES: usize = 16 << 20;

/// A range of bytes of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The text in this span.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }

    /// The length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A line and column. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The character within the line, from 1.
    pub column: usize,
}

/// The line and column of a byte offset in `text`.
pub fn position(text: &str, offset: usize) -> LineColumn {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    LineColumn {
        line: before.bytes().filter(|b| *b == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// Whether a character is a separator: white space or a byte-order mark.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Whether a character can be part of a name.
pub(crate) fn is_name_char(c: char) -> bool {
    !(is_blank(c) || c.is_control() || matches!(c, '(' | ')' | ';'))
}

/// The reasons why bytes cannot be read as a rule sheet.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SourceError {
    /// A byte is not valid UTF-8.
    #[error(
        "not a text file: byte {offset} (line {line}) is not valid UTF-8; \
        save the sheet as UTF-8 or plain ASCII"
    )]
    NotUtf8 {
        /// The offset of the first invalid byte.
        offset: usize,
        /// The line it is on.
        line: usize,
    },
    /// The text exceeds the size limit.
    #[error("the sheet is too large: {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// The size of the text in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

/// Why a rule sheet cannot be read from a file or stream.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system reports an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The bytes are not a rule sheet.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Reads the text of a rule sheet from a file or stream of at most [`MAX_BYTES`].
pub fn read(reader: impl Read) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    // One byte more than the limit is enough for `decode` to reject it; endless streams end there.
    reader.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(decode(&bytes)?.to_owned())
}

/// Decodes the bytes of a file as UTF-8, without a byte-order mark.
pub fn decode(bytes: &[u8]) -> Result<&str, SourceError> {
    if bytes.len() > MAX_BYTES {
        return Err(SourceError::TooLarge {
            bytes: bytes.len(),
            limit: MAX_BYTES,
        });
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let offset = error.valid_up_to();
            let line = bytes[..offset].iter().filter(|b| **b == b'\n').count() + 1;
            Err(SourceError::NotUtf8 { offset, line })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let text = "ab\nç d\n";
        assert_eq!(position(text, 0), LineColumn { line: 1, column: 1 });
        assert_eq!(position(text, 6), LineColumn { line: 2, column: 3 });
        assert_eq!(position(text, 999), LineColumn { line: 3, column: 1 });
    }

    #[test]
    fn bytes_that_are_no_text_name_the_place() {
        assert_eq!(
            decode(b"(role a)\n\xff"),
            Err(SourceError::NotUtf8 { offset: 9, line: 2 })
        );
        assert_eq!(decode(b"\xef\xbb\xbf(role a)"), Ok("(role a)"));
    }

    #[test]
    fn an_endless_stream_is_too_large() {
        let error = read(io::repeat(b' ')).unwrap_err();
        assert!(error.to_string().contains("too large"), "{error}");
    }
}
