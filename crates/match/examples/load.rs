//! Load tests of the player server and the game manager. Each part prints one JSON object.
//!
//! ```text
//! cargo build --release
//! cargo build --release -p ludorum-match --features testing --example load
//! target/release/examples/load target/release/ludorum matches 100
//! target/release/examples/load target/release/ludorum info 50
//! target/release/examples/load target/release/ludorum plays 1000
//! ```
//!
//! - `matches`: that many concurrent matches of tic-tac-toe and connect four between two processes
//!   that play at random.
//! - `info`: that many processes started at once; how fast they answer INFO.
//! - `plays`: that many PLAY messages at a clock of one second, while other processes use up all
//!   cores.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ludorum_match::testing::post;
use ludorum_match::{CancellationToken, GameManager, MatchRecord, MatchSetup};
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

/// A child process that is killed when this is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn player(binary: &str, args: &[&str]) -> Result<Process, Failure> {
    let child = Command::new(binary)
        .args(["player", "--port", "0"])
        .args(args)
        .stdout(Stdio::piped())
        .spawn()?;
    Ok(Process(child))
}

/// The address that a player prints first.
fn address(process: &mut Process) -> Result<String, Failure> {
    let out = process.0.stdout.take().ok_or("no output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let url = line.split_whitespace().last().ok_or("no address")?;
    Ok(url.to_owned())
}

fn setup(
    number: usize,
    game: &str,
    urls: [&str; 2],
    clocks: (u64, u64),
) -> Result<MatchSetup, Failure> {
    let shipped = ludorum_games::find(game).ok_or("no such game")?;
    Ok(MatchSetup {
        id: format!("m{number}"),
        game: game.into(),
        sheet: shipped.text.into(),
        start_clock: Duration::from_secs(clocks.0),
        play_clock: Duration::from_secs(clocks.1),
        participants: vec![urls[0].parse()?, urls[1].parse()?],
        seed: number as u64,
        forfeit_after: None,
        max_steps: 100,
    })
}

/// Plays matches concurrently and returns their records.
fn play(setups: Vec<MatchSetup>, grace: Duration) -> Result<Vec<MatchRecord>, Failure> {
    let runtime = tokio::runtime::Runtime::new()?;
    let mut manager = GameManager::new();
    manager.grace = grace;
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for setup in setups {
            let manager = manager.clone();
            tasks.push(tokio::spawn(async move {
                let cancel = CancellationToken::new();
                manager
                    .run_match(&setup, None, &mut (), &mut (), cancel)
                    .await
            }));
        }
        let mut records = Vec::new();
        for task in tasks {
            records.push(task.await??);
        }
        Ok(records)
    })
}

fn errors(records: &[MatchRecord]) -> Vec<String> {
    let told = records.iter().flat_map(|record| {
        let steps = record.steps.iter().flat_map(|step| &step.player_errors);
        let player_errors = record.start_errors.iter().chain(steps);
        player_errors.map(|m| format!("{} {}: {}", record.id, m.kind.name(), m.detail))
    });
    told.collect()
}

fn matches(binary: &str, count: usize) -> Result<serde_json::Value, Failure> {
    let most = count.to_string();
    let args = ["--player", "random", "--matches", &most];
    let mut players = [player(binary, &args)?, player(binary, &args)?];
    let [first, second] = &mut players;
    let (first, second) = (address(first)?, address(second)?);
    let mut setups = Vec::new();
    for number in 0..count {
        let game = ["tic-tac-toe", "connect-four"][number % 2];
        setups.push(setup(number, game, [&first, &second], (30, 5))?);
    }
    let begin = Instant::now();
    let records = play(setups, Duration::from_millis(500))?;
    let is_completed = |record: &&MatchRecord| record.outcome.as_ref().is_some_and(|o| o.completed);
    let took = records
        .iter()
        .flat_map(|r| &r.steps)
        .flat_map(|s| &s.took_ms);
    Ok(json!({
        "part": "matches", "matches": count,
        "completed": records.iter().filter(is_completed).count(),
        "errors": errors(&records), "steps": records.iter().map(|r| r.steps.len()).sum::<usize>(),
        "longest_answer_ms": took.max(), "seconds": begin.elapsed().as_secs_f64(),
    }))
}

/// The given percentile of sorted values.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

fn info(binary: &str, count: usize) -> Result<serde_json::Value, Failure> {
    const TIMES: usize = 20;
    let mut players = Vec::new();
    for _ in 0..count {
        players.push(player(binary, &["--player", "random"])?);
    }
    let mut urls = Vec::new();
    for player in &mut players {
        urls.push(address(player)?);
    }
    let mut times = Vec::new();
    let mut wrong = 0;
    for _ in 0..TIMES {
        for url in &urls {
            let begin = Instant::now();
            let answer = post(url, "(INFO)")?;
            times.push(begin.elapsed().as_secs_f64() * 1000.0);
            wrong += usize::from(!answer.contains("(status available)"));
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(json!({
        "part": "info", "players": count, "answers": times.len(), "wrong": wrong,
        "p50_ms": percentile(&times, 50), "p99_ms": percentile(&times, 99), "max_ms": times.last(),
    }))
}

fn plays(binary: &str, count: usize) -> Result<serde_json::Value, Failure> {
    const AT_ONCE: usize = 8;
    let cores = std::thread::available_parallelism()?.get();
    let own = std::env::current_exe()?;
    let mut burners = Vec::new();
    for _ in 0..cores {
        burners.push(Process(
            Command::new(&own).args([binary, "burn", "0"]).spawn()?,
        ));
    }
    let most = (2 * AT_ONCE).to_string();
    let mut player = player(binary, &["--player", "mcts", "--matches", &most])?;
    let url = address(&mut player)?;
    let begin = Instant::now();
    let mut records: Vec<MatchRecord> = Vec::new();
    let messages = |records: &[MatchRecord]| -> usize {
        records.iter().map(|record| 2 * record.steps.len()).sum()
    };
    while messages(&records) < count {
        let mut setups = Vec::new();
        for number in 0..AT_ONCE {
            let number = records.len() + number;
            // In the second game both roles think at the same time.
            let game = ["connect-four", "bidding-tic-tac-toe"][number % 2];
            setups.push(setup(number, game, [&url, &url], (5, 1))?);
        }
        records.extend(play(setups, Duration::ZERO)?);
    }
    let took = records
        .iter()
        .flat_map(|r| &r.steps)
        .flat_map(|s| &s.took_ms);
    let mut times: Vec<f64> = took
        .map(|ms| f64::from(u32::try_from(*ms).unwrap_or(u32::MAX)))
        .collect();
    times.sort_by(f64::total_cmp);
    Ok(json!({
        "part": "plays", "messages": messages(&records),
        "late": times.iter().filter(|ms| **ms > 1000.0).count(),
        "thought_long": times.iter().filter(|ms| **ms > 400.0).count(), "errors": errors(&records),
        "p50_ms": percentile(&times, 50), "p99_ms": percentile(&times, 99), "max_ms": times.last(),
        "burners": cores, "matches_at_once": AT_ONCE, "seconds": begin.elapsed().as_secs_f64(),
    }))
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [binary, part, count] = &args[..] else {
        return Err(
            "give the path of the binary, a part (matches, info or plays) and a number".into(),
        );
    };
    let count = count.parse()?;
    let result = match part.as_str() {
        "matches" => matches(binary, count)?,
        "info" => info(binary, count)?,
        "plays" => plays(binary, count)?,
        // Uses up a core until it is killed.
        "burn" => loop {
            std::hint::spin_loop();
        },
        other => return Err(format!("there is no part `{other}`").into()),
    };
    println!("{result:#}");
    Ok(())
}
