//! Tables of measured speeds: CSV and Markdown.

use std::fmt::Write as _;

use ludorum_engines::Engine;
use serde::Serialize;

use super::Speed;
use super::baseline::{Baseline, MIN_GAMES};

/// Result of an engine on a game: one row of a table.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedRow {
    /// The game.
    pub game: String,
    /// The engine.
    #[serde(serialize_with = "name")]
    pub engine: Engine,
    /// The speed, or the error.
    #[serde(flatten)]
    pub outcome: SpeedOutcome,
    /// The speed in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
    /// The ratio to the speed in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The average length of games in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_length: Option<f64>,
    /// A warning about the comparison with the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The machine.
    pub machine: String,
    /// The date.
    pub date: String,
    /// The version of the program.
    pub version: &'static str,
}

/// The speed, or the error.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)] // nearly all are the large one
pub enum SpeedOutcome {
    /// The measured speed.
    Played(Speed),
    /// The engine could not play the game.
    Failed {
        /// The error message.
        error: String,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
fn name<S: serde::Serializer>(engine: &Engine, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(engine.name())
}

impl SpeedRow {
    /// Makes the row of a result measured on this machine today.
    pub fn new(
        game: &str,
        engine: Engine,
        result: Result<Speed, impl std::fmt::Display>,
        baseline: Option<&Baseline>,
    ) -> Self {
        let outcome = match result {
            Ok(speed) => SpeedOutcome::Played(speed),
            Err(error) => SpeedOutcome::Failed {
                error: error.to_string(),
            },
        };
        let figure = baseline.and_then(|baseline| baseline.find(game, engine));
        let mut line = Self {
            game: game.to_owned(),
            engine,
            outcome,
            baseline: figure.map(|figure| figure.rate),
            ratio: None,
            baseline_length: figure.and_then(|figure| figure.length),
            note: None,
            machine: super::machine::description(),
            date: super::machine::today(),
            version: env!("CARGO_PKG_VERSION"),
        };
        if let (Some(speed), Some(baseline)) = (line.speed(), line.baseline) {
            line.ratio = Some(speed.states_per_second / baseline);
        }
        line.note = line.other_rules();
        line
    }

    /// A warning if the average lengths differ so much that the games are probably different ones
    /// with the same name.
    #[allow(clippy::cast_precision_loss)] // as a bound
    fn other_rules(&self) -> Option<String> {
        let (speed, theirs) = (self.speed()?, self.baseline_length?);
        let ours = speed.average_length;
        let differs = (ours / theirs - 1.0).abs() > MAX_LENGTH_DIFFERENCE;
        let enough = speed.playouts as f64 >= MIN_GAMES;
        (differs && enough).then(|| {
            format!("games of {ours:.1} steps, {theirs:.1} in the baseline: probably other rules")
        })
    }

    /// The speed, unless the engine failed.
    pub fn speed(&self) -> Option<&Speed> {
        match &self.outcome {
            SpeedOutcome::Played(speed) => Some(speed),
            SpeedOutcome::Failed { .. } => None,
        }
    }
}

/// Relative difference of average lengths above which games count as different.
const MAX_LENGTH_DIFFERENCE: f64 = 0.1;

/// The columns of the CSV. [`Baseline`] reads the first ones.
const COLUMNS: &str = "game,engine,states_per_cpu_s,low,high,playouts_per_cpu_s,average_length,\
 init_ms,threads,states_per_wall_s,\
states,playouts,cpu_s,wall_s,peak_memory_bytes,components,cache_hit_rate,baseline,ratio,error,\
machine,date,version,note";

/// Formats rows as CSV with a header.
pub fn csv(lines: &[SpeedRow]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for line in lines {
        let mut cells = vec![line.game.clone(), line.engine.name().to_owned()];
        match &line.outcome {
            SpeedOutcome::Played(speed) => {
                let hits = speed.cache.map(|cache| cache.total().share());
                cells.extend([
                    exact(speed.states_per_second),
                    exact(speed.states_per_second_low),
                    exact(speed.states_per_second_high),
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
            SpeedOutcome::Failed { .. } => cells.extend(std::iter::repeat_n(String::new(), 15)),
        }
        cells.push(optional(line.baseline));
        cells.push(
            line.ratio
                .map_or(String::new(), |ratio| format!("{ratio:.3}")),
        );
        cells.push(match &line.outcome {
            SpeedOutcome::Played(_) => String::new(),
            SpeedOutcome::Failed { error } => error.clone(),
        });
        cells.extend([
            line.machine.clone(),
            line.date.clone(),
            line.version.to_owned(),
            line.note.clone().unwrap_or_default(),
        ]);
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// Formats a rate for CSV. Low rates keep all digits, so that they do not become 0.
fn exact(rate: f64) -> String {
    if rate < 10.0 {
        rate.to_string()
    } else {
        format!("{rate:.1}")
    }
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

/// Formats rows as a Markdown table: a line for each game, a column for each engine, in state
/// changes per CPU second, followed by a note on the measurement. Each column of the baseline is
/// followed by the ratio of the best engine compared with it.
pub fn markdown(lines: &[SpeedRow], baseline: Option<&Baseline>) -> String {
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
    let columns = baseline.map_or_else(Vec::new, |baseline| baseline.columns(&engines));
    for column in &columns {
        let _ = write!(text, " {} | times |", cell_text(&column.name));
        rule.push_str(" ---: | ---: |");
    }
    let _ = writeln!(text, "\n{rule}");
    for game in games {
        let _ = write!(text, "| {} |", cell_text(game));
        let of_game: Vec<&SpeedRow> = lines.iter().filter(|line| line.game == game).collect();
        for engine in &engines {
            let line = of_game.iter().find(|line| line.engine == *engine);
            let cell = line.and_then(|line| line.speed());
            let _ = write!(text, " {} |", cell.map_or_else(|| "-".to_owned(), rate));
        }
        for column in &columns {
            let compared = || of_game.iter().filter(|line| column.is_for(line.engine));
            let best = compared().filter_map(|line| line.ratio).reduce(f64::max);
            let other = compared().find_map(|line| line.baseline);
            let shown = other.map_or_else(|| "-".to_owned(), |rate| grouped(rate, 0));
            let times = best.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}"));
            let _ = write!(text, " {shown} | {times} |");
        }
        text.push('\n');
    }
    if let Some(line) = lines.first() {
        let _ = writeln!(
            text,
            "\nState changes a CPU second in random playouts from the initial state, the median of \
             {} rounds, ± half of the 95 % interval. \
             {}, {}, version {}.",
            line.speed().map_or(0, |speed| speed.rounds),
            line.machine,
            line.date,
            line.version
        );
    }
    let noted = lines
        .iter()
        .filter_map(|line| Some((line, line.note.as_ref()?)));
    for (i, (line, note)) in noted.enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}- {}, {}: {note}.", line.game, line.engine);
    }
    text
}

/// Escapes text for a cell of a Markdown table.
fn cell_text(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Formats a rate with its uncertainty in per cent.
fn rate(speed: &Speed) -> String {
    let half = (speed.states_per_second_high - speed.states_per_second_low) / 2.0;
    let share = 100.0 * half / speed.states_per_second.max(1e-9);
    let digits = usize::from(speed.states_per_second < 100.0);
    let rate = grouped(speed.states_per_second, digits);
    // The uncertainty needs more than one round.
    if speed.rounds < 2 {
        return rate;
    }
    format!("{rate} ± {share:.0} %")
}

/// Formats a number with spaces between groups of three digits.
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
pub(super) mod tests {
    use super::*;

    fn failed(game: &str, error: &str) -> SpeedRow {
        SpeedRow::new(game, Engine::PROVER, Err::<Speed, _>(error), None)
    }

    /// A row with a rate, and games of `length` steps.
    pub(in crate::speed) fn played(
        game: &str,
        engine: Engine,
        rate: f64,
        length: f64,
        baseline: Option<&Baseline>,
    ) -> SpeedRow {
        let speed = Speed {
            threads: 1,
            init_ms: 1.0,
            states_per_second: rate,
            states_per_second_low: rate,
            states_per_second_high: rate,
            playouts_per_second: rate / length,
            states_per_wall_second: rate,
            average_length: length,
            states: 100_000,
            playouts: 10_000,
            rounds: 1,
            cpu_seconds: 1.0,
            wall_seconds: 1.0,
            peak_memory_bytes: None,
            components: None,
            cache: None,
            choice: None,
        };
        SpeedRow::new(game, engine, Ok::<_, String>(speed), baseline)
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
    fn the_slowest_run_can_be_a_baseline() {
        let run = [played("nim", Engine::PROVER, 0.012, 5.0, None)];
        let earlier = Baseline::parse("run", &csv(&run)).unwrap();
        let rate = earlier.find("nim", Engine::PROVER).map(|found| found.rate);
        assert_eq!(rate, Some(0.012));
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
    #[test]
    fn an_engine_is_compared_with_itself_in_an_earlier_run() {
        let run = [
            played("nim", Engine::PROVER, 10.0, 5.0, None),
            played("nim", Engine::LANES, 4_000.0, 5.0, None),
        ];
        let earlier = Baseline::parse("run", &csv(&run)).unwrap();
        let now = [
            played("nim", Engine::PROVER, 20.0, 5.0, Some(&earlier)),
            played("nim", Engine::PROPNET, 300.0, 5.0, Some(&earlier)),
            played("nim", Engine::LANES, 12_000.0, 5.0, Some(&earlier)),
        ];
        let text = markdown(&now, Some(&earlier));
        let rows: Vec<&str> = text.lines().take(3).collect();
        let expected = [
            "| game | prover | propnet | lanes | run: prover | times | run: lanes | times |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            "| nim | 20.0 | 300 | 12 000 | 10 | 2.0 | 4 000 | 3.0 |",
        ];
        assert_eq!(rows, expected, "{text}");
    }

    #[test]
    fn another_system_is_compared_with_the_fastest_engine() {
        let other = Baseline::parse("other", "game,states_per_cpu_s\nnim,100\n").unwrap();
        let lines = [
            played("nim", Engine::PROVER, 200.0, 5.0, Some(&other)),
            played("nim", Engine::LANES, 700.0, 5.0, Some(&other)),
        ];
        let text = markdown(&lines, Some(&other));
        assert!(text.contains("| nim | 200 | 700 | 100 | 7.0 |\n"), "{text}");
    }

    #[test]
    fn games_of_another_length_are_noted() {
        let table = "game,states_per_cpu_s,average_length\nnim,100,10\n";
        let other = Baseline::parse("other", table).unwrap();
        let line = |length| played("nim", Engine::LANES, 700.0, length, Some(&other));
        for (length, is_noted) in [(8.9, true), (9.1, false), (10.9, false), (11.1, true)] {
            let line = line(length);
            assert_eq!(line.note.is_some(), is_noted, "{length}");
            let page = markdown(&[line], Some(&other));
            assert_eq!(page.contains("probably other rules"), is_noted, "{page}");
        }
        // The average over a few games is unreliable.
        let mut few = line(20.0);
        if let SpeedOutcome::Played(speed) = &mut few.outcome {
            speed.playouts = 3;
        }
        assert_eq!(few.other_rules(), None);
    }
}
