//! Conversion of comments between the notations.

use crate::Notation;

/// The comment with the comment marks of a notation: `;; rows` in KIF is `%% rows` in infix.
pub(super) fn text(comment: &str, notation: Notation) -> String {
    let (old, new) = match notation {
        Notation::Kif => ('%', ";"),
        Notation::Infix => (';', "%"),
    };
    let rest = comment.trim_start_matches(old);
    let marks = comment.len() - rest.len();
    if marks > 0 || comment.starts_with(new) {
        return new.repeat(marks) + rest;
    }
    // Comments that were not made by a parser have no marks.
    format!("{new} {comment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_the_notation() {
        assert_eq!(text(";; rows; all", Notation::Infix), "%% rows; all");
        assert_eq!(text("%% rows", Notation::Kif), ";; rows");
        assert_eq!(text(";;; 100%", Notation::Kif), ";;; 100%");
        assert_eq!(text("rows", Notation::Kif), "; rows");
    }
}
