//! Known perft counts, with every engine.

use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_lab::perft::{PerftRequest, perft};
use ludorum_logic::Rules;

fn rules(game: &str) -> Arc<Rules> {
    let game = ludorum_games::find(game).expect("a bundled game");
    Arc::new(Rules::from_text(game.text).expect("a sheet without errors"))
}

/// Returns the counts.
fn counts(rules: &Arc<Rules>, engine: Engine, request: &PerftRequest) -> Vec<u128> {
    let counted = perft(rules, engine, request).unwrap_or_else(|error| panic!("{engine}: {error}"));
    assert!(counted.complete);
    counted.depths.iter().map(|depth| depth.paths).collect()
}

fn expect(game: &str, known: &[u128]) {
    let rules = rules(game);
    for engine in Engine::ALL {
        if crate::is_declined(&rules, engine) {
            continue;
        }
        for hash in [false, true] {
            let request = PerftRequest {
                depth: known.len() as u32 - 1,
                hash,
                ..PerftRequest::default()
            };
            let found = counts(&rules, engine, &request);
            assert_eq!(found, known, "{game} with {engine}, hash {hash}");
        }
    }
}

#[test]
fn tic_tac_toe_has_the_known_perft_counts() {
    expect("tic-tac-toe", &[1, 9, 72, 504, 3024, 15120, 54720]);
}

#[test]
fn the_transposition_table_counts_all_of_tic_tac_toe() {
    let rules = rules("tic-tac-toe");
    for engine in Engine::ALL {
        let request = PerftRequest {
            depth: 10,
            hash: true,
            ..PerftRequest::default()
        };
        let found = counts(&rules, engine, &request);
        assert_eq!(found[6..], [54720, 148_176, 200_448, 127_872, 0]);
    }
}

#[test]
fn connect_four_has_the_known_perft_counts() {
    expect("connect-four", &[1, 7, 49, 343, 2401, 16807]);
}

#[test]
fn checkers_has_the_known_perft_counts() {
    expect("checkers", &[1, 7, 49, 302, 1469]);
}

#[test]
fn reversi_has_the_known_perft_counts() {
    expect("reversi", &[1, 4, 12, 56, 244, 1396]);
}

#[test]
fn chess_has_the_known_perft_counts() {
    expect("chess", &[1, 20, 400]);
}

#[test]
#[ignore = "needs an optimised build: cargo test --release -p ludorum-lab --test lab -- --ignored"]
fn deep_counts_are_right() {
    expect(
        "tic-tac-toe",
        &[1, 9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872],
    );
    expect(
        "connect-four",
        &[1, 7, 49, 343, 2401, 16807, 117_649, 823_536],
    );
    expect("checkers", &[1, 7, 49, 302, 1469, 7361]);
    expect("reversi", &[1, 4, 12, 56, 244, 1396, 8200]);
    expect("chess", &[1, 20, 400, 8902, 197_281]);
}

#[test]
fn the_divided_counts_add_up_to_the_total() {
    let rules = rules("tic-tac-toe");
    let request = PerftRequest {
        depth: 4,
        divide: true,
        ..PerftRequest::default()
    };
    let counted = perft(&rules, Engine::PROVER, &request).unwrap();
    assert_eq!(counted.divided.len(), 9);
    let sum: u128 = counted.divided.iter().map(|branch| branch.paths).sum();
    assert_eq!(sum, counted.depths[4].paths);
    assert_eq!(counted.divided[0].moves, ["(mark 1 1)", "noop"]);
}

#[test]
fn simultaneous_moves_multiply_and_terminal_states_end_paths() {
    let rules = Rules::from_text(
        "(role a) (role b) (init (step 1)) (init (step 2))
         (legal a x) (legal a y) (legal b x) (legal b y) (legal b z)
         (<= (next (step 1)) (does a x))
         (<= terminal (not (true (step 1))))
         (goal a 0) (goal b 0)",
    );
    let rules = Arc::new(rules.unwrap());
    for engine in Engine::ALL {
        let request = PerftRequest {
            depth: 3,
            ..PerftRequest::default()
        };
        // Of the 6 joint moves, the 3 in which `a` plays `x` continue.
        let found = counts(&rules, engine, &request);
        assert_eq!(found, [1, 6, 18, 54]);
    }
}

#[test]
fn a_time_limit_keeps_the_completed_depths() {
    let request = PerftRequest {
        depth: 30,
        limit: Some(std::time::Duration::ZERO),
        ..PerftRequest::default()
    };
    let counted = perft(&rules("tic-tac-toe"), Engine::PROVER, &request);
    // Either the time limit stops even depth 0, or depth 0 is complete.
    if let Ok(counted) = counted {
        assert!(!counted.complete);
        assert!(counted.depths.len() <= 1);
    }
}
