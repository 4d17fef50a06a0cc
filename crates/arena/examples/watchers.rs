//! Load test of the arena: many watchers of one match, each of which must receive every move.
//!
//! `cargo run --release -p ludorum-arena --example watchers -- [WATCHERS]`

#[path = "../tests/arena/support.rs"]
#[allow(dead_code, unreachable_pub)]
mod support;

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use ludorum_arena::ArenaOptions;
use serde_json::json;
use support::{Events, TestArena};

/// The times at which positions were received.
type Told = Vec<(u64, Instant)>;

fn main() {
    let watchers = std::env::args().nth(1);
    let watchers = watchers.and_then(|text| text.parse().ok()).unwrap_or(200);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads");
    runtime.block_on(run(watchers));
}

async fn run(watchers: usize) {
    let arena = TestArena::with(ArenaOptions {
        // The person who plays watches as well.
        watchers: watchers + 1,
        ..ArenaOptions::default()
    })
    .await;
    first_page(&arena).await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let begin = Instant::now();
    let events = join_all((0..watchers).map(|_| game.events())).await;
    println!(
        "{watchers} watchers were there after {:.0} ms",
        millis(begin.elapsed())
    );
    let watching = events.into_iter().map(|events| tokio::spawn(watch(events)));
    let watching: Vec<_> = watching.collect();
    let mut played = Vec::new();
    let mut own = game.events().await;
    while let Some(event) = own.next().await {
        if event.kind == "end" {
            break;
        }
        let seen = game.seen_by(0).await;
        let Some(text) = seen["legal"][0]["move"].as_str() else {
            continue;
        };
        let step = seen["step"].as_u64().unwrap_or(0);
        played.push((step + 1, Instant::now()));
        game.play(0, step, text).await;
    }
    let mut delays = Vec::new();
    let mut complete = 0;
    for watcher in watching {
        let (told, is_whole) = watcher.await.unwrap_or_default();
        complete += usize::from(is_whole);
        for (step, at) in told {
            let sent = played.iter().find(|(known, _)| *known == step);
            delays.extend(sent.map(|(_, sent)| at.duration_since(*sent)));
        }
    }
    delays.sort_unstable();
    let at = |share: usize| {
        let place = delays.len().saturating_sub(1) * share / 100;
        delays.get(place).map_or(0.0, |delay| millis(*delay))
    };
    println!("{complete} of {watchers} were told everything to the end");
    println!(
        "from a move to its event: median {:.1} ms, 99 % {:.1} ms, at most {:.1} ms \
        ({} times)",
        at(50),
        at(99),
        at(100),
        delays.len()
    );
    assert_eq!(complete, watchers);
}

/// Watches to the end; also returns whether all events were received.
async fn watch(mut events: Events) -> (Told, bool) {
    let mut told = Vec::new();
    let mut is_ended = false;
    while let Some(event) = events.next().await {
        if event.kind == "step" {
            told.push((event.data["step"].as_u64().unwrap_or(0), Instant::now()));
        }
        is_ended |= event.kind == "end";
    }
    let is_whole = told.iter().map(|(step, _)| *step).eq(0..told.len() as u64);
    let is_whole = is_ended && is_whole && told.len() > 5;
    (told, is_whole)
}

/// Size and load time of the start page with everything it refers to.
async fn first_page(arena: &TestArena) {
    let begin = Instant::now();
    let page = arena.get("/").await;
    let text = page.text();
    let mut bytes = page.bytes.len();
    let mut files = 1;
    let named = text.split('"').filter(|part| part.starts_with("/assets/"));
    for path in named {
        bytes += arena.get(path).await.bytes.len();
        files += 1;
    }
    bytes += arena.get("/api/games").await.bytes.len();
    println!(
        "the first page: {files} files and the list of games, {bytes} bytes in {:.0} ms",
        millis(begin.elapsed())
    );
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
