//! Plays random matches of every sheet below a folder with the engine `auto`, each game in its own
//! process. Prints a JSON array with the chosen engine and the reason, the time to the first legal
//! move, the matches and the peak memory. `cargo xtask survey` runs this.
//!
//! `survey [FOLDER]`: the default folder is ../shared/games. Exit code 1 if a game failed, took
//! more than 100 ms to its first legal move or used more than 4 GiB.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::{MatchLimits, survey};
use ludorum_lab::collection::SheetSource;
use serde_json::{Value, json};

/// Time limit of a process; it is killed after this time.
const MAX_PROCESS_TIME: Duration = Duration::from_mins(5);
const MAX_FIRST_MOVE_MS: f64 = 100.0;
const MAX_MEMORY: u64 = 4 << 30;

pub(crate) fn run(words: &[String]) -> ExitCode {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["--one", path] => one(Path::new(path)),
        [] => all(Path::new("../shared/games")),
        [folder] => all(Path::new(folder)),
        _ => {
            eprintln!("usage: survey [FOLDER]");
            ExitCode::from(2)
        }
    }
}

/// Plays one game and prints the result as JSON.
fn one(path: &Path) -> ExitCode {
    let text = SheetSource::File(path.to_owned());
    let result = match text.text() {
        Err(error) => Err(error.to_string()),
        Ok(text) => survey(&text, MatchLimits::default()),
    };
    match result {
        Ok(result) => println!("{}", json!(result)),
        Err(error) => println!("{}", json!({ "error": error })),
    }
    ExitCode::SUCCESS
}

fn all(folder: &Path) -> ExitCode {
    let mut sheets = sheets(folder);
    sheets.sort();
    if sheets.is_empty() {
        eprintln!("there are no sheets in `{}`", folder.display());
        return ExitCode::from(2);
    }
    let mut rows = Vec::with_capacity(sheets.len());
    let mut faults = Vec::new();
    for (i, sheet) in sheets.iter().enumerate() {
        let name = sheet
            .strip_prefix(folder)
            .unwrap_or(sheet)
            .display()
            .to_string();
        let mut result = in_a_process(sheet);
        eprintln!("{}/{} {name}: {}", i + 1, sheets.len(), short(&result));
        faults.extend(fault(&result).map(|fault| format!("{name}: {fault}")));
        result["game"] = Value::String(name);
        rows.push(result);
    }
    println!(
        "{}",
        serde_json::to_string_pretty(&rows).unwrap_or_default()
    );
    let with = |engine: &str| rows.iter().filter(|row| row["engine"] == engine).count();
    let largest = |key: &str| {
        rows.iter()
            .filter_map(|row| row[key].as_f64())
            .fold(0.0, f64::max)
    };
    eprintln!(
        "\n{} games: {} by propnet, {} by prover; at most {:.1} ms to the first move ({:.1} ms of \
         CPU time) and {:.0} MiB",
        rows.len(),
        with("propnet"),
        with("prover"),
        largest("first_move_ms"),
        largest("first_move_cpu_ms"),
        largest("peak_memory_bytes") / f64::from(1 << 20)
    );
    for fault in &faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn sheets(folder: &Path) -> Vec<PathBuf> {
    let collections = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = collections.flat_map(|c| std::fs::read_dir(c.path()).into_iter().flatten());
    let paths = files.flatten().map(|file| file.path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "kif"))
        .collect()
}

/// Plays a game in another process, which isolates its memory and its crashes.
fn in_a_process(sheet: &Path) -> Value {
    let Ok(program) = std::env::current_exe() else {
        return json!({ "error": "the program does not know its own name" });
    };
    let child = Command::new(program)
        .args(["survey", "--one"])
        .arg(sheet)
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return json!({ "error": error.to_string() }),
    };
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if begin.elapsed() < MAX_PROCESS_TIME => {
                std::thread::sleep(Duration::from_millis(5));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return json!({ "error": "took too long" });
            }
        }
    }
    let mut text = String::new();
    let read = child
        .stdout
        .take()
        .map(|mut out| out.read_to_string(&mut text));
    match (read, serde_json::from_str(&text)) {
        (Some(Ok(_)), Ok(value)) => value,
        _ => json!({ "error": "the process ended without an answer" }),
    }
}

fn short(result: &Value) -> String {
    if let Some(error) = result["error"].as_str() {
        return error.to_owned();
    }
    format!(
        "{} after {:.1} ms, {} and {} steps, {} MiB{}",
        result["engine"].as_str().unwrap_or("?"),
        result["first_move_ms"].as_f64().unwrap_or(0.0),
        result["first"]["steps"],
        result["second"]["steps"],
        result["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20,
        result["reason"]
            .as_str()
            .map_or(String::new(), |reason| format!(" ({reason})"))
    )
}

fn fault(result: &Value) -> Option<String> {
    if let Some(error) = result["error"].as_str() {
        return Some(error.to_owned());
    }
    let time = result["first_move_ms"].as_f64()?;
    if time > MAX_FIRST_MOVE_MS {
        return Some(format!("{time:.1} ms to the first legal move"));
    }
    let memory = result["peak_memory_bytes"].as_u64()?;
    (memory > MAX_MEMORY).then(|| format!("{} MiB of memory", memory >> 20))
}
