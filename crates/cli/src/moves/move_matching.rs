//! Finds the legal move that a typed text means.

/// The legal moves that match a text, as positions in their list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MoveMatch {
    /// Exactly one move.
    One(usize),
    /// Several moves match equally well.
    Several(Vec<usize>),
    /// No move matches.
    None,
}

/// Whether moves can be chosen by their numbers in the list: only if no move is itself a number.
pub(crate) fn are_numbered(moves: &[String]) -> bool {
    !moves.iter().any(|text| text.parse::<u64>().is_ok())
}

/// The position of the move whose text is exactly what was typed.
pub(crate) fn exact(moves: &[String], typed: &str) -> Option<usize> {
    moves.iter().position(|text| text == typed.trim())
}

/// Finds the move that was meant: by its number, or by its text, its beginning or a part of it in
/// any notation.
///
/// The criteria are tried from the strictest to the most tolerant; the first that any move meets
/// decides.
pub(crate) fn find(moves: &[String], typed: &str) -> MoveMatch {
    if let Some(index) = exact(moves, typed) {
        return MoveMatch::One(index);
    }
    if are_numbered(moves) {
        let number = typed.trim().parse::<usize>().ok();
        if let Some(number) = number.filter(|n| (1..=moves.len()).contains(n)) {
            return MoveMatch::One(number - 1);
        }
    }
    let wanted = NormalisedText::new(typed);
    if wanted.joined.is_empty() {
        return MoveMatch::None;
    }
    let normalised: Vec<NormalisedText> =
        moves.iter().map(|text| NormalisedText::new(text)).collect();
    let criteria: [fn(&NormalisedText, &NormalisedText) -> bool; 6] = [
        |m, typed| m.words == typed.words,
        |m, typed| m.joined == typed.joined,
        |m, typed| m.words.starts_with(&typed.words),
        |m, typed| m.words.windows(typed.words.len()).any(|w| w == typed.words),
        |m, typed| m.spaced.contains(&typed.spaced),
        |m, typed| m.joined.contains(&typed.joined),
    ];
    for fits in criteria {
        let found: Vec<usize> = (0..moves.len())
            .filter(|i| fits(&normalised[*i], &wanted))
            .collect();
        match found[..] {
            [] => {}
            [index] => return MoveMatch::One(index),
            _ => return MoveMatch::Several(found),
        }
    }
    MoveMatch::None
}

/// The moves that contain a text.
pub(crate) fn filter(moves: &[String], text: &str) -> Vec<usize> {
    let wanted = NormalisedText::new(text);
    let fits = |text: &String| {
        let normalised = NormalisedText::new(text);
        normalised.spaced.contains(&wanted.spaced) || normalised.joined.contains(&wanted.joined)
    };
    (0..moves.len()).filter(|i| fits(&moves[*i])).collect()
}

/// A text without case, parentheses and commas.
struct NormalisedText {
    words: Vec<String>,
    /// The words with spaces between them.
    spaced: String,
    /// The words without spaces: `b2b3` for `b 2 b 3`.
    joined: String,
}

impl NormalisedText {
    fn new(text: &str) -> Self {
        let words: Vec<String> = text
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        Self {
            spaced: words.join(" "),
            joined: words.concat(),
            words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    fn found(texts: &[&str], typed: &str) -> MoveMatch {
        find(&moves(texts), typed)
    }

    const MARKS: [&str; 4] = ["(mark 1 1)", "(mark 1 2)", "(mark 11 1)", "noop"];

    #[test]
    fn the_whole_text_matches_with_or_without_parentheses() {
        for typed in [
            "(mark 1 1)",
            "mark 1 1",
            "MARK 1  1",
            "mark(1,1)",
            " ( mark 1 1 ",
        ] {
            assert_eq!(found(&MARKS, typed), MoveMatch::One(0), "{typed}");
        }
    }

    #[test]
    fn a_number_is_a_position_in_the_list() {
        assert_eq!(found(&MARKS, "2"), MoveMatch::One(1));
        assert_eq!(found(&MARKS, "4"), MoveMatch::One(3));
    }

    #[test]
    fn a_number_is_a_move_if_moves_are_numbers() {
        assert_eq!(found(&["1", "3", "2"], "3"), MoveMatch::One(1));
        assert_eq!(found(&["5", "7"], "1"), MoveMatch::None);
    }

    #[test]
    fn a_part_that_matches_one_move_is_enough() {
        assert_eq!(found(&MARKS, "n"), MoveMatch::One(3));
        assert_eq!(found(&MARKS, "1 1"), MoveMatch::One(0));
        assert_eq!(found(&MARKS, "11 1"), MoveMatch::One(2));
        assert_eq!(
            found(&["(move b 2 b 3)", "(move b 2 c 3)"], "b2b3"),
            MoveMatch::One(0)
        );
        assert_eq!(
            found(&["(move (at b 2))", "(move (at c 2))"], "c 2"),
            MoveMatch::One(1)
        );
    }

    #[test]
    fn a_part_that_matches_several_moves_gives_all_of_them() {
        assert_eq!(found(&MARKS, "mark 1"), MoveMatch::Several(vec![0, 1]));
        assert_eq!(found(&MARKS, "mark"), MoveMatch::Several(vec![0, 1, 2]));
    }

    #[test]
    fn text_that_matches_nothing_gives_no_move() {
        for typed in ["", "()", "pass", "5", "mark 9 9", "0"] {
            assert_eq!(found(&MARKS, typed), MoveMatch::None, "{typed}");
        }
    }

    #[test]
    fn a_filter_keeps_moves_that_contain_the_text() {
        assert_eq!(filter(&moves(&MARKS), "1 1"), [0, 2]);
        assert_eq!(filter(&moves(&MARKS), ""), [0, 1, 2, 3]);
    }
}
