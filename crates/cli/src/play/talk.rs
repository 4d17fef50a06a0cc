//! The dialogue with the person: prints the state, reads lines, runs commands.

use std::collections::VecDeque;
use std::io::{self, Write as _};

use ludorum_games::Game;

use ludorum_gdl::ground_term::without_parentheses;

use super::insight;
use super::result;
use super::session::{Deed, Session, SessionError, Situation};
use super::typed::{Command, command};
use crate::board;
use crate::moves::choice::{self, Choice};
use crate::moves::listing::{self, Extent};
use crate::outcome::Failure;
use crate::position;
use crate::prompt;
use crate::report::counted;
use crate::source::GameSource;
use crate::terminal::{Terminal, printable};

/// The most moves in a row that are made for the person because they are the only ones; some rule
/// sheets go on like this for ever.
const UNASKED: usize = 100;

const HELP: &str = "\
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
pub(super) struct Talk<'t> {
    session: Session,
    source: &'t GameSource,
    game: Option<&'t Game>,
    /// The moves of the command line that are not made yet.
    given: VecDeque<&'t str>,
    terminal: &'t mut Terminal,
    /// Moves made without asking since the person's last choice.
    unasked: usize,
}

/// How a game, or the whole dialogue, ends.
enum End {
    /// The game is over.
    Over,
    /// The person has left.
    Quit,
}

impl<'t> Talk<'t> {
    pub(super) fn new(
        session: Session,
        source: &'t GameSource,
        game: Option<&'t Game>,
        moves: &'t [String],
        terminal: &'t mut Terminal,
    ) -> Self {
        Self {
            session,
            source,
            game,
            given: moves.iter().map(|text| text.trim()).collect(),
            terminal,
            unasked: 0,
        }
    }

    /// Plays until the person leaves.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        self.welcome()?;
        loop {
            match self.game()? {
                End::Quit => return Ok(()),
                End::Over => {}
            }
            loop {
                let question = "\nPlay again? (y/n) ";
                let Some(answer) = prompt::ask(question, self.terminal)? else {
                    return Ok(());
                };
                match answer.to_lowercase().as_str() {
                    "y" | "yes" => {
                        self.reasoned(Session::restart)?;
                        break;
                    }
                    "undo" | "/undo" => {
                        if self.reasoned(Session::undo)? {
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
        let look = self.terminal.look;
        let title = self.game.map_or(&self.source.name, |game| &game.title);
        writeln!(self.terminal, "{}", look.strong(&printable(title)))?;
        let roles = &self.session.roles;
        if roles.len() > 1 {
            let you = &roles[self.session.role];
            let line = format!("You are {you}. {}", self.session.opponents.about(roles));
            let line = textwrap::fill(&printable(&line), look.width.min(90));
            writeln!(self.terminal, "{line}")?;
        }
        let hint = self.game.and_then(|game| game.board.as_ref());
        let legend = hint.map(board::legend).unwrap_or_default();
        if !legend.is_empty() {
            let line = format!("On the board: {legend}.");
            writeln!(
                self.terminal,
                "{}",
                textwrap::fill(&line, look.width.min(90))
            )?;
        }
        writeln!(
            self.terminal,
            "Moves by number or text; {} shows all commands.",
            look.code("help")
        )
    }

    /// Plays one game.
    fn game(&mut self) -> Result<End, Failure> {
        let mut show = true;
        loop {
            match self.reasoned(Session::situation)? {
                Situation::Over => {
                    self.over()?;
                    return Ok(End::Over);
                }
                Situation::Stuck(role) => {
                    self.position()?;
                    let role = printable(&self.session.roles[role]).into_owned();
                    let line = format!("The game cannot go on: {role} has no legal move.");
                    writeln!(self.terminal, "\n{}", self.terminal.look.warning(&line))?;
                    return Ok(End::Over);
                }
                Situation::Open => {}
            }
            let mut legal = self.session.legal().to_vec();
            listing::sort(&mut legal);
            let is_forced = legal.len() == 1 && self.unasked < UNASKED;
            let answer = if is_forced {
                self.unasked += 1;
                Answered::Move(legal.swap_remove(0))
            } else {
                self.unasked = 0;
                if show && self.given.is_empty() {
                    self.position()?;
                    self.moves(&legal)?;
                    self.session.opponents.ponder();
                }
                self.answer(&legal)?
            };
            match answer {
                Answered::Move(text) => {
                    let waiting = insight::Waiting::begin(&self.session, self.terminal)?;
                    let deeds = self.reasoned(|session| session.play(&text))?;
                    waiting.end(self.terminal)?;
                    self.tell(&deeds)?;
                    show = true;
                }
                Answered::Talk { show: again } => show = again,
                Answered::Quit => return Ok(End::Quit),
            }
        }
    }

    /// Reads a line and runs it as a move or a command.
    fn answer(&mut self, legal: &[String]) -> Result<Answered, Failure> {
        if let Some(text) = self.given.pop_front() {
            return match choice::find(legal, text) {
                Choice::One(index) => Ok(Answered::Move(legal[index].clone())),
                other => Err(self.refusal(text, &other)),
            };
        }
        let question = format!("{}> ", printable(&self.session.roles[self.session.role]));
        let question = self.terminal.look.strong(&question);
        let Some(line) = prompt::ask(&question, self.terminal)? else {
            return Ok(Answered::Quit);
        };
        if choice::exact(legal, &line).is_none()
            && let Some(command) = command(&line)
        {
            return self.obey(command, legal);
        }
        match choice::find(legal, &line) {
            Choice::One(index) => return Ok(Answered::Move(legal[index].clone())),
            Choice::Several(found) => {
                writeln!(self.terminal, "Several moves fit; which one?")?;
                self.list(legal, &found, Extent::Short)?;
            }
            Choice::None => {
                let look = self.terminal.look;
                writeln!(
                    self.terminal,
                    "No legal move matches. {} lists the legal moves, {} all commands.",
                    look.code("legal"),
                    look.code("help")
                )?;
            }
        }
        Ok(Answered::Talk { show: false })
    }

    fn obey(&mut self, command: Command, legal: &[String]) -> Result<Answered, Failure> {
        match command {
            Command::Quit => return Ok(Answered::Quit),
            Command::Random => {
                return Ok(Answered::Move(self.session.draw()));
            }
            Command::Hint => {
                let (text, report) = self.reasoned(Session::advice)?;
                insight::hint(&text, &report, &self.session.roles, self.terminal)?;
                self.session.opponents.ponder();
            }
            Command::Why => insight::why(&self.session, self.terminal)?,
            Command::Undo => {
                if self.reasoned(Session::undo)? {
                    return Ok(Answered::Talk { show: true });
                }
                writeln!(self.terminal, "There is nothing to take back.")?;
            }
            Command::Show => return Ok(Answered::Talk { show: true }),
            Command::Legal(text) => {
                let found = choice::filter(legal, text);
                if found.is_empty() {
                    writeln!(self.terminal, "No legal move contains that.")?;
                }
                self.list(legal, &found, Extent::Whole)?;
            }
            Command::State => {
                for fact in self.session.facts() {
                    writeln!(self.terminal, "{}", printable(&fact))?;
                }
            }
            Command::Rules => match self.game {
                Some(game) => {
                    let width = self.terminal.look.width.min(90);
                    writeln!(self.terminal, "{}", textwrap::fill(&game.rules, width))?;
                }
                None => self.sheet()?,
            },
            Command::Sheet => self.sheet()?,
            Command::Help => self.terminal.write_all(HELP.as_bytes())?,
        }
        Ok(Answered::Talk { show: false })
    }

    fn sheet(&mut self) -> io::Result<()> {
        let text = printable(&self.source.text);
        writeln!(self.terminal, "{}", text.trim_end())
    }

    /// The failure for a move of the command line that cannot be made.
    fn refusal(&self, text: &str, choice: &Choice) -> Failure {
        let turn = self.session.turn();
        let message = match choice {
            Choice::Several(found) => {
                let count = found.len();
                format!("turn {turn}: {count} legal moves match `{text}`")
            }
            _ => format!("turn {turn}: no legal move matches `{text}`"),
        };
        Failure::input_with_help(message, "`legal` during play lists the legal moves")
    }

    /// Prints the board, and the facts that it does not show.
    fn position(&mut self) -> io::Result<()> {
        let look = self.terminal.look;
        let facts = self.session.facts();
        let heading = format!("Turn {}", self.session.turn());
        writeln!(self.terminal, "\n{}\n", look.strong(&heading))?;
        let told = position::text(self.game, &facts, &self.session.roles, &look);
        self.terminal.write_all(told.as_bytes())
    }

    fn moves(&mut self, legal: &[String]) -> io::Result<()> {
        let count = counted(legal.len(), "move", "moves");
        writeln!(self.terminal, "\nYou have {count}:")?;
        let all: Vec<usize> = (0..legal.len()).collect();
        self.list(legal, &all, Extent::Short)
    }

    fn list(&mut self, legal: &[String], found: &[usize], extent: Extent) -> io::Result<()> {
        let text = listing::columns(legal, found, extent, &self.terminal.look);
        self.terminal.write_all(text.as_bytes())
    }

    /// Prints the moves of a turn, the person's first. The `noop` of a role without a choice is
    /// left out.
    fn tell(&mut self, deeds: &[Deed]) -> io::Result<()> {
        let look = self.terminal.look;
        let role = self.session.role;
        let (own, others): (Vec<&Deed>, Vec<&Deed>) =
            deeds.iter().partition(|deed| deed.role == role);
        for deed in own {
            let text = printable(without_parentheses(&deed.text)).into_owned();
            let line = if deed.forced {
                look.faint(&format!("You play {text}, your only move"))
            } else {
                format!("You play {}", look.strong(&text))
            };
            writeln!(self.terminal, "{line}")?;
        }
        for deed in others {
            if deed.forced && deed.text.eq_ignore_ascii_case("noop") {
                continue;
            }
            let name = printable(&self.session.roles[deed.role]).into_owned();
            let text = printable(without_parentheses(&deed.text)).into_owned();
            writeln!(self.terminal, "{name} plays {}", look.strong(&text))?;
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
        let goals = self.reasoned(Session::goals)?;
        let look = self.terminal.look;
        let told = result::sentence(&self.session.roles, &goals, self.session.role, &look);
        write!(self.terminal, "\n{told}")?;
        Ok(())
    }

    /// Calls the session; an error of the engine or of a player becomes a failure.
    fn reasoned<T>(
        &mut self,
        ask: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<T, Failure> {
        ask(&mut self.session)
            .map_err(|error| Failure::input(format!("{}: {error}", self.source.name)))
    }
}

/// The effect of a line.
enum Answered {
    Move(String),
    Quit,
    Talk {
        /// Whether to print the board again.
        show: bool,
    },
}
