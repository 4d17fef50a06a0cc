//! Traces: playouts recorded with an independent reasoner, in files `COLLECTION/GAME.json.gz`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// Maximum uncompressed size of a trace in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The recorded playouts of one game.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    /// The roles in the order of the `role` facts.
    pub roles: Vec<String>,
    /// The playouts; each starts at the initial state.
    pub playouts: Vec<TracedPlayout>,
}

/// One recorded playout.
#[derive(Clone, Debug, Deserialize)]
pub struct TracedPlayout {
    /// The states of the playout.
    pub steps: Vec<TracedStep>,
}

/// All facts recorded about one state.
#[derive(Clone, Debug, Deserialize)]
pub struct TracedStep {
    /// The fluents in KIF, sorted.
    pub state: Vec<String>,
    /// The legal moves of every role, sorted.
    pub legals: BTreeMap<String, Vec<String>>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The goal value of every role; null if the rules give no value or several.
    pub goals: BTreeMap<String, Option<i64>>,
    /// All goal values of roles that have more than one.
    #[serde(default)]
    pub goals_all: BTreeMap<String, Vec<Value>>,
    /// The joint move played in this state. The last step has none, unless recording stopped before
    /// the successor was computed.
    #[serde(default)]
    pub moves: Option<Vec<String>>,
}

/// The error of a trace that cannot be used.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file cannot be read or decompressed.
    #[error("cannot read the trace: {0}")]
    Unreadable(#[from] io::Error),
    /// The file is not a trace in JSON.
    #[error("this is not a trace: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A step lacks a field, or has a joint move of the wrong size.
    #[error("playout {playout}, step {step} of the trace: {problem}")]
    Incomplete {
        /// The playout, counted from 1.
        playout: usize,
        /// The step, counted from 0.
        step: usize,
        /// A description of the error.
        problem: String,
    },
}

impl Trace {
    /// Reads a trace from a file; files with the extension `.gz` are decompressed.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let file = BufReader::new(File::open(path)?);
        let mut text = String::new();
        if path.extension().is_some_and(|extension| extension == "gz") {
            GzDecoder::new(file)
                .take(MAX_BYTES)
                .read_to_string(&mut text)?;
        } else {
            file.take(MAX_BYTES).read_to_string(&mut text)?;
        }
        Self::parse(&text)
    }

    /// Parses a trace from its JSON text.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let trace: Self = serde_json::from_str(text)?;
        trace.check()?;
        Ok(trace)
    }

    /// Checks the invariant that the comparison needs: every step has entries for every role.
    fn check(&self) -> Result<(), TraceError> {
        for (p, playout) in self.playouts.iter().enumerate() {
            for (step, recorded) in playout.steps.iter().enumerate() {
                let incomplete = |problem| TraceError::Incomplete {
                    playout: p + 1,
                    step,
                    problem,
                };
                for role in &self.roles {
                    if !recorded.legals.contains_key(role) {
                        return Err(incomplete(format!("no legal moves of {role}")));
                    }
                    if !recorded.goals.contains_key(role) {
                        return Err(incomplete(format!("no goal of {role}")));
                    }
                }
                match &recorded.moves {
                    Some(moves) if moves.len() != self.roles.len() => {
                        return Err(incomplete(format!(
                            "{} moves for {} roles",
                            moves.len(),
                            self.roles.len()
                        )));
                    }
                    None if step + 1 < playout.steps.len() => {
                        return Err(incomplete("no moves, yet a next step".to_owned()));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_moves_is_only_allowed_at_the_end() {
        let step = r#"{"state": [], "legals": {"a": []}, "terminal": false, "goals": {"a": null}}"#;
        let trace = |steps: &str| {
            Trace::parse(&format!(
                r#"{{"roles": ["a"], "playouts": [{{"steps": [{steps}]}}]}}"#
            ))
        };
        assert!(trace(step).is_ok());
        let error = trace(&format!("{step}, {step}")).unwrap_err();
        assert!(error.to_string().contains("playout 1, step 0"), "{error}");
    }

    #[test]
    fn a_step_without_an_entry_for_a_role_is_rejected() {
        let error = Trace::parse(
            r#"{"roles": ["a"], "playouts": [{"steps": [
                {"state": [], "legals": {}, "terminal": false, "goals": {"a": 1}}]}]}"#,
        )
        .unwrap_err();
        assert!(error.to_string().contains("legal moves of a"), "{error}");
    }
}
