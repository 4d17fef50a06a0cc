//! `ludorum archive`: recorded matches.

mod date_time;
mod export;
mod list;
mod ratings;
mod replay;
mod show;

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};
use ludorum_match::archive::{Archive, ArchiveError, MatchFilter, MatchSummary};

use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::Terminal;

/// List, show, replay, rate and export recorded matches.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum archive list --game chess --errors          matches of chess with errors
  ludorum archive show cup-1.r1.g1.1-2.1              the moves of a match, and what went wrong
  ludorum archive replay cup-1.r1.g1.1-2.1            its boards, one after the other
  ludorum archive export cup-1.r1.g1.1-2.1            the match as JSON in the format of ggp.org
  ludorum archive export --tournament cup --format jsonl > cup.jsonl
  ludorum archive ratings --tournament cup            the ratings of its players

A match is given by its id or a unique beginning of it.

The archive is an SQLite file: the one of --archive, or of the variable LUDORUM_ARCHIVE, or one in \
the data folder of the user.

Exit codes: 0 success, 1 there is no such match, 2 wrong use or bad input.";

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Export(export::Args),
    Replay(replay::Args),
    Ratings(ratings::Args),
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    match &args.command {
        Command::List(args) => list::run(args, terminal),
        Command::Show(args) => show::run(args, terminal),
        Command::Export(args) => export::run(args, terminal),
        Command::Replay(args) => replay::run(args, terminal),
        Command::Ratings(args) => ratings::run(args, terminal),
    }
}

/// The environment variable with the path of the archive.
const VARIABLE: &str = "LUDORUM_ARCHIVE";

/// The option for the path of the archive.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ArchiveOption {
    /// The archive file; by default one in the data folder of the user.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    archive: Option<PathBuf>,
}

impl ArchiveOption {
    fn path(&self) -> Result<PathBuf, Failure> {
        if let Some(path) = &self.archive {
            return Ok(path.clone());
        }
        match std::env::var_os(VARIABLE) {
            Some(path) if !path.is_empty() => Ok(path.into()),
            _ => Archive::default_path().map_err(Failure::from),
        }
    }

    /// Whether an option or the variable names the archive.
    pub(crate) fn is_given(&self) -> bool {
        self.archive.is_some() || std::env::var_os(VARIABLE).is_some_and(|path| !path.is_empty())
    }

    /// Opens an existing archive.
    pub(crate) fn open(&self) -> Result<Archive, Failure> {
        Archive::open(&self.path()?).map_err(Failure::from)
    }

    /// Opens an archive, and creates it if there is none.
    pub(crate) fn create(&self) -> Result<Archive, Failure> {
        Archive::create(&self.path()?).map_err(Failure::from)
    }
}

/// The options that select matches.
#[derive(Clone, Debug, clap::Args)]
struct FilterOptions {
    /// Matches of this game.
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    /// Matches with this player, by its name or its text.
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,

    /// Matches of this tournament.
    #[arg(long, value_name = "NAME")]
    tournament: Option<String>,

    /// Matches in which a player made an error.
    #[arg(long)]
    errors: bool,

    /// Matches that have ended.
    #[arg(long, conflicts_with = "unfinished")]
    finished: bool,

    /// Matches that have not ended yet.
    #[arg(long)]
    unfinished: bool,

    /// Only the latest matches.
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl FilterOptions {
    fn filter(&self) -> MatchFilter {
        MatchFilter {
            game: self.game.clone(),
            player: self.player.clone(),
            tournament: self.tournament.clone(),
            errors: self.errors.then_some(true),
            finished: match (self.finished, self.unfinished) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            limit: self.limit,
            ..MatchFilter::default()
        }
    }

    /// The tournament, if all its matches are selected, or all of one game.
    fn tournament(&self) -> Option<&str> {
        let flags = [self.errors, self.unfinished];
        let is_whole = self.player.is_none() && !flags.contains(&true) && self.limit.is_none();
        self.tournament.as_deref().filter(|_| is_whole)
    }

    fn is_empty(&self) -> bool {
        let texts = [&self.game, &self.player, &self.tournament];
        let flags = [self.errors, self.finished, self.unfinished];
        texts.iter().all(|text| text.is_none()) && !flags.contains(&true) && self.limit.is_none()
    }
}

/// The match with an id, or with a unique beginning of one.
fn find(archive: &Archive, name: &str) -> Result<Option<MatchSummary>, Failure> {
    let filter = MatchFilter {
        id: Some(name.to_owned()),
        ..MatchFilter::default()
    };
    let mut found = archive.matches(&filter).map_err(Failure::from)?;
    if let Some(exact) = found.iter().position(|summary| summary.id == name) {
        return Ok(Some(found.swap_remove(exact)));
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        count => Err(Failure::input_with_help(
            format!("the names of {count} matches begin with `{name}`"),
            format!(
                "give more of it: the first are {} and {}",
                found[0].id, found[1].id
            ),
        )),
    }
}

/// Reports a missing match on standard error, because a program may read standard output.
fn missing(name: &str, terminal: &Terminal) -> CommandOutcome {
    use std::io::Write as _;
    let line = format!(
        "There is no match `{}`; {} lists all matches.\n",
        crate::terminal::printable(name),
        terminal.style.code("ludorum archive list")
    );
    // Standard error may be closed; the exit code still reports it.
    let _ = std::io::stderr().write_all(line.as_bytes());
    CommandOutcome::Negative
}

/// An error of the archive with advice where there is any.
impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        let message = error.to_string();
        let help = match error {
            ArchiveError::Missing { .. } => {
                "`ludorum tournament`, and `ludorum match` with --archive, record matches; \
                 --archive names another file"
            }
            ArchiveError::Foreign { .. } => "--archive names another file, which may be a new one",
            ArchiveError::Older { .. } => "open it once where it can be written to",
            ArchiveError::Later { .. } => "use that version, or another file with --archive",
            ArchiveError::Damaged { .. } => {
                "restore it from a copy, or move it away and start a new one"
            }
            ArchiveError::OtherPlan { .. } => {
                "a tournament that has begun cannot be changed; use another name or seed for the \
                 new one"
            }
            ArchiveError::Busy { .. } => "wait until the other process has ended, or end it",
            _ => return Self::input(message),
        };
        Self::input_with_help(message, help)
    }
}
