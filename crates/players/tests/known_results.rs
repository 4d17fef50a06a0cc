//! Game-theoretic results that the players must find.

mod support;

use ludorum_reasoner::{Reasoner, Rng};
use support::{answer_at, minimax_value, move_value, net, net_from, play, play_steps};

#[test]
fn tree_search_never_loses_at_tic_tac_toe() {
    let net = net("tic-tac-toe");
    for game in 0..100u64 {
        let mcts = format!("mcts:simulations=4000,seed={game}");
        let other = match game % 4 {
            0 => format!("mcts:simulations=4000,seed={}", game + 1000),
            1 => format!("minimax:seed={game}"),
            _ => format!("random:seed={game}"),
        };
        let role = (game / 2 % 2) as usize;
        let mut specs = vec![other.clone(), other];
        specs[role] = mcts;
        let goals = play(&net, &specs);
        assert!(goals[role] >= 50, "game {game}: {specs:?} {goals:?}");
        if game % 4 < 2 {
            assert_eq!(goals, [50, 50], "game {game}: {specs:?}");
        }
    }
}

#[test]
fn tree_search_draws_tic_tac_toe_against_itself() {
    let net = net("tic-tac-toe");
    for seed in 0..100u64 {
        let mut specs = vec![
            format!("mcts:simulations=3000,seed={seed}"),
            format!("mcts:simulations=3000,final=secure,seed={}", seed + 7),
        ];
        if seed % 2 == 1 {
            specs.swap(0, 1);
        }
        assert_eq!(play(&net, &specs), [50, 50], "{specs:?}");
    }
}

/// States of a two-player game after `steps` random moves, with the role to move.
fn random_states(
    name: &str,
    steps: usize,
    seeds: std::ops::Range<u64>,
) -> Vec<(Vec<String>, usize)> {
    let mut net = net(name);
    let mut found = Vec::new();
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let mut state = net.initial().unwrap();
        let mut legal = Vec::new();
        for _ in 0..steps {
            if net.is_terminal(&state).unwrap() {
                break;
            }
            let mut joint = Vec::new();
            for role in 0..2 {
                net.legal_moves(&state, role, &mut legal).unwrap();
                joint.push(legal[rng.below(legal.len())]);
            }
            state = net.next(&state, &joint).unwrap();
        }
        if net.is_terminal(&state).unwrap() {
            continue;
        }
        for role in 0..2 {
            net.legal_moves(&state, role, &mut legal).unwrap();
            if legal.len() > 1 {
                found.push((net.facts(&state), role));
            }
        }
    }
    found
}

/// Asserts that tree search finds an optimal move in each state.
fn assert_perfect(name: &str, spec: &str, states: &[(Vec<String>, usize)]) {
    let mut net = net(name);
    assert!(states.len() >= 5, "{name}: {} states", states.len());
    for (facts, role) in states {
        let answer = answer_at(spec, &net, *role, facts);
        let value = move_value(&mut net, facts, *role, &answer.text);
        let best = minimax_value(&mut net, facts, *role);
        assert!(
            (value - best).abs() < 0.5,
            "{name}: {} is worth {value}, the best {best}, in {facts:?}",
            answer.text
        );
    }
}

#[test]
fn endgames_of_connect_four_are_solved() {
    let states = random_states("connect-four", 30, 0..200);
    assert_perfect("connect-four", "mcts:simulations=20000", &states[..8]);
}

/// Positions of small breakthrough with three pieces on each side, none on its goal rank.
fn breakthrough_states(seeds: std::ops::Range<u64>) -> Vec<(Vec<String>, usize)> {
    let files = ["a", "b", "c", "d", "e", "f"];
    let sides = ["white", "black"];
    let mut found = Vec::new();
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let role = rng.below(2);
        let mut squares: Vec<(usize, usize)> = Vec::new();
        while squares.len() < 6 {
            let rank = if squares.len() < 3 { 1 } else { 3 } + rng.below(3);
            let square = (rng.below(6), rank);
            if !squares.contains(&square) {
                squares.push(square);
            }
        }
        let pieces = squares.iter().enumerate();
        let pieces = pieces
            .map(|(i, (file, rank))| format!("(cell {} {rank} {})", files[*file], sides[i / 3]));
        let mut facts: Vec<String> = pieces.collect();
        facts.push(format!("(control {})", sides[role]));
        if facts
            .iter()
            .any(|fact| fact.contains(" 1 black") || fact.contains(" 6 white"))
        {
            continue;
        }
        found.push((facts, role));
    }
    found
}

#[test]
fn small_positions_of_breakthrough_are_solved() {
    let states = breakthrough_states(0..12);
    assert_perfect("breakthrough-small", "mcts:simulations=30000", &states);
}

/// Won positions of nim with few winning moves.
const HEAPS: [[u32; 4]; 8] = [
    [1, 2, 4, 0],
    [3, 3, 1, 0],
    [1, 3, 4, 0],
    [2, 1, 5, 0],
    [1, 1, 2, 3],
    [0, 3, 4, 1],
    [3, 4, 5, 0],
    [3, 5, 7, 0],
];

#[test]
fn tree_search_finds_a_winning_move_of_nim() {
    let mut net = net("nim");
    for heaps in HEAPS {
        let nimber = heaps.iter().fold(0, |sum, heap| sum ^ heap);
        assert_ne!(nimber, 0);
        let names = ["a", "b", "c", "d"].iter().zip(heaps);
        let mut facts: Vec<String> = names
            .clone()
            .map(|(name, heap)| format!("(heap {name} {heap})"))
            .collect();
        facts.push("(control first)".to_owned());
        let reachable = names
            .zip([3, 5, 7, 9])
            .all(|((_, heap), most)| heap <= most);
        assert!(reachable);
        let answer = answer_at("mcts:simulations=30000", &net, 0, &facts);
        let value = move_value(&mut net, &facts, 0, &answer.text);
        assert!((value - 100.0).abs() < 0.5, "{heaps:?}: {}", answer.text);
    }
}

#[test]
fn the_moves_of_rock_paper_scissors_are_mixed() {
    let net = net("rock-paper-scissors");
    let facts = ["(remaining 1)", "(score left 2)", "(score right 2)"].map(str::to_owned);
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..90usize {
        let spec = format!("mcts:simulations=1000,seed={seed}");
        let answer = answer_at(&spec, &net, seed % 2, &facts);
        *counts.entry(answer.text).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 3, "{counts:?}");
    assert!(
        counts.values().all(|count| (12..=50).contains(count)),
        "{counts:?}"
    );
}

/// Two roles take turns. Both get 100 only if each makes the right choice in all of its steps.
const TOGETHER: &str = "
    (role left) (role right)
    (init (step 1)) (init (key 0))
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (turn 1 left) (turn 2 right) (turn 3 left) (turn 4 right) (turn 5 left)
    (choice a) (choice b) (choice c)
    (<= (legal ?role ?choice) (true (step ?n)) (turn ?n ?role) (choice ?choice))
    (<= (legal ?role noop) (role ?role) (true (step ?n)) (not (turn ?n ?role)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (right 1 b) (right 2 c) (right 3 a) (right 4 a) (right 5 c)
    (<= (hit ?n) (true (step ?n)) (turn ?n ?role) (right ?n ?choice) (does ?role ?choice))
    (<= (next (missed)) (true (step ?n)) (not (hit ?n)))
    (<= (next (missed)) (true (missed)))
    (<= terminal (true (step 6)))
    (<= (goal ?role 100) (role ?role) (true (step 6)) (not (true (missed))))
    (<= (goal ?role 20) (role ?role) (true (missed)))
    (<= (goal ?role 0) (role ?role) (not (true (step 6))) (not (true (missed))))";

#[test]
fn players_that_maximise_their_own_goals_solve_a_cooperative_game() {
    let net = net_from(TOGETHER);
    for seed in 0..5 {
        let mcts = format!("mcts:simulations=3000,seed={seed}");
        assert_eq!(play(&net, &[mcts.clone(), mcts]), [100, 100]);
    }
    let maxn = "minimax:others=maxn".to_owned();
    assert_eq!(play(&net, &[maxn.clone(), maxn]), [100, 100]);
}

#[test]
fn searching_players_solve_small_puzzles() {
    for (name, spec) in [
        ("hanoi-3", "mcts:simulations=5000"),
        ("hanoi-3", "minimax"),
        ("buttons", "mcts:simulations=2000"),
        ("buttons", "mcs:simulations=2000"),
    ] {
        assert_eq!(
            play(&net(name), &[spec.to_owned()]),
            [100],
            "{name}: {spec}"
        );
    }
}

#[test]
fn six_roles_play_their_first_moves() {
    let spec = "mcts:simulations=200,limit=100".to_owned();
    let (mut net, state) = play_steps(&net("chinese-checkers-6"), &vec![spec; 6], 8);
    assert!(!net.is_terminal(&state).unwrap());
}

#[test]
fn one_ply_takes_a_win_and_avoids_a_loss() {
    let net = net("tic-tac-toe");
    let facts = |cells: &[&str]| {
        let mut facts: Vec<String> = cells.iter().map(|cell| format!("(cell {cell})")).collect();
        facts.push("(control xplayer)".to_owned());
        facts
    };
    let board = facts(&[
        "1 1 x",
        "1 2 x",
        "1 3 blank",
        "2 1 o",
        "2 2 o",
        "2 3 blank",
        "3 1 blank",
        "3 2 blank",
        "3 3 blank",
    ]);
    for seed in 0..5 {
        let answer = answer_at(&format!("one-ply:seed={seed}"), &net, 0, &board);
        assert_eq!(answer.text, "(mark 1 3)");
        assert!(answer.report.proven);
    }
}
