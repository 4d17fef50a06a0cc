//! What can go wrong with an archive, for people.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// Why an archive cannot be used.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// There is no file.
    #[error("there is no archive `{path}`")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Nobody knows where it should be.
    #[error("there is no folder for the data of this user; name an archive")]
    NoFolder,
    /// The folder of the file cannot be made.
    #[error("the folder of the archive `{path}` cannot be made: {error}")]
    Folder {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file of another kind.
    #[error("`{path}` is no archive of matches")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file that a later version has written.
    #[error(
        "the archive `{path}` was written by a later version of Ludorum (its format is {found}, this one knows {known})"
    )]
    Later {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The last version that is known.
        known: i64,
    },
    /// A file whose content contradicts itself.
    #[error("the archive `{path}` is damaged: {detail}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Whatever else the database says.
    #[error("the archive `{path}`: {error}")]
    Database {
        /// The file.
        path: PathBuf,
        /// What it says.
        error: rusqlite::Error,
    },
    /// A match that is not what it should be.
    #[error("match `{id}`: {problem}")]
    Match {
        /// The match.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// A tournament that is not what it was.
    #[error("the archive has a tournament `{name}` with seed {seed} and other {differs}")]
    OtherPlan {
        /// Its name.
        name: String,
        /// Its seed.
        seed: u64,
        /// What differs.
        differs: String,
    },
    /// Somebody else plays it.
    #[error("the tournament `{name}` is being played by another process{holder}")]
    Busy {
        /// Its name.
        name: String,
        /// Who, as far as is known.
        holder: String,
    },
    /// The file that keeps others away cannot be used.
    #[error(
        "`{path}`, which keeps two processes from playing one tournament, cannot be used: {error}"
    )]
    Lock {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file of an earlier version that cannot be brought up to date.
    #[error("the archive `{path}` has an older format and cannot be written to")]
    Older {
        /// The file.
        path: PathBuf,
    },
    /// There is nobody who writes.
    #[error("the archive cannot be written to")]
    Closed,
}

impl ArchiveError {
    /// What the database says, in words where there are any.
    pub(super) fn database(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign { path },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged {
                path,
                detail: error.to_string(),
            },
            _ => Self::Database { path, error },
        }
    }

    /// Whether it is only that the file, or its folder, cannot be written to.
    pub(super) fn is_about_writing(&self) -> bool {
        let Self::Database { error, .. } = self else {
            return false;
        };
        matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
        )
    }

    /// Content that nothing of ours can have written.
    pub(super) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            detail: detail.into(),
        }
    }

    /// Something about a match.
    pub(super) fn of_match(id: &str, problem: impl Into<String>) -> Self {
        Self::Match {
            id: id.to_owned(),
            problem: problem.into(),
        }
    }
}
