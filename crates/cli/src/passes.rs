//! The choice of passes over a network on the command line.

use std::str::FromStr;

use ludorum_propnet::Pass;
use ludorum_propnet::pass::{UnknownPass, parse_list};

/// A list of passes; a type of its own, since a list of values would mean an option given many
/// times.
#[derive(Clone, Debug)]
pub(crate) struct Passes(pub(crate) Vec<Pass>);

impl FromStr for Passes {
    type Err = UnknownPass;

    fn from_str(text: &str) -> Result<Self, UnknownPass> {
        parse_list(text).map(Self)
    }
}
