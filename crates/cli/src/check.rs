//! `ludorum check`: the diagnostics of rule sheets.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use ludorum_gdl::Diagnostic;
use ludorum_logic::LoadOptions;

use crate::outcome::{CommandOutcome, ErrorMessage, Failure};
use crate::report::{FileReport, counted, render};
use crate::sheet_report::SheetReport;
use crate::source::{GameSource, OpenError};
use crate::terminal::{OutputStyle, Terminal, printable};
use crate::{explain, playability, sheet_files};

/// Check rule sheets against the rules of the language.
///
/// Shows every problem with its place in the text. Errors break the Game Description Language;
/// warnings point out likely mistakes and matters of style in sheets that can be played.
///
/// A single sheet without errors is then played for a moment with random moves, which finds states
/// in which a role has no legal move, games that end without a goal value, and games that do not
/// end. Folders and several sheets are only played with --play.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Shipped names, paths of sheets, folders to search for *.kif, or `-` for standard input.
    #[arg(
        value_name = "GAME",
        required_unless_present = "explain",
        value_hint = ValueHint::AnyPath
    )]
    games: Vec<OsString>,

    /// Treat warnings as errors.
    #[arg(long)]
    strict: bool,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,

    /// Print one line per sheet and no snippets.
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    /// Show at most this many problems of a sheet; 0 shows all.
    #[arg(long, value_name = "N", default_value_t = 50, conflicts_with = "json")]
    limit: usize,

    #[command(flatten)]
    play: playability::Args,

    /// Explain a code such as E001 and exit; `all` lists the codes.
    #[arg(long, value_name = "CODE", conflicts_with_all = ["games", "json"])]
    explain: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum check my-game.kif                  your own sheet
  ludorum check --strict sheets/             all *.kif below a folder, warnings count as errors
  curl -s URL | ludorum check -              standard input
  ludorum check --json my-game.kif           for editors and scripts
  ludorum check --play 100 my-game.kif       look for faults in a hundred random games
  ludorum check --explain E001               what a code means

JSON: an array with one object per sheet, in the order given:
  [{\"file\": \"my-game.kif\", \"ok\": false, \"diagnostics\": [
    {\"code\": \"E001\", \"severity\": \"error\", \"message\": \"...\", \"help\": \"...\" or null, \"labels\": [
      {\"start\": 9, \"end\": 14, \"line\": 2, \"column\": 1, \"end_line\": 2, \"end_column\": 6, \"text\": \"...\"}]}]}]
start and end are bytes from 0, the end not included (a byte-order mark does not count); lines and \
columns count from 1, columns in characters. The first label is the most important. severity is \
\"error\" or \"warning\"; ok means no errors. A problem found by playing also has \"moves\", the \
joint moves that lead to it (each a list with one move per role), and \"state\", the facts there. \
A sheet that was played has \"playouts\": {\"asked\": 10, \"made\": 10, \"steps\": 87}.

Exit codes: 0 no errors, 1 some sheet has errors, 2 some sheet could not be read.";

/// How many sheets had which result so far.
#[derive(Default)]
struct Totals {
    fine: usize,
    warned: usize,
    failed: usize,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    if let Some(code) = &args.explain {
        return explain::run(code, terminal);
    }
    let mut totals = Totals::default();
    let mut messages = Vec::new();
    let mut reports = Vec::new();
    let inputs = inputs(&args.games);
    let is_single = matches!(inputs[..], [Ok(Input::Word(_))]);
    let effort = args.play.effort(is_single);
    let options = match effort {
        Some(_) => LoadOptions::default(),
        None => LoadOptions::checks_only(),
    };
    for sheet in inputs {
        let opened = sheet.and_then(|sheet| Ok(sheet.open()?));
        match opened {
            Ok(source) => {
                let mut report = SheetReport::new(&source, &options)?;
                if let Some(effort) = effort {
                    playability::examine(&mut report, args.play.engine, &effort);
                }
                if args.strict {
                    report = report.strictly();
                }
                totals.add(&report);
                if args.json {
                    reports.push(FileReport::new(&source.name, &source.text, &report));
                } else {
                    show(args, &source, &report, terminal)?;
                }
            }
            Err(message) => messages.push(message),
        }
    }
    if args.json {
        terminal.json(&reports)?;
    } else if totals.sheets() > 1 {
        writeln!(terminal, "{}", totals.sentence(&terminal.style))?;
    }
    if !messages.is_empty() {
        return Err(Failure::Input(messages));
    }
    Ok(if totals.failed == 0 {
        CommandOutcome::Success
    } else {
        CommandOutcome::Negative
    })
}

/// A sheet to open.
enum Input {
    Word(OsString),
    File(PathBuf),
}

impl Input {
    fn open(&self) -> Result<GameSource, OpenError> {
        match self {
            Self::Word(word) => GameSource::open(word),
            Self::File(path) => GameSource::from_file(path),
        }
    }
}

/// The sheets that the arguments name, folders searched. Sheets are opened one at a time, so their
/// number is not limited.
fn inputs(words: &[OsString]) -> Vec<Result<Input, ErrorMessage>> {
    let mut inputs = Vec::new();
    let mut stdin_taken = false;
    for word in words {
        let path = Path::new(word);
        let is_game = word.to_str().and_then(ludorum_games::find).is_some();
        if word == "-" && std::mem::replace(&mut stdin_taken, true) {
            inputs.push(Err(ErrorMessage {
                message: "standard input can be read only once".into(),
                help: Some("give `-` once".into()),
            }));
        } else if is_game || !path.is_dir() {
            inputs.push(Ok(Input::Word(word.clone())));
        } else {
            match sheet_files::find(path) {
                Ok(sheets) if sheets.is_empty() => inputs.push(Err(ErrorMessage {
                    message: format!("there is no *.kif file in the folder `{}`", path.display()),
                    help: None,
                })),
                Ok(sheets) => inputs.extend(sheets.into_iter().map(|path| Ok(Input::File(path)))),
                Err((folder, error)) => inputs.push(Err(ErrorMessage {
                    message: format!("cannot read the folder `{}`: {error}", folder.display()),
                    help: None,
                })),
            }
        }
    }
    inputs
}

fn show(
    args: &Args,
    source: &GameSource,
    report: &SheetReport,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let style = terminal.style;
    if !args.quiet {
        let limit = if args.limit == 0 {
            usize::MAX
        } else {
            args.limit
        };
        let found: &[Diagnostic] = &report.diagnostics;
        let text = render(&source.name, &source.text, found, limit, &style);
        terminal.write_all(text.as_bytes())?;
        if let Some(playability) = &report.playability {
            let text = playability.rendered(&source.name, &source.text, &style);
            terminal.write_all(text.as_bytes())?;
        }
    }
    let name = printable(&source.name);
    writeln!(terminal, "{name}: {}", verdict(report, &style))?;
    Ok(())
}

/// `fine`, or the numbers of errors and warnings.
fn verdict(report: &SheetReport, style: &OutputStyle) -> String {
    let mut parts = Vec::new();
    let (errors, warnings) = (report.errors(), report.warnings());
    if errors > 0 {
        parts.push(style.error(&counted(errors, "error", "errors")));
    }
    if warnings > 0 {
        parts.push(style.warning(&counted(warnings, "warning", "warnings")));
    }
    if parts.is_empty() {
        parts.push(style.success("fine"));
    }
    let played = report.playability.as_ref();
    let played = played.map(|played| style.dimmed(&format!(" ({})", played.sentence())));
    parts.join(", ") + &played.unwrap_or_default()
}

impl Totals {
    fn add(&mut self, report: &SheetReport) {
        let count = if report.errors() > 0 {
            &mut self.failed
        } else if report.warnings() > 0 {
            &mut self.warned
        } else {
            &mut self.fine
        };
        *count += 1;
    }

    fn sheets(&self) -> usize {
        self.fine + self.warned + self.failed
    }

    fn sentence(&self, style: &OutputStyle) -> String {
        let mut sentence = format!("{} sheets: ", self.sheets());
        sentence += &style.success(&format!("{} fine", self.fine));
        if self.warned > 0 {
            sentence += &format!(
                ", {}",
                style.warning(&format!("{} with warnings", self.warned))
            );
        }
        if self.failed > 0 {
            sentence += &format!(", {}", style.error(&format!("{} with errors", self.failed)));
        }
        sentence
    }
}
