//! What libraries tell on the way, on standard error: warnings unless `LUDORUM_LOG` asks for more or less.

use std::io::Write as _;

use log::{LevelFilter, Log, Metadata, Record};

/// The variable that says how much: `off`, `error`, `warn`, `info`, `debug` or `trace`.
const VARIABLE: &str = "LUDORUM_LOG";

struct Logger;

static LOGGER: Logger = Logger;

/// Begins to listen.
pub(crate) fn start() {
    let level = std::env::var(VARIABLE).ok();
    let level = level.and_then(|level| level.parse().ok());
    if log::set_logger(&LOGGER).is_ok() {
        log::set_max_level(level.unwrap_or(LevelFilter::Warn));
    }
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("ludorum")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let level = record.level().as_str().to_lowercase();
            let text = format!("{level}: {}\n", record.args());
            let text = crate::terminal::printable(&text).into_owned();
            // Standard error may be gone; there is nobody left to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    fn flush(&self) {}
}
