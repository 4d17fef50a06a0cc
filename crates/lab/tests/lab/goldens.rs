//! Golden playthroughs: every engine reproduces the checked-in text of every bundled game.

use std::path::Path;
use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_lab::golden::{folder, playthrough};
use ludorum_logic::Rules;

#[test]
fn every_engine_reproduces_every_golden_playthrough() {
    let mut wrong = Vec::new();
    for game in ludorum_games::all() {
        let path = folder().join(format!("{}.txt", game.name));
        let Ok(golden) = std::fs::read_to_string(&path) else {
            wrong.push(format!("{}: no golden playthrough", game.name));
            continue;
        };
        let rules = Arc::new(Rules::from_text(game.text).expect("a sheet without errors"));
        for engine in Engine::ALL {
            if crate::is_declined(&rules, engine) {
                continue;
            }
            match playthrough(game, engine) {
                Err(error) => wrong.push(format!("{} with {engine}: {error}", game.name)),
                Ok(text) if text != golden.replace("\r\n", "\n") => {
                    wrong.push(difference(game.name, engine, &golden, &text));
                }
                Ok(_) => {}
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nif the change is meant: cargo xtask goldens",
        wrong.join("\n")
    );
}

fn difference(game: &str, engine: Engine, golden: &str, text: &str) -> String {
    let mut lines = golden.lines().zip(text.lines()).enumerate();
    match lines.find(|(_, (old, new))| old != new) {
        Some((i, (old, new))) => format!(
            "{game} with {engine}, line {}:\n  expected  {old}\n  got       {new}",
            i + 1
        ),
        None => format!("{game} with {engine}: one text is longer"),
    }
}

#[test]
fn every_golden_playthrough_belongs_to_a_bundled_game() {
    for file in Path::new(&folder()).read_dir().expect("the folder") {
        let path = file.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str());
        assert!(
            name.is_some_and(|name| ludorum_games::find(name).is_some()),
            "{}",
            path.display()
        );
    }
}
