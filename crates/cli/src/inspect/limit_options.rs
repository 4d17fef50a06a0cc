//! The limits of grounding on the command line, and its progress on the terminal.

use std::sync::Arc;
use std::time::Duration;

use ludorum_ground::{GroundBudget, GroundProgram};
use ludorum_propnet::{CompileLimits, CompiledGame};

use crate::outcome::Failure;
use crate::progress;

/// The options for the limits of grounding.
#[derive(Debug, clap::Args)]
pub(super) struct LimitOptions {
    /// Stop grounding at this many rules or atoms (stages ground and network).
    #[arg(
        long = "max-instances",
        value_name = "COUNT",
        default_value_t = GroundBudget::default().max_instances
    )]
    instances: u64,

    /// Stop grounding at this many MiB of memory.
    #[arg(
        long = "max-memory",
        value_name = "MIB",
        default_value_t = GroundBudget::default().max_memory >> 20
    )]
    memory: u64,

    /// Stop grounding after this many seconds.
    #[arg(
        long = "max-time",
        value_name = "SECONDS",
        default_value_t = GroundBudget::default().max_time.as_secs()
    )]
    time: u64,
}

impl LimitOptions {
    /// The limits of grounding.
    pub(super) fn budget(&self) -> GroundBudget {
        GroundBudget {
            max_instances: self.instances,
            max_memory: self.memory.saturating_mul(1 << 20),
            max_time: Duration::from_secs(self.time),
            ..GroundBudget::default()
        }
    }

    /// The limits of all stages.
    pub(super) fn stages(&self) -> CompileLimits {
        CompileLimits {
            ground: self.budget(),
            ..CompileLimits::default()
        }
    }

    /// Grounds a game within the limits; the progress is shown on a terminal.
    pub(super) fn ground(&self, game: &CompiledGame) -> Result<Arc<GroundProgram>, Failure> {
        let bar = progress::spinner("{spinner} grounding {elapsed}: {msg}");
        let program = game.program_with_progress(&self.stages(), &mut |progress| {
            bar.set_message(format!(
                "{} atoms, {} rules",
                progress.atoms, progress.instances
            ));
            bar.tick();
        });
        bar.finish_and_clear();
        program.map_err(|verdict| {
            Failure::input_with_help(
                format!("the rules cannot be grounded: {verdict}"),
                "raise the limits with --max-instances, --max-memory or --max-time",
            )
        })
    }
}
