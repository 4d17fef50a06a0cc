//! Moves as people type and read them: which one is meant ([`choice`]), lists of them
//! ([`listing`]), and ways through a game ([`way`]).

use ludorum_gdl::ground_term::without_parentheses;

pub(crate) mod choice;
pub(crate) mod listing;
pub(crate) mod way;

/// A joint move in words: the moves of those who did more than wait, as far as anybody did.
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
    fn who_waits_is_not_worth_a_word() {
        let told =
            |texts: &[&str]| joint(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(told(&["(mark 1 1)", "noop"]), "mark 1 1");
        assert_eq!(told(&["rock", "paper"]), "rock | paper");
        assert_eq!(told(&["noop", "noop"]), "noop");
    }
}
