/*!
The archive of matches, an `SQLite` file: [`Archive`].

It holds every match with its players, clocks, moves, states, errors and goals, tournaments and
ratings. A match is written while it is played, through an [`ArchiveMatchLog`]: when
[`step`](crate::MatchLog::step) returns, the step is on the disk and survives a crash or a power
cut.

# Concurrency
- Matches of one process share an [`Archive`] and one writer thread.
- Several processes may use one file. They wait for each other's transactions.
- A tournament is played by one process, which holds a [`TournamentLock`].
- Readers never wait (write-ahead logging) and see only whole transactions.

# Files
[`Archive::create`] creates a missing file. [`Archive::open`] requires an existing one and opens it
read-only if it is not writable. Older formats are migrated; foreign files and later formats are
rejected and left unchanged.
*/

mod error;
mod lock;
mod match_log;
mod records;
mod schema;
mod summaries;
mod tournaments;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use rusqlite::{Connection, ErrorCode, OpenFlags};

pub use error::ArchiveError;
pub use lock::TournamentLock;
pub use match_log::ArchiveMatchLog;
pub use summaries::{MatchFilter, MatchStatus, MatchSummary, PlayedRole};
pub use tournaments::{TournamentId, TournamentSummary};
use writer::Writer;

/// How long a process waits for another one that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// An archive. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Archive {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    writer: Writer,
    reader: Mutex<Connection>,
}

impl Archive {
    /// The default archive of this user.
    pub fn default_path() -> Result<PathBuf, ArchiveError> {
        let folders = choose_native_strategy().map_err(|_| ArchiveError::NoFolder)?;
        Ok(folders.data_dir().join("ludorum").join("archive.sqlite"))
    }

    /// Opens an archive; creates it and its folder if it does not exist.
    pub fn create(path: &Path) -> Result<Self, ArchiveError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| ArchiveError::Folder {
                path: path.to_owned(),
                error,
            })?;
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens an existing archive.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        // SQLite accepts an empty file as an empty database, and so does this.
        if !path.exists() {
            let path = path.to_owned();
            return Err(ArchiveError::Missing { path });
        }
        match Self::connect(path, OpenFlags::empty()) {
            // A file that is not writable can still be read.
            Err(error) if error.is_about_writing() => Self::read_only(path).map_err(|_| error),
            opened => opened,
        }
    }

    /// Opens a file read-only. Not even a lock file is written, so no other process may write to it
    /// meanwhile.
    fn read_only(path: &Path) -> Result<Self, ArchiveError> {
        let failed = |error| ArchiveError::database(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(immutable_uri(path), flags).map_err(failed)?;
        schema::check(&connection, path)?;
        Ok(Self {
            inner: Arc::new(Inner {
                writer: Writer::closed(path),
                reader: Mutex::new(connection),
            }),
        })
    }

    fn connect(path: &Path, more: OpenFlags) -> Result<Self, ArchiveError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
        let failed = |error| ArchiveError::database(path, error);
        let open = || {
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            Ok(connection)
        };
        let mut writing = open().map_err(failed)?;
        schema::prepare(&mut writing, path)?;
        enable_wal(&writing).map_err(failed)?;
        // A step must be on the disk before it is announced, even if the machine fails.
        let set = |name: &str, value: &str| writing.pragma_update(None, name, value);
        set("synchronous", "full").map_err(failed)?;
        set("foreign_keys", "on").map_err(failed)?;
        let reading = open().map_err(failed)?;
        reading
            .pragma_update(None, "query_only", "on")
            .map_err(failed)?;
        Ok(Self {
            inner: Arc::new(Inner {
                writer: Writer::start(writing, path)?,
                reader: Mutex::new(reading),
            }),
        })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.inner.writer.path()
    }

    /// A match log for a match with this rule sheet.
    pub fn match_log(&self, sheet: &str) -> ArchiveMatchLog {
        ArchiveMatchLog::new(self.clone(), sheet)
    }

    fn writer(&self) -> &Writer {
        &self.inner.writer
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        let lock = self.inner.reader.lock();
        lock.unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts database errors.
    fn failed(&self) -> impl Fn(rusqlite::Error) -> ArchiveError + '_ {
        |error| ArchiveError::database(self.path(), error)
    }
}

/// The URI of a file that `SQLite` may treat as immutable, so that it needs no locks and no other
/// files.
fn immutable_uri(path: &Path) -> String {
    let mut immutable_uri = "file:".to_owned();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            immutable_uri.push(char::from(byte));
        } else {
            immutable_uri += &format!("%{byte:02X}");
        }
    }
    immutable_uri + "?immutable=1"
}

/// Enables write-ahead logging. On file systems that do not support it, `SQLite` keeps the rollback
/// journal, with which readers have to wait.
fn enable_wal(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        if mode.eq_ignore_ascii_case("wal") {
            return Ok(());
        }
        let set = connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        match set {
            Ok(_) => return Ok(()),
            // Another process changes the mode; for this change `SQLite` does not wait by itself.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Milliseconds since 1970.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| signed(since.as_millis() as u64))
}

/// `SQLite` has only signed integers; seeds and fingerprints keep their bit pattern.
fn signed(number: u64) -> i64 {
    number.cast_signed()
}

/// The inverse of [`signed`].
fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

#[cfg(test)]
mod tests;
