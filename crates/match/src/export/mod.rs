/*!
Records as text that outlives this program: [`ggp`] is the JSON of matches that ggp.org used,
[`trace`] is KIF that can be played again. Both can be read as well as written.
*/

pub mod ggp;
#[cfg(test)]
mod testing;
pub mod trace;

use thiserror::Error;

/// A text that holds no match.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this is no match that can be read: {0}")]
pub struct ExportError(String);

impl ExportError {
    fn new(problem: impl std::fmt::Display) -> Self {
        Self(problem.to_string())
    }
}
