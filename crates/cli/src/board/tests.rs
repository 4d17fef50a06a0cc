use super::*;

const PLAIN: OutputStyle = OutputStyle {
    color: false,
    unicode: false,
    width: 100,
};

fn drawn(game: &str, facts: &[&str], style: &OutputStyle) -> String {
    let game = ludorum_games::find(game).expect("a shipped game");
    let board = game.board.as_ref().expect("a board");
    let facts: Vec<String> = facts.iter().map(|&fact| fact.to_owned()).collect();
    let picture = BoardPicture::new(board, &facts);
    draw(board, &picture, &game.roles, style)
}

#[test]
fn small_boards_have_lines_between_their_cells() {
    let text = drawn("tic-tac-toe", &["(cell 1 3 x)", "(cell 2 2 o)"], &PLAIN);
    let expected = "\
\u{20}   1   2   3
  +---+---+---+
3 | X |   |   |
  +---+---+---+
2 |   | O |   |
  +---+---+---+
1 |   |   |   |
  +---+---+---+
";
    assert_eq!(text, expected);
}

#[test]
fn checkered_boards_show_light_and_dark_cells_without_colours() {
    let text = drawn("mini-chess", &["(cell a 1 white-rook)"], &PLAIN);
    let expected = "\
\u{20}   a  b  c  d  e
  +---------------+
5 | :  .  :  .  : |
4 | .  :  .  :  . |
3 | :  .  :  .  : |
2 | .  :  .  :  . |
1 | R  .  :  .  : |
  +---------------+
";
    assert_eq!(text, expected);
}

#[test]
fn several_boards_are_drawn_side_by_side_with_their_own_coordinates() {
    let text = drawn("nine-board-tic-tac-toe", &["(cell 3 3 1 3 x)"], &PLAIN);
    let expected = "\
\u{20}         1         2         3
       1  2  3   1  2  3   1  2  3
     +---------+---------+---------+
   3 | .  .  . | .  .  . | X  .  . | 3
3  2 | .  .  . | .  .  . | .  .  . | 2
   1 | .  .  . | .  .  . | .  .  . | 1
     +---------+---------+---------+
";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn rows_of_hexagons_are_shifted() {
    let text = drawn("hex", &["(cell 1 2 red)"], &PLAIN);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].trim_end(), lines[0]);
    assert!(lines[1].starts_with(" 1  .   .   ."), "{text}");
    assert!(lines[2].starts_with("   2  R   .   ."), "{text}");
}

#[test]
fn places_are_drawn_at_their_positions_with_their_names() {
    let text = drawn(
        "mancala",
        &["(seeds n6 4)", "(seeds south-store 12)"],
        &PLAIN,
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].contains("n6:4  n5:."), "{text}");
    assert!(lines[1].starts_with("north-store:."), "{text}");
    assert!(lines[1].ends_with("south-store:12"), "{text}");
}

#[test]
fn names_of_places_are_left_out_if_they_do_not_fit() {
    let narrow = OutputStyle { width: 40, ..PLAIN };
    let text = drawn("pocket-cube", &["(sticker u1 red)"], &narrow);
    assert!(text.lines().all(|line| line.len() <= 40), "{text}");
    assert!(!text.contains("u1"), "{text}");
    assert!(text.trim_start().starts_with('R'), "{text}");
}

#[test]
fn no_line_of_any_shipped_board_is_wider_than_a_common_terminal() {
    let common = OutputStyle {
        width: 80,
        unicode: true,
        ..PLAIN
    };
    for game in ludorum_games::all() {
        if game.board.is_some() {
            let text = drawn(game.name, &[], &common);
            let widest = text.lines().map(width).max();
            assert!(widest <= Some(80), "{}:\n{text}", game.name);
            assert!(text.is_ascii() || text.contains(['·', '─', '■']));
        }
    }
}

#[test]
fn colours_do_not_change_the_layout() {
    let colourful = OutputStyle {
        color: true,
        ..PLAIN
    };
    for game in ["tic-tac-toe", "hex", "mancala", "nine-board-tic-tac-toe"] {
        let text = drawn(game, &[], &colourful);
        let mut plain = String::new();
        let mut in_escape = false;
        for c in text.chars() {
            match c {
                '\u{1b}' => in_escape = true,
                'm' if in_escape => in_escape = false,
                c if !in_escape => plain.push(c),
                _ => {}
            }
        }
        let plain: Vec<&str> = plain.lines().map(str::trim_end).collect();
        let expected = drawn(game, &[], &PLAIN);
        assert_eq!(plain, expected.lines().collect::<Vec<_>>(), "{game}");
    }
}

#[test]
fn the_legend_explains_glyphs_that_differ_from_their_contents() {
    let legend_of = |name| legend(ludorum_games::find(name).unwrap().board.as_ref().unwrap());
    assert_eq!(legend_of("reversi"), "X black, O white");
    assert_eq!(legend_of("tic-tac-toe"), "");
    assert_eq!(legend_of("knights-tour"), "* visited, N at");
}

#[test]
fn empty_cells_are_blank_and_holes_are_walls_if_dots_are_contents() {
    let text = drawn("pursuit", &["(pellet 1 7)"], &PLAIN);
    assert_eq!(text.matches('.').count(), 1, "{text}");
    assert_eq!(text.matches('#').count(), 15, "{text}");
}
