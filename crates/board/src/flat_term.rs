//! Facts and moves in KIF, split into a shape and the constants at its leaves.

/// Maximum length of a text that is split. Longer ones are treated as a constant, since nobody
/// could read them in a picture.
const MAX_BYTES: usize = 4_096;
/// Maximum number of leaves; further ones are ignored.
const MAX_LEAVES: usize = 64;

/// A ground term: `(at (square a 1) king)` has the shape `(at (square _ _) _)` and the leaves `a`,
/// `1` and `king`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlatTerm {
    /// The functor, or the constant itself.
    pub(crate) name: String,
    /// The text with `_` for every leaf. Terms of one shape differ in their leaves only.
    pub(crate) shape: String,
    /// The constants below the functors, left to right.
    pub(crate) leaves: Vec<String>,
}

impl FlatTerm {
    /// Splits a printed term. A text that is not a term gives some result and never a panic.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.trim();
        if text.len() > MAX_BYTES || !text.starts_with('(') {
            let name: String = text.chars().take(MAX_BYTES / 16).collect();
            return Self {
                shape: name.clone(),
                name,
                leaves: Vec::new(),
            };
        }
        let mut term = Self::default();
        let mut opened = false;
        for token in tokens(text) {
            match token {
                "(" => {
                    if !term.shape.is_empty() {
                        term.shape.push(' ');
                    }
                    term.shape.push('(');
                    opened = true;
                }
                ")" => {
                    term.shape.push(')');
                    opened = false;
                }
                name if opened => {
                    if term.name.is_empty() {
                        name.clone_into(&mut term.name);
                    }
                    term.shape.push_str(name);
                    opened = false;
                }
                leaf => {
                    term.shape.push_str(" _");
                    if term.leaves.len() < MAX_LEAVES {
                        term.leaves.push(leaf.to_owned());
                    }
                }
            }
        }
        term
    }
}

/// The parentheses and names of a text.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '(' | ')' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || c == '(' || c == ')')
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_terms_are_distinguished_by_their_shape() {
        let term = FlatTerm::read("(at (square a 1) king)");
        assert_eq!(term.name, "at");
        assert_eq!(term.shape, "(at (square _ _) _)");
        assert_eq!(term.leaves, ["a", "1", "king"]);
    }

    #[test]
    fn a_constant_is_its_own_shape() {
        assert_eq!(FlatTerm::read(" open ").shape, "open");
    }

    #[test]
    fn what_is_no_term_never_panics() {
        for text in ["", "(", ")", "()", "((a) b", "(a))", "(é ü)", "( ( ( )"] {
            let _ = FlatTerm::read(text);
        }
    }
}
