//! Moves as people type and read them: which one is meant ([`choice`]), lists of them
//! ([`listing`]), and ways through a game ([`way`]).

pub(crate) mod choice;
pub(crate) mod listing;
pub(crate) mod way;

/// A term without its outer parentheses.
pub(crate) fn bare(text: &str) -> &str {
    text.strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(text)
}

/// A joint move in words: the moves of those who did more than wait, as far as anybody did.
pub(crate) fn joint(texts: &[String]) -> String {
    let waits = |text: &&String| matches!(text.to_lowercase().as_str(), "noop" | "(noop)");
    let mut busy: Vec<&str> = texts
        .iter()
        .filter(|t| !waits(t))
        .map(|t| bare(t))
        .collect();
    if busy.is_empty() {
        busy = texts.iter().take(1).map(|text| bare(text)).collect();
    }
    busy.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outer_parentheses_go() {
        assert_eq!(bare("(move (at a 1) b)"), "move (at a 1) b");
        assert_eq!(bare("noop"), "noop");
    }

    #[test]
    fn who_waits_is_not_worth_a_word() {
        let told =
            |texts: &[&str]| joint(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(told(&["(mark 1 1)", "noop"]), "mark 1 1");
        assert_eq!(told(&["rock", "paper"]), "rock | paper");
        assert_eq!(told(&["noop", "noop"]), "noop");
    }
}
