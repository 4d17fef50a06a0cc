//! The time and memory from a rule sheet to its first playouts on lanes, stage by stage.
//!
//! `cargo run --release -p ludorum-experiments -- ready FOLDER-OR-SHEET…` prints a JSON line for
//! each sheet, and the totals on standard error. Times are CPU time of the process, which does not
//! depend on other work on the machine. Every sheet is compiled in a process of its own, so that
//! peak memory is its own, and is stopped after [`TIMEOUT`].

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use ludorum_lab::collection::SheetSource;
use ludorum_lab::memory;
use ludorum_lanes::{Backend, Lanes};
use ludorum_logic::Rules;
use ludorum_propnet::{CompileLimits, CompiledGame};
use ludorum_reasoner::{Reasoner, Rng};
use serde::{Deserialize, Serialize};

/// The time after which a sheet is given up.
const TIMEOUT: Duration = Duration::from_mins(2);
/// The number of playouts of the first batch, one for each lane.
const PLAYOUTS: u32 = 512;
/// The longest playout.
const MAX_STEPS: u32 = 500;
/// The word that marks a process for one sheet.
const ONE: &str = "--one";

/// The stages of one sheet, in milliseconds of CPU time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ReadySheet {
    game: String,
    rules_ms: f64,
    ground_ms: f64,
    network_ms: f64,
    lanes_ms: f64,
    playouts_ms: f64,
    total_ms: f64,
    ground_rules: usize,
    components: usize,
    /// Playouts cut at the limit of steps count too.
    states: u64,
    peak_mib: u64,
    problem: Option<String>,
}

pub(crate) fn run(words: &[String]) -> ExitCode {
    if let [one, sheet] = words
        && one == ONE
    {
        let line = serde_json::to_string(&measure(Path::new(sheet)));
        println!("{}", line.unwrap_or_default());
        return ExitCode::SUCCESS;
    }
    let mut sheets: Vec<PathBuf> = words.iter().flat_map(|word| sheets_in(word)).collect();
    sheets.sort();
    if sheets.is_empty() {
        eprintln!("usage: ready FOLDER-OR-SHEET…");
        return ExitCode::from(2);
    }
    let mut all = Vec::new();
    for sheet in sheets {
        let result = in_process(&sheet).unwrap_or_else(|problem| ReadySheet {
            game: name(&sheet),
            problem: Some(problem),
            ..ReadySheet::default()
        });
        println!("{}", serde_json::to_string(&result).unwrap_or_default());
        all.push(result);
    }
    summarise(&all);
    ExitCode::SUCCESS
}

fn summarise(all: &[ReadySheet]) {
    let mut times: Vec<(f64, &str)> = Vec::new();
    for sheet in all {
        match &sheet.problem {
            Some(problem) => eprintln!("{}: {problem}", sheet.game),
            None => times.push((sheet.total_ms, &sheet.game)),
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: usize| times.get(times.len() * share / 100).map_or(0.0, |t| t.0);
    eprintln!(
        "{} of {} sheets; median {:.0} ms, nine in ten {:.0} ms",
        times.len(),
        all.len(),
        at(50),
        at(90)
    );
    for (time, game) in times.iter().rev().take(10) {
        eprintln!("  {time:8.0} ms  {game}");
    }
}

/// The sheets of a folder and its folders, or the sheet itself.
fn sheets_in(word: &str) -> Vec<PathBuf> {
    let path = PathBuf::from(word);
    let Ok(entries) = std::fs::read_dir(&path) else {
        return vec![path];
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .flat_map(|path| match path.extension() {
            Some(kind) if kind == "kif" => vec![path],
            None => sheets_in(&path.to_string_lossy()),
            Some(_) => Vec::new(),
        })
        .collect()
}

/// The name with the folder, since collections share names.
fn name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    format!("{}/{stem}", folder.to_string_lossy())
}

fn in_process(sheet: &Path) -> Result<ReadySheet, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(["ready", ONE])
        .arg(sheet)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    while child
        .try_wait()
        .map_err(|error| error.to_string())?
        .is_none()
    {
        if start.elapsed() > TIMEOUT {
            child.kill().map_err(|error| error.to_string())?;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|_| format!("no result: {}", output.status))
}

/// Compiles a sheet and plays a batch of playouts.
fn measure(path: &Path) -> ReadySheet {
    let mut sheet = ReadySheet {
        game: name(path),
        ..ReadySheet::default()
    };
    if let Err(problem) = stages(path, &mut sheet) {
        sheet.problem = Some(problem);
    }
    sheet.peak_mib = memory::peak().unwrap_or_default() >> 20;
    sheet
}

fn stages(path: &Path, sheet: &mut ReadySheet) -> Result<(), String> {
    let start = ProcessTime::now();
    let mut last = start;
    let mut lap = || {
        let now = ProcessTime::now();
        let lap = now.duration_since(last).as_secs_f64() * 1e3;
        last = now;
        lap
    };
    let source = SheetSource::File(path.to_path_buf());
    let text = source.text().map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text).map_err(|problems| format!("{} errors", problems.len()))?;
    sheet.rules_ms = lap();
    let game = CompiledGame::new(Arc::new(rules));
    let limits = CompileLimits::default();
    let program = game.program(&limits).map_err(|error| error.to_string())?;
    sheet.ground_rules = program.rule_count();
    drop(program);
    sheet.ground_ms = lap();
    let network = game.network(&limits).map_err(|error| error.to_string())?;
    sheet.components = network.len();
    sheet.network_ms = lap();
    let circuit = game.circuit(&limits).map_err(|error| error.to_string())?;
    let mut lanes = Lanes::with_circuit(network, circuit, Backend::Best);
    sheet.lanes_ms = lap();
    let initial = lanes.initial().map_err(|error| error.to_string())?;
    let totals = lanes
        .playouts(
            std::slice::from_ref(&initial),
            PLAYOUTS,
            &mut Rng::new(1),
            MAX_STEPS,
        )
        .map_err(|error| error.to_string())?;
    sheet.states = totals.iter().map(|total| total.steps).sum();
    sheet.playouts_ms = lap();
    sheet.total_ms = start.elapsed().as_secs_f64() * 1e3;
    Ok(())
}
