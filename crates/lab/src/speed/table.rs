//! Measured speeds as tables for machines and for pages.

use std::fmt::Write as _;

use ludorum_reason::Engine;
use serde::Serialize;

use super::Speed;
use super::baseline::Baseline;

/// What was measured of an engine on a game.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The game.
    pub game: String,
    /// The engine.
    #[serde(serialize_with = "name")]
    pub engine: Engine,
    /// The figures, or why there are none.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The speed that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
    /// How many times as fast it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// What it was measured on.
    pub machine: String,
    /// When.
    pub date: String,
    /// The version of the program.
    pub version: &'static str,
}

/// Figures, or why there are none.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)] // nearly all are the large one
pub enum Outcome {
    /// The figures.
    Played(Speed),
    /// The engine could not play the game.
    Failed {
        /// Why.
        error: String,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
fn name<S: serde::Serializer>(engine: &Engine, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(engine.name())
}

impl Line {
    /// A line for a result, measured here and now.
    pub fn new(
        game: &str,
        engine: Engine,
        result: Result<Speed, impl std::fmt::Display>,
        baseline: Option<&Baseline>,
    ) -> Self {
        let outcome = match result {
            Ok(speed) => Outcome::Played(speed),
            Err(error) => Outcome::Failed {
                error: error.to_string(),
            },
        };
        let mut line = Self {
            game: game.to_owned(),
            engine,
            outcome,
            baseline: baseline.and_then(|baseline| baseline.find(game, engine)),
            ratio: None,
            machine: super::machine::description(),
            date: super::machine::today(),
            version: env!("CARGO_PKG_VERSION"),
        };
        if let (Some(speed), Some(baseline)) = (line.speed(), line.baseline) {
            line.ratio = Some(speed.states_per_second / baseline);
        }
        line
    }

    /// The figures, if there are any.
    pub fn speed(&self) -> Option<&Speed> {
        match &self.outcome {
            Outcome::Played(speed) => Some(speed),
            Outcome::Failed { .. } => None,
        }
    }
}

/// The columns of the CSV; the first ones are those that [`Baseline`] reads.
const COLUMNS: &str = "game,engine,states_per_cpu_s,low,high,playouts_per_cpu_s,average_length,init_ms,threads,states_per_wall_s,\
states,playouts,cpu_s,wall_s,peak_memory_bytes,components,cache_hit_rate,baseline,ratio,error,machine,date,version";

/// Lines as CSV with a header.
pub fn csv(lines: &[Line]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for line in lines {
        let mut cells = vec![line.game.clone(), line.engine.name().to_owned()];
        match &line.outcome {
            Outcome::Played(speed) => {
                let hits = speed.cache.map(|cache| cache.total().share());
                cells.extend([
                    format!("{:.1}", speed.states_per_second),
                    format!("{:.1}", speed.states_per_second_low),
                    format!("{:.1}", speed.states_per_second_high),
                    format!("{:.2}", speed.playouts_per_second),
                    format!("{:.2}", speed.average_length),
                    format!("{:.1}", speed.init_ms),
                    speed.threads.to_string(),
                    format!("{:.1}", speed.states_per_wall_second),
                    speed.states.to_string(),
                    speed.playouts.to_string(),
                    format!("{:.3}", speed.cpu_seconds),
                    format!("{:.3}", speed.wall_seconds),
                    optional(speed.peak_memory_bytes),
                    optional(speed.components),
                    hits.map_or(String::new(), |share| format!("{share:.4}")),
                ]);
            }
            Outcome::Failed { .. } => cells.extend(std::iter::repeat_n(String::new(), 15)),
        }
        cells.push(optional(line.baseline));
        cells.push(
            line.ratio
                .map_or(String::new(), |ratio| format!("{ratio:.3}")),
        );
        cells.push(match &line.outcome {
            Outcome::Played(_) => String::new(),
            Outcome::Failed { error } => error.clone(),
        });
        cells.extend([
            line.machine.clone(),
            line.date.clone(),
            line.version.to_owned(),
        ]);
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!(
            "\"{}\"",
            cell.replace('"', "\"\"").replace(['\n', '\r'], " ")
        )
    } else {
        cell.to_owned()
    }
}

/// Lines as a table in Markdown: a row for each game, a column for each engine, state changes a CPU second, and how they were measured.
pub fn markdown(lines: &[Line], baseline: Option<&Baseline>) -> String {
    let mut engines: Vec<Engine> = Vec::new();
    let mut games: Vec<&str> = Vec::new();
    for line in lines {
        if !engines.contains(&line.engine) {
            engines.push(line.engine);
        }
        if !games.contains(&line.game.as_str()) {
            games.push(&line.game);
        }
    }
    let mut text = String::from("| game |");
    let mut rule = String::from("| --- |");
    for engine in &engines {
        let _ = write!(text, " {engine} |");
        rule.push_str(" ---: |");
    }
    if let Some(baseline) = baseline {
        let _ = write!(text, " {} | times |", baseline.name);
        rule.push_str(" ---: | ---: |");
    }
    let _ = writeln!(text, "\n{rule}");
    for game in games {
        let _ = write!(text, "| {} |", game.replace('|', "\\|"));
        let of_game: Vec<&Line> = lines.iter().filter(|line| line.game == game).collect();
        for engine in &engines {
            let line = of_game.iter().find(|line| line.engine == *engine);
            let cell = line.and_then(|line| line.speed());
            let _ = write!(text, " {} |", cell.map_or_else(|| "-".to_owned(), rate));
        }
        if baseline.is_some() {
            let best = of_game
                .iter()
                .filter_map(|line| line.ratio)
                .reduce(f64::max);
            let other = of_game.iter().find_map(|line| line.baseline);
            let shown = other.map_or_else(|| "-".to_owned(), |rate| grouped(rate, 0));
            let times = best.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}"));
            let _ = write!(text, " {shown} | {times} |");
        }
        text.push('\n');
    }
    if let Some(line) = lines.first() {
        let _ = writeln!(
            text,
            "\nState changes a CPU second in random playouts from the initial state, the median of {} rounds, ± half of the 95 % interval. \
             {}, {}, version {}.",
            line.speed().map_or(0, |speed| speed.rounds),
            line.machine,
            line.date,
            line.version
        );
    }
    text
}

/// A rate with its uncertainty in per cent.
fn rate(speed: &Speed) -> String {
    let half = (speed.states_per_second_high - speed.states_per_second_low) / 2.0;
    let share = 100.0 * half / speed.states_per_second.max(1e-9);
    let digits = usize::from(speed.states_per_second < 100.0);
    let rate = grouped(speed.states_per_second, digits);
    // A single round says nothing about the uncertainty.
    if speed.rounds < 2 {
        return rate;
    }
    format!("{rate} ± {share:.0} %")
}

/// A number with spaces between thousands.
pub fn grouped(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(game: &str, error: &str) -> Line {
        Line::new(game, Engine::Prover, Err::<Speed, _>(error), None)
    }

    #[test]
    fn every_line_of_the_csv_has_all_columns() {
        let text = csv(&[failed("a,b", "too \"large\"")]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("\"a,b\",prover,,"), "{text}");
        let commas = |line: &str| {
            let mut quoted = false;
            let outside = |c: char| {
                quoted ^= c == '"';
                c == ',' && !quoted
            };
            line.chars()
                .filter(|c| *c == ',')
                .count()
                .min(line.matches(outside).count())
        };
        assert_eq!(commas(lines[0]), commas(lines[1]), "{text}");
    }

    #[test]
    fn thousands_are_kept_apart() {
        assert_eq!(grouped(1_234_567.0, 0), "1 234 567");
        assert_eq!(grouped(12.34, 1), "12.3");
        assert_eq!(grouped(999.0, 0), "999");
    }

    #[test]
    fn a_page_says_what_it_was_measured_on() {
        let text = markdown(&[failed("nim", "x")], None);
        assert!(
            text.starts_with("| game | prover |\n| --- | ---: |\n| nim | - |"),
            "{text}"
        );
        assert!(text.contains(&crate::speed::machine::today()), "{text}");
    }
}
