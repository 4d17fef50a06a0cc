//! The view of a match on the terminal while it is played.

use std::io::{self, Write as _};
use std::time::Duration;

use indicatif::ProgressBar;
use ludorum_games::ShippedGame;
use ludorum_gdl::ground_term::without_parentheses;
use ludorum_match::{CancellationToken, MatchRecord, MatchStep, Outcome, PlayerError, Spectator};

use crate::progress;
use crate::state_text::state_text;
use crate::terminal::{OutputStyle, Terminal, printable, shortened};

/// The widest column of moves, in characters.
const MAX_MOVE_WIDTH: usize = 30;

/// Prints boards, moves, clocks and errors of a match. Standard error shows, if it is a terminal,
/// the players whose moves are awaited.
pub(super) struct MatchView<'a> {
    terminal: &'a mut Terminal,
    game: Option<&'static ShippedGame>,
    roles: Vec<String>,
    bar: ProgressBar,
    /// The roles whose moves are awaited.
    awaited: Vec<usize>,
    /// The number of legal moves of each role.
    move_counts: Vec<usize>,
    clock: Duration,
    /// Cancels the match when standard output is closed.
    cancel: CancellationToken,
    failure: Option<io::Error>,
}

impl<'a> MatchView<'a> {
    pub(super) fn new(
        terminal: &'a mut Terminal,
        game: Option<&'static ShippedGame>,
        clock: Duration,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            terminal,
            game,
            roles: Vec::new(),
            bar: progress::spinner("{spinner} {elapsed} {wide_msg}"),
            awaited: Vec::new(),
            move_counts: Vec::new(),
            clock,
            cancel,
            failure: None,
        }
    }

    /// The error of the output, if there was one.
    pub(super) fn finish(self) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.failure.map_or(Ok(()), Err)
    }

    fn print(&mut self, text: &str) {
        if self.failure.is_some() {
            return;
        }
        let terminal = &mut *self.terminal;
        let write = || {
            terminal.write_all(text.as_bytes())?;
            terminal.flush()
        };
        if let Err(error) = self.bar.suspend(write) {
            self.failure = Some(error);
            self.cancel.cancel();
        }
    }

    fn style(&self) -> OutputStyle {
        self.terminal.style
    }

    fn board(&self, facts: &[String]) -> String {
        state_text(self.game, facts, &self.roles, &self.style())
    }

    fn wait_for(&self, what: &str) {
        self.bar.reset_elapsed();
        self.bar.set_message(what.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn show_awaited(&self) {
        let names: Vec<&str> = self
            .awaited
            .iter()
            .map(|r| self.roles[*r].as_str())
            .collect();
        let (names, clock) = (names.join(", "), seconds(self.clock));
        self.bar
            .set_message(format!("waiting for {names}, {clock} a move"));
    }

    fn player_error(&self, player_error: &PlayerError) -> String {
        let role = self
            .roles
            .get(player_error.role)
            .map_or("?", String::as_str);
        let kind = self.style().warning(player_error.kind.name());
        let detail = printable(&player_error.detail).into_owned();
        format!("  {kind}  {}: {detail}\n", printable(role))
    }

    fn width(&self) -> usize {
        let widths = self.roles.iter().map(|role| role.chars().count());
        widths.max().unwrap_or(0)
    }
}

impl Spectator for MatchView<'_> {
    fn started(&mut self, record: &MatchRecord) {
        self.roles.clone_from(&record.roles);
        let style = self.style();
        let clock = |ms: u64| seconds(Duration::from_millis(ms));
        let mut text = format!(
            "{}, match {}: {} to start, {} a move\n",
            style.bold(&printable(&record.game)),
            record.id,
            clock(record.start_clock_ms),
            clock(record.play_clock_ms)
        );
        let width = self.width();
        for (role, player) in record.roles.iter().zip(&record.players) {
            text += &format!("  {:width$}  {}\n", printable(role), printable(player));
        }
        let facts = record.steps.last().map_or(&record.initial, |s| &s.state);
        if let Some(last) = record.steps.last() {
            let step = last.number + 1;
            text += &match record.outcome {
                Some(_) => format!("\nalready played, it ended after step {step}\n"),
                None => format!("\ncontinued after step {step}\n"),
            };
        }
        text += &format!("\n{}", self.board(facts));
        self.print(&text);
        self.wait_for("waiting for the players to be ready");
    }

    fn ready(&mut self, record: &MatchRecord) {
        let errors: Vec<String> = record
            .start_errors
            .iter()
            .map(|m| self.player_error(m))
            .collect();
        if !errors.is_empty() && record.steps.is_empty() {
            self.print(&format!("\n{}", errors.concat()));
        }
    }

    fn moves_requested(&mut self, _step: u32, legal: &[Vec<String>]) {
        self.move_counts = legal.iter().map(Vec::len).collect();
        self.awaited = (0..legal.len()).collect();
        self.wait_for("");
        self.show_awaited();
    }

    fn move_received(&mut self, role: usize, _took: Duration) {
        self.awaited.retain(|other| *other != role);
        self.show_awaited();
    }

    fn step(&mut self, step: &MatchStep) {
        let style = self.style();
        let width = self.width();
        let mut out = format!("\n{}\n", style.bold(&format!("Step {}", step.number + 1)));
        let shown = |text: &String| {
            let text = printable(text);
            shortened(without_parentheses(&text), MAX_MOVE_WIDTH).into_owned()
        };
        let moves: Vec<String> = step.moves.iter().map(shown).collect();
        let column = moves.iter().map(|text| text.chars().count()).max();
        let column = column.unwrap_or(0);
        for (role, (name, text)) in self.roles.iter().zip(&moves).enumerate() {
            let took = step.took_ms.get(role).copied().unwrap_or(0);
            let took = format!("{:.2} s", Duration::from_millis(took).as_secs_f64());
            let line = format!("  {:width$}  {text:column$}  {took:>8}", printable(name));
            // The only legal move is printed dimmed.
            let is_forced = self.move_counts.get(role) == Some(&1);
            out += &if is_forced { style.dimmed(&line) } else { line };
            out.push('\n');
        }
        for player_error in &step.player_errors {
            out += &self.player_error(player_error);
        }
        out += &format!("\n{}", self.board(&step.state));
        self.print(&out);
    }

    fn ended(&mut self, record: &MatchRecord) {
        self.bar.finish_and_clear();
        if let Some(outcome) = &record.outcome {
            let text = result(record, outcome, &self.style());
            self.print(&text);
        }
    }
}

/// How the match ended: goals, players, and the number of errors of each.
fn result(record: &MatchRecord, outcome: &Outcome, style: &OutputStyle) -> String {
    let mut out = String::from("\n");
    out += &match &outcome.reason {
        None => style.bold("The match is over."),
        Some(reason) => style.warning(&format!(
            "The match was not completed: {}.",
            printable(reason)
        )),
    };
    out.push('\n');
    let width = record.roles.iter().map(|role| role.chars().count()).max();
    let width = width.unwrap_or(0);
    let steps = record.steps.iter().flat_map(|step| &step.player_errors);
    let player_errors: Vec<&PlayerError> = record.start_errors.iter().chain(steps).collect();
    for (role, name) in record.roles.iter().enumerate() {
        let goal = outcome.goals.get(role).copied().flatten();
        let goal = goal.map_or_else(|| "-".to_owned(), |goal| goal.to_string());
        let player = record.players.get(role).map_or("", String::as_str);
        out += &format!(
            "  {:width$}  {goal:>3}  {}",
            printable(name),
            printable(player)
        );
        let errors = player_errors
            .iter()
            .filter(|player_error| player_error.role == role)
            .count();
        if errors > 0 {
            let s = if errors == 1 { "" } else { "s" };
            out += &style.warning(&format!("  {errors} error{s}"));
        }
        if outcome.forfeited.contains(&role) {
            out += &style.warning(", forfeited");
        }
        out.push('\n');
    }
    out
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds.fract() == 0.0 {
        format!("{seconds} s")
    } else {
        format!("{seconds:.2} s")
    }
}
