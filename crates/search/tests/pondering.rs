//! Players on a shared table, watched while they ponder.

mod table;

use ludorum_reason::Engine;
use ludorum_search::{Player, Spec, Table};
use table::{never, rules};

fn seated(table: &Table, spec: &str, role: usize) -> Box<dyn Player> {
    let spec: Spec = spec.parse().unwrap();
    table.player(&spec, role).unwrap()
}

#[test]
fn a_player_says_when_nothing_is_left_to_ponder() {
    let table = Table::new(&rules("tic-tac-toe"), Engine::Propnet).unwrap();
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
        player.told(&joint_move).unwrap();
        assert!(
            !player.is_pondering() && player.report().is_none(),
            "{spec}"
        );
    }
}

#[test]
fn whoever_rests_does_not_ponder() {
    let table = Table::new(&rules("connect-four"), Engine::Propnet).unwrap();
    let mut player = seated(&table, "mcts", 0);
    player.ponder();
    assert!(player.is_pondering());
    player.rest();
    assert!(!player.is_pondering());
}

#[test]
fn a_table_seats_players_and_walkers_on_one_engine() {
    let table = Table::new(&rules("tic-tac-toe"), Engine::Auto).unwrap();
    table.settle();
    assert_eq!(table.engine(), Engine::Auto);
    let mut walker = table.walker().unwrap();
    let mut players = [0, 1].map(|role| seated(&table, "one-ply", role));
    while !walker.is_terminal().unwrap() {
        let joint_move = players
            .each_mut()
            .map(|player| player.play(never()).unwrap().text);
        walker.step(&joint_move).unwrap();
        for player in &mut players {
            player.told(&joint_move).unwrap();
        }
    }
    assert!(walker.goal(0).unwrap().value().is_some());
}
