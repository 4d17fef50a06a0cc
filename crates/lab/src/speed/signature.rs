//! One number for the behaviour of an engine on a game: it changes when an answer in some fixed
//! games does.
//!
//! Random games are played with fixed seeds by the questions alone, and everything that is answered
//! goes into the number: keys of states, texts of legal moves, ends and goals. Every engine that
//! understands the game gives the same number, on every machine.

use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{Reasoner, Rng};

use super::SpeedError;

/// How many games are played.
const GAMES: u64 = 2;
/// They are cut after so many steps.
const STEPS: u32 = 40;

/// The signature of an engine on a game.
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

/// One signature for several games, in their order.
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
        // The order matters, and every bit of a value moves every bit of the sum sooner or later.
        let mixed = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn add_text(&mut self, text: &str) {
        self.add(fluent_key(text) as u64);
    }
}
