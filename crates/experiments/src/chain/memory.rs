//! Memory use of the forward chaining engine for every sheet of a folder. Each sheet is measured in
//! its own process, so that earlier games do not affect the result.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use ludorum_chain::{Chain, ChainReport, ChainSettings};
use ludorum_lab::memory;
use ludorum_lab::speed::machine;
use ludorum_logic::Rules;
use ludorum_reasoner::{Reasoner, Rng};
use serde::{Deserialize, Serialize};

/// The option that makes a process measure one sheet.
pub(super) const ONE_SHEET: &str = "--memory-of";

/// Playing time after the engine is built. Rules without tables and moves without a number allocate
/// memory during play.
const PLAYING_TIME: Duration = Duration::from_secs(1);

/// Time limit for building the engine; generous, because the machine may be busy.
const MAX_BUILD_TIME: Duration = Duration::from_mins(20);

/// Number of games in the table: those that use the most memory.
const MAX_ROWS: usize = 12;

/// Memory use of one game.
#[derive(Serialize, Deserialize)]
struct MemoryUse {
    table_bytes: u64,
    knowledge_bytes: u64,
    rigid_bytes: u64,
    /// Number of relations that are evaluated top-down instead of being stored.
    deferred: usize,
    rules: usize,
    /// Number of rules without tables.
    bare: usize,
    seconds: f64,
    peak_bytes: u64,
}

/// Result for one game.
#[derive(Serialize, Deserialize)]
enum MeasureResult {
    Made(MemoryUse),
    Declined(String),
}

/// Builds the engine for one sheet, plays, and prints the memory use as JSON.
pub(super) fn one(path: &Path) -> ExitCode {
    let verdict = measure(path).map_or_else(MeasureResult::Declined, MeasureResult::Made);
    println!("{}", serde_json::to_string(&verdict).unwrap_or_default());
    ExitCode::SUCCESS
}

fn measure(path: &Path) -> Result<MemoryUse, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text).map_err(|problems| format!("{} errors", problems.len()))?;
    let begin = Instant::now();
    let made = Chain::new(
        &rules,
        &ChainSettings::default(),
        Some(begin + MAX_BUILD_TIME),
    );
    let mut chain = made.map_err(|stop| stop.to_string())?;
    let seconds = begin.elapsed().as_secs_f64();
    let start = chain.initial().map_err(|error| error.to_string())?;
    let end = Instant::now() + PLAYING_TIME;
    chain.set_deadline(Some(end));
    let mut rng = Rng::new(1);
    while Instant::now() < end && chain.playout(&start, &mut rng, 1_000).is_ok() {}
    let ChainReport {
        table_bytes,
        knowledge_bytes,
        rigid_bytes,
        top_down_relations: deferred,
        rules,
        rules_without_tables: bare,
        ..
    } = *chain.report();
    Ok(MemoryUse {
        table_bytes: table_bytes as u64,
        knowledge_bytes: knowledge_bytes as u64,
        rigid_bytes: rigid_bytes as u64,
        deferred,
        rules,
        bare,
        seconds,
        peak_bytes: memory::peak().unwrap_or(0),
    })
}

/// All sheets below a folder, sorted.
fn sheets(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|end| end == "kif") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn in_a_process(path: &Path) -> Option<MeasureResult> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program)
        .args(["chain", ONE_SHEET])
        .arg(path)
        .output()
        .ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// Measures all sheets of a folder, or those in `only`, and prints a table.
pub(super) fn all(folder: &Path, only: &[String]) -> ExitCode {
    let mut made: Vec<(String, MemoryUse)> = Vec::new();
    let mut declined: Vec<(String, String)> = Vec::new();
    let mut failed: Vec<String> = Vec::new();
    for path in sheets(folder) {
        let name = path
            .strip_prefix(folder)
            .unwrap_or(&path)
            .with_extension("");
        let name = name.display().to_string();
        let short = name.rsplit('/').next().unwrap_or(&name);
        if !only.is_empty() && !only.iter().any(|only| *only == name || only == short) {
            continue;
        }
        eprintln!("{name}");
        match in_a_process(&path) {
            Some(MeasureResult::Made(taken)) => made.push((name, taken)),
            Some(MeasureResult::Declined(reason)) => declined.push((name, reason)),
            None => failed.push(name),
        }
    }
    table(&mut made);
    for (name, reason) in &declined {
        println!("{name}: {reason}");
    }
    for name in &failed {
        println!("{name}: the process ended without an answer");
    }
    println!("\n{}, {}.", machine::description(), machine::today());
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn table(made: &mut [(String, MemoryUse)]) {
    let budget = ChainSettings::default().max_bytes as u64;
    made.sort_by_key(|(_, taken)| std::cmp::Reverse(taken.peak_bytes));
    println!(
        "| game | tables MB | base MB | rigid MB | peak MB | rules | without tables | not written \
         out | s |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, taken) in made.iter().take(MAX_ROWS) {
        println!(
            "| {name} | {:.1} | {:.1} | {:.1} | {:.0} | {} | {} | {} | {:.1} |",
            megabytes(taken.table_bytes),
            megabytes(taken.knowledge_bytes),
            megabytes(taken.rigid_bytes),
            megabytes(taken.peak_bytes),
            taken.rules,
            taken.bare,
            taken.deferred,
            taken.seconds,
        );
    }
    let most =
        |of: fn(&MemoryUse) -> u64| made.iter().map(|(_, taken)| of(taken)).max().unwrap_or(0);
    let over =
        |of: fn(&MemoryUse) -> u64| made.iter().filter(|(_, taken)| of(taken) > budget).count();
    let count = |is: fn(&MemoryUse) -> bool| made.iter().filter(|(_, taken)| is(taken)).count();
    println!(
        "\n{} games; {} with rules without tables, {} with relations that are not written out. \
         Tables and knowledge base: at most {:.0} MB, {} games over the budget of {:.0} MB. \
         Peak of the process, making and a moment of play: at most {:.0} MB, {} over the budget.\n",
        made.len(),
        count(|taken| taken.bare > 0),
        count(|taken| taken.deferred > 0),
        megabytes(most(kept)),
        over(kept),
        megabytes(budget),
        megabytes(most(|taken| taken.peak_bytes)),
        over(|taken| taken.peak_bytes),
    );
}

fn kept(taken: &MemoryUse) -> u64 {
    taken.table_bytes + taken.knowledge_bytes
}

#[allow(clippy::cast_precision_loss)]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
