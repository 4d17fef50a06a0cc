//! Random match ids and secrets.

/// Letters and digits that cannot be confused; five bits each.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A random word; none if the system provides no random numbers.
pub(crate) fn word(letters: usize) -> Option<String> {
    let mut bytes = vec![0; letters];
    getrandom::fill(&mut bytes).ok()?;
    let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
    Some(bytes.iter().map(letter).collect())
}

/// Constant-time comparison of two secrets.
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
    fn secrets_differ_and_are_compared_completely() {
        let (a, b) = (word(26).unwrap(), word(26).unwrap());
        assert_eq!(a.len(), 26);
        assert!(!is_same(&a, &b));
        assert!(is_same(&a, &a.clone()));
        assert!(!is_same(&a, &a[..25]));
        assert!(!is_same("", &a));
    }
}
