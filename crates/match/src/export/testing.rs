//! A match record for tests.

use crate::record::{MatchRecord, MatchStep, Outcome, PlayerError, PlayerErrorKind};

/// A match of one step with errors.
pub(super) fn record() -> MatchRecord {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    MatchRecord {
        id: "m1".into(),
        game: "tiny (game)".into(),
        roles: texts(&["x", "o"]),
        players: texts(&["mcts:c=0.5", "http://localhost:9147"]),
        names: texts(&["tree", "guest"]),
        start_clock_ms: 30_000,
        play_clock_ms: 500,
        seed: u64::MAX - 7,
        began_at_ms: 1_000,
        initial: texts(&["(cell 1 blank)", "(control x)"]),
        start_errors: vec![PlayerError {
            role: 0,
            kind: PlayerErrorKind::Refused,
            detail: "busy".into(),
        }],
        steps: vec![MatchStep {
            number: 0,
            moves: texts(&["(mark 1)", "noop"]),
            state: texts(&["(cell 1 x)", "(control o)"]),
            player_errors: vec![PlayerError {
                role: 1,
                kind: PlayerErrorKind::TimeOut,
                detail: "no answer in 1 s".into(),
            }],
            took_ms: vec![12, 1000],
            at_ms: 2_000,
        }],
        outcome: Some(Outcome {
            completed: true,
            goals: vec![Some(100), None],
            forfeited: Vec::new(),
            reason: None,
        }),
    }
}
