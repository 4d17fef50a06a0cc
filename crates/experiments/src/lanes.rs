//! Size, speed and time profile of the lanes that games are compiled to.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_lab::collection::SheetSource;
use ludorum_lab::lanes::{LaneProfile, measure};
use ludorum_logic::Rules;
use ludorum_propnet::{CompileLimits, CompiledGame};
use serde::Serialize;

#[derive(Serialize)]
struct ProfiledSheet {
    game: String,
    network_ms: f64,
    #[serde(flatten)]
    measured: LaneProfile,
}

pub(crate) fn run(words: &[String]) -> ExitCode {
    let sheets: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
    if sheets.is_empty() {
        eprintln!("usage: lanes SHEET…");
        return ExitCode::from(2);
    }
    let mut lines = Vec::new();
    for sheet in sheets {
        match line(sheet.clone()) {
            Ok(line) => {
                let measured = &line.measured;
                eprintln!(
                    "{:24} {:9.2} M states/s  {:6} ops  {:6.0}+{:<6.0} ms  {:8.0} ns a step: gates \
                     {:.0} draw {:.0} random {:.0} results {:.0}",
                    line.game,
                    measured.states_per_second / 1e6,
                    measured.figures.operations,
                    line.network_ms,
                    measured.compile_ms,
                    measured.step_ns,
                    measured.gates_percent,
                    measured.draw_percent,
                    measured.random_percent,
                    measured.results_percent
                );
                lines.push(line);
            }
            Err(problem) => eprintln!("{}: {problem}", sheet.display()),
        }
    }
    match serde_json::to_string_pretty(&lines) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn line(path: PathBuf) -> Result<ProfiledSheet, String> {
    let stem = path.file_stem().unwrap_or_default();
    let game = stem.to_string_lossy().into_owned();
    let sheet = SheetSource::File(path);
    let text = sheet.text().map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text).map_err(|problems| format!("{} errors", problems.len()))?;
    let begin = Instant::now();
    let network = CompiledGame::new(Arc::new(rules))
        .network(&CompileLimits::default())
        .map_err(|error| error.to_string())?;
    let network_ms = begin.elapsed().as_secs_f64() * 1e3;
    let measured =
        measure(network, Duration::from_millis(400)).map_err(|error| error.to_string())?;
    Ok(ProfiledSheet {
        game,
        network_ms,
        measured,
    })
}
