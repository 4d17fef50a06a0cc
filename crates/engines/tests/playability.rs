//! The playability test finds errors of rule sheets by random playouts.

use std::sync::Arc;
use std::time::Duration;

use ludorum_logic::Rules;
use ludorum_prover::Prover;
use ludorum_reasoner::{FaultKind, PlayabilityReport, PlayabilityTest, ReasonError};

const EFFORT: PlayabilityTest = PlayabilityTest {
    playouts: 20,
    steps: 50,
    time: Duration::from_mins(1),
    seed: 1,
};

fn tried(sheet: &str, effort: &PlayabilityTest) -> PlayabilityReport {
    let rules = Rules::from_text(sheet).expect("a sheet");
    effort.run(Prover::new(Arc::new(rules)).expect("an engine"))
}

fn faults(sheet: &str) -> Vec<FaultKind> {
    let trial = tried(sheet, &EFFORT);
    assert_eq!(trial.stopped, None);
    trial.faults.into_iter().map(|fault| fault.kind).collect()
}

/// Two roles that wait or go, with a counter for each. The text of a fault is inserted.
const COUNTER: &str = "
    (role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal ?r wait) (role ?r)) (<= (legal ?r go) (role ?r))
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
";

#[test]
fn a_playable_game_has_no_faults() {
    let sheet = format!("{COUNTER} (<= terminal (true (at 3))) (goal a 100) (goal b 0)");
    let trial = tried(&sheet, &EFFORT);
    assert!(trial.faults.is_empty());
    assert_eq!((trial.playouts, trial.steps), (20, 60));
}

#[test]
fn a_terminal_state_must_have_one_goal_for_each_role() {
    let end = "(<= terminal (true (at 1)))";
    let none = format!("{COUNTER} {end} (goal a 100)");
    assert_eq!(faults(&none), [FaultKind::NoGoal(1)]);
    let several = format!(
        "{COUNTER} {end} (goal a 100) (<= (goal b 20) (true (at 1))) (<= (goal b 3) (true (at 1)))"
    );
    let all = vec!["3".to_owned(), "20".to_owned()];
    assert_eq!(faults(&several), [FaultKind::SeveralGoals(1, all)]);
    let bad = format!("{COUNTER} {end} (goal a 101) (<= (goal b ?x) (true (at ?x)))");
    assert_eq!(faults(&bad), [FaultKind::BadGoal(0, "101".to_owned())]);
}

#[test]
fn several_goals_before_the_end_are_a_separate_fault() {
    let sheet = format!(
        "{COUNTER} (<= terminal (true (at 2))) (goal a 100)
         (<= (goal b 0) (true (at ?x))) (<= (goal b 50) (true (at 1)))"
    );
    let all = vec!["0".to_owned(), "50".to_owned()];
    assert_eq!(faults(&sheet), [FaultKind::SeveralGoalsEarly(1, all)]);
}

#[test]
fn a_missing_goal_before_the_end_is_not_a_fault() {
    let sheet =
        format!("{COUNTER} (<= terminal (true (at 1))) (<= (goal ?r 50) (role ?r) (true (at 1)))");
    assert!(faults(&sheet).is_empty());
}

#[test]
fn a_terminal_initial_state_is_a_fault() {
    let sheet = format!("{COUNTER} (<= terminal (true (at 0))) (goal a 1) (goal b 1)");
    assert_eq!(faults(&sheet), [FaultKind::EndedAtStart]);
}

#[test]
fn a_game_that_does_not_end_is_a_fault() {
    let sheet = format!(
        "{COUNTER} (<= terminal (true (at 9))) (goal a 1) (goal b 1) (<= (next (at 3)) (true (at 3)))"
    );
    let trial = tried(&sheet, &EFFORT);
    assert_eq!(trial.faults[0].kind, FaultKind::Endless);
    assert_eq!(trial.faults[0].moves.len(), 50);
    assert_eq!(trial.faults[0].playouts, 20);
}

#[test]
fn the_shortest_sequence_to_a_fault_is_reported() {
    // After going twice there is no legal move. With enough playouts some begin by going.
    let sheet = "(role a) (init (left 2)) (succ 1 2) (succ 0 1)
        (<= (legal a go) (true (left ?n)) (distinct ?n 0))
        (<= (legal a wait) (true (left ?n)) (distinct ?n 0))
        (<= (next (left ?m)) (true (left ?n)) (does a go) (succ ?m ?n))
        (<= (next (left ?n)) (true (left ?n)) (does a wait))
        (<= terminal (true never)) (goal a 0)";
    let trial = tried(sheet, &EFFORT);
    assert_eq!(trial.faults.len(), 1);
    let fault = &trial.faults[0];
    assert_eq!(fault.kind, FaultKind::NoLegalMove(0));
    assert_eq!(fault.moves, [["go"], ["go"]]);
    assert_eq!(fault.state, ["(left 0)"]);
    assert_eq!(fault.playouts, 20);
}

#[test]
fn without_time_there_are_no_playouts_and_the_reason_is_reported() {
    let effort = PlayabilityTest {
        time: Duration::ZERO,
        ..EFFORT
    };
    let trial = tried(COUNTER, &effort);
    assert_eq!(trial.playouts, 0);
    assert_eq!(trial.stopped, Some(ReasonError::Stopped));
}
