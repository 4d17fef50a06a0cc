//! Output with colours, characters and a width that fit the terminal.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde::Serialize;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always, in pipes and files too.
    Always,
    /// Never.
    Never,
}

/// The width of output that does not go to a terminal.
const PIPE_WIDTH: usize = 100;

/// What an output stream can show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputStyle {
    /// Whether to use colours.
    pub(crate) color: bool,
    /// Whether characters outside ASCII can be shown.
    pub(crate) unicode: bool,
    /// The number of columns.
    pub(crate) width: usize,
}

impl OutputStyle {
    /// The style of standard output.
    pub(crate) fn stdout(color: Color) -> Self {
        Self {
            color: wants_color(color, io::stdout().is_terminal()),
            unicode: supports_unicode::on(supports_unicode::Stream::Stdout),
            width: width(terminal_size::terminal_size_of(io::stdout())),
        }
    }

    /// The style of standard error.
    pub(crate) fn stderr(color: Color) -> Self {
        Self {
            color: wants_color(color, io::stderr().is_terminal()),
            unicode: supports_unicode::on(supports_unicode::Stream::Stderr),
            width: width(terminal_size::terminal_size_of(io::stderr())),
        }
    }

    /// An error.
    pub(crate) fn error(&self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    /// A warning.
    pub(crate) fn warning(&self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// A success.
    pub(crate) fn success(&self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    /// A heading or a name.
    pub(crate) fn bold(&self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// Text that can be typed.
    pub(crate) fn code(&self, text: &str) -> String {
        self.paint(AnsiColor::Cyan.on_default(), text)
    }

    /// Less important text.
    pub(crate) fn dimmed(&self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// A text in a given style.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

fn wants_color(choice: Color, is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            is_terminal
                && set("NO_COLOR").is_none()
                && set("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// The width of a terminal; very narrow ones count as 40 columns, which is the least that layouts
/// need.
fn width(size: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    size.map_or(PIPE_WIDTH, |(width, _)| usize::from(width.0).clamp(40, 160))
}

/// Buffered standard output with its style. All commands write through it, so that a closed pipe is
/// an error that they return.
pub(crate) struct Terminal {
    out: BufWriter<Stdout>,
    color: Color,
    /// The style of the output.
    pub(crate) style: OutputStyle,
}

impl Terminal {
    /// Standard output.
    pub(crate) fn stdout(color: Color) -> Self {
        Self {
            out: BufWriter::new(io::stdout()),
            color,
            style: OutputStyle::stdout(color),
        }
    }

    /// The style of standard error, with the same choice of colours.
    pub(crate) fn stderr_style(&self) -> OutputStyle {
        OutputStyle::stderr(self.color)
    }

    /// Writes a value as indented JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A text with its control characters replaced, because those of a foreign sheet could control the
/// terminal. The replacements have the same length in bytes, so offsets in the text stay valid.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    let lone_return = |text: &str| {
        let bytes = text.as_bytes();
        (0..bytes.len()).any(|i| bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n'))
    };
    if !text.contains(is_bad) && !lone_return(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\r' if chars.peek() != Some(&'\n') => ' ',
            c if is_bad(c) && c.len_utf8() == 1 => '?',
            c if is_bad(c) => '¿',
            c => c,
        });
    }
    Cow::Owned(out)
}

/// The first `limit` characters, with dots when something was cut off.
pub(crate) fn shortened(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced_byte_for_byte() {
        let text = "a\x1b[31m\rb\u{9b}\r\n\tc";
        let shown = printable(text);
        assert_eq!(shown, "a?[31m b¿\r\n\tc");
        assert_eq!(shown.len(), text.len());
        assert!(matches!(printable("plain\r\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("çççç", 2), "çç...");
        assert_eq!(shortened("abc", 3), "abc");
    }
}
