//! Drawing of a cell and its contents.

use crate::figure;
use crate::glyph::{self, Glyph, GlyphColour, GlyphShape};
use crate::model::{BoardLayout, DrawMode, LayoutKind};
use crate::names;
use crate::svg;
use ludorum_games::CellBackground;

use super::placed_facts::PlacedContent;
use super::{CELL_SIZE, Painter};

impl Painter<'_> {
    /// Draws the owner of a box between dots.
    pub(super) fn box_of(&mut self, marks: &[PlacedContent], at: [f64; 2]) {
        if let Some(mark) = marks.last() {
            let glyph = self.glyph(mark);
            figure::draw(&mut self.svg, &glyph, at, CELL_SIZE * 0.8);
        }
    }

    pub(super) fn glyph(&self, mark: &PlacedContent) -> Glyph {
        let glyph = self.drawing.style.glyph(&mark.content);
        if mark.bare && matches!(glyph.figure, GlyphShape::Token(_)) {
            return Glyph {
                figure: GlyphShape::Disc,
                paint: glyph.paint,
            };
        }
        glyph
    }

    pub(super) fn cell(
        &mut self,
        layout: &BoardLayout,
        cell: usize,
        marks: &[PlacedContent],
        at: [f64; 2],
    ) {
        let place = &layout.cells[cell];
        if place.ground == CellBackground::Hole && marks.is_empty() {
            return;
        }
        let id = format!("{}:{}", layout.id, place.name.join(","));
        let seen: Vec<String> = marks
            .iter()
            .filter(|mark| !matches!(mark.mode, DrawMode::Wall(_) | DrawMode::Sign(..)))
            .map(|mark| names::display_name(&mark.content))
            .collect();
        let title = if seen.is_empty() {
            place.name.join(" ")
        } else {
            format!("{}: {}", place.name.join(" "), seen.join(", "))
        };
        self.open(&id, &names::truncate(&title, 120));
        self.ground(layout, cell, at);
        if self.last.contains(id.as_str()) {
            self.shade(
                layout,
                at,
                &format!(r#"fill="{}" fill-opacity=".32""#, svg::ACCENT),
            );
        }
        for mark in marks {
            if mark.mode == DrawMode::Floor {
                self.floor(mark, layout, at);
            }
        }
        if layout.kind == LayoutKind::Graph {
            let style = format!(r#"fill="{}""#, svg::FAINT);
            let text = names::truncate(&names::display_name(&place.name[0]), 6);
            self.svg.text(at, CELL_SIZE * 0.27, &text, &style);
        }
        let pieces: Vec<&PlacedContent> =
            marks.iter().filter(|m| m.mode == DrawMode::Piece).collect();
        self.pieces(&pieces, layout, at);
        for mark in marks {
            match mark.mode {
                DrawMode::Ring => {
                    let style = format!(
                        r#"fill="none" stroke="{}" stroke-width="2.5" stroke-dasharray="5 3""#,
                        svg::ACCENT
                    );
                    self.svg.circle(at, CELL_SIZE * 0.43, &style);
                }
                DrawMode::Note => {
                    let spot = [at[0] + CELL_SIZE * 0.34, at[1] - CELL_SIZE * 0.34];
                    let style = format!(r#"fill="{}""#, svg::FAINT);
                    let text = names::truncate(&mark.content, 3);
                    self.svg.text(spot, CELL_SIZE * 0.2, &text, &style);
                }
                _ => {}
            }
        }
        self.close(&id);
    }

    /// Draws the background of a cell.
    pub(super) fn ground(&mut self, layout: &BoardLayout, cell: usize, at: [f64; 2]) {
        let ground = layout.cells[cell].ground;
        let fill = if ground == CellBackground::Dark {
            svg::DARK
        } else {
            svg::LIGHT
        };
        if layout.pattern.wells {
            let half = CELL_SIZE / 2.0;
            let style = format!(r#"fill="{}""#, svg::WELL);
            self.svg.rect(
                [at[0] - half, at[1] - half],
                [CELL_SIZE + 0.5, CELL_SIZE + 0.5],
                &style,
            );
            self.svg
                .circle(at, CELL_SIZE * 0.4, &format!(r#"fill="{}""#, svg::LIGHT));
            return;
        }
        let line = if layout.pattern.checkered {
            "none"
        } else {
            svg::FAINT
        };
        let style = format!(r#"fill="{fill}" stroke="{line}" stroke-width="1""#);
        self.shade(layout, at, &style);
    }

    /// Fills the area of a cell.
    pub(super) fn shade(&mut self, layout: &BoardLayout, at: [f64; 2], style: &str) {
        match layout.kind {
            LayoutKind::Hex => self.svg.polygon(&hexagon(at, CELL_SIZE / 2.0), style),
            LayoutKind::Places | LayoutKind::Graph => self.svg.circle(at, CELL_SIZE * 0.45, style),
            _ => {
                let half = CELL_SIZE / 2.0;
                let rounded = if layout.kind == LayoutKind::Track {
                    r#"rx="8" "#
                } else {
                    ""
                };
                let inset = if layout.kind == LayoutKind::Track {
                    2.0
                } else {
                    0.0
                };
                self.svg.rect(
                    [at[0] - half + inset, at[1] - half + inset],
                    [CELL_SIZE - 2.0 * inset, CELL_SIZE - 2.0 * inset],
                    &format!("{rounded}{style}"),
                );
            }
        }
    }

    /// Draws the floor layer of a cell.
    pub(super) fn floor(&mut self, mark: &PlacedContent, layout: &BoardLayout, at: [f64; 2]) {
        let glyph = self.glyph(mark);
        if let GlyphShape::Text(text) = &glyph.figure {
            let spot = [at[0] - CELL_SIZE * 0.33, at[1] - CELL_SIZE * 0.31];
            let style = format!(r#"fill="{}""#, svg::INK);
            self.svg.text(spot, CELL_SIZE * 0.26, text, &style);
            return;
        }
        // A glyph without a colour of its own must contrast with light and dark cells.
        let (fill, strength) = match glyph.paint {
            GlyphColour::Ink => (svg::INK, ".38"),
            paint => (svg::colours(paint).0, ".5"),
        };
        if matches!(
            layout.kind,
            LayoutKind::Hex | LayoutKind::Places | LayoutKind::Graph
        ) {
            let style = format!(r#"fill="{fill}" fill-opacity="{strength}""#);
            self.shade(layout, at, &style);
            return;
        }
        let half = CELL_SIZE * 0.46;
        let style = format!(r#"rx="4" fill="{fill}" fill-opacity="{strength}""#);
        self.svg.rect(
            [at[0] - half, at[1] - half],
            [2.0 * half, 2.0 * half],
            &style,
        );
    }

    /// Draws the pieces of a cell: one in the middle, several side by side.
    pub(super) fn pieces(&mut self, marks: &[&PlacedContent], layout: &BoardLayout, at: [f64; 2]) {
        let size = if layout.kind == LayoutKind::Hex {
            CELL_SIZE * 0.92
        } else {
            CELL_SIZE
        };
        match marks {
            [] => {}
            [mark] => {
                let glyph = self.glyph(mark);
                figure::draw(&mut self.svg, &glyph, at, size);
            }
            _ => {
                for (place, mark) in marks.iter().take(4).enumerate() {
                    let glyph = self.glyph(mark);
                    let right = if place % 2 == 0 { -0.23 } else { 0.23 };
                    let down = if marks.len() == 2 {
                        0.0
                    } else if place < 2 {
                        -0.23
                    } else {
                        0.23
                    };
                    let spot = [at[0] + right * CELL_SIZE, at[1] + down * CELL_SIZE];
                    figure::draw(&mut self.svg, &glyph, spot, size * 0.52);
                }
            }
        }
    }

    /// Draws walls and less-or-greater signs at the side of a cell.
    pub(super) fn edge(&mut self, mark: &PlacedContent, at: [f64; 2]) {
        let half = CELL_SIZE / 2.0;
        match mark.mode {
            DrawMode::Wall(direction) => {
                let direction = match direction {
                    [0, 0] => glyph::direction(&names::split_words(&mark.content)),
                    direction => Some(direction),
                };
                let Some([right, down]) = direction.map(|d| d.map(f64::from)) else {
                    return;
                };
                let (x, y) = (at[0] + right * half, at[1] + down * half);
                let style = format!(
                    r#"stroke="{}" stroke-width="5" stroke-linecap="round""#,
                    svg::INK
                );
                let (across, along) = (down.abs() * half, right.abs() * half);
                self.svg
                    .line([x - across, y - along], [x + across, y + along], &style);
            }
            DrawMode::Sign([right, down], less) => {
                let (right, down) = (f64::from(right), f64::from(down));
                let spot = [at[0] + right * half, at[1] + down * half];
                let text = match (less, down == 0.0) {
                    (true, true) => "<",
                    (false, true) => ">",
                    (true, false) => "∧",
                    (false, false) => "∨",
                };
                self.svg
                    .circle(spot, 8.0, &format!(r#"fill="{}""#, svg::PAPER));
                let style = format!(r#"fill="{}" font-weight="700""#, svg::INK);
                self.svg.text(spot, CELL_SIZE * 0.32, text, &style);
            }
            _ => {}
        }
    }
}

/// The corners of a hexagon that has a corner at the top.
fn hexagon([x, y]: [f64; 2], half: f64) -> [[f64; 2]; 6] {
    let side = half / 0.866;
    [
        [x, y - side],
        [x + half, y - side / 2.0],
        [x + half, y + side / 2.0],
        [x, y + side],
        [x - half, y + side / 2.0],
        [x - half, y - side / 2.0],
    ]
}
