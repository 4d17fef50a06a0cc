//! What the cells of a board look like: checkered, or wells that things fall into.

use rustc_hash::FxHashSet;

use crate::clicks::{Clicks, Step};
use crate::glyph::Figure;
use crate::model::{Ground, Kind, Look, Plan, to_float};
use crate::style::Style;

/// Chooses what the cells of a board look like.
pub(crate) fn decorate(
    plan: &mut Plan,
    number: usize,
    style: &Style,
    contents: &FxHashSet<String>,
    clicks: &Clicks,
) {
    if plan.kind != Kind::Grid {
        return;
    }
    let steps = |step: &Step| matches!(step, Step::Cell { plan, .. } if *plan == number);
    let travels = clicks
        .values()
        .any(|list| list.iter().filter(|step| steps(step)).count() > 1);
    let falls = clicks
        .iter()
        .filter(|(shape, _)| shape.to_ascii_lowercase().contains("drop"))
        .flat_map(|(_, steps)| steps)
        .any(|step| matches!(step, Step::Line { plan, axis: 0, .. } if *plan == number));
    let has_men = contents.iter().any(|content| {
        matches!(
            style.glyph(content).figure,
            Figure::Man(_) | Figure::CrownedDisc
        )
    });
    let holes = plan.cells.iter().filter(|cell| cell.ground == Ground::Hole);
    let has_holes = 8 * holes.count() > plan.cells.len();
    let [columns, rows] = plan.size;
    let is_large = columns.min(rows) >= 4;
    if plan.look.checkered {
        return;
    }
    plan.look = Look {
        checkered: has_men || (travels && is_large && !has_holes),
        wells: falls && !travels,
    };
    if plan.look.checkered {
        for cell in &mut plan.cells {
            // Panels lie half a cell apart; each begins anew.
            let x = cell.point[0].rem_euclid(to_float(columns) + 0.5);
            let y = cell.point[1].rem_euclid(to_float(rows) + 0.5);
            let sum = x + to_float(rows) - 1.0 - y;
            if cell.ground == Ground::Plain && sum.rem_euclid(2.0) < 0.5 {
                cell.ground = Ground::Dark;
            }
        }
    }
}
