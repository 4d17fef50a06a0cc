//! Claims about the choice of the engine. The work of the compiler is done by hand, so that the
//! moment of the change is known.

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

/// A reasoner whose compiler has not begun.
fn planned(rules: Arc<Rules>) -> (Auto, compiler::Work) {
    let prover = Prover::prepared_within(Arc::clone(&rules), PREPARATION).expect("a prover");
    let (compiler, work) = Compiler::planned(game(rules), &Settings::default(), &prover);
    (Auto::with(prover, compiler), work)
}

/// Everything about a state, in text.
fn tell(auto: &mut Auto, state: &AutoState) -> Vec<String> {
    let mut told = auto.facts(state);
    told.push(format!("terminal {}", auto.is_terminal(state).unwrap()));
    told.push(format!("key {:x}", auto.key(state)));
    let mut moves = Vec::new();
    for role in 0..auto.roles().len() {
        told.push(format!("goal {}", auto.goal(state, role).unwrap()));
        auto.legal_moves(state, role, &mut moves).unwrap();
        told.extend(moves.iter().map(|id| auto.move_text(role, *id)));
    }
    told
}

/// A random walk: the states, and the joint moves between them.
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
fn states_and_moves_from_before_the_change_stay_valid() {
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
        let told: Vec<_> = before.iter().map(|state| tell(&mut auto, state)).collect();
        work.run();
        let mut state = auto.initial().unwrap();
        assert_eq!(auto.engine_choice().unwrap().engine(), "propnet");
        assert!(matches!(state.form, Form::Network(_)));
        // From the old states by the old moves, and from the new start by the old moves: everything
        // is the same.
        for (i, old) in before.iter().enumerate() {
            assert_eq!(tell(&mut auto, old), told[i], "{game}");
            assert_eq!(tell(&mut auto, &state), told[i], "{game}");
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
fn different_states_stay_different_over_the_change() {
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
fn forks_go_over_on_their_own_and_understand_each_other() {
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
        tell(&mut late, state);
    }
}

#[test]
fn illegal_moves_are_refused_before_and_after_the_change() {
    let (mut auto, work) = planned(rules("tic-tac-toe"));
    let start = auto.initial().unwrap();
    let wrong = auto.find_move(1, "(mark 1 1)").unwrap();
    let mad = auto.find_move(0, "(fly 1)").unwrap();
    let mark = auto.find_move(0, "(mark 1 1)").unwrap();
    let noop = auto.find_move(1, "noop").unwrap();
    let refuse = |auto: &mut Auto| {
        let start = auto.initial().unwrap();
        for joint in [[mark, wrong], [mad, noop], [MoveId(777), noop]] {
            let error = auto.next(&start, &joint).unwrap_err();
            assert!(matches!(error, ReasonError::IllegalMove { .. }), "{error}");
        }
        assert!(auto.next(&start, &[mark]).is_err());
        auto.next(&start, &[mark, noop]).unwrap()
    };
    let before = refuse(&mut auto);
    work.run();
    assert_eq!(refuse(&mut auto), before);
    assert!(auto.goal(&start, 7).is_err());
}

#[test]
fn states_that_no_play_reaches_are_answered_by_the_prover() {
    let facts = ["(cell 1 1 x)", "(cell 1 1 o)", "(somewhere else)"].map(str::to_owned);
    let (mut auto, work) = planned(rules("tic-tac-toe"));
    let before = auto.state_from_facts(&facts).unwrap();
    let told = tell(&mut auto, &before);
    work.run();
    let after = auto.state_from_facts(&facts).unwrap();
    assert_eq!(before, after);
    assert_eq!(tell(&mut auto, &before), told);
    assert_eq!(tell(&mut auto, &after), told);
}

#[test]
fn a_question_that_the_prover_is_at_is_taken_over() {
    let (mut auto, work) = planned(rules("breakthrough"));
    let start = auto.initial().unwrap();
    work.run();
    // As if the flag had been raised while the prover was at work: it gives up, and the network
    // answers.
    let flag = Arc::new(AtomicBool::new(true));
    auto.prover.set_interrupt(Some(Arc::clone(&flag)));
    assert_eq!(
        auto.prover.is_terminal(&unwrap_early(&start)),
        Err(ReasonError::Stopped)
    );
    assert_eq!(auto.is_terminal(&start), Ok(false));
    assert!(auto.compiled.is_some());
    assert!(flag.load(Ordering::Relaxed));
}

fn unwrap_early(state: &AutoState) -> ProverState {
    match &state.form {
        Form::Rules(early) => early.state.clone(),
        Form::Network(_) => panic!("a state of the network"),
    }
}

#[test]
fn over_budget_the_prover_stays_and_the_reason_is_kept() {
    let mut settings = Settings::default();
    settings.limits.ground.max_instances = 10;
    let mut auto = Auto::new(game(rules("connect-four")), &settings).unwrap();
    auto.wait_until_ready();
    let start = auto.initial().unwrap();
    let playout = auto.playout(&start, &mut Rng::new(1), 100).unwrap();
    assert!(playout.steps > 6);
    assert_eq!(auto.components(), None);
    match auto.engine_choice().unwrap() {
        EngineChoice::Prover { reason, .. } => {
            assert!(reason.contains("too many ground"), "{reason}")
        }
        choice => panic!("{choice:?}"),
    }
}

#[test]
fn playouts_by_another_engine_start_where_the_prover_is() {
    let mut settings = Settings::default();
    settings.limits.ground.max_instances = 10;
    let sheet = rules("connect-four");
    let mut auto = Auto::new(game(Arc::clone(&sheet)), &settings).unwrap();
    auto.wait_until_ready();
    let start = auto.initial().unwrap();
    let (states, _) = walk(&mut auto, start, 12);
    let chain = Chain::new(&sheet, &settings.chain, None).unwrap();
    let orand = Orand::new(&sheet, settings.orand).unwrap();
    // Whichever is fastest on this machine: each of them has to be right.
    for standin in [
        Standin::Chain(Box::new(chain)),
        Standin::Orand(Box::new(orand)),
    ] {
        auto.standin = Some(standin);
        for (state, played) in states.iter().zip(0..) {
            let mut fork = auto.fork();
            let playout = fork.playout_by_standin(state, &mut Rng::new(1), 100);
            let playout = playout.unwrap().unwrap();
            assert_eq!(playout.end, PlayoutEnd::Terminal);
            assert!(playout.steps + played <= 42, "not from where it was");
            // Without a step it is where it was.
            let none = fork.playout_by_standin(state, &mut Rng::new(1), 0);
            assert_eq!(none.unwrap().unwrap().steps, 0);
        }
    }
}

#[test]
fn dropping_the_last_fork_ends_the_compiler() {
    let (auto, work) = planned(rules("connect-four"));
    let fork = auto.fork();
    drop(auto);
    assert_eq!(fork.engine_choice(), Some(EngineChoice::Compiling));
    let cancelled = fork.compiler.cancelled();
    assert!(!cancelled.load(Ordering::Relaxed));
    drop(fork);
    assert!(cancelled.load(Ordering::Relaxed));
    // The work sees it and ends at once.
    work.run();
}

#[test]
fn dropping_the_last_fork_ends_making_tables_as_well() {
    let mut settings = Settings::default();
    settings.limits.ground.max_instances = 10;
    let rules = rules("connect-four");
    let prover = Prover::new(Arc::clone(&rules)).unwrap();
    let (compiler, work) = Compiler::planned(game(Arc::clone(&rules)), &settings, &prover);
    // The very flag that making tables looks at.
    let flag = work.chain_settings().cancel.clone().unwrap();
    drop(Auto::with(prover, compiler));
    assert!(flag.load(Ordering::Relaxed));
    let made = Chain::new(&rules, work.chain_settings(), None).map(|_| ());
    assert_eq!(made, Err(ChainError::Cancelled));
    work.run();
}

#[test]
fn a_settled_reasoner_plays_on_the_network() {
    let mut auto = Auto::new(game(rules("tic-tac-toe")), &Settings::default()).unwrap();
    auto.wait_until_ready();
    let start = auto.initial().unwrap();
    assert!(auto.components().is_some());
    let playout = auto.playout(&start, &mut Rng::new(1), 100).unwrap();
    assert!((5..=9).contains(&playout.steps));
}

#[test]
fn many_playouts_mean_the_same_before_and_after_the_change() {
    let (mut auto, work) = planned(rules("pursuit"));
    let start = auto.initial().unwrap();
    // Moves get the prover's numbers before the network is there.
    let (states, _) = walk(&mut auto, start.clone(), 4);
    let before = auto.summaries(&states).unwrap();
    let wish = before[0].legal[0][0];
    let mut guide = PlayoutPolicy {
        epsilon: 0.0,
        scores: vec![vec![0.0; wish.index() + 1]],
        ..PlayoutPolicy::default()
    };
    guide.scores[0][wish.index()] = 1.0;
    let starts = [start];
    let wanted = |each| GuidedRequest {
        starts: &starts,
        groups: &[],
        each,
        policy: &guide,
        limit: 1,
        wait_until_ready: true,
    };
    let GuidedResult {
        totals: _,
        histories: early,
    } = auto.guided_playouts(&wanted(30), &mut Rng::new(1)).unwrap();
    let early = &early[0];
    assert_eq!(early.moves[0].len(), wish.index() + 1);
    work.run();
    auto.wait_until_ready();
    assert_eq!(auto.summaries(&states).unwrap(), before);
    let GuidedResult {
        totals: tallies,
        histories: late,
    } = auto
        .guided_playouts(&wanted(600), &mut Rng::new(1))
        .unwrap();
    let late = &late[0];
    assert_eq!(tallies[0].playouts, 600);
    // In the first step everybody plays the preferred move, by the number that it had before.
    let played: Vec<usize> = (0..late.moves[0].len())
        .filter(|id| late.moves[0][*id].playouts > 0)
        .collect();
    assert!(played.is_empty() || played == [wish.index()], "{played:?}");
    let tallies = auto.playouts(&starts, 600, &mut Rng::new(1), 100).unwrap();
    assert_eq!(tallies[0].playouts, 600);
    // What is written down has the numbers that were given out before, too.
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
fn whoever_answers_stops_when_told_to() {
    let (mut auto, work) = planned(rules("connect-four"));
    let start = auto.initial().unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    auto.set_cancel(Some(Arc::clone(&flag)));
    work.run();
    auto.wait_until_ready();
    let starts = [auto.initial().unwrap(), start];
    let guide = PlayoutPolicy::default();
    // As many as lanes play at once, and as few as are left to the network.
    for each in [1_000, 1] {
        let wanted = GuidedRequest {
            starts: &starts,
            groups: &[],
            each,
            policy: &guide,
            limit: 100,
            wait_until_ready: true,
        };
        let ask = |auto: &mut Auto| {
            [
                auto.playouts(&starts, each, &mut Rng::new(1), 100).err(),
                auto.guided_playouts(&wanted, &mut Rng::new(1)).err(),
                auto.recorded_playouts(&starts, each, &mut Rng::new(1), 100)
                    .err(),
            ]
        };
        let late = [(); 3].map(|()| Some(ReasonError::Stopped));
        assert_eq!(ask(&mut auto), [None, None, None]);
        // The flag was given before the network was there.
        flag.store(true, Ordering::Relaxed);
        assert_eq!(ask(&mut auto), late);
        assert_eq!(ask(&mut auto.fork()), [None, None, None]);
        auto.set_cancel(None);
        auto.set_deadline(Some(Instant::now()));
        assert_eq!(ask(&mut auto), late);
        assert_eq!(ask(&mut auto.fork()), late);
        auto.set_deadline(None);
        assert_eq!(ask(&mut auto), [None, None, None]);
        flag.store(false, Ordering::Relaxed);
        auto.set_cancel(Some(Arc::clone(&flag)));
    }
}
