//! Players on a shared engine, observed while they ponder.

mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_players::{GameEngine, Player, PlayerSpec};
use ludorum_reasoner::ReasonError;
use table::{never, rules, rules_from};

fn seated(table: &GameEngine, spec: &str, role: usize) -> Box<dyn Player> {
    let spec: PlayerSpec = spec.parse().unwrap();
    table.player(&spec, role).unwrap()
}

#[test]
fn a_player_says_when_nothing_is_left_to_ponder() {
    let table = GameEngine::new(&rules("tic-tac-toe"), Engine::PROPNET).unwrap();
    for spec in ["minimax", "mcts:simulations=100", "random"] {
        let mut player = seated(&table, spec, 0);
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
fn whoever_rests_does_not_ponder() {
    let table = GameEngine::new(&rules("connect-four"), Engine::PROPNET).unwrap();
    let mut player = seated(&table, "mcts", 0);
    player.ponder();
    assert!(player.is_pondering());
    player.stop();
    assert!(!player.is_pondering());
}

#[test]
fn a_table_seats_players_and_walkers_on_one_engine() {
    let table = GameEngine::new(&rules("tic-tac-toe"), Engine::AUTO).unwrap();
    table.settle();
    assert_eq!(table.engine(), Engine::AUTO);
    let mut walker = table.walker().unwrap();
    let mut players = [0, 1].map(|role| seated(&table, "one-ply", role));
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
fn a_player_that_is_dismissed_gives_up_a_question_without_end() {
    let table = GameEngine::new(&endless(), Engine::PROVER).unwrap();
    for spec in ["mcts", "mcs", "minimax"] {
        let mut player = seated(&table, spec, 0);
        player.ponder();
        assert!(player.is_pondering(), "{spec}");
        let cancel_handle = player.cancel_handle();
        std::thread::spawn(move || cancel_handle.cancel())
            .join()
            .unwrap();
        player.shut_down();
        assert!(!player.is_pondering(), "{spec}");
        // If the search had ended it would have reported too many answers.
        assert_eq!(player.report(), None, "{spec}");
    }
}

#[test]
fn a_player_that_is_dismissed_while_it_is_asked_answers_at_once() {
    let table = GameEngine::new(&rules("connect-four"), Engine::PROPNET).unwrap();
    let mut player = seated(&table, "mcts", 0);
    let cancel_handle = player.cancel_handle();
    let asking = std::thread::spawn(move || {
        let answer = player.play(never()).unwrap().text;
        player.shut_down();
        answer
    });
    cancel_handle.cancel();
    assert!(asking.join().unwrap().starts_with("(drop"));
}

#[test]
fn engines_end_questions_when_a_flag_is_set() {
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
