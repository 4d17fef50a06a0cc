//! Compares engines with each other and with the naive reasoner on a rule sheet.

use std::sync::Arc;
use std::time::Duration;

use ludorum_chain::ChainSettings;
use ludorum_logic::Rules;
use ludorum_propnet::CompiledGame;
use ludorum_propnet::pass::{self, Pass};
pub use ludorum_reasoner::testing::lockstep::lockstep;
use ludorum_reasoner::testing::naive::Naive;
use ludorum_reasoner::{GameWalker, ReasonerWalker, Rng};

use crate::engine::{Engine, EngineSettings};

/// Compares all engines on a sheet over some random playouts. Engines that decline it are left out.
pub fn engines(text: &str, engines: &[Engine], seed: u64, playouts: u32) -> Result<u32, String> {
    engines_with(text, engines, pass::FULL, seed, playouts)
}

/// Compares all engines with other passes over the network, which is compiled once for all of
/// them.
pub fn engines_with(
    text: &str,
    engines: &[Engine],
    passes: &[Pass],
    seed: u64,
    playouts: u32,
) -> Result<u32, String> {
    let rules = Rules::from_text(text).map_err(|problems| format!("{problems:?}"))?;
    let game = Arc::new(CompiledGame::with_passes(Arc::new(rules), passes));
    // The order trial takes longer than everything else on a small sheet, and its result depends
    // on the clock.
    let settings = EngineSettings {
        chain: ChainSettings {
            order_trial_time: Duration::ZERO,
            ..ChainSettings::default()
        },
        ..EngineSettings::default()
    };
    let mut walkers: Vec<(String, Box<dyn GameWalker>)> = Vec::new();
    for engine in engines {
        let reasoner = match engine.build_for(&game, &settings) {
            Ok(reasoner) => reasoner,
            Err(error) if error.is_declined() => continue,
            Err(error) => return Err(error.to_string()),
        };
        let walker = ReasonerWalker::new(reasoner).map_err(|error| error.to_string())?;
        walkers.push((engine.to_string(), Box::new(walker)));
    }
    let mut rng = Rng::new(seed);
    let mut compared = 0;
    for _ in 0..playouts {
        for (name, walker) in &mut walkers {
            walker.restart().map_err(|e| format!("{name}: {e}"))?;
        }
        compared += lockstep(&mut walkers, &mut rng, 12)?;
    }
    Ok(compared)
}

/// Compares an engine with the naive reasoner over one random playout.
pub fn with_naive(text: &str, engine: Engine, seed: u64, limit: u32) -> Result<u32, String> {
    let naive = Naive::new(text).ok_or("the naive reasoner finds negation in a cycle")?;
    let rules = Rules::from_text(text).map_err(|problems| format!("{problems:?}"))?;
    let mut walker = engine
        .walker(&Arc::new(rules))
        .map_err(|error| error.to_string())?;
    let mut rng = Rng::new(seed);
    let mut compared = 0;
    let mut state = naive.initial();
    loop {
        let at = |what: &str| format!("{what} in state {}", state.join(" "));
        same(&at("facts"), &walker.facts(), &state)?;
        let terminal = naive.is_terminal(&state);
        same(&at("terminal"), &walker.is_terminal(), &Ok(terminal))?;
        let mut joint = Vec::new();
        for (role, name) in naive.roles().iter().enumerate() {
            let legal = naive.legal(&state, name);
            same(&at("legal"), &walker.legal(role), &Ok(legal.clone()))?;
            let goal = naive.goal(&state, name);
            same(&at("goal"), &walker.goal(role), &Ok(goal))?;
            if !legal.is_empty() {
                joint.push(legal[rng.below(legal.len())].clone());
            }
        }
        compared += 1;
        if terminal || joint.len() < naive.roles().len() || compared > limit {
            return Ok(compared);
        }
        let next = naive.next(&state, &joint);
        walker.step(&joint).map_err(|e| e.to_string())?;
        state = next;
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, expected: &T) -> Result<(), String> {
    if got == expected {
        Ok(())
    } else {
        Err(format!("{what}: got {got:?}, expected {expected:?}"))
    }
}
