//! On random rule sheets the prover agrees with the naive reasoner, and every engine with the
//! prover.
//!
//! `LUDORUM_RANDOM_SHEETS` sets the number of sheets. The default keeps a normal test run short.

use ludorum_engines::Engine;
use ludorum_engines::testing::compare;
use ludorum_propnet::Pass;
use ludorum_reasoner::Rng;
use ludorum_reasoner::testing::generate;
use ludorum_reasoner::testing::shrink;

fn count(default: u64) -> u64 {
    std::env::var("LUDORUM_RANDOM_SHEETS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

/// Runs a comparison over many sheets; on failure shows the smallest failing one.
fn for_sheets(count: u64, compare: impl Fn(&str, u64) -> Result<u32, String>) {
    let mut states = 0;
    for seed in 0..count {
        let text = generate::sheet(seed);
        match compare(&text, seed) {
            Ok(compared) => states += u64::from(compared),
            Err(problem) => {
                let small = shrink::shrink(&text, |text| {
                    compare(text, seed).is_err_and(|p| kind(&p) == kind(&problem))
                });
                let again = compare(&small, seed).unwrap_err();
                panic!("seed {seed}: {problem}\n\nsmallest sheet:\n{small}\n{again}");
            }
        }
    }
    assert!(states > count, "most sheets should be played some steps");
}

/// The first word of a problem, so that shrinking keeps to the same problem.
fn kind(problem: &str) -> &str {
    problem.split_whitespace().next().unwrap_or("")
}

#[test]
fn generated_sheets_are_valid() {
    for seed in 0..500 {
        let text = generate::sheet(seed);
        let parsed = ludorum_gdl::parse(&text);
        assert!(!parsed.has_errors(), "seed {seed}: {text}");
        let problems = ludorum_gdl::check(&parsed.description);
        // Compound roles are not valid GDL, but the engines agree about them nevertheless.
        let is_error = |code: &str, error: bool| error && code != "E102";
        let error = problems
            .iter()
            .find(|problem| is_error(problem.code, problem.is_error()));
        assert!(error.is_none(), "seed {seed}: {error:?}\n{text}");
    }
}

#[test]
fn variables_stand_for_whole_fluents_and_moves_in_some_sheets() {
    let sheets: String = (0..200).map(generate::sheet).collect();
    for part in [
        "(true ?u",
        "(not (true ?u",
        "(next ?u",
        " ?u0) (",
        "(legal ?r ?u",
    ] {
        assert!(sheets.contains(part), "{part}");
    }
    let does = sheets.split("(does ").skip(1);
    let whole = |rest: &str| {
        rest.split(')')
            .next()
            .is_some_and(|move_| move_.contains(" ?u"))
    };
    assert!(does.into_iter().any(whole));
}

#[test]
fn the_prover_agrees_with_the_naive_reasoner() {
    for_sheets(count(2_000), |text, seed| {
        compare::with_naive(text, Engine::PROVER, seed, 6)
    });
}

#[test]
fn all_engines_agree() {
    for_sheets(count(1_000), |text, seed| {
        compare::engines(text, &Engine::variants(), seed, 3)
    });
}

/// The reference engine and the engines on a network. Cached engines are left out, because they use
/// the same networks.
fn networks() -> Vec<Engine> {
    let plays_on_one = |engine: &Engine| engine.properties().grounds && !engine.is_cached();
    let networks = Engine::variants().into_iter().filter(plays_on_one);
    std::iter::once(Engine::PROVER).chain(networks).collect()
}

#[test]
fn every_single_pass_preserves_behaviour() {
    for_sheets(count(300), |text, seed| {
        let mut compared = 0;
        for pass in Pass::ALL {
            compared += compare::engines_with(text, &networks(), &[pass], seed, 2)
                .map_err(|problem| format!("{problem}\nafter {pass}"))?;
        }
        Ok(compared)
    });
}

#[test]
fn any_sequence_of_passes_preserves_behaviour() {
    for_sheets(count(1_000), |text, seed| {
        let mut rng = Rng::new(seed);
        let passes: Vec<Pass> = (0..=rng.below(8))
            .map(|_| Pass::ALL[rng.below(Pass::ALL.len())])
            .collect();
        compare::engines_with(text, &networks(), &passes, seed, 3)
            .map_err(|problem| format!("{problem}\nafter {passes:?}"))
    });
}
