//! Grounds every game description of a folder of collections. Prints a JSON line for each, then the
//! totals.
//!
//! `ground_all [FOLDER] [--only NAME] [--peer CSV] [--times]`: the folder defaults to
//! `shared/games` next to the workspace. The peer file has the columns collection, game, ground
//! rules and CPU seconds of another grounder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ludorum_ground::{GroundBudget, ground};
use ludorum_logic::Rules;
use serde_json::json;

/// CPU seconds of this thread where the system reports them, elapsed time otherwise.
fn cpu_seconds(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn sheets(folder: &Path) -> Vec<(String, String, PathBuf)> {
    let mut sheets = Vec::new();
    let name = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    for collection in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        for sheet in std::fs::read_dir(collection.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = sheet.path();
            if path.extension().is_some_and(|e| e == "kif") {
                sheets.push((name(&collection.path()), name(&path), path));
            }
        }
    }
    sheets.sort();
    sheets
}

fn peers(path: &Path) -> HashMap<(String, String), (f64, f64)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let mut parts = line.split(',');
            let key = (parts.next()?.to_owned(), parts.next()?.to_owned());
            let rules = parts.next()?.parse().ok()?;
            Some((key, (rules, parts.next()?.parse().ok()?)))
        })
        .collect()
}

fn main() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let mut folder = shared.join("games");
    let mut peer = shared.join("peers/gringo.csv");
    let mut only = None;
    let mut times = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--only" => only = arguments.next(),
            "--peer" => peer = arguments.next().unwrap_or_default().into(),
            "--times" => times = true,
            _ => folder = argument.into(),
        }
    }
    let peers = peers(&peer);
    let (mut total, mut grounded, mut within_second) = (0, 0, 0);
    let (mut rules_ours, mut rules_peer, mut cpu_ours, mut cpu_peer) = (0.0, 0.0, 0.0, 0.0);
    let start = Instant::now();
    for (collection, game, path) in sheets(&folder) {
        if only.as_ref().is_some_and(|only| !game.contains(only)) {
            continue;
        }
        total += 1;
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let before = cpu_seconds(start);
        let rules = match Rules::from_text(&text) {
            Ok(rules) => rules,
            Err(problems) => {
                println!(
                    "{}",
                    json!({"collection": collection, "game": game, "error": format!("{problems:?}")})
                );
                continue;
            }
        };
        let normalised = cpu_seconds(start) - before;
        let result = ground(&rules, &GroundBudget::default(), &mut |_| {});
        let cpu = cpu_seconds(start) - before;
        match result {
            Ok(program) => {
                grounded += 1;
                within_second += usize::from(cpu < 1.0);
                let stats = &program.stats;
                let mut line = json!({
                    "collection": collection, "game": game, "cpu_s": cpu, "normalise_s": normalised, "atoms": stats.atoms,
                    "rules": stats.rules, "literals": stats.literals, "instances": stats.instances, "helpers": stats.helpers,
                    "cyclic": stats.cyclic_components, "fluents": program.fluents.len(),
                    "moves": program.moves.iter().map(Vec::len).sum::<usize>(), "table_bytes": stats.table_bytes,
                });
                if let Some((rules, cpu_other)) = peers.get(&(collection.clone(), game.clone())) {
                    line["peer_rules"] = json!(rules);
                    line["peer_cpu_s"] = json!(cpu_other);
                    rules_ours += f64::from(u32::try_from(stats.rules).unwrap_or(u32::MAX));
                    rules_peer += rules;
                    cpu_ours += cpu;
                    cpu_peer += cpu_other;
                }
                if times {
                    line["times"] = json!(stats.times);
                }
                println!("{line}");
            }
            Err(error) => println!(
                "{}",
                json!({"collection": collection, "game": game, "cpu_s": cpu, "error": error.to_string()})
            ),
        }
    }
    println!(
        "{}",
        json!({"sheets": total, "grounded": grounded, "within_1_s": within_second,
            "both": {"rules": rules_ours, "peer_rules": rules_peer, "cpu_s": cpu_ours, "peer_cpu_s": cpu_peer}})
    );
}
