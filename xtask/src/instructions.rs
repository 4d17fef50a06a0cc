//! Counts instructions under valgrind. The count is nearly the same on every run, so that a change
//! of one per cent is visible even on a busy machine.
//!
//! Each workload is run twice with different numbers of repetitions. The difference of the counts,
//! divided by the difference of the repetitions, is the cost of one repetition without the set-up.
//! Valgrind is a system program; only this command needs it.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::stage::cargo;

/// The workloads, and the number of additional repetitions of each.
const WORKLOADS: [(&str, u64); 8] = [
    ("parse", 20),
    ("normalise", 20),
    ("ground", 2),
    ("passes", 1),
    ("prover", 4),
    ("propnet", 20),
    ("propnet:cache=256", 20),
    ("playout", 50),
];

const GAMES: [&str; 3] = ["tic-tac-toe", "connect-four", "breakthrough-small"];

/// Counts and prints a table; exit code 2 if valgrind is not available.
pub(crate) fn count(root: &Path) -> ExitCode {
    let build = ["build", "--release", "--package", "ludorum-experiments"];
    let built = Command::new(cargo()).args(build).current_dir(root).status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("xtask: ludorum-experiments cannot be built");
        return ExitCode::from(2);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), Into::into);
    let program = target.join("release/ludorum-experiments");
    println!("{:<16} {:>20} {:>16}", "work", "game", "instructions");
    for (piece, more) in WORKLOADS {
        for game in GAMES {
            let once = instructions(&program, piece, game, 1);
            let often = instructions(&program, piece, game, 1 + more);
            match (once, often) {
                (Ok(once), Ok(often)) => {
                    let each = often.saturating_sub(once) / more;
                    println!("{piece:<16} {game:>20} {each:>16}");
                }
                (Err(problem), _) | (_, Err(problem)) => {
                    eprintln!("xtask: {piece}, {game}: {problem}");
                    return ExitCode::from(2);
                }
            }
        }
    }
    ExitCode::SUCCESS
}

fn instructions(program: &Path, piece: &str, game: &str, times: u64) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(program)
        .args(["instructions", piece, game, &times.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            format!("valgrind is needed for this (apt-get install valgrind): {error}")
        })?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(text.into_owned());
    }
    parse_count(&text).ok_or_else(|| "valgrind gives no count of instructions".to_owned())
}

/// Parses the count from the output of valgrind: `==1== I refs:        1,234`.
fn parse_count(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find(|line| line.contains('I') && line.contains("refs:"))?;
    let number = line.rsplit(':').next()?;
    number.trim().replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_what_valgrind_prints() {
        let text = "==7== Cachegrind\n==7== I refs:        11,245,879\n";
        assert_eq!(parse_count(text), Some(11_245_879));
        assert_eq!(parse_count("nothing"), None);
    }
}
