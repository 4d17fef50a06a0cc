//! Options and limits of an arena: [`ArenaOptions`].

use std::time::Duration;

use ludorum_match::Archive;

/// Options and limits of an arena.
#[derive(Clone, Debug)]
pub struct ArenaOptions {
    /// Token that every client must present; none admits everyone who can reach the address.
    pub token: Option<String>,
    /// Accepted host names besides IP addresses and `localhost`.
    pub hosts: Vec<String>,
    /// The archive; none stores nothing.
    pub archive: Option<Archive>,
    /// Limit on concurrent matches.
    pub matches: usize,
    /// Limit on finished matches kept in memory; the archive has them all.
    pub kept: usize,
    /// Limit on concurrent watchers.
    pub watchers: usize,
    /// Limit on uploaded sheets; the least recently used is dropped.
    pub sheets: usize,
    /// Size limit of a sheet in bytes.
    pub sheet_bytes: usize,
    /// Memory limit of a built-in player in MiB.
    pub memory: u64,
    /// Thread limit of a built-in player.
    pub threads: u64,
    /// A match with people is cancelled when nobody has looked at it for this long.
    pub idle_timeout: Duration,
}

impl Default for ArenaOptions {
    fn default() -> Self {
        Self {
            token: None,
            hosts: Vec::new(),
            archive: None,
            matches: 32,
            kept: 64,
            watchers: 600,
            sheets: 200,
            sheet_bytes: 1 << 20,
            memory: 256,
            threads: 4,
            idle_timeout: Duration::from_hours(2),
        }
    }
}
