//! Differential tests: code of random graphs computes what the graph defines, on every backend.

use super::code::{Code, SectionRequest};
use super::graph::{EVERY_LANE, LaneGraph, Literal, Operation};
use super::interpreter;
use super::lane_random::LaneRandom;
use super::lane_word::LaneWord;
use super::native::{Instructions, Native};
use ludorum_reasoner::Rng;

/// The slots that are reserved for leaves and stores.
const RESERVED_SLOTS: u32 = 24;

/// A graph of random operations and two sections that store some of them, partly over leaves.
fn random_graph(rng: &mut Rng) -> (LaneGraph, Vec<SectionRequest>) {
    let mut graph = LaneGraph::new();
    let mut lits: Vec<Literal> = (0..12).map(|slot| graph.leaf(slot)).collect();
    if rng.below(4) == 0 {
        lits.push(EVERY_LANE);
    }
    // Some graphs are so long that native code for half words is split into pieces.
    let most = if rng.below(50) == 0 { 6_000 } else { 120 };
    let size = 1 + rng.below(most);
    for _ in 0..size {
        let recent = rng.below(2) == 0;
        let pick = |rng: &mut Rng| {
            let from = if recent {
                lits.len().saturating_sub(8)
            } else {
                0
            };
            lits[from + rng.below(lits.len() - from)] ^ rng.below(2) as u32
        };
        let lit = match rng.below(5) {
            0 => graph.odd([pick(rng), pick(rng), pick(rng)]),
            1 => graph.majority([pick(rng), pick(rng), pick(rng)]),
            2 => graph.and(&[pick(rng), pick(rng)]),
            _ => {
                let count = 2 + rng.below(7);
                let list: Vec<Literal> = (0..count).map(|_| pick(rng)).collect();
                if rng.below(2) == 0 {
                    graph.and(&list)
                } else {
                    graph.or(&list)
                }
            }
        };
        lits.push(lit);
    }
    let pick = |rng: &mut Rng| lits[rng.below(lits.len())] ^ rng.below(2) as u32;
    // The first section must not overwrite leaves, because the second reads them.
    let first = SectionRequest {
        stores: (12..12 + rng.below(4) as u32)
            .map(|slot| (pick(rng), slot))
            .collect(),
        keeps: (0..rng.below(4)).map(|_| pick(rng)).collect(),
        repeats: None,
    };
    let mut slots: Vec<u32> = (0..12).chain(16..RESERVED_SLOTS).collect();
    slots.retain(|_| rng.below(2) == 0);
    let second = SectionRequest {
        stores: slots.iter().map(|slot| (pick(rng), *slot)).collect(),
        keeps: Vec::new(),
        repeats: None,
    };
    (graph, vec![first, second])
}

/// The value of every node, by definition.
fn values(graph: &LaneGraph, memory: &[LaneWord]) -> Vec<LaneWord> {
    let mut values: Vec<LaneWord> = Vec::new();
    for node in 0..graph.len() as u32 {
        let read = |lit: &Literal| {
            let word = values[(lit >> 1) as usize];
            if lit & 1 == 1 {
                LaneWord::ALL.without(word)
            } else {
                word
            }
        };
        let arguments = graph.arguments(node);
        values.push(match graph.operation(node) {
            Operation::Constant => LaneWord::NONE,
            Operation::Leaf => memory[arguments[0] as usize],
            Operation::And => arguments
                .iter()
                .fold(LaneWord::ALL, |all, lit| all.and(read(lit))),
            Operation::Xor => arguments
                .iter()
                .fold(LaneWord::NONE, |odd, lit| odd.xor(read(lit))),
            Operation::Majority => {
                let [a, b, c] = [0, 1, 2].map(|i| read(&arguments[i]));
                a.and(b).or(b.and(c)).or(a.and(c))
            }
        });
    }
    values
}

#[test]
fn all_backends_compute_what_the_graph_defines() {
    let mut rng = Rng::new(11);
    let backends = [None, Some(Instructions::Avx2), Some(Instructions::Avx512)];
    for instructions in backends.into_iter().flatten() {
        if !instructions.is_supported() {
            eprintln!("skipped: this processor has no {instructions:?}");
        }
    }
    for round in 0..1500 {
        let (graph, requests) = random_graph(&mut rng);
        let code = Code::new(&graph, &requests, RESERVED_SLOTS);
        let mut start = vec![LaneWord::NONE; code.slots as usize];
        LaneRandom::new(round).fill(&mut start);
        let values = values(&graph, &start);
        let value = |lit: Literal| {
            let word = values[(lit >> 1) as usize];
            if lit & 1 == 1 {
                LaneWord::ALL.without(word)
            } else {
                word
            }
        };
        let mut expected = start[..RESERVED_SLOTS as usize].to_vec();
        for (lit, slot) in requests.iter().flat_map(|request| &request.stores) {
            expected[*slot as usize] = value(*lit);
        }
        for backend in backends {
            let mut memory = start.clone();
            match backend {
                None => (0..2).for_each(|section| interpreter::run(&code, section, &mut memory)),
                Some(instructions) => {
                    let Some(native) = Native::new(&code, instructions) else {
                        assert!(
                            !instructions.is_supported(),
                            "{instructions:?} compiles all code"
                        );
                        continue;
                    };
                    (0..2).for_each(|section| native.run(section, &mut memory));
                }
            }
            assert!(
                memory[..RESERVED_SLOTS as usize] == expected[..],
                "round {round} with {backend:?}"
            );
        }
    }
}
