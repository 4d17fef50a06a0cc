//! Figures to compare with: an earlier run, or those of another system.

use std::path::Path;

use ludorum_reason::Engine;
use serde_json::Value;
use thiserror::Error;

/// The names that a column of rates may have.
const RATES: [&str; 2] = ["states_per_cpu_s", "states_per_second"];

/// Why figures cannot be had.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("cannot read `{path}`: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is something else.
    #[error("`{path}` is no table of speeds: {reason}")]
    NoTable {
        /// The file.
        path: String,
        /// What is missing.
        reason: String,
    },
}

/// Speeds by game and, where they are told apart, by engine.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// What to call it: the name of the file.
    pub name: String,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    game: String,
    engine: Option<String>,
    rate: f64,
}

impl Baseline {
    /// Reads a table: CSV with the columns `game` and `states_per_cpu_s`, or the JSON of an earlier run.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| BaselineError::Unreadable {
            path: shown.clone(),
            error,
        })?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy());
        Self::parse(&name.unwrap_or_default(), &text).map_err(|reason| BaselineError::NoTable {
            path: shown,
            reason,
        })
    }

    /// The same from text.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let rows = if text.trim_start().starts_with('[') {
            from_json(text)?
        } else {
            from_csv(text)?
        };
        Ok(Self {
            name: name.to_owned(),
            rows,
        })
    }

    /// The speed to compare an engine's with on a game. Games are found by their letters and digits alone, so that `tic-tac-toe` is
    /// `games/ticTacToe.kif`. A run of our own is compared engine by engine; of another system's figures the fastest count.
    pub fn find(&self, game: &str, engine: Engine) -> Option<f64> {
        let game = plain(game);
        let rows = || self.rows.iter().filter(|row| row.game == game);
        let is_ours = |row: &Row| {
            let name = row.engine.as_ref();
            name.is_some_and(|name| name.parse::<Engine>().is_ok())
        };
        if self.rows.iter().all(is_ours) {
            let mut same = rows().filter(|row| row.engine.as_deref() == Some(engine.name()));
            return same.next().map(|row| row.rate);
        }
        rows().map(|row| row.rate).reduce(f64::max)
    }
}

/// The name of a game without its folder, its ending and everything but letters and digits, in small letters.
pub fn plain(game: &str) -> String {
    let name = game.rsplit(['/', '\\']).next().unwrap_or(game);
    let name = name.strip_suffix(".kif").unwrap_or(name);
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn from_json(text: &str) -> Result<Vec<Row>, String> {
    let values: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let row = |value: &Value| {
        let rate = RATES.iter().find_map(|name| value.get(name)?.as_f64());
        Some(Row {
            game: plain(value.get("game")?.as_str()?),
            engine: value
                .get("engine")
                .and_then(Value::as_str)
                .map(str::to_owned),
            rate: rate?,
        })
    };
    let rows: Vec<Row> = values.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Err("no object has `game` and `states_per_second`".to_owned());
    }
    Ok(rows)
}

fn from_csv(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    let header = cells(lines.next().unwrap_or_default());
    let place = |name: &str| header.iter().position(|cell| cell == name);
    let game = place("game").ok_or("there is no column `game`")?;
    let rate = RATES.iter().find_map(|name| place(name));
    let rate = rate.ok_or("there is no column `states_per_cpu_s`")?;
    let engine = place("engine");
    let row = |line: &str| {
        let cells = cells(line);
        Some(Row {
            game: plain(cells.get(game)?),
            engine: engine.and_then(|place| cells.get(place).cloned()),
            rate: cells.get(rate)?.parse().ok()?,
        })
    };
    Ok(lines.filter_map(row).collect())
}

/// The cells of a line; quotes hold commas together, and two of them are one.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cells
                    .last_mut()
                    .map(|cell| cell.push('"'))
                    .unwrap_or_default();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells
                .last_mut()
                .map(|cell| cell.push(letter))
                .unwrap_or_default(),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_systems_figures_are_found_by_game() {
        let text =
            "game,system,states_per_cpu_s\nticTacToe,one,100\nticTacToe,two,300\nchess,two,\n";
        let baseline = Baseline::parse("peers", text).unwrap();
        assert_eq!(baseline.find("tic-tac-toe", Engine::Prover), Some(300.0));
        assert_eq!(
            baseline.find("a/b/ticTacToe.kif", Engine::Propnet),
            Some(300.0)
        );
        assert_eq!(baseline.find("chess", Engine::Propnet), None);
    }

    #[test]
    fn our_own_figures_are_compared_engine_by_engine() {
        let text = r#"[{"game": "nim", "engine": "prover", "states_per_second": 5.0}, {"game": "nim", "engine": "auto", "error": "x"}]"#;
        let baseline = Baseline::parse("run", text).unwrap();
        assert_eq!(baseline.find("nim", Engine::Prover), Some(5.0));
        assert_eq!(baseline.find("nim", Engine::Propnet), None);
    }

    #[test]
    fn quotes_hold_commas_together() {
        assert_eq!(cells("a,\"b, \"\"c\"\"\",d"), ["a", "b, \"c\"", "d"]);
    }

    #[test]
    fn a_table_of_something_else_is_refused() {
        assert!(Baseline::parse("x", "a,b\n1,2\n").is_err());
        assert!(Baseline::parse("x", "[1, 2]").is_err());
        assert!(Baseline::parse("x", "").is_err());
    }
}
