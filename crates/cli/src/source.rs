//! Opens rule sheets: a shipped name, a path, or `-` for standard input.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ludorum_gdl::source::{ReadError, SourceError, read};
use thiserror::Error;

use crate::outcome::{ErrorMessage, Failure};

/// The argument for standard input.
const STDIN: &str = "-";

/// Where a sheet comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A game of the library.
    Shipped,
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// A rule sheet as text.
#[derive(Clone, Debug)]
pub(crate) struct GameSource {
    /// Its name in messages: the shipped name, the path, or `<stdin>`.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: Cow<'static, str>,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// Why a sheet cannot be opened.
#[derive(Debug, Error)]
pub(crate) enum OpenError {
    #[error("no game and no file is called `{name}`")]
    Unknown { name: String },
    #[error("there is no file `{path}`")]
    NoFile { path: String },
    #[error("`{path}` is a folder, not a rule sheet")]
    Folder { path: String },
    #[error("cannot read `{name}`: {error}")]
    Unreadable { name: String, error: io::Error },
    #[error("`{name}`: {error}")]
    NotText { name: String, error: SourceError },
}

impl GameSource {
    /// Opens the sheet that an argument names.
    pub(crate) fn open(word: &OsStr) -> Result<Self, OpenError> {
        if word == STDIN {
            return Self::from_reader("<stdin>", Origin::Stdin, io::stdin().lock());
        }
        if let Some(game) = word.to_str().and_then(ludorum_games::find) {
            return Ok(Self {
                name: game.name.to_owned(),
                text: Cow::Borrowed(game.text),
                origin: Origin::Shipped,
            });
        }
        Self::from_file(Path::new(word))
    }

    /// Reads a file.
    pub(crate) fn from_file(path: &Path) -> Result<Self, OpenError> {
        let name = path.display().to_string();
        if path.is_dir() {
            return Err(OpenError::Folder { path: name });
        }
        match File::open(path) {
            Ok(file) => Self::from_reader(&name, Origin::File(path.to_owned()), file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(if looks_like_path(path) {
                    OpenError::NoFile { path: name }
                } else {
                    OpenError::Unknown { name }
                })
            }
            Err(error) => Err(OpenError::Unreadable { name, error }),
        }
    }

    /// The game of the library, if the sheet is one.
    pub(crate) fn game(&self) -> Option<&'static ludorum_games::ShippedGame> {
        match self.origin {
            Origin::Shipped => ludorum_games::find(&self.name),
            Origin::File(_) | Origin::Stdin => None,
        }
    }

    fn from_reader(name: &str, origin: Origin, reader: impl Read) -> Result<Self, OpenError> {
        let text = read(reader).map_err(|error| {
            let name = name.to_owned();
            match error {
                ReadError::Io(error) => OpenError::Unreadable { name, error },
                ReadError::Source(error) => OpenError::NotText { name, error },
            }
        })?;
        Ok(Self {
            name: name.to_owned(),
            text: Cow::Owned(text),
            origin,
        })
    }
}

/// Whether an argument has the form of a path, not of a shipped name.
fn looks_like_path(path: &Path) -> bool {
    path.extension().is_some() || path.components().count() > 1
}

impl OpenError {
    /// Advice, if there is any.
    fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { name } => Some(unknown_game_help(name)),
            Self::NoFile { path } => {
                let stem = Path::new(path).file_stem()?.to_str()?;
                let game = ludorum_games::find(stem)?.name;
                Some(format!(
                    "did you mean the game `{game}` that ships with Ludorum?"
                ))
            }
            Self::Folder { .. } => {
                Some("give one rule sheet; only `check` walks through folders".into())
            }
            Self::Unreadable { .. } | Self::NotText { .. } => None,
        }
    }
}

/// Advice for a name that is not the name of a game.
pub(crate) fn unknown_game_help(name: &str) -> String {
    let near: Vec<String> = ludorum_games::suggest(name)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    match near.split_last() {
        None => "`ludorum games` lists the games that ship; give your own sheet by its path".into(),
        Some((only, [])) => format!("did you mean {only}?"),
        Some((last, rest)) => format!("did you mean {} or {last}?", rest.join(", ")),
    }
}

impl From<OpenError> for ErrorMessage {
    fn from(problem: OpenError) -> Self {
        Self {
            message: problem.to_string(),
            help: problem.help(),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(problem: OpenError) -> Self {
        Self::Input(vec![problem.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_reader_is_too_large() {
        let problem = GameSource::from_reader("x", Origin::Stdin, io::repeat(b' ')).unwrap_err();
        assert!(problem.to_string().contains("too large"), "{problem}");
    }

    #[test]
    fn arguments_with_an_extension_or_a_folder_are_paths() {
        assert!(looks_like_path(Path::new("a.kif")));
        assert!(looks_like_path(Path::new("./a")));
        assert!(!looks_like_path(Path::new("a")));
    }
}
