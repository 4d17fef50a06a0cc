//! Ground terms as KIF text: the facts of a state, the moves of a joint move.
//!
//! [`GroundTerms::read`] parses text that comes from outside. [`term_parts`] and
//! [`without_parentheses`] take text apart that a printer of this project wrote, without building
//! a tree.

use crate::ast::{Description, SyntaxTermId};
use crate::diagnostic::Diagnostic;
use crate::kif;

/// Ground terms that were read from a text, in its order.
#[derive(Clone, Debug)]
pub struct GroundTerms {
    /// Holds the nodes of the terms.
    pub description: Description,
    /// The terms.
    pub roots: Vec<SyntaxTermId>,
}

impl GroundTerms {
    /// Parses any number of ground terms in KIF.
    ///
    /// Fails at the first problem of notation, and at the first term with a variable.
    ///
    /// ```
    /// use ludorum_gdl::ground_term::GroundTerms;
    /// let terms = GroundTerms::read("( mark\t1 1 ) noop ; a joint move").unwrap();
    /// assert_eq!(terms.texts(), ["(mark 1 1)", "noop"]);
    /// assert!(GroundTerms::read("(mark ?x 1)").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Self, Diagnostic> {
        let mut description = Description::new();
        let roots = kif::parse_ground_terms(text, &mut description)?;
        Ok(Self { description, roots })
    }

    /// The terms as the engines print them: one space between two parts, no comments.
    pub fn texts(&self) -> Vec<String> {
        let roots = self.roots.iter();
        roots
            .map(|root| kif::term(&self.description, *root))
            .collect()
    }
}

/// The name and the arguments of a printed term: `(cell 1 (a b) x)` has the parts `cell`, `1`,
/// `(a b)` and `x`; a constant has itself as its only part.
///
/// A text that is not a term is split as well as possible; this never panics.
///
/// ```
/// use ludorum_gdl::ground_term::term_parts;
/// assert_eq!(term_parts("(cell 1 (a b) x)"), ["cell", "1", "(a b)", "x"]);
/// assert_eq!(term_parts("open"), ["open"]);
/// ```
pub fn term_parts(text: &str) -> Vec<&str> {
    let text = text.trim();
    let Some(inner) = inside(text) else {
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

/// A printed term without its outermost parentheses, as people type and read moves:
/// `(mark 1 (a b))` becomes `mark 1 (a b)`.
pub fn without_parentheses(text: &str) -> &str {
    inside(text).unwrap_or(text)
}

fn inside(text: &str) -> Option<&str> {
    text.strip_prefix('(')?.strip_suffix(')')
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
    fn text_that_is_not_a_term_is_split_without_a_panic() {
        assert_eq!(term_parts(""), [""]);
        assert!(term_parts("()").is_empty());
        assert_eq!(term_parts("(a))b ((c)"), ["a))b", "((c"]);
    }

    #[test]
    fn only_the_outer_parentheses_are_removed() {
        assert_eq!(without_parentheses("(move (at a 1) b)"), "move (at a 1) b");
        assert_eq!(without_parentheses("noop"), "noop");
    }

    #[test]
    fn terms_with_variables_or_loose_parentheses_are_rejected() {
        for text in ["(cell ?x)", "(", "((a) b)", "\u{1}"] {
            assert!(GroundTerms::read(text).is_err(), "{text}");
        }
    }
}
