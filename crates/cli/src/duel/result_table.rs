//! The result of a duel as text.

use std::io::{self, Write as _};

use ludorum_players::duel::{Duel, DuelResult, SideStatistics, SprtVerdict};

use crate::report::counted;
use crate::terminal::{Terminal, printable};

pub(super) fn print(
    game: &str,
    duel: &Duel,
    outcome: &DuelResult,
    terminal: &mut Terminal,
) -> io::Result<()> {
    let style = terminal.style;
    let games = counted(outcome.games, "game", "games");
    let clock = duel.clock.as_secs_f64();
    let title = format!("{}, {games} at {clock} s a move", printable(game));
    writeln!(terminal, "{}\n", style.bold(&title))?;
    let sides = [("A", &outcome.a), ("B", &outcome.b)];
    for (name, side) in sides {
        writeln!(terminal, "{name}  {}", side.spec)?;
    }
    let (low, high) = outcome.interval;
    let (wilson_low, wilson_high) = outcome.wilson;
    writeln!(
        terminal,
        "\n{}  {} won, {} drawn, {} lost by A",
        style.bold(&format!("score {:.1}", outcome.score)),
        outcome.wins,
        outcome.draws,
        outcome.losses
    )?;
    writeln!(
        terminal,
        "95 %: {low:.1} to {high:.1} (Student), {wilson_low:.1} to {wilson_high:.1} (Wilson)"
    )?;
    if let Some(sprt) = &outcome.sprt {
        let verdict = match sprt.verdict {
            SprtVerdict::Open => style.warning("undecided"),
            SprtVerdict::Accepted => style.success("A is better"),
            SprtVerdict::Rejected => style.error("A is not better"),
        };
        writeln!(
            terminal,
            "test: {verdict}; score {:.1} or {:.1}, LLR {:.2} of {:.2} to {:.2}",
            sprt.test.score0, sprt.test.score1, sprt.llr, sprt.lower, sprt.upper
        )?;
    }
    let head = format!(
        "\n   {:>6}  {:>11}  {:>10}  {:>6}  {:>8}  {:>11}  {:>5}  {:>7}  {:>6}  {:>6}",
        "goal",
        "sims/s",
        "sims/move",
        "depth",
        "s/move",
        "over clock",
        "late",
        "illegal",
        "errors",
        "blind"
    );
    writeln!(terminal, "{}", style.bold(&head))?;
    for (name, side) in sides {
        writeln!(terminal, "{name}  {}", figures(side))?;
    }
    writeln!(terminal, "\n{:.1} steps a game", outcome.steps)?;
    if outcome.unfinished > 0 {
        let games = counted(outcome.unfinished, "game", "games");
        let line = format!("{games} without a terminal state");
        writeln!(terminal, "{}", style.warning(&line))?;
    }
    for (name, side) in sides {
        for complaint in &side.complaints {
            let line = format!("{name}: {}", printable(complaint));
            writeln!(terminal, "{}", style.warning(&line))?;
        }
    }
    Ok(())
}

fn figures(side: &SideStatistics) -> String {
    let over = side
        .longest_over_ms
        .map_or("-".to_owned(), |over| format!("{over:+.0} ms"));
    format!(
        "{:>6.1}  {:>11.0}  {:>10.0}  {:>6.1}  {:>8.3}  {over:>11}  {:>5}  {:>7}  {:>6}  {:>6}",
        side.goal.mean,
        side.simulations_per_second,
        side.simulations_per_move,
        side.depth,
        side.seconds_per_move,
        side.late,
        side.illegal,
        side.errors,
        side.blind
    )
}
