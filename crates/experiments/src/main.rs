//! Runs one experiment: `cargo run --release -p ludorum-experiments -- NAME ARGUMENTS`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    ludorum_experiments::run(&words)
}
