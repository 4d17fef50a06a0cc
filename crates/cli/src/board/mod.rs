//! Boards on a terminal: a [`BoardPicture`] as lines of text.

mod board_style;
mod grid;
mod hex;
mod places;

use ludorum_games::{BoardHint, BoardPicture, CellLayout};

use crate::terminal::OutputStyle;
use board_style::BoardStyle;

/// Draws a board. The text ends with a line break, and no line ends with spaces.
pub(crate) fn draw(
    board: &BoardHint,
    picture: &BoardPicture,
    roles: &[String],
    style: &OutputStyle,
) -> String {
    let style = BoardStyle::new(board, roles, style);
    let lines = match board.shape {
        CellLayout::Grid => grid::lines(board, picture, &style),
        CellLayout::Hex => hex::lines(board, picture, &style),
        CellLayout::Places => places::lines(picture, &style),
    };
    let mut text = String::new();
    for line in lines {
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// What the glyphs on a board mean, except glyphs that equal their content.
pub(crate) fn legend(board: &BoardHint) -> String {
    let layers = board.layers.iter().flat_map(|layer| &layer.glyphs);
    let entries: Vec<String> = board
        .glyphs
        .iter()
        .chain(layers)
        .filter(|(content, glyph)| !content.eq_ignore_ascii_case(glyph))
        .map(|(content, glyph)| format!("{glyph} {content}"))
        .collect();
    entries.join(", ")
}

/// The width of a text on the screen; glyphs and names of boards have no wide characters.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// The width of the widest text.
fn widest<'t>(texts: impl IntoIterator<Item = &'t String>) -> usize {
    texts.into_iter().map(|text| width(text)).max().unwrap_or(0)
}

/// Centres a text in `columns` screen columns, rather left than right. `painted` is the text with
/// its colour codes.
fn centred(painted: &str, text_width: usize, columns: usize) -> String {
    let room = columns.saturating_sub(text_width);
    let left = room / 2;
    format!("{}{painted}{}", " ".repeat(left), " ".repeat(room - left))
}

#[cfg(test)]
mod tests;
