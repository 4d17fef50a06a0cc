//! Forward chaining on the nineteen games of Schofield and Saffidine 2013, tables 1 and 2, beside
//! the published figures.
//!
//! `chain [--table 1|2] [--games FOLDER] [--seconds S] [--rounds N] [--json] [GAME...]`: table 1 is
//! the cost of building the engine and its speed. Table 2 is the speed with conditions in the
//! worst, the original and the best order. The orders are measured in turns, N rounds of S seconds
//! each, and the figures are medians per CPU second. States are counted as in the publication,
//! initial states included.
//!
//! `chain --memory [--games FOLDER] [GAME...]`: the memory use of the engine for every sheet of the
//! folder.

mod memory;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::papers::CHAINING;
use cpu_time::ThreadTime;
use ludorum_chain::{Chain, ChainReport, ChainSettings, ConditionOrder};
use ludorum_lab::speed::machine;
use ludorum_logic::Rules;
use ludorum_reasoner::{Reasoner, Rng};
use serde::Serialize;

/// Maximum number of steps of a playout.
const MAX_STEPS: u32 = 10_000;

/// Published figures of a game (Schofield and Saffidine 2013).
struct PublishedFigures {
    /// Seconds for reading, ordering and grounding.
    seconds: [f64; 3],
    table_kb: u32,
    knowledge_kb: u32,
    /// Thousands of states per second in the worst, original and best order; `None` where the
    /// system failed.
    rates: [Option<f64>; 3],
    /// Thousands of playouts in 30 seconds.
    playouts: f64,
}

macro_rules! paper {
    ($(
        $a:literal $b:literal $c:literal $tables:literal $base:literal
        $worst:expr, $original:expr, $best:expr, $playouts:literal;
    )+) => {
        [$(PublishedFigures {
            seconds: [$a, $b, $c],
            table_kb: $tables,
            knowledge_kb: $base,
            rates: [$worst, $original, $best],
            playouts: $playouts,
        }),+]
    };
}

/// Schofield and Saffidine 2013, tables 1 and 2, in the order of [`CHAINING`].
#[rustfmt::skip]
const PUBLISHED: [PublishedFigures; 19] = paper! {
    14.27 20.96 12.76 333_324 29_795 None, None, Some(0.2), 0.047;
    1.00 0.07 0.06 336 5 Some(351.0), Some(378.0), Some(370.0), 118.0;
    0.30 0.04 0.01 23 3 Some(342.0), Some(366.0), Some(366.0), 180.0;
    0.24 0.08 0.01 4 2 Some(530.0), Some(608.0), Some(638.0), 1955.0;
    0.48 0.41 4.47 20_619 103 None, Some(145.0), Some(168.0), 88.0;
    0.30 0.03 0.02 8 2 Some(471.0), Some(539.0), Some(595.0), 1913.0;
    0.31 0.02 0.01 130 3 Some(77.5), Some(693.0), Some(694.0), 3862.0;
    0.44 0.64 0.02 62 5 Some(41.3), Some(78.7), Some(111.0), 142.0;
    0.28 0.03 0.01 8 2 Some(457.0), Some(548.0), Some(636.0), 2044.0;
    0.31 0.06 0.03 164 6 Some(188.0), Some(1370.0), Some(1375.0), 1289.0;
    0.22 0.02 0.01 6 2 Some(537.0), Some(551.0), Some(728.0), 1040.0;
    0.73 1.31 0.12 1_583 41 Some(62.8), Some(62.7), Some(75.0), 227.0;
    0.25 0.17 0.03 481 6 Some(136.0), Some(225.0), Some(234.0), 895.0;
    0.38 0.01 0.09 2_196 461 Some(1920.0), Some(1960.0), Some(2046.0), 1507.0;
    0.73 5.03 12.54 16_420 28 Some(3.2), Some(3.6), Some(139.0), 164.0;
    0.24 0.02 0.01 35 1 Some(362.0), Some(1480.0), Some(1612.0), 5040.0;
    0.49 3.63 1.96 38_799 85 Some(76.9), Some(101.0), Some(94.0), 72.0;
    0.21 0.02 0.01 7 1 Some(771.0), Some(868.0), Some(898.0), 3118.0;
    0.50 0.16 0.06 839 6 Some(94.3), Some(109.0), Some(112.0), 109.0;
};

struct Options {
    table: u32,
    memory: bool,
    games: PathBuf,
    seconds: f64,
    rounds: u32,
    json: bool,
    only: Vec<String>,
}

fn options(words: &[String]) -> Option<Options> {
    let mut options = Options {
        table: 1,
        memory: false,
        games: PathBuf::from("../shared/games"),
        seconds: 0.5,
        rounds: 5,
        json: false,
        only: Vec::new(),
    };
    let mut words = words.iter().cloned();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--table" => options.table = words.next()?.parse().ok()?,
            "--games" => options.games = words.next()?.into(),
            "--seconds" => options.seconds = words.next()?.parse().ok()?,
            "--rounds" => options.rounds = words.next()?.parse().ok()?,
            "--memory" => options.memory = true,
            "--json" => options.json = true,
            _ if word.starts_with('-') => return None,
            _ => options.only.push(word),
        }
    }
    (1..=2).contains(&options.table).then_some(options)
}

/// Measured figures of a game with one order.
#[derive(Clone, Serialize)]
struct MeasuredFigures {
    game: String,
    ordering: &'static str,
    /// Seconds from the text of the sheet to the statistics of relations.
    reading: f64,
    report: ChainReport,
    /// Thousands of states per CPU second, initial states included: the median of the rounds.
    kstates: f64,
    states_per_playout: f64,
    peak_bytes: Option<u64>,
}

/// An engine that is being measured.
struct MeasuredEngine {
    chain: Chain,
    ordering: &'static str,
    reading: f64,
    rates: Vec<f64>,
    states: u64,
    playouts: u64,
    peak_bytes: Option<u64>,
    rng: Rng,
}

impl MeasuredEngine {
    fn new(text: &str, ordering: ConditionOrder) -> Result<Self, String> {
        ludorum_lab::memory::reset_peak();
        let begin = Instant::now();
        let rules =
            Rules::from_text(text).map_err(|problems| format!("{} errors", problems.len()))?;
        let reading = begin.elapsed().as_secs_f64();
        let settings = ChainSettings {
            condition_order: ordering,
            ..ChainSettings::default()
        };
        let deadline = Instant::now() + Duration::from_mins(2);
        let chain =
            Chain::new(&rules, &settings, Some(deadline)).map_err(|stop| stop.to_string())?;
        Ok(Self {
            reading: reading + chain.report().rigid_time.as_secs_f64(),
            chain,
            ordering: match ordering {
                ConditionOrder::HighestCost => "worst",
                ConditionOrder::AsWritten => "original",
                ConditionOrder::LowestCost => "best",
            },
            rates: Vec::new(),
            states: 0,
            playouts: 0,
            peak_bytes: ludorum_lab::memory::peak(),
            rng: Rng::new(1),
        })
    }

    /// Plays for about `seconds`, at least one complete playout.
    #[allow(clippy::cast_precision_loss)]
    fn round(&mut self, seconds: f64) -> Result<(), String> {
        let start = self.chain.initial().map_err(|error| error.to_string())?;
        let begin = ThreadTime::now();
        let mut states = 0;
        let time = loop {
            let playout = self.chain.playout(&start, &mut self.rng, MAX_STEPS);
            let playout = playout.map_err(|error| error.to_string())?;
            states += u64::from(playout.steps) + 1;
            self.playouts += 1;
            let time = begin.elapsed().as_secs_f64();
            if time >= seconds {
                break time;
            }
        };
        self.states += states;
        self.rates.push(states as f64 / time / 1000.0);
        Ok(())
    }

    #[allow(clippy::cast_precision_loss)]
    fn figures(mut self, game: &str) -> MeasuredFigures {
        self.rates.sort_by(f64::total_cmp);
        MeasuredFigures {
            game: game.to_owned(),
            ordering: self.ordering,
            reading: self.reading,
            report: self.chain.report().clone(),
            kstates: self.rates.get(self.rates.len() / 2).copied().unwrap_or(0.0),
            states_per_playout: self.states as f64 / self.playouts.max(1) as f64,
            peak_bytes: self.peak_bytes,
        }
    }
}

fn measure(text: &str, game: &str, options: &Options) -> Vec<Result<MeasuredFigures, String>> {
    let orderings = match options.table {
        1 => vec![ConditionOrder::LowestCost],
        _ => vec![
            ConditionOrder::HighestCost,
            ConditionOrder::AsWritten,
            ConditionOrder::LowestCost,
        ],
    };
    let mut contenders: Vec<Result<MeasuredEngine, String>> = orderings
        .into_iter()
        .map(|ordering| MeasuredEngine::new(text, ordering))
        .collect();
    for _ in 0..options.rounds {
        for contender in &mut contenders {
            if let Ok(one) = contender
                && let Err(problem) = one.round(options.seconds)
            {
                *contender = Err(problem);
            }
        }
    }
    let figures = contenders.into_iter();
    figures
        .map(|one| one.map(|one| one.figures(game)))
        .collect()
}

pub(crate) fn run(words: &[String]) -> ExitCode {
    if let [option, sheet] = words
        && option == memory::ONE_SHEET
    {
        return memory::one(Path::new(sheet));
    }
    let Some(options) = options(words) else {
        eprintln!(
            "usage: chain [--table 1|2 | --memory] [--games FOLDER] [--seconds S] [--rounds N] \
             [--json] [GAME...]"
        );
        return ExitCode::from(2);
    };
    if options.memory {
        return memory::all(&options.games, &options.only);
    }
    let mut rows = Vec::new();
    for (sheet, paper) in CHAINING.sheets.iter().zip(&PUBLISHED) {
        let game = sheet.rsplit('/').next().unwrap_or(sheet);
        if !options.only.is_empty() && !options.only.iter().any(|only| only == game) {
            continue;
        }
        let path = options.games.join(format!("{sheet}.kif"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("cannot read `{}`", path.display());
            continue;
        };
        eprintln!("{game}");
        rows.push((game, paper, measure(&text, game, &options)));
    }
    if options.json {
        let figures: Vec<_> = rows.iter().flat_map(|(.., figures)| figures).collect();
        println!(
            "{}",
            serde_json::to_string_pretty(&figures).unwrap_or_default()
        );
    } else if options.table == 1 {
        first_table(&rows);
    } else {
        second_table(&rows);
    }
    println!(
        "\nMedians of {} rounds of {} s, per CPU second. {}, {}.",
        options.rounds,
        options.seconds,
        machine::description(),
        machine::today()
    );
    ExitCode::SUCCESS
}

type Row<'a> = (
    &'a str,
    &'a PublishedFigures,
    Vec<Result<MeasuredFigures, String>>,
);

fn first_table(rows: &[Row<'_>]) {
    println!(
        "| game | read | order | tables | tables kB | base kB | peak MB | kstates/s | paper | \
         times | playouts in 30 s, thousands | paper | states a playout | paper |"
    );
    println!(
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: \
         | ---: |"
    );
    let mut ratios = Vec::new();
    for (game, paper, figures) in rows {
        let Some(Ok(one)) = figures.first() else {
            println!(
                "| {game} | {} |",
                figures
                    .first()
                    .and_then(|f| f.as_ref().err())
                    .map_or("-", |e| e)
            );
            continue;
        };
        let rate = paper.rates[2].unwrap_or(f64::NAN);
        let ratio = one.kstates / rate;
        ratios.push(ratio);
        println!(
            "| {game} | {:.2} ({}) | {:.2} ({}) | {:.2} ({}) | {} ({}) | {} ({}) | {} | {:.1} | \
             {rate} | {ratio:.1} | {:.1} | {} | {:.1} | {:.1} |",
            one.reading,
            paper.seconds[0],
            one.report.ordering_time.as_secs_f64(),
            paper.seconds[1],
            one.report.table_time.as_secs_f64(),
            paper.seconds[2],
            one.report.table_bytes / 1024,
            paper.table_kb,
            one.report.knowledge_bytes / 1024,
            paper.knowledge_kb,
            one.peak_bytes
                .map_or("-".to_owned(), |peak| (peak >> 20).to_string()),
            one.kstates,
            one.kstates * 30.0 / one.states_per_playout,
            paper.playouts,
            one.states_per_playout,
            rate * 30.0 / paper.playouts,
        );
    }
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(median)) = (ratios.first(), ratios.get(ratios.len() / 2)) {
        println!(
            "\nMedian of {} games: {median:.2} times the published rate; least {least:.2} times. \
             In parentheses: published figures.",
            ratios.len()
        );
    }
}

fn second_table(rows: &[Row<'_>]) {
    println!("| game | worst | paper | original | paper | best | paper | best / original |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut good = 0;
    for (game, paper, figures) in rows {
        let rate = |i: usize| match &figures[i] {
            Ok(one) => format!("{:.1}", one.kstates),
            Err(problem) => problem.clone(),
        };
        let published =
            |i: usize| paper.rates[i].map_or("failed".to_owned(), |rate| rate.to_string());
        let ratio = match (&figures[1], &figures[2]) {
            (Ok(original), Ok(best)) => best.kstates / original.kstates,
            (Err(_), Ok(_)) => f64::INFINITY,
            _ => 0.0,
        };
        good += u32::from(ratio >= 0.95);
        println!(
            "| {game} | {} | {} | {} | {} | {} | {} | {ratio:.2} |",
            rate(0),
            published(0),
            rate(1),
            published(1),
            rate(2),
            published(2)
        );
    }
    println!(
        "\nThe best order is at least as good as the original within 5 % in {good} of {} games. \
         Thousands of states a second.",
        rows.len()
    );
}
