//! `ludorum archive ratings`.

use std::io::Write as _;

use ludorum_match::archive::Archive;
use ludorum_match::rating::{MAX_PLAYERS, Rating, rate};

use super::{ArchiveOption, FilterOptions};
use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::{Terminal, printable};
use crate::tournament::elo;

/// Rate the players of all finished matches, or of some.
///
/// The ratings of a finished tournament are those of its final standings. Otherwise, every pair of
/// players of a match is compared; puzzles are left out, because no players meet in them.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    #[command(flatten)]
    filter: FilterOptions,

    #[command(flatten)]
    archive: ArchiveOption,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum archive ratings                        over everything
  ludorum archive ratings --game connect-four    in one game
  ludorum archive ratings --tournament cup --json

JSON: an array of {\"player\", \"elo\", \"low\", \"high\", \"comparisons\", \"points\"}, best first.

Exit codes: 0 success, 1 there is nothing to compare, 2 wrong use or bad input.";

pub(super) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let archive = args.archive.open()?;
    let ratings = ratings(&archive, &args.filter)?;
    if args.json {
        terminal.json(&ratings)?;
    } else if ratings.is_empty() {
        writeln!(terminal, "No two players have finished a match.")?;
    } else {
        let names = ratings.iter().map(|r| r.player.chars().count());
        let width = names.max().unwrap_or(0);
        for rating in &ratings {
            let line = format!(
                "{:width$}  {:>14}  {:.1} of {}",
                rating.player,
                elo(rating),
                rating.points,
                rating.comparisons
            );
            writeln!(terminal, "{}", printable(&line))?;
        }
    }
    Ok(if ratings.is_empty() {
        CommandOutcome::Negative
    } else {
        CommandOutcome::Success
    })
}

/// The ratings over some matches; those of the standings if they are all of one tournament.
fn ratings(archive: &Archive, filter: &FilterOptions) -> Result<Vec<Rating>, Failure> {
    if let Some(tournament) = filter.tournament()
        && let Some(ratings) = archive.tournament_ratings(tournament, filter.game.as_deref())?
    {
        return Ok(ratings);
    }
    let comparisons = archive
        .comparisons(&filter.filter())
        .map_err(Failure::from)?;
    let ratings = rate(&comparisons);
    if ratings.is_empty() && !comparisons.is_empty() {
        return Err(Failure::input_with_help(
            format!("there are more than {MAX_PLAYERS} players"),
            "select some of the matches with --game or --tournament",
        ));
    }
    Ok(ratings)
}
