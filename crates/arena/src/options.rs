//! What an arena may use: [`ArenaOptions`].

use std::time::Duration;

use ludorum_match::Archive;

/// How an arena is run.
#[derive(Clone, Debug)]
pub struct ArenaOptions {
    /// What everybody has to know who wants in; none lets everybody in who can reach the address.
    pub token: Option<String>,
    /// Names under which the arena may be asked for, besides addresses in numbers and `localhost`.
    pub hosts: Vec<String>,
    /// The archive; none keeps nothing.
    pub archive: Option<Archive>,
    /// How many matches are played at once.
    pub matches: usize,
    /// How many that are over are kept at hand; the archive has them all.
    pub kept: usize,
    /// How many people watch at once.
    pub watchers: usize,
    /// How many sheets of people are kept; the oldest goes first.
    pub sheets: usize,
    /// The most bytes of a sheet.
    pub sheet_bytes: usize,
    /// The memory of a player of ours in MiB, unless its options say less.
    pub memory: u64,
    /// The most threads of a player of ours.
    pub threads: u64,
    /// A match that waits for a person is given up when nobody has looked at it for so long.
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
