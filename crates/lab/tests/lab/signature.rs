//! The signature of the bundled games, as `ludorum bench --signature --engine propnet` prints it.

use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_lab::speed::signature::{combined, signature};
use ludorum_logic::Rules;

/// Changes only if an answer changes, or if a game is added or edited.
const SIGNATURE: u64 = 0x1366_5747_5221_3ba4;

#[test]
fn the_signature_of_the_shipped_games_is_as_recorded() {
    let of_game = |game: &ludorum_games::ShippedGame| {
        let rules = Rules::from_text(game.text).expect("a sheet without errors");
        signature(&Arc::new(rules), Engine::PROPNET)
            .unwrap_or_else(|error| panic!("{}: {error}", game.name))
    };
    let found = combined(ludorum_games::all().iter().map(of_game));
    assert_eq!(found, SIGNATURE, "{found:016x}");
}
