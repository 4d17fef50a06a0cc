//! Repeats one workload for a program that counts instructions. `cargo xtask instructions` runs
//! this.
//!
//! `instructions PIECE GAME TIMES`: a piece is `parse`, `normalise`, `ground`, `passes`, `playout`,
//! or the name of an engine, which then answers the queries of a random game. The set-up is done
//! once, independent of TIMES, so the difference between two runs is the cost of the work alone.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_ground::{GroundBudget, ground};
use ludorum_logic::Rules;
use ludorum_propnet::{build_network, pass};
use ludorum_reasoner::{Reasoner, Rng, random_playout};

/// Maximum number of steps of a game.
const STEPS: u32 = 60;

pub(crate) fn run(words: &[String]) -> ExitCode {
    let [piece, game, times] = words else {
        eprintln!("usage: instructions PIECE GAME TIMES");
        return ExitCode::from(2);
    };
    let (Some(game), Ok(times)) = (ludorum_games::find(game), times.parse()) else {
        eprintln!("there is no such game, or the times are no number");
        return ExitCode::from(2);
    };
    match work(piece, game.text, times) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn work(piece: &str, text: &str, times: u32) -> Result<(), String> {
    let rules = || Rules::from_text(text).map_err(|problems| format!("{problems:?}"));
    let program = |rules: &Rules| {
        ground(rules, &GroundBudget::default(), &mut |_| {}).map_err(|verdict| verdict.to_string())
    };
    match piece {
        "parse" => {
            for _ in 0..times {
                black_box(ludorum_gdl::parse(black_box(text)));
            }
        }
        "normalise" => {
            for _ in 0..times {
                black_box(rules()?);
            }
        }
        "ground" => {
            let rules = rules()?;
            for _ in 0..times {
                black_box(program(&rules)?);
            }
        }
        "passes" => {
            let network = build_network(&program(&rules()?)?);
            for _ in 0..times {
                black_box(pass::optimise(
                    network.clone(),
                    pass::FULL,
                    pass::PassBudget::unlimited(),
                ));
            }
        }
        "playout" => play(Engine::PROPNET, rules()?, times, true)?,
        name => {
            let engine = name.parse::<Engine>().map_err(|error| error.to_string())?;
            play(engine, rules()?, times, false)?;
        }
    }
    Ok(())
}

fn play(engine: Engine, rules: Rules, times: u32, own: bool) -> Result<(), String> {
    let reasoner = engine.build(&Arc::new(rules));
    let mut reasoner = reasoner.map_err(|error| error.to_string())?;
    reasoner.wait_until_ready();
    let start = reasoner.initial().map_err(|error| error.to_string())?;
    let mut rng = Rng::new(1);
    for _ in 0..times {
        let played = if own {
            reasoner.playout(&start, &mut rng, STEPS)
        } else {
            random_playout(&mut reasoner, &start, &mut rng, STEPS)
        };
        black_box(played.map_err(|error| error.to_string())?);
    }
    Ok(())
}
