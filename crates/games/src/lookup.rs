//! Lookup of games by name, words and tags.

use std::collections::BTreeMap;

use crate::library::{ShippedGame, all};

/// The game with a name. Case is ignored, and spaces and underscores match hyphens: `Connect Four`
/// finds `connect-four`.
pub fn find(name: &str) -> Option<&'static ShippedGame> {
    let name = fold(name);
    let games = all();
    let index = games
        .binary_search_by(|game| game.name.cmp(name.as_str()))
        .ok()?;
    games.get(index)
}

/// The games that have every tag and that contain every word in their name, title, roles, tags or
/// rules, sorted by name.
pub fn search(words: &[String], tags: &[String]) -> Vec<&'static ShippedGame> {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    all()
        .iter()
        .filter(|game| {
            tags.iter().all(|tag| {
                let tag = fold(tag);
                game.tags.contains(&tag)
            })
        })
        .filter(|game| words.iter().all(|word| mentions(game, word)))
        .collect()
}

/// All tags with the number of games of each.
pub fn tags() -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for tag in all().iter().flat_map(|game| &game.tags) {
        *counts.entry(tag.as_str()).or_insert(0) += 1;
    }
    counts
}

/// At most three names similar to `name`, the most similar first.
pub fn suggest(name: &str) -> Vec<&'static str> {
    closest(name, all().iter().map(|game| game.name))
}

fn fold(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '_'], "-")
}

fn mentions(game: &ShippedGame, word: &str) -> bool {
    game.name.contains(word)
        || game.title.to_lowercase().contains(word)
        || game.rules.to_lowercase().contains(word)
        || game.tags.iter().any(|tag| tag.contains(word))
        || game.roles.iter().any(|role| role.contains(word))
}

/// The similarity is the normalised Damerau-Levenshtein similarity, or at least 0.7 if one name
/// contains the other.
fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    // The bound limits the quadratic comparison for long input; all names are shorter.
    let name: String = fold(name).chars().take(80).collect();
    if name.is_empty() {
        return Vec::new();
    }
    let plain = |text: &str| text.replace('-', "");
    let mut scored: Vec<(f64, &str)> = names
        .filter_map(|candidate| {
            let typed = strsim::normalized_damerau_levenshtein(&plain(&name), &plain(candidate));
            let within = candidate.contains(&*name) || name.contains(candidate);
            let score = if within && name.len() > 2 {
                typed.max(0.7)
            } else {
                typed
            };
            (score >= 0.6).then_some((score, candidate))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = [
        "connect-four",
        "connect-four-suicide",
        "mini-chess",
        "nim",
        "tic-tac-toe",
    ];

    fn suggestions(name: &str) -> Vec<&'static str> {
        closest(name, NAMES.into_iter())
    }

    #[test]
    fn typing_errors_and_lost_hyphens_find_the_name() {
        assert_eq!(suggestions("conect-four")[0], "connect-four");
        assert_eq!(suggestions("tictactoe"), ["tic-tac-toe"]);
        assert_eq!(suggestions("nmi"), ["nim"]);
    }

    #[test]
    fn a_part_of_a_name_finds_the_name() {
        assert_eq!(suggestions("chess"), ["mini-chess"]);
        assert_eq!(
            suggestions("connect"),
            ["connect-four", "connect-four-suicide"]
        );
    }

    #[test]
    fn a_word_unlike_any_name_suggests_nothing() {
        assert!(suggestions("backgammon").is_empty());
        assert!(suggestions("").is_empty());
        assert!(suggestions(&"x".repeat(1_000_000)).is_empty());
    }
}
