//! Conversion of names between the syntax tree and the infix notation.

use std::borrow::Cow;

use crate::keyword;
use crate::source::is_name_char;

/// Writes a constant, functor or relation, quoted if it would be read as something else.
pub(super) fn write_name(name: &str, out: &mut String) {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && is_plain(name)
        && keyword::connective(name).is_none();
    if plain {
        out.push_str(name);
    } else {
        write_quoted(name, out);
    }
}

/// Writes a variable, given without its question mark.
pub(super) fn write_variable(name: &str, out: &mut String) {
    if !is_plain(name) {
        out.push('?');
        write_quoted(name, out);
    } else if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        out.push(name.as_bytes()[0].to_ascii_uppercase() as char);
        out.push_str(&name[1..]);
    } else {
        out.push('_');
        out.push_str(name);
    }
}

/// The name of the variable that is written as `word`, which starts with an upper-case letter or
/// `_`.
///
/// `None` if the word denotes no variable: if `_x` and `X` were the same, two variables could
/// become one.
pub(super) fn read_variable(word: &str) -> Option<Cow<'_, str>> {
    let first = word.chars().next()?;
    let rest = &word[first.len_utf8()..];
    if first != '_' {
        return Some(Cow::Owned(first.to_ascii_lowercase().to_string() + rest));
    }
    let fits = rest.starts_with(|c: char| !c.is_ascii_lowercase());
    fits.then_some(Cow::Borrowed(rest))
}

/// The name between quotes; `None` if a backslash precedes anything but a quote or a backslash.
pub(super) fn read_quoted(inner: &str) -> Option<Cow<'_, str>> {
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let mut name = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        name.push(match c {
            '\\' => chars.next().filter(|c| matches!(c, '\\' | '\''))?,
            c => c,
        });
    }
    Some(Cow::Owned(name))
}

/// Whether a quoted name is also a name in KIF.
pub(super) fn is_name(name: &str) -> bool {
    is_variable_name(name) && !name.starts_with('?') && name != "<="
}

/// Whether a quoted variable is also a variable in KIF.
pub(super) fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_name_char)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_plain_byte)
}

/// Whether a byte can be part of a name without quotes.
pub(super) fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn write_quoted(name: &str, out: &mut String) {
    out.push('\'');
    for c in name.chars() {
        if matches!(c, '\'' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> String {
        let mut out = String::new();
        write_name(text, &mut out);
        out
    }

    fn variable(text: &str) -> String {
        let mut out = String::new();
        write_variable(text, &mut out);
        out
    }

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(name("cell_1A"), "cell_1A");
        assert_eq!(name("100"), "100");
        assert_eq!(name("map+"), "'map+'");
        assert_eq!(name("Cell"), "'Cell'");
        assert_eq!(name("_a"), "'_a'");
        assert_eq!(name("oR"), "'oR'");
        assert_eq!(name(r"it's\"), r"'it\'s\\'");
    }

    #[test]
    fn variables_map_one_to_one() {
        for (kif, infix) in [
            ("x", "X"),
            ("oldRow", "OldRow"),
            ("X", "_X"),
            ("1", "_1"),
            ("_a", "__a"),
        ] {
            assert_eq!(variable(kif), infix);
            assert_eq!(read_variable(infix).as_deref(), Some(kif));
        }
        assert_eq!(variable("h-speed"), "?'h-speed'");
        assert_eq!(read_variable("_x"), None);
        assert_eq!(read_variable("_"), None);
    }

    #[test]
    fn quotes_read_back() {
        assert_eq!(read_quoted(r"it\'s\\").as_deref(), Some(r"it's\"));
        assert_eq!(read_quoted(r"a\b"), None);
    }
}
