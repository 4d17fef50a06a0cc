//! The standings of a tournament as text.

use ludorum_match::rating::Rating;
use ludorum_match::tournament::{GameRatings, Standings, StandingsRow, TournamentFormat};

use crate::report::counted;
use crate::terminal::{OutputStyle, printable, shortened};

/// The most rows of the live standings.
const LIVE_ROWS: usize = 12;

/// The longest name that is shown in full, in characters.
const NAME: usize = 30;

/// The whole standings: the players, and their ratings in each game.
pub(super) fn text(table: &Standings, style: &OutputStyle) -> String {
    let state = if table.finished {
        counted(table.matches, "match", "matches")
    } else {
        format!("{} of {} matches", table.matches, table.matches_planned)
    };
    let rounds = match table.kind {
        TournamentFormat::RoundRobin if table.rounds == 1 => String::new(),
        _ => format!(", {} of {} rounds", table.rounds_over, table.rounds),
    };
    let title = format!("{}, {}{rounds}, {state}", table.name, table.kind.name());
    let mut out = format!("{}\n\n", style.bold(&printable(&title)));
    let names = table
        .rows
        .iter()
        .map(|row| name(&row.player).chars().count());
    let width = names.max().unwrap_or(0).max("player".len());
    let head = format!(
        "{:>4}  {:width$}  {:>7}  {:>5}  {:>5}  {:>5}  {:>7}  {:>7}  {:>5}{}  {:>6}  {:>16}",
        "",
        "player",
        "matches",
        "won",
        "drawn",
        "lost",
        "points",
        "score",
        "goal",
        standing_head(table.kind),
        "errors",
        "rating (95 %)"
    );
    out += &format!("{}\n", style.bold(&head));
    for row in &table.rows {
        out += &format!("{}\n", line(row, table.kind, width));
    }
    if table.games.len() > 1 {
        out += &format!("\n{}\n", style.bold("Ratings by game"));
        let labels: Vec<String> = table.games.iter().map(|game| label(game, table)).collect();
        let column = labels.iter().map(|label| label.chars().count()).max();
        let column = column.unwrap_or(0);
        for (game, label) in table.games.iter().zip(&labels) {
            let ratings = game.ratings.iter();
            let ratings: Vec<String> = ratings
                .map(|rating| format!("{} {}", name(&rating.player), elo(rating)))
                .collect();
            out += &format!("{label:column$}  {}\n", ratings.join(", "));
        }
    }
    out
}

/// The name of a game; with its clocks if it occurs twice.
fn label(game: &GameRatings, table: &Standings) -> String {
    let text = name(&game.game);
    let alike = table.games.iter().filter(|other| other.game == game.game);
    if alike.count() < 2 {
        return text;
    }
    format!("{text}, {} s and {} s", game.start_clock, game.play_clock)
}

/// The best players in a few columns, for the live standings.
pub(super) fn live(table: &Standings) -> String {
    let mut out = String::new();
    for row in table.rows.iter().take(LIVE_ROWS) {
        let rating = row.rating.as_ref().map_or(String::new(), elo);
        out += &format!(
            "{:>4}  {:NAME$}  {:>4}-{}-{}  {:>7.1}  {rating}\n",
            row.rank,
            name(&row.player),
            row.wins,
            row.draws,
            row.losses,
            row.points
        );
    }
    out
}

fn line(row: &StandingsRow, kind: TournamentFormat, width: usize) -> String {
    let number = |value: Option<f64>, unit: &str| {
        value.map_or("-".to_owned(), |value| format!("{value:.1}{unit}"))
    };
    let standing = match (kind, row.standing) {
        (TournamentFormat::RoundRobin, _) | (_, None) => String::new(),
        (TournamentFormat::Swiss, Some(standing)) => format!("  {standing:>5.1}"),
        (_, Some(standing)) => format!("  {standing:>5.0}"),
    };
    let rating = row.rating.as_ref().map_or("-".to_owned(), elo);
    format!(
        "{:>4}  {:width$}  {:>7}  {:>5}  {:>5}  {:>5}  {:>7.1}  {:>7}  {:>5}{standing}  {:>6}  \
         {rating:>16}",
        row.rank,
        name(&row.player),
        row.matches,
        row.wins,
        row.draws,
        row.losses,
        row.points,
        number(row.score, " %"),
        number(row.goal, ""),
        row.errors,
    )
}

fn standing_head(kind: TournamentFormat) -> String {
    let head = match kind {
        TournamentFormat::RoundRobin => return String::new(),
        TournamentFormat::Swiss => "swiss",
        TournamentFormat::KnockOut => "round",
        TournamentFormat::Ladder => "place",
    };
    format!("  {head:>5}")
}

/// A rating and half the width of its interval: `+120 ± 80`.
pub(crate) fn elo(rating: &Rating) -> String {
    let half = (rating.high - rating.low) / 2.0;
    // Adding 0.0 turns a rounded -0 into +0.
    let elo = rating.elo.round() + 0.0;
    format!("{elo:+.0} ± {half:.0}")
}

fn name(text: &str) -> String {
    let text = printable(text);
    shortened(&text, NAME).into_owned()
}
