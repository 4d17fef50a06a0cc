//! Replays recorded playouts, if they are available: the reference engine on every game, with a
//! short time limit.
//!
//! `ludorum conform` in an optimised build is the complete test with all engines, some of which
//! take long to build. This short test detects a change of the reference that breaks a game.

use std::path::Path;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_lab::collection::traced;
use ludorum_lab::conform::{ConformanceOptions, ConformanceVerdict, check};
use ludorum_lab::thread_pool;

#[test]
fn the_prover_never_differs_from_a_recorded_playout() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let (games, traces) = (shared.join("games"), shared.join("traces"));
    if !traces.is_dir() {
        println!("skipped: there are no traces in {}", traces.display());
        return;
    }
    let cases = traced(&games, &traces).expect("a folder that can be read");
    let options = ConformanceOptions {
        engines: vec![Engine::PROVER],
        playouts: 0,
        steps: 0,
        budget: Duration::from_secs(1),
        seed: 1,
    };
    let rows = thread_pool::run(
        &cases,
        thread_pool::cores(),
        |case| check(case, &options),
        |_, _| (),
    );
    let mut differing = Vec::new();
    let mut agreeing = 0;
    for row in rows.iter().flatten() {
        match &row.verdict {
            ConformanceVerdict::Agrees { .. } => agreeing += 1,
            ConformanceVerdict::Skipped { reason } => {
                println!("skipped {} with {}: {reason}", row.game, row.engine);
            }
            ConformanceVerdict::Differs { reproduction } => {
                differing.push(format!("{} with {}\n{reproduction}", row.game, row.engine));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n\n"));
    assert!(agreeing > 0, "every game was skipped: nothing was compared");
}
