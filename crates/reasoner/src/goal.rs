//! The goal value of a role.

use std::fmt;

use serde::Serialize;

/// The goal of a role in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Goal {
    /// Exactly one value, 0 to 255. GDL allows 0 to 100.
    Value(u8),
    /// No usable value, with the reason. In a terminal state this is an error of the rule sheet.
    Missing(NoGoal),
}

impl Goal {
    /// The value, if there is one.
    pub fn value(&self) -> Option<u8> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Missing(_) => None,
        }
    }

    /// The goal that follows from the values of the true `goal` facts, each as KIF text.
    pub fn from_texts(mut texts: Vec<String>) -> Self {
        texts.sort_unstable_by_key(|text| (text.parse::<i64>().ok(), text.clone()));
        texts.dedup();
        match &texts[..] {
            [] => Self::Missing(NoGoal::None),
            [text] => text.parse().map_or_else(
                |_| Self::Missing(NoGoal::NotANumber(text.clone())),
                Self::Value,
            ),
            _ => Self::Missing(NoGoal::Several(texts)),
        }
    }
}

/// Why a role has no goal value in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoGoal {
    /// No `goal` fact is true.
    None,
    /// Several `goal` facts are true; their values in ascending order.
    Several(Vec<String>),
    /// The only value is not a number from 0 to 255.
    NotANumber(String),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "{value}"),
            Self::Missing(NoGoal::None) => write!(f, "none"),
            Self::Missing(NoGoal::Several(all)) => write!(f, "several: {}", all.join(", ")),
            Self::Missing(NoGoal::NotANumber(text)) => write!(f, "not a number: {text}"),
        }
    }
}
