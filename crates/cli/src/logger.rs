//! Logging of the libraries on standard error: warnings, unless `LUDORUM_LOG` sets another level.
//!
//! Events of `tracing` and records of `log` are printed alike: one line each, or with
//! `LUDORUM_LOG_FORMAT=json` one JSON object each.

use std::fmt::{self, Write as _};
use std::io;

use tracing::field::{Field, Visit};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::terminal::printable;

/// The environment variable with the level: `off`, `error`, `warn`, `info`, `debug` or `trace`.
const VARIABLE: &str = "LUDORUM_LOG";
/// The environment variable with the format: `json`, or lines.
const FORMAT: &str = "LUDORUM_LOG_FORMAT";

/// Installs the subscriber.
pub(crate) fn start() {
    let level = std::env::var(VARIABLE).ok();
    let level = level.and_then(|level| level.parse().ok());
    let level = level.unwrap_or(LevelFilter::WARN);
    let targets = Targets::new().with_target("ludorum", level);
    let registry = tracing_subscriber::registry().with(targets);
    let is_json = std::env::var(FORMAT).is_ok_and(|format| format == "json");
    // If a subscriber is installed already, it stays.
    let _ = if is_json {
        let layer = tracing_subscriber::fmt::layer().json().flatten_event(true);
        registry.with(layer.with_writer(io::stderr)).try_init()
    } else {
        let layer = tracing_subscriber::fmt::layer().event_format(Line);
        registry.with(layer.with_writer(io::stderr)).try_init()
    };
}

/// Formats events as lines: `warn: the match is elsewhere than expected (id=m1)`
struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &tracing::Event<'_>,
    ) -> fmt::Result {
        let mut parts = Parts::default();
        event.record(&mut parts);
        let level = event.metadata().level().as_str().to_lowercase();
        let fields = if parts.fields.is_empty() {
            String::new()
        } else {
            format!(" ({})", parts.fields.join(", "))
        };
        let text = format!("{level}: {}{fields}", parts.message);
        writeln!(writer, "{}", printable(&text))
    }
}

/// The message and the fields of an event.
#[derive(Default)]
struct Parts {
    message: String,
    fields: Vec<String>,
}

impl Visit for Parts {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            // Writing to a string cannot fail.
            "message" => {
                let _ = write!(self.message, "{value:?}");
            }
            // The source location of `log` records is not shown.
            name if name.starts_with("log.") => {}
            name => self.fields.push(format!("{name}={value:?}")),
        }
    }
}
