//! `ludorum check --explain CODE`: the explanation of a diagnostic code.

use std::io::Write as _;

use ludorum_gdl::check::codes::{CODES, DiagnosticCode};
use ludorum_gdl::check::explain;

use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::{OutputStyle, Terminal, shortened};

/// The argument that lists all codes.
const ALL: &str = "all";

pub(crate) fn run(code: &str, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let style = terminal.style;
    if code.eq_ignore_ascii_case(ALL) {
        for code in CODES {
            writeln!(terminal, "{}  {}", style.bold(code.code), code.title)?;
        }
        return Ok(CommandOutcome::Success);
    }
    let Some(code) = explain(code.trim()) else {
        return Err(Failure::input_with_help(
            format!("there is no code `{}`", shortened(code, 20)),
            "a code is a letter and three digits, such as E001; `ludorum check --explain all` \
             lists them",
        ));
    };
    terminal.write_all(page(code, &style).as_bytes())?;
    Ok(CommandOutcome::Success)
}

fn page(code: &DiagnosticCode, style: &OutputStyle) -> String {
    let width = style.width.min(90);
    let mut text = format!("{}  {}\n", style.bold(code.code), code.title);
    for paragraph in code.explanation.trim_end().split('\n') {
        text.push('\n');
        text += &textwrap::fill(paragraph, width);
    }
    text.push('\n');
    text
}
