//! Writes `docs/measurements/benchmarks.md`: the speed of all engines on the games of the papers,
//! beside the published speeds of other systems if their tables are available. `cargo xtask
//! benchmarks` runs this.
//!
//! `benchmarks [--games FOLDER] [--peers FOLDER] [--peers-machine TEXT] [--seconds S] [--out FILE]
//! [GAME...]`, where TEXT describes the machine that the other systems were measured on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crate::papers;
use ludorum_engines::Engine;
use ludorum_lab::collection::{self, GameCase};
use ludorum_lab::speed::baseline::{Baseline, BaselineError, game_key};
use ludorum_lab::speed::statistics::plain_median;
use ludorum_lab::speed::table::{SpeedRow, grouped, markdown};
use ludorum_lab::speed::{SpeedOptions, machine, measure};
use ludorum_logic::Rules;
use ludorum_reasoner::EngineChoice;

/// File stems of the tables of other systems, with their display names.
const PEERS: [(&str, &str); 7] = [
    ("sancho", "Sancho (propnet, Java)"),
    ("ggplib", "ggplib (propnet, C++)"),
    ("sironi", "the propnet paper's (Java)"),
    ("ggpbase_prover", "GGP-Base prover (Java)"),
    ("swipl", "SWI-Prolog"),
    ("rbg", "Regular Boardgames (compiled, other rules language)"),
    ("native", "hand-written Rust for the one game"),
];

/// The systems in [`PEERS`] that do not read GDL.
const NOT_GDL: [&str; 2] = ["rbg", "native"];

struct Options {
    games: PathBuf,
    peers: PathBuf,
    peers_machine: Option<String>,
    seconds: f64,
    out: PathBuf,
    only: Vec<String>,
}

fn options(words: &[String]) -> Option<Options> {
    let mut options = Options {
        games: PathBuf::from("../shared/games"),
        peers: PathBuf::from("../shared/peers"),
        peers_machine: None,
        seconds: 2.0,
        out: PathBuf::from("docs/measurements/benchmarks.md"),
        only: Vec::new(),
    };
    let mut words = words.iter().cloned();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--games" => options.games = words.next()?.into(),
            "--peers" => options.peers = words.next()?.into(),
            "--peers-machine" => options.peers_machine = Some(words.next()?),
            "--seconds" => options.seconds = words.next()?.parse().ok()?,
            "--out" => options.out = words.next()?.into(),
            _ if word.starts_with('-') => return None,
            _ => options.only.push(word),
        }
    }
    Some(options)
}

pub(crate) fn run(words: &[String]) -> ExitCode {
    let Some(options) = options(words) else {
        eprintln!(
            "usage: benchmarks [--games FOLDER] [--peers FOLDER] [--peers-machine TEXT] [--seconds \
             S] [--out FILE] [GAME...]"
        );
        return ExitCode::from(2);
    };
    let Ok(time) = Duration::try_from_secs_f64(options.seconds) else {
        eprintln!("--seconds takes a number from 0");
        return ExitCode::from(2);
    };
    let cases = cases(&options);
    if cases.is_empty() {
        eprintln!("there are no such games");
        return ExitCode::from(2);
    }
    let effort = SpeedOptions {
        time,
        ..SpeedOptions::default()
    };
    let mut lines = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let Ok(Ok(rules)) = case.sheet.text().map(|text| Rules::from_text(&text)) else {
            eprintln!("{}: cannot read the sheet", case.name);
            continue;
        };
        let rules = Arc::new(rules);
        eprintln!("{}/{} {}", i + 1, cases.len(), case.name);
        let results = measure(&rules, &Engine::ALL, &effort, |_| {});
        for (engine, result) in Engine::ALL.into_iter().zip(results) {
            lines.push(SpeedRow::new(&case.name, engine, result, None));
        }
    }
    let page = page(&lines, &peers(&options.peers), &options);
    if let Err(error) = std::fs::write(&options.out, page) {
        eprintln!("cannot write `{}`: {error}", options.out.display());
        return ExitCode::from(2);
    }
    eprintln!("written: {}", options.out.display());
    ExitCode::SUCCESS
}

/// The games of the papers, or the bundled ones if the public sheets are missing.
fn cases(options: &Options) -> Vec<GameCase> {
    let mut cases = papers::all(&options.games);
    if cases.is_empty() {
        cases = collection::shipped();
    }
    let wanted = |case: &GameCase| {
        let named = |name: &String| game_key(name) == game_key(&case.name);
        options.only.is_empty() || options.only.iter().any(named)
    };
    cases.retain(wanted);
    cases
}

fn peers(folder: &Path) -> Vec<(&'static str, Baseline)> {
    let read = |(file, name): (&str, &'static str)| {
        match Baseline::read(&folder.join(format!("{file}.csv"))) {
            Ok(table) => Some((name, table)),
            // Tables of other systems are optional.
            Err(BaselineError::Unreadable { .. }) => None,
            Err(error) => {
                eprintln!("{error}");
                None
            }
        }
    };
    PEERS.into_iter().filter_map(read).collect()
}

fn page(lines: &[SpeedRow], peers: &[(&'static str, Baseline)], options: &Options) -> String {
    let mut page = String::from("# Benchmarks\n\n");
    let theirs = options.peers_machine.as_deref();
    let theirs = theirs.map_or(String::new(), |text| format!(" --peers-machine \"{text}\""));
    let _ = writeln!(
        page,
        "Made by `cargo xtask benchmarks --seconds {}{theirs}` on {}, version {}.\n\nMachine: \
         {}.\n",
        options.seconds,
        machine::today(),
        env!("CARGO_PKG_VERSION"),
        machine::description()
    );
    let _ = writeln!(
        page,
        "## How this was measured\n\n\
         Random playouts from the initial state, every role choosing uniformly among its legal \
         moves, counted in state changes. For each game all engines are made \
         first; then they play in turns, {} rounds of {:.2} s each on one thread, so that a \
         machine that is slow for a while is slow for all. A figure \
         is the median of the rounds in state changes a second of CPU time, with half of the \
         interval that holds the true median with a probability of \
         95 %. An engine that needs longer than 50 ms for a game plays step by step and is counted \
         all the same. `-` means that the engine does not \
         take the game: it has too many ground rules, or not one state change came in time. \
         Engines that remember answers have {} MiB for them.\n\n\
         The games are those that the papers of the field measure on:\n",
        SpeedOptions::default().rounds,
        options.seconds / 10.0,
        ludorum_engines::cache::DEFAULT_BYTES >> 20
    );
    for selection in papers::ALL {
        let _ = writeln!(
            page,
            "- {}: {} games",
            selection.source,
            selection.sheets.len()
        );
    }
    let _ = writeln!(page, "\n## Engines\n\n```text\n{}```\n", Engine::help());
    page += &markdown(lines, None);
    page += "\n## Getting ready\n\nFrom normalised rules to an engine that is ready to play, in \
     milliseconds, and the components of \
             the network.\n\n";
    page += &preparation(lines);
    if !peers.is_empty() {
        let _ = writeln!(
            page,
            "\n## Next to other systems\n\nOurs is the fastest engine of each game; `times` \
             compares it with the fastest of those that read GDL. Games are \
             matched by name. The figures of the others are not measured here but taken from \
             tables, per CPU second of one thread. {}\n",
            machine::comparison_note(options.peers_machine.as_deref())
        );
        page += &comparison(lines, peers);
    }
    page
}

/// The games of the rows in their order, without duplicates.
fn games(lines: &[SpeedRow]) -> Vec<&str> {
    let mut games: Vec<&str> = lines.iter().map(|line| line.game.as_str()).collect();
    games.dedup();
    games
}

fn preparation(lines: &[SpeedRow]) -> String {
    let engines = [Engine::PROVER, Engine::PROPNET, Engine::AUTO];
    let mut text =
        String::from("| game | prover ms | propnet ms | components | auto plays with |\n");
    text += "| --- | ---: | ---: | ---: | --- |\n";
    for game in games(lines) {
        let speed = |engine: Engine| {
            let mut of_game = lines.iter().filter(|line| line.game == game);
            of_game.find(|line| line.engine == engine)?.speed()
        };
        let [prover, propnet, auto] = engines.map(speed);
        let none = || "-".to_owned();
        let _ = writeln!(
            text,
            "| {game} | {} | {} | {} | {} |",
            prover.map_or_else(none, |speed| format!("{:.1}", speed.init_ms)),
            propnet.map_or_else(none, |speed| format!("{:.1}", speed.init_ms)),
            propnet
                .and_then(|s| s.components)
                .map_or_else(none, |n| n.to_string()),
            auto.and_then(|speed| speed.choice.as_ref())
                .map_or_else(none, EngineChoice::engines),
        );
    }
    text
}

fn comparison(lines: &[SpeedRow], peers: &[(&'static str, Baseline)]) -> String {
    let mut text = String::from("| game | ours | engine | times |");
    let mut rule = String::from("| --- | ---: | --- | ---: |");
    for (name, _) in peers {
        let _ = write!(text, " {name} |");
        rule += " ---: |";
    }
    let _ = writeln!(text, "\n{rule}");
    let mut ratios = Vec::new();
    for game in games(lines) {
        // `auto` delegates to one of the other engines in the table.
        let of_game = lines
            .iter()
            .filter(|line| line.game == game && line.engine != Engine::AUTO);
        let best = of_game
            .filter_map(|line| Some((line.speed()?.states_per_second, line.engine)))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((ours, engine)) = best else {
            let _ = writeln!(text, "| {game} | - | - | - |{}", " |".repeat(peers.len()));
            continue;
        };
        let theirs = |table: &Baseline| Some(table.find(game, engine)?.rate);
        let on_gdl = peers
            .iter()
            .filter(|(_, table)| !NOT_GDL.contains(&table.name.as_str()))
            .filter_map(|(_, table)| theirs(table));
        let fastest = on_gdl.max_by(f64::total_cmp);
        let ratio = fastest.map(|fastest| ours / fastest);
        ratios.extend(ratio);
        let digits = usize::from(ours < 100.0);
        let times = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}"));
        let _ = write!(
            text,
            "| {game} | {} | {engine} | {times} |",
            grouped(ours, digits)
        );
        for (_, table) in peers {
            let rate = theirs(table).map_or_else(|| "-".to_owned(), |rate| grouped(rate, 0));
            let _ = write!(text, " {rate} |");
        }
        text.push('\n');
    }
    if !ratios.is_empty() {
        let _ = writeln!(
            text,
            "\nOver {} games, ours is {:.1} times as fast as the fastest other one on GDL (the \
             median).",
            ratios.len(),
            plain_median(ratios)
        );
    }
    text
}
