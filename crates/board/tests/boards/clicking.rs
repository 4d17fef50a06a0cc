//! Mapping of moves to clicks, compared with what a person would expect.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Recognised, recognise};
use ludorum_board::{DrawOptions, SamplingLimits};

/// A game, a kind of move, and its clicks; a number in braces stands for an argument of the move,
/// counted from 1.
const CLICKS: &str = "
    amazons             move    b0:{1},{2} b0:{3},{4}
    amazons             shoot   b0:{1},{2}
    battle              march   b0:{1},{2} b0:{3},{4}
    bidding-tic-tac-toe mark    b0:{1},{2}
    blocks-world        move    b0:{1} b0:{2}
    breakthrough        move    b0:{1},{2} b0:{3},{4}
    breakthrough-holes  move    b0:{1},{2} b0:{3},{4}
    checkers            move    b0:{1},{2} b0:{3},{4}
    checkers            jump    b0:{1},{2} b0:{3},{4}
    chess               move    b0:{1},{2} b0:{3},{4}
    chinese-checkers-2  move    b0:{1} b0:{2}
    chinese-checkers-6  move    b0:{1} b0:{2}
    chomp               bite    b0:{1},{2}
    clobber             move    b0:{1},{2} b0:{3},{4}
    connect-four        drop    b0:column:{1}
    connect-four-suicide drop   b0:column:{1}
    dots-and-boxes      draw    b0:{1},{2}
    eight-puzzle        slide   b0:{1},{2}
    gomoku              place   b0:{1},{2}
    hamilton            go      b0:{1}
    hanoi-5             move    b0:{1} b0:{2}
    hex                 place   b0:{1},{2}
    knights-tour        jump    b0:{1},{2}
    lights-out          press   b0:{1},{2}
    lines-of-action     move    b0:{1},{2} b0:{3},{4}
    nine-board-tic-tac-toe mark b0:{1},{2},{3},{4}
    nine-mens-morris    place   b0:{1}
    nine-mens-morris    move    b0:{1} b0:{2}
    peg-solitaire       jump    b0:{1},{2} b0:{3},{4}
    pentago             place   b0:{1},{2}
    mancala             sow     b0:{1}
    pancakes            flip    b0:{1}
    nim                 take    b0:{1}
    quarto              give    h1:{1}
    sudoku              mark    b0:{1},{2}
    quarto              place   b0:{1},{2}
    queens              place   b0:{1},{2}
    reversi             place   b0:{1},{2}
    sheep-and-wolf      move    b0:{1},{2} b0:{3},{4}
    skirmish            move    b0:{1},{2} b0:{3},{4}
    tic-tac-toe         mark    b0:{1},{2}
";

/// The arguments of a move, and its clicks.
type Clicked = (Vec<String>, Vec<String>);

/// By kind of move, all moves that were seen with their clicks.
fn seen(game: &Recognised) -> BTreeMap<String, BTreeSet<Clicked>> {
    let mut seen: BTreeMap<String, BTreeSet<Clicked>> = BTreeMap::new();
    for sample in &game.samples {
        for (role, legal) in sample.legal.iter().enumerate() {
            let options = DrawOptions {
                legal,
                role: Some(role),
                ..DrawOptions::default()
            };
            let scene = game.drawing.draw(&sample.facts, &options);
            for (text, clicks) in legal.iter().zip(scene.clicks) {
                let mut words = text.trim_matches(['(', ')']).split(' ');
                let name = words.next().unwrap_or_default().to_owned();
                let arguments = words.map(str::to_owned).collect();
                seen.entry(name).or_default().insert((arguments, clicks));
            }
        }
    }
    seen
}

#[test]
fn moves_are_clicked_as_a_person_would_click_them() {
    let effort = SamplingLimits {
        playouts: 2,
        steps: 80,
        ..SamplingLimits::default()
    };
    let mut wrong = Vec::new();
    for game in ludorum_games::all() {
        let lines: Vec<Vec<&str>> = CLICKS
            .lines()
            .map(|line| line.split_whitespace().collect())
            .filter(|words: &Vec<&str>| words.first() == Some(&game.name))
            .collect();
        for hint in [None, game.board.as_ref()] {
            if lines.is_empty() {
                continue;
            }
            let found = recognise(game.text, hint, &effort).unwrap();
            let seen = seen(&found);
            for words in &lines {
                let Some(moves) = seen.get(words[1]) else {
                    wrong.push(format!("{}: no {} was seen", game.name, words[1]));
                    continue;
                };
                for (arguments, clicks) in moves {
                    let expected = words[2..].iter().map(|click| {
                        let start = (*click).to_owned();
                        let numbered = arguments.iter().zip(1..);
                        numbered.fold(start, |text, (argument, number)| {
                            text.replace(&format!("{{{number}}}"), argument)
                        })
                    });
                    if *clicks != expected.collect::<Vec<String>>() {
                        wrong.push(format!(
                            "{} {arguments:?}: {clicks:?}",
                            words[..2].join(" ")
                        ));
                        break;
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
