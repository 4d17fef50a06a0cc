//! The options of players: names, defaults, kinds and values.

mod values;

pub use values::{OptionError, OptionValues};

/// What the value of an option may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// A whole number.
    Count {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// A number.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
    /// One of some words.
    Word(&'static [&'static str]),
    /// One of some names, with options of its own after a colon. Only the name is checked here.
    Name(&'static [&'static str]),
}

/// An option of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// Its value where none is given, as text.
    pub default: &'static str,
    /// What its value may be.
    pub kind: OptionKind,
    /// One line of help.
    pub about: &'static str,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OptionValue {
    Count(u64),
    Number(f64),
    /// A word, or the name before the colon.
    Word(&'static str),
}

impl OptionKind {
    /// Parses a value; none if the kind does not allow it.
    pub(crate) fn parse(self, text: &str) -> Option<OptionValue> {
        let find = |words: &'static [&'static str], text: &str| {
            let word = words.iter().find(|word| **word == text);
            word.copied().map(OptionValue::Word)
        };
        match self {
            Self::Count { min, max } => {
                let count = text.parse().ok()?;
                (min..=max)
                    .contains(&count)
                    .then_some(OptionValue::Count(count))
            }
            Self::Number { min, max } => {
                let number = text.parse().ok()?;
                (min..=max)
                    .contains(&number)
                    .then_some(OptionValue::Number(number))
            }
            Self::Word(words) => find(words, text),
            Self::Name(names) => find(names, text.split(':').next().unwrap_or(text).trim()),
        }
    }

    /// The allowed values, for people.
    pub fn expected(self) -> String {
        match self {
            Self::Count { min, max: u64::MAX } => format!("a whole number from {min}"),
            Self::Count { min, max } => format!("a whole number from {min} to {max}"),
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Word(words) | Self::Name(words) => format!("one of {}", words.join(", ")),
        }
    }
}

impl OptionInfo {
    /// An option whose value is a whole number.
    pub const fn count(
        name: &'static str,
        default: &'static str,
        min: u64,
        max: u64,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            default,
            kind: OptionKind::Count { min, max },
            about,
        }
    }

    /// An option whose value is a number from 0.
    pub const fn number(
        name: &'static str,
        default: &'static str,
        max: f64,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            default,
            kind: OptionKind::Number { min: 0.0, max },
            about,
        }
    }

    /// An option whose value is one of some words; the first is the default.
    pub const fn word(
        name: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self {
            name,
            default: words[0],
            kind: OptionKind::Word(words),
            about,
        }
    }
}

/// The seed of all random numbers of a player.
pub const SEED: OptionInfo =
    OptionInfo::count("seed", "1", 0, u64::MAX, "where all chance comes from");

/// The simulation budget of a move.
pub const SIMULATIONS: OptionInfo = OptionInfo::count(
    "simulations",
    "0",
    0,
    u64::MAX,
    "the most playouts for a move; 0 for as many as the time allows",
);

/// The depth limit of a playout.
pub const LIMIT: OptionInfo = OptionInfo::count(
    "limit",
    "1000",
    1,
    1_000_000,
    "the steps after which a playout is cut",
);

/// The number of search threads.
pub const THREADS: OptionInfo =
    OptionInfo::count("threads", "1", 1, 1024, "how many threads search");
