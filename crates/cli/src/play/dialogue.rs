//! The dialogue with the person: prints the state, reads lines, runs commands.

use std::collections::VecDeque;
use std::io::{self, Write as _};

use ludorum_games::ShippedGame;

use ludorum_gdl::ground_term::without_parentheses;

use super::explanations;
use super::result;
use super::session::{GameStatus, PlayedMove, Session, SessionError};
use super::typed_command::{TypedCommand, parse_command};
use crate::board;
use crate::moves::move_list::{self, Extent};
use crate::moves::move_matching::{self, MoveMatch};
use crate::outcome::Failure;
use crate::prompt;
use crate::report::counted;
use crate::source::GameSource;
use crate::state_text::state_text;
use crate::terminal::{Terminal, printable};

/// The most moves in a row that are made for the person because they are the only ones; some rule
/// sheets go on like this for ever.
const MAX_FORCED_MOVES: usize = 100;

/// The commands that can be typed.
pub(super) const HELP: &str = "\
  3, mark 1 1, 1 1   a move, by number, by text or by a part of it
  legal [TEXT]       your legal moves, only those with TEXT
  show               the board and your moves again
  state              the state in KIF
  rules [sheet]      how the game is played; its rule sheet
  random             a random move
  hint               the move that a strong player would make
  why                why your opponents made their last moves
  undo               back to your last choice
  help, quit         all commands; the end (also Ctrl-D)
A slash before a word makes it a command: /state.
";

/// The dialogue about one game.
pub(super) struct Dialogue<'t> {
    session: Session,
    source: &'t GameSource,
    game: Option<&'t ShippedGame>,
    /// The moves of the command line that are not made yet.
    given: VecDeque<&'t str>,
    terminal: &'t mut Terminal,
    /// Moves made without asking since the person's last choice.
    forced_moves: usize,
}

/// How a game, or the whole dialogue, ends.
enum GameEnd {
    /// The game is over.
    Over,
    /// The person has left.
    Quit,
}

impl<'t> Dialogue<'t> {
    pub(super) fn new(
        session: Session,
        source: &'t GameSource,
        game: Option<&'t ShippedGame>,
        moves: &'t [String],
        terminal: &'t mut Terminal,
    ) -> Self {
        Self {
            session,
            source,
            game,
            given: moves.iter().map(|text| text.trim()).collect(),
            terminal,
            forced_moves: 0,
        }
    }

    /// Plays until the person leaves.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        self.welcome()?;
        loop {
            match self.game()? {
                GameEnd::Quit => return Ok(()),
                GameEnd::Over => {}
            }
            loop {
                let question = "\nPlay again? (y/n) ";
                let Some(answer) = prompt::ask(question, self.terminal)? else {
                    return Ok(());
                };
                match answer.to_lowercase().as_str() {
                    "y" | "yes" => {
                        self.ask_session(Session::restart)?;
                        break;
                    }
                    "undo" | "/undo" => {
                        if self.ask_session(Session::undo)? {
                            break;
                        }
                        writeln!(self.terminal, "There is nothing to take back.")?;
                    }
                    "" => {}
                    _ => return Ok(()),
                }
            }
        }
    }

    fn welcome(&mut self) -> io::Result<()> {
        let style = self.terminal.style;
        let title = self.game.map_or(&self.source.name, |game| &game.title);
        writeln!(self.terminal, "{}", style.bold(&printable(title)))?;
        let roles = &self.session.roles;
        if roles.len() > 1 {
            let you = &roles[self.session.role];
            let line = format!("You are {you}. {}", self.session.opponents.about(roles));
            let line = textwrap::fill(&printable(&line), style.width.min(90));
            writeln!(self.terminal, "{line}")?;
        }
        let hint = self.game.and_then(|game| game.board.as_ref());
        let legend = hint.map(board::legend).unwrap_or_default();
        if !legend.is_empty() {
            let line = format!("On the board: {legend}.");
            writeln!(
                self.terminal,
                "{}",
                textwrap::fill(&line, style.width.min(90))
            )?;
        }
        writeln!(
            self.terminal,
            "Moves by number or text; {} shows all commands.",
            style.code("help")
        )
    }

    /// Plays one game.
    fn game(&mut self) -> Result<GameEnd, Failure> {
        let mut show = true;
        loop {
            match self.ask_session(Session::status)? {
                GameStatus::Over => {
                    self.over()?;
                    return Ok(GameEnd::Over);
                }
                GameStatus::NoLegalMove(role) => {
                    self.position()?;
                    let role = printable(&self.session.roles[role]).into_owned();
                    let line = format!("The game cannot go on: {role} has no legal move.");
                    writeln!(self.terminal, "\n{}", self.terminal.style.warning(&line))?;
                    return Ok(GameEnd::Over);
                }
                GameStatus::Open => {}
            }
            let mut legal = self.session.legal().to_vec();
            move_list::sort(&mut legal);
            let is_forced = legal.len() == 1 && self.forced_moves < MAX_FORCED_MOVES;
            let answer = if is_forced {
                self.forced_moves += 1;
                LineEffect::Move(legal.swap_remove(0))
            } else {
                self.forced_moves = 0;
                if show && self.given.is_empty() {
                    self.position()?;
                    self.moves(&legal)?;
                    self.session.opponents.ponder();
                }
                self.answer(&legal)?
            };
            match answer {
                LineEffect::Move(text) => {
                    let waiting =
                        explanations::SearchIndicator::begin(&self.session, self.terminal)?;
                    let played = self.ask_session(|session| session.play(&text))?;
                    waiting.end(self.terminal)?;
                    self.print_moves(&played)?;
                    show = true;
                }
                LineEffect::Continue { show: again } => show = again,
                LineEffect::Quit => return Ok(GameEnd::Quit),
            }
        }
    }

    /// Reads a line and runs it as a move or a command.
    fn answer(&mut self, legal: &[String]) -> Result<LineEffect, Failure> {
        if let Some(text) = self.given.pop_front() {
            return match move_matching::find(legal, text) {
                MoveMatch::One(index) => Ok(LineEffect::Move(legal[index].clone())),
                other => Err(self.refusal(text, &other)),
            };
        }
        let question = format!("{}> ", printable(&self.session.roles[self.session.role]));
        let question = self.terminal.style.bold(&question);
        let Some(line) = prompt::ask(&question, self.terminal)? else {
            return Ok(LineEffect::Quit);
        };
        if move_matching::exact(legal, &line).is_none()
            && let Some(command) = parse_command(&line)
        {
            return self.run_command(command, legal);
        }
        match move_matching::find(legal, &line) {
            MoveMatch::One(index) => return Ok(LineEffect::Move(legal[index].clone())),
            MoveMatch::Several(found) => {
                writeln!(self.terminal, "Several moves match; which one?")?;
                self.list(legal, &found, Extent::Short)?;
            }
            MoveMatch::None => {
                let style = self.terminal.style;
                writeln!(
                    self.terminal,
                    "No legal move matches. {} lists the legal moves, {} all commands.",
                    style.code("legal"),
                    style.code("help")
                )?;
            }
        }
        Ok(LineEffect::Continue { show: false })
    }

    fn run_command(
        &mut self,
        command: TypedCommand,
        legal: &[String],
    ) -> Result<LineEffect, Failure> {
        match command {
            TypedCommand::Quit => return Ok(LineEffect::Quit),
            TypedCommand::Random => {
                return Ok(LineEffect::Move(self.session.random_move()));
            }
            TypedCommand::Hint => {
                let (text, report) = self.ask_session(Session::hint)?;
                explanations::hint(&text, &report, &self.session.roles, self.terminal)?;
                self.session.opponents.ponder();
            }
            TypedCommand::Why => explanations::why(&self.session, self.terminal)?,
            TypedCommand::Undo => {
                if self.ask_session(Session::undo)? {
                    return Ok(LineEffect::Continue { show: true });
                }
                writeln!(self.terminal, "There is nothing to take back.")?;
            }
            TypedCommand::Show => return Ok(LineEffect::Continue { show: true }),
            TypedCommand::Legal(text) => {
                let found = move_matching::filter(legal, text);
                if found.is_empty() {
                    writeln!(self.terminal, "No legal move contains that.")?;
                }
                self.list(legal, &found, Extent::Whole)?;
            }
            TypedCommand::State => {
                for fact in self.session.facts() {
                    writeln!(self.terminal, "{}", printable(&fact))?;
                }
            }
            TypedCommand::Rules => match self.game {
                Some(game) => {
                    let width = self.terminal.style.width.min(90);
                    writeln!(self.terminal, "{}", textwrap::fill(&game.rules, width))?;
                }
                None => self.sheet()?,
            },
            TypedCommand::Sheet => self.sheet()?,
            TypedCommand::Help => self.terminal.write_all(HELP.as_bytes())?,
        }
        Ok(LineEffect::Continue { show: false })
    }

    fn sheet(&mut self) -> io::Result<()> {
        let text = printable(&self.source.text);
        writeln!(self.terminal, "{}", text.trim_end())
    }

    /// The failure for a move of the command line that cannot be made.
    fn refusal(&self, text: &str, choice: &MoveMatch) -> Failure {
        let turn = self.session.turn();
        let message = match choice {
            MoveMatch::Several(found) => {
                let count = found.len();
                format!("turn {turn}: {count} legal moves match `{text}`")
            }
            _ => format!("turn {turn}: no legal move matches `{text}`"),
        };
        Failure::input_with_help(message, "`legal` during play lists the legal moves")
    }

    /// Prints the board, and the facts that it does not show.
    fn position(&mut self) -> io::Result<()> {
        let style = self.terminal.style;
        let facts = self.session.facts();
        let heading = format!("Turn {}", self.session.turn());
        writeln!(self.terminal, "\n{}\n", style.bold(&heading))?;
        let text = state_text(self.game, &facts, &self.session.roles, &style);
        self.terminal.write_all(text.as_bytes())
    }

    fn moves(&mut self, legal: &[String]) -> io::Result<()> {
        let count = counted(legal.len(), "move", "moves");
        writeln!(self.terminal, "\nYou have {count}:")?;
        let all: Vec<usize> = (0..legal.len()).collect();
        self.list(legal, &all, Extent::Short)
    }

    fn list(&mut self, legal: &[String], found: &[usize], extent: Extent) -> io::Result<()> {
        let text = move_list::columns(legal, found, extent, &self.terminal.style);
        self.terminal.write_all(text.as_bytes())
    }

    /// Prints the moves of a turn, the person's first. The `noop` of a role without a choice is
    /// left out.
    fn print_moves(&mut self, played: &[PlayedMove]) -> io::Result<()> {
        let style = self.terminal.style;
        let role = self.session.role;
        let (own, others): (Vec<&PlayedMove>, Vec<&PlayedMove>) =
            played.iter().partition(|one| one.role == role);
        for one in own {
            let text = printable(without_parentheses(&one.text)).into_owned();
            let line = if one.forced {
                style.dimmed(&format!("You play {text}, your only move"))
            } else {
                format!("You play {}", style.bold(&text))
            };
            writeln!(self.terminal, "{line}")?;
        }
        for one in others {
            if one.forced && one.text.eq_ignore_ascii_case("noop") {
                continue;
            }
            let name = printable(&self.session.roles[one.role]).into_owned();
            let text = printable(without_parentheses(&one.text)).into_owned();
            writeln!(self.terminal, "{name} plays {}", style.bold(&text))?;
        }
        Ok(())
    }

    fn over(&mut self) -> Result<(), Failure> {
        self.position()?;
        if let Some(text) = self.given.pop_front() {
            return Err(Failure::input(format!(
                "the game is over before the move `{text}`"
            )));
        }
        let goals = self.ask_session(Session::goals)?;
        let style = self.terminal.style;
        let text = result::sentence(&self.session.roles, &goals, self.session.role, &style);
        write!(self.terminal, "\n{text}")?;
        Ok(())
    }

    /// Calls the session; an error of the engine or of a player becomes a failure.
    fn ask_session<T>(
        &mut self,
        ask: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<T, Failure> {
        ask(&mut self.session)
            .map_err(|error| Failure::input(format!("{}: {error}", self.source.name)))
    }
}

/// The effect of a line.
enum LineEffect {
    Move(String),
    Quit,
    Continue {
        /// Whether to print the board again.
        show: bool,
    },
}
