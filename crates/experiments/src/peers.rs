//! The speed of an engine beside that of another system, game by game.
//!
//! `cargo run --release -p ludorum-experiments -- peers CSV GAMES ENGINE [SECONDS]` reads a table
//! like `ludorum bench --baseline`, and the sheets `GAMES/game.kif`. It prints a JSON array with
//! the ratio for each game. The geometric mean, the minimum and the median go to standard error.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_lab::collection::SheetSource;
use ludorum_lab::speed::baseline::{Baseline, BaselineSpeed};
use ludorum_lab::speed::statistics::{geometric_mean, plain_median};
use ludorum_lab::speed::{Speed, SpeedOptions, speed};
use ludorum_logic::Rules;
use serde::Serialize;

#[derive(Serialize)]
struct PeerComparison {
    game: String,
    peer: f64,
    #[serde(flatten)]
    speed: Speed,
    ratio: f64,
}

pub(crate) fn run(words: &[String]) -> ExitCode {
    match words {
        [csv, games, engine] => compare(csv, games, engine, 2.0),
        [csv, games, engine, seconds] => match seconds.parse() {
            Ok(seconds) => compare(csv, games, engine, seconds),
            Err(_) => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: peers CSV GAMES ENGINE [SECONDS]");
    ExitCode::from(2)
}

fn compare(csv: &str, games: &str, engine: &str, seconds: f64) -> ExitCode {
    let engine: Engine = match engine.parse() {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let Ok(time) = Duration::try_from_secs_f64(seconds) else {
        eprintln!("SECONDS must be a number from 0");
        return ExitCode::from(2);
    };
    let peers = match Baseline::read(Path::new(csv)) {
        Ok(peers) => peers,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let mut lines = Vec::new();
    for game in peers.games() {
        let Some(BaselineSpeed { rate: peer, .. }) = peers.find(game, engine) else {
            continue;
        };
        let sheet = Path::new(games).join(format!("{game}.kif"));
        match measure(&sheet, engine, time) {
            Ok(speed) => {
                let ratio = speed.states_per_second / peer;
                eprintln!(
                    "{game}: {:.0} / {peer:.0} = {ratio:.1}",
                    speed.states_per_second
                );
                lines.push(PeerComparison {
                    game: game.to_owned(),
                    peer,
                    speed,
                    ratio,
                });
            }
            Err(problem) => eprintln!("{game}: {problem}"),
        }
    }
    match serde_json::to_string_pretty(&lines) {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
    let ratios = || lines.iter().map(|line| line.ratio);
    let least = lines.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio));
    if let (Some(mean), Some(least)) = (geometric_mean(ratios()), least) {
        eprintln!(
            "{} games: geometric mean {mean:.1}, least {:.1} ({}), median {:.1}",
            lines.len(),
            least.ratio,
            least.game,
            plain_median(ratios())
        );
    }
    ExitCode::SUCCESS
}

fn measure(sheet: &Path, engine: Engine, time: Duration) -> Result<Speed, String> {
    let text = SheetSource::File(sheet.to_owned());
    let text = text.text().map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text).map_err(|problems| format!("{} errors", problems.len()))?;
    let effort = SpeedOptions {
        time,
        ..SpeedOptions::default()
    };
    speed(&Arc::new(rules), engine, &effort).map_err(|error| error.to_string())
}
