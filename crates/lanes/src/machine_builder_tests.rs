//! Tests of waiting for machines. Jobs are run explicitly, so that the order of events is fixed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ludorum_logic::Rules;

use super::machine_builder::{BuildJob, BuildProgress, MachineKind, MachineOptions};
use crate::Lanes;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::{CompileLimits, CompiledGame};
use ludorum_reasoner::{
    GuidedRequest, GuidedResult, MoveHistory, PlayoutPolicy, ReasonError, Reasoner as _, Rng,
};

fn lanes(text: &str) -> Lanes {
    let rules = Arc::new(Rules::from_text(text).expect("rules"));
    let network = CompiledGame::new(rules).network(&CompileLimits::default());
    Lanes::new(network.expect("a network"))
}

fn connect_four() -> Lanes {
    lanes(
        ludorum_games::find("connect-four")
            .expect("a shipped game")
            .text,
    )
}

/// Every role prefers the first of its moves.
fn guided(lanes: &mut Lanes, waits: bool) -> Result<GuidedResult, ReasonError> {
    let guide = PlayoutPolicy {
        epsilon: 0.2,
        scores: vec![vec![1.0]; lanes.roles().len()],
        ..PlayoutPolicy::default()
    };
    let starts: [BitState; 1] = [lanes.initial()?];
    let wanted = GuidedRequest {
        starts: &starts,
        groups: &[],
        each: 700,
        policy: &guide,
        limit: 100,
        wait_until_ready: waits,
    };
    lanes.guided_playouts(&wanted, &mut Rng::new(5))
}

fn random(lanes: &mut Lanes) -> Result<GuidedResult, ReasonError> {
    let start = lanes.initial()?;
    let tallies = lanes.playouts(&[start], 700, &mut Rng::new(5), 100)?;
    Ok(GuidedResult {
        totals: tallies,
        histories: vec![MoveHistory::new(lanes.roles().len())],
    })
}

fn held(lanes: &Lanes, kind: MachineKind) -> BuildJob {
    let job = lanes.builder.job(lanes.machine_options(kind));
    job.expect("not requested yet")
}

#[test]
fn playouts_are_random_until_the_guided_machine_is_built() {
    let mut lanes = connect_four();
    let job = held(&lanes, MachineKind::Guided);
    assert!(!lanes.is_ready_for_guided_playouts());
    assert_eq!(guided(&mut lanes, false), random(&mut lanes));
    job.run();
    assert!(lanes.is_ready_for_guided_playouts());
    let after = guided(&mut lanes, false);
    assert!(after.as_ref().is_ok_and(|result| {
        let played = result.histories[0].moves.iter().flatten();
        played.map(|record| record.playouts).sum::<u64>() > 700
    }));
    assert_eq!(after, guided(&mut lanes, true));
}

#[test]
fn a_waiting_request_is_guided_from_the_first_playout_on() {
    let mut first = connect_four();
    let job = held(&first, MachineKind::Guided);
    let waited = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| guided(&mut first, true));
        job.run();
        waiting.join().expect("no panic")
    });
    // Without a held job the machine is built at once.
    assert_eq!(waited, guided(&mut connect_four(), true));
    assert_ne!(waited, random(&mut first));
}

#[test]
fn waiting_ends_at_the_deadline_and_on_cancel() {
    let mut lanes = connect_four();
    let job = held(&lanes, MachineKind::Guided);
    let start = lanes.initial().expect("a state");
    let flag = Arc::new(AtomicBool::new(true));
    for by_flag in [true, false] {
        lanes.set_cancel(by_flag.then(|| Arc::clone(&flag)));
        lanes.set_deadline((!by_flag).then(Instant::now));
        assert_eq!(guided(&mut lanes, true), Err(ReasonError::Stopped));
        let starts = std::slice::from_ref(&start);
        let records = lanes.recorded_playouts(starts, 3, &mut Rng::new(1), 100);
        assert_eq!(records, Err(ReasonError::Stopped));
    }
    lanes.set_deadline(None);
    job.run();
    assert!(guided(&mut lanes, true).is_ok());
}

#[test]
fn playouts_end_on_cancel() {
    let mut lanes = connect_four();
    let flag = Arc::new(AtomicBool::new(true));
    lanes.set_cancel(Some(Arc::clone(&flag)));
    assert_eq!(random(&mut lanes), Err(ReasonError::Stopped));
    assert!(random(&mut lanes.fork()).is_ok(), "a fork has no flag");
    flag.store(false, Ordering::Relaxed);
    assert!(random(&mut lanes).is_ok());
}

#[test]
fn a_machine_is_built_once_for_all_forks() {
    let mut lanes = connect_four();
    let mut fork = lanes.fork();
    let job = held(&lanes, MachineKind::Guided);
    assert!(
        fork.builder
            .job(fork.machine_options(MachineKind::Guided))
            .is_none()
    );
    job.run();
    assert!(
        fork.builder
            .job(fork.machine_options(MachineKind::Guided))
            .is_none()
    );
    assert_eq!(guided(&mut lanes, false), guided(&mut fork, false));
}

#[test]
fn nothing_is_built_after_the_last_fork_is_dropped() {
    let lanes = connect_four();
    let fork = lanes.fork();
    let job = held(&lanes, MachineKind::Guided);
    drop(lanes);
    assert!(job.make().is_some(), "there is a fork");
    drop(fork);
    assert!(job.make().is_none());
    job.run();
}

#[test]
fn without_a_machine_playouts_are_made_one_by_one() {
    let mut lanes = connect_four();
    held(&lanes, MachineKind::Guided);
    *lanes.builder.slots[lanes.machine_options(MachineKind::Guided).index()].lock() =
        BuildProgress::Failed;
    let GuidedResult {
        totals: tallies,
        histories,
    } = guided(&mut lanes, false).expect("playouts");
    assert_eq!(tallies[0].playouts, 700);
    assert!(!histories[0].moves[0].is_empty());
    assert!(
        lanes.is_ready_for_guided_playouts(),
        "there is nothing to wait for"
    );
}

#[test]
fn a_role_without_a_move_switches_to_an_exact_machine() {
    // After two steps no role has a move.
    let mut lanes = lanes(
        "(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
        (<= (legal robot ?x) (true (at ?y)) (succ ?y ?z) (choice ?x)) (choice a) (choice b)
        (<= (next (at ?z)) (true (at ?y)) (succ ?y ?z))
        (<= terminal (true (at 9))) (goal robot 50)",
    );
    let mut fork = lanes.fork();
    let job = BuildJob {
        options: MachineOptions {
            kind: MachineKind::Random,
            exact_stuck: true,
        },
        ..held(&lanes, MachineKind::Guided)
    };
    *lanes.builder.slots[job.options.index()].lock() = BuildProgress::Building;
    lanes.switch_to_exact_stuck();
    lanes.set_cancel(Some(Arc::new(AtomicBool::new(true))));
    assert_eq!(random(&mut lanes), Err(ReasonError::Stopped));
    lanes.set_cancel(None);
    job.run();
    for lanes in [&mut lanes, &mut fork] {
        let tallies = random(lanes).expect("playouts").totals;
        assert_eq!((tallies[0].stuck, tallies[0].steps), (700, 1_400));
    }
}
