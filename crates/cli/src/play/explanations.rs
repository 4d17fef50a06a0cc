//! The commands `hint` and `why` of `ludorum play`, and the line that shows who is searching.

use std::io::{self, IsTerminal as _, Write as _};

use ludorum_gdl::ground_term::without_parentheses;
use ludorum_players::Report;

use super::session::Session;
use crate::analyse::{Detail, report_text};
use crate::terminal::{Terminal, printable};

/// Prints the move that a strong player would make.
pub(super) fn hint(
    text: &str,
    report: &Report,
    roles: &[String],
    terminal: &mut Terminal,
) -> io::Result<()> {
    let style = terminal.style;
    let text = printable(without_parentheses(text)).into_owned();
    writeln!(terminal, "I would play {}.", style.bold(&text))?;
    let text = report_text(report, roles, Detail::Brief, "", &style);
    terminal.write_all(text.as_bytes())
}

/// Prints the search reports of the opponents for their last choices.
pub(super) fn why(session: &Session, terminal: &mut Terminal) -> io::Result<()> {
    let style = terminal.style;
    let mut any = false;
    for (role, text, report) in session.opponents.last_reports() {
        if any {
            writeln!(terminal)?;
        }
        any = true;
        let name = printable(&session.roles[role]).into_owned();
        let text = printable(without_parentheses(text)).into_owned();
        writeln!(terminal, "{name} played {}.", style.bold(&text))?;
        if report.moves.is_empty() && report.trouble.is_none() {
            writeln!(terminal, "It did not compare moves.")?;
            continue;
        }
        let text = report_text(report, &session.roles, Detail::Brief, "", &style);
        terminal.write_all(text.as_bytes())?;
    }
    if !any {
        writeln!(terminal, "No opponent has had a choice yet.")?;
    }
    Ok(())
}

/// Whether a line on standard output can be erased.
fn can_be_erased() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
}

/// A line that names the roles whose players are searching, erased when they are done. Not shown in
/// a pipe.
pub(super) struct SearchIndicator {
    is_shown: bool,
}

impl SearchIndicator {
    pub(super) fn begin(session: &Session, terminal: &mut Terminal) -> io::Result<Self> {
        let names: Vec<&str> = session.choosers().collect();
        let is_shown = !names.is_empty() && can_be_erased();
        if is_shown {
            let verb = if names.len() == 1 { "is" } else { "are" };
            let line = format!("{} {verb} searching ...", printable(&names.join(", ")));
            write!(terminal, "{}", terminal.style.dimmed(&line))?;
            terminal.flush()?;
        }
        Ok(Self { is_shown })
    }

    pub(super) fn end(self, terminal: &mut Terminal) -> io::Result<()> {
        if self.is_shown {
            write!(terminal, "\r\x1b[K")?;
        }
        Ok(())
    }
}
