//! Tests of the changes between engines. Each test runs the work of the background threads itself,
//! so that it controls the moments of the changes, and gives the engines costs of its choice.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};

use super::costs::{Cost, Costs};
use super::*;
use crate::settings::StageWhen;
use ludorum_logic::Rules;
use ludorum_reasoner::{PlayoutEnd, PlayoutPolicy};

fn rules(game: &str) -> Arc<Rules> {
    let game = ludorum_games::find(game).expect("a shipped game");
    Arc::new(Rules::from_text(game.text).expect("rules"))
}

fn game(rules: Arc<Rules>) -> Arc<CompiledGame> {
    Arc::new(CompiledGame::new(rules))
}

fn planned_with(rules: Arc<Rules>, costs: fn(Candidate) -> Costs) -> (Auto, Builders) {
    let mut settings = EngineSettings::default();
    // Statistics of many states make chain faster and the tests slower.
    settings.chain.statistics_states = 10;
    settings.stage = StageWhen::Always;
    Auto::planned(game(rules), &settings, CostSource::Fixed(costs)).expect("an engine")
}

/// A reasoner and the work of its threads, which has not started.
fn planned(rules: Arc<Rules>) -> (Auto, Builders) {
    planned_with(rules, Costs::nominal)
}

/// Costs by which one engine is cheaper than all others, and slow enough that all are built.
fn only(wanted: Candidate, candidate: Candidate) -> Costs {
    let each = if wanted == candidate { 1.0 } else { 1e3 };
    Costs([Cost::one_by_one(each); Question::ALL.len()])
}

/// The costs of each engine.
type CostFunction = fn(Candidate) -> Costs;

/// Cost functions that prefer each engine.
const PREFERRED: [(Candidate, CostFunction); Candidate::COUNT] = [
    (Candidate::Prover, |candidate| {
        only(Candidate::Prover, candidate)
    }),
    (Candidate::Orand, |candidate| {
        only(Candidate::Orand, candidate)
    }),
    (Candidate::Chain, |candidate| {
        only(Candidate::Chain, candidate)
    }),
    (Candidate::Propnet, |candidate| {
        only(Candidate::Propnet, candidate)
    }),
    (Candidate::Lanes, |candidate| {
        only(Candidate::Lanes, candidate)
    }),
    (Candidate::Staged, |candidate| {
        only(Candidate::Staged, candidate)
    }),
];

fn run(builders: &Builders) {
    builders.run_network();
    builders.run_rules();
    builders.run_staged();
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
            if moves.is_empty() {
                return (states, joints);
            }
            joint.push(moves[rng.below(moves.len())]);
        }
        states.push(auto.next(&state, &joint).unwrap());
        joints.push(joint);
    }
    (states, joints)
}

#[test]
fn all_engines_agree_on_random_sheets() {
    for seed in 0..40 {
        let text = ludorum_reasoner::testing::generate::sheet(seed);
        let rules = Arc::new(Rules::from_text(&text).expect("rules"));
        let mut reference = None;
        for (wanted, costs) in PREFERRED {
            let (mut auto, builders) = planned_with(Arc::clone(&rules), costs);
            run(&builders);
            let start = auto.initial().unwrap();
            let (states, _) = walk(&mut auto, start, 6);
            let described: Vec<_> = states
                .iter()
                .map(|state| describe(&mut auto, state))
                .collect();
            let legal_texts = |auto: &mut Auto, summary: &StateSummary| {
                let roles = summary.legal.iter().enumerate();
                let texts = roles.flat_map(|(role, moves)| moves.iter().map(move |id| (role, *id)));
                let texts: Vec<(Role, MoveId)> = texts.collect();
                let text = |(role, id): &(Role, MoveId)| auto.move_text(*role, *id);
                texts.iter().map(text).collect::<Vec<_>>()
            };
            let summaries = auto.summaries(&states).unwrap();
            let legal: Vec<_> = summaries
                .iter()
                .map(|summary| (summary.terminal, legal_texts(&mut auto, summary)))
                .collect();
            let answers = (described, legal);
            match &reference {
                None => reference = Some(answers),
                Some(reference) => assert_eq!(*reference, answers, "{seed} {wanted:?}\n{text}"),
            }
        }
    }
}

#[test]
fn states_and_moves_stay_valid_whichever_engine_comes() {
    let mut staged = 0;
    for game in [
        "tic-tac-toe",
        "connect-four",
        "pursuit",
        "breakthrough-small",
    ] {
        for (wanted, costs) in PREFERRED {
            let (mut auto, builders) = planned_with(rules(game), costs);
            let start = auto.initial().unwrap();
            let (before, joints) = walk(&mut auto, start, 20);
            assert!(auto.choice().is_compiling());
            let describe_all = |auto: &mut Auto, states: &[AutoState]| {
                let states = states.iter().map(|state| describe(auto, state));
                states.collect::<Vec<_>>()
            };
            let described = describe_all(&mut auto, &before);
            let summaries = auto.summaries(&before).unwrap();
            run(&builders);
            let mut state = auto.initial().unwrap();
            if wanted == Candidate::Staged && auto.table().fork(wanted).is_none() {
                // Not every game can be staged.
                continue;
            }
            staged += u32::from(wanted == Candidate::Staged);
            assert_eq!(auto.choice().states, wanted.name());
            assert_eq!(
                matches!(state.form, Form::Network(_)),
                wanted.is_on_network()
            );
            // Old joint moves lead to the same states from the old states and from the new start.
            for (i, old) in before.iter().enumerate() {
                assert_eq!(describe(&mut auto, old), described[i], "{game} {wanted:?}");
                assert_eq!(
                    describe(&mut auto, &state),
                    described[i],
                    "{game} {wanted:?}"
                );
                assert_eq!(state, *old);
                assert!(HashSet::from([old.clone()]).contains(&state));
                assert_eq!(auto.fluent_difference(&state, old), (0, 0));
                if let Some(joint) = joints.get(i) {
                    state = auto.next(&state, joint).unwrap();
                    assert_eq!(auto.next(old, joint).unwrap(), state);
                }
            }
            // The same in batches.
            assert_eq!(auto.summaries(&before).unwrap(), summaries);
            let moves: Vec<(&AutoState, &[MoveId])> = before
                .iter()
                .zip(&joints)
                .map(|(state, joint)| (state, &joint[..]))
                .collect();
            assert_eq!(auto.next_states(&moves).unwrap(), before[1..]);
            let playouts = auto.playouts(&before, 3, &mut Rng::new(1), 100).unwrap();
            assert!(playouts.iter().all(|totals| totals.playouts == 3));
        }
    }
    assert!(staged > 0, "no game was staged");
}

#[test]
fn different_states_stay_different_after_the_switch() {
    let (mut auto, builders) = planned(rules("tic-tac-toe"));
    let start = auto.initial().unwrap();
    let (before, _) = walk(&mut auto, start, 5);
    run(&builders);
    let start = auto.initial().unwrap();
    let (after, _) = walk(&mut auto, start, 5);
    for (i, old) in before.iter().enumerate() {
        for (j, new) in after.iter().enumerate() {
            assert_eq!(old == new, i == j);
            assert_eq!(auto.fluent_difference(old, new) == (0, 0), i == j);
        }
    }
}

#[test]
fn forks_switch_independently_and_accept_each_others_states() {
    let (mut auto, builders) = planned(rules("connect-four"));
    let start = auto.initial().unwrap();
    let mut late = auto.fork();
    let (_, joints) = walk(&mut auto, start.clone(), 3);
    run(&builders);
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
fn illegal_moves_are_rejected_by_all_engines() {
    for (_, costs) in PREFERRED {
        let (mut auto, builders) = planned_with(rules("tic-tac-toe"), costs);
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
                assert!(auto.next_states(&[(&start, &joint)]).is_err());
            }
            assert!(auto.next(&start, &[mark]).is_err());
            auto.next(&start, &[mark, noop]).unwrap()
        };
        let before = next_after_illegal_moves(&mut auto);
        run(&builders);
        assert_eq!(next_after_illegal_moves(&mut auto), before);
        assert!(auto.goal(&start, 7).is_err());
        let mut moves = vec![MoveId(1 << 20)];
        assert!(auto.legal_moves(&start, 7, &mut moves).is_err());
    }
}

#[test]
fn the_prover_answers_for_unreachable_states() {
    for (_, costs) in PREFERRED {
        let facts = ["(cell 1 1 x)", "(cell 1 1 o)", "(somewhere else)"].map(str::to_owned);
        let (mut auto, builders) = planned_with(rules("tic-tac-toe"), costs);
        let before = auto.state_from_facts(&facts).unwrap();
        let described = describe(&mut auto, &before);
        run(&builders);
        let after = auto.state_from_facts(&facts).unwrap();
        assert_eq!(before, after);
        assert_eq!(describe(&mut auto, &before), described);
        assert_eq!(describe(&mut auto, &after), described);
        let states = [before, after];
        let playouts = auto.playouts(&states, 1, &mut Rng::new(1), 2).unwrap();
        assert_eq!(playouts.len(), 2);
        assert_eq!(auto.summaries(&states).unwrap().len(), 2);
        let records = auto.recorded_playouts(&states, 1, &mut Rng::new(1), 2);
        assert_eq!(records.unwrap().len(), 2);
    }
}

#[test]
fn a_new_engine_interrupts_the_query_of_another_and_answers_it() {
    let (mut auto, builders) = planned(rules("breakthrough"));
    let start = auto.initial().unwrap();
    let mut prover = auto.engines[Candidate::Prover as usize].take().unwrap();
    run(&builders);
    // As if the table had changed during the query: the prover stops, the network answers.
    let stopped = prover.0.is_terminal(&mut auto.ids, &start);
    assert_eq!(stopped, Err(ReasonError::Stopped));
    auto.engines[Candidate::Prover as usize] = Some(prover);
    let mut asked = 0;
    let answer = auto.ask(
        (Question::State, 1),
        |auto| {
            if auto.ids.network.is_none() {
                Candidate::Prover
            } else {
                auto.single[0]
            }
        },
        |engine, ids| {
            asked += 1;
            engine.is_terminal(ids, &start)
        },
    );
    assert_eq!(answer, Ok(false));
    assert_eq!(asked, 1, "the change is seen before the query");
    assert!(auto.engines[Candidate::Propnet as usize].is_some());
}

#[test]
fn if_grounding_is_over_budget_the_reason_is_kept() {
    let mut settings = EngineSettings::default();
    settings.limits.ground.max_instances = 10;
    for (wanted, costs) in &PREFERRED[..3] {
        let source = CostSource::Fixed(*costs);
        let planned = Auto::planned(game(rules("connect-four")), &settings, source);
        let (mut auto, builders) = planned.unwrap();
        run(&builders);
        auto.wait_until_ready();
        let start = auto.initial().unwrap();
        let (states, _) = walk(&mut auto, start, 12);
        for (state, played) in states.iter().zip(0..) {
            let playout = auto.playout(state, &mut Rng::new(1), 100).unwrap();
            assert_eq!(playout.end, PlayoutEnd::Terminal);
            assert!(playout.steps + played <= 42, "wrong start state");
            // The limit 0 ends a playout at its start.
            let none = auto.playout(state, &mut Rng::new(1), 0);
            assert_eq!(none.unwrap().steps, 0);
        }
        assert_eq!(auto.components(), None);
        let choice = auto.choice();
        assert_eq!(
            (choice.states, choice.playouts),
            (wanted.name(), wanted.name())
        );
        match choice.network {
            NetworkProgress::Missing { reason } => {
                assert!(reason.contains("too many ground"), "{reason}");
            }
            network => panic!("{network:?}"),
        }
    }
}

#[test]
fn engines_that_are_best_for_nothing_are_dropped() {
    let (mut auto, builders) = planned_with(rules("tic-tac-toe"), PREFERRED[2].1);
    run(&builders);
    auto.initial().unwrap();
    assert!(auto.table().fork(Candidate::Chain).is_some());
    assert!(auto.table().fork(Candidate::Prover).is_some());
    assert!(auto.table().fork(Candidate::Orand).is_none());
}

#[test]
fn dropping_the_last_fork_cancels_the_work() {
    let (auto, builders) = planned(rules("connect-four"));
    let fork = auto.fork();
    drop(auto);
    assert!(fork.choice().is_compiling());
    let table = Arc::clone(&fork.table.0);
    assert!(!table.is_cancelled());
    drop(fork);
    assert!(table.is_cancelled());
    // Cancelled work ends at once.
    run(&builders);
    assert!(table.fork(Candidate::Propnet).is_none());
    assert!(table.fork(Candidate::Chain).is_none());
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
fn reproducible_playouts_do_not_depend_on_measured_costs() {
    for game in ["connect-four", "pursuit"] {
        let mut all = Vec::new();
        for (_, costs) in PREFERRED {
            let (mut auto, builders) = planned_with(rules(game), costs);
            auto.set_reproducible(true);
            let start = auto.initial().unwrap();
            run(&builders);
            let mut rng = Rng::new(7);
            let one = auto.playout(&start, &mut rng, 100).unwrap();
            let few = auto.playouts(&[&start], 3, &mut rng, 100).unwrap();
            let many = auto.playouts(&[&start], 100, &mut rng, 100).unwrap();
            all.push((one, few, many, auto.preferred_batch(), rng.next_u64()));
        }
        assert!(all.iter().all(|played| *played == all[0]), "{game}");
    }
}

#[test]
fn reproducible_playouts_wait_for_engines_at_most_half_of_the_time() {
    let (mut auto, _builders) = planned(rules("connect-four"));
    auto.set_reproducible(true);
    let start = auto.initial().unwrap();
    auto.set_deadline(Some(Instant::now()));
    // No engine is going to be built, and there is no time: the prover stops at once.
    let played = auto.playout(&start, &mut Rng::new(1), 100);
    assert_eq!(played, Err(ReasonError::Stopped));
    auto.set_deadline(Some(Instant::now() + Duration::from_secs(20)));
    let flag = Arc::new(AtomicBool::new(true));
    auto.set_cancel(Some(flag));
    assert_eq!(auto.preferred_batch(), 1);
}

#[test]
fn a_batch_of_lanes_that_would_be_late_is_not_begun() {
    let costs = |candidate| {
        let mut costs = Costs::nominal(candidate);
        if candidate == Candidate::Lanes {
            // An hour for a step of all lanes.
            costs.0[Question::Playout as usize].batch = 3_600.0;
        }
        if candidate == Candidate::Propnet {
            costs.0[Question::Playout as usize].each = 10.0;
        }
        costs
    };
    let (mut auto, builders) = planned_with(rules("connect-four"), costs);
    run(&builders);
    let start = auto.initial().unwrap();
    assert_eq!(auto.preferred_batch(), PREFERRED_BATCH);
    auto.set_deadline(Some(Instant::now() + Duration::from_mins(10)));
    assert_eq!(auto.preferred_batch(), 1);
    let totals = auto.playouts(&[&start], 512, &mut Rng::new(1), 100);
    assert_eq!(totals.unwrap()[0].playouts, 512);
    assert!(auto.engines[Candidate::Lanes as usize].is_none());
    assert!(auto.engines[Candidate::Propnet as usize].is_some());
}

#[test]
fn move_ids_in_results_are_the_same_before_and_after_the_switch() {
    let (mut auto, builders) = planned(rules("pursuit"));
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
    run(&builders);
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
fn whoever_answers_stops_when_told_to() {
    for (_, costs) in &PREFERRED[1..] {
        let (mut auto, builders) = planned_with(rules("connect-four"), *costs);
        let start = auto.initial().unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        auto.set_cancel(Some(Arc::clone(&flag)));
        run(&builders);
        auto.wait_until_ready();
        let starts = [auto.initial().unwrap(), start];
        let policy = PlayoutPolicy::default();
        let request = GuidedRequest {
            starts: &starts,
            groups: &[],
            each: 20,
            policy: &policy,
            limit: 100,
            wait_until_ready: true,
        };
        let query = |auto: &mut Auto| {
            [
                auto.playouts(&starts, 20, &mut Rng::new(1), 100).err(),
                auto.guided_playouts(&request, &mut Rng::new(1)).err(),
                auto.recorded_playouts(&starts, 20, &mut Rng::new(1), 100)
                    .err(),
            ]
        };
        let stopped = [(); 3].map(|()| Some(ReasonError::Stopped));
        assert_eq!(query(&mut auto), [None, None, None]);
        // The flag was passed on before the engine was ready.
        flag.store(true, Ordering::Relaxed);
        assert_eq!(query(&mut auto), stopped);
        assert_eq!(query(&mut auto.fork()), [None, None, None]);
        auto.set_cancel(None);
        auto.set_deadline(Some(Instant::now()));
        assert_eq!(query(&mut auto), stopped);
        assert_eq!(query(&mut auto.fork()), stopped);
        auto.set_deadline(None);
        assert_eq!(query(&mut auto), [None, None, None]);
    }
}

/// An engine that fails as lanes on staged rules may, and counts how often.
#[derive(Debug)]
struct Failing(ReasonError, Arc<AtomicU32>);

impl Failing {
    fn fail<T>(&self) -> Answer<T> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Err(self.0.clone())
    }
}

impl InPlay for Failing {
    fn boxed_fork(&self) -> Box<dyn InPlay> {
        Box::new(Self(self.0.clone(), Arc::clone(&self.1)))
    }

    fn set_stop(&mut self, _: &StopSignal, _: &Arc<AtomicBool>) {}

    fn own_form(&self, _: &PublicIds, state: &AutoState) -> Option<AutoState> {
        Some(state.clone())
    }

    fn initial(&mut self, _: &mut PublicIds) -> Answer<AutoState> {
        self.fail()
    }

    fn is_terminal(&mut self, _: &mut PublicIds, _: &AutoState) -> Answer<bool> {
        self.fail()
    }

    fn goal(&mut self, _: &mut PublicIds, _: &AutoState, _: Role) -> Answer<Goal> {
        self.fail()
    }

    fn legal_moves(
        &mut self,
        _: &mut PublicIds,
        _: &AutoState,
        _: Role,
        _: &mut Vec<MoveId>,
    ) -> Answer<()> {
        self.fail()
    }

    fn next(&mut self, _: &mut PublicIds, _: &AutoState, _: &[MoveId]) -> Answer<AutoState> {
        self.fail()
    }

    fn summaries(&mut self, _: &mut PublicIds, _: &[&AutoState]) -> Answer<Vec<StateSummary>> {
        self.fail()
    }

    fn playout(
        &mut self,
        _: &mut PublicIds,
        _: &AutoState,
        _: &mut Rng,
        _: u32,
    ) -> Answer<Playout> {
        self.fail()
    }

    fn playouts(
        &mut self,
        _: &mut PublicIds,
        _: PlayoutRequest<'_>,
        _: &mut Rng,
    ) -> Answer<Vec<PlayoutTotals>> {
        self.fail()
    }

    fn guided_playouts(
        &mut self,
        _: &mut PublicIds,
        _: &GuidedRequest<'_, &AutoState>,
        _: &mut Rng,
    ) -> Answer<GuidedResult> {
        self.fail()
    }
}

#[test]
fn where_staged_fails_another_engine_answers_and_staged_is_given_up() {
    let errors = [
        ReasonError::Unsupported("two kings".to_owned()),
        ReasonError::Budget("no candidate".to_owned()),
        ReasonError::IllegalMove {
            role: "white".to_owned(),
            text: "noop".to_owned(),
        },
    ];
    for error in errors {
        let (mut auto, builders) = planned(rules("tic-tac-toe"));
        let start = auto.initial().unwrap();
        let (states, joints) = walk(&mut auto, start, 9);
        let described: Vec<_> = states.iter().map(|s| describe(&mut auto, s)).collect();
        let summaries = auto.summaries(&states).unwrap();
        builders.run_network();
        builders.run_rules();
        let asked = Arc::new(AtomicU32::new(0));
        let engine = Box::new(Failing(error.clone(), Arc::clone(&asked)));
        let cheap = Costs([Cost::one_by_one(1e-9); Question::ALL.len()]);
        auto.table().put(Candidate::Staged, engine, cheap);
        assert_eq!(auto.choice().engines(), "staged");
        let policy = PlayoutPolicy::default();
        for _ in 0..4 {
            for (state, described) in states.iter().zip(&described) {
                assert_eq!(describe(&mut auto, state), *described, "{error}");
            }
            assert_eq!(auto.summaries(&states).unwrap(), summaries);
            let moves: Vec<(&AutoState, &[MoveId])> = states
                .iter()
                .zip(&joints)
                .map(|(state, joint)| (state, &joint[..]))
                .collect();
            assert_eq!(auto.next_states(&moves).unwrap(), states[1..]);
            let totals = auto.playouts(&states, 2, &mut Rng::new(1), 100).unwrap();
            assert!(totals.iter().all(|totals| totals.playouts == 2));
            let request = GuidedRequest {
                starts: &states,
                groups: &[],
                each: 2,
                policy: &policy,
                limit: 100,
                wait_until_ready: false,
            };
            let guided = auto.guided_playouts(&request, &mut Rng::new(1)).unwrap();
            assert!(guided.totals.iter().all(|totals| totals.playouts == 2));
        }
        assert_eq!(auto.choice().engines(), "propnet and lanes");
        // Three failures for each kind of question.
        assert_eq!(asked.load(Ordering::Relaxed), 9, "{error}");
        assert!(auto.table().fork(Candidate::Staged).is_none());
    }
}

#[test]
fn a_small_network_is_not_staged() {
    let (mut auto, builders) = {
        let source = CostSource::Fixed(|candidate| only(Candidate::Staged, candidate));
        let settings = EngineSettings::default();
        Auto::planned(game(rules("breakthrough-small")), &settings, source).unwrap()
    };
    builders.run_network();
    builders.run_staged();
    auto.initial().unwrap();
    assert!(auto.table().fork(Candidate::Staged).is_none());
}

#[test]
fn staged_playouts_count_as_unguided_ones() {
    let (mut auto, builders) = planned_with(rules("breakthrough-small"), |candidate| {
        only(Candidate::Staged, candidate)
    });
    run(&builders);
    let starts = [auto.initial().unwrap()];
    assert!(auto.table().fork(Candidate::Staged).is_some());
    assert!(!auto.is_ready_for_guided_playouts());
    let policy = PlayoutPolicy::default();
    let request = |wait_until_ready| GuidedRequest {
        starts: &starts,
        groups: &[],
        each: 20,
        policy: &policy,
        limit: 300,
        wait_until_ready,
    };
    let mut histories = |waits| {
        let result = auto.guided_playouts(&request(waits), &mut Rng::new(1));
        let result = result.unwrap();
        assert_eq!(result.totals[0].playouts, 20);
        result.histories[0]
            .moves
            .iter()
            .map(Vec::len)
            .sum::<usize>()
    };
    assert_eq!(histories(false), 0);
    assert!(histories(true) > 0);
}
