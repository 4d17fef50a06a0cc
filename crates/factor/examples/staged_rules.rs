//! Prints the staged rules of a sheet: `cargo run -p ludorum-factor --example staged_rules FILE [GROUPS]`.

use std::process::ExitCode;

use ludorum_factor::{StageOptions, stage};
use ludorum_logic::Rules;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else {
        eprintln!("usage: staged_rules FILE [GROUPS]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let Ok(rules) = Rules::from_text(&text) else {
        eprintln!("{file}: the sheet has errors");
        return ExitCode::FAILURE;
    };
    let options = StageOptions {
        turns: if args.len() > 1 {
            ludorum_factor::TurnStages::Shared
        } else {
            ludorum_factor::TurnStages::Separate
        },
        suffix_groups: args.next().and_then(|n| n.parse().ok()).unwrap_or(0),
        ..StageOptions::default()
    };
    match stage(&rules, options) {
        Ok(staged) => {
            print!("{}", staged.text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}
