//! Writes the golden playthroughs of all bundled games. `cargo xtask goldens` runs this.

use std::process::ExitCode;

use ludorum_engines::Engine;
use ludorum_lab::golden::{folder, playthrough};

fn main() -> ExitCode {
    let mut failed = false;
    for game in ludorum_games::all() {
        let path = folder().join(format!("{}.txt", game.name));
        let written = playthrough(game, Engine::PROVER)
            .map_err(|error| error.to_string())
            .and_then(|text| {
                let old = std::fs::read_to_string(&path).ok();
                let is_new = old.as_ref() != Some(&text);
                std::fs::write(&path, text).map_err(|error| error.to_string())?;
                Ok(is_new)
            });
        match written {
            Ok(true) => println!("{}: written", game.name),
            Ok(false) => {}
            Err(problem) => {
                eprintln!("{}: {problem}", path.display());
                failed = true;
            }
        }
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
