//! Boards of hexagons: every row is shifted right by half a cell against the row above.

use ludorum_games::{BoardHint, BoardPicture};

use super::board_style::BoardStyle;
use super::{centred, widest, width};

pub(super) fn lines(board: &BoardHint, picture: &BoardPicture, style: &BoardStyle) -> Vec<String> {
    let cells = &picture.panels[0].cells;
    let glyph = cells.iter().map(|cell| width(&style.glyphs(cell))).max();
    let widest_cell = glyph.unwrap_or(0).max(1).max(widest(&board.columns)) + 1;
    // Half a cell must be a whole number of screen columns.
    let pitch = widest_cell.next_multiple_of(2);
    let label = widest(&board.rows);
    let indent = |row: usize| label + 1 + row * pitch / 2;
    let header = |row: usize| {
        let mut line = " ".repeat(indent(row));
        for symbol in &board.columns {
            line += &centred(&style.output.dimmed(symbol), width(symbol), pitch);
        }
        line
    };
    let columns = board.columns.len();
    let mut lines = vec![header(0)];
    for (row, symbol) in board.rows.iter().enumerate() {
        let mut line = " ".repeat(indent(row) - 1 - width(symbol));
        line += &style.output.dimmed(symbol);
        line.push(' ');
        for cell in &cells[row * columns..][..columns] {
            let (painted, columns) = style.piece(cell);
            line += &centred(&painted, columns, pitch);
        }
        line += &style.output.dimmed(symbol);
        lines.push(line);
    }
    lines.push(header(board.rows.len().saturating_sub(1)));
    lines
}
