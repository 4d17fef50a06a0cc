//! Options of players: what they are called, what they may be, what they are if nothing is said.

use ludorum_engines::Engine;

/// What an option may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
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
    /// The name of an engine.
    Engine,
}

/// An option of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is if nothing is said, as it would be written.
    pub default: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// One line of help.
    pub about: &'static str,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Count(u64),
    Number(f64),
    Word(&'static str),
    Engine(Engine),
}

impl Kind {
    /// Reads a value.
    pub(crate) fn read(self, text: &str) -> Option<Value> {
        match self {
            Self::Count { min, max } => {
                let count = text.parse().ok()?;
                (min..=max).contains(&count).then_some(Value::Count(count))
            }
            Self::Number { min, max } => {
                let number = text.parse().ok()?;
                (min..=max)
                    .contains(&number)
                    .then_some(Value::Number(number))
            }
            Self::Word(words) => words
                .iter()
                .find(|word| **word == text)
                .copied()
                .map(Value::Word),
            Self::Engine => text.parse().ok().map(Value::Engine),
        }
    }

    /// What may be written, for people.
    pub fn expected(self) -> String {
        match self {
            Self::Count { min, max: u64::MAX } => format!("a whole number from {min}"),
            Self::Count { min, max } => format!("a whole number from {min} to {max}"),
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Engine => format!("one of {}", Engine::ALL.map(Engine::name).join(", ")),
        }
    }
}
