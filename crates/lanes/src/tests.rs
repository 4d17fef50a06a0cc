//! Code of random graphs does what the graph says, on everything that runs code.

use super::code::{Code, Wish};
use super::graph::{ALL, Graph, Lit, Operation};
use super::interpreter;
use super::native::{Instructions, Native};
use super::random::Random;
use super::word::Word;
use ludorum_reasoner::dice::Dice;

/// The slots that belong to leaves and stores.
const GIVEN: u32 = 24;

/// A graph of random operations and two sections that store some of them, also over leaves.
fn random_graph(dice: &mut Dice) -> (Graph, Vec<Wish>) {
    let mut graph = Graph::new();
    let mut lits: Vec<Lit> = (0..12).map(|slot| graph.leaf(slot)).collect();
    if dice.below(4) == 0 {
        lits.push(ALL);
    }
    // Some are so long that native code comes in pieces.
    let most = if dice.below(50) == 0 { 6_000 } else { 120 };
    let size = 1 + dice.below(most);
    for _ in 0..size {
        let recent = dice.below(2) == 0;
        let pick = |dice: &mut Dice| {
            let from = if recent {
                lits.len().saturating_sub(8)
            } else {
                0
            };
            lits[from + dice.below(lits.len() - from)] ^ dice.below(2) as u32
        };
        let lit = match dice.below(5) {
            0 => graph.odd([pick(dice), pick(dice), pick(dice)]),
            1 => graph.majority([pick(dice), pick(dice), pick(dice)]),
            2 => graph.and(&[pick(dice), pick(dice)]),
            _ => {
                let count = 2 + dice.below(7);
                let list: Vec<Lit> = (0..count).map(|_| pick(dice)).collect();
                if dice.below(2) == 0 {
                    graph.and(&list)
                } else {
                    graph.or(&list)
                }
            }
        };
        lits.push(lit);
    }
    let pick = |dice: &mut Dice| lits[dice.below(lits.len())] ^ dice.below(2) as u32;
    // The first section writes no leaf, for the second reads them too.
    let first = Wish {
        stores: (12..12 + dice.below(4) as u32)
            .map(|slot| (pick(dice), slot))
            .collect(),
        keeps: (0..dice.below(4)).map(|_| pick(dice)).collect(),
        repeats: false,
    };
    let mut slots: Vec<u32> = (0..12).chain(16..GIVEN).collect();
    slots.retain(|_| dice.below(2) == 0);
    let second = Wish {
        stores: slots.iter().map(|slot| (pick(dice), *slot)).collect(),
        keeps: Vec::new(),
        repeats: false,
    };
    (graph, vec![first, second])
}

/// What every node is, by its definition.
fn values(graph: &Graph, memory: &[Word]) -> Vec<Word> {
    let mut values: Vec<Word> = Vec::new();
    for node in 0..graph.len() as u32 {
        let read = |lit: &Lit| {
            let word = values[(lit >> 1) as usize];
            if lit & 1 == 1 {
                Word::ALL.without(word)
            } else {
                word
            }
        };
        let arguments = graph.arguments(node);
        values.push(match graph.operation(node) {
            Operation::Constant => Word::NONE,
            Operation::Leaf => memory[arguments[0] as usize],
            Operation::And => arguments
                .iter()
                .fold(Word::ALL, |all, lit| all.and(read(lit))),
            Operation::Xor => arguments
                .iter()
                .fold(Word::NONE, |odd, lit| odd.xor(read(lit))),
            Operation::Majority => {
                let [a, b, c] = [0, 1, 2].map(|i| read(&arguments[i]));
                a.and(b).or(b.and(c)).or(a.and(c))
            }
        });
    }
    values
}

#[test]
fn everything_that_runs_code_does_what_the_graph_says() {
    let mut dice = Dice::new(11);
    let backends = [None, Some(Instructions::Avx2), Some(Instructions::Avx512)];
    for instructions in backends.into_iter().flatten() {
        if !instructions.are_there() {
            eprintln!("skipped: this processor has no {instructions:?}");
        }
    }
    for round in 0..1500 {
        let (graph, wishes) = random_graph(&mut dice);
        let code = Code::new(&graph, &wishes, GIVEN);
        let mut start = vec![Word::NONE; code.slots as usize];
        Random::new(round).fill(&mut start);
        let values = values(&graph, &start);
        let value = |lit: Lit| {
            let word = values[(lit >> 1) as usize];
            if lit & 1 == 1 {
                Word::ALL.without(word)
            } else {
                word
            }
        };
        let mut expected = start[..GIVEN as usize].to_vec();
        for (lit, slot) in wishes.iter().flat_map(|wish| &wish.stores) {
            expected[*slot as usize] = value(*lit);
        }
        for backend in backends {
            let mut memory = start.clone();
            match backend {
                None => (0..2).for_each(|section| interpreter::run(&code, section, &mut memory)),
                Some(instructions) => {
                    let Some(native) = Native::new(&code, instructions) else {
                        assert!(
                            !instructions.are_there(),
                            "{instructions:?} compiles all code"
                        );
                        continue;
                    };
                    (0..2).for_each(|section| native.run(section, &mut memory));
                }
            }
            assert!(
                memory[..GIVEN as usize] == expected[..],
                "round {round} with {backend:?}"
            );
        }
    }
}
