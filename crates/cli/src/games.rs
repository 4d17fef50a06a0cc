//! `ludorum games`: lists, searches and shows the games that ship.

use std::io::{self, Write as _};

use ludorum_games::{BoardHint, CellLayout, ShippedGame};
use serde::Serialize;

use crate::outcome::{CommandOutcome, Failure};
use crate::source::unknown_game_help;
use crate::terminal::{OutputStyle, Terminal};

/// List and search the games that ship with Ludorum, or show one.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Only games that contain all these words: in the name, title, roles, tags or rules.
    words: Vec<String>,

    /// Only games with this tag; may be given several times.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// Show one game: title, rules, roles, tags, board, and the path of its sheet.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["words", "tag"])]
    show: Option<String>,

    /// With --show: print only the rule sheet.
    #[arg(long, requires = "show", conflicts_with = "json")]
    sheet: bool,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum games                              all games
  ludorum games chess                        games that mention chess
  ludorum games --tag puzzle                 games of one role
  ludorum games --show nim                   how nim is played
  ludorum games --show nim --sheet > my.kif  a sheet to start from

JSON: an array with one object per game, sorted by name:
  [{\"name\": \"nim\", \"title\": \"Nim\", \"rules\": \"...\", \"roles\": [\"...\"], \"tags\": [\"...\"], ...}]
and, where a game has them, solvable (true or false), solution (moves) and board (how to draw it). \
With --show, one such object with the text of the sheet as \"sheet\".

Exit codes: 0 success, 1 no game matches, 2 there is no game of that name.";

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    if let Some(name) = &args.show {
        return show(name, args, terminal);
    }
    let found = ludorum_games::search(&args.words, &args.tag);
    if args.json {
        terminal.json(&found)?;
    } else if found.is_empty() {
        let tags: Vec<&str> = ludorum_games::tags().into_keys().collect();
        writeln!(terminal, "no game matches")?;
        if !args.tag.is_empty() {
            let text = format!("tags: {}", tags.join(", "));
            writeln!(terminal, "{}", textwrap::fill(&text, terminal.style.width))?;
        }
    } else {
        list(&found, terminal)?;
    }
    Ok(if found.is_empty() {
        CommandOutcome::Negative
    } else {
        CommandOutcome::Success
    })
}

/// One line per game: name, title, number of players, and as many tags as fit.
fn list(games: &[&ShippedGame], terminal: &mut Terminal) -> io::Result<()> {
    let style = terminal.style;
    let widest = |text: fn(&ShippedGame) -> &str| {
        games
            .iter()
            .map(|g| text(g).chars().count())
            .max()
            .unwrap_or(0)
    };
    let name_width = widest(|game| game.name);
    let title_width = widest(|game| &game.title);
    for game in games {
        let players = match game.roles.len() {
            1 => "puzzle".to_owned(),
            n => format!("{n} players"),
        };
        let room = style.width.saturating_sub(name_width + title_width + 9 + 6);
        let line = format!(
            "{}{}  {:title_width$}  {players:9}  {}",
            style.bold(game.name),
            " ".repeat(name_width - game.name.chars().count()),
            game.title,
            style.dimmed(&fitting_tags(game, room)),
        );
        writeln!(terminal, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The tags of a game that the other columns do not tell already, as many as fit.
fn fitting_tags(game: &ShippedGame, room: usize) -> String {
    let mut text = String::new();
    for tag in &game.tags {
        if tag == "puzzle" || tag.ends_with("-player") {
            continue;
        }
        let comma = if text.is_empty() { "" } else { ", " };
        if text.chars().count() + comma.len() + tag.chars().count() > room {
            break;
        }
        text += comma;
        text += tag;
    }
    text
}

/// A game with its sheet, for JSON.
#[derive(Serialize)]
struct Shown<'g> {
    #[serde(flatten)]
    game: &'g ShippedGame,
    sheet: &'g str,
}

fn show(name: &str, args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let Some(game) = ludorum_games::find(name) else {
        return Err(Failure::input_with_help(
            format!("no game is called `{name}`"),
            unknown_game_help(name),
        ));
    };
    if args.sheet {
        terminal.write_all(game.text.as_bytes())?;
    } else if args.json {
        let sheet = game.text;
        terminal.json(&Shown { game, sheet })?;
    } else {
        let text = page(game, &terminal.style);
        terminal.write_all(text.as_bytes())?;
    }
    Ok(CommandOutcome::Success)
}

/// The page of a game: title, rules and metadata.
fn page(game: &ShippedGame, style: &OutputStyle) -> String {
    let width = style.width.min(90);
    let mut text = format!("{}\n\n", style.bold(&game.title));
    text += &textwrap::fill(&game.rules, width);
    text += "\n\n";
    let mut entry = |key: &str, value: &str| {
        let indent = " ".repeat(8);
        let options = textwrap::Options::new(width)
            .initial_indent(&indent)
            .subsequent_indent(&indent)
            .break_words(false);
        let value = textwrap::fill(value, options);
        let value = value.strip_prefix(&indent).unwrap_or(&value).to_owned();
        text += &format!(
            "{}{}{value}\n",
            style.dimmed(key),
            " ".repeat(8 - key.len())
        );
    };
    entry("name", game.name);
    entry("roles", &game.roles.join(", "));
    entry("tags", &game.tags.join(", "));
    if let Some(board) = &game.board {
        entry("board", &board_sentence(board));
    }
    match game.solvable {
        Some(true) if game.solution.is_empty() => entry("solved", "100 can be reached"),
        Some(true) => {
            let moves = game.solution.len();
            entry(
                "solved",
                &format!("100 can be reached, for example in {moves} moves"),
            );
        }
        Some(false) => entry("solved", "100 cannot be reached"),
        None => {}
    }
    entry("sheet", &game.path());
    text += &format!(
        "\nThe sheet itself: {}\n",
        style.code(&format!("ludorum games --show {} --sheet", game.name))
    );
    text
}

/// The board as a sentence.
fn board_sentence(board: &BoardHint) -> String {
    let mut sentence = match board.shape {
        CellLayout::Places => format!("{} places", board.places.len()),
        shape => format!(
            "{} of {} x {}",
            shape.name(),
            board.columns.len(),
            board.rows.len()
        ),
    };
    if board.board_column.is_some() || board.board_row.is_some() {
        sentence += ", several side by side";
    }
    if !board.missing.is_empty() {
        sentence += &format!(", {} cells missing", board.missing.len());
    }
    let fluents: Vec<String> = std::iter::once(&board.fluent)
        .chain(board.layers.iter().map(|layer| &layer.fluent))
        .map(|fluent| format!("`{fluent}`"))
        .collect();
    sentence + &format!(", drawn from {}", fluents.join(", "))
}
