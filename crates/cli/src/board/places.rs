//! Boards of named places, each drawn at its position with its name, because such boards have no
//! rows and columns to label.

use ludorum_games::BoardPicture;

use super::ink::Ink;
use super::width;

/// Spaces between two places on one line, if there is room.
const GAP: usize = 2;
/// The widest half unit of the board, in screen columns.
const MAX_UNIT: usize = 24;

/// A place on the screen.
struct Spot {
    line: usize,
    /// The centre in half units of the board.
    x: usize,
    painted: String,
    width: usize,
    start: usize,
}

pub(super) fn lines(picture: &BoardPicture, ink: &Ink) -> Vec<String> {
    let named = laid_out(picture, ink, true, GAP);
    let fits = |spots: &[Spot]| {
        let end = spots.iter().map(|spot| spot.start + spot.width).max();
        end.unwrap_or(0) <= ink.look.width
    };
    let spots = if fits(&named) {
        named
    } else {
        laid_out(picture, ink, false, 1)
    };
    let count = spots.iter().map(|spot| spot.line + 1).max().unwrap_or(0);
    let mut lines = vec![(String::new(), 0); count];
    for spot in &spots {
        let (line, used) = &mut lines[spot.line];
        *line += &" ".repeat(spot.start.saturating_sub(*used));
        *line += &spot.painted;
        *used = spot.start + spot.width;
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

/// Places with their screen positions, as close together as names and gaps allow.
fn laid_out(picture: &BoardPicture, ink: &Ink, named: bool, gap: usize) -> Vec<Spot> {
    let mut spots = spots(picture, ink, named);
    for unit in 1..=MAX_UNIT {
        let shift = spots.iter().map(|spot| spot.width / 2).max().unwrap_or(0);
        for spot in &mut spots {
            spot.start = spot.x * unit + shift - spot.width / 2;
        }
        let apart = |pair: &[Spot]| {
            pair[0].line != pair[1].line || pair[0].start + pair[0].width + gap <= pair[1].start
        };
        if spots.windows(2).all(apart) {
            break;
        }
    }
    let left = spots.iter().map(|spot| spot.start).min().unwrap_or(0);
    for spot in &mut spots {
        spot.start -= left;
    }
    spots
}

fn spots(picture: &BoardPicture, ink: &Ink, named: bool) -> Vec<Spot> {
    let cells = &picture.panels[0].cells;
    let halves = cells.iter().any(|cell| cell.point[1].fract() != 0.0);
    let lines_per_unit = if halves { 2.0 } else { 1.0 };
    // Cells are sorted by line and then by column.
    cells
        .iter()
        .map(|cell| {
            let (piece, columns) = ink.piece(cell);
            let label = if named {
                format!("{}:", cell.name.join(" "))
            } else {
                String::new()
            };
            Spot {
                line: rounded(cell.point[1] * lines_per_unit),
                x: rounded(cell.point[0] * 2.0),
                painted: format!("{}{piece}", ink.look.faint(&label)),
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
