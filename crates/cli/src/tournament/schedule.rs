//! The schedule of a tournament before its first match.

use std::io::Write as _;

use ludorum_match::tournament::{Results, ScheduledMatch, TournamentPlan, TournamentSchedule};
use serde::Serialize;

use crate::outcome::Failure;
use crate::report::counted;
use crate::terminal::{Terminal, printable};

#[derive(Serialize)]
struct ScheduleEntry<'a> {
    round: u32,
    id: &'a str,
    game: &'a str,
    #[serde(serialize_with = "ludorum_match::seed::text::serialize")]
    seed: u64,
    seats: Vec<RoleEntry<'a>>,
}

#[derive(Serialize)]
struct RoleEntry<'a> {
    role: &'a str,
    player: &'a str,
}

pub(super) fn print(
    plan: &TournamentPlan,
    json: bool,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let schedule = TournamentSchedule::new(plan, &Results::new());
    let fixtures = schedule.fixtures(plan);
    if json {
        let entries: Vec<ScheduleEntry<'_>> = fixtures.iter().map(|f| entry(plan, f)).collect();
        terminal.json(&entries)?;
        return Ok(());
    }
    let style = terminal.style;
    let matches = counted(plan.matches() as usize, "match", "matches");
    let title = format!("{}, {}, {matches}", plan.name, plan.kind.name());
    writeln!(terminal, "{}", style.bold(&title))?;
    let width = fixtures.iter().map(|f| f.id.len()).max().unwrap_or(0);
    let games = plan.games.iter().map(|game| game.name.chars().count());
    let games = games.max().unwrap_or(0);
    for round in &schedule.rounds {
        writeln!(
            terminal,
            "\n{}",
            style.bold(&format!("Round {}", round.number))
        )?;
        for bye in &round.byes {
            let player = &plan.players[*bye].name;
            writeln!(terminal, "{} has no opponent", printable(player))?;
        }
        for fixture in fixtures.iter().filter(|f| f.round == round.number) {
            let entry = entry(plan, fixture);
            let entries = entry.seats.iter();
            let roles: Vec<String> = entries
                .map(|entry| format!("{} {}", entry.role, entry.player))
                .collect();
            let line = format!(
                "{:width$}  {:games$}  {}",
                entry.id,
                entry.game,
                roles.join(", ")
            );
            writeln!(terminal, "{}", printable(&line))?;
        }
    }
    let open = (plan.rounds as usize).saturating_sub(schedule.rounds.len());
    if open > 0 {
        let rounds = counted(open, "more round follows", "more rounds follow");
        let line = format!("\n{rounds}; their pairings depend on results.");
        writeln!(terminal, "{}", style.dimmed(&line))?;
    }
    Ok(())
}

fn entry<'a>(plan: &'a TournamentPlan, fixture: &'a ScheduledMatch) -> ScheduleEntry<'a> {
    let game = &plan.games[fixture.game];
    let roles = game.roles.iter().zip(&fixture.role_players);
    let entries = roles.map(|(role, player)| RoleEntry {
        role,
        player: &plan.players[*player].name,
    });
    ScheduleEntry {
        round: fixture.round,
        id: &fixture.id,
        game: &game.name,
        seed: fixture.seed(),
        seats: entries.collect(),
    }
}
