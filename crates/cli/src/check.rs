//! `ludorum check`: the diagnostics of rule sheets.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use ludorum_gdl::Diagnostic;
use ludorum_logic::LoadOptions;

use crate::diagnosis::Diagnosis;
use crate::outcome::{Answer, Complaint, Failure};
use crate::report::{FileReport, counted, render};
use crate::source::{GameSource, SourceProblem};
use crate::terminal::{Look, Terminal, printable};
use crate::{explain, playability, walk};

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
    #[arg(value_name = "GAME", required_unless_present = "explain", value_hint = ValueHint::AnyPath)]
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
joint moves that lead to it (each a list with one move per role), and \"state\", the facts there. A \
sheet that was played has \"playouts\": {\"asked\": 10, \"made\": 10, \"steps\": 87}.

Exit codes: 0 no errors, 1 some sheet has errors, 2 some sheet could not be read.";

/// How many sheets had which result so far.
#[derive(Default)]
struct Totals {
    fine: usize,
    warned: usize,
    failed: usize,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
    if let Some(code) = &args.explain {
        return explain::run(code, terminal);
    }
    let mut totals = Totals::default();
    let mut complaints = Vec::new();
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
                let mut diagnosis = Diagnosis::new(&source, &options)?;
                if let Some(effort) = effort {
                    playability::examine(&mut diagnosis, args.play.engine, &effort);
                }
                if args.strict {
                    diagnosis = diagnosis.strictly();
                }
                totals.add(&diagnosis);
                if args.json {
                    reports.push(FileReport::new(&source.name, &source.text, &diagnosis));
                } else {
                    show(args, &source, &diagnosis, terminal)?;
                }
            }
            Err(complaint) => complaints.push(complaint),
        }
    }
    if args.json {
        terminal.json(&reports)?;
    } else if totals.sheets() > 1 {
        writeln!(terminal, "{}", totals.sentence(&terminal.look))?;
    }
    if !complaints.is_empty() {
        return Err(Failure::Input(complaints));
    }
    Ok(if totals.failed == 0 {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// A sheet to open.
enum Input {
    Word(OsString),
    File(PathBuf),
}

impl Input {
    fn open(&self) -> Result<GameSource, SourceProblem> {
        match self {
            Self::Word(word) => GameSource::open(word),
            Self::File(path) => GameSource::from_file(path),
        }
    }
}

/// The sheets that the arguments name, folders searched. Sheets are opened one at a time, so their
/// number is not limited.
fn inputs(words: &[OsString]) -> Vec<Result<Input, Complaint>> {
    let mut inputs = Vec::new();
    let mut stdin_taken = false;
    for word in words {
        let path = Path::new(word);
        let is_game = word.to_str().and_then(ludorum_games::find).is_some();
        if word == "-" && std::mem::replace(&mut stdin_taken, true) {
            inputs.push(Err(Complaint {
                message: "standard input can be read only once".into(),
                help: Some("give `-` once".into()),
            }));
        } else if is_game || !path.is_dir() {
            inputs.push(Ok(Input::Word(word.clone())));
        } else {
            match walk::sheets(path) {
                Ok(sheets) if sheets.is_empty() => inputs.push(Err(Complaint {
                    message: format!("there is no *.kif file in the folder `{}`", path.display()),
                    help: None,
                })),
                Ok(sheets) => inputs.extend(sheets.into_iter().map(|path| Ok(Input::File(path)))),
                Err((folder, error)) => inputs.push(Err(Complaint {
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
    diagnosis: &Diagnosis,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let look = terminal.look;
    if !args.quiet {
        let limit = if args.limit == 0 {
            usize::MAX
        } else {
            args.limit
        };
        let found: &[Diagnostic] = &diagnosis.diagnostics;
        let text = render(&source.name, &source.text, found, limit, &look);
        terminal.write_all(text.as_bytes())?;
        if let Some(playability) = &diagnosis.playability {
            let text = playability.rendered(&source.name, &source.text, &look);
            terminal.write_all(text.as_bytes())?;
        }
    }
    let name = printable(&source.name);
    writeln!(terminal, "{name}: {}", verdict(diagnosis, &look))?;
    Ok(())
}

/// `fine`, or the numbers of errors and warnings.
fn verdict(diagnosis: &Diagnosis, look: &Look) -> String {
    let mut parts = Vec::new();
    let (errors, warnings) = (diagnosis.errors(), diagnosis.warnings());
    if errors > 0 {
        parts.push(look.error(&counted(errors, "error", "errors")));
    }
    if warnings > 0 {
        parts.push(look.warning(&counted(warnings, "warning", "warnings")));
    }
    if parts.is_empty() {
        parts.push(look.fine("fine"));
    }
    let played = diagnosis.playability.as_ref();
    let played = played.map(|played| look.faint(&format!(" ({})", played.sentence())));
    parts.join(", ") + &played.unwrap_or_default()
}

impl Totals {
    fn add(&mut self, diagnosis: &Diagnosis) {
        let count = if diagnosis.errors() > 0 {
            &mut self.failed
        } else if diagnosis.warnings() > 0 {
            &mut self.warned
        } else {
            &mut self.fine
        };
        *count += 1;
    }

    fn sheets(&self) -> usize {
        self.fine + self.warned + self.failed
    }

    fn sentence(&self, look: &Look) -> String {
        let mut sentence = format!("{} sheets: ", self.sheets());
        sentence += &look.fine(&format!("{} fine", self.fine));
        if self.warned > 0 {
            sentence += &format!(
                ", {}",
                look.warning(&format!("{} with warnings", self.warned))
            );
        }
        if self.failed > 0 {
            sentence += &format!(", {}", look.error(&format!("{} with errors", self.failed)));
        }
        sentence
    }
}
