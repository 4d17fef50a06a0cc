//! From text to normalised rules and domains: every shipped game, and every sheet of `shared/games`
//! when it is there.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ludorum_logic::{Domains, Rules};

fn normalise(text: &str) -> usize {
    let rules = Rules::from_text(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    black_box(Domains::new(&rules));
    rules.rules.len()
}

fn sheets(folder: &Path) -> Vec<String> {
    let collections = std::fs::read_dir(folder).into_iter().flatten().flatten();
    collections
        .flat_map(|collection| std::fs::read_dir(collection.path()).into_iter().flatten())
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path()).ok())
        .collect()
}

fn benchmarks(criterion: &mut Criterion) {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let shipped: Vec<String> = ludorum_games::all()
        .iter()
        .map(|game| game.text.to_owned())
        .collect();
    for (name, texts) in [
        ("shipped games", shipped),
        ("shared games", sheets(&shared)),
    ] {
        if texts.is_empty() {
            eprintln!("skipped: no {name}");
            continue;
        }
        let mut group = criterion.benchmark_group("parse, normalise, domains");
        group.throughput(Throughput::Bytes(
            texts.iter().map(|t| t.len() as u64).sum(),
        ));
        group.sample_size(10);
        group.bench_function(name, |bencher| {
            bencher.iter(|| texts.iter().map(|text| normalise(text)).sum::<usize>());
        });
        group.finish();
    }
}

criterion_group!(benches, benchmarks);
criterion_main!(benches);
