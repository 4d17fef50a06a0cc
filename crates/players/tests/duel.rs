//! Duels: every role assignment occurs equally often, equal seeds give equal games, and the better
//! player has the higher score.

mod support;

use std::time::Duration;

use ludorum_players::duel::{Duel, DuelResult, GameEnd, Sprt, SprtVerdict};
use support::{rules, rules_from};

/// A duel with clocks that are never reached.
fn duel(a: &str, b: &str, games: usize) -> Duel {
    Duel {
        games,
        clock: Duration::from_hours(1),
        ..Duel::new(a.parse().unwrap(), b.parse().unwrap())
    }
}

fn run(duel: &Duel, game: &str) -> DuelResult {
    duel.run(&rules(game), |_| {}).unwrap()
}

const FIRST: Sprt = Sprt {
    score0: 50.0,
    score1: 60.0,
    alpha: 0.05,
    beta: 0.05,
};

#[test]
fn the_better_player_is_found_from_both_sides() {
    let strong = run(&duel("minimax", "random", 20), "tic-tac-toe");
    assert!(strong.score > 80.0, "{}", strong.score);
    assert_eq!((strong.games, strong.losses), (20, 0));
    assert!(strong.interval.0 <= strong.score && strong.score <= strong.interval.1);
    assert!(strong.wilson.0 < strong.score);
    let weak = run(&duel("random", "minimax", 20), "tic-tac-toe");
    assert!(weak.score < 20.0, "{}", weak.score);
}

#[test]
fn both_sides_play_every_role_equally_often() {
    let outcome = run(&duel("random", "random", 11), "tic-tac-toe");
    assert_eq!(outcome.games, 12);
    let crosses = outcome
        .matches
        .iter()
        .filter(|game| game.a_roles == ["xplayer"]);
    assert_eq!(crosses.count(), 6);
}

#[test]
fn with_three_roles_every_mixed_assignment_is_played() {
    let outcome = run(&duel("random", "legal", 1), "pursuit");
    let mut mixtures: Vec<&[String]> = outcome.matches.iter().map(|game| &*game.a_roles).collect();
    mixtures.sort();
    mixtures.dedup();
    assert_eq!(mixtures.len(), 6);
    assert_eq!(outcome.games, 6);
}

#[test]
fn in_a_puzzle_both_play_alone_and_goals_are_compared() {
    let outcome = run(&duel("minimax", "legal", 2), "hanoi-3");
    assert_eq!(outcome.wins, 2);
    assert_eq!(outcome.matches[0].goals[0], Some(100));
    let alike = run(&duel("minimax", "minimax", 2), "hanoi-3");
    assert_eq!(alike.draws, 2);
}

#[test]
fn the_same_seed_gives_the_same_games_however_many_are_played_at_once() {
    let games = |parallel, seed| {
        let duel = Duel {
            parallel,
            seed,
            ..duel("random", "one-ply", 16)
        };
        let outcome = run(&duel, "connect-four");
        let games = outcome.matches.iter();
        games
            .map(|game| (game.steps, game.goals.clone()))
            .collect::<Vec<_>>()
    };
    let first = games(1, 5);
    assert_eq!(first, games(3, 5));
    assert_ne!(first, games(1, 6));
}

#[test]
fn the_sprt_ends_a_clear_duel_early_and_only_after_whole_rounds() {
    let test = Duel {
        sprt: Some(FIRST),
        ..duel("minimax", "random", 1000)
    };
    let outcome = run(&test, "tic-tac-toe");
    assert!(outcome.games < 100, "{}", outcome.games);
    assert_eq!(outcome.games % 2, 0);
    let sprt = outcome.sprt.unwrap();
    assert_eq!(sprt.verdict, SprtVerdict::Accepted);
    let test = Duel {
        sprt: Some(FIRST),
        ..duel("random", "minimax", 1000)
    };
    let sprt = run(&test, "tic-tac-toe").sprt.unwrap();
    assert_eq!(sprt.verdict, SprtVerdict::Rejected);
}

#[test]
fn progress_is_reported_after_every_game() {
    let mut reported = Vec::new();
    let duel = Duel {
        parallel: 2,
        ..duel("random", "legal", 6)
    };
    let outcome = duel
        .run(&rules("nim"), |standing| reported.push(standing.games))
        .unwrap();
    assert_eq!(reported, [1, 2, 3, 4, 5, 6]);
    assert_eq!(outcome.wins + outcome.draws + outcome.losses, 6);
}

#[test]
fn simulations_and_times_are_counted_for_answers_with_a_choice() {
    let outcome = run(
        &duel("mcs:simulations=50,engine=propnet", "random", 2),
        "tic-tac-toe",
    );
    let (a, b) = (&outcome.a, &outcome.b);
    assert!(a.choices < a.answers, "half of all moves are noops");
    assert!(a.simulations_per_move >= 50.0 && a.simulations_per_second > 0.0);
    assert!(a.longest_over_ms.unwrap() < 0.0);
    assert_eq!((a.late, a.illegal, a.errors, a.blind), (0, 0, 0, 0));
    assert!(b.simulations_per_move < 1.0);
    assert_eq!(a.spec, "mcs:simulations=50,engine=propnet");
}

/// A game that never ends.
const ENDLESS: &str =
    "(role white) (role black) (init (on 1)) (legal white wait) (legal black wait)
    (<= (next ?f) (true ?f)) (<= terminal (true (on 2)))
    (<= (next (on 2)) (does white go)) (<= (legal white go) (true (on 3)))
    (goal white 100) (goal black 0)";

#[test]
fn a_match_over_the_limit_is_a_draw() {
    let duel = Duel {
        limit: 10,
        ..duel("random:engine=prover", "legal:engine=prover", 2)
    };
    let outcome = duel.run(&rules_from(ENDLESS), |_| {}).unwrap();
    assert_eq!((outcome.draws, outcome.unfinished), (2, 2));
    assert!(
        outcome
            .matches
            .iter()
            .all(|game| game.end == GameEnd::Cut && game.steps == 10)
    );
}

/// After the first move black cannot move.
const STUCK: &str = "(role white) (role black) (init (on 1)) (legal white go)
    (<= (legal black go) (true (on 1))) (<= (next (on 2)) (true (on 1)))
    (<= terminal (true (on 3))) (goal white 100) (goal black 0)";

#[test]
fn a_match_without_a_legal_move_is_a_draw() {
    let duel = duel("random:engine=prover", "legal:engine=prover", 2);
    let outcome = duel.run(&rules_from(STUCK), |_| {}).unwrap();
    assert_eq!((outcome.draws, outcome.unfinished), (2, 2));
    assert!(
        outcome
            .matches
            .iter()
            .all(|game| game.end == GameEnd::Stuck)
    );
}

#[test]
fn caching_engines_can_play_a_duel() {
    let duel = duel(
        "mcs:simulations=20,engine=propnet:cache=16",
        "mcs:simulations=20,engine=prover:cache=16",
        2,
    );
    assert_eq!(run(&duel, "tic-tac-toe").games, 2);
}

#[test]
fn players_can_ponder_in_a_duel() {
    let duel = Duel {
        ponder: true,
        start_clock: Duration::from_millis(5),
        ..duel("mcts:simulations=100", "mcts:simulations=100", 2)
    };
    let outcome = run(&duel, "tic-tac-toe");
    assert_eq!((outcome.a.errors, outcome.b.errors), (0, 0));
}
