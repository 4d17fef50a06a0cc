//! The player with a portfolio of strategies: its moves and its statistics.

mod support;

use ludorum_engines::Engine;
use ludorum_players::{Answer, GameEngine, PlayerSpec};
use support::{never, rules, rules_from};

/// The first answer of a player on an engine.
fn answer(game: &str, engine: Engine, spec: &str) -> Answer {
    let game_engine = GameEngine::new(&rules(game), engine).unwrap();
    let spec: PlayerSpec = spec.parse().unwrap();
    let mut player = game_engine.player(&spec, 0).unwrap();
    player.play(never()).unwrap()
}

#[test]
fn the_report_has_the_results_of_each_strategy_for_each_role() {
    let answer = answer("connect-four", Engine::PROPNET, "mini:simulations=400");
    let strategies = &answer.report.strategies;
    for role in ["white", "black", "red"] {
        let own: Vec<_> = strategies.iter().filter(|s| s.role == role).collect();
        if own.is_empty() {
            continue;
        }
        let all: f64 = own.iter().map(|s| s.share).sum();
        assert!((all - 1.0).abs() < 1e-9);
        let simulations: u64 = own.iter().map(|s| s.simulations).sum();
        assert_eq!(simulations, answer.report.simulations);
        for name in ["random", "goal", "history", "mobility", "exploration"] {
            assert!(own.iter().any(|s| s.strategy == name), "{role}: {name}");
        }
        assert!(own.iter().all(|s| (0.0..=100.0).contains(&s.value)));
    }
    let mut roles: Vec<&str> = strategies.iter().map(|s| &s.role[..]).collect();
    roles.dedup();
    assert_eq!(roles.len(), 2);
}

#[test]
fn what_is_learned_before_the_first_move_is_used_afterwards() {
    let game_engine = GameEngine::new(&rules("breakthrough-small"), Engine::PROPNET).unwrap();
    let spec: PlayerSpec = "mini:simulations=200".parse().unwrap();
    let mut player = game_engine.player(&spec, 0).unwrap();
    player.start(never()).unwrap();
    let answer = player.play(never()).unwrap();
    let mut strategies = answer.report.strategies.iter();
    assert!(strategies.any(|s| s.strategy == "symbols" && s.simulations > 0));
}

#[test]
fn the_same_seed_and_budget_give_the_same_report_on_engines_with_and_without_lanes() {
    for engine in [Engine::PROPNET, Engine::LANES] {
        let ask = || {
            let answer = answer("tic-tac-toe", engine, "mini:simulations=600,early=off");
            (answer.text, answer.report.moves, answer.report.strategies)
        };
        assert_eq!(ask(), ask(), "{engine:?}");
    }
}

#[test]
fn every_mechanism_and_every_strategy_finds_the_move_that_wins_at_once() {
    // A role that says `win` wins; after any other word the game goes on, for at most three steps.
    let sheet = "(role one) (role two) (init (step 1)) (init (control one)) (then 1 2) (then 2 3) (then 3 4)
        (word a) (word b) (word win)
        (<= (legal ?r (say ?w)) (true (control ?r)) (word ?w))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (step ?n)) (true (step ?m)) (then ?m ?n))
        (<= (next (control one)) (true (control two))) (<= (next (control two)) (true (control one)))
        (<= (next (said ?r ?w)) (does ?r (say ?w)))
        (<= (won ?r) (true (said ?r win)))
        (<= terminal (true (step 4))) (<= terminal (won ?r))
        (<= (goal ?r 100) (won ?r)) (<= (goal ?r 0) (role ?r) (not (won ?r)))";
    let rules = rules_from(sheet);
    let game_engine = GameEngine::new(&rules, Engine::PROPNET).unwrap();
    let mechanisms = ["ucb", "static", "squared", "proportional"];
    let mechanisms = mechanisms.map(|name| format!("mini:select={name},simulations=300"));
    let strategies = [
        "random",
        "goal",
        "history",
        "mobility",
        "exploration",
        "symbols",
        "score",
    ];
    let strategies = strategies.map(|name| format!("mini-1s:strategy={name},simulations=300"));
    for text in mechanisms.iter().chain(&strategies) {
        let spec: PlayerSpec = text.parse().unwrap();
        let mut player = game_engine.player(&spec, 0).unwrap();
        let answer = player.play(never()).unwrap();
        assert_eq!(answer.text, "(say win)", "{text}");
    }
}

#[test]
fn a_player_with_one_strategy_follows_no_other() {
    let answer = answer(
        "connect-four",
        Engine::PROPNET,
        "mini-base:simulations=200,early=off",
    );
    let mut strategies = answer.report.strategies.iter();
    assert!(strategies.all(|s| s.strategy == "history" && s.simulations == 200));
    // A strategy that is unavailable is replaced by random moves.
    let spec = "mini-1s:strategy=score,simulations=50";
    let fallback = self::answer("connect-four", Engine::PROPNET, spec);
    let mut strategies = fallback.report.strategies.iter();
    assert!(strategies.all(|s| s.strategy == "random"));
}

#[test]
fn a_score_that_the_rules_count_is_found_and_used() {
    // Each role takes a number, three times; the higher sum wins.
    let sheet = "(role one) (role two) (init (step 1)) (init (sum one 0)) (init (sum two 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (then 1 2) (then 2 3) (then 3 4)
        (legal one take) (legal one leave) (legal two take) (legal two leave)
        (<= (next (step ?n)) (true (step ?m)) (then ?m ?n))
        (<= (next (sum ?r ?n)) (true (sum ?r ?m)) (succ ?m ?n) (does ?r take))
        (<= (next (sum ?r ?m)) (true (sum ?r ?m)) (does ?r leave))
        (<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))
        (<= terminal (true (step 4)))
        (<= (goal one 100) (true (sum one ?a)) (true (sum two ?b)) (less ?b ?a))
        (<= (goal two 100) (true (sum one ?a)) (true (sum two ?b)) (less ?a ?b))
        (<= (goal one 0) (true (sum one ?a)) (true (sum two ?b)) (less ?a ?b))
        (<= (goal two 0) (true (sum one ?a)) (true (sum two ?b)) (less ?b ?a))
        (<= (goal ?r 50) (role ?r) (true (sum one ?a)) (true (sum two ?a)))";
    let game_engine = GameEngine::new(&rules_from(sheet), Engine::PROPNET).unwrap();
    let spec: PlayerSpec = "mini-1s:strategy=score,simulations=300,early=off,solver=off"
        .parse()
        .unwrap();
    let mut player = game_engine.player(&spec, 0).unwrap();
    let answer = player.play(never()).unwrap();
    let mut strategies = answer.report.strategies.iter();
    let score = strategies.find(|s| s.strategy == "score" && s.role == "one");
    assert!(score.is_some_and(|s| s.share > 0.8), "{score:?}");
}
