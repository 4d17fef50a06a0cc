//! Size and build time of ground programs and networks, compared with other systems.
//!
//! `cargo run --release -p ludorum-experiments -- networks GAMES BUILDS GROUNDING` reads the sheets
//! `GAMES/COLLECTION/GAME.kif`. `BUILDS` is a table of another network builder with the columns
//! `game`, `build_cpu_ms` and `status`. `GROUNDING` is a table of another grounder with
//! `collection`, `game`, `ground_rules` and `cpu_s`. The output is a JSON object with three tables,
//! each with totals or medians: `builds`, `grounding`, and `counts`, the number of components
//! beside those of Sironi and Winands 2016.

#![allow(clippy::cast_precision_loss)] // counts far below what a float holds exactly

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use cpu_time::ThreadTime;
use ludorum_ground::{GroundBudget, GroundProgram, ground};
use ludorum_lab::collection::SheetSource;
use ludorum_logic::Rules;
use ludorum_propnet::CompileLimits;
use ludorum_propnet::pass::{FULL, SIRONI_WINANDS, optimise};
use ludorum_propnet::{Circuit, build_network};
use serde_json::{Value, json};

/// Published numbers of components after the passes 1, 0, 2 and 3 (Sironi and Winands 2016), with
/// the names of the sheets.
const PUBLISHED: [(&str, usize); 13] = [
    ("amazons", 596_240),
    ("battle", 10_902),
    ("breakthrough", 5_836),
    ("chineseCheckers1", 556),
    ("chineseCheckers2", 1_172),
    ("chineseCheckers3", 1_718),
    ("chineseCheckers4", 2_362),
    ("chineseCheckers6", 3_238),
    ("connectFour", 1_056),
    ("othello-comp2007", 206_846),
    ("pentago", 1_337),
    ("skirmish", 61_552),
    ("ticTacToe", 239),
];

/// The collection of the games in `BUILDS` and in [`PUBLISHED`].
const COLLECTION: &str = "base";

pub(crate) fn run(words: &[String]) -> ExitCode {
    let [games, builds, grounding] = words else {
        eprintln!("usage: networks GAMES BUILDS GROUNDING");
        return ExitCode::from(2);
    };
    let games = Path::new(games);
    let tables = (|| {
        Ok::<Value, String>(json!({
            "counts": counts(games)?,
            "builds": compare_builds(games, &rows(builds)?),
            "grounding": compare_grounding(games, &rows(grounding)?),
        }))
    })();
    match tables {
        Ok(tables) => {
            println!("{tables:#}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Reads the rows of a table, each as a map from column to cell.
fn rows(path: &str) -> Result<Vec<HashMap<String, String>>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let row = |line: &str| {
        let cells = line.split(',').map(str::to_owned);
        names
            .iter()
            .map(|name| (*name).to_owned())
            .zip(cells)
            .collect()
    };
    Ok(lines.map(row).collect())
}

fn text(games: &Path, collection: &str, game: &str) -> Result<String, String> {
    let sheet = SheetSource::File(games.join(collection).join(format!("{game}.kif")));
    let text = sheet.text().map_err(|error| error.to_string())?;
    Ok(text.into_owned())
}

fn grounded(text: &str) -> Result<GroundProgram, String> {
    let rules = Rules::from_text(text).map_err(|problems| format!("{} errors", problems.len()))?;
    ground(&rules, &GroundBudget::default(), &mut |_| {}).map_err(|verdict| verdict.to_string())
}

fn counts(games: &Path) -> Result<Value, String> {
    let mut table = Vec::new();
    let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
    for (game, published) in PUBLISHED {
        let basic = build_network(&grounded(&text(games, COLLECTION, game)?)?);
        let paper = optimise(
            basic,
            &SIRONI_WINANDS,
            CompileLimits::default().pass_budget(),
        );
        let small = optimise(
            paper.clone(),
            &FULL[SIRONI_WINANDS.len()..],
            CompileLimits::default().pass_budget(),
        );
        let signals = Circuit::new(&small).signal_count();
        let ours = [paper.len(), small.len(), signals];
        for (ratios, count) in ratios.iter_mut().zip(ours) {
            ratios.push(count as f64 / published as f64);
        }
        eprintln!("{game}: {published} published, {ours:?}");
        table.push(json!({
            "game": game,
            "published": published,
            "after_1023": ours[0],
            "after_all": ours[1],
            "signals": ours[2],
        }));
    }
    let [paper, small, signals] = ratios.map(median);
    Ok(json!({
        "games": table,
        "median_after_1023": paper,
        "median_after_all": small,
        "median_signals": signals,
    }))
}

fn compare_builds(games: &Path, rows: &[HashMap<String, String>]) -> Value {
    let mut table = Vec::new();
    let mut ratios = Vec::new();
    for row in rows {
        let (Some(game), Some(status)) = (row.get("game"), row.get("status")) else {
            continue;
        };
        let Some(Ok(peer)) = row.get("build_cpu_ms").map(|cell| cell.parse::<f64>()) else {
            continue;
        };
        let start = ThreadTime::now();
        let made = text(games, COLLECTION, game)
            .and_then(|text| grounded(&text))
            .map(|program| {
                optimise(
                    build_network(&program),
                    FULL,
                    CompileLimits::default().pass_budget(),
                )
                .len()
            });
        let own = start.elapsed().as_secs_f64() * 1e3;
        match made {
            Ok(components) => {
                let ratio = peer / own.max(1e-3);
                eprintln!("{game}: {own:.1} ms, {peer} ms ({status}), {ratio:.0} times as fast");
                // An aborted build is left out of the ratios, even if it took long.
                if status == "ok" {
                    ratios.push(ratio);
                }
                table.push(json!({
                    "game": game,
                    "peer_ms": peer,
                    "peer_status": status,
                    "cpu_ms": own,
                    "components": components,
                    "ratio": ratio,
                }));
            }
            Err(problem) => table.push(json!({"game": game, "problem": problem})),
        }
    }
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    json!({"games": table, "median_ratio": median(ratios), "least_ratio": least})
}

fn compare_grounding(games: &Path, rows: &[HashMap<String, String>]) -> Value {
    let (mut sheets, mut rules, mut cpu) = (0, [0.0, 0.0], [0.0, 0.0]);
    let mut problems = Vec::new();
    for row in rows {
        let number = |name: &str| row.get(name).and_then(|cell| cell.parse::<f64>().ok());
        let (Some(collection), Some(game)) = (row.get("collection"), row.get("game")) else {
            continue;
        };
        let (Some(peer_rules), Some(peer_cpu)) = (number("ground_rules"), number("cpu_s")) else {
            continue;
        };
        let start = ThreadTime::now();
        match text(games, collection, game).and_then(|text| grounded(&text)) {
            Ok(program) => {
                sheets += 1;
                rules[0] += program.rule_count() as f64;
                rules[1] += peer_rules;
                cpu[0] += start.elapsed().as_secs_f64();
                cpu[1] += peer_cpu;
            }
            Err(problem) => problems.push(json!({"game": game, "problem": problem})),
        }
    }
    json!({
        "sheets": sheets,
        "rules": rules[0], "peer_rules": rules[1], "rules_ratio": rules[0] / rules[1],
        "cpu_s": cpu[0], "peer_cpu_s": cpu[1],
        "problems": problems,
    })
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => numbers[middle],
        _ => f64::midpoint(numbers[middle - 1], numbers[middle]),
    }
}
