//! Moves in text: finding the move that was typed ([`move_matching`]), lists of moves
//! ([`move_list`]), and sequences of joint moves ([`move_sequence`]).

use ludorum_gdl::ground_term::without_parentheses;

pub(crate) mod move_list;
pub(crate) mod move_matching;
pub(crate) mod move_sequence;

/// A joint move as text: the moves other than `noop`, or else the first one.
pub(crate) fn joint(texts: &[String]) -> String {
    let waits = |text: &&String| matches!(text.to_lowercase().as_str(), "noop" | "(noop)");
    let mut busy: Vec<&str> = texts
        .iter()
        .filter(|t| !waits(t))
        .map(|t| without_parentheses(t))
        .collect();
    if busy.is_empty() {
        busy = texts
            .iter()
            .take(1)
            .map(|text| without_parentheses(text))
            .collect();
    }
    busy.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noops_are_left_out_of_joint_moves() {
        let text =
            |texts: &[&str]| joint(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(text(&["(mark 1 1)", "noop"]), "mark 1 1");
        assert_eq!(text(&["rock", "paper"]), "rock | paper");
        assert_eq!(text(&["noop", "noop"]), "noop");
    }
}
