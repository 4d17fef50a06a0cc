//! Boards of columns and rows; several boards may lie side by side.

use ludorum_games::{BoardCell, BoardHint, BoardPicture, CellBackground};

use super::board_style::BoardStyle;
use super::{centred, widest, width};

/// Boards of at most this many rows get lines between their cells; larger ones would not fit on a
/// screen.
const MAX_RULED_ROWS: usize = 6;
/// Boards of more rows than this have coordinates on all four sides.
const MAX_ROWS_LABELLED_ONCE: usize = 8;

/// The layout of a grid on the screen.
struct GridLayout<'p> {
    board: &'p BoardHint,
    picture: &'p BoardPicture,
    style: &'p BoardStyle<'p>,
    /// Screen columns of a cell.
    pitch: usize,
    /// Whether there are lines between cells.
    ruled: bool,
    /// Screen columns left of the frame.
    margin: usize,
    row_label: usize,
}

pub(super) fn lines(board: &BoardHint, picture: &BoardPicture, style: &BoardStyle) -> Vec<String> {
    let cells = || picture.panels.iter().flat_map(|panel| &panel.cells);
    let glyph = cells().map(|cell| width(&style.glyphs(cell))).max();
    let row_label = widest(&board.rows);
    let panel_label = match widest(&picture.panel_rows) {
        0 => 0,
        label => label + 2,
    };
    let layout = GridLayout {
        board,
        picture,
        style,
        pitch: (glyph.unwrap_or(0).max(1) + 2).max(widest(&board.columns) + 1),
        ruled: board.rows.len() <= MAX_RULED_ROWS
            && picture.panels.len() == 1
            && !board.checkered
            && cells().all(|cell| cell.ground != CellBackground::Hole),
        margin: panel_label + row_label + 1,
        row_label,
    };
    layout.lines()
}

impl GridLayout<'_> {
    fn lines(&self) -> Vec<String> {
        let panel_rows = self.picture.panel_rows.len().max(1);
        let height = self.board.rows.len();
        let twice = height * panel_rows > MAX_ROWS_LABELLED_ONCE;
        let mut lines = Vec::new();
        if !self.picture.panel_columns.is_empty() {
            lines.push(self.panel_header());
        }
        lines.push(self.header());
        lines.push(self.rule(0));
        for panel_row in 0..panel_rows {
            if panel_row > 0 {
                lines.push(self.rule(1));
            }
            for row in 0..height {
                if row > 0 && self.ruled {
                    lines.push(self.rule(1));
                }
                lines.push(self.row(panel_row, row, twice));
            }
        }
        lines.push(self.rule(2));
        if twice {
            lines.push(self.header());
        }
        lines
    }

    fn panels_across(&self) -> usize {
        self.picture.panel_columns.len().max(1)
    }

    /// The number of screen columns between the outer lines of a panel.
    fn panel_width(&self) -> usize {
        let columns = self.board.columns.len();
        let between = if self.ruled {
            columns.saturating_sub(1)
        } else {
            0
        };
        columns * self.pitch + between
    }

    /// The line with the symbols of the panels.
    fn panel_header(&self) -> String {
        let mut line = " ".repeat(self.margin);
        for symbol in &self.picture.panel_columns {
            let label = self.style.output.bold(symbol);
            line.push(' ');
            line += &centred(&label, width(symbol), self.panel_width());
        }
        line
    }

    /// The line with the symbols of the columns.
    fn header(&self) -> String {
        let mut line = " ".repeat(self.margin);
        for _ in 0..self.panels_across() {
            for (x, symbol) in self.board.columns.iter().enumerate() {
                if x == 0 || self.ruled {
                    line.push(' ');
                }
                let label = self.style.output.dimmed(symbol);
                line += &centred(&label, width(symbol), self.pitch);
            }
        }
        line
    }

    /// A horizontal line: 0 at the top, 1 between rows, 2 at the bottom.
    fn rule(&self, which: usize) -> String {
        let lines = self.style.lines();
        let [left, middle, right] = lines.joints[which];
        let stretch = lines.across.repeat(self.pitch);
        let joint = if self.ruled { middle } else { "" };
        let panel = vec![stretch; self.board.columns.len()].join(joint);
        let panels = vec![panel; self.panels_across()].join(middle);
        let rule = self.style.output.dimmed(&format!("{left}{panels}{right}"));
        format!("{}{rule}", " ".repeat(self.margin))
    }

    fn row(&self, panel_row: usize, row: usize, twice: bool) -> String {
        let style = self.style.output;
        let down = style.dimmed(self.style.lines().down);
        let symbol = &self.board.rows[row];
        let mut line = self.panel_row_label(panel_row, row);
        line += &" ".repeat(self.row_label - width(symbol));
        line += &style.dimmed(symbol);
        line.push(' ');
        let columns = self.board.columns.len();
        for panel_column in 0..self.panels_across() {
            let panel = &self.picture.panels[panel_row * self.panels_across() + panel_column];
            for (x, cell) in panel.cells[row * columns..][..columns].iter().enumerate() {
                if x == 0 || self.ruled {
                    line += &down;
                }
                line += &self.cell(cell);
            }
        }
        line += &down;
        if twice {
            line.push(' ');
            line += &style.dimmed(symbol);
        }
        line
    }

    fn cell(&self, cell: &BoardCell) -> String {
        self.style.cell(cell, self.pitch, !self.ruled)
    }

    /// The symbol of a row of panels, placed next to the middle of the panel.
    fn panel_row_label(&self, panel_row: usize, row: usize) -> String {
        let Some(symbol) = self.picture.panel_rows.get(panel_row) else {
            return String::new();
        };
        let room = self.margin - self.row_label - 1;
        if row == self.board.rows.len() / 2 {
            let gap = " ".repeat(room - width(symbol));
            format!("{}{gap}", self.style.output.bold(symbol))
        } else {
            " ".repeat(room)
        }
    }
}
