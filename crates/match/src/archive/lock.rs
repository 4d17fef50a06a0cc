//! A lock file that lets only one process play a tournament: [`TournamentLock`].

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::error::ArchiveError;

/// The exclusive right to play a tournament. The system releases the lock when the process ends, so
/// it cannot become stale. The file is not deleted: another process may have it open.
#[derive(Debug)]
pub struct TournamentLock {
    _file: File,
}

impl TournamentLock {
    pub(super) fn new(archive: &Path, name: &str, seed: u64) -> Result<Self, ArchiveError> {
        let path = path(archive, name, seed);
        let failed = |error| ArchiveError::Lock {
            path: path.clone(),
            error,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Only for the message; some systems do not let locked files be read.
                let _ = file.take(20).read_to_string(&mut holder);
                let number: Option<u32> = holder.trim().parse().ok();
                return Err(ArchiveError::Busy {
                    name: name.to_owned(),
                    holder: number.map_or(String::new(), |n| format!(" (number {n})")),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        write(&mut file).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn path(archive: &Path, name: &str, seed: u64) -> PathBuf {
    let mut path = archive.as_os_str().to_owned();
    path.push(format!(".{name}-{seed}.lock"));
    path.into()
}
