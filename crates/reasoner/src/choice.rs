//! What was chosen, and why.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Which engine answers, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "engine", rename_all = "lowercase")]
pub enum Choice {
    /// The prover, as long as the network is being compiled.
    #[serde(rename = "prover, compiling")]
    Compiling,
    /// The network.
    Propnet {
        /// How many components it has.
        components: usize,
        /// How long compiling took.
        #[serde(serialize_with = "seconds", rename = "seconds")]
        time: Duration,
        /// From how many playouts at once on they are left to lanes; none if there are no lanes, or
        /// not yet.
        lanes: Option<u64>,
    },
    /// The prover, for good.
    Prover {
        /// Why there is no network.
        reason: String,
        /// The engine that playouts are left to, if another is faster.
        playouts: Option<&'static str>,
    },
}

impl Choice {
    /// The name of the engine that answers.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Propnet { .. } => "propnet",
            Self::Compiling | Self::Prover { .. } => "prover",
        }
    }
}

impl Choice {
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

impl fmt::Display for Choice {
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
