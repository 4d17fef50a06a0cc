//! `ludorum check --explain CODE`: what a kind of problem is about.

use std::io::Write as _;

use crate::outcome::{Answer, Failure};
use crate::terminal::{Terminal, shortened};

pub(crate) fn run(code: &str, terminal: &mut Terminal) -> Result<Answer, Failure> {
    let code = code.trim().to_ascii_uppercase();
    let Some(text) = ludorum_gdl::check::explain(&code) else {
        return Err(Failure::input_with_help(
            format!("there is no code `{}`", shortened(&code, 20)),
            "a code is a letter and three digits, such as E001; `ludorum check` shows it with each problem",
        ));
    };
    writeln!(
        terminal,
        "{}\n\n{}",
        terminal.look.strong(&code),
        text.trim_end()
    )?;
    Ok(Answer::Yes)
}
