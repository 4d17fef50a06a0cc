//! On every shipped game the network agrees with the prover: without passes, with the passes of
//! Sironi and Winands 2016, and with all passes.

use std::sync::Arc;

use ludorum_engines::testing::compare;
use ludorum_engines::{Engine, Propagation};
use ludorum_logic::Rules;
use ludorum_propnet::PassList;
use ludorum_propnet::pass::{FULL, Pass, SIRONI_WINANDS};
use ludorum_reasoner::{GameWalker, Rng};

/// The step limit of a playout.
const STEPS: u32 = 25;

#[test]
fn passes_preserve_the_behaviour_of_every_shipped_game() {
    for game in ludorum_games::all() {
        let rules = Arc::new(Rules::from_text(game.text).expect("a shipped game"));
        let mut rng = Rng::new(7);
        let some: Vec<Pass> = (0..6)
            .map(|_| Pass::ALL[rng.below(Pass::ALL.len())])
            .collect();
        let lists: [(Engine, &[Pass]); 5] = [
            (Engine::PROPNET.with_propagation(Propagation::Backward), &[]),
            (
                Engine::PROPNET.with_propagation(Propagation::Backward),
                &SIRONI_WINANDS,
            ),
            (Engine::PROPNET.with_propagation(Propagation::Forward), FULL),
            (Engine::PROPNET, FULL),
            (Engine::PROPNET, &some),
        ];
        // The reference engine is compared as well: all networks could have the same error.
        let prover = Engine::PROVER.walker(&rules).expect("the reference");
        let mut walkers: Vec<(String, Box<dyn GameWalker>)> = vec![("prover".to_owned(), prover)];
        for (engine, passes) in lists {
            let walker = engine
                .with_passes(PassList::from_slice(passes))
                .walker(&rules);
            let walker = walker.unwrap_or_else(|error| panic!("{}: {error}", game.name));
            walkers.push((format!("{engine} after {passes:?}"), walker));
        }
        for _ in 0..2 {
            for (_, walker) in &mut walkers {
                walker.restart().expect("an initial state");
            }
            if let Err(problem) = compare::lockstep(&mut walkers, &mut rng, STEPS) {
                panic!("{}: {problem}", game.name);
            }
        }
    }
}
