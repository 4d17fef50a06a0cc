//! Baselines: speeds of an earlier run or of another system to compare with.

use std::collections::HashSet;
use std::path::Path;

use ludorum_engines::Engine;
use serde_json::Value;
use thiserror::Error;

/// Accepted names of the column of rates.
const RATE_COLUMNS: [&str; 2] = ["states_per_cpu_s", "states_per_second"];
/// Upper bound of plausible rates: one state change in less than a clock tick.
const MAX_RATE: f64 = 1e15;
/// Minimum number of games for a meaningful average length. With 200 games the average is accurate
/// to a few per cent.
pub(super) const MIN_GAMES: f64 = 200.0;

/// The error of a baseline that cannot be used.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("cannot read `{path}`: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The file is not a table of speeds.
    #[error("`{path}` is not a table of speeds: {reason}")]
    NotATable {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
}

/// Speeds by game and, for our own runs, by engine. Never empty.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The display name: the name of the file.
    pub name: String,
    rows: Vec<BaselineRow>,
}

#[derive(Clone, Debug)]
struct BaselineRow {
    /// The name of the game as written in the file.
    name: String,
    /// The lookup key, made by [`game_key`].
    game: String,
    engine: Option<String>,
    figure: BaselineSpeed,
}

/// The speed of a game in a baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaselineSpeed {
    /// State changes per second.
    pub rate: f64,
    /// Average number of state changes per game, if the file has it for enough games.
    pub length: Option<f64>,
}

impl BaselineRow {
    fn new(name: &str, engine: Option<&str>, figure: BaselineSpeed) -> Self {
        Self {
            name: name.to_owned(),
            game: game_key(name),
            engine: engine.map(str::to_owned),
            figure,
        }
    }

    /// The engine, if it is one of Ludorum's.
    fn own_engine(&self) -> Option<Engine> {
        self.engine.as_ref()?.parse().ok()
    }
}

impl Baseline {
    /// Reads a baseline from a file: CSV with the columns `game` and `states_per_cpu_s`, or the
    /// JSON of an earlier run.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| BaselineError::Unreadable {
            path: shown.clone(),
            error,
        })?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy());
        Self::parse(&name.unwrap_or_default(), &text).map_err(|reason| BaselineError::NotATable {
            path: shown,
            reason,
        })
    }

    /// Parses a baseline from text.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        // Spreadsheets write a byte order mark at the start of the file.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
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

    /// The speed to compare an engine with on a game. Games are matched by letters and digits
    /// alone, so that `tic-tac-toe` matches `games/ticTacToe.kif`. Our own runs are compared engine
    /// by engine. For another system, the fastest of its engines counts.
    pub fn find(&self, game: &str, engine: Engine) -> Option<BaselineSpeed> {
        let game = game_key(game);
        let of_game = self.rows.iter().filter(|row| row.game == game);
        if self.is_own_run() {
            let mut same = of_game.filter(|row| row.own_engine() == Some(engine));
            return same.next().map(|row| row.figure);
        }
        let figures = of_game.map(|row| row.figure);
        figures.max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    /// The names of the games as written in the file, without duplicates.
    pub fn games(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let rows = self.rows.iter().filter(|row| seen.insert(&row.game));
        rows.map(|row| row.name.as_str()).collect()
    }

    /// The columns of the baseline in a comparison of `engines`: one for each engine that the
    /// baseline has if it is one of our own runs, else one column for all engines.
    pub fn columns(&self, engines: &[Engine]) -> Vec<BaselineColumn> {
        if !self.is_own_run() {
            return vec![BaselineColumn {
                name: self.name.clone(),
                engine: None,
            }];
        }
        let known: HashSet<Engine> = self
            .rows
            .iter()
            .filter_map(BaselineRow::own_engine)
            .collect();
        let column = |engine: &Engine| BaselineColumn {
            name: format!("{}: {engine}", self.name),
            engine: Some(*engine),
        };
        let engines = engines.iter().filter(|engine| known.contains(engine));
        engines.map(column).collect()
    }

    /// Whether it is one of our own runs: every row names one of our engines.
    fn is_own_run(&self) -> bool {
        self.rows.iter().all(|row| row.own_engine().is_some())
    }
}

/// A column of the baseline in a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineColumn {
    /// The heading of the column.
    pub name: String,
    /// The engine that the column is for, if it is for one engine only.
    pub engine: Option<Engine>,
}

impl BaselineColumn {
    /// Whether an engine is compared with this column.
    pub fn is_for(&self, engine: Engine) -> bool {
        self.engine.is_none_or(|own| own == engine)
    }
}

/// The lookup key of a game's name: the file stem, in lower case, letters and digits only.
pub fn game_key(game: &str) -> String {
    let name = game.rsplit(['/', '\\']).next().unwrap_or(game);
    let name = name.strip_suffix(".kif").unwrap_or(name);
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Checks that a rate is positive, finite and plausible. Other values would give meaningless ratios
/// and bars.
fn rate(value: Option<f64>, shown: &str) -> Result<f64, String> {
    let sane = |rate: &f64| *rate > 0.0 && *rate < MAX_RATE;
    value.filter(sane).ok_or_else(|| {
        format!("`{shown}` is not a rate: it must be a number above 0 and below {MAX_RATE:e}")
    })
}

/// The average length, if it is over enough games or the number of games is unknown.
fn length(average: Option<f64>, games: Option<f64>) -> Option<f64> {
    let enough = games.is_none_or(|games| games >= MIN_GAMES);
    average.filter(|length| enough && length.is_finite() && *length > 0.0)
}

fn from_json(text: &str) -> Result<Vec<BaselineRow>, String> {
    let values: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut rows = Vec::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        let number = |name: &str| value.get(name).and_then(Value::as_f64);
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let shown = RATE_COLUMNS.iter().find_map(|name| value.get(name));
        let shown = shown.filter(|shown| !shown.is_null());
        // Engines that failed have no rate.
        let (Some(game), Some(shown)) = (text("game"), shown) else {
            continue;
        };
        let rate = rate(shown.as_f64(), &shown.to_string())
            .map_err(|problem| format!("entry {}: {problem}", place + 1))?;
        let length = length(number("average_length"), number("playouts"));
        rows.push(BaselineRow::new(
            game,
            text("engine"),
            BaselineSpeed { rate, length },
        ));
    }
    if rows.is_empty() {
        return Err("no object has `game` and `states_per_second`".to_owned());
    }
    Ok(rows)
}

fn from_csv(text: &str) -> Result<Vec<BaselineRow>, String> {
    let mut lines = text.lines();
    let header = cells(lines.next().unwrap_or_default());
    let place = |name: &str| header.iter().position(|cell| cell == name);
    let game = place("game").ok_or("there is no column `game`")?;
    let rates = RATE_COLUMNS.iter().find_map(|name| place(name));
    let rates = rates.ok_or("there is no column `states_per_cpu_s`")?;
    let engine = place("engine");
    let (lengths, playouts) = (place("average_length"), place("playouts"));
    let mut rows = Vec::new();
    for (line, number) in lines.zip(2..) {
        let cells = cells(line);
        let cell = |place: usize| cells.get(place).map(|cell| cell.trim());
        let value = |place: Option<usize>| cell(place?)?.parse().ok();
        // Games that could not be played have an empty cell.
        let (Some(game), Some(shown)) = (cell(game), cell(rates).filter(|cell| !cell.is_empty()))
        else {
            continue;
        };
        let rate = rate(shown.parse().ok(), shown)
            .map_err(|problem| format!("line {number}: {problem}"))?;
        let length = length(value(lengths), value(playouts));
        let engine = engine.and_then(cell);
        rows.push(BaselineRow::new(
            game,
            engine,
            BaselineSpeed { rate, length },
        ));
    }
    if rows.is_empty() {
        let column = &header[rates];
        return Err(format!("there are no rows with a value for `{column}`"));
    }
    Ok(rows)
}

/// Splits a CSV line into cells. A quoted cell may contain commas, and a doubled quote is a literal
/// one (RFC 4180).
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

    fn rate(baseline: &Baseline, game: &str, engine: Engine) -> Option<f64> {
        baseline.find(game, engine).map(|figure| figure.rate)
    }

    #[test]
    fn another_systems_figures_are_found_by_game() {
        let text =
            "game,system,states_per_cpu_s\nticTacToe,one,100\nticTacToe,two,300\nchess,two,\n";
        let baseline = Baseline::parse("peers", text).unwrap();
        let found = |game, engine| rate(&baseline, game, engine);
        assert_eq!(found("tic-tac-toe", Engine::PROVER), Some(300.0));
        assert_eq!(found("a/b/ticTacToe.kif", Engine::PROPNET), Some(300.0));
        assert_eq!(found("chess", Engine::PROPNET), None);
        assert_eq!(baseline.games(), ["ticTacToe"]);
    }

    #[test]
    fn our_own_figures_are_compared_engine_by_engine() {
        let text = r#"[{"game": "nim", "engine": "prover", "states_per_second": 5.0}, {"game": "nim", "engine": "auto", "error": "x"}]"#;
        let baseline = Baseline::parse("run", text).unwrap();
        assert_eq!(rate(&baseline, "nim", Engine::PROVER), Some(5.0));
        assert_eq!(rate(&baseline, "nim", Engine::PROPNET), None);
        let columns = baseline.columns(&[Engine::PROPNET, Engine::PROVER]);
        let [column] = &columns[..] else {
            panic!("{columns:?}");
        };
        assert!(column.name == "run: prover" && column.is_for(Engine::PROVER));
        assert!(!column.is_for(Engine::PROPNET));
    }

    #[test]
    fn another_systems_figures_are_one_column_for_all_engines() {
        let baseline = Baseline::parse("x", "game,states_per_cpu_s\nnim,5\n").unwrap();
        let columns = baseline.columns(&Engine::ALL);
        assert!(columns.len() == 1 && Engine::ALL.into_iter().all(|e| columns[0].is_for(e)));
    }

    #[test]
    fn an_invalid_rate_is_reported_with_its_line() {
        for wrong in [
            "inf", "-inf", "NaN", "0", "-0", "-5", "1e300", "1e15", "fast",
        ] {
            let text = format!("game,states_per_cpu_s\nnim,7\nchess,{wrong}\n");
            let problem = Baseline::parse("x", &text).unwrap_err();
            let begin = format!("line 3: `{wrong}` is not a rate");
            assert!(problem.starts_with(&begin), "{problem}");
        }
        for wrong in ["0", "-5", "1e300", "\"fast\""] {
            let text = format!(r#"[1, {{"game": "nim", "states_per_second": {wrong}}}]"#);
            let problem = Baseline::parse("x", &text).unwrap_err();
            assert!(problem.starts_with("entry 2: `"), "{problem}");
        }
        assert!(Baseline::parse("x", "game,states_per_cpu_s\nnim,9e14\n").is_ok());
    }

    #[test]
    fn a_table_without_rates_is_rejected() {
        for text in [
            "game,states_per_cpu_s",
            "game,states_per_cpu_s\n\n",
            "game,states_per_cpu_s\nnim,\nchess\n",
        ] {
            let problem = Baseline::parse("x", text).unwrap_err();
            assert!(problem.contains("no rows"), "{problem}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        for text in [
            "\u{feff}game,states_per_cpu_s\r\nnim,5\r\n",
            "\u{feff}[{\"game\": \"nim\", \"states_per_second\": 5}]",
        ] {
            let baseline = Baseline::parse("x", text).unwrap();
            assert_eq!(rate(&baseline, "nim", Engine::AUTO), Some(5.0));
        }
    }

    #[test]
    fn average_lengths_need_enough_games() {
        let text = "game,states_per_cpu_s,average_length,playouts\na,1,7.5,500\nb,1,7.5,3\nc,1,inf,500\nd,1,7.5,\n";
        let baseline = Baseline::parse("x", text).unwrap();
        let length = |game| baseline.find(game, Engine::AUTO)?.length;
        let lengths = ["a", "b", "c", "d"].map(length);
        assert_eq!(lengths, [Some(7.5), None, None, Some(7.5)]);
    }

    #[test]
    fn quoted_cells_may_contain_commas() {
        assert_eq!(cells("a,\"b, \"\"c\"\"\",d"), ["a", "b, \"c\"", "d"]);
    }

    #[test]
    fn a_table_without_the_columns_is_rejected() {
        assert!(Baseline::parse("x", "a,b\n1,2\n").is_err());
        assert!(Baseline::parse("x", "[1, 2]").is_err());
        assert!(Baseline::parse("x", "").is_err());
    }
}
