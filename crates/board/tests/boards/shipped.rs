//! Recognition of the shipped games.

use crate::common::{Recognised, recognise, shipped};
use ludorum_board::{BoardReport, DrawOptions, RenderedState, SamplingLimits};

fn board(game: &Recognised) -> BoardReport {
    game.drawing.report().boards[0].clone()
}

/// The initial state with the moves of a role.
fn first(game: &Recognised, role: usize) -> (RenderedState, Vec<String>) {
    let sample = &game.samples[0];
    let options = DrawOptions {
        legal: &sample.legal[role],
        role: Some(role),
        ..DrawOptions::default()
    };
    (
        game.drawing.draw(&sample.facts, &options),
        sample.legal[role].clone(),
    )
}

/// The clicks of a move in the initial state.
fn clicks(game: &Recognised, role: usize, text: &str) -> Vec<String> {
    let (scene, legal) = first(game, role);
    let at = legal.iter().position(|known| known == text).unwrap();
    scene.clicks[at].clone()
}

#[test]
fn connect_four_has_a_grid_whose_columns_are_clicked() {
    let game = shipped("connect-four");
    let board = board(&game);
    assert_eq!(
        (board.kind, board.cells),
        ("grid", board.size[0] * board.size[1])
    );
    let (scene, legal) = first(&game, 0);
    assert_eq!(legal.len(), board.size[0]);
    for (text, clicks) in legal.iter().zip(&scene.clicks) {
        assert_eq!(clicks.len(), 1, "{text}");
        assert!(clicks[0].starts_with("b0:column:"), "{clicks:?}");
        assert!(
            scene
                .svg
                .contains(&format!("data-target=\"{}\"", clicks[0]))
        );
    }
}

#[test]
fn tic_tac_toe_is_played_by_clicking_squares() {
    let game = shipped("tic-tac-toe");
    assert_eq!(board(&game).size, [3, 3]);
    assert_eq!(clicks(&game, 0, "(mark 2 3)"), ["b0:2,3"]);
}

#[test]
fn a_chess_move_is_two_clicks_and_white_sits_below() {
    let game = shipped("chess");
    assert_eq!(board(&game).size, [8, 8]);
    let (scene, legal) = first(&game, 0);
    assert!(
        scene.clicks.iter().all(|clicks| clicks.len() == 2),
        "{legal:?}"
    );
    assert!(scene.label.contains("white king at e 1"), "{}", scene.label);
}

#[test]
fn the_cells_of_nine_boards_are_distinguished() {
    let game = shipped("nine-board-tic-tac-toe");
    let board = board(&game);
    assert_eq!((board.size, board.cells), ([3, 3], 81));
}

#[test]
fn hex_is_a_board_of_hexagons() {
    let board = board(&shipped("hex"));
    assert_eq!((board.kind, board.size), ("hex", [11, 11]));
}

#[test]
fn the_discs_of_hanoi_are_stacked() {
    let game = shipped("hanoi-3");
    assert_eq!(board(&game).kind, "stacks");
    assert_eq!(clicks(&game, 0, "(move d1 right)"), ["b0:d1", "b0:right"]);
}

#[test]
fn every_shipped_game_is_drawn_with_and_without_its_hint() {
    for game in ludorum_games::all() {
        for hint in [None, game.board.as_ref()] {
            let effort = SamplingLimits {
                playouts: 1,
                steps: 12,
                ..SamplingLimits::default()
            };
            let found = recognise(game.text, hint, &effort).unwrap();
            for sample in &found.samples {
                for (role, legal) in sample.legal.iter().enumerate() {
                    let options = DrawOptions {
                        last: sample.joint.as_deref().unwrap_or(&[]),
                        legal,
                        role: Some(role),
                        standalone: role == 0,
                        over: false,
                    };
                    let scene = found.drawing.draw(&sample.facts, &options);
                    assert_eq!(scene.clicks.len(), legal.len());
                    for target in scene.clicks.iter().flatten() {
                        let attribute = format!("data-target=\"{target}\"");
                        assert!(scene.svg.contains(&attribute), "{}: {target}", game.name);
                    }
                }
            }
        }
    }
}

#[test]
fn fluents_of_a_board_hint_are_also_drawn_without_the_hint() {
    let mut poor = Vec::new();
    for game in ludorum_games::all()
        .iter()
        .filter(|game| game.board.is_some())
    {
        let found = recognise(game.text, None, &SamplingLimits::default()).unwrap();
        if found.drawing.report().boards.is_empty() {
            poor.push(game.name);
        }
    }
    assert!(poor.len() <= 2, "without a board: {poor:?}");
}

#[test]
fn places_that_rules_link_over_a_distance_are_a_graph() {
    assert_eq!(board(&shipped("nine-mens-morris")).kind, "places");
    assert_eq!(board(&shipped("hamilton")).kind, "graph");
}

#[test]
fn switches_that_are_off_are_drawn_as_well() {
    let board = board(&shipped("buttons"));
    assert_eq!((board.kind, board.cells), ("track", 5));
}

#[test]
fn no_role_is_to_move_when_the_match_is_over() {
    let found = shipped("tic-tac-toe");
    let facts = &found.samples[0].facts;
    let drawn = |over| {
        let options = DrawOptions {
            over,
            ..DrawOptions::default()
        };
        found.drawing.draw(facts, &options)
    };
    let (running, over) = (drawn(false), drawn(true));
    assert!(running.svg.contains("to move") && running.label.contains("to move"));
    assert!(!over.svg.contains("to move") && !over.label.contains("to move"));
    assert!(over.facts.is_empty());
}
