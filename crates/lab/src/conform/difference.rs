//! Differences between an engine and the expected answers, and how to reproduce them.

use std::fmt;

use serde::Serialize;

/// One difference between the expected and the actual answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Difference {
    /// The roles of the game differ.
    Roles {
        /// The roles in the trace.
        expected: Vec<String>,
        /// The roles of the engine.
        got: Vec<String>,
    },
    /// The fluents of the state differ.
    Facts {
        /// Expected facts that the engine lacks.
        missing: Vec<String>,
        /// Facts of the engine that are not expected.
        extra: Vec<String>,
    },
    /// The legal moves of a role differ.
    Legal {
        /// The role.
        role: String,
        /// Expected moves that the engine lacks.
        missing: Vec<String>,
        /// Moves of the engine that are not expected.
        extra: Vec<String>,
    },
    /// The set of legal moves is right, but the list is unsorted or has duplicates.
    Order {
        /// The role.
        role: String,
        /// The list of the engine.
        got: Vec<String>,
    },
    /// The terminal status differs.
    Terminal {
        /// The expected status.
        expected: bool,
        /// The engine's status.
        got: bool,
    },
    /// The goal value of a role differs.
    Goal {
        /// The role.
        role: String,
        /// The expected goal.
        expected: String,
        /// The engine's goal.
        got: String,
    },
    /// The key of the state differs.
    Key {
        /// The key of the reference engine, or of the same state reached by another path.
        expected: String,
        /// The engine's key.
        got: String,
    },
    /// A query returned an error where an answer was expected.
    Error {
        /// The error.
        message: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = |f: &mut fmt::Formatter<'_>, missing: &[String], extra: &[String]| {
            for text in missing {
                write!(f, "\n  missing   {text}")?;
            }
            for text in extra {
                write!(f, "\n  extra     {text}")?;
            }
            Ok(())
        };
        let pair = |f: &mut fmt::Formatter<'_>, expected: &str, got: &str| {
            write!(f, "\n  expected  {expected}\n  got       {got}")
        };
        match self {
            Self::Roles { expected, got } => {
                write!(f, "roles:")?;
                pair(f, &expected.join(" "), &got.join(" "))
            }
            Self::Facts { missing, extra } => {
                write!(f, "facts of the state:")?;
                sets(f, missing, extra)
            }
            Self::Legal {
                role,
                missing,
                extra,
            } => {
                write!(f, "legal moves of {role}:")?;
                sets(f, missing, extra)
            }
            Self::Order { role, got } => {
                write!(
                    f,
                    "legal moves of {role} are not in order, or some are there twice:"
                )?;
                write!(f, "\n  got       {}", got.join(" "))
            }
            Self::Terminal { expected, got } => {
                write!(f, "terminal:")?;
                pair(f, &expected.to_string(), &got.to_string())
            }
            Self::Goal {
                role,
                expected,
                got,
            } => {
                write!(f, "goal of {role}:")?;
                pair(f, expected, got)
            }
            Self::Key { expected, got } => {
                write!(f, "key of the state:")?;
                pair(f, expected, got)
            }
            Self::Error { message } => write!(f, "an error: {message}"),
        }
    }
}

/// The shortest reproduction found for a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reproduction {
    /// Where the difference was found, such as `playout 2, step 14 of the trace`.
    pub found_in: String,
    /// The facts of the state to start from; `None` for the initial state.
    pub from: Option<Vec<String>>,
    /// The joint moves to play from there.
    pub moves: Vec<Vec<String>>,
    /// The differences in the resulting state.
    pub differences: Vec<Difference>,
}

impl fmt::Display for Reproduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "found in {}", self.found_in)?;
        match &self.from {
            None => writeln!(f, "from the initial state")?,
            Some(facts) if facts.is_empty() => writeln!(f, "from the state without facts")?,
            Some(facts) => {
                writeln!(f, "from the state with the facts")?;
                for fact in facts {
                    writeln!(f, "  {fact}")?;
                }
            }
        }
        if !self.moves.is_empty() {
            writeln!(f, "after the joint moves")?;
            for joint in &self.moves {
                writeln!(f, "  {}", joint.join("  "))?;
            }
        }
        write!(f, "this differs")?;
        for difference in &self.differences {
            write!(f, "\n{difference}")?;
        }
        Ok(())
    }
}
