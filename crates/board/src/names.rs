//! Names of a sheet as text for readers.

/// Maximum length of a displayed text.
const MAX_CHARS: usize = 60;
/// Maximum number of facts of one name that are listed separately.
const MAX_LISTED: usize = 24;
/// Maximum number of names that are listed.
const MAX_GROUPS: usize = 40;

/// The words of a name in lower case: `whiteKing`, `white_king` and `WHITE-KING` have two words,
/// `c3` has one.
pub(crate) fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in name.chars().take(4 * MAX_CHARS) {
        let starts = c.is_uppercase() && before.is_lowercase();
        if (starts || matches!(c, '_' | '-' | ' ')) && !word.is_empty() {
            // A minus before digits is the sign of a number and does not separate words.
            words.push(std::mem::take(&mut word));
        }
        if !(matches!(c, '_' | ' ') || (c == '-' && before.is_alphanumeric())) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    // Many sheets call a role `xplayer`.
    if let Some(first) = words.last().and_then(|word| word.strip_suffix("player"))
        && !first.is_empty()
    {
        let first = first.to_owned();
        words.pop();
        words.extend([first, "player".to_owned()]);
    }
    words
}

/// A name with spaces between its words: `capture_count` becomes `capture count`.
pub(crate) fn display_name(name: &str) -> String {
    truncate(&split_words(name).join(" "), MAX_CHARS)
}

/// Truncates a text to a number of characters.
pub(crate) fn truncate(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Wraps a text into at most `most` lines; the last one is truncated.
pub(crate) fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let room = lines.len() < most;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ if room => lines.push(truncate(word, width)),
            Some(line) => {
                line.push_str(" …");
                break;
            }
            None => break,
        }
    }
    lines
}

/// Capitalises the first letter.
pub(crate) fn capitalise(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Facts grouped by name: `has moved: rook a 1, king`.
pub(crate) fn group_facts(facts: &[crate::flat_term::FlatTerm]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for fact in facts {
        let text = fact
            .leaves
            .iter()
            .map(|leaf| display_name(leaf))
            .collect::<Vec<_>>()
            .join(" ");
        match groups.iter_mut().find(|(name, _)| *name == fact.name) {
            Some((_, list)) => list.push(text),
            None => groups.push((&fact.name, vec![text])),
        }
    }
    let left = groups.len().saturating_sub(MAX_GROUPS);
    let mut lines: Vec<String> = groups
        .iter()
        .take(MAX_GROUPS)
        .map(|(name, list)| {
            let name = display_name(name);
            let list: Vec<&String> = list.iter().filter(|text| !text.is_empty()).collect();
            if list.is_empty() {
                return name;
            }
            let shown: Vec<&str> = list.iter().take(MAX_LISTED).map(|s| s.as_str()).collect();
            let more = list.len() - shown.len();
            let tail = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{name}: {}{tail}", shown.join(", "))
        })
        .collect();
    if left > 0 {
        lines.push(format!("and {left} more kinds of facts"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_of_names_become_spaces() {
        assert_eq!(display_name("capture_count"), "capture count");
        assert_eq!(display_name("whiteKing"), "white king");
        assert_eq!(display_name("north-store"), "north store");
        assert_eq!(display_name("xplayer"), "x player");
        assert_eq!(display_name("c3"), "c3");
        assert_eq!(display_name("-3"), "-3");
    }

    #[test]
    fn facts_are_grouped_by_name() {
        let facts =
            ["(moved rook a)", "(moved king)", "over"].map(crate::flat_term::FlatTerm::read);
        assert_eq!(group_facts(&facts), ["moved: rook a, king", "over"]);
    }
}
