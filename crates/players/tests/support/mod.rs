//! Test set-up: a game on one engine, players on forks of it, and deadlines that are never reached.

#![allow(dead_code)] // every test file uses its part

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_logic::Rules;
use ludorum_players::{Answer, Player, PlayerSpec};
use ludorum_propnet::{CompileLimits, CompiledGame, Differential, Propnet};
use ludorum_reasoner::{MoveId, Reasoner};

pub(crate) type Net = Propnet<Differential>;
pub(crate) type State = <Net as Reasoner>::State;

/// A deadline that no test reaches.
pub(crate) fn never() -> Instant {
    Instant::now() + Duration::from_hours(1)
}

/// The rules of a shipped game.
pub(crate) fn rules(name: &str) -> Arc<Rules> {
    let game = ludorum_games::find(name).unwrap();
    Arc::new(Rules::from_text(game.text).unwrap())
}

/// The rules of a sheet.
pub(crate) fn rules_from(text: &str) -> Arc<Rules> {
    Arc::new(Rules::from_text(text).unwrap())
}

/// The network of a shipped game.
pub(crate) fn net(name: &str) -> Net {
    net_of(&rules(name))
}

/// The network of some rules.
pub(crate) fn net_of(rules: &Arc<Rules>) -> Net {
    let game = CompiledGame::new(Arc::clone(rules));
    Propnet::new(game.network(&CompileLimits::default()).unwrap())
}

/// The network of a sheet.
pub(crate) fn net_from(text: &str) -> Net {
    net_of(&rules_from(text))
}

/// A player by its spec.
pub(crate) fn player(spec: &str, net: &Net, role: usize) -> Box<dyn Player> {
    let spec: PlayerSpec = spec.parse().unwrap();
    spec.player_on(net.fork(), role).unwrap()
}

/// The answer of a player in the state with these facts.
pub(crate) fn answer_at(spec: &str, net: &Net, role: usize, facts: &[String]) -> Answer {
    let mut player = player(spec, net, role);
    player.set_state(facts).unwrap();
    player.play(never()).unwrap()
}

/// Plays a match to its end and returns the goals.
pub(crate) fn play(net: &Net, specs: &[String]) -> Vec<u8> {
    let (mut net, state) = play_steps(net, specs, usize::MAX);
    (0..specs.len())
        .map(|role| net.goal(&state, role).unwrap().value().unwrap())
        .collect()
}

/// Plays a match to its end or for at most `most` steps, and returns the state that was reached.
pub(crate) fn play_steps(net: &Net, specs: &[String], most: usize) -> (Net, State) {
    let mut net = net.fork();
    let mut players: Vec<Box<dyn Player>> = specs
        .iter()
        .enumerate()
        .map(|(role, spec)| player(spec, &net, role))
        .collect();
    let mut state = net.initial().unwrap();
    for _ in 0..most {
        if net.is_terminal(&state).unwrap() {
            break;
        }
        let joint: Vec<String> = players
            .iter_mut()
            .map(|player| player.play(never()).unwrap().text)
            .collect();
        for player in &mut players {
            player.apply_joint_move(&joint).unwrap();
        }
        let ids: Vec<MoveId> = joint
            .iter()
            .enumerate()
            .map(|(role, text)| net.find_move(role, text).unwrap())
            .collect();
        state = net.next(&state, &ids).unwrap();
    }
    (net, state)
}

/// The minimax value of a move for a role: its goal if both roles play perfectly afterwards. For
/// turn-taking games of two roles with constant sum.
pub(crate) fn move_value(net: &mut Net, facts: &[String], role: usize, text: &str) -> f64 {
    let state = net.state_from_facts(facts).unwrap();
    let mut joint = Vec::new();
    for other in 0..2 {
        let mut legal = Vec::new();
        net.legal_moves(&state, other, &mut legal).unwrap();
        if other == role {
            joint.push(net.find_move(role, text).unwrap());
        } else {
            assert_eq!(legal.len(), 1, "a game with turns");
            joint.push(legal[0]);
        }
    }
    let next = net.next(&state, &joint).unwrap();
    if net.is_terminal(&next).unwrap() {
        return f64::from(net.goal(&next, role).unwrap().value().unwrap());
    }
    let mut legal = Vec::new();
    let mover = (0..2)
        .find(|role| {
            net.legal_moves(&next, *role, &mut legal).unwrap();
            legal.len() > 1
        })
        .unwrap_or(1 - role);
    let facts = net.facts(&next);
    net.legal_moves(&next, mover, &mut legal).unwrap();
    if legal.len() == 1 {
        let text = net.move_text(mover, legal[0]);
        let value = move_value(net, &facts, mover, &text);
        return if mover == role { value } else { 100.0 - value };
    }
    let answer = answer_at("minimax", net, mover, &facts);
    assert!(answer.report.proven);
    let value = answer.report.moves[0].value.unwrap();
    if mover == role { value } else { 100.0 - value }
}

/// The minimax value of a state for a role: the maximum over its moves.
pub(crate) fn minimax_value(net: &mut Net, facts: &[String], role: usize) -> f64 {
    let state = net.state_from_facts(facts).unwrap();
    let mut legal = Vec::new();
    net.legal_moves(&state, role, &mut legal).unwrap();
    let texts: Vec<String> = legal.iter().map(|id| net.move_text(role, *id)).collect();
    texts
        .iter()
        .map(|text| move_value(net, facts, role, text))
        .fold(0.0, f64::max)
}
