//! Players on a shared engine, observed while they ponder.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_players::{GameEngine, Player, PlayerSpec};
use ludorum_reasoner::ReasonError;
use support::{never, rules, rules_from};

fn new_player(game_engine: &GameEngine, spec: &str, role: usize) -> Box<dyn Player> {
    let spec: PlayerSpec = spec.parse().unwrap();
    game_engine.player(&spec, role).unwrap()
}

#[test]
fn is_pondering_is_false_when_nothing_is_left_to_search() {
    let game_engine = GameEngine::new(&rules("tic-tac-toe"), Engine::PROPNET).unwrap();
    for spec in ["minimax", "mcts:simulations=100", "random"] {
        let mut player = new_player(&game_engine, spec, 0);
        assert!(!player.is_pondering(), "{spec}");
        player.ponder();
        while player.is_pondering() {
            std::thread::yield_now();
        }
        let report = player.report().unwrap();
        assert_eq!(report.trouble, None, "{spec}");
        let joint_move = ["(mark 1 1)".to_owned(), "noop".to_owned()];
        player.apply_joint_move(&joint_move).unwrap();
        assert!(
            !player.is_pondering() && player.report().is_none(),
            "{spec}"
        );
    }
}

#[test]
fn a_stopped_player_does_not_ponder() {
    let game_engine = GameEngine::new(&rules("connect-four"), Engine::PROPNET).unwrap();
    let mut player = new_player(&game_engine, "mcts", 0);
    player.ponder();
    assert!(player.is_pondering());
    player.stop();
    assert!(!player.is_pondering());
}

#[test]
fn players_and_walkers_share_one_game_engine() {
    let game_engine = GameEngine::new(&rules("tic-tac-toe"), Engine::AUTO).unwrap();
    game_engine.settle();
    assert_eq!(game_engine.engine(), Engine::AUTO);
    let mut walker = game_engine.walker().unwrap();
    let mut players = [0, 1].map(|role| new_player(&game_engine, "one-ply", role));
    while !walker.is_terminal().unwrap() {
        let joint_move = players
            .each_mut()
            .map(|player| player.play(never()).unwrap().text);
        walker.step(&joint_move).unwrap();
        for player in &mut players {
            player.apply_joint_move(&joint_move).unwrap();
        }
    }
    assert!(walker.goal(0).unwrap().value().is_some());
}

/// Rules with more legal moves than can be listed.
fn endless() -> Arc<Rules> {
    let numbers: Vec<String> = (0..60).map(|n| format!("(d {n})")).collect();
    let numbers = numbers.join(" ");
    let text = format!(
        "(role x) {numbers} (init (s 0)) (<= (next (s 1)) (does x (m ?a ?b ?c ?d ?e ?f))) (<= terminal (true (s 1))) (goal x 100)
         (<= (legal x (m ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))"
    );
    rules_from(&text)
}

#[test]
fn a_cancelled_player_ends_a_query_that_would_not_end() {
    let game_engine = GameEngine::new(&endless(), Engine::PROVER).unwrap();
    for spec in ["mcts", "mcs", "minimax"] {
        let mut player = new_player(&game_engine, spec, 0);
        player.ponder();
        assert!(player.is_pondering(), "{spec}");
        let cancel_handle = player.cancel_handle();
        std::thread::spawn(move || cancel_handle.cancel())
            .join()
            .unwrap();
        player.shut_down();
        assert!(!player.is_pondering(), "{spec}");
        // A search that had ended by itself would have reported the budget error.
        assert_eq!(player.report(), None, "{spec}");
    }
}

#[test]
fn a_player_cancelled_during_play_answers_at_once() {
    let game_engine = GameEngine::new(&rules("connect-four"), Engine::PROPNET).unwrap();
    let mut player = new_player(&game_engine, "mcts", 0);
    let cancel_handle = player.cancel_handle();
    let play_thread = std::thread::spawn(move || {
        let answer = player.play(never()).unwrap().text;
        player.shut_down();
        answer
    });
    cancel_handle.cancel();
    assert!(play_thread.join().unwrap().starts_with("(drop"));
}

#[test]
fn engines_end_queries_when_the_cancel_flag_is_set() {
    let flag = Arc::new(AtomicBool::new(true));
    for engine in [Engine::PROVER, Engine::ORAND] {
        let mut walker = engine.walker(&rules("tic-tac-toe")).unwrap();
        walker.set_cancel(Some(Arc::clone(&flag)));
        assert!(
            matches!(walker.legal(0), Err(ReasonError::Stopped)),
            "{engine:?}"
        );
        walker.set_cancel(None);
        assert_eq!(walker.legal(0).unwrap().len(), 9, "{engine:?}");
    }
}
