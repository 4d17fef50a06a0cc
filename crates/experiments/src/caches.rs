//! The gain of an answer cache, as in Sironi and Winands 2016, table 3: for the thirteen games of
//! that table, the prover and the network after the passes 1, 0, 2, 3, both with and without a
//! cache.
//!
//! `caches [--games FOLDER] [--seconds S] [--moves N] [--json] [GAME...]`: S seconds of playouts at
//! each of the first N states of a random match. Prints a table in Markdown, or JSON.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crate::matches::{MatchSpeed, over_a_match};
use crate::papers::NETWORKS;
use ludorum_engines::Engine;
use ludorum_engines::engine::EngineSettings;
use ludorum_lab::speed::{machine, table::grouped};
use ludorum_logic::Rules;
use serde_json::json;

const ENGINES: [Engine; 4] = [
    Engine::PROVER,
    Engine::PROVER.with_cache(Engine::DEFAULT_CACHE_MIB),
    Engine::PROPNET,
    Engine::PROPNET.with_cache(Engine::DEFAULT_CACHE_MIB),
];

struct Options {
    games: PathBuf,
    seconds: f64,
    moves: u32,
    json: bool,
    only: Vec<String>,
}

fn options(words: &[String]) -> Option<Options> {
    let mut options = Options {
        games: PathBuf::from("../shared/games"),
        seconds: 0.2,
        moves: 200,
        json: false,
        only: Vec::new(),
    };
    let mut words = words.iter().cloned();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--games" => options.games = words.next()?.into(),
            "--seconds" => options.seconds = words.next()?.parse().ok()?,
            "--moves" => options.moves = words.next()?.parse().ok()?,
            "--json" => options.json = true,
            _ if word.starts_with('-') => return None,
            _ => options.only.push(word),
        }
    }
    Some(options)
}

pub(crate) fn run(words: &[String]) -> ExitCode {
    let Some(options) = options(words) else {
        eprintln!("usage: caches [--games FOLDER] [--seconds S] [--moves N] [--json] [GAME...]");
        return ExitCode::from(2);
    };
    let Ok(time) = Duration::try_from_secs_f64(options.seconds) else {
        eprintln!("--seconds takes a number from 0");
        return ExitCode::from(2);
    };
    let settings = EngineSettings::default();
    let mut rows: Vec<(String, Vec<Result<MatchSpeed, String>>)> = Vec::new();
    for case in NETWORKS.cases(&options.games) {
        if !options.only.is_empty() && !options.only.contains(&case.name) {
            continue;
        }
        let Ok(Ok(rules)) = case.sheet.text().map(|text| Rules::from_text(&text)) else {
            eprintln!("{}: cannot read the sheet", case.name);
            continue;
        };
        let rules = Arc::new(rules);
        let measure = |engine: Engine| {
            eprintln!("{}, {engine}", case.name);
            over_a_match(&rules, engine, &settings, time, options.moves)
                .map_err(|error| error.to_string())
        };
        rows.push((case.name.clone(), ENGINES.map(measure).into()));
    }
    if rows.is_empty() {
        eprintln!("there are no such games in `{}`", options.games.display());
        return ExitCode::from(2);
    }
    if options.json {
        print_json(&rows);
    } else {
        print_markdown(&rows, &options);
    }
    ExitCode::SUCCESS
}

fn print_json(rows: &[(String, Vec<Result<MatchSpeed, String>>)]) {
    let mut lines = Vec::new();
    for (game, results) in rows {
        for (engine, result) in ENGINES.iter().zip(results) {
            let figures = match result {
                Ok(speed) => json!(speed),
                Err(error) => json!({ "error": error }),
            };
            lines.push(
                json!({ "game": game, "engine": engine.name(), "figures": figures,
                "machine": machine::description(), "date": machine::today() }),
            );
        }
    }
    println!(
        "{}",
        serde_json::to_string_pretty(&lines).unwrap_or_default()
    );
}

fn print_markdown(rows: &[(String, Vec<Result<MatchSpeed, String>>)], options: &Options) {
    println!("| game | prover | cached prover | hits | network | cached network | hits |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let rate = |result: &Result<MatchSpeed, String>| match result {
        Ok(speed) => grouped(
            speed.states_per_second,
            usize::from(speed.states_per_second < 100.0),
        ),
        Err(_) => "-".to_owned(),
    };
    let hits = |result: &Result<MatchSpeed, String>| {
        let cache = result.as_ref().ok().and_then(|speed| speed.cache);
        cache.map_or("-".to_owned(), |cache| {
            format!("{:.0} %", 100.0 * cache.total().share())
        })
    };
    let mut gains = [Vec::new(), Vec::new()];
    for (game, results) in rows {
        println!(
            "| {game} | {} | {} | {} | {} | {} | {} |",
            rate(&results[0]),
            rate(&results[1]),
            hits(&results[1]),
            rate(&results[2]),
            rate(&results[3]),
            hits(&results[3])
        );
        for (gain, pair) in gains.iter_mut().zip(results.chunks(2)) {
            if let [Ok(plain), Ok(cached)] = pair {
                gain.push(100.0 * (cached.states_per_second / plain.states_per_second - 1.0));
            }
        }
    }
    let mean = |gains: &[f64]| {
        let count = u32::try_from(gains.len()).unwrap_or(1).max(1);
        gains.iter().sum::<f64>() / f64::from(count)
    };
    println!(
        "| average gain by the cache | | {:.0} % | | | {:.0} % | |",
        mean(&gains[0]),
        mean(&gains[1])
    );
    println!(
        "\nState changes a CPU second, {} s of playouts at each of the first {} states of a random \
         match. The network has the passes of Sironi and Winands 2016 \
         only, 1, 0, 2, 3; the one that plays has more. {}, {}.",
        options.seconds,
        options.moves,
        machine::description(),
        machine::today()
    );
}
