//! The contract of a player, for all players: legal moves, deadlines, reproducibility, errors.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_lanes::Lanes;
use ludorum_logic::Rules;
use ludorum_players::registry::players;
use ludorum_players::{PlayError, PlayerSpec};
use ludorum_prover::Prover;
use ludorum_reasoner::Reasoner as _;
use support::{answer_at, net, net_from, never, play, player, rules};

/// The spec of a player with a small budget, if it needs one.
fn small(name: &str) -> String {
    match name {
        "mcs" | "mcts" | "mini" | "mini-base" | "mini-1s" | "solo" | "ludorum" => {
            format!("{name}:simulations=300")
        }
        "minimax" => format!("{name}:positions=2000"),
        _ => name.to_owned(),
    }
}

#[test]
fn every_player_plays_games_of_all_kinds_to_their_end() {
    for game in [
        "tic-tac-toe",
        "hanoi-3",
        "rock-paper-scissors",
        "pursuit",
        "tron",
    ] {
        let net = net(game);
        let roles = ludorum_reasoner::Reasoner::roles(&net).len();
        for info in players() {
            let specs = vec![small(info.name); roles];
            assert_eq!(play(&net, &specs).len(), roles, "{game}: {}", info.name);
        }
    }
}

#[test]
fn the_same_seed_and_budget_give_the_same_report() {
    let net = net("connect-four");
    let ask = |seed: u64| {
        let mut player = player(&format!("mcts:simulations=3000,seed={seed}"), &net, 0);
        let answer = player.play(never()).unwrap();
        (answer.text, answer.report.moves, answer.report.line)
    };
    assert_eq!(ask(1), ask(1));
    assert_ne!(ask(1).1, ask(2).1);
}

#[test]
fn a_full_tree_stays_within_its_memory_limit_and_the_search_continues() {
    let net = net("connect-four");
    for parallel in ["tree", "root"] {
        let spec =
            format!("mcts:simulations=60000,memory=1,threads=2,early=off,parallel={parallel}");
        let mut player = player(&spec, &net, 0);
        let answer = player.play(never()).unwrap();
        assert!(answer.report.bytes <= 1 << 20, "{}", answer.report.bytes);
        assert!(answer.report.nodes > 500, "{}", answer.report.nodes);
        let visits: u64 = answer.report.moves.iter().map(|found| found.visits).sum();
        assert!(visits >= 60_000, "{visits}");
        assert!(answer.report.moves.iter().all(|found| found.visits > 0));
    }
}

#[test]
fn the_memory_limit_is_kept_with_simultaneous_moves() {
    let net = net("pursuit");
    let mut player = player("mcts:simulations=20000,memory=1,limit=60", &net, 0);
    let answer = player.play(never()).unwrap();
    assert!(answer.report.bytes <= 1 << 20, "{}", answer.report.bytes);
}

#[test]
fn every_kind_of_parallelisation_uses_the_whole_budget() {
    let net = net("tic-tac-toe");
    for parallel in ["tree", "root", "leaf"] {
        let spec =
            format!("mcts:simulations=4000,threads=3,parallel={parallel},solver=off,early=off");
        let mut player = player(&spec, &net, 0);
        let answer = player.play(never()).unwrap();
        // Visits of solved nodes count as simulations without a playout.
        assert!(answer.report.simulations >= 1000, "{parallel}");
        let visits: u64 = answer.report.moves.iter().map(|found| found.visits).sum();
        assert!(visits >= 4000, "{parallel}: {visits}");
        // No visit is left pending: every simulation is backpropagated.
        let mean = answer.report.values[0];
        assert!((40.0..=75.0).contains(&mean), "{parallel}: {mean}");
    }
}

#[test]
fn on_lanes_tic_tac_toe_is_opened_in_the_centre() {
    let net = net("tic-tac-toe");
    let lanes = Lanes::new(net.network().clone());
    for spec in ["mcts:simulations=20000", "mcs:simulations=5000"] {
        let spec: PlayerSpec = spec.parse().unwrap();
        let mut player = spec.player_on(lanes.fork(), 0).unwrap();
        let answer = player.play(never()).unwrap();
        assert_eq!(answer.text, "(mark 2 2)", "{spec}");
    }
}

#[test]
fn guided_playouts_draw_tic_tac_toe_against_perfect_play() {
    let net = net("tic-tac-toe");
    for option in ["mast=on", "ngrams=on", "grave=100", "grave=100,mast=on"] {
        let mcts = format!("mcts:simulations=2000,{option}");
        let goals = play(&net, &[mcts, "minimax".to_owned()]);
        assert_eq!(goals, [50, 50], "{option}");
    }
}

#[test]
fn the_guidance_trial_is_reproducible_with_a_budget() {
    let lanes = Lanes::new(net("breakthrough-small").network().clone());
    let spec: PlayerSpec = "mcts:mast=auto,simulations=60000,early=off"
        .parse()
        .unwrap();
    let ask = || {
        let mut player = spec.player_on(lanes.fork(), 0).unwrap();
        let answer = player.play(never()).unwrap();
        (answer.text, answer.report.moves)
    };
    assert_eq!(ask(), ask());
}

#[test]
fn background_compilation_makes_no_difference_with_a_budget() {
    // Large enough that the machine for guided playouts is compiled in the background.
    let network = net("reversi").network().clone();
    for spec in [
        "mcts:mast=on,simulations=3000",
        "mcts:grave=100,simulations=3000",
        "mini-base:simulations=3000",
    ] {
        let lanes = Lanes::new(network.clone());
        let spec: PlayerSpec = spec.parse().unwrap();
        let ask = || {
            let mut player = spec.player_on(lanes.fork(), 0).unwrap();
            let answer = player.play(never()).unwrap();
            (answer.text, answer.report.moves)
        };
        // The machine is missing for the first player and ready for the second.
        assert_eq!(ask(), ask(), "{spec}");
    }
}

#[test]
fn the_tree_is_kept_from_move_to_move() {
    let net = net("connect-four");
    let mut player = player("mcts:simulations=5000", &net, 0);
    let first = player.play(never()).unwrap();
    let reply = vec![first.text, "noop".to_owned()];
    player.apply_joint_move(&reply).unwrap();
    let forced = player.play(never()).unwrap();
    assert!(forced.report.forced && forced.report.simulations == 0);
    let reply = [forced.text, first.report.line[1][1].clone()];
    player.apply_joint_move(&reply).unwrap();
    let second = player.play(never()).unwrap();
    let visits: u64 = second.report.moves.iter().map(|found| found.visits).sum();
    assert!(visits > second.report.simulations, "{visits}");
}

#[test]
fn a_player_ponders_until_it_is_stopped() {
    let net = net("connect-four");
    let mut player = player("mcts", &net, 1);
    player.ponder();
    let give_up = Instant::now() + Duration::from_mins(1);
    let report = loop {
        let report = player.report();
        if let Some(report) = report.filter(|report| report.simulations > 1000) {
            break report;
        }
        assert!(Instant::now() < give_up, "pondering made no simulations");
        std::thread::yield_now();
    };
    assert_eq!(report.values.len(), 2);
    player.stop();
    assert!(player.report().is_none());
}

#[test]
fn every_player_keeps_the_clock_on_the_slowest_engine() {
    let rules = rules("chess");
    let prover = Prover::new(Arc::clone(&rules)).unwrap();
    for info in players() {
        let spec: PlayerSpec = info.name.parse().unwrap();
        let mut player = spec.player_on(prover.fork(), 0).unwrap();
        let begin = Instant::now();
        let answer = player.play(begin + Duration::from_millis(100)).unwrap();
        // Far more than the contract allows, because other tests keep the machine busy; far less
        // than a playout of this game takes on the prover.
        assert!(begin.elapsed() < Duration::from_secs(2), "{spec}");
        assert!(answer.index < 20, "{spec}");
    }
}

#[test]
fn a_query_that_does_not_end_makes_no_player_late() {
    // The terminal query of the prover does not end in time: it enumerates all paths through a
    // dense graph.
    let mut sheet = "(role robot) (init (at 0)) (legal robot a) (legal robot b)
        (<= (next (at 1)) (does robot ?x)) (<= terminal (true (at 1)) (way 0 13 13 13 13 13 13 13))
        (<= (goal robot 100) (true (at 1)))
        (<= (way ?a ?b ?c ?d ?e ?f ?g ?h) (edge ?a ?i) (edge ?i ?j) (edge ?j ?k) (edge ?k ?l) (edge ?l ?m)
            (edge ?m ?n) (edge ?n ?o) (edge ?o ?p) (edge ?p ?q) (edge ?q ?b) (edge ?b ?c) (edge ?c ?d)
            (edge ?d ?e) (edge ?e ?f) (edge ?f ?g) (edge ?g ?h) (never ?h))
        (never 99)"
        .to_owned();
    for from in 0..14 {
        for to in 0..14 {
            sheet.push_str(&format!("(edge {from} {to})"));
        }
    }
    let rules = Arc::new(Rules::from_text(&sheet).unwrap());
    for info in players() {
        let spec: PlayerSpec = format!("{}:engine=prover", info.name).parse().unwrap();
        let mut player = spec.player(&rules, 0).unwrap();
        let begin = Instant::now();
        let answer = player.play(begin + Duration::from_millis(50)).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(2), "{spec}");
        assert!(["a", "b"].contains(&answer.text.as_str()));
    }
}

#[test]
fn wrong_roles_and_moves_are_errors() {
    let net = net("tic-tac-toe");
    let spec: PlayerSpec = "random".parse().unwrap();
    let error = spec.player_on(net.fork(), 2).err().unwrap();
    assert!(matches!(
        error,
        PlayError::UnknownRole { role: 2, count: 2 }
    ));
    let mut player = player("random", &net, 0);
    assert!(player.apply_joint_move(&["noop".to_owned()]).is_err());
    assert!(
        player
            .apply_joint_move(&["(jump 1)".to_owned(), "noop".to_owned()])
            .is_err()
    );
    // An illegal joint move is reported by the next request.
    player
        .apply_joint_move(&["noop".to_owned(), "noop".to_owned()])
        .unwrap();
    assert!(matches!(player.play(never()), Err(PlayError::Reason(_))));
}

#[test]
fn a_proven_win_is_reported_as_proven() {
    let net = net("tic-tac-toe");
    let facts = [
        "(cell 1 1 x)",
        "(cell 1 2 x)",
        "(cell 1 3 blank)",
        "(cell 2 1 o)",
        "(cell 2 2 o)",
        "(cell 2 3 blank)",
        "(cell 3 1 blank)",
        "(cell 3 2 blank)",
        "(cell 3 3 blank)",
        "(control xplayer)",
    ]
    .map(str::to_owned);
    let answer = answer_at("mcts:simulations=100000", &net, 0, &facts);
    assert_eq!(answer.text, "(mark 1 3)");
    assert!(answer.report.proven && answer.report.simulations < 1000);
    assert_eq!(answer.report.moves[0].bounds, Some((100, 100)));
}

/// Simultaneous moves; the first role wins with `good` whatever the other role does.
const GUARANTEED_WIN: &str = "
    (role a) (role b) (init start)
    (<= (legal a ?x) (true start) (move ?x)) (<= (legal b ?x) (true start) (move ?x))
    (move good) (move bad) (move worse)
    (<= (next (won)) (does a good)) (<= (next (lost)) (not (does a good)))
    (<= terminal (true (won))) (<= terminal (true (lost)))
    (<= (goal a 100) (true (won))) (<= (goal a 0) (not (true (won))))
    (<= (goal b 0) (true (won))) (<= (goal b 100) (not (true (won))))";

#[test]
fn a_guaranteed_win_is_not_mixed_with_other_moves() {
    let net = net_from(GUARANTEED_WIN);
    for seed in 0..30 {
        let mut player = player(&format!("mcts:seed={seed},simulations=100"), &net, 0);
        assert_eq!(player.play(never()).unwrap().text, "good", "{seed}");
    }
}

#[test]
fn a_mixed_strategy_is_reproducible_with_seed_and_budget() {
    let net = net("rock-paper-scissors");
    let answer = |seed: u64| {
        let mut player = player(&format!("mcts:seed={seed},simulations=4000"), &net, 0);
        player.play(never()).unwrap().text
    };
    for seed in 0..10 {
        assert_eq!(answer(seed), answer(seed));
    }
}

#[test]
fn a_tree_with_hardly_any_memory_still_has_a_root() {
    let net = net("connect-four");
    let spec = "mcts:parallel=root,threads=16,memory=1,simulations=200";
    let answer = player(spec, &net, 0).play(never()).unwrap();
    assert!(answer.report.trouble.is_none());
    assert!(answer.report.simulations > 0);
}

#[test]
fn flat_monte_carlo_keeps_to_its_budget_on_lanes() {
    let lanes = Lanes::new(net("tic-tac-toe").network().clone());
    let spec: PlayerSpec = "mcs:simulations=500".parse().unwrap();
    let mut player = spec.player_on(lanes, 0).unwrap();
    let made = player.play(never()).unwrap().report.simulations;
    assert!((500..=600).contains(&made), "{made}");
}
