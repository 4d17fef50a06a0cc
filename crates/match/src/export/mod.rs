/*!
Match records as text: [`ggp`] is the JSON format of ggp.org, [`trace`] is KIF that can be replayed.
Both can be written and read.
*/

pub mod ggp;
#[cfg(test)]
mod testing;
pub mod trace;

use thiserror::Error;

/// A text that is not a match record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this is no match that can be read: {0}")]
pub struct ExportError(String);

impl ExportError {
    fn new(problem: impl std::fmt::Display) -> Self {
        Self(problem.to_string())
    }
}
