//! Where a match is recorded while it is played: in a file, in an archive, in both or nowhere.

use std::path::PathBuf;

use ludorum_match::archive::{Archive, ArchiveMatchLog};
use ludorum_match::{MatchLog, MatchLogError, MatchRecord, MatchSetup, MatchStep, Outcome};

use super::Args;
use super::record_file::{self, RecordFile};
use crate::outcome::Failure;

/// The file and the archive of a match, opened before the match begins.
pub(super) struct MatchLogs {
    file: Option<PathBuf>,
    archive: Option<Archive>,
    /// The recorded part of a match that is resumed.
    pub(super) played: Option<MatchRecord>,
}

impl MatchLogs {
    /// Checks that file and archive can be written, and reads the recorded part.
    pub(super) fn open(args: &Args) -> Result<Self, Failure> {
        for path in [&args.record, &args.trace].into_iter().flatten() {
            let unwritable =
                |error| Failure::input(format!("cannot write `{}`: {error}", path.display()));
            record_file::check_writable(path).map_err(unwritable)?;
        }
        let archive = args.archive.as_deref().map(Archive::create).transpose()?;
        let mut played = None;
        if let Some(path) = &args.record {
            if args.resume {
                played = record_file::read(path)?;
            } else if path.exists() && !args.overwrite {
                return Err(Failure::input_with_help(
                    format!("`{}` exists already", path.display()),
                    "--resume continues the match in it, --overwrite replaces it",
                ));
            }
        }
        if let Some(archive) = &archive
            && args.resume
        {
            let id = args.id.as_ref();
            let id = id.or(played.as_ref().map(|record| &record.id));
            let Some(id) = id else {
                return Err(Failure::input_with_help(
                    "the match of the archive to continue is not named",
                    "name it with --id; `ludorum archive list --unfinished` lists the candidates",
                ));
            };
            // A move is written to the archive before the file.
            played = archive.record(id)?.or(played);
        }
        Ok(Self {
            file: args.record.clone(),
            archive,
            played,
        })
    }

    /// The log of a match that begins, or continues after the recorded part.
    pub(super) fn log(
        self,
        setup: &MatchSetup,
        played: Option<&MatchRecord>,
    ) -> Result<impl MatchLog + use<>, Failure> {
        let file = RecordFile::new(self.file.as_deref(), played);
        let Some(archive) = self.archive else {
            return Ok(CombinedLog {
                archive: None,
                file,
            });
        };
        let mut log = archive.match_log(&setup.sheet);
        let is_there = archive.summary(&setup.id)?.is_some();
        match played {
            Some(record) if !is_there => {
                // So far it was in the file only.
                let failed = |error: MatchLogError| Failure::input(error.to_string());
                log.begin(record).map_err(failed)?;
                if let Some(outcome) = &record.outcome {
                    log.end(outcome).map_err(failed)?;
                }
            }
            Some(record) => log = log.resumed(&record.id),
            None if is_there => {
                return Err(Failure::input_with_help(
                    format!("the archive has a match `{}` already", setup.id),
                    "--resume continues it; a new match needs another --id",
                ));
            }
            None => {}
        }
        Ok(CombinedLog {
            archive: Some(log),
            file,
        })
    }
}

/// Writes to the archive first, because its writes are durable.
struct CombinedLog {
    archive: Option<ArchiveMatchLog>,
    file: RecordFile,
}

impl MatchLog for CombinedLog {
    fn begin(&mut self, record: &MatchRecord) -> Result<(), MatchLogError> {
        if let Some(archive) = &mut self.archive {
            archive.begin(record)?;
        }
        self.file.begin(record)
    }

    fn step(&mut self, step: &MatchStep) -> Result<(), MatchLogError> {
        if let Some(archive) = &mut self.archive {
            archive.step(step)?;
        }
        self.file.step(step)
    }

    fn end(&mut self, outcome: &Outcome) -> Result<(), MatchLogError> {
        if let Some(archive) = &mut self.archive {
            archive.end(outcome)?;
        }
        self.file.end(outcome)
    }
}
