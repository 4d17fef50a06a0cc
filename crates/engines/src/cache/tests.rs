//! Tests of the cache.

use std::sync::Arc;

use ludorum_logic::Rules;

use super::shard::Shard;
use super::*;
use ludorum_prover::Prover;
use ludorum_reasoner::{PlayoutEnd, Rng, random_playout};

fn prover(game: &str) -> Prover {
    let game = ludorum_games::find(game).expect("a shipped game");
    Prover::new(Arc::new(Rules::from_text(game.text).expect("rules"))).expect("a prover")
}

#[test]
fn an_answer_is_computed_once() {
    let mut cached = Cached::new(prover("tic-tac-toe"), DEFAULT_BYTES);
    let start = cached.initial().unwrap();
    let mut rng = Rng::new(3);
    let mut again = rng.clone();
    let first = cached.playout(&start, &mut rng, 100).unwrap();
    let cold = cached.cache_report().unwrap();
    assert_eq!(cold.next.hits, 0);
    assert_eq!(cached.playout(&start, &mut again, 100).unwrap(), first);
    let warm = cached.cache_report().unwrap();
    assert_eq!(warm.next.hits, u64::from(first.steps));
    assert_eq!(warm.total().asked, 2 * cold.total().asked);
    assert_eq!(warm.total().hits, cold.total().asked);
    assert_eq!(warm.items, cold.items);
}

#[test]
fn a_full_cache_stays_within_its_bound_and_answers_correctly() {
    let mut plain = prover("connect-four");
    let bound = 1 << 20;
    let mut cached = Cached::new(prover("connect-four"), bound);
    let (start, same) = (plain.initial().unwrap(), cached.initial().unwrap());
    let (mut rng, mut same_rng) = (Rng::new(1), Rng::new(1));
    for _ in 0..100 {
        let expected = plain.playout(&start, &mut rng, 100).unwrap();
        let got = cached.playout(&same, &mut same_rng, 100).unwrap();
        assert_eq!(got, expected);
        let report = cached.cache_report().unwrap();
        assert!(report.bytes <= bound, "{report:?}");
    }
    let report = cached.cache_report().unwrap();
    assert!(report.evicted > 0 && report.items > 0, "{report:?}");
}

#[test]
fn a_cache_of_size_0_stores_nothing() {
    let mut cached = Cached::new(prover("nim"), 0);
    let start = cached.initial().unwrap();
    for seed in 0..3 {
        let playout = cached.playout(&start, &mut Rng::new(seed), 100).unwrap();
        assert_eq!(playout.end, PlayoutEnd::Terminal);
    }
    let report = cached.cache_report().unwrap();
    assert_eq!((report.items, report.bytes, report.total().hits), (0, 0, 0));
}

#[test]
fn recurring_states_are_kept_when_others_are_evicted() {
    let mut cached = Cached::new(prover("breakthrough-small"), 1 << 20);
    let start = cached.initial().unwrap();
    let mut rng = Rng::new(1);
    // Every playout queries the start state again, and many states that do not recur.
    for _ in 0..60 {
        cached.playout(&start, &mut rng, 200).unwrap();
    }
    let before = cached.cache_report().unwrap();
    assert!(before.evicted > 0, "{before:?}");
    cached.is_terminal(&start).unwrap();
    assert_eq!(
        cached.cache_report().unwrap().terminal.hits,
        before.terminal.hits + 1
    );
}

/// A state that consists of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Number(u32);

impl HeapSize for Number {
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Makes two queries about a state. Returns the number of hits.
fn visit(shard: &mut Shard<Number>, state: u32) -> usize {
    let hash = u64::from(state).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let state = Number(state);
    let mut hits = 0;
    match shard.answer(&state, hash, |known| known.terminal) {
        Some(_) => hits += 1,
        None => shard.insert(&state, hash, |known| known.terminal = Some(false)),
    }
    match shard.answer(&state, hash, |known| known.legal[0].clone()) {
        Some(_) => hits += 1,
        None => shard.insert(&state, hash, |known| known.legal[0] = Some([].into())),
    }
    hits
}

#[test]
fn states_seen_once_do_not_evict_recurring_states() {
    let mut shard = Shard::new(1, 40_000);
    let mut capacity = 0;
    while shard.report().evicted == 0 {
        visit(&mut shard, 1_000_000 + capacity);
        capacity += 1;
    }
    // The recurring states take two fifths of the capacity.
    let recurring = capacity * 2 / 5;
    for state in 0..recurring {
        visit(&mut shard, state);
    }
    for once in 0..50 * recurring {
        assert_eq!(visit(&mut shard, 100_000 + once), 0, "it is new");
        let state = once % recurring;
        assert_eq!(visit(&mut shard, state), 2, "{state} after {once} others");
    }
}

#[test]
fn illegal_moves_are_rejected_before_and_after_legal_ones() {
    let mut cached = Cached::new(prover("tic-tac-toe"), DEFAULT_BYTES);
    let start = cached.initial().unwrap();
    let mark = cached.find_move(0, "(mark 1 1)").unwrap();
    let noop = cached.find_move(1, "noop").unwrap();
    let (bad, unknown) = (cached.find_move(1, "(mark 1 1)").unwrap(), MoveId(9_999));
    for _ in 0..2 {
        assert!(cached.next(&start, &[mark, bad]).is_err());
        assert!(cached.next(&start, &[mark, unknown]).is_err());
        assert!(cached.next(&start, &[mark]).is_err());
        assert!(cached.goal(&start, 2).is_err());
        assert!(cached.next(&start, &[mark, noop]).is_ok());
    }
}

#[test]
fn forks_share_the_cache() {
    let mut cached = Cached::new(prover("connect-four"), DEFAULT_BYTES);
    let start = cached.initial().unwrap();
    let expected = cached.playout(&start, &mut Rng::new(1), 100).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let mut fork = cached.fork();
            let (start, expected) = (&start, &expected);
            scope.spawn(move || {
                for seed in [1, 2, 3, 1, 2, 3] {
                    let playout = fork.playout(start, &mut Rng::new(seed), 100).unwrap();
                    assert!(seed != 1 || playout == *expected);
                }
            });
        }
    });
    let report = cached.cache_report().unwrap();
    assert!(
        report.next.hits >= 6 * u64::from(expected.steps),
        "{report:?}"
    );
}

#[test]
fn cached_playouts_equal_playouts_through_queries() {
    // The last game is stuck in its initial state: the second role has no legal move.
    let stuck = "(role a) (role b) (init (on)) (legal a go) (<= (legal b go) (true (off)))
        (<= (next (on)) (true (on))) (<= terminal (true (off))) (<= (goal a 1) (true (on)))";
    let stuck = Prover::new(Arc::new(Rules::from_text(stuck).unwrap())).unwrap();
    for prover in [prover("pursuit"), prover("tic-tac-toe"), stuck] {
        let mut plain = prover.fork();
        let start = plain.initial().unwrap();
        let mut cached = Cached::new(prover, DEFAULT_BYTES);
        // Seeds repeat, so that playouts are uncached, partly cached and fully cached.
        for seed in [1, 2, 3, 1, 2, 4, 1] {
            for limit in [0, 3, 200] {
                let (mut rng, mut same) = (Rng::new(seed), Rng::new(seed));
                let expected = random_playout(&mut plain, &start, &mut rng, limit);
                let got = cached.playout(&start, &mut same, limit);
                assert_eq!(got, expected);
                assert_eq!(same.next_u64(), rng.next_u64());
            }
        }
    }
}
