//! Soak test of players under load: no late answer, no illegal move, memory within its limit.
//!
//! `cargo run --release -p ludorum-players --example soak -- MOVES CLOCK_MS TABLES BURNERS FOLDER`
//! plays random games from a folder of rule sheets in TABLES parallel matches, until MOVES moves
//! were requested, while BURNERS threads only consume CPU time. In every match one role is played
//! by tree search with random options, after a start clock of two seconds; the other roles play at
//! random. It prints a JSON object and fails if a player broke its contract. Faults of the sheets
//! (a role without a legal move) only end a match.
//!
//! The host of a virtual machine can suspend a core at any moment, which delays the answers. So for
//! every late answer the steal time between its deadline and the answer is computed, for the core
//! with the most. If the answer would have been in time without it, it counts as late by the host,
//! which is no fault of the player. On systems that report no steal time every late answer counts.

#![allow(clippy::cast_precision_loss)] // for people

mod host;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ludorum_engines::AnyReasoner;
use ludorum_logic::Rules;
use ludorum_players::{PlayError, PlayerSpec};
use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};
use serde_json::json;

use host::StealTime;

/// An answer this long after its deadline is late.
const LATE: Duration = Duration::from_millis(50);
/// The step limit of a match, so that many games are played.
const MOVES: usize = 40;
/// The start clock.
const START: Duration = Duration::from_secs(2);

/// A late answer.
struct Late {
    deadline: Instant,
    answered: Instant,
    /// The game and the player.
    name: String,
}

impl Late {
    /// Whether it would have been in time without steal time, and a description.
    fn judge(&self, host: &StealTime) -> (bool, String) {
        let over = self.answered.saturating_duration_since(self.deadline);
        let took = host.stolen_between(self.deadline, self.answered);
        let text = format!(
            "{}: {} ms late; the host took {} ms",
            self.name,
            over.as_millis(),
            took.as_millis()
        );
        (over.saturating_sub(took) <= LATE, text)
    }
}

#[derive(Default)]
struct Counts {
    requested: AtomicU64,
    late: Mutex<Vec<Late>>,
    illegal: AtomicU64,
    over_memory: AtomicU64,
    errors: AtomicU64,
    blind: AtomicU64,
    matches: AtomicU64,
    longest_us: AtomicU64,
    host: StealTime,
    simulations: AtomicU64,
    complaints: Mutex<Vec<String>>,
}

impl Counts {
    fn complain(&self, count: &AtomicU64, text: String) {
        count.fetch_add(1, Ordering::AcqRel);
        let mut all = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if all.len() < 50 {
            all.push(text);
        }
    }
}

fn main() -> ExitCode {
    // As in the `ludorum` command.
    ludorum_memory::install_allocator();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let ([moves, clock, tables, burners], Some(folder)) = (&numbers[..], words.get(4)) else {
        eprintln!("usage: soak MOVES CLOCK_MS TABLES BURNERS FOLDER");
        return ExitCode::from(2);
    };
    let mut sheets = Vec::new();
    find_sheets(Path::new(folder), &mut sheets);
    sheets.sort();
    if sheets.is_empty() {
        eprintln!("there is no sheet in {folder}");
        return ExitCode::FAILURE;
    }
    let clock = Duration::from_millis(*clock);
    let counts = Counts::default();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..*burners {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        scope.spawn(|| counts.host.watch(&is_over));
        let tables: Vec<_> = (0..*tables)
            .map(|table| {
                let (sheets, counts) = (&sheets, &counts);
                scope.spawn(move || play_matches(table, *moves, clock, sheets, counts))
            })
            .collect();
        for table in tables {
            if table.join().is_err() {
                counts.complain(&counts.errors, "a table broke down".to_owned());
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let read = |count: &AtomicU64| count.load(Ordering::Acquire);
    let complaints = counts.complaints.lock();
    let late = counts.late.lock().unwrap_or_else(PoisonError::into_inner);
    let judged = late.iter().map(|late| late.judge(&counts.host));
    let (by_host, late): (Vec<_>, Vec<_>) = judged.partition(|(is_by_host, _)| *is_by_host);
    let texts = |judged: &[(bool, String)]| -> Vec<String> {
        judged.iter().map(|(_, text)| text.clone()).collect()
    };
    let longest_ms = read(&counts.longest_us) as f64 / 1000.0;
    println!(
        "{:#}",
        json!({
            "sheets": sheets.len(),
            "matches": read(&counts.matches),
            "moves": read(&counts.requested),
            "late": late.len(),
            "late_by_host": by_host.len(),
            "illegal": read(&counts.illegal),
            "over_memory": read(&counts.over_memory),
            "errors": read(&counts.errors),
            "without_thought": read(&counts.blind),
            "longest_over_ms": longest_ms - clock.as_secs_f64() * 1000.0,
            "host_took_seconds": counts.host.total_stolen().as_secs_f64(),
            "late_answers": texts(&late),
            "late_answers_by_host": texts(&by_host),
            "simulations": read(&counts.simulations),
            "complaints": *complaints.unwrap_or_else(PoisonError::into_inner),
        })
    );
    let broken = late.len() as u64
        + read(&counts.illegal)
        + read(&counts.over_memory)
        + read(&counts.errors);
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Collects all sheets in a folder and its subfolders.
fn find_sheets(folder: &Path, sheets: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_sheets(&path, sheets);
        } else if path.extension().is_some_and(|name| name == "kif") {
            sheets.push(path);
        }
    }
}

/// Plays one match after the other until enough moves were requested.
fn play_matches(table: u64, moves: u64, clock: Duration, sheets: &[PathBuf], counts: &Counts) {
    let mut rng = Rng::new(table);
    while counts.requested.load(Ordering::Acquire) < moves {
        let path = &sheets[rng.below(sheets.len())];
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        let Ok(rules) = Rules::from_text(&text) else {
            continue;
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let options = [
            "mcts:memory=64",
            "mcts:memory=8",
            "mcts:memory=64,threads=2",
            "mcts:memory=64,threads=2,parallel=root",
            "mcts:memory=64,mast=on",
            "mcts:memory=64,grave=1000,c=0.3",
            "mcts:memory=64,ngrams=on",
            "mcts:memory=64,transpositions=on",
        ];
        let spec = options[rng.below(options.len())];
        let Ok(engine) = spec.parse::<PlayerSpec>().map(|spec| spec.engine()) else {
            continue;
        };
        let rules = Arc::new(rules);
        let referee = Match {
            name: name.into_owned(),
            spec,
            clock,
            rng: &mut rng,
            counts,
        };
        counts.matches.fetch_add(1, Ordering::AcqRel);
        match engine.build(&rules).map(|engine| referee.run(engine)) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                counts.complain(&counts.errors, format!("{}: {error}", path.display()));
            }
            Err(error) => counts.complain(&counts.errors, format!("{}: {error}", path.display())),
        }
    }
}

/// A match with its settings and counters.
struct Match<'a> {
    name: String,
    spec: &'static str,
    clock: Duration,
    rng: &'a mut Rng,
    counts: &'a Counts,
}

impl Match<'_> {
    fn run(self, mut referee: AnyReasoner) -> Result<(), PlayError> {
        let Self {
            name,
            spec: text,
            clock,
            rng,
            counts,
        } = self;
        let roles = referee.roles().len();
        let role = rng.below(roles);
        let seed = rng.next_u64() % 1000;
        let Ok(spec) = format!("{text},seed={seed}").parse::<PlayerSpec>() else {
            return Ok(());
        };
        let most_bytes = if text.contains("memory=8") { 8 } else { 64 } << 20;
        let mut player = spec.player_on(referee.fork(), role)?;
        player.start(Instant::now() + START)?;
        let mut state = referee.initial()?;
        for _ in 0..MOVES {
            if referee.is_terminal(&state)? {
                break;
            }
            let mut legal: Vec<Vec<MoveId>> = vec![Vec::new(); roles];
            for (role, moves) in legal.iter_mut().enumerate() {
                referee.legal_moves(&state, role, moves)?;
            }
            if legal.iter().any(Vec::is_empty) {
                break;
            }
            let begin = Instant::now();
            let answer = player.play(begin + clock);
            let taken = begin.elapsed();
            counts.requested.fetch_add(1, Ordering::AcqRel);
            counts
                .longest_us
                .fetch_max(taken.as_micros() as u64, Ordering::AcqRel);
            if taken > clock + LATE {
                let mut late = counts.late.lock().unwrap_or_else(PoisonError::into_inner);
                late.push(Late {
                    deadline: begin + clock,
                    answered: begin + taken,
                    name: format!("{name} {text}"),
                });
            }
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    counts.complain(&counts.errors, format!("{name} {text}: {error}"));
                    break;
                }
            };
            counts
                .simulations
                .fetch_add(answer.report.simulations, Ordering::AcqRel);
            if answer.report.bytes > most_bytes {
                let bytes = answer.report.bytes;
                counts.complain(&counts.over_memory, format!("{name} {text}: {bytes} bytes"));
            }
            if answer.report.trouble.is_some() {
                counts.blind.fetch_add(1, Ordering::AcqRel);
            }
            let mut joint: Vec<MoveId> = legal
                .iter()
                .map(|moves| moves[rng.below(moves.len())])
                .collect();
            match referee.find_move(role, &answer.text) {
                Some(id) if legal[role].contains(&id) => joint[role] = id,
                _ => counts.complain(&counts.illegal, format!("{name} {text}: {}", answer.text)),
            }
            let texts: Vec<String> = (0..roles)
                .map(|role| referee.move_text(role, joint[role]))
                .collect();
            state = match referee.next(&state, &joint) {
                Err(ReasonError::Stopped) => break,
                next => next?,
            };
            player.apply_joint_move(&texts)?;
            if rng.below(2) == 0 {
                player.ponder();
            }
        }
        Ok(())
    }
}
