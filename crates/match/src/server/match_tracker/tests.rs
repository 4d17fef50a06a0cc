//! Tests with messages that match the known state and with messages that do not.

use std::sync::Arc;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_logic::Rules;

use super::*;

fn position(role: Role) -> MatchTracker {
    let game = ludorum_games::find("tic-tac-toe").unwrap();
    let rules = Arc::new(Rules::from_text(game.text).unwrap());
    MatchTracker::new(Engine::PROVER.walker(&rules).unwrap(), role)
}

fn update(position: &mut MatchTracker, moves: &str) -> MoveUpdate {
    let message = format!("(PLAY m {moves})");
    let Ok(crate::protocol::Message::Play { moves, .. }) =
        crate::protocol::Message::from_text(&message)
    else {
        panic!("{message}");
    };
    position.update(moves.as_ref(), Instant::now() + Duration::from_mins(10))
}

fn next(moves: [&str; 2]) -> MoveUpdate {
    MoveUpdate::Advanced(moves.map(str::to_owned).to_vec())
}

fn moved(how: &'static str, sure: bool) -> MoveUpdate {
    MoveUpdate::Relocated { how, sure }
}

#[test]
fn moves_are_followed_in_any_case() {
    let mut position = position(0);
    assert_eq!(update(&mut position, "nil"), MoveUpdate::Repeated);
    assert_eq!(
        update(&mut position, "((MARK 1 1) NOOP)"),
        next(["(mark 1 1)", "noop"])
    );
    assert_eq!(
        update(&mut position, "(noop (mark 2 2))"),
        next(["noop", "(mark 2 2)"])
    );
}

#[test]
fn a_repeated_message_changes_nothing() {
    let mut position = position(0);
    update(&mut position, "((mark 1 1) noop)");
    let facts = position.facts();
    assert_eq!(
        update(&mut position, "((mark 1 1) noop)"),
        MoveUpdate::Repeated
    );
    assert_eq!(position.facts(), facts);
}

#[test]
fn our_own_answer_tells_a_repeated_message_from_the_same_joint_move_again() {
    let text = "(role x) (role o) (init (s 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
        (<= (next (s ?m)) (true (s ?n)) (succ ?n ?m)) (<= terminal (true (s 3))) (<= (goal ?r 50) (role ?r))";
    let rules = Arc::new(Rules::from_text(text).unwrap());
    let mut position = MatchTracker::new(Engine::PROVER.walker(&rules).unwrap(), 0);
    assert_eq!(update(&mut position, "(go go)"), next(["go", "go"]));
    position.answer("stay");
    assert_eq!(update(&mut position, "(go go)"), MoveUpdate::Repeated);
    assert_eq!(position.facts(), ["(s 1)"]);
    position.answer("go");
    assert_eq!(update(&mut position, "(go go)"), next(["go", "go"]));
    assert_eq!(position.facts(), ["(s 2)"]);
}

#[test]
fn a_corrected_joint_move_replaces_the_last_one() {
    let mut position = position(0);
    update(&mut position, "((mark 1 1) noop)");
    let corrected = moved("the last moves were corrected", true);
    assert_eq!(update(&mut position, "((mark 3 3) noop)"), corrected);
    assert!(position.facts().contains(&"(cell 3 3 x)".to_owned()));
    assert!(position.facts().contains(&"(cell 1 1 blank)".to_owned()));
}

#[test]
fn a_lost_message_about_our_own_move_is_reconstructed() {
    let mut position = position(0);
    position.answer("(mark 1 1)");
    let made_good = moved("a message was missed", true);
    assert_eq!(update(&mut position, "(noop (mark 2 2))"), made_good);
    assert!(position.facts().contains(&"(cell 1 1 x)".to_owned()));
    assert!(position.facts().contains(&"(cell 2 2 o)".to_owned()));
    // The match goes on from there.
    assert_eq!(
        update(&mut position, "((mark 3 3) noop)"),
        next(["(mark 3 3)", "noop"])
    );
}

#[test]
fn a_lost_message_about_other_moves_is_reconstructed_as_a_guess() {
    let mut position = position(1);
    position.answer("noop");
    let guessed = moved("a message was missed", false);
    assert_eq!(update(&mut position, "(noop (mark 2 2))"), guessed);
}

#[test]
fn nil_during_the_match_restarts_it() {
    let mut position = position(0);
    let initial = position.facts();
    update(&mut position, "((mark 1 1) noop)");
    assert_eq!(
        update(&mut position, "nil"),
        moved("the match begins again", true)
    );
    assert_eq!(position.facts(), initial);
}

#[test]
fn unexplained_moves_keep_the_state() {
    let mut position = position(0);
    let facts = position.facts();
    for text in ["(a b)", "(a)", "(a b c)", "((mark 9 9) noop)"] {
        assert!(
            matches!(update(&mut position, text), MoveUpdate::Unexplained(_)),
            "{text}"
        );
        assert_eq!(position.facts(), facts);
    }
    assert!(
        position
            .any_move(1, Instant::now() + Duration::from_mins(1))
            .is_some()
    );
}

#[test]
fn a_deferred_joint_move_is_applied_later() {
    let mut position = position(0);
    position
        .deferred
        .push(["(mark 1 1)", "noop"].map(str::to_owned).to_vec());
    assert_eq!(
        update(&mut position, "(noop (mark 2 2))"),
        next(["noop", "(mark 2 2)"])
    );
    assert!(position.facts().contains(&"(cell 1 1 x)".to_owned()));
}
