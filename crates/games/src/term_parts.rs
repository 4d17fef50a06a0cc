//! The parts of a printed fact.

/// The name and the arguments of a term in KIF: `(cell 1 (a b) x)` is `cell`, `1`, `(a b)` and `x`;
/// a constant is its own name.
///
/// This reads what printers write. A text that is no term gives parts all the same, and never a
/// panic.
///
/// ```
/// assert_eq!(ludorum_games::term_parts("(cell 1 (a b) x)"), ["cell", "1", "(a b)", "x"]);
/// assert_eq!(ludorum_games::term_parts("open"), ["open"]);
/// ```
pub fn term_parts(text: &str) -> Vec<&str> {
    let text = text.trim();
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else {
        return vec![text];
    };
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut start = None;
    for (at, c) in inner.char_indices() {
        match c {
            '(' => {
                start = start.or(Some(at));
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            c if c.is_whitespace() => {
                if depth == 0 {
                    parts.extend(start.take().map(|from| &inner[from..at]));
                }
            }
            _ => start = start.or(Some(at)),
        }
    }
    parts.extend(start.map(|from| &inner[from..]));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_arguments_stay_whole() {
        assert_eq!(term_parts("(p (f (g a) b) c)"), ["p", "(f (g a) b)", "c"]);
        assert_eq!(term_parts("( p  a\n b )"), ["p", "a", "b"]);
    }

    #[test]
    fn what_is_no_term_has_parts_too() {
        assert_eq!(term_parts(""), [""]);
        assert!(term_parts("()").is_empty());
        assert_eq!(term_parts("(a))b ((c)"), ["a))b", "((c"]);
    }
}
