//! The choice of an engine, with its reason.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Which engine answers and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "engine", rename_all = "lowercase")]
pub enum EngineChoice {
    /// The prover, while the network is being compiled.
    #[serde(rename = "prover, compiling")]
    Compiling,
    /// The network.
    Propnet {
        /// The number of components.
        components: usize,
        /// The time that compiling took.
        #[serde(serialize_with = "seconds", rename = "seconds")]
        time: Duration,
        /// The number of playouts per call from which on lanes play them. `None` if there are no
        /// lanes, or not yet.
        lanes: Option<u64>,
    },
    /// The prover, for the whole game.
    Prover {
        /// Why there is no network.
        reason: String,
        /// The engine that plays the playouts, if one is faster than the prover.
        playouts: Option<&'static str>,
    },
}

impl EngineChoice {
    /// The name of the engine that answers.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Propnet { .. } => "propnet",
            Self::Compiling | Self::Prover { .. } => "prover",
        }
    }

    /// The names of all engines that answer.
    pub fn engines(&self) -> String {
        match self {
            Self::Propnet { lanes: Some(_), .. } => "propnet and lanes".to_owned(),
            Self::Prover {
                playouts: Some(name),
                ..
            } => format!("prover and {name}"),
            choice => choice.engine().to_owned(),
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compiling => write!(f, "prover (a network is being compiled)"),
            Self::Propnet {
                components,
                time,
                lanes,
            } => {
                let time = time.as_secs_f64() * 1e3;
                write!(
                    f,
                    "propnet ({components} components, compiled in {time:.0} ms)"
                )?;
                match lanes {
                    Some(from) => write!(f, ", lanes for {from} playouts and more"),
                    None => Ok(()),
                }
            }
            Self::Prover { reason, playouts } => {
                write!(f, "prover ({reason})")?;
                match playouts {
                    Some(name) => write!(f, ", {name} for playouts"),
                    None => Ok(()),
                }
            }
        }
    }
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
