//! `ludorum` alone: on a terminal a menu of games to play, elsewhere the games at a glance and what to do next.

use std::io::{self, IsTerminal as _, Write as _};

use ludorum_games::Game;

use crate::menu::{self, Group};
use crate::outcome::{Answer, Failure};
use crate::terminal::{Look, Terminal};

pub(crate) fn run(terminal: &mut Terminal) -> Result<Answer, Failure> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return menu::usual(terminal);
    }
    let look = terminal.look;
    let games = ludorum_games::all();
    writeln!(
        terminal,
        "{} {}, a general game player\n",
        look.strong("Ludorum"),
        env!("CARGO_PKG_VERSION")
    )?;
    for group in Group::ALL {
        let names: Vec<&str> = games
            .iter()
            .filter(|game| Group::of(game) == group)
            .map(|game| game.name)
            .collect();
        if !names.is_empty() {
            writeln!(terminal, "{}", look.strong(group.heading()))?;
            writeln!(terminal, "{}", columns(&names, look.width))?;
        }
    }
    terminal.write_all(next_steps(games, &look).as_bytes())?;
    Ok(Answer::Yes)
}

/// Names in columns, read downwards.
fn columns(names: &[&str], width: usize) -> String {
    let widest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    let count = (width.saturating_sub(2) / (widest + 2)).clamp(1, names.len().max(1));
    let height = names.len().div_ceil(count);
    let mut text = String::new();
    for row in 0..height {
        let mut line = String::new();
        for name in names[row..].iter().step_by(height) {
            line += &format!("  {name:widest$}");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn next_steps(games: &[Game], look: &Look) -> String {
    let name = ["connect-four", "tic-tac-toe"]
        .into_iter()
        .find(|name| ludorum_games::find(name).is_some())
        .or_else(|| games.first().map(|game| game.name))
        .unwrap_or("NAME");
    let easy = ludorum_games::find("tic-tac-toe").map_or(name, |game| game.name);
    let steps = [
        (format!("ludorum play {easy}"), "play against the computer"),
        (format!("ludorum analyse {name}"), "the best moves, and why"),
        (
            format!("ludorum games --show {name}"),
            "how a game is played",
        ),
        ("ludorum games --tag puzzle".into(), "search the games"),
        (
            "ludorum check my-game.kif".into(),
            "what is wrong with a rule sheet of yours",
        ),
        (
            format!("ludorum fmt --to infix {name}"),
            "a sheet in the other notation",
        ),
        ("ludorum help".into(), "all commands"),
    ];
    let widest = steps
        .iter()
        .map(|(command, _)| command.len())
        .max()
        .unwrap_or(0);
    let mut text = format!("{}\n", look.strong("What next"));
    for (command, meaning) in &steps {
        let gap = " ".repeat(widest - command.len());
        text += &format!("  {}{gap}  {meaning}\n", look.code(command));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_read_downwards_and_keep_within_the_width() {
        assert_eq!(
            columns(&["a", "b", "c", "d", "e"], 12),
            "  a  c  e\n  b  d\n"
        );
        assert_eq!(columns(&["long-name", "x"], 5), "  long-name\n  x\n");
        assert_eq!(columns(&[], 80), "");
    }
}
