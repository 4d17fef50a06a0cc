//! On random games the staged engine agrees with the prover, whatever the options are.

use ludorum_engines::Engine;
use ludorum_factor::{StageOptions, TurnStages};
use ludorum_lanes::StagedLanes;
use ludorum_reasoner::testing::generate;
use ludorum_reasoner::testing::shrink;
use ludorum_reasoner::{ReasonError, Reasoner, Rng};

use super::means;
use super::move_games;
use super::support::{compare, interpreted};
use super::uniform;
use ludorum_logic::Rules;
use std::sync::Arc;

fn count(default: u64) -> u64 {
    std::env::var("LUDORUM_RANDOM_SHEETS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

/// Ways to stage a game. Small games need low bounds so that everything happens to them.
fn options() -> Vec<(&'static str, StageOptions)> {
    let all = StageOptions {
        large: 1,
        assume_above: 0,
        ..StageOptions::default()
    };
    vec![
        ("default", StageOptions::default()),
        ("assumptions", all),
        (
            "suffix",
            StageOptions {
                suffix_groups: 1,
                ..all
            },
        ),
        (
            "suffixes",
            StageOptions {
                suffix_groups: 2,
                assume: false,
                remember_failures: true,
                ..all
            },
        ),
        (
            "by no turn",
            StageOptions {
                turns: TurnStages::Ignored,
                suffix_groups: 1,
                ..all
            },
        ),
        (
            "failures",
            StageOptions {
                remember_failures: true,
                assume: false,
                turns: TurnStages::Ignored,
                ..all
            },
        ),
        (
            "shared turns",
            StageOptions {
                turns: TurnStages::Shared,
                suffix_groups: 1,
                ..all
            },
        ),
        (
            "failures by turn",
            StageOptions {
                remember_failures: true,
                ..all
            },
        ),
    ]
}

/// How often each part of the rewriting occurred.
#[derive(Debug, Default)]
struct Features {
    staged: u32,
    refused: u32,
    suffix: u32,
    turns: u32,
    simultaneous: u32,
    tried: u32,
    known: u32,
    assumed: u32,
    split: u32,
    whole: u32,
    states: u32,
}

impl Features {
    fn note(&mut self, staged: &StagedLanes) {
        let game = staged.staged_game();
        let mut add = |what: fn(&mut Self) -> &mut u32, holds: bool| {
            *what(self) += u32::from(holds);
        };
        let constants = |class: &ludorum_factor::MoveClass| {
            let is_constant = |source: &ludorum_factor::ArgumentSource| {
                matches!(source, ludorum_factor::ArgumentSource::Constant(_))
            };
            class.arguments.iter().any(is_constant)
        };
        add(|f| &mut f.staged, true);
        add(|f| &mut f.suffix, game.has_suffix.contains(&true));
        add(|f| &mut f.turns, game.turns.is_some());
        add(
            |f| &mut f.simultaneous,
            game.stages.iter().any(|stage| stage.roles.len() > 1),
        );
        add(|f| &mut f.tried, game.remembers_failures);
        add(
            |f| &mut f.known,
            game.classes.iter().any(|class| class.known.is_some()),
        );
        add(|f| &mut f.assumed, !game.assumed.is_empty());
        add(|f| &mut f.split, game.classes.iter().any(constants));
        add(
            |f| &mut f.whole,
            game.classes.iter().any(|class| class.suffix.is_none()),
        );
    }
}

/// The staged game of a sheet; `None` if it is not staged for a reason that is no error.
fn build(text: &str, options: StageOptions) -> Result<Option<StagedLanes>, String> {
    let rules = Arc::new(Rules::from_text(text).map_err(|problems| format!("{problems:?}"))?);
    match interpreted(&rules, options) {
        Ok(staged) => Ok(Some(staged)),
        Err(ludorum_lanes::StagedError::Rules(
            error @ ludorum_factor::NotApplicable::Invalid { .. },
        )) => Err(error.to_string()),
        Err(ludorum_lanes::StagedError::Rules(_)) => Ok(None),
        // A game in which no move can be made has no stages.
        Err(ludorum_lanes::StagedError::Incomplete) if !has_moves(&rules) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether each role has a move in the initial state.
fn has_moves(rules: &Arc<Rules>) -> bool {
    let mut prover = Engine::PROVER.build(rules).expect("the prover");
    let start = prover.initial().expect("a state");
    let mut moves = Vec::new();
    (0..prover.roles().len()).all(|role| {
        prover.legal_moves(&start, role, &mut moves).expect("moves");
        !moves.is_empty()
    })
}

/// Compares one sheet with the prover under one way to stage it.
fn check(
    text: &str,
    options: StageOptions,
    seed: u64,
) -> Result<Option<(StagedLanes, u32)>, String> {
    let Some(mut staged) = build(text, options)? else {
        return Ok(None);
    };
    let rules = Arc::new(Rules::from_text(text).map_err(|problems| format!("{problems:?}"))?);
    let states = compare(&rules, &mut staged, seed, 3, 8)?;
    Ok(Some((staged, states)))
}

/// The first word of a problem, so that shrinking keeps to the same problem.
fn kind(problem: &str) -> &str {
    problem.split_whitespace().next().unwrap_or("")
}

fn report(text: &str, options: StageOptions, seed: u64, title: &str, problem: &str) -> ! {
    let small = shrink::shrink(text, |text| {
        let outcome = std::panic::catch_unwind(|| check(text, options, seed));
        matches!(outcome, Ok(Err(p)) if kind(&p) == kind(problem))
    });
    let again = check(&small, options, seed).err();
    panic!("seed {seed}, {title}: {problem}\n\nsmallest sheet:\n{small}\n{again:?}");
}

#[test]
fn random_games_of_moves_agree_with_the_prover() {
    let mut features = Features::default();
    let (mut with_turns, mut with_questions) = (0, 0);
    for seed in 0..count(40) {
        let game = move_games::game(seed);
        with_turns += u32::from(game.turns);
        with_questions += u32::from(game.asks);
        for (title, options) in options() {
            match check(&game.text, options, seed) {
                Ok(Some((staged, states))) => {
                    features.note(&staged);
                    features.states += states;
                }
                Ok(None) => features.refused += 1,
                Err(problem) => report(&game.text, options, seed, title, &problem),
            }
        }
    }
    println!("{features:?}, turns {with_turns}, asks {with_questions}");
    let parts = [
        features.suffix,
        features.turns,
        features.simultaneous,
        features.tried,
        features.known,
        features.assumed,
        features.split,
        features.whole,
    ];
    assert!(parts.iter().all(|part| *part >= 10), "{features:?}");
    assert!(features.refused < features.staged, "{features:?}");
}

#[test]
fn random_sheets_agree_with_the_prover() {
    let mut features = Features::default();
    for seed in 0..count(150) {
        let text = generate::sheet(seed);
        for (title, options) in options() {
            match check(&text, options, seed) {
                Ok(Some((staged, states))) => {
                    features.note(&staged);
                    features.states += states;
                }
                Ok(None) => features.refused += 1,
                Err(problem) => report(&text, options, seed, title, &problem),
            }
        }
    }
    println!("{features:?}");
    assert!(features.staged > 100, "{features:?}");
}

#[test]
fn first_moves_of_random_games_are_uniform() {
    let mut tested = 0;
    for seed in 0..count(25) {
        let game = move_games::game(seed);
        for (title, options) in options() {
            let Ok(Some(mut staged)) = build(&game.text, options) else {
                continue;
            };
            let mut rng = Rng::new(seed);
            let mut state = staged.initial().expect("a state");
            for _ in 0..2 {
                match uniform::check_state(&mut staged, &state, &mut rng, 40, 400) {
                    Ok(true) => tested += 1,
                    Ok(false) => {}
                    Err(problem) => panic!("seed {seed}, {title}: {problem}\n{}", game.text),
                }
                match uniform::random_successor(&mut staged, &state, &mut rng) {
                    Some(next) => state = next,
                    None => break,
                }
            }
        }
    }
    println!("{tested} states");
    assert!(tested > 100);
}

#[test]
fn playouts_of_random_games_have_the_same_means() {
    let (mut tested, mut abandoned) = (0, 0);
    for seed in 0..count(25) {
        let game = move_games::game(seed);
        let rules = Arc::new(Rules::from_text(&game.text).expect("rules"));
        let Ok(mut lanes) = Engine::LANES.build(&rules) else {
            continue;
        };
        let start = lanes.initial().expect("a state");
        if lanes.is_terminal(&start) != Ok(false) {
            continue;
        }
        let right = means::means(&mut lanes, 40, 100, 12).expect("playouts");
        for (title, options) in options() {
            // Playouts that leave an assumption, or of which few candidates are accepted, take long to
            // be abandoned.
            if options.suffix_groups > 0 && !game.turns {
                continue;
            }
            let options = StageOptions {
                assume: false,
                ..options
            };
            let Ok(Some(mut staged)) = build(&game.text, options) else {
                continue;
            };
            match means::means(&mut staged, 40, 100, 12) {
                Ok(found) => {
                    tested += 1;
                    if let Err(problem) = means::same(&right, &found) {
                        panic!("seed {seed}, {title}: {problem}\n{}", game.text);
                    }
                }
                // A role without a legal move, or one whose candidates are hardly ever accepted.
                Err(ReasonError::Budget(_)) => abandoned += 1,
                Err(error) => panic!("seed {seed}, {title}: {error}\n{}", game.text),
            }
        }
    }
    println!("{tested} games, {abandoned} abandoned");
    assert!(tested > 30);
}
