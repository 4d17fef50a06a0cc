//! Criterion benchmarks of the stages from the rule sheet to the answers: parsing, normalising,
//! grounding, passes, single queries, playouts, drawing moves in lanes, and UCT selection in the
//! search tree.
//!
//! `cargo bench -p ludorum-experiments` runs all of them. A word after `--` selects those whose
//! name contains it. For results without timing noise, `cargo xtask instructions` counts
//! instructions instead.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ludorum_engines::{AnyReasoner, Engine};
use ludorum_ground::{GroundBudget, GroundProgram, ground};
use ludorum_lanes::Lanes;
use ludorum_logic::Rules;
use ludorum_propnet::pass::PassBudget;
use ludorum_propnet::{Network, build_network, pass};
use ludorum_reasoner::{Reasoner, Rng};
use ludorum_search::SelectionBenchmark;

/// Benchmark games: small and large, turn-taking and simultaneous, with deep and with wide rules.
const GAMES: [&str; 4] = ["tic-tac-toe", "connect-four", "breakthrough", "reversi"];

fn text(game: &str) -> &'static str {
    ludorum_games::find(game).map_or("", |game| game.text)
}

fn rules(game: &str) -> Arc<Rules> {
    Arc::new(Rules::from_text(text(game)).unwrap_or_else(|problems| panic!("{problems:?}")))
}

fn program(rules: &Rules) -> GroundProgram {
    ground(rules, &GroundBudget::default(), &mut |_| {})
        .unwrap_or_else(|verdict| panic!("{verdict}"))
}

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for game in GAMES {
        let text = text(game);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(game, |bencher| {
            bencher.iter(|| ludorum_gdl::parse(black_box(text)));
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("normalise");
    for game in GAMES {
        group.bench_function(game, |bencher| bencher.iter(|| rules(black_box(game))));
    }
    group.finish();
}

fn compiling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ground");
    group.sample_size(10);
    for game in GAMES {
        let rules = rules(game);
        group.bench_function(game, |bencher| bencher.iter(|| program(&rules)));
    }
    group.finish();
    let mut group = criterion.benchmark_group("passes");
    group.sample_size(10);
    for game in GAMES {
        let network: Network = build_network(&program(&rules(game)));
        for (name, passes) in [("paper", &pass::SIRONI_WINANDS[..]), ("full", pass::FULL)] {
            group.bench_function(BenchmarkId::new(name, game), |bencher| {
                bencher.iter_with_large_drop(|| {
                    pass::optimise(network.clone(), passes, PassBudget::unlimited())
                });
            });
        }
    }
    group.finish();
}

/// A complete random game by single queries, and one by the engine's own playout.
fn play(criterion: &mut Criterion, engine: Engine, game: &str, mut reasoner: AnyReasoner) {
    reasoner.wait_until_ready();
    let start = reasoner.initial().unwrap_or_else(|error| panic!("{error}"));
    let id = |what: &str| BenchmarkId::new(format!("{what}/{game}"), engine);
    let mut group = criterion.benchmark_group("step");
    let mut rng = Rng::new(1);
    group.sample_size(20);
    group.bench_function(id("questions"), |bencher| {
        bencher.iter(|| ludorum_reasoner::random_playout(&mut reasoner, &start, &mut rng, 100));
    });
    group.bench_function(id("playout"), |bencher| {
        bencher.iter(|| reasoner.playout(&start, &mut rng, 100));
    });
    group.finish();
}

fn playing(criterion: &mut Criterion) {
    for game in GAMES {
        let rules = rules(game);
        for engine in Engine::ALL {
            match engine.build(&rules) {
                Ok(reasoner) => play(criterion, engine, game, reasoner),
                Err(error) => eprintln!("{game}: {error}"),
            }
        }
    }
}

/// A game whose steps consist almost entirely of drawing one of `moves` moves.
fn many_moves(moves: u32) -> String {
    let numbers: Vec<String> = (0..moves)
        .map(|i| format!("(num {i}) (init (open {i}))"))
        .collect();
    let numbers = numbers.join(" ");
    format!(
        "(role r) {numbers} (legal r rest) (<= (legal r (shut ?x)) (true (open ?x)))
         (<= (next (open ?x)) (true (open ?x)) (not (does r (shut ?x)))) (goal r 0)
         (<= terminal (not (true (open 0))) (not (true (open 1))) (not (true (open 2))))"
    )
}

/// Steps of 512 parallel games.
fn drawing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("draw");
    for moves in [10, 100, 800] {
        let rules = Rules::from_text(&many_moves(moves)).unwrap_or_else(|p| panic!("{p:?}"));
        let network = pass::optimise(
            build_network(&program(&rules)),
            pass::FULL,
            PassBudget::unlimited(),
        );
        let mut lanes = Lanes::new(network);
        lanes.wait_until_ready();
        let start = lanes.initial().unwrap_or_else(|error| panic!("{error}"));
        let mut rng = Rng::new(1);
        group.throughput(Throughput::Elements(512 * 8));
        group.bench_function(BenchmarkId::from_parameter(moves), |bencher| {
            bencher.iter(|| lanes.playouts(std::slice::from_ref(&start), 512, &mut rng, 8));
        });
    }
    group.finish();
}

fn selecting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("select");
    for moves in [10, 100, 800] {
        let mut crossing =
            SelectionBenchmark::new(moves, "").unwrap_or_else(|error| panic!("{error}"));
        group.bench_function(BenchmarkId::new("uct", moves), |bencher| {
            bencher.iter(|| crossing.choose());
        });
    }
    group.finish();
}

criterion_group!(benches, reading, compiling, playing, drawing, selecting);
criterion_main!(benches);
