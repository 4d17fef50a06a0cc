//! Lists of options with their defaults, for players and engines.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::terminal::Terminal;

/// An option of a player or an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct OptionEntry {
    pub(crate) name: &'static str,
    pub(crate) default: String,
    pub(crate) expected: String,
    pub(crate) about: &'static str,
}

/// Prints the name of a player or an engine and what it is, wrapped to the width of the terminal.
pub(crate) fn print_heading(name: &str, about: &str, terminal: &mut Terminal) -> io::Result<()> {
    let style = terminal.style;
    let options = textwrap::Options::new(style.width).subsequent_indent("  ");
    let text = textwrap::fill(&format!("{name}  {about}"), options);
    writeln!(terminal, "{}", text.replacen(name, &style.bold(name), 1))
}

/// Prints options, one below the other: `cache=0  the size of a cache (0 to 64 MiB)`.
pub(crate) fn print(options: &[OptionEntry], terminal: &mut Terminal) -> io::Result<()> {
    let style = terminal.style;
    let written = |option: &OptionEntry| format!("{}={}", option.name, option.default);
    let widest = options.iter().map(|o| written(o).chars().count()).max();
    let widest = widest.unwrap_or(0);
    for option in options {
        let text = written(option);
        let gap = " ".repeat(widest - text.chars().count());
        let indent = " ".repeat(widest + 4);
        let about = format!("{} ({})", option.about, option.expected);
        let options = textwrap::Options::new(style.width)
            .initial_indent(&indent)
            .subsequent_indent(&indent);
        let about = textwrap::fill(&about, options);
        let about = about.trim_start();
        writeln!(terminal, "  {}{gap}  {about}", style.code(&text))?;
    }
    Ok(())
}
