//! Detection of the notation of a text.

use crate::Notation;
use crate::source::is_blank;

/// Maximum number of lines that are searched for the arrow of KIF.
const LINES: usize = 40;

/// Detects the notation of a text.
///
/// KIF starts with a parenthesis. A KIF sheet with a syntax error may not, so an arrow of KIF near
/// the beginning decides as well.
pub fn detect(text: &str) -> Notation {
    let mut code = text
        .split(['\n', '\r'])
        .map(|line| {
            line.find([';', '%'])
                .map_or(line, |i| &line[..i])
                .trim_matches(is_blank)
        })
        .filter(|line| !line.is_empty());
    let Some(first) = code.next() else {
        // Only comments: those of KIF do not start with a per cent sign.
        return if text.trim_start_matches(is_blank).starts_with('%') {
            Notation::Infix
        } else {
            Notation::Kif
        };
    };
    if first.starts_with(['(', ')']) || has_arrow(first) || code.take(LINES).any(has_arrow) {
        Notation::Kif
    } else {
        Notation::Infix
    }
}

/// Whether the line has `<=` as a separate token. In infix it only occurs within quotes, without
/// blanks or parentheses beside it.
fn has_arrow(line: &str) -> bool {
    line.match_indices("<=").any(|(at, arrow)| {
        let before = line[..at].chars().next_back();
        let after = line[at + arrow.len()..].chars().next();
        before.is_none_or(|c| is_blank(c) || c == '(')
            && after.is_none_or(|c| is_blank(c) || c == '(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kif_starts_with_a_parenthesis() {
        assert_eq!(detect("\u{feff}; % note\n  (role a)"), Notation::Kif);
        assert_eq!(detect(") (role a)"), Notation::Kif);
        assert_eq!(detect("role a)\n(<= terminal (p))"), Notation::Kif);
    }

    #[test]
    fn empty_text_counts_as_kif() {
        assert_eq!(detect(""), Notation::Kif);
        assert_eq!(detect("; nothing\n% at all\n"), Notation::Kif);
        assert_eq!(detect("% nothing\n"), Notation::Infix);
    }

    #[test]
    fn infix_starts_with_a_name() {
        assert_eq!(detect("% (note)\nrole(white)"), Notation::Infix);
        assert_eq!(detect("; old <= note\np :- q"), Notation::Infix);
        assert_eq!(detect("p('<=x')"), Notation::Infix);
    }
}
