//! The OR-AND interpreter on the games of Świechowski 2015: its speed beside table 6.3, the gain of
//! each optional optimisation (table B.1), and the gain of filters (Świechowski and Mańdziuk 2014,
//! conclusion).
//!
//! `orand speed|switches|filters [--games FOLDER] [--peers FILE] [--seconds S] [--json] [GAME...]`:
//! S seconds of CPU time for each figure. Prints a table in Markdown, or JSON.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::published::{FILTERS, OR_AND_SPEED};
use cpu_time::ThreadTime;
use ludorum_lab::collection::SheetSource;
use ludorum_lab::speed::machine;
use ludorum_lab::speed::statistics::plain_median;
use ludorum_lab::speed::table::grouped;
use ludorum_logic::Rules;
use ludorum_orand::{Orand, OrandSettings, OrandState, RowLookup};
use ludorum_reasoner::{Reasoner, Rng};
use serde_json::json;

/// An optional optimisation: its name, the settings with it and without it.
type Optimisation = (&'static str, OrandSettings, OrandSettings);

fn switches() -> Vec<Optimisation> {
    let all = OrandSettings::default();
    let spans = OrandSettings {
        row_lookup: RowLookup::Spans,
        ..all
    };
    let scan = OrandSettings {
        row_lookup: RowLookup::Scan,
        ..all
    };
    vec![
        (
            "search order (B.3), linear search",
            scan,
            OrandSettings {
                filtering_order: false,
                ..scan
            },
        ),
        (
            "dropping filters (B.2)",
            all,
            OrandSettings {
                remove_filters: false,
                ..all
            },
        ),
        ("spans (B.1)", spans, scan),
        ("chains (B.1)", all, scan),
        (
            "reuse (B.5)",
            all,
            OrandSettings {
                reuse_results: false,
                ..all
            },
        ),
        (
            "supersets (B.5)",
            all,
            OrandSettings {
                reuse_supersets: false,
                ..all
            },
        ),
        (
            "sharing recurrent nodes (B.4)",
            all,
            OrandSettings {
                table_recurrent: false,
                ..all
            },
        ),
        (
            "static joins",
            all,
            OrandSettings {
                join_facts: false,
                ..all
            },
        ),
        (
            "forks (6.4.4)",
            all,
            OrandSettings {
                or_forks: false,
                ..all
            },
        ),
    ]
}

struct Options {
    what: String,
    games: PathBuf,
    peers: PathBuf,
    seconds: f64,
    json: bool,
    only: Vec<String>,
}

fn options(words: &[String]) -> Option<Options> {
    let mut words = words.iter().cloned();
    let mut options = Options {
        what: words.next()?,
        games: PathBuf::from("../shared/games"),
        peers: PathBuf::from("../shared/peers/swipl.csv"),
        seconds: 2.0,
        json: false,
        only: Vec::new(),
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--games" => options.games = words.next()?.into(),
            "--peers" => options.peers = words.next()?.into(),
            "--seconds" => options.seconds = words.next()?.parse().ok()?,
            "--json" => options.json = true,
            _ if word.starts_with('-') => return None,
            _ => options.only.push(word),
        }
    }
    (options.seconds >= 0.0 && options.seconds.is_finite()).then_some(options)
}

pub(crate) fn run(words: &[String]) -> ExitCode {
    let Some(options) = options(words) else {
        eprintln!(
            "usage: orand speed|switches|filters [--games FOLDER] [--peers FILE] [--seconds S] \
             [--json] [GAME...]"
        );
        return ExitCode::from(2);
    };
    match options.what.as_str() {
        "speed" => table_of_speed(&options),
        "switches" => table_of_switches(&options),
        "filters" => table_of_filters(&options),
        other => {
            eprintln!("`{other}` is none of speed, switches, filters");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

impl Options {
    fn wants(&self, game: &str, sheet: &str) -> bool {
        let name = sheet.rsplit('/').next().unwrap_or(sheet);
        self.only.is_empty() || self.only.iter().any(|only| only == game || only == name)
    }

    fn note(&self) -> String {
        format!(
            "{} s of CPU time for each figure. {}, {}.",
            self.seconds,
            machine::description(),
            machine::today()
        )
    }
}

fn rules(games: &Path, sheet: &str) -> Option<Arc<Rules>> {
    let sheet = SheetSource::File(games.join(format!("{sheet}.kif")));
    let text = sheet.text().ok()?;
    Rules::from_text(&text).ok().map(Arc::new)
}

/// An engine that plays random games.
struct RandomPlayer {
    engine: Orand,
    start: OrandState,
    rng: Rng,
    steps: f64,
    playouts: f64,
    cpu: Duration,
}

impl RandomPlayer {
    fn new(rules: &Rules, settings: OrandSettings) -> Option<Self> {
        let until = Instant::now() + Duration::from_mins(1);
        let mut engine = Orand::with_deadline(rules, settings, Some(until)).ok()?;
        let start = engine.initial().ok()?;
        Some(Self {
            engine,
            start,
            rng: Rng::new(1),
            steps: 0.0,
            playouts: 0.0,
            cpu: Duration::ZERO,
        })
    }

    /// Plays complete games for `seconds` of CPU time; `None` if a game cannot be played.
    fn play(&mut self, seconds: f64) -> Option<()> {
        let begin = ThreadTime::now();
        let mut spent = Duration::ZERO;
        while spent.as_secs_f64() < seconds {
            self.engine
                .set_deadline(Some(Instant::now() + Duration::from_secs(90)));
            let playout = self
                .engine
                .playout(&self.start, &mut self.rng, 2_000)
                .ok()?;
            self.steps += f64::from(playout.steps);
            self.playouts += 1.0;
            spent = begin.elapsed();
        }
        self.cpu += spent;
        Some(())
    }

    fn per_second(&self, count: f64) -> f64 {
        count / self.cpu.as_secs_f64().max(1e-9)
    }
}

/// State changes per CPU second with each of the settings, measured in turns.
fn compare(rules: &Rules, settings: &[OrandSettings], seconds: f64) -> Vec<Option<f64>> {
    const ROUNDS: u32 = 5;
    let make = |settings: &OrandSettings| RandomPlayer::new(rules, *settings);
    let mut players: Vec<Option<RandomPlayer>> = settings.iter().map(make).collect();
    for _ in 0..ROUNDS {
        for player in &mut players {
            if let Some(playing) = player
                && playing.play(seconds / f64::from(ROUNDS)).is_none()
            {
                *player = None;
            }
        }
    }
    let rate = |player: Option<RandomPlayer>| player.map(|p| p.per_second(p.steps));
    players.into_iter().map(rate).collect()
}

fn peers(path: &Path) -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let Some(column) = header
        .split(',')
        .position(|name| name == "playouts_per_cpu_s")
    else {
        return Vec::new();
    };
    lines
        .filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            Some((
                (*cells.first()?).to_owned(),
                cells.get(column)?.parse().ok()?,
            ))
        })
        .collect()
}

fn table_of_speed(options: &Options) {
    let peers = peers(&options.peers);
    let mut lines = Vec::new();
    let mut ratios = Vec::new();
    let mut rows = Vec::new();
    for (game, sheet, published) in OR_AND_SPEED {
        if !options.wants(game, sheet) {
            continue;
        }
        eprintln!("{game}");
        let figures = published.map(|figure| grouped(figure, 0)).join(" | ");
        let player = rules(&options.games, sheet).and_then(|rules| {
            let mut player = RandomPlayer::new(&rules, OrandSettings::default())?;
            player.play(options.seconds)?;
            Some(player)
        });
        let Some(player) = player else {
            rows.push(format!("| {game} | - | {figures} | - | - | - | - |"));
            continue;
        };
        let own = 20.0 * player.per_second(player.playouts);
        let name = sheet.rsplit('/').next().unwrap_or(sheet);
        let swipl = peers
            .iter()
            .find(|(peer, _)| peer == name)
            .map(|(_, rate)| 20.0 * rate);
        let ratio = own / published[2];
        ratios.push(ratio);
        rows.push(format!(
            "| {game} | {sheet} | {figures} | {} | {} | {ratio:.1} | {} |",
            swipl.map_or("-".to_owned(), |rate| grouped(rate, 0)),
            grouped(own, 0),
            swipl.map_or("-".to_owned(), |rate| format!("{:.1}", own / rate)),
        ));
        lines.push(json!({
            "game": game,
            "sheet": sheet,
            "thesis": published,
            "swipl": swipl,
            "simulations": own,
            "ratio": ratio,
            "states_per_second": player.per_second(player.steps),
            "nodes": player.engine.node_count(),
            "filters": player.engine.filter_counts(),
        }));
    }
    let median = plain_median(ratios);
    if options.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&lines).unwrap_or_default()
        );
        return;
    }
    println!(
        "| game | sheet | ECLiPSe | YAP | Świechowski 2015 | SWI-Prolog | orand | to Świechowski \
         2015 | to SWI-Prolog |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for row in rows {
        println!("{row}");
    }
    println!("| median | | | | | | | {median:.1} | |");
    println!("\nComplete random simulations in 20 s. {}", options.note());
}

fn gain(with: Option<f64>, without: Option<f64>) -> String {
    match (with, without) {
        (Some(with), Some(without)) => format!("{:.0} %", 100.0 * (with / without - 1.0)),
        (Some(_), None) => "needed".to_owned(),
        _ => "-".to_owned(),
    }
}

fn table_of_switches(options: &Options) {
    let switches = switches();
    let mut settings: Vec<OrandSettings> = Vec::new();
    for (_, with, without) in &switches {
        for one in [with, without] {
            if !settings.contains(one) {
                settings.push(*one);
            }
        }
    }
    let names: Vec<&str> = switches.iter().map(|(name, ..)| *name).collect();
    if !options.json {
        println!("| game | {} |", names.join(" | "));
        println!("| --- |{}", " ---: |".repeat(names.len()));
    }
    let mut lines = Vec::new();
    for (game, sheet, _) in OR_AND_SPEED {
        if !options.wants(game, sheet) {
            continue;
        }
        let Some(rules) = rules(&options.games, sheet) else {
            continue;
        };
        eprintln!("{game}");
        let rates = compare(&rules, &settings, options.seconds);
        let rate = |wanted: &OrandSettings| {
            let place = settings.iter().position(|one| one == wanted);
            place.and_then(|place| rates[place])
        };
        let gains: Vec<String> = switches
            .iter()
            .map(|(_, with, without)| gain(rate(with), rate(without)))
            .collect();
        if !options.json {
            println!("| {game} | {} |", gains.join(" | "));
        }
        let named: Vec<_> = names.iter().zip(&gains).collect();
        lines.push(json!({ "game": game, "gains": named, "states_per_second": rates }));
    }
    if options.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&lines).unwrap_or_default()
        );
    } else {
        println!("\nGain in speed by each optimisation. {}", options.note());
    }
}

fn table_of_filters(options: &Options) {
    let with = OrandSettings::default();
    let without = OrandSettings {
        filters: false,
        ..with
    };
    let mut lines = Vec::new();
    if !options.json {
        println!("| game | states a second with filters | without | gain | published gain |");
        println!("| --- | ---: | ---: | ---: | ---: |");
    }
    for (game, sheet, paper) in FILTERS {
        if !options.wants(game, sheet) {
            continue;
        }
        let Some(rules) = rules(&options.games, sheet) else {
            continue;
        };
        eprintln!("{game}");
        let rates = compare(&rules, &[with, without], options.seconds);
        let show = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| grouped(rate, 0));
        if !options.json {
            println!(
                "| {game} | {} | {} | {} | {paper} |",
                show(rates[0]),
                show(rates[1]),
                gain(rates[0], rates[1])
            );
        }
        lines.push(json!({ "game": game, "with": rates[0], "without": rates[1], "paper": paper }));
    }
    if options.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&lines).unwrap_or_default()
        );
    } else {
        println!("\n{}", options.note());
    }
}
