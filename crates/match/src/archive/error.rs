//! Errors of an archive.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// Why an archive cannot be used.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The file does not exist.
    #[error("there is no archive `{path}`")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The user's data folder is unknown.
    #[error("there is no folder for the data of this user; name an archive")]
    NoFolder,
    /// The folder cannot be created.
    #[error("the folder of the archive `{path}` cannot be made: {error}")]
    Folder {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file is not an archive.
    #[error("`{path}` is not an archive of matches")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later version.
    #[error(
        "the archive `{path}` was written by a later version of Ludorum (its format is {found}, \
        this version reads formats up to {known})"
    )]
    Later {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: i64,
        /// The newest known format version.
        known: i64,
    },
    /// The content is inconsistent.
    #[error("the archive `{path}` is damaged: {detail}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Any other database error.
    #[error("the archive `{path}`: {error}")]
    Database {
        /// The file.
        path: PathBuf,
        /// The database's error.
        error: rusqlite::Error,
    },
    /// An operation that does not fit the state of a match.
    #[error("match `{id}`: {problem}")]
    Match {
        /// The match.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// A tournament with the same name and seed and another plan.
    #[error("the archive has a tournament `{name}` with seed {seed} and other {differs}")]
    OtherPlan {
        /// Its name.
        name: String,
        /// Its seed.
        seed: u64,
        /// The keys that differ.
        differs: String,
    },
    /// Another process plays the tournament.
    #[error("the tournament `{name}` is being played by another process{holder}")]
    Busy {
        /// Its name.
        name: String,
        /// The process, if known.
        holder: String,
    },
    /// The lock file cannot be used.
    #[error(
        "`{path}`, which keeps two processes from playing one tournament, cannot be used: {error}"
    )]
    Lock {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file has an older format and cannot be migrated.
    #[error("the archive `{path}` has an older format and cannot be written to")]
    Older {
        /// The file.
        path: PathBuf,
    },
    /// The archive is read-only.
    #[error("the archive cannot be written to")]
    Closed,
}

impl ArchiveError {
    /// Classifies a database error.
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

    /// Whether the file or its folder is not writable.
    pub(super) fn is_about_writing(&self) -> bool {
        let Self::Database { error, .. } = self else {
            return false;
        };
        matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
        )
    }

    /// An error for content that this program cannot have written.
    pub(super) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            detail: detail.into(),
        }
    }

    /// An error about a match.
    pub(super) fn of_match(id: &str, problem: impl Into<String>) -> Self {
        Self::Match {
            id: id.to_owned(),
            problem: problem.into(),
        }
    }
}
