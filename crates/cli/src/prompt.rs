//! Questions that are answered with a line. Lines from a pipe are echoed, so that the output reads
//! like a dialogue.

use std::io::{self, BufRead, IsTerminal as _, Read as _, Write as _};

use crate::terminal::{Terminal, printable};

/// The longest line that is read, in bytes; the rest is dropped.
const MAX_LINE_BYTES: u64 = 10_000;

/// Prints a question and reads a line from standard input; `None` at its end.
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

/// Reads a line without its end; bytes that are not UTF-8 are replaced.
fn read(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader
        .by_ref()
        .take(MAX_LINE_BYTES)
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
