//! Checks that the external programs of the tests are available. Missing ones are installed if
//! possible, and reported otherwise.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::cargo;

/// A system program and the Debian package that contains it.
struct Tool {
    /// The program; it must accept `--version`.
    program: &'static str,
    /// The package.
    package: &'static str,
    /// The reason why it is needed.
    purpose: &'static str,
    /// The environment variable that selects another program instead.
    override_variable: &'static str,
}

/// Programs that tests call and cargo does not build.
const TOOLS: &[Tool] = &[Tool {
    program: "chromium",
    package: "chromium",
    purpose: "the tests of the arena in a browser",
    override_variable: "LUDORUM_CHROMIUM",
}];

/// Components of the Rust toolchain that the stages call: the cargo command, the component, the
/// purpose.
const COMPONENTS: &[(&str, &str, &str)] = &[
    ("fmt", "rustfmt", "formatting"),
    ("clippy", "clippy", "lints"),
];

/// Checks that every tool is available. The error lists what is missing and cannot be installed.
pub(crate) fn ensure_available(root: &Path) -> Result<(), String> {
    let mut missing = String::new();
    for (command, component, need) in COMPONENTS {
        // Toolchain components are not installed automatically, because that may cause an
        // unexpected download.
        if !works(&cargo(), &[command, "--version"], root) {
            missing += &format!(
                "xtask: {component} is needed for {need}: rustup component add {component}\n"
            );
        }
    }
    for tool in TOOLS {
        let named = std::env::var(tool.override_variable);
        let program = named.as_deref().unwrap_or(tool.program);
        let there = || works(program, &["--version"], root);
        if !(there() || install(tool.package) && there()) {
            missing += &format!(
                "xtask: {} is needed for {}: apt-get install {}\n",
                tool.program, tool.purpose, tool.package
            );
        }
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(missing)
    }
}

fn works(program: &str, args: &[&str], root: &Path) -> bool {
    Command::new(program)
        .args(args)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Installs a package with apt-get, as root or through a sudo without a password. Returns whether
/// it succeeded.
fn install(package: &str) -> bool {
    println!("xtask: installing {package}");
    let apt = |words: &[&str]| {
        [&["apt-get"][..], &["sudo", "-n", "apt-get"]]
            .iter()
            .any(|program| {
                Command::new(program[0])
                    .args(&program[1..])
                    .args(words)
                    .env("DEBIAN_FRONTEND", "noninteractive")
                    .stdin(Stdio::null())
                    .status()
                    .is_ok_and(|status| status.success())
            })
    };
    // The package lists may be missing. Fetching them is slow, so it is done only after a failure.
    let words = ["install", "--yes", "--no-install-recommends", package];
    apt(&words) || (apt(&["update"]) && apt(&words))
}
