/*!
Where matches are kept: [`Archive`], a file of `SQLite`.

Every match is there with its players, clocks, moves, states, errors and goals, and so are
tournaments and ratings. A match is written down while it is played, through an
[`ArchiveMatchLog`]: when [`step`](crate::MatchLog::step) returns, the step is on the disk, and neither a killed process nor a power cut takes it away.

# Who may do what at once
- Matches of one process share an [`Archive`] and one thread that writes.
- Several processes may use one file. They wait for each other, a moment for each transaction.
- One tournament is played by one process, which holds a [`TournamentLock`].
- Readers never wait (write-ahead logging) and see whole transactions only.

# Files
[`Archive::create`] makes a file if there is none, [`Archive::open`] wants one, which it reads only
if it may not be written to. Older files are brought up to date; files of others and files of later
versions are refused and not touched.
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
const PATIENCE: Duration = Duration::from_secs(30);

/// A file with matches. Clones share it.
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
    /// Where the archive of this user is.
    pub fn default_path() -> Result<PathBuf, ArchiveError> {
        let folders = choose_native_strategy().map_err(|_| ArchiveError::NoFolder)?;
        Ok(folders.data_dir().join("ludorum").join("archive.sqlite"))
    }

    /// Opens a file, and makes it and its folder if there is none.
    pub fn create(path: &Path) -> Result<Self, ArchiveError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| ArchiveError::Folder {
                path: path.to_owned(),
                error,
            })?;
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens a file that is there.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        // SQLite takes an empty file for an empty database, and so do we.
        if !path.exists() {
            let path = path.to_owned();
            return Err(ArchiveError::Missing { path });
        }
        match Self::connect(path, OpenFlags::empty()) {
            // A file that nobody may write to can be read all the same.
            Err(error) if error.is_about_writing() => Self::read_only(path).map_err(|_| error),
            opened => opened,
        }
    }

    /// Opens a file to read only. Nothing is written, not even beside it, so it must not be written
    /// to by others meanwhile.
    fn read_only(path: &Path) -> Result<Self, ArchiveError> {
        let failed = |error| ArchiveError::database(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(address(path), flags).map_err(failed)?;
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
            connection.busy_timeout(PATIENCE)?;
            Ok(connection)
        };
        let mut writing = open().map_err(failed)?;
        schema::prepare(&mut writing, path)?;
        log_ahead(&writing).map_err(failed)?;
        // A step is on the disk before it is announced, whatever happens to the machine.
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

    /// The file.
    pub fn path(&self) -> &Path {
        self.inner.writer.path()
    }

    /// A log for a match with this rule sheet.
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

    /// What the database says, in words.
    fn failed(&self) -> impl Fn(rusqlite::Error) -> ArchiveError + '_ {
        |error| ArchiveError::database(self.path(), error)
    }
}

/// A file as `SQLite` is told of one that does not change: then it needs no locks and no files
/// beside it.
fn address(path: &Path) -> String {
    let mut address = "file:".to_owned();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address += &format!("%{byte:02X}");
        }
    }
    address + "?immutable=1"
}

/// Turns write-ahead logging on. Where a file system cannot do it `SQLite` keeps its older way,
/// with which readers have to wait; nothing else changes.
fn log_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        if mode.eq_ignore_ascii_case("wal") {
            return Ok(());
        }
        let set = connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        match set {
            Ok(_) => return Ok(()),
            // Another process is at the same; for this change `SQLite` itself does not wait.
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

/// `SQLite` knows whole numbers with a sign only; seeds and fingerprints use all 64 bits, so they
/// keep their bits and not their values.
fn signed(number: u64) -> i64 {
    number.cast_signed()
}

/// The number that [`signed`] was made of.
fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

#[cfg(test)]
mod tests;
