//! Pass lists: sequences of passes with a text form, for options of engines, players and commands.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{FULL, Pass, SIRONI_WINANDS, UnknownPass};

/// The largest number of passes in a [`PassList`].
const MAX_PASSES: usize = 32;

/// A sequence of at most 32 passes. It is `Copy` so that engine specifications can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PassList {
    length: u8,
    /// The passes. Unused places hold the first pass, so that equal lists compare as equal.
    passes: [Pass; MAX_PASSES],
}

/// Why a text is not a pass list.
#[derive(Clone, Debug, Error)]
pub enum PassListError {
    /// There is no pass with this name.
    #[error(transparent)]
    Unknown(#[from] UnknownPass),
    /// There are too many passes.
    #[error("a sequence has at most {MAX_PASSES} passes")]
    TooLong,
}

impl PassList {
    /// The sequence [`FULL`].
    pub const FULL: Self = Self::from_slice(FULL);
    /// The sequence [`SIRONI_WINANDS`].
    pub const SIRONI_WINANDS: Self = Self::from_slice(&SIRONI_WINANDS);

    /// A list of the first 32 passes.
    pub const fn from_slice(passes: &[Pass]) -> Self {
        let mut list = Self {
            length: 0,
            passes: [Pass::Opt0; MAX_PASSES],
        };
        while (list.length as usize) < passes.len() && (list.length as usize) < MAX_PASSES {
            list.passes[list.length as usize] = passes[list.length as usize];
            list.length += 1;
        }
        list
    }

    /// The passes in their order.
    pub fn as_slice(&self) -> &[Pass] {
        &self.passes[..self.length as usize]
    }

    /// The passes in their order, owned.
    pub fn to_vec(&self) -> Vec<Pass> {
        self.as_slice().to_vec()
    }
}

impl Default for PassList {
    fn default() -> Self {
        Self::FULL
    }
}

impl FromStr for PassList {
    type Err = PassListError;

    fn from_str(text: &str) -> Result<Self, PassListError> {
        let passes = parse_names(text)?;
        if passes.len() > MAX_PASSES {
            return Err(PassListError::TooLong);
        }
        Ok(Self::from_slice(&passes))
    }
}

impl fmt::Display for PassList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_slice() {
            [] => f.write_str("none"),
            passes if passes == FULL => f.write_str("full"),
            passes => {
                let names: Vec<&str> = passes.iter().map(|pass| pass.name()).collect();
                f.write_str(&names.join(","))
            }
        }
    }
}

/// Parses names separated by commas, digits alone (`1023`), or one of `full`, `paper` (for
/// [`SIRONI_WINANDS`]) and `none`.
fn parse_names(text: &str) -> Result<Vec<Pass>, UnknownPass> {
    let text = text.trim();
    match text {
        "full" => Ok(FULL.to_vec()),
        "paper" => Ok(SIRONI_WINANDS.to_vec()),
        "none" | "" => Ok(Vec::new()),
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let digits = text.chars().map(String::from);
            digits.map(|digit| digit.parse()).collect()
        }
        _ => text.split(',').map(|name| name.trim().parse()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_printed_and_read_back() {
        for text in ["none", "full", "1,0,2,3", "hash,flatten,hash"] {
            assert_eq!(text.parse::<PassList>().unwrap().to_string(), text);
        }
        assert_eq!(
            "1023".parse::<PassList>().unwrap(),
            PassList::SIRONI_WINANDS
        );
        assert_eq!(
            "paper".parse::<PassList>().unwrap(),
            PassList::SIRONI_WINANDS
        );
    }

    #[test]
    fn unknown_passes_and_too_long_lists_are_rejected() {
        assert!("1,9".parse::<PassList>().is_err());
        let long = vec!["hash"; MAX_PASSES + 1].join(",");
        assert!(matches!(
            long.parse::<PassList>(),
            Err(PassListError::TooLong)
        ));
    }
}
