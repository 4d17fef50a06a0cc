//! Splitting KIF into top-level parts without parsing them: the rule sheet of a message is parsed
//! where it is needed.

use std::ops::Range;

use super::MessageError;

/// A word or a list in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) span: Range<usize>,
    pub(super) is_list: bool,
}

impl Part {
    pub(super) fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.span.clone()).unwrap_or_default()
    }
}

/// The parts of a text, separated by white space, comments and control characters.
pub(super) fn parts(text: &str) -> Result<Vec<Part>, MessageError> {
    let mut parts = Vec::new();
    let mut depth = 0u32;
    let mut list = 0;
    let mut word: Option<usize> = None;
    let mut in_comment = false;
    for (at, c) in text.char_indices() {
        if in_comment {
            in_comment = !matches!(c, '\n' | '\r');
            continue;
        }
        let is_mark = matches!(c, '(' | ')' | ';') || c.is_whitespace() || c.is_control();
        if is_mark && let Some(start) = word.take() {
            parts.push(Part {
                span: start..at,
                is_list: false,
            });
        }
        match c {
            ';' => in_comment = true,
            '(' => {
                if depth == 0 {
                    list = at;
                }
                depth = depth.saturating_add(1);
            }
            ')' => {
                depth = depth.checked_sub(1).ok_or(MessageError::Unbalanced)?;
                if depth == 0 {
                    parts.push(Part {
                        span: list..at + 1,
                        is_list: true,
                    });
                }
            }
            _ if !is_mark && depth == 0 && word.is_none() => word = Some(at),
            _ => {}
        }
    }
    if depth > 0 {
        return Err(MessageError::Unbalanced);
    }
    if let Some(start) = word {
        parts.push(Part {
            span: start..text.len(),
            is_list: false,
        });
    }
    Ok(parts)
}

/// The text inside a list; the text itself if it is not a list.
pub(super) fn inside(text: &str) -> &str {
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let parts = parts(text).unwrap();
        parts.iter().map(|part| part.of(text)).collect()
    }

    #[test]
    fn parts_are_top_level_words_and_lists() {
        assert_eq!(texts("a (b (c) d)e\n;(x\n f"), ["a", "(b (c) d)", "e", "f"]);
        assert_eq!(texts(" \u{feff}\0 "), ["\u{feff}"]);
        assert_eq!(texts(""), [""; 0]);
    }

    #[test]
    fn parentheses_must_match() {
        for text in ["(", ")", "(a))", "((a)", "a ; (\n)"] {
            assert_eq!(parts(text), Err(MessageError::Unbalanced), "{text}");
        }
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(parts(&deep).unwrap().len(), 1);
    }
}
