//! Rendering of a state as SVG.

mod cell;
mod description;
mod placed_facts;
mod status_bar;
mod towers;

use rustc_hash::FxHashSet;

use crate::clicks;
use crate::flat_term::FlatTerm;
use crate::glyph::GlyphColour;
use crate::model::{BoardLayout, Cell, DrawMode, LayoutKind, StatusItem};
use crate::names;
use crate::renderer::{BoardRenderer, DrawOptions, RenderedState};
use crate::svg::{self, Svg, escaped};
use placed_facts::{PlacedFacts, place_facts};

/// The width of a cell in SVG units.
const CELL_SIZE: f64 = 44.0;
/// Distance between boards, and margin of the picture.
const GAP: f64 = 14.0;
/// Maximum width of boards side by side.
const MAX_WIDTH: f64 = 1_300.0;
/// Width of the text beside or below the boards.
const TEXT_WIDTH: f64 = 360.0;

impl BoardRenderer {
    /// Renders a state.
    pub fn draw(&self, facts: &[String], options: &DrawOptions) -> RenderedState {
        render(self, facts, options)
    }
}

/// The facts that are listed in words because no board or status item shows them.
pub(crate) fn undrawn_facts(drawing: &BoardRenderer, facts: &[String]) -> Vec<FlatTerm> {
    place_facts(drawing, facts).rest
}

/// Renders a state.
pub(crate) fn render(
    drawing: &BoardRenderer,
    facts: &[String],
    options: &DrawOptions,
) -> RenderedState {
    let mut sorted = place_facts(drawing, facts);
    if options.over {
        for (status, facts) in drawing.statuses.iter().zip(&mut sorted.statuses) {
            if matches!(status, StatusItem::Control { .. }) {
                facts.clear();
            }
        }
    }
    let name = |role: usize| drawing.roles.get(role).map_or("", String::as_str);
    let viewer = options.role.map_or("", name);
    let clicks = clicks::targets(&drawing.clicks, &drawing.layouts, options.legal, viewer);
    let targets: FxHashSet<&str> = clicks.iter().flatten().map(String::as_str).collect();
    let played: Vec<Vec<String>> = (0..options.last.len())
        .flat_map(|role| {
            let text = &options.last[role..=role];
            clicks::targets(&drawing.clicks, &drawing.layouts, text, name(role))
        })
        .collect();
    let last: FxHashSet<&str> = played.iter().flatten().map(String::as_str).collect();
    let mut painter = Painter {
        drawing,
        sorted: &sorted,
        targets,
        last,
        svg: Svg::default(),
    };
    let mut width: f64 = 0.0;
    let (mut x, mut y, mut row) = (GAP, GAP, 0.0f64);
    for number in 0..drawing.layouts.len() {
        let size = extent(&drawing.layouts[number]);
        if x > GAP && x + size[2] > MAX_WIDTH.min(900.0) {
            x = GAP;
            y += row + GAP;
            row = 0.0;
        }
        painter.board(number, [x - size[0], y - size[1]]);
        x += size[2] + GAP;
        width = width.max(x);
        row = row.max(size[3]);
    }
    if !drawing.layouts.is_empty() {
        y += row + GAP;
    }
    let chips = painter.chips();
    let listed_facts = names::group_facts(&sorted.rest);
    let table = if drawing.layouts.is_empty() {
        &listed_facts[..]
    } else {
        &[]
    };
    // Below a small board, the chips are wrapped into several lines, so that the board stays large
    // on a small screen.
    let width = if drawing.layouts.is_empty() {
        TEXT_WIDTH
    } else {
        width.max(status_bar::widest(&chips).min(TEXT_WIDTH))
    };
    let height = painter.strip(&chips, table, y, width);
    let label = description::describe(drawing, &sorted);
    RenderedState {
        svg: painter
            .svg
            .finish(width, height.max(2.0 * GAP), &label, options.standalone),
        facts: listed_facts,
        label,
        clicks,
    }
}

/// The bounding box of a board: left, top, width, height.
fn extent(layout: &BoardLayout) -> [f64; 4] {
    let mut low = [f64::MAX; 2];
    let mut high = [f64::MIN; 2];
    let mut cover = |point: [f64; 2], half: f64| {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis] - half);
            high[axis] = high[axis].max(point[axis] + half);
        }
    };
    for cell in &layout.cells {
        cover(
            cell.point,
            if layout.kind == LayoutKind::Hex {
                0.6
            } else {
                0.5
            },
        );
    }
    for label in &layout.labels {
        cover(label.at, 0.3);
    }
    if layout.cells.is_empty() {
        return [0.0; 4];
    }
    if layout.kind == LayoutKind::Stacks {
        return towers::extent(layout);
    }
    [
        low[0] * CELL_SIZE,
        low[1] * CELL_SIZE,
        (high[0] - low[0]) * CELL_SIZE,
        (high[1] - low[1]) * CELL_SIZE,
    ]
}

struct Painter<'a> {
    drawing: &'a BoardRenderer,
    sorted: &'a PlacedFacts,
    targets: FxHashSet<&'a str>,
    last: FxHashSet<&'a str>,
    svg: Svg,
}

impl Painter<'_> {
    fn board(&mut self, number: usize, [left, top]: [f64; 2]) {
        let layout = &self.drawing.layouts[number];
        let at = |point: [f64; 2]| [left + point[0] * CELL_SIZE, top + point[1] * CELL_SIZE];
        self.svg
            .raw(&format!(r#"<g class="panel" id="{}">"#, layout.id));
        if layout.kind == LayoutKind::Stacks {
            self.stacks(number, [left, top]);
            self.svg.raw("</g>");
            return;
        }
        for label in &layout.labels {
            let style = format!(r#"fill="{}""#, svg::FAINT);
            self.svg
                .text(at(label.at), CELL_SIZE * 0.27, &label.text, &style);
        }
        for [from, to] in &layout.links {
            let style = format!(r#"stroke="{}" stroke-width="2""#, svg::FAINT);
            let (from, to) = (layout.cells[*from].point, layout.cells[*to].point);
            self.svg.line(at(from), at(to), &style);
        }
        let line_only = layout
            .layers
            .iter()
            .any(|layer| layer.mode == DrawMode::Link);
        for (cell, marks) in self.sorted.marks[number].iter().enumerate() {
            if line_only {
                let half = [
                    layout.cells[cell].point[0] + 0.5,
                    layout.cells[cell].point[1] - 0.5,
                ];
                self.box_of(marks, at(half));
            } else {
                self.cell(layout, cell, marks, at(layout.cells[cell].point));
            }
        }
        for (from, to, content) in &self.sorted.links[number] {
            let paint = self
                .drawing
                .style
                .owner(content)
                .unwrap_or(GlyphColour::Ink);
            let style = format!(
                r#"stroke="{}" stroke-width="5" stroke-linecap="round""#,
                svg::stroke(paint)
            );
            let (from, to) = (layout.cells[*from].point, layout.cells[*to].point);
            self.svg.line(at(from), at(to), &style);
        }
        if line_only {
            for cell in &layout.cells {
                let id = format!("{}:{}", layout.id, cell.name.join(","));
                self.open(&id, &cell.name.join(" "));
                self.svg
                    .circle(at(cell.point), 6.0, &format!(r#"fill="{}""#, svg::INK));
                self.svg
                    .circle(at(cell.point), 14.0, r#"fill="transparent""#);
                self.close(&id);
            }
        }
        for (cell, marks) in self.sorted.marks[number].iter().enumerate() {
            for mark in marks {
                self.edge(mark, at(layout.cells[cell].point));
            }
        }
        for (from, to, content) in &self.sorted.barriers[number] {
            let paint = self
                .drawing
                .style
                .owner(content)
                .unwrap_or(GlyphColour::Ink);
            let (from, to) = (layout.cells[*from].point, layout.cells[*to].point);
            let middle = at([0, 1].map(|axis| f64::midpoint(from[axis], to[axis])));
            let (fill, edge, _) = svg::colours(paint);
            let style = format!(r#"rx="3" fill="{fill}" stroke="{edge}" stroke-width="1""#);
            self.svg.rect(
                [middle[0] - CELL_SIZE * 0.95, middle[1] - 4.0],
                [CELL_SIZE * 1.9, 8.0],
                &style,
            );
        }
        self.lines(layout, [left, top]);
        self.svg.raw("</g>");
    }

    /// Opens a group element, clickable if the target is part of a legal move.
    fn open(&mut self, id: &str, title: &str) {
        if self.targets.contains(id) {
            self.svg.raw(&format!(
                r#"<g class="target" data-target="{}" tabindex="0" role="button"><title>{}</title>"#,
                escaped(id),
                escaped(title)
            ));
        }
    }

    fn close(&mut self, id: &str) {
        if self.targets.contains(id) {
            self.svg.raw("</g>");
        }
    }

    /// Draws the clickable columns and rows.
    fn lines(&mut self, layout: &BoardLayout, [left, top]: [f64; 2]) {
        for (axis, kind) in ["column", "row"].into_iter().enumerate() {
            let Some(place) = layout.axes[axis] else {
                continue;
            };
            let mut seen: FxHashSet<&String> = FxHashSet::default();
            let mut cells: Vec<&Cell> = layout.cells.iter().collect();
            cells.sort_by(|a, b| a.point[axis].total_cmp(&b.point[axis]));
            for cell in cells {
                let value = &cell.name[place];
                let id = format!("{}:{kind}:{value}", layout.id);
                let (is_target, is_last) = (
                    self.targets.contains(id.as_str()),
                    self.last.contains(id.as_str()),
                );
                if !(is_target || is_last) || !seen.insert(value) {
                    continue;
                }
                let line = layout
                    .cells
                    .iter()
                    .filter(|cell| cell.name[place] == *value);
                let mut low = [f64::MAX; 2];
                let mut high = [f64::MIN; 2];
                for cell in line {
                    for axis in 0..2 {
                        low[axis] = low[axis].min(cell.point[axis] - 0.5);
                        high[axis] = high[axis].max(cell.point[axis] + 0.5);
                    }
                }
                let corner = [left + low[0] * CELL_SIZE, top + low[1] * CELL_SIZE];
                let size = [
                    (high[0] - low[0]) * CELL_SIZE,
                    (high[1] - low[1]) * CELL_SIZE,
                ];
                if is_last {
                    let style = format!(
                        r#"fill="none" stroke="{}" stroke-width="2" rx="6""#,
                        svg::ACCENT
                    );
                    self.svg.rect(corner, size, &style);
                }
                self.open(&id, &format!("{kind} {}", names::truncate(value, 20)));
                if is_target {
                    self.svg.rect(corner, size, r#"fill="transparent""#);
                }
                self.close(&id);
            }
        }
    }
}
