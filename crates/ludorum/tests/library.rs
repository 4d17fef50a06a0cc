//! The library as its users meet it: loading, errors, states and back, determinism, threads.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ludorum::{EngineOptions, Error, Game};

#[test]
fn every_engine_gives_the_same_answers_through_the_library() {
    let game = Game::named("tic-tac-toe").unwrap();
    let mut answers = HashSet::new();
    for (name, _) in ludorum::engines() {
        let mut engine = game.engine(name).unwrap();
        let start = engine.initial().unwrap();
        let joint_move = engine.joint_move(&["(mark 1 3)", "noop"]).unwrap();
        let state = engine.next(&start, &joint_move).unwrap();
        let moves = engine.legal_moves(&state, 1).unwrap();
        let texts: Vec<String> = moves.iter().map(|id| engine.move_text(1, *id)).collect();
        answers.insert((engine.facts(&state), texts, engine.goals(&state).unwrap()));
    }
    assert_eq!(answers.len(), 1);
}

#[test]
fn an_unknown_game_is_answered_with_similar_names() {
    let error = Game::named("tic-tack-toe").unwrap_err().to_string();
    assert!(error.contains("did you mean tic-tac-toe"), "{error}");
}

#[test]
fn errors_name_what_is_wrong_and_what_would_be_right() {
    let game = Game::named("nim").unwrap();
    let role = game.role("nobody").unwrap_err().to_string();
    assert!(role.contains(&game.roles()[0]), "{role}");
    assert!(matches!(game.engine("warp"), Err(Error::EngineName(_))));
    assert!(matches!(
        game.player("deepblue", 0),
        Err(Error::PlayerName(_))
    ));
    assert!(matches!(game.player("random", 7), Err(Error::Play(_))));
    assert!(matches!(
        game.solve(Duration::from_secs(1)),
        Err(Error::Solve(_))
    ));
    assert!(matches!(
        Game::from_path("/no/such/file.kif"),
        Err(Error::Io { .. })
    ));
    let mut engine = game.engine("propnet").unwrap();
    let error = engine.find_move(0, "(fly away)").unwrap_err();
    assert!(matches!(error, Error::UnknownMove { .. }));
    // The prover knows a move only once it is legal somewhere: the successor is refused.
    let mut prover = game.engine("prover").unwrap();
    let start = prover.initial().unwrap();
    let moves = vec!["(fly away)"; game.roles().len()];
    let joint_move = prover.joint_move(&moves).unwrap();
    assert!(matches!(
        prover.next(&start, &joint_move),
        Err(Error::Reason(_))
    ));
}

#[test]
fn rules_with_errors_come_back_as_diagnostics_with_places() {
    let text = "(role robot) (<= (legal robot ?x) (not (true ?x)))";
    let Err(Error::Rules { diagnostics, .. }) = Game::from_text("unsafe", text) else {
        panic!("the rules have errors");
    };
    let error = diagnostics.iter().find(|problem| problem.is_error());
    assert!(!error.unwrap().labels.is_empty());
}

#[test]
fn a_state_goes_to_facts_and_back() {
    let game = Game::named("connect-four").unwrap();
    let mut engine = game.engine("propnet").unwrap();
    let mut state = engine.initial().unwrap();
    let record = engine.recorded_playouts(&state, 1).unwrap().remove(0);
    for joint_move in &record.moves {
        state = engine.next(&state, joint_move).unwrap();
    }
    assert!(engine.is_terminal(&state).unwrap());
    let facts = engine.facts(&state);
    assert_eq!(engine.state_from_facts(&facts).unwrap(), state);
}

#[test]
fn the_same_seed_gives_the_same_playouts_in_every_fork() {
    let game = Game::named("breakthrough-small").unwrap();
    let engine = game.engine("propnet").unwrap();
    let totals = |seed| {
        let mut engine = engine.fork(seed);
        let start = engine.initial().unwrap();
        engine.playouts(&start, 50).unwrap()
    };
    assert_eq!(totals(3), totals(3));
    assert_ne!(totals(3), totals(4));
}

#[test]
fn a_batch_of_states_gives_what_single_questions_give() {
    let game = Game::named("nim").unwrap();
    let mut engine = game.engine("lanes").unwrap();
    let start = engine.initial().unwrap();
    let summaries = engine.summaries(std::slice::from_ref(&start)).unwrap();
    assert_eq!(
        summaries[0].legal[0],
        engine.legal_moves(&start, 0).unwrap()
    );
    let joint_move: Vec<_> = summaries[0].legal.iter().map(|moves| moves[0]).collect();
    let batch = engine.successors(&[(&start, &joint_move)]).unwrap();
    assert_eq!(batch[0], engine.next(&start, &joint_move).unwrap());
}

#[test]
fn compiling_ends_at_its_limits() {
    let game = Game::named("checkers").unwrap();
    let cancelled = EngineOptions {
        cancel: Some(Arc::new(AtomicBool::new(true))),
        ..EngineOptions::default()
    };
    assert!(game.engine_with("propnet", &cancelled).is_err());
    let no_time = EngineOptions {
        time: Some(Duration::ZERO),
        ..EngineOptions::default()
    };
    assert!(game.engine_with("propnet", &no_time).is_err());
    // A failed attempt does not spoil the game.
    assert!(game.engine("propnet").is_ok());
}

#[test]
fn a_player_follows_a_match_and_can_be_put_into_any_state() {
    let game = Game::named("tic-tac-toe").unwrap();
    let mut player = game
        .player("mcts:simulations=300,engine=prover", 1)
        .unwrap();
    let clock = Duration::from_secs(20);
    assert_eq!(player.choose_move(clock).unwrap().text, "noop");
    player.apply(&["(mark 1 1)", "noop"]).unwrap();
    assert!(
        player
            .choose_move(clock)
            .unwrap()
            .text
            .starts_with("(mark ")
    );
    // The role of the player has a winning move here.
    let facts = [
        "(cell 1 1 o)",
        "(cell 1 2 o)",
        "(cell 1 3 blank)",
        "(cell 2 1 x)",
        "(cell 2 2 x)",
        "(cell 2 3 blank)",
        "(cell 3 1 x)",
        "(cell 3 2 blank)",
        "(cell 3 3 blank)",
        "(control oplayer)",
    ];
    player.go_to(&facts).unwrap();
    assert_eq!(player.choose_move(clock).unwrap().text, "(mark 1 3)");
    assert!(player.apply(&["(mark 1 1)", "(mark 9 9)"]).is_ok());
    assert!(player.choose_move(clock).is_err());
}

#[test]
fn every_shipped_game_is_listed_and_loads_with_a_title() {
    for name in ludorum::shipped_games() {
        let game = Game::named(name).unwrap();
        assert!(game.title().is_some() && !game.roles().is_empty(), "{name}");
    }
}
