//! Joint moves in messages and moves in answers.

use std::fmt;

use ludorum_gdl::GroundTerms;

use super::MessageError;
use super::scan;

/// The moves of a PLAY or STOP message, in the order of the roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointMove(Vec<String>);

impl JointMove {
    /// Moves in KIF, one for each role.
    pub fn new(moves: Vec<String>) -> Self {
        Self(moves)
    }

    /// Reads the moves of a message; none for `nil`, an empty list or nothing.
    pub(super) fn read(text: &str) -> Result<Option<Self>, MessageError> {
        let text = text.trim();
        let inner = scan::inside(text);
        let moves = terms(inner)?;
        if moves.is_empty() || (moves.len() == 1 && moves[0].eq_ignore_ascii_case("nil")) {
            return Ok(None);
        }
        Ok(Some(Self(moves)))
    }

    /// The moves of the given number of roles; none if the numbers differ.
    ///
    /// In a single-player game `(move a b)` may be written instead of `((move a b))`; the number of
    /// roles tells them apart.
    pub fn for_roles(&self, roles: usize) -> Option<Vec<String>> {
        if self.0.len() == roles {
            return Some(self.0.clone());
        }
        if roles == 1 && !self.0.is_empty() {
            let whole = term(&format!("({})", self.0.join(" ")));
            return whole.ok().map(|whole| vec![whole]);
        }
        None
    }
}

impl fmt::Display for JointMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.0.join(" "))
    }
}

/// Reads the answer to a PLAY message: a move, possibly without its outer parentheses.
pub fn read_move(text: &str) -> Result<String, MessageError> {
    let mut moves = terms(text)?;
    match moves.len() {
        0 => Err(MessageError::Empty),
        1 => Ok(moves.remove(0)),
        _ => term(&format!("({text}\n)")),
    }
}

/// The legal move that a text denotes: the identical one, else the only one that differs only in
/// case.
pub fn find_legal<'l>(legal: &'l [String], text: &str) -> Option<&'l String> {
    if let Some(exact) = legal.iter().find(|one| *one == text) {
        return Some(exact);
    }
    let mut alike = legal.iter().filter(|one| one.eq_ignore_ascii_case(text));
    alike.next().filter(|_| alike.next().is_none())
}

/// A ground term as engines print it.
fn term(text: &str) -> Result<String, MessageError> {
    let mut terms = terms(text)?;
    match terms.len() {
        1 => Ok(terms.remove(0)),
        _ => Err(MessageError::NoMove),
    }
}

fn terms(text: &str) -> Result<Vec<String>, MessageError> {
    let read = GroundTerms::read(text).map_err(|problem| MessageError::Term(problem.message))?;
    Ok(read.texts())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_with_odd_spacing_and_without_parentheses() {
        for text in [
            "(mark 1 1)",
            " ( mark\t1\n1 )\r\n",
            "mark 1 1",
            "mark 1 1 ; this one",
        ] {
            assert_eq!(read_move(text).unwrap(), "(mark 1 1)", "{text}");
        }
        assert_eq!(read_move("(noop)").unwrap(), "noop");
        assert_eq!(read_move(" "), Err(MessageError::Empty));
        for text in ["(mark ?x)", "(", "((a) b)", "\u{1}"] {
            assert!(read_move(text).is_err(), "{text}");
        }
    }

    #[test]
    fn case_matters_only_where_it_distinguishes_moves() {
        let legal = ["(mark a)", "(mark A)", "(move b)"].map(str::to_owned);
        assert_eq!(find_legal(&legal, "(MOVE B)"), Some(&legal[2]));
        assert_eq!(find_legal(&legal, "(mark A)"), Some(&legal[1]));
        assert_eq!(find_legal(&legal, "(MARK A)"), None);
        assert_eq!(find_legal(&legal, "(mark c)"), None);
    }

    #[test]
    fn the_move_of_a_single_role_may_lack_the_list_around_it() {
        let joint = JointMove::read("(move a b)").unwrap().unwrap();
        assert_eq!(joint.for_roles(1).unwrap(), ["(move a b)"]);
        assert_eq!(joint.for_roles(3).unwrap(), ["move", "a", "b"]);
        assert_eq!(joint.for_roles(2), None);
        let joint = JointMove::read("press").unwrap().unwrap();
        assert_eq!(joint.for_roles(1).unwrap(), ["press"]);
        for text in ["nil", "NIL", "()", "(nil)", ""] {
            assert_eq!(JointMove::read(text), Ok(None), "{text}");
        }
    }
}
