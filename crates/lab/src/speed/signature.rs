//! Signature of an engine on a game: a number that changes if an answer in some fixed playouts
//! changes.
//!
//! Random playouts with fixed seeds are made by single queries. All answers are hashed: state keys,
//! texts of legal moves, terminal status and goals. Every engine that supports the game gives the
//! same number on every machine.

use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{Reasoner, Rng};

use super::SpeedError;

/// Number of playouts.
const GAMES: u64 = 2;
/// Maximum number of steps of a playout.
const STEPS: u32 = 40;

/// Computes the signature of an engine on a game.
pub fn signature(rules: &Arc<Rules>, engine: Engine) -> Result<u64, SpeedError> {
    let mut reasoner = engine.build(rules)?;
    let mut sum = Sum(0);
    reasoner.wait_until_ready();
    let roles = reasoner.roles().to_vec();
    for role in &roles {
        sum.add_text(role);
    }
    let mut moves = Vec::new();
    for seed in 0..GAMES {
        let mut rng = Rng::new(seed);
        let mut state = reasoner.initial()?;
        for step in 0..=STEPS {
            let key = reasoner.key(&state);
            sum.add(key as u64 ^ (key >> 64) as u64);
            let terminal = reasoner.is_terminal(&state)?;
            sum.add(u64::from(terminal));
            let mut joint = Vec::with_capacity(roles.len());
            for role in 0..roles.len() {
                sum.add_text(&reasoner.goal(&state, role)?.to_string());
                reasoner.legal_moves(&state, role, &mut moves)?;
                for id in &moves {
                    sum.add_text(&reasoner.move_text(role, *id));
                }
                joint.extend(moves.get(rng.below(moves.len())));
            }
            if terminal || step == STEPS || joint.len() < roles.len() {
                break;
            }
            state = reasoner.next(&state, &joint)?;
        }
    }
    Ok(sum.0)
}

/// Combines the signatures of several games, in their order.
pub fn combined(signatures: impl IntoIterator<Item = u64>) -> u64 {
    let mut sum = Sum(0);
    for signature in signatures {
        sum.add(signature);
    }
    sum.0
}

struct Sum(u64);

impl Sum {
    fn add(&mut self, value: u64) {
        // The hash depends on the order of the values, and every bit of a value affects later sums.
        let mixed = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn add_text(&mut self, text: &str) {
        self.add(fluent_key(text) as u64);
    }
}
