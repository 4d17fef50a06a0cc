//! The choice among engines, with its reasons.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// Which engines answer and why, in an engine that chooses among others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineChoice {
    /// The engine that answers questions about single states.
    #[serde(rename = "engine")]
    pub states: &'static str,
    /// The engine that plays many playouts at once.
    pub playouts: &'static str,
    /// What became of the network.
    #[serde(flatten)]
    pub network: NetworkProgress,
    /// The number of playouts per call from which on lanes play them, on the rules as they are or
    /// staged, if they do at all.
    pub lanes: Option<u64>,
    /// The engines that are ready, with their measured costs.
    pub costs: Vec<EngineCosts>,
}

/// How far the network of a game is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "network", rename_all = "lowercase")]
pub enum NetworkProgress {
    /// It is being compiled.
    Compiling,
    /// It is there.
    Ready {
        /// The number of its components.
        components: usize,
        /// The time that compiling took.
        #[serde(serialize_with = "seconds", rename = "seconds")]
        time: Duration,
    },
    /// There is none.
    Missing {
        /// Why.
        reason: String,
    },
}

/// What the questions of a search cost on an engine, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineCosts {
    /// The name of the engine.
    pub engine: &'static str,
    /// Terminal, goals and legal moves of one state.
    pub state: f64,
    /// The successor of one state.
    pub next: f64,
    /// A step of a playout, when as many playouts are made as the engine likes.
    pub step: f64,
}

impl EngineChoice {
    /// Whether the network is still being compiled.
    pub fn is_compiling(&self) -> bool {
        self.network == NetworkProgress::Compiling
    }

    /// The names of all engines that answer.
    pub fn engines(&self) -> String {
        if self.states == self.playouts {
            self.states.to_owned()
        } else {
            format!("{} and {}", self.states, self.playouts)
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.engines())?;
        match &self.network {
            NetworkProgress::Compiling => write!(f, "a network is being compiled")?,
            NetworkProgress::Ready { components, time } => {
                let time = time.as_secs_f64() * 1e3;
                write!(f, "{components} components, compiled in {time:.0} ms")?;
            }
            NetworkProgress::Missing { reason } => write!(f, "{reason}")?,
        }
        match self.lanes {
            Some(from) => write!(f, "; lanes for {from} playouts and more)"),
            None => write!(f, ")"),
        }
    }
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
