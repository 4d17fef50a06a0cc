//! Grounds one game description and prints its statistics as JSON, or the program with `--text`.

use ludorum_ground::{GroundBudget, ground};
use ludorum_logic::Rules;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        eprintln!("usage: ground_one SHEET [--text]");
        return;
    };
    let bytes = std::fs::read(path).unwrap_or_default();
    let rules = match Rules::from_text(&String::from_utf8_lossy(&bytes)) {
        Ok(rules) => rules,
        Err(problems) => {
            eprintln!("{problems:?}");
            return;
        }
    };
    match ground(&rules, &GroundBudget::default(), &mut |_| {}) {
        Ok(program) if arguments.iter().any(|a| a == "--text") => print!("{}", program.text()),
        Ok(program) => println!(
            "{}",
            serde_json::to_string_pretty(&program.stats).unwrap_or_default()
        ),
        Err(error) => println!("{error}"),
    }
}
