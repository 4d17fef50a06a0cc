//! Games to hold engines to: rule sheets with their traces, and the games that ship.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ludorum_gdl::source::{self, ReadError};
use thiserror::Error;

/// Where a sheet is.
#[derive(Clone, Debug)]
pub enum Sheet {
    /// In memory.
    Text(Cow<'static, str>),
    /// In a file.
    File(PathBuf),
}

/// A game, and the playouts that were recorded of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What to call it, such as `base/ticTacToe`.
    pub name: String,
    /// Its rules.
    pub sheet: Sheet,
    /// Its trace.
    pub trace: Option<PathBuf>,
}

/// Why a sheet cannot be read.
#[derive(Debug, Error)]
#[error("cannot read the sheet: {0}")]
pub struct SheetError(#[from] ReadError);

impl Sheet {
    /// The text of the sheet.
    pub fn text(&self) -> Result<Cow<'_, str>, SheetError> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text)),
            Self::File(path) => {
                let file = File::open(path).map_err(ReadError::Io)?;
                Ok(Cow::Owned(source::read(file)?))
            }
        }
    }
}

impl Case {
    /// A game that ships.
    pub fn shipped(game: &'static ludorum_games::Game) -> Self {
        Self {
            name: game.name.to_owned(),
            sheet: Sheet::Text(Cow::Borrowed(game.text)),
            trace: None,
        }
    }
}

/// All games that ship.
pub fn shipped() -> Vec<Case> {
    ludorum_games::all().iter().map(Case::shipped).collect()
}

/// The games that have a trace: `traces/COLLECTION/GAME.json.gz` goes with
/// `games/COLLECTION/GAME.kif`. Sorted by name.
///
/// A trace whose sheet is missing is a case all the same: reading the sheet says so.
pub fn traced(games: &Path, traces: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for folder in fs::read_dir(traces)? {
        let folder = folder?;
        let collection = folder.file_name();
        if !folder.path().is_dir() {
            continue;
        }
        for file in fs::read_dir(folder.path())? {
            let file = file?.path();
            let name = file.file_name().and_then(|name| name.to_str());
            let game = name.and_then(|name| {
                name.strip_suffix(".json.gz")
                    .or_else(|| name.strip_suffix(".json"))
            });
            if let Some(game) = game {
                let sheet = games.join(&collection).join(format!("{game}.kif"));
                cases.push(Case {
                    name: format!("{}/{game}", collection.to_string_lossy()),
                    sheet: Sheet::File(sheet),
                    trace: Some(file),
                });
            }
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}
