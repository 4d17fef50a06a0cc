//! The menu of games to play against the computer.

use std::ffi::OsStr;
use std::io::Write as _;

use clap::Parser;
use ludorum_games::ShippedGame;

use crate::moves::move_list::{self, Extent};
use crate::moves::move_matching::{self, MoveMatch};
use crate::outcome::{CommandOutcome, Failure};
use crate::play::{self, Options};
use crate::prompt::ask;
use crate::roles;
use crate::source::GameSource;
use crate::terminal::{OutputStyle, Terminal};
use crate::value_parsers;

/// Groups of games by the number of roles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Two,
    More,
    Puzzles,
}

impl Group {
    const ALL: [Self; 3] = [Self::Two, Self::More, Self::Puzzles];

    fn of(game: &ShippedGame) -> Self {
        match game.roles.len() {
            0 | 1 => Self::Puzzles,
            2 => Self::Two,
            _ => Self::More,
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Two => "Games for two",
            Self::More => "Games for more",
            Self::Puzzles => "Puzzles",
        }
    }
}

/// The options of `ludorum play` with their defaults.
#[derive(Debug, Parser)]
struct DefaultOptions {
    #[command(flatten)]
    options: Options,
}

fn default_options() -> Options {
    DefaultOptions::parse_from(["ludorum"]).options
}

/// Lets a person choose games and plays them, until the person leaves.
pub(crate) fn run(given: &Options, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let games = ludorum_games::all();
    let style = terminal.style;
    let title = format!("{}, a general game player", style.bold("Ludorum"));
    writeln!(terminal, "{title}\n")?;
    terminal.write_all(list(games, &style).as_bytes())?;
    while let Some(game) = choose_game(games, terminal)? {
        writeln!(terminal, "\n{}", style.bold(&game.title))?;
        writeln!(
            terminal,
            "{}",
            textwrap::fill(&game.rules, style.width.min(90))
        )?;
        let Some(options) = ask_options(game, given, terminal)? else {
            break;
        };
        writeln!(terminal)?;
        let source = GameSource::open(OsStr::new(game.name))?;
        play::play(&source, &options, terminal)?;
        writeln!(terminal)?;
    }
    Ok(CommandOutcome::Success)
}

/// All games by group, each with its number in the list.
fn list(games: &[ShippedGame], style: &OutputStyle) -> String {
    let names = names(games);
    let mut out = String::new();
    for group in Group::ALL {
        let members: Vec<usize> = (0..games.len())
            .filter(|i| Group::of(&games[*i]) == group)
            .collect();
        if !members.is_empty() {
            out += &format!("{}\n", style.bold(group.heading()));
            out += &move_list::columns(&names, &members, Extent::Whole, style);
            out.push('\n');
        }
    }
    out
}

fn names(games: &[ShippedGame]) -> Vec<String> {
    games.iter().map(|game| game.name.to_owned()).collect()
}

/// Asks until a game is chosen; `None` if the person leaves.
fn choose_game<'g>(
    games: &'g [ShippedGame],
    terminal: &mut Terminal,
) -> Result<Option<&'g ShippedGame>, Failure> {
    let style = terminal.style;
    let names = names(games);
    loop {
        let question = "Which game? Its number or a part of its name, or Enter to leave: ";
        let Some(line) = ask(&style.bold(question), terminal)? else {
            return Ok(None);
        };
        match line.to_lowercase().as_str() {
            "" | "quit" | "exit" | "q" => return Ok(None),
            "list" | "help" | "?" => {
                terminal.write_all(list(games, &style).as_bytes())?;
                continue;
            }
            _ => {}
        }
        match move_matching::find(&names, &line) {
            MoveMatch::One(index) => return Ok(games.get(index)),
            MoveMatch::Several(found) => {
                writeln!(terminal, "Several games match; which one?")?;
                let some = move_list::columns(&names, &found, Extent::Whole, &style);
                terminal.write_all(some.as_bytes())?;
            }
            MoveMatch::None => writeln!(
                terminal,
                "No game has that name. {} shows all of them.",
                style.code("list")
            )?,
        }
    }
}

/// Asks for the role and the play clock if they are not given; `None` if the person leaves.
fn ask_options(
    game: &ShippedGame,
    given: &Options,
    terminal: &mut Terminal,
) -> Result<Option<Options>, Failure> {
    let mut options = Options {
        opponent: given.opponent.clone(),
        seconds: given.seconds,
        no_ponder: given.no_ponder,
        engine: given.engine,
        seed: given.seed,
        ..default_options()
    };
    if game.roles.len() < 2 {
        return Ok(Some(options));
    }
    let style = terminal.style;
    loop {
        let numbered = game.roles.iter().enumerate();
        let numbered: Vec<String> = numbered
            .map(|(i, role)| format!("{} {role}", i + 1))
            .collect();
        let question = format!("\nYour role ({}; Enter for 1): ", numbered.join(", "));
        let Some(line) = ask(&style.bold(&question), terminal)? else {
            return Ok(None);
        };
        if line.is_empty() {
            break;
        }
        if roles::find_role(&game.roles, &line).is_ok() {
            options.role = Some(line);
            break;
        }
        writeln!(terminal, "There is no such role.")?;
    }
    loop {
        let usual = options.seconds.as_secs_f64();
        let question = format!("Seconds a move for the computer (Enter for {usual}): ");
        let Some(line) = ask(&style.bold(&question), terminal)? else {
            return Ok(None);
        };
        if line.is_empty() {
            break;
        }
        match value_parsers::seconds(&line) {
            Ok(seconds) => {
                options.seconds = seconds;
                break;
            }
            Err(problem) => writeln!(terminal, "{problem}.")?,
        }
    }
    Ok(Some(options))
}
