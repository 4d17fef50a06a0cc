//! Boards of named places, each drawn at its position with its name, because such boards have no
//! rows and columns to label.

use ludorum_games::BoardPicture;

use super::board_style::BoardStyle;
use super::width;

/// Spaces between two places on one line, if there is room.
const GAP: usize = 2;
/// The widest half unit of the board, in screen columns.
const MAX_UNIT: usize = 24;

/// A place on the screen.
struct PlacedCell {
    line: usize,
    /// The centre in half units of the board.
    x: usize,
    painted: String,
    width: usize,
    start: usize,
}

pub(super) fn lines(picture: &BoardPicture, style: &BoardStyle) -> Vec<String> {
    let named = laid_out(picture, style, true, GAP);
    let fits = |cells_on_screen: &[PlacedCell]| {
        let end = cells_on_screen
            .iter()
            .map(|placed| placed.start + placed.width)
            .max();
        end.unwrap_or(0) <= style.output.width
    };
    let cells_on_screen = if fits(&named) {
        named
    } else {
        laid_out(picture, style, false, 1)
    };
    let count = cells_on_screen
        .iter()
        .map(|placed| placed.line + 1)
        .max()
        .unwrap_or(0);
    let mut lines = vec![(String::new(), 0); count];
    for placed in &cells_on_screen {
        let (line, used) = &mut lines[placed.line];
        *line += &" ".repeat(placed.start.saturating_sub(*used));
        *line += &placed.painted;
        *used = placed.start + placed.width;
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

/// Places with their screen positions, as close together as names and gaps allow.
fn laid_out(
    picture: &BoardPicture,
    style: &BoardStyle,
    named: bool,
    gap: usize,
) -> Vec<PlacedCell> {
    let mut cells_on_screen = cells_on_screen(picture, style, named);
    for unit in 1..=MAX_UNIT {
        let shift = cells_on_screen
            .iter()
            .map(|placed| placed.width / 2)
            .max()
            .unwrap_or(0);
        for placed in &mut cells_on_screen {
            placed.start = placed.x * unit + shift - placed.width / 2;
        }
        let apart = |pair: &[PlacedCell]| {
            pair[0].line != pair[1].line || pair[0].start + pair[0].width + gap <= pair[1].start
        };
        if cells_on_screen.windows(2).all(apart) {
            break;
        }
    }
    let left = cells_on_screen
        .iter()
        .map(|placed| placed.start)
        .min()
        .unwrap_or(0);
    for placed in &mut cells_on_screen {
        placed.start -= left;
    }
    cells_on_screen
}

fn cells_on_screen(picture: &BoardPicture, style: &BoardStyle, named: bool) -> Vec<PlacedCell> {
    let cells = &picture.panels[0].cells;
    let halves = cells.iter().any(|cell| cell.point[1].fract() != 0.0);
    let lines_per_unit = if halves { 2.0 } else { 1.0 };
    // Cells are sorted by line and then by column.
    cells
        .iter()
        .map(|cell| {
            let (piece, columns) = style.piece(cell);
            let label = if named {
                format!("{}:", cell.name.join(" "))
            } else {
                String::new()
            };
            PlacedCell {
                line: rounded(cell.point[1] * lines_per_unit),
                x: rounded(cell.point[0] * 2.0),
                painted: format!("{}{piece}", style.output.dimmed(&label)),
                width: width(&label) + columns,
                start: 0,
            }
        })
        .collect()
}

/// Rounds a coordinate to a line or column; the range is bounded because hints may hold any number.
#[allow(clippy::cast_sign_loss)]
fn rounded(coordinate: f64) -> usize {
    coordinate.round().clamp(0.0, 200.0) as usize
}
