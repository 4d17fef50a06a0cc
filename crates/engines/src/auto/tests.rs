//! Tests of the switch from the prover to the network. Each test runs the compiler's work itself, so
//! that it controls the moment of the switch.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use ludorum_chain::{Chain, ChainError};
use ludorum_logic::Rules;
use ludorum_orand::Orand;
use ludorum_reasoner::{PlayoutEnd, PlayoutPolicy};

fn rules(game: &str) -> Arc<Rules> {
    let game = ludorum_games::find(game).expect("a shipped game");
    Arc::new(Rules::from_text(game.text).expect("rules"))
}

fn game(rules: Arc<Rules>) -> Arc<CompiledGame> {
    Arc::new(CompiledGame::new(rules))
}

/// A reasoner and the work of its compiler, which has not started.
fn planned(rules: Arc<Rules>) -> (Auto, compiler::CompilerWork) {
    let prover = Prover::prepared_within(Arc::clone(&rules), PREPARATION).expect("a prover");
    let (compiler, work) = Compiler::planned(game(rules), &EngineSettings::default(), &prover);
    (Auto::with_compiler(prover, compiler), work)
}

/// All answers about a state, as text.
fn describe(auto: &mut Auto, state: &AutoState) -> Vec<String> {
    let mut described = auto.facts(state);
    described.push(format!("terminal {}", auto.is_terminal(state).unwrap()));
    described.push(format!("key {:x}", auto.key(state)));
    let mut moves = Vec::new();
    for role in 0..auto.roles().len() {
        described.push(format!("goal {}", auto.goal(state, role).unwrap()));
        auto.legal_moves(state, role, &mut moves).unwrap();
        described.extend(moves.iter().map(|id| auto.move_text(role, *id)));
    }
    described
}

/// A random walk: its states and the joint moves between them.
fn walk(auto: &mut Auto, from: AutoState, steps: u32) -> (Vec<AutoState>, Vec<Vec<MoveId>>) {
    let mut rng = Rng::new(4);
    let (mut states, mut joints) = (vec![from], Vec::new());
    let mut moves = Vec::new();
    for _ in 0..steps {
        let state = states.last().unwrap().clone();
        if auto.is_terminal(&state).unwrap() {
            break;
        }
        let mut joint = Vec::new();
        for role in 0..auto.roles().len() {
            auto.legal_moves(&state, role, &mut moves).unwrap();
            joint.push(moves[rng.below(moves.len())]);
        }
        states.push(auto.next(&state, &joint).unwrap());
        joints.push(joint);
    }
    (states, joints)
}

#[test]
fn states_and_moves_from_before_the_switch_stay_valid() {
    for game in [
        "tic-tac-toe",
        "connect-four",
        "pursuit",
        "breakthrough-small",
    ] {
        let (mut auto, work) = planned(rules(game));
        let start = auto.initial().unwrap();
        let (before, joints) = walk(&mut auto, start, 20);
        assert_eq!(auto.engine_choice(), Some(EngineChoice::Compiling));
        let described: Vec<_> = before
            .iter()
            .map(|state| describe(&mut auto, state))
            .collect();
        work.run();
        let mut state = auto.initial().unwrap();
        assert_eq!(auto.engine_choice().unwrap().engine(), "propnet");
        assert!(matches!(state.form, Form::Network(_)));
        // The old joint moves lead to the same states from the old states and from the new start.
        for (i, old) in before.iter().enumerate() {
            assert_eq!(describe(&mut auto, old), described[i], "{game}");
            assert_eq!(describe(&mut auto, &state), described[i], "{game}");
            assert_eq!(state, *old);
            assert!(HashSet::from([old.clone()]).contains(&state));
            if let Some(joint) = joints.get(i) {
                state = auto.next(&state, joint).unwrap();
                assert_eq!(auto.next(old, joint).unwrap(), state);
            }
        }
    }
}

#[test]
fn different_states_stay_different_after_the_switch() {
    let (mut auto, work) = planned(rules("tic-tac-toe"));
    let start = auto.initial().unwrap();
    let (before, _) = walk(&mut auto, start, 5);
    work.run();
    let start = auto.initial().unwrap();
    let (after, _) = walk(&mut auto, start, 5);
    for (i, old) in before.iter().enumerate() {
        for (j, new) in after.iter().enumerate() {
            assert_eq!(old == new, i == j);
        }
    }
}

#[test]
fn forks_switch_independently_and_accept_each_others_states() {
    let (mut auto, work) = planned(rules("connect-four"));
    let start = auto.initial().unwrap();
    let mut late = auto.fork();
    let (_, joints) = walk(&mut auto, start.clone(), 3);
    work.run();
    let (states, _) = walk(&mut auto, start.clone(), 10);
    drop(auto);
    let mut state = start;
    for joint in &joints {
        state = late.next(&state, joint).unwrap();
    }
    assert_eq!(state, states[3]);
    for state in &states {
        describe(&mut late, state);
    }
}

#[test]
fn illegal_moves_are_rejected_before_and_after_the_switch() {
    let (mut auto, work) = planned(rules("tic-tac-toe"));
    let start = auto.initial().unwrap();
    let wrong = auto.find_move(1, "(mark 1 1)").unwrap();
    let unknown = auto.find_move(0, "(fly 1)").unwrap();
    let mark = auto.find_move(0, "(mark 1 1)").unwrap();
    let noop = auto.find_move(1, "noop").unwrap();
    let next_after_illegal_moves = |auto: &mut Auto| {
        let start = auto.initial().unwrap();
        for joint in [[mark, wrong], [unknown, noop], [MoveId(777), noop]] {
            let error = auto.next(&start, &joint).unwrap_err();
            assert!(matches!(error, ReasonError::IllegalMove { .. }), "{error}");
        }
        assert!(auto.next(&start, &[mark]).is_err());
        auto.next(&start, &[mark, noop]).unwrap()
    };
    let before = next_after_illegal_moves(&mut auto);
    work.run();
    assert_eq!(next_after_illegal_moves(&mut auto), before);
    assert!(auto.goal(&start, 7).is_err());
}

#[test]
fn the_prover_answers_for_unreachable_states() {
    let facts = ["(cell 1 1 x)", "(cell 1 1 o)", "(somewhere else)"].map(str::to_owned);
    let (mut auto, work) = planned(rules("tic-tac-toe"));
    let before = auto.state_from_facts(&facts).unwrap();
    let described = describe(&mut auto, &before);
    work.run();
    let after = auto.state_from_facts(&facts).unwrap();
    assert_eq!(before, after);
    assert_eq!(describe(&mut auto, &before), described);
    assert_eq!(describe(&mut auto, &after), described);
}

#[test]
fn the_network_answers_a_query_that_interrupted_the_prover() {
    let (mut auto, work) = planned(rules("breakthrough"));
    let start = auto.initial().unwrap();
    work.run();
    // As if the flag had been set during a query of the prover: the prover stops, the network answers.
    let flag = Arc::new(AtomicBool::new(true));
    auto.prover.set_interrupt(Some(Arc::clone(&flag)));
    assert_eq!(
        auto.prover.is_terminal(&prover_state(&start)),
        Err(ReasonError::Stopped)
    );
    assert_eq!(auto.is_terminal(&start), Ok(false));
    assert!(auto.compiled.is_some());
    assert!(flag.load(Ordering::Relaxed));
}

fn prover_state(state: &AutoState) -> ProverState {
    match &state.form {
        Form::Rules(state) => state.state.clone(),
        Form::Network(_) => panic!("a state of the network"),
    }
}

#[test]
fn if_grounding_is_over_budget_the_prover_stays_and_the_reason_is_kept() {
    let mut settings = EngineSettings::default();
    settings.limits.ground.max_instances = 10;
    let mut auto = Auto::new(game(rules("connect-four")), &settings).unwrap();
    auto.wait_until_ready();
    let start = auto.initial().unwrap();
    let playout = auto.playout(&start, &mut Rng::new(1), 100).unwrap();
    assert!(playout.steps > 6);
    assert_eq!(auto.components(), None);
    match auto.engine_choice().unwrap() {
        EngineChoice::Prover { reason, .. } => {
            assert!(reason.contains("too many ground"), "{reason}");
        }
        choice => panic!("{choice:?}"),
    }
}

#[test]
fn fallback_playouts_start_from_the_state_of_the_prover() {
    let mut settings = EngineSettings::default();
    settings.limits.ground.max_instances = 10;
    let sheet = rules("connect-four");
    let mut auto = Auto::new(game(Arc::clone(&sheet)), &settings).unwrap();
    auto.wait_until_ready();
    let start = auto.initial().unwrap();
    let (states, _) = walk(&mut auto, start, 12);
    let chain = Chain::new(&sheet, &settings.chain, None).unwrap();
    let orand = Orand::new(&sheet, settings.orand).unwrap();
    // Either may be the fastest on some machine, so both have to be correct.
    for fallback in [
        FallbackEngine::Chain(Box::new(chain)),
        FallbackEngine::Orand(Box::new(orand)),
    ] {
        auto.fallback = Some(fallback);
        for (state, played) in states.iter().zip(0..) {
            let mut fork = auto.fork();
            let playout = fork.fallback_playout(state, &mut Rng::new(1), 100);
            let playout = playout.unwrap().unwrap();
            assert_eq!(playout.end, PlayoutEnd::Terminal);
            assert!(playout.steps + played <= 42, "wrong start state");
            // The limit 0 ends a playout at its start.
            let none = fork.fallback_playout(state, &mut Rng::new(1), 0);
            assert_eq!(none.unwrap().unwrap().steps, 0);
        }
    }
}

#[test]
fn dropping_the_last_fork_cancels_the_compiler() {
    let (auto, work) = planned(rules("connect-four"));
    let fork = auto.fork();
    drop(auto);
    assert_eq!(fork.engine_choice(), Some(EngineChoice::Compiling));
    let cancelled = fork.compiler.cancelled();
    assert!(!cancelled.load(Ordering::Relaxed));
    drop(fork);
    assert!(cancelled.load(Ordering::Relaxed));
    // Cancelled work ends at once.
    work.run();
}

#[test]
fn dropping_the_last_fork_cancels_building_the_chain_engine() {
    let mut settings = EngineSettings::default();
    settings.limits.ground.max_instances = 10;
    let rules = rules("connect-four");
    let prover = Prover::new(Arc::clone(&rules)).unwrap();
    let (compiler, work) = Compiler::planned(game(Arc::clone(&rules)), &settings, &prover);
    // The flag that building the chain engine checks.
    let flag = work.chain_settings().cancel.clone().unwrap();
    drop(Auto::with_compiler(prover, compiler));
    assert!(flag.load(Ordering::Relaxed));
    let made = Chain::new(&rules, work.chain_settings(), None).map(|_| ());
    assert_eq!(made, Err(ChainError::Cancelled));
    work.run();
}

#[test]
fn a_ready_reasoner_plays_on_the_network() {
    let mut auto = Auto::new(game(rules("tic-tac-toe")), &EngineSettings::default()).unwrap();
    auto.wait_until_ready();
    let start = auto.initial().unwrap();
    assert!(auto.components().is_some());
    let playout = auto.playout(&start, &mut Rng::new(1), 100).unwrap();
    assert!((5..=9).contains(&playout.steps));
}

#[test]
fn move_ids_in_results_are_the_same_before_and_after_the_switch() {
    let (mut auto, work) = planned(rules("pursuit"));
    let start = auto.initial().unwrap();
    // Give the moves ids of the prover before the network is ready.
    let (states, _) = walk(&mut auto, start.clone(), 4);
    let before = auto.summaries(&states).unwrap();
    let preferred = before[0].legal[0][0];
    let mut policy = PlayoutPolicy {
        epsilon: 0.0,
        scores: vec![vec![0.0; preferred.index() + 1]],
        ..PlayoutPolicy::default()
    };
    policy.scores[0][preferred.index()] = 1.0;
    let starts = [start];
    let request = |each| GuidedRequest {
        starts: &starts,
        groups: &[],
        each,
        policy: &policy,
        limit: 1,
        wait_until_ready: true,
    };
    let GuidedResult {
        totals: _,
        histories: before_switch,
    } = auto
        .guided_playouts(&request(30), &mut Rng::new(1))
        .unwrap();
    let before_switch = &before_switch[0];
    assert_eq!(before_switch.moves[0].len(), preferred.index() + 1);
    work.run();
    auto.wait_until_ready();
    assert_eq!(auto.summaries(&states).unwrap(), before);
    let GuidedResult {
        totals,
        histories: after_switch,
    } = auto
        .guided_playouts(&request(600), &mut Rng::new(1))
        .unwrap();
    let after_switch = &after_switch[0];
    assert_eq!(totals[0].playouts, 600);
    // All roles play the preferred move, with the id that it had before the switch.
    let played: Vec<usize> = (0..after_switch.moves[0].len())
        .filter(|id| after_switch.moves[0][*id].playouts > 0)
        .collect();
    assert!(
        played.is_empty() || played == [preferred.index()],
        "{played:?}"
    );
    let totals = auto.playouts(&starts, 600, &mut Rng::new(1), 100).unwrap();
    assert_eq!(totals[0].playouts, 600);
    // Records contain the ids from before the switch as well.
    for record in &auto
        .recorded_playouts(&starts, 600, &mut Rng::new(1), 1)
        .unwrap()[0]
    {
        for (role, id) in record.moves[0].iter().enumerate() {
            assert!(before[0].legal[role].contains(id));
        }
    }
}

#[test]
fn whoever_answers_stops_when_described_to() {
    let (mut auto, work) = planned(rules("connect-four"));
    let start = auto.initial().unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    auto.set_cancel(Some(Arc::clone(&flag)));
    work.run();
    auto.wait_until_ready();
    let starts = [auto.initial().unwrap(), start];
    let policy = PlayoutPolicy::default();
    // Enough for lanes, and so few that the network plays them.
    for each in [1_000, 1] {
        let request = GuidedRequest {
            starts: &starts,
            groups: &[],
            each,
            policy: &policy,
            limit: 100,
            wait_until_ready: true,
        };
        let query = |auto: &mut Auto| {
            [
                auto.playouts(&starts, each, &mut Rng::new(1), 100).err(),
                auto.guided_playouts(&request, &mut Rng::new(1)).err(),
                auto.recorded_playouts(&starts, each, &mut Rng::new(1), 100)
                    .err(),
            ]
        };
        let stopped = [(); 3].map(|()| Some(ReasonError::Stopped));
        assert_eq!(query(&mut auto), [None, None, None]);
        // The flag was passed on before the network was ready.
        flag.store(true, Ordering::Relaxed);
        assert_eq!(query(&mut auto), stopped);
        assert_eq!(query(&mut auto.fork()), [None, None, None]);
        auto.set_cancel(None);
        auto.set_deadline(Some(Instant::now()));
        assert_eq!(query(&mut auto), stopped);
        assert_eq!(query(&mut auto.fork()), stopped);
        auto.set_deadline(None);
        assert_eq!(query(&mut auto), [None, None, None]);
        flag.store(false, Ordering::Relaxed);
        auto.set_cancel(Some(Arc::clone(&flag)));
    }
}
