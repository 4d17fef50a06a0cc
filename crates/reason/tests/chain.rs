//! Forward chaining.
use std::sync::Arc;
use ludorum_logic::Rules;
use ludorum_reason::{Engine};

#[test]
fn debug() {
    let text = std::fs::read_to_string("/work/shared/games/base/ticTacToe.kif").unwrap();
    let rules = Arc::new(Rules::from_text(&text).unwrap());
    let mut w = Engine::Chain.walker(&rules).unwrap();
    println!("{:?}", w.facts());
    println!("{:?}", w.legal(0));
    println!("{:?}", w.legal(1));
    println!("{:?}", w.step(&["(mark 1 3)".to_string(), "noop".to_string()]));
    println!("{:?}", w.facts());
    println!("{:?}", w.legal(0));
    println!("{:?}", w.legal(1));
    let f = w.facts();
    println!("{:?}", w.go_to(&f));
    println!("{:?}", w.legal(0));
}
