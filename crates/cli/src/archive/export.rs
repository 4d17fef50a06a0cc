//! `ludorum archive export`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{ValueEnum, ValueHint};
use ludorum_match::archive::Archive;
use ludorum_match::export::{ggp, trace};

use super::{ArchiveOption, FilterOptions, find};
use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::Terminal;

/// Export matches in other formats.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// The ids of the matches, or their beginnings; without any, all that fit the options.
    #[arg(value_name = "MATCH")]
    names: Vec<String>,

    #[command(flatten)]
    filter: FilterOptions,

    /// The format; by default JSON for one match and lines of JSON for several.
    #[arg(long, value_name = "FORM")]
    format: Option<Form>,

    /// The file to write; standard output if not given.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    #[command(flatten)]
    archive: ArchiveOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// JSON as ggp.org wrote it; an array if there are several matches.
    Json,
    /// The same, one match a line.
    Jsonl,
    /// A trace in KIF that can be replayed, of one match only.
    Kif,
    /// The rule sheet of one match.
    Sheet,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum archive export cup-1.r1.g1.1-2.1 > match.json
  ludorum archive export cup-1.r1.g1.1-2.1 --format kif
  ludorum archive export cup-1.r1.g1.1-2.1 --format sheet
  ludorum archive export --tournament cup --format jsonl -o cup.jsonl

Exit codes: 0 fine, 1 there is no such match, 2 wrong use or bad input.";

pub(super) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let archive = args.archive.open()?;
    let mut ids = Vec::new();
    if args.names.is_empty() {
        let list = archive
            .matches(&args.filter.filter())
            .map_err(Failure::from)?;
        ids.extend(list.into_iter().map(|summary| summary.id));
    } else if !args.filter.is_empty() {
        return Err(Failure::input(
            "either name matches or choose them by options, not both",
        ));
    }
    for name in &args.names {
        match find(&archive, name)? {
            Some(summary) => ids.push(summary.id),
            None => return Ok(super::missing(name, terminal)),
        }
    }
    let form = args.format.unwrap_or(match ids.len() {
        1 => Form::Json,
        _ => Form::Jsonl,
    });
    if matches!(form, Form::Kif | Form::Sheet) && ids.len() != 1 {
        return Err(Failure::input_with_help(
            format!("this form has one match, and {} were chosen", ids.len()),
            "name one match, or choose another --format",
        ));
    }
    let none = ids.is_empty();
    match &args.output {
        None => write(&archive, &ids, form, terminal)?,
        Some(path) => {
            let unwritable = |error: io::Error| {
                Failure::input(format!("cannot write `{}`: {error}", path.display()))
            };
            let mut file = BufWriter::new(File::create(path).map_err(unwritable)?);
            let written = write(&archive, &ids, form, &mut file);
            written.map_err(|failure| match failure {
                Failure::Output(error) => unwritable(error),
                other => other,
            })?;
            file.flush().map_err(unwritable)?;
        }
    }
    Ok(if none {
        CommandOutcome::Negative
    } else {
        CommandOutcome::Success
    })
}

/// Writes one match after the other, so that memory stays bounded for archives of any size.
fn write(
    archive: &Archive,
    ids: &[String],
    form: Form,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let array = form == Form::Json && ids.len() != 1;
    if array {
        writeln!(out, "[")?;
    }
    for (i, id) in ids.iter().enumerate() {
        let lost = || Failure::input(format!("match `{id}` is not there any more"));
        if form == Form::Sheet {
            let sheet = archive.sheet(id).map_err(Failure::from)?.ok_or_else(lost)?;
            out.write_all(sheet.as_bytes())?;
            continue;
        }
        let record = archive
            .record(id)
            .map_err(Failure::from)?
            .ok_or_else(lost)?;
        match form {
            Form::Kif => out.write_all(trace::to_kif(&record).as_bytes())?,
            Form::Jsonl => writeln!(out, "{}", serde_json::to_string(&ggp::to_value(&record))?)?,
            _ => {
                let comma = if array && i + 1 < ids.len() { "," } else { "" };
                writeln!(out, "{}{comma}", ggp::to_json(&record))?;
            }
        }
    }
    if array {
        writeln!(out, "]")?;
    }
    Ok(())
}
