//! `ludorum fmt`: formats rule sheets, and converts between notations.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::{ValueEnum, ValueHint};
use ludorum_gdl::{Diagnostic, Notation, format::format, parse_as};

use crate::outcome::{CommandOutcome, Failure};
use crate::report::render;
use crate::source::{GameSource, Origin};
use crate::terminal::{Terminal, printable};

/// Format a rule sheet, or convert it to the other notation.
///
/// Comments are kept. The result goes to standard output unless --write or --check is given.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Shipped names, paths of sheets, or `-` for standard input; several only with --check or
    /// --write.
    #[arg(value_name = "GAME", required = true, value_hint = ValueHint::FilePath)]
    games: Vec<OsString>,

    /// The notation to write; that of the sheet if not given.
    #[arg(long, value_name = "NOTATION")]
    to: Option<NotationName>,

    /// The notation of the sheet; detected if not given.
    #[arg(long, value_name = "NOTATION")]
    from: Option<NotationName>,

    /// Change nothing; exit with 1 if a sheet is not formatted.
    #[arg(long, conflicts_with = "write")]
    check: bool,

    /// Write the result back to the file.
    #[arg(long)]
    write: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum fmt my-game.kif                    to standard output
  ludorum fmt --write my-game.kif            in place
  ludorum fmt --check sheets/*.kif           for continuous integration
  ludorum fmt --to infix tic-tac-toe         the notation of the GGP book: legal(R,noop) :- role(R)
  ludorum fmt --from infix --to kif -        standard input, converted

Exit codes: 0 success, 1 --check found a sheet that is not formatted, 2 a sheet cannot be read or \
parsed.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NotationName {
    /// (<= (legal ?r noop) (role ?r))
    Kif,
    /// legal(R,noop) :- role(R)
    Infix,
}

impl From<NotationName> for Notation {
    fn from(name: NotationName) -> Self {
        match name {
            NotationName::Kif => Self::Kif,
            NotationName::Infix => Self::Infix,
        }
    }
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    if args.games.len() > 1 && !args.check && !args.write {
        return Err(Failure::input_with_help(
            "several sheets cannot be written to standard output",
            "give one sheet, or --check or --write",
        ));
    }
    let mut answer = CommandOutcome::Success;
    for word in &args.games {
        let source = GameSource::open(word)?;
        let laid_out = lay_out(args, &source, terminal)?;
        let changed = laid_out != source.text;
        if args.check {
            if changed {
                answer = CommandOutcome::Negative;
                let name = printable(&source.name);
                let line = first_difference(&source.text, &laid_out);
                writeln!(terminal, "{name}: would change, first at line {line}")?;
            }
        } else if args.write {
            let path = writable(&source)?;
            if changed {
                replace(path, &laid_out).map_err(|error| {
                    Failure::input(format!("cannot write `{}`: {error}", path.display()))
                })?;
            }
        } else {
            terminal.write_all(laid_out.as_bytes())?;
        }
    }
    Ok(answer)
}

fn lay_out(args: &Args, source: &GameSource, terminal: &Terminal) -> Result<String, Failure> {
    let from = args
        .from
        .map_or_else(|| Notation::detect(&source.text), Notation::from);
    let parsed = parse_as(&source.text, from);
    if parsed.has_errors() {
        // A clause that cannot be parsed would be lost.
        let errors: Vec<Diagnostic> = parsed
            .diagnostics
            .into_iter()
            .filter(Diagnostic::is_error)
            .collect();
        let style = terminal.stderr_style();
        let report = render(&source.name, &source.text, &errors, 10, &style);
        return Err(Failure::Sheet(report));
    }
    let to = args.to.map_or(from, Notation::from);
    Ok(format(&parsed.description, &source.text, to))
}

fn writable(source: &GameSource) -> Result<&Path, Failure> {
    match &source.origin {
        Origin::File(path) => Ok(path),
        Origin::Shipped => Err(Failure::input_with_help(
            format!(
                "`{}` ships inside the program and cannot be written",
                source.name
            ),
            "without --write the result goes to standard output",
        )),
        Origin::Stdin => Err(Failure::input_with_help(
            "standard input cannot be written",
            "without --write the result goes to standard output",
        )),
    }
}

/// Replaces the text of a file atomically, so that after a crash it has the old or the new text as
/// a whole.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A symbolic link stays a link; the file that it points to is replaced.
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = fs::write(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, permissions))
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The first line, counted from 1, in which two texts differ.
fn first_difference(old: &str, new: &str) -> usize {
    let same = old
        .split('\n')
        .zip(new.split('\n'))
        .take_while(|(a, b)| a == b)
        .count();
    same + 1
}
