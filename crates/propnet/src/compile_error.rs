//! Why compiling a game failed.

use ludorum_ground::GroundError;
use thiserror::Error;

/// Why a stage of a compiled game could not be made.
#[derive(Clone, Debug, Error)]
pub enum CompileError {
    /// The rules cannot be grounded within the budget.
    #[error("{0}")]
    Ground(GroundError),
    /// The deadline passed.
    #[error("out of the time allowed while {while_at}")]
    Late {
        /// The stage that was being made.
        while_at: &'static str,
    },
    /// The cancel flag was set.
    #[error("cancelled")]
    Cancelled,
}
