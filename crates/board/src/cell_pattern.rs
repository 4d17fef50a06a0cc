//! The pattern of the cells of a board: checkered, or round wells in games where pieces drop into
//! columns.

use ludorum_games::CellBackground;
use rustc_hash::FxHashSet;

use crate::clicks::{ClickMap, ClickStep};
use crate::glyph::GlyphShape;
use crate::model::{BoardLayout, CellPattern, LayoutKind, to_float};
use crate::style::Style;

/// Chooses the pattern of a board.
pub(crate) fn choose(
    layout: &mut BoardLayout,
    number: usize,
    style: &Style,
    contents: &FxHashSet<String>,
    clicks: &ClickMap,
) {
    if layout.kind != LayoutKind::Grid {
        return;
    }
    let steps =
        |step: &ClickStep| matches!(step, ClickStep::Cell { layout, .. } if *layout == number);
    let travels = clicks
        .values()
        .any(|list| list.iter().filter(|step| steps(step)).count() > 1);
    let falls = clicks
        .iter()
        .filter(|(shape, _)| shape.to_ascii_lowercase().contains("drop"))
        .flat_map(|(_, steps)| steps)
        .any(|step| matches!(step, ClickStep::Line { layout, axis: 0, .. } if *layout == number));
    let has_men = contents.iter().any(|content| {
        matches!(
            style.glyph(content).figure,
            GlyphShape::ChessPiece(_) | GlyphShape::CrownedDisc
        )
    });
    let holes = layout
        .cells
        .iter()
        .filter(|cell| cell.ground == CellBackground::Hole);
    let has_holes = 8 * holes.count() > layout.cells.len();
    let [columns, rows] = layout.size;
    let is_large = columns.min(rows) >= 4;
    if layout.pattern.checkered {
        return;
    }
    layout.pattern = CellPattern {
        checkered: has_men || (travels && is_large && !has_holes),
        wells: falls && !travels,
    };
    if layout.pattern.checkered {
        for cell in &mut layout.cells {
            // Panels are half a cell apart, and the pattern starts anew in each of them.
            let x = cell.point[0].rem_euclid(to_float(columns) + 0.5);
            let y = cell.point[1].rem_euclid(to_float(rows) + 0.5);
            let sum = x + to_float(rows) - 1.0 - y;
            if cell.ground == CellBackground::Plain && sum.rem_euclid(2.0) < 0.5 {
                cell.ground = CellBackground::Dark;
            }
        }
    }
}
