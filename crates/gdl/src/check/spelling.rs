//! Suggestions for misspelt names.

/// Maximum number of comparisons for one sheet, so that suggestions do not cost more than the
/// checks.
const COMPARISONS: usize = 100_000;
/// Maximum length of compared names.
const LONGEST: usize = 48;

/// Finds the name that was probably meant.
#[derive(Debug)]
pub(super) struct Speller {
    left: std::cell::Cell<usize>,
}

impl Default for Speller {
    fn default() -> Self {
        Self {
            left: std::cell::Cell::new(COMPARISONS),
        }
    }
}

impl Speller {
    /// The candidate nearest to `word`, if it is so near that a typing error is likely.
    pub(super) fn nearest<'n>(
        &self,
        word: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let length = word.chars().count();
        let allowed = match length {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        if length > LONGEST {
            return None;
        }
        let mut best: Option<(usize, &str)> = None;
        for candidate in candidates {
            if candidate == word || candidate.len().abs_diff(word.len()) > 4 * allowed {
                continue;
            }
            if self.left.get() == 0 {
                break;
            }
            self.left.set(self.left.get() - 1);
            let distance = if candidate.to_lowercase() == word.to_lowercase() {
                0
            } else {
                distance(word, candidate)
            };
            // A distance of half the length of the shorter name is too large.
            let shorter = length.min(candidate.chars().count());
            if distance <= allowed
                && 2 * distance < shorter
                && !differ_by_number(word, candidate)
                && best.is_none_or(|(d, _)| distance < d)
            {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, name)| name)
    }
}

/// Names such as `cell1` and `cell2` are different on purpose.
fn differ_by_number(a: &str, b: &str) -> bool {
    let letters = |s: &str| -> String { s.chars().filter(|c| !c.is_ascii_digit()).collect() };
    a.chars().any(|c| c.is_ascii_digit())
        && b.chars().any(|c| c.is_ascii_digit())
        && letters(a) == letters(b)
}

/// The edit distance with transpositions of adjacent characters (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(LONGEST + 8).collect();
    let b: Vec<char> = b.chars().take(LONGEST + 8).collect();
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j - 1] + change).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest<'n>(word: &str, candidates: &[&'n str]) -> Option<&'n str> {
        Speller::default().nearest(word, candidates.iter().copied())
    }

    #[test]
    fn a_slip_of_one_or_two_letters_is_found() {
        assert_eq!(
            nearest("adjacnet", &["adjoin", "adjacent"]),
            Some("adjacent")
        );
        assert_eq!(nearest("adjcent", &["adjacent"]), Some("adjacent"));
        assert_eq!(nearest("Line", &["line", "lines"]), Some("line"));
    }

    #[test]
    fn other_names_are_not_slips() {
        assert_eq!(nearest("row", &["col", "diagonal"]), None);
        assert_eq!(nearest("p", &["q"]), None);
        assert_eq!(nearest("row1", &["row2"]), None);
    }

    #[test]
    fn distances_count_edits_and_swaps() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abcd", "abdc"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
