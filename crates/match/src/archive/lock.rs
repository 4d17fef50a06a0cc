//! One process for one tournament: [`TournamentLock`].

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::error::ArchiveError;

/// The right to play a tournament. The system takes it back when the process ends, however it ends,
/// so nothing stale can be left over. The file stays, since a file that is removed while another
/// process looks at it keeps nobody away.
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
                // Only for the message; where locked files cannot be read it has one word less.
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
