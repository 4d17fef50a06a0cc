//! Lockstep tests: the code of playouts does step by step what forward propagation does, on shipped
//! games and on random rules.

use std::sync::Arc;

use ludorum_logic::Rules;

use super::lane_random::LaneRandom;
use super::lane_word::LaneWord;
use super::machine::Machine;
use super::plan::{LanePlan, PlanOptions};
use super::runner::Backend;
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::{CompileLimits, CompiledGame, Forward, Network, Propnet};
use ludorum_reasoner::testing::generate;
use ludorum_reasoner::{MoveId, Reasoner as _, StopSignal};

/// The lanes that are compared; the others only run along.
const COMPARED_LANES: [usize; 4] = [0, 63, 200, LaneWord::LANES - 1];

fn network(text: &str) -> Option<Arc<Network>> {
    let rules = Arc::new(Rules::from_text(text).ok()?);
    CompiledGame::new(rules)
        .network(&CompileLimits::default())
        .ok()
}

fn machine(network: &Network, options: PlanOptions) -> Machine {
    let plan = LanePlan::new(network, &Circuit::new(network), options, &|| true);
    let roles = network.game.roles.len();
    let goals = Arc::clone(&network.goals);
    Machine::new(Arc::new(plan), goals, roles, Backend::Best)
}

/// Compares some lanes in a playout of at most `steps` steps; returns how many steps were compared.
fn compare(network: &Network, options: PlanOptions, seed: u64, steps: usize) -> usize {
    let mut machine = machine(network, options);
    let plan = machine.plan().clone();
    let mut reasoner: Propnet<Forward> = Propnet::new(network.clone());
    let start = reasoner.initial().expect("a state");
    let Some(mut turn) = machine.turn_of(&start) else {
        return 0;
    };
    let roles = network.game.roles.len();
    let mut states: Vec<Option<BitState>> = vec![Some(start.clone()); COMPARED_LANES.len()];
    machine.load(&[&start]);
    let mut random = LaneRandom::new(seed);
    let mut compared = 0;
    for _ in 0..steps {
        machine.run(turn, |turn| &turn.early);
        for (lane, compared_state) in COMPARED_LANES.into_iter().zip(&mut states) {
            let Some(state) = compared_state else {
                continue;
            };
            let word = machine.memory[plan.layout.terminal as usize];
            let terminal = reasoner.is_terminal(state).expect("an answer");
            assert_eq!(
                word.get(lane),
                terminal,
                "terminal in {:?}",
                reasoner.facts(state)
            );
            if options.late_goals == Some(false) {
                for (i, goal) in network.goals.iter().enumerate() {
                    let word = machine.memory[plan.layout.goals as usize + i];
                    let value = reasoner.goal(state, goal.role).expect("an answer");
                    let holds = value
                        .to_string()
                        .split([' ', ','])
                        .any(|text| text == &*goal.text);
                    assert_eq!(word.get(lane), holds, "goal {} in {value}", goal.text);
                }
            }
            if terminal {
                *compared_state = None;
            }
        }
        let first = plan.layout.random as usize;
        let words = plan.turns[turn].random as usize;
        random.fill(&mut machine.memory[first..first + words]);
        machine.run(turn, |turn| &turn.draw);
        let mut joints: Vec<Option<Vec<MoveId>>> = Vec::new();
        for (lane, state) in COMPARED_LANES.into_iter().zip(&states) {
            let Some(state) = state else {
                joints.push(None);
                continue;
            };
            let mut joint = Vec::new();
            let mut legal = Vec::new();
            for role in 0..roles {
                reasoner
                    .legal_moves(state, role, &mut legal)
                    .expect("an answer");
                let moves = network.game.moves_of(role);
                let of = |first: u32| {
                    moves
                        .clone()
                        .filter(|action| machine.memory[first as usize + action].get(lane))
                        .map(|action| MoveId((action - moves.start) as u32))
                        .collect::<Vec<_>>()
                };
                assert_eq!(of(plan.layout.legal), legal, "legal moves");
                let played = of(plan.layout.played);
                assert_eq!(
                    played.len(),
                    usize::from(!legal.is_empty()),
                    "one move is played"
                );
                assert!(
                    played.iter().all(|id| legal.contains(id)),
                    "and it is legal"
                );
                joint.extend(played);
            }
            let stuck = machine.memory[plan.layout.stuck as usize].get(lane);
            assert_eq!(stuck, joint.len() < roles, "lanes without a move are known");
            joints.push((joint.len() == roles).then_some(joint));
        }
        machine.run(turn, |turn| &turn.main);
        for ((lane, state), joint) in COMPARED_LANES.into_iter().zip(&mut states).zip(joints) {
            let (Some(before), Some(joint)) = (&*state, joint) else {
                *state = None;
                continue;
            };
            let after = reasoner.next(before, &joint).expect("a legal move");
            for fluent in &plan.fluents {
                let fluent = *fluent as usize;
                assert_eq!(
                    machine.memory[fluent].get(lane),
                    after.get(fluent),
                    "{} after {joint:?} in {:?}",
                    network.game.fluents[fluent],
                    reasoner.facts(before)
                );
            }
            *state = Some(after);
            compared += 1;
        }
        turn = plan.turns[turn].next;
    }
    compared
}

fn all_options() -> impl Iterator<Item = PlanOptions> {
    [false, true].into_iter().map(|exact_stuck| PlanOptions {
        exact_stuck,
        late_goals: Some(false),
        moves_visible: true,
    })
}

#[test]
fn lanes_play_shipped_games_like_forward_propagation() {
    for game in ludorum_games::all() {
        if game.text.len() > 12_000 {
            // Large games would take too long here.
            continue;
        }
        let network = network(game.text).expect("a shipped game");
        for options in all_options() {
            assert!(compare(&network, options, 5, 12) > 0, "{}", game.name);
        }
    }
}

#[test]
fn lanes_play_random_rules_like_forward_propagation() {
    let mut compared = 0;
    for seed in 0..400 {
        let Some(network) = network(&generate::sheet(seed)) else {
            continue;
        };
        for options in all_options() {
            compared += compare(&network, options, seed, 6);
        }
    }
    assert!(compared > 2_000, "only {compared} steps");
}

#[test]
fn visible_moves_and_late_goals_do_not_change_results() {
    use super::machine::PlayoutRequest;
    let mut compared = 0;
    for name in [
        "tic-tac-toe",
        "connect-four",
        "reversi",
        "sheep-and-wolf",
        "pursuit",
    ] {
        let game = ludorum_games::find(name).expect("a shipped game");
        let network = network(game.text).expect("a shipped game");
        let start = network.game.initial.clone();
        // A state of another turn, if there are turns.
        let mut single: Propnet<Forward> = Propnet::new(network.clone());
        let roles = single.roles().len();
        let first = |role| {
            let mut legal = Vec::new();
            single
                .legal_moves(&start, role, &mut legal)
                .map(|()| legal[0])
        };
        let joint: Result<Vec<_>, _> = (0..roles).map(first).collect();
        let next = single.next(&start, &joint.expect("moves"));
        let next = next.expect("a state");
        let mut results: Vec<(Vec<u32>, _)> = Vec::new();
        for (moves_visible, late_goals) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            let options = PlanOptions {
                exact_stuck: false,
                late_goals: Some(late_goals),
                moves_visible,
            };
            let mut machine = machine(&network, options);
            assert!(machine.turn_of(&start).is_some(), "{name} has turns");
            let request = PlayoutRequest {
                starts: &[&start, &next],
                each: 2_000,
                limit: 1_000,
                seed: 9,
                guidance: None,
                recorder: None,
                last_states: None,
                stop: &StopSignal::default(),
            };
            let control = machine.plan().control.clone();
            results.push((control, machine.play(request).expect("every role can move")));
        }
        // Code for each turn uses other random words than code for all turns, so only equal plans
        // are compared.
        for pair in results.windows(2) {
            if pair[0].0 == pair[1].0 {
                assert_eq!(pair[0].1, pair[1].1, "{name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 12, "most games have one plan: {compared}");
}
