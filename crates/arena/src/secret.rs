//! Names and keys that nobody can guess.

/// Letters and digits that are not taken for each other.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A word of so many random letters; each has five bits. None if the system has no random numbers.
pub(crate) fn word(letters: usize) -> Option<String> {
    let mut bytes = vec![0; letters];
    getrandom::fill(&mut bytes).ok()?;
    let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
    Some(bytes.iter().map(letter).collect())
}

/// Whether two keys are the same, in a time that does not tell where they differ.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let differing = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    a.len() == b.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_are_compared_whole() {
        let (a, b) = (word(26).unwrap(), word(26).unwrap());
        assert_eq!(a.len(), 26);
        assert!(!is_same(&a, &b));
        assert!(is_same(&a, &a.clone()));
        assert!(!is_same(&a, &a[..25]));
        assert!(!is_same("", &a));
    }
}
