//! The stages of `cargo xtask test`: each is one cargo command.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A cargo command that passes or fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// What it checks.
    pub(crate) name: String,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

/// The result of a stage.
pub(crate) struct StageResult {
    pub(crate) passed: bool,
    pub(crate) time: Duration,
}

impl Stage {
    /// Makes a stage that runs `cargo` with these arguments.
    pub(crate) fn cargo(name: impl Into<String>, args: &[&str]) -> Self {
        Self {
            name: name.into(),
            args: args.iter().map(ToString::to_string).collect(),
            env: Vec::new(),
        }
    }

    /// Sets an environment variable for the command.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// The command line in shell syntax.
    pub(crate) fn command_line(&self) -> String {
        let mut words: Vec<String> = self
            .env
            .iter()
            .map(|(name, value)| {
                if value.contains(' ') {
                    format!("{name}='{value}'")
                } else {
                    format!("{name}={value}")
                }
            })
            .collect();
        words.push("cargo".into());
        words.extend(self.args.iter().cloned());
        words.join(" ")
    }

    /// Runs the command with inherited output.
    pub(crate) fn run(&self, root: &Path) -> StageResult {
        let start = Instant::now();
        let status = Command::new(cargo())
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(root)
            .status();
        if let Err(error) = &status {
            eprintln!("xtask: cannot start cargo: {error}");
        }
        StageResult {
            passed: status.is_ok_and(|status| status.success()),
            time: start.elapsed(),
        }
    }
}

/// The cargo that runs xtask, so that all stages use one toolchain.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}

/// The stages that take at most a few minutes, the quickest first.
pub(crate) fn checks() -> Vec<Stage> {
    vec![
        Stage::cargo("formatting", &["fmt", "--all", "--check"]),
        Stage::cargo(
            "clippy",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
        ),
        // Packages are assembled but not compiled: later stages compile the same files.
        Stage::cargo(
            "packages",
            &[
                "package",
                "--workspace",
                "--no-verify",
                "--allow-dirty",
                "--quiet",
            ],
        ),
        // Unit, property, doc and end-to-end tests are ordinary tests of their crates.
        Stage::cargo("tests", &["test", "--workspace"]),
        // Links to private items are allowed: the documentation is read next to the source.
        Stage::cargo("documentation", &["doc", "--workspace", "--no-deps"]).env(
            "RUSTDOCFLAGS",
            "-D warnings -A rustdoc::private_intra_doc_links",
        ),
    ]
}

/// The stage that writes the golden playthroughs.
pub(crate) fn goldens() -> Stage {
    let args = ["run", "--package", "ludorum-lab", "--example", "goldens"];
    Stage::cargo("golden playthroughs", &args)
}

/// The stage that runs an experiment with the release profile. The first word is its name.
pub(crate) fn experiment(words: &[&str]) -> Stage {
    let command = ["run", "--release", "--package", "ludorum-experiments", "--"];
    Stage::cargo(words[0], &[&command[..], words].concat())
}

/// The stage that draws games for visual inspection of board recognition.
pub(crate) fn pictures(args: &[&str]) -> Stage {
    let words = ["run", "--package", "ludorum-board", "--features", "png"];
    let mut words = words.to_vec();
    words.extend(["--example", "pictures", "--"]);
    words.extend(args);
    Stage::cargo("pictures", &words)
}

/// Formats a duration in seconds.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_can_be_typed_again() {
        let stage = Stage::cargo("x", &["doc", "--no-deps"]).env("FLAGS", "-D warnings");
        assert_eq!(
            stage.command_line(),
            "FLAGS='-D warnings' cargo doc --no-deps"
        );
    }
}
