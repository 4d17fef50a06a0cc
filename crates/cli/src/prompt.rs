//! Asking for a line. A pipe is answered as a person is, with its lines repeated, so that the
//! output reads like a conversation.

use std::io::{self, BufRead, IsTerminal as _, Read as _, Write as _};

use crate::terminal::{Terminal, printable};

/// No one types a longer line; the rest of one that comes through a pipe is dropped.
const LONGEST: u64 = 10_000;

/// Asks, and reads a line from standard input; `None` at its end.
pub(crate) fn ask(question: &str, terminal: &mut Terminal) -> io::Result<Option<String>> {
    write!(terminal, "{question}")?;
    terminal.flush()?;
    let line = read(&mut io::stdin().lock())?;
    let echoes = !io::stdin().is_terminal();
    match &line {
        Some(line) if echoes => writeln!(terminal, "{}", printable(line))?,
        Some(_) => {}
        None => writeln!(terminal)?,
    }
    Ok(line)
}

/// A line without its end; bytes that are no text become question marks.
fn read(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader
        .by_ref()
        .take(LONGEST)
        .read_until(b'\n', &mut bytes)?
        == 0
    {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") {
        reader.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_the_input_and_long_ones_are_cut() {
        let long = "x".repeat(20_000);
        let text = format!("one\r\n\n{long}\nlast");
        let mut reader = text.as_bytes();
        let mut next = || read(&mut reader).unwrap();
        assert_eq!(next().as_deref(), Some("one"));
        assert_eq!(next().as_deref(), Some(""));
        assert_eq!(next().map(|line| line.len()), Some(10_000));
        assert_eq!(next().as_deref(), Some("last"));
        assert_eq!(next(), None);
    }
}
