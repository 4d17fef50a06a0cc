//! Untrusted sheets: no name or fact can break the markup of a picture.

use crate::common::recognise;
use ludorum_board::{DrawOptions, SamplingLimits};

const SHEET: &str = "
    (role <b>) (role \"x\")
    (init (cell 1 1 <script>)) (init (cell 1 2 &amp)) (init (cell 2 1 'q')) (init (cell 2 2 b))
    (init (control <b>)) (init (score <b> 10)) (init ]]>)
    (<= (legal ?r (mark ?x ?y <i>)) (true (cell ?x ?y b)) (role ?r))
    (<= (legal ?r noop) (role ?r))
    (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)))
    (<= terminal (true (cell 9 9 9)))
    (<= (goal ?r 50) (role ?r))";

#[test]
fn names_of_a_sheet_never_become_markup() {
    let game = recognise(SHEET, None, &SamplingLimits::default()).unwrap();
    let sample = &game.samples[0];
    let options = DrawOptions {
        legal: &sample.legal[0],
        last: &sample.legal[0],
        ..DrawOptions::default()
    };
    let scene = game.drawing.draw(&sample.facts, &options);
    for tag in ["<script", "<b>", "<i>", "]]>"] {
        assert!(!scene.svg.contains(tag), "{}", scene.svg);
    }
}

#[test]
fn facts_and_moves_of_another_game_are_listed_and_never_panic() {
    let game = crate::common::shipped("tic-tac-toe");
    let texts: Vec<String> = [
        "",
        "(",
        "(cell)",
        "(cell 9 9 x)",
        "(cell 1 1 x y)",
        "(mark 1)",
        ")(",
    ]
    .map(str::to_owned)
    .to_vec();
    let options = DrawOptions {
        legal: &texts,
        last: &texts,
        role: Some(99),
        standalone: true,
        over: true,
    };
    let scene = game.drawing.draw(&texts, &options);
    assert!(scene.clicks.iter().all(Vec::is_empty));
}

#[test]
fn a_game_without_a_board_is_listed_in_words() {
    let sheet = "(role r) (init (mood (very (very happy)))) (init sunny) (legal r wait)
        (<= (next ?f) (true ?f)) (<= terminal (true over)) (goal r 100)";
    let game = recognise(sheet, None, &SamplingLimits::default()).unwrap();
    let scene = game
        .drawing
        .draw(&game.samples[0].facts, &DrawOptions::default());
    assert!(game.drawing.report().boards.is_empty());
    assert_eq!(scene.facts.len(), 2);
    assert!(scene.svg.contains("sunny"));
}
