//! In what an engine differs from what is expected, and how to see it again.

use std::fmt;

use serde::Serialize;

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Difference {
    /// The roles.
    Roles {
        /// As the trace has them.
        expected: Vec<String>,
        /// As the engine has them.
        got: Vec<String>,
    },
    /// The fluents of the state.
    Facts {
        /// Expected and not there.
        missing: Vec<String>,
        /// There and not expected.
        extra: Vec<String>,
    },
    /// The legal moves of a role.
    Legal {
        /// The role.
        role: String,
        /// Expected and not there.
        missing: Vec<String>,
        /// There and not expected.
        extra: Vec<String>,
    },
    /// The right moves, yet not sorted by text, or some twice.
    Order {
        /// The role.
        role: String,
        /// The list.
        got: Vec<String>,
    },
    /// Whether the state is terminal.
    Terminal {
        /// As expected.
        expected: bool,
        /// As it is.
        got: bool,
    },
    /// The goal of a role.
    Goal {
        /// The role.
        role: String,
        /// As expected.
        expected: String,
        /// As it is.
        got: String,
    },
    /// The key of the state.
    Key {
        /// As the other engine, or the same state come by in another way, has it.
        expected: String,
        /// As it is.
        got: String,
    },
    /// A question that should have an answer got an error.
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

/// The shortest way found to see a difference again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reproduction {
    /// Where it was found, such as `playout 2, step 14 of the trace`.
    pub found_in: String,
    /// The facts of the state to start from; `None` for the initial state.
    pub from: Option<Vec<String>>,
    /// The joint moves to make from there.
    pub moves: Vec<Vec<String>>,
    /// What differs then.
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
