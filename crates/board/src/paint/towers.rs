//! Drawing of towers and piles.

use crate::glyph::GlyphColour;
use crate::model::{BoardLayout, DrawMode, to_float};
use crate::names;
use crate::stack;
use crate::svg;
use ludorum_games::CellBackground;

use super::{CELL_SIZE, Painter};

/// Height of an object in a tower.
const STACK_ROW: f64 = 26.0;

/// The bounding box of a board of towers: left, top, width, height.
pub(super) fn extent(layout: &BoardLayout) -> [f64; 4] {
    let (columns, wide) = stack_size(layout);
    let things = layout
        .cells
        .iter()
        .filter(|cell| cell.ground == CellBackground::Plain)
        .count();
    let height = to_float(things.max(2)) * STACK_ROW + CELL_SIZE;
    [0.0, 0.0, to_float(columns) * wide, height]
}

impl Painter<'_> {
    /// Draws the towers, each from the bottom to the top.
    pub(super) fn stacks(&mut self, number: usize, [left, top]: [f64; 2]) {
        let layout = &self.drawing.layouts[number];
        let (_, wide) = stack_size(layout);
        let [_, _, width, height] = extent(layout);
        let floor = top + height - CELL_SIZE * 0.6;
        let style = format!(
            r#"stroke="{}" stroke-width="3" stroke-linecap="round""#,
            svg::FAINT
        );
        self.svg.line([left, floor], [left + width, floor], &style);
        let things = layout
            .cells
            .iter()
            .filter(|cell| cell.ground == CellBackground::Plain)
            .count();
        let pegs = layout
            .cells
            .iter()
            .any(|cell| cell.ground == CellBackground::Dark);
        self.table(layout, [left, floor], width);
        let places = stack::tower_positions(layout, &self.sorted.supports[number]);
        // Pegs are drawn behind the objects on them.
        let behind = |cell: &usize| layout.cells[*cell].ground != CellBackground::Dark;
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(behind);
        for cell in order {
            let Some((column, height)) = places[cell] else {
                continue;
            };
            let name = &layout.cells[cell].name[0];
            let id = format!("{}:{name}", layout.id);
            let x = left + (to_float(column) + 0.5) * wide;
            let spoken = names::display_name(name);
            self.open(&id, &spoken);
            if layout.cells[cell].ground == CellBackground::Dark {
                let high = floor - to_float(things) * STACK_ROW - CELL_SIZE * 0.2;
                let style = format!(r#"rx="3" fill="{}""#, svg::DARK);
                self.svg.rect([x - 4.0, high], [8.0, floor - high], &style);
                let style = format!(r#"fill="{}""#, svg::FAINT);
                let text = names::truncate(&spoken, 12);
                self.svg.text(
                    [x, floor + CELL_SIZE * 0.32],
                    CELL_SIZE * 0.28,
                    &text,
                    &style,
                );
                self.svg.rect(
                    [x - wide / 2.0, high],
                    [wide, floor - high + CELL_SIZE * 0.6],
                    r#"fill="transparent""#,
                );
                self.close(&id);
                continue;
            }
            let graded = pegs || layout.layers[0].mode == DrawMode::Pile;
            let share = if graded {
                0.3 + 0.65 * to_float(cell + 1) / to_float(things)
            } else {
                0.8
            };
            let half = wide * share / 2.0;
            let y = floor - to_float(height + 1) * STACK_ROW;
            let mut paint = self
                .drawing
                .style
                .owner(name)
                .unwrap_or(GlyphColour::Role(cell));
            if !graded {
                paint = GlyphColour::Ink;
            }
            let (fill, edge, ink) = svg::colours(paint);
            let mark = if self.last.contains(id.as_str()) {
                svg::ACCENT
            } else {
                edge
            };
            let style = format!(r#"rx="5" fill="{fill}" stroke="{mark}" stroke-width="2""#);
            self.svg
                .rect([x - half, y + 1.0], [2.0 * half, STACK_ROW - 2.0], &style);
            let text = names::truncate(&spoken, 8);
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            let text = if graded && !digits.is_empty() {
                digits
            } else {
                text
            };
            let style = format!(r#"fill="{ink}" font-weight="600""#);
            self.svg
                .text([x, y + STACK_ROW / 2.0], STACK_ROW * 0.55, &text, &style);
            self.close(&id);
        }
    }

    /// Draws the base line, which is a click target for putting objects on the table.
    fn table(&mut self, layout: &BoardLayout, [left, floor]: [f64; 2], width: f64) {
        for cell in layout
            .cells
            .iter()
            .filter(|c| c.ground == CellBackground::Hole)
        {
            let id = format!("{}:{}", layout.id, cell.name[0]);
            let spoken = names::display_name(&cell.name[0]);
            self.open(&id, &spoken);
            let style = format!(r#"fill="{}""#, svg::FAINT);
            let middle = [left + width / 2.0, floor + CELL_SIZE * 0.3];
            self.svg.text(middle, CELL_SIZE * 0.28, &spoken, &style);
            self.svg.rect(
                [left, floor - 3.0],
                [width, CELL_SIZE * 0.6],
                r#"fill="transparent""#,
            );
            self.close(&id);
        }
    }
}

/// The number of towers and the width of each.
fn stack_size(layout: &BoardLayout) -> (usize, f64) {
    let fixed = layout
        .cells
        .iter()
        .filter(|cell| cell.ground == CellBackground::Dark)
        .count();
    match fixed {
        0 if layout
            .layers
            .first()
            .is_some_and(|layer| layer.mode == DrawMode::Pile) =>
        {
            (1, CELL_SIZE * 5.0)
        }
        0 => (
            layout
                .cells
                .iter()
                .filter(|cell| cell.ground == CellBackground::Plain)
                .count(),
            CELL_SIZE * 1.2,
        ),
        fixed => (fixed, CELL_SIZE * 3.2),
    }
}
