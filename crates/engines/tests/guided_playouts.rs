//! Guided playouts with scores for pairs of successive moves.

use std::sync::Arc;

use ludorum_logic::Rules;

use ludorum_prover::Prover;
use ludorum_reasoner::{MoveHistory, MovePair, PlayoutPolicy, Reasoner as _, Rng, guided_playout};

#[test]
fn scores_of_move_pairs_guide_the_next_move() {
    let sheet = "(role robot) (init (step 1)) (then 1 2) (then 2 3) (then 3 4)
        (choice a) (choice b) (<= (legal robot ?x) (choice ?x))
        (<= (next (step ?n)) (true (step ?m)) (then ?m ?n))
        (<= terminal (true (step 4))) (goal robot 70)";
    let mut prover = Prover::new(Arc::new(Rules::from_text(sheet).unwrap())).unwrap();
    let start = prover.initial().unwrap();
    let [a, b] = ["a", "b"].map(|text| prover.find_move(0, text).unwrap());
    let pair = |before, id| MovePair {
        before: (0, before),
        role: 0,
        id,
    };
    // The scores favour the other move after each move.
    let guide = PlayoutPolicy {
        epsilon: 0.0,
        epsilons: Vec::new(),
        scores: vec![vec![0.5; 2]],
        pairs: Some([(pair(a, b), 1.0), (pair(b, a), 1.0)].into_iter().collect()),
    };
    let mut history = MoveHistory::new(1);
    let mut rng = Rng::new(1);
    for _ in 0..50 {
        guided_playout(&mut prover, &start, &guide, &mut history, &mut rng, 10).unwrap();
    }
    let mut pairs: Vec<MovePair> = history.pairs.keys().copied().collect();
    pairs.sort_unstable_by_key(|pair| pair.id);
    let mut expected = [pair(a, b), pair(b, a)];
    expected.sort_unstable_by_key(|pair| pair.id);
    assert_eq!(pairs, expected);
    let played: u64 = history.pairs.values().map(|record| record.playouts).sum();
    assert_eq!(played, 100);
    assert_eq!(history.of(0, a).playouts, 50);
}
