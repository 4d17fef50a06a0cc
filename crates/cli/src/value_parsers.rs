//! Value parsers of times and counts on the command line.

use std::num::NonZeroUsize;
use std::time::Duration;

/// The longest time that may be given, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// Parses seconds, with or without a fraction.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "seconds are a number, as in 2 or 0.5".to_owned())?;
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return Err(format!("seconds are a number from 0 to {MAX_SECONDS}"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Parses a number of at least 1.
pub(crate) fn count(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse();
    number.map_err(|_| "a whole number of at least 1 is needed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_accepted_and_nonsense_is_refused() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        for text in ["-1", "NaN", "inf", "1e9", "soon", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
