//! The record of a match in a file while it is played.

use std::fs;
use std::path::{Path, PathBuf};

use ludorum_match::export::ggp;
use ludorum_match::{MatchLog, MatchLogError, MatchRecord, MatchStep, Outcome};

use crate::outcome::Failure;

/// Writes the record of a match to a file that is complete after every step: a temporary file is
/// written and then renamed.
pub(super) struct RecordFile {
    path: Option<PathBuf>,
    record: Option<MatchRecord>,
}

impl RecordFile {
    /// A log to a file, or to nothing; `played` is the recorded part of a match that is resumed.
    pub(super) fn new(path: Option<&Path>, played: Option<&MatchRecord>) -> Self {
        Self {
            path: path.map(Path::to_owned),
            record: played.cloned(),
        }
    }

    fn save(&self) -> Result<(), MatchLogError> {
        let (Some(path), Some(record)) = (&self.path, &self.record) else {
            return Ok(());
        };
        save(path, &ggp::to_json(record)).map_err(MatchLogError::new)
    }
}

impl MatchLog for RecordFile {
    fn begin(&mut self, record: &MatchRecord) -> Result<(), MatchLogError> {
        self.record = Some(record.clone());
        self.save()
    }

    fn step(&mut self, step: &MatchStep) -> Result<(), MatchLogError> {
        if let Some(record) = &mut self.record {
            record.steps.push(step.clone());
        }
        self.save()
    }

    fn end(&mut self, outcome: &Outcome) -> Result<(), MatchLogError> {
        if let Some(record) = &mut self.record {
            record.outcome = Some(outcome.clone());
        }
        self.save()
    }
}

/// Writes a file atomically: it has the new text as a whole or not at all.
pub(super) fn save(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = temporary(path);
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}

/// Checks that a file can be written that way.
pub(super) fn check_writable(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    let temporary = temporary(path);
    fs::write(&temporary, "")?;
    fs::remove_file(&temporary)
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

/// The match in a file; `None` if there is no file.
pub(super) fn read(path: &Path) -> Result<Option<MatchRecord>, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::input(format!("cannot read `{}`: {error}", path.display()))
    };
    match fs::read_to_string(path) {
        Ok(text) => ggp::from_json(&text)
            .map(Some)
            .map_err(|error| failed(&error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}
