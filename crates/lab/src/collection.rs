//! Test cases for conformance and speed: rule sheets with their recorded traces, and the bundled
//! games.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ludorum_gdl::source::{self, ReadError};
use thiserror::Error;

/// Source of a rule sheet.
#[derive(Clone, Debug)]
pub enum SheetSource {
    /// In memory.
    Text(Cow<'static, str>),
    /// In a file.
    File(PathBuf),
}

/// A game with the trace of recorded playouts, if it has one.
#[derive(Clone, Debug)]
pub struct GameCase {
    /// The display name, such as `base/ticTacToe`.
    pub name: String,
    /// The rule sheet.
    pub sheet: SheetSource,
    /// The file of the recorded playouts.
    pub trace: Option<PathBuf>,
}

/// The error of a rule sheet that cannot be read.
#[derive(Debug, Error)]
#[error("cannot read the sheet: {0}")]
pub struct SheetError(#[from] ReadError);

impl SheetSource {
    /// Reads the text of the sheet.
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

impl GameCase {
    /// The case of a bundled game, without a trace.
    pub fn shipped(game: &'static ludorum_games::ShippedGame) -> Self {
        Self {
            name: game.name.to_owned(),
            sheet: SheetSource::Text(Cow::Borrowed(game.text)),
            trace: None,
        }
    }
}

/// All bundled games.
pub fn shipped() -> Vec<GameCase> {
    ludorum_games::all().iter().map(GameCase::shipped).collect()
}

/// All games with a trace, sorted by name. The trace `traces/COLLECTION/GAME.json.gz` belongs to
/// the sheet `games/COLLECTION/GAME.kif`.
///
/// A trace without a sheet gives a case too: reading its sheet then reports the error.
pub fn traced(games: &Path, traces: &Path) -> io::Result<Vec<GameCase>> {
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
                cases.push(GameCase {
                    name: format!("{}/{game}", collection.to_string_lossy()),
                    sheet: SheetSource::File(sheet),
                    trace: Some(file),
                });
            }
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}
