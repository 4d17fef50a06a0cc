//! The games that publications measure on.

use std::path::{Path, PathBuf};

use ludorum_lab::collection::{GameCase, SheetSource};

/// The games of one publication, as sheets `COLLECTION/GAME` of the public collections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperGames {
    /// The publication.
    pub(crate) source: &'static str,
    /// The sheets.
    pub(crate) sheets: &'static [&'static str],
}

/// The games of Sironi and Winands 2016, in the order of its tables.
pub(crate) const NETWORKS: PaperGames = PaperGames {
    source: "Sironi and Winands 2016 (propositional networks)",
    sheets: &[
        "base/amazons",
        "base/battle",
        "base/breakthrough",
        "base/chineseCheckers1",
        "base/chineseCheckers2",
        "base/chineseCheckers3",
        "base/chineseCheckers4",
        "base/chineseCheckers6",
        "base/connectFour",
        "base/reversi",
        "base/pentago",
        "base/skirmish",
        "base/ticTacToe",
    ],
};

/// The games of Schofield and Saffidine 2013.
pub(crate) const CHAINING: PaperGames = PaperGames {
    source: "Schofield and Saffidine 2013 (forward chaining)",
    sheets: &[
        "base/amazons",
        "base/asteroidsSerial",
        "base/beatMania",
        "base/blocker",
        "base/breakthrough",
        "base/bunk_t",
        "base/chomp",
        "base/connect4",
        "base/doubletictactoe",
        "base/hanoi",
        "base/lightsOut",
        "base/minichess",
        "base/nim1",
        "base/pancakes6",
        "base/peg",
        "base/roshambo2",
        "base/sheepAndWolf",
        "base/ticTacToe",
        "base/tictactoex9",
    ],
};

/// The games of the experiments on strategies in Świechowski 2015.
pub(crate) const STRATEGIES: PaperGames = PaperGames {
    source: "Świechowski 2015 (self-adaptation of strategies)",
    sheets: &[
        "stanford/alquerque",
        "base/breakthrough",
        "base/cephalopodMicro",
        "base/checkers",
        "base/chineseCheckers2",
        "base/chinook",
        "base/connectFour",
        "base/connectFourSuicide",
        "y2006/farmers",
        "stanford/farmingquandries",
        "base/2pffa",
        "base/hex",
        "base/nineBoardTicTacToe",
        "base/reversi",
        "base/pacman3p",
        "base/pentago",
        "stanford/pilgrimage",
    ],
};

/// The games of Świechowski and Mańdziuk 2014.
pub(crate) const OR_AND: PaperGames = PaperGames {
    source: "Świechowski and Mańdziuk 2014 (OR-AND engine)",
    sheets: &[
        "base/checkers",
        "base/chess",
        "base/chineseCheckers2",
        "base/connectFour",
        "base/pacman3p",
        "base/reversi",
        "base/ticTacToe",
    ],
};

/// All selections.
pub(crate) const ALL: [PaperGames; 4] = [NETWORKS, CHAINING, OR_AND, STRATEGIES];

impl PaperGames {
    /// The games of the selection whose sheets exist below a folder.
    pub(crate) fn cases(&self, folder: &Path) -> Vec<GameCase> {
        cases(folder, self.sheets.iter().copied())
    }
}

/// All games of all selections whose sheets exist below a folder, without duplicates, sorted by
/// name.
pub(crate) fn all(folder: &Path) -> Vec<GameCase> {
    let mut sheets: Vec<&str> = ALL.iter().flat_map(|list| list.sheets).copied().collect();
    sheets.sort_unstable_by_key(|sheet| sheet.to_lowercase());
    sheets.dedup();
    cases(folder, sheets.into_iter())
}

fn cases<'a>(folder: &Path, sheets: impl Iterator<Item = &'a str>) -> Vec<GameCase> {
    let case = |sheet: &str| {
        let path: PathBuf = folder.join(format!("{sheet}.kif"));
        path.is_file().then(|| GameCase {
            name: sheet.rsplit('/').next().unwrap_or(sheet).to_owned(),
            sheet: SheetSource::File(path),
            trace: None,
        })
    };
    sheets.filter_map(case).collect()
}
