//! The engine `auto` plays legal moves in a sample of all games. `cargo xtask survey` plays all
//! games and reports times and memory.

use std::path::Path;
use std::time::Duration;

use super::{MatchEnd, MatchLimits, survey};
use ludorum_lab::collection::SheetSource;

/// Stride of the sample: one of this many sheets is played.
const STRIDE: usize = 17;

const LENGTH: MatchLimits = MatchLimits {
    steps: 40,
    time: Duration::from_secs(5),
    seed: 1,
};

#[test]
fn auto_plays_legal_moves_in_shipped_games() {
    for game in ludorum_games::all().iter().step_by(7) {
        let result =
            survey(game.text, LENGTH).unwrap_or_else(|error| panic!("{}: {error}", game.name));
        assert_ne!(result.first.end, MatchEnd::Stuck, "{}", game.name);
        // With the same seed and the same lists of moves, the matches before and after compiling
        // are identical.
        if result.first.end != MatchEnd::Time && result.second.end != MatchEnd::Time {
            assert_eq!(result.first.steps, result.second.steps, "{}", game.name);
        }
        assert!(result.choice.is_some());
    }
}

#[test]
fn auto_plays_legal_moves_in_a_sample_of_the_public_sheets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games/base");
    let Ok(files) = folder.read_dir() else {
        println!("skipped: no {}", folder.display());
        return;
    };
    let mut sheets: Vec<_> = files.flatten().map(|file| file.path()).collect();
    sheets.sort();
    for path in sheets.into_iter().step_by(STRIDE) {
        let sheet = SheetSource::File(path.clone());
        let text = sheet.text().expect("a sheet");
        let result = survey(&text, LENGTH);
        assert!(result.is_ok(), "{}: {result:?}", path.display());
    }
}
