//! The programs that the tests need: looked for, installed when that is possible, named when not.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::cargo;

/// A program of the system and the Debian package that brings it.
struct Tool {
    /// The program; `--version` must work.
    program: &'static str,
    /// The package.
    package: &'static str,
    /// What it is needed for.
    need: &'static str,
    /// The variable that names another program to be used in its place.
    instead: &'static str,
}

/// What tests call and cargo does not build.
const TOOLS: &[Tool] = &[Tool {
    program: "chromium",
    package: "chromium",
    need: "the tests of the arena in a browser",
    instead: "LUDORUM_CHROMIUM",
}];

/// The parts of the Rust toolchain that the stages call, and what each is for.
const COMPONENTS: &[(&str, &str, &str)] = &[
    ("fmt", "rustfmt", "formatting"),
    ("clippy", "clippy", "lints"),
];

/// Makes sure that every tool is there. What is missing and cannot be installed is told in the
/// error.
pub(crate) fn provide(root: &Path) -> Result<(), String> {
    let mut missing = String::new();
    for (command, component, need) in COMPONENTS {
        // Components are the toolchain's matter: installing one may mean a download that nobody
        // asked for.
        if !works(&cargo(), &[command, "--version"], root) {
            missing += &format!(
                "xtask: {component} is needed for {need}: rustup component add {component}\n"
            );
        }
    }
    for tool in TOOLS {
        let named = std::env::var(tool.instead);
        let program = named.as_deref().unwrap_or(tool.program);
        let there = || works(program, &["--version"], root);
        if !(there() || install(tool.package) && there()) {
            missing += &format!(
                "xtask: {} is needed for {}: apt-get install {}\n",
                tool.program, tool.need, tool.package
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

/// Installs a package with apt-get, directly or through a sudo that asks for no password. Tells
/// whether that worked.
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
    // The lists of packages may never have been fetched; fetching them takes long, so only when it
    // is needed.
    let words = ["install", "--yes", "--no-install-recommends", package];
    apt(&words) || (apt(&["update"]) && apt(&words))
}
