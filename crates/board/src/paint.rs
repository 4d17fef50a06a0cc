//! A state on its boards, as SVG.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clicks;
use crate::drawing::{Drawing, Options, Scene};
use crate::figure;
use crate::glyph::{self, Figure, Glyph, Paint};
use crate::grid::{content_of, name_of, to_float};
use crate::joined;
use crate::model::{Aside, Ground, Kind, Manner, Plan};
use crate::stack;
use crate::svg::{self, Svg, escaped};
use crate::term::Term;
use crate::words;

/// Facts beyond this number are not looked at.
const MAX_FACTS: usize = 20_000;
/// The size of a cell.
const UNIT: f64 = 44.0;
/// Between boards, and around everything.
const GAP: f64 = 14.0;
/// Boards side by side are at most so wide.
const WIDTH: f64 = 1_300.0;
/// The height of a line of chips.
const LINE: f64 = 30.0;
/// The height of a thing in a tower.
const STACK_ROW: f64 = 26.0;
/// As many chips are drawn.
const MAX_CHIPS: usize = 60;

/// Something on a cell.
struct Mark {
    manner: Manner,
    content: String,
    /// Whether the fact itself says what is there.
    bare: bool,
}

/// The facts of a state, sorted to where they are drawn.
struct Sorted {
    /// By board and cell.
    marks: Vec<Vec<Vec<Mark>>>,
    /// By board, lines between cells with their contents.
    links: Vec<Vec<(usize, usize, String)>>,
    /// By board, walls between the cells from one corner to another.
    barriers: Vec<Vec<(usize, usize, String)>>,
    /// By board, which thing lies on which.
    supports: Vec<Vec<(usize, usize)>>,
    /// Of each aside, its facts.
    asides: Vec<Vec<Term>>,
    rest: Vec<Term>,
}

fn sort(drawing: &Drawing, facts: &[String]) -> Sorted {
    let mut sorted = Sorted {
        marks: drawing
            .plans
            .iter()
            .map(|plan| plan.cells.iter().map(|_| Vec::new()).collect())
            .collect(),
        links: drawing.plans.iter().map(|_| Vec::new()).collect(),
        barriers: drawing.plans.iter().map(|_| Vec::new()).collect(),
        supports: drawing.plans.iter().map(|_| Vec::new()).collect(),
        asides: drawing.asides.iter().map(|_| Vec::new()).collect(),
        rest: Vec::new(),
    };
    let mut layers: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
    for (p, plan) in drawing.plans.iter().enumerate() {
        for (l, layer) in plan.layers.iter().enumerate() {
            layers.entry(&layer.shape).or_default().push((p, l));
        }
    }
    let bounded = &facts[..facts.len().min(MAX_FACTS)];
    for text in &joined::join(&drawing.pairs, bounded) {
        let fact = Term::read(text);
        let mut shown = false;
        for (p, l) in layers.get(fact.shape.as_str()).into_iter().flatten() {
            let layer = &drawing.plans[*p].layers[*l];
            shown |= put(&drawing.plans[*p], layer, &fact, *p, &mut sorted).is_some();
        }
        if shown {
            continue;
        }
        let aside = drawing
            .asides
            .iter()
            .position(|aside| aside.shape() == fact.shape);
        match aside {
            Some(aside) => sorted.asides[aside].push(fact),
            None => sorted.rest.push(fact),
        }
    }
    sorted
}

/// Puts a fact on its cell.
fn put(
    plan: &Plan,
    layer: &crate::model::Layer,
    fact: &Term,
    number: usize,
    sorted: &mut Sorted,
) -> Option<()> {
    let content = content_of(&fact.leaves, &layer.content);
    let name = name_of(&fact.leaves, &layer.key);
    if layer.manner == Manner::Link {
        let half = name.len() / 2;
        let from = plan.find(&name[..half])?;
        let to = plan.find(&name[half..])?;
        sorted.links[number].push((from, to, content));
        return Some(());
    }
    match layer.manner {
        Manner::On => {
            let thing = plan.find(&name[..1])?;
            if layer.empty.contains(&name[1]) {
                return Some(());
            }
            let below = plan.find(&name[1..])?;
            sorted.supports[number].push((thing, below));
            return Some(());
        }
        Manner::Pile => {
            let things: Option<Vec<usize>> = name.chunks(1).map(|name| plan.find(name)).collect();
            let things = things?;
            let pairs = things.windows(2).map(|pair| (pair[0], pair[1]));
            sorted.supports[number].extend(pairs);
            return Some(());
        }
        _ => {}
    }
    if layer.manner == Manner::Barrier {
        let [a, b, c, d] = &name[..] else { return None };
        let from = plan.find(&[a.clone(), c.clone()])?;
        let to = plan.find(&[b.clone(), d.clone()])?;
        if !layer.empty.contains(&content) {
            sorted.barriers[number].push((from, to, content));
        }
        return Some(());
    }
    let cell = plan.find(&name)?;
    if layer.manner == Manner::Silent {
        return Some(());
    }
    if layer.empty.contains(&content) {
        return Some(());
    }
    let bare = layer.content.is_empty();
    sorted.marks[number][cell].push(Mark {
        manner: layer.manner,
        content: if bare { layer.title.clone() } else { content },
        bare,
    });
    Some(())
}

/// The facts that are told and not drawn.
pub(crate) fn untold(drawing: &Drawing, facts: &[String]) -> Vec<Term> {
    sort(drawing, facts).rest
}

/// Draws a state.
pub(crate) fn scene(drawing: &Drawing, facts: &[String], options: &Options) -> Scene {
    let sorted = sort(drawing, facts);
    let name = |role: usize| drawing.roles.get(role).map_or("", String::as_str);
    let viewer = options.role.map_or("", name);
    let clicks = clicks::targets(&drawing.clicks, &drawing.plans, options.legal, viewer);
    let targets: FxHashSet<&str> = clicks.iter().flatten().map(String::as_str).collect();
    let played: Vec<Vec<String>> = (0..options.last.len())
        .flat_map(|role| {
            let text = &options.last[role..=role];
            clicks::targets(&drawing.clicks, &drawing.plans, text, name(role))
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
    for number in 0..drawing.plans.len() {
        let size = extent(&drawing.plans[number]);
        if x > GAP && x + size[2] > WIDTH.min(900.0) {
            x = GAP;
            y += row + GAP;
            row = 0.0;
        }
        painter.board(number, [x - size[0], y - size[1]]);
        x += size[2] + GAP;
        width = width.max(x);
        row = row.max(size[3]);
    }
    if !drawing.plans.is_empty() {
        y += row + GAP;
    }
    let chips = painter.chips();
    let told = words::told(&sorted.rest);
    let table = if drawing.plans.is_empty() {
        &told[..]
    } else {
        &[]
    };
    let room = width.max(360.0);
    let height = painter.strip(&chips, table, y, room);
    let is_narrow = chips.is_empty() && table.is_empty();
    let width = if is_narrow && width > 0.0 {
        width
    } else {
        room
    };
    let label = label(drawing, &sorted);
    Scene {
        svg: painter
            .svg
            .finish(width, height.max(2.0 * GAP), &label, options.alone),
        facts: told,
        label,
        clicks,
    }
}

/// The bounds of a board: left and top, width and height.
fn extent(plan: &Plan) -> [f64; 4] {
    let mut low = [f64::MAX; 2];
    let mut high = [f64::MIN; 2];
    let mut cover = |point: [f64; 2], half: f64| {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis] - half);
            high[axis] = high[axis].max(point[axis] + half);
        }
    };
    for cell in &plan.cells {
        cover(cell.point, if plan.kind == Kind::Hex { 0.6 } else { 0.5 });
    }
    for label in &plan.labels {
        cover(label.at, 0.3);
    }
    if plan.cells.is_empty() {
        return [0.0; 4];
    }
    if plan.kind == Kind::Stacks {
        let (columns, wide) = stack_size(plan);
        let things = plan
            .cells
            .iter()
            .filter(|cell| cell.ground == Ground::Plain)
            .count();
        let height = to_float(things.max(2)) * STACK_ROW + UNIT;
        return [0.0, 0.0, to_float(columns) * wide, height];
    }
    [
        low[0] * UNIT,
        low[1] * UNIT,
        (high[0] - low[0]) * UNIT,
        (high[1] - low[1]) * UNIT,
    ]
}

struct Painter<'a> {
    drawing: &'a Drawing,
    sorted: &'a Sorted,
    targets: FxHashSet<&'a str>,
    last: FxHashSet<&'a str>,
    svg: Svg,
}

/// A text beside the board, with a glyph.
struct Chip {
    glyph: Option<Glyph>,
    text: String,
    strong: bool,
    target: Option<String>,
}

impl Painter<'_> {
    fn board(&mut self, number: usize, [left, top]: [f64; 2]) {
        let plan = &self.drawing.plans[number];
        let at = |point: [f64; 2]| [left + point[0] * UNIT, top + point[1] * UNIT];
        self.svg
            .raw(&format!(r#"<g class="panel" id="{}">"#, plan.id));
        if plan.kind == Kind::Stacks {
            self.stacks(number, [left, top]);
            self.svg.raw("</g>");
            return;
        }
        for label in &plan.labels {
            let style = format!(r#"fill="{}""#, svg::FAINT);
            self.svg
                .text(at(label.at), UNIT * 0.27, &label.text, &style);
        }
        for [from, to] in &plan.links {
            let style = format!(r#"stroke="{}" stroke-width="2""#, svg::FAINT);
            let (from, to) = (plan.cells[*from].point, plan.cells[*to].point);
            self.svg.line(at(from), at(to), &style);
        }
        let line_only = plan.layers.iter().any(|layer| layer.manner == Manner::Link);
        for (cell, marks) in self.sorted.marks[number].iter().enumerate() {
            if line_only {
                let half = [
                    plan.cells[cell].point[0] + 0.5,
                    plan.cells[cell].point[1] - 0.5,
                ];
                self.box_of(marks, at(half));
            } else {
                self.cell(plan, cell, marks, at(plan.cells[cell].point));
            }
        }
        for (from, to, content) in &self.sorted.links[number] {
            let paint = self.drawing.style.owner(content).unwrap_or(Paint::Ink);
            let style = format!(
                r#"stroke="{}" stroke-width="5" stroke-linecap="round""#,
                svg::stroke(paint)
            );
            let (from, to) = (plan.cells[*from].point, plan.cells[*to].point);
            self.svg.line(at(from), at(to), &style);
        }
        if line_only {
            for cell in &plan.cells {
                let id = format!("{}:{}", plan.id, cell.name.join(","));
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
                self.edge(mark, at(plan.cells[cell].point));
            }
        }
        for (from, to, content) in &self.sorted.barriers[number] {
            let paint = self.drawing.style.owner(content).unwrap_or(Paint::Ink);
            let (from, to) = (plan.cells[*from].point, plan.cells[*to].point);
            let middle = at([(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0]);
            let (fill, edge, _) = svg::colours(paint);
            let style = format!(r#"rx="3" fill="{fill}" stroke="{edge}" stroke-width="1""#);
            self.svg.rect(
                [middle[0] - UNIT * 0.95, middle[1] - 4.0],
                [UNIT * 1.9, 8.0],
                &style,
            );
        }
        self.lines(plan, [left, top]);
        self.svg.raw("</g>");
    }

    /// Towers, each with its things from the bottom up.
    fn stacks(&mut self, number: usize, [left, top]: [f64; 2]) {
        let plan = &self.drawing.plans[number];
        let (_, wide) = stack_size(plan);
        let [_, _, width, height] = extent(plan);
        let floor = top + height - UNIT * 0.6;
        let style = format!(
            r#"stroke="{}" stroke-width="3" stroke-linecap="round""#,
            svg::FAINT
        );
        self.svg.line([left, floor], [left + width, floor], &style);
        let things = plan
            .cells
            .iter()
            .filter(|cell| cell.ground == Ground::Plain)
            .count();
        let pegs = things < plan.cells.len();
        let places = stack::heights(plan, &self.sorted.supports[number]);
        // Pegs stand behind the things on them.
        let behind = |cell: &usize| plan.cells[*cell].ground != Ground::Dark;
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(behind);
        for cell in order {
            let Some((column, height)) = places[cell] else {
                continue;
            };
            let name = &plan.cells[cell].name[0];
            let id = format!("{}:{name}", plan.id);
            let x = left + (to_float(column) + 0.5) * wide;
            let spoken = words::spoken(name);
            self.open(&id, &spoken);
            if plan.cells[cell].ground == Ground::Dark {
                let high = floor - to_float(things) * STACK_ROW - UNIT * 0.2;
                let style = format!(r#"rx="3" fill="{}""#, svg::DARK);
                self.svg.rect([x - 4.0, high], [8.0, floor - high], &style);
                let style = format!(r#"fill="{}""#, svg::FAINT);
                let text = words::short(&spoken, 12);
                self.svg
                    .text([x, floor + UNIT * 0.32], UNIT * 0.28, &text, &style);
                self.svg.rect(
                    [x - wide / 2.0, high],
                    [wide, floor - high + UNIT * 0.6],
                    r#"fill="transparent""#,
                );
                self.close(&id);
                continue;
            }
            let graded = pegs || plan.layers[0].manner == Manner::Pile;
            let share = if graded {
                0.3 + 0.65 * to_float(cell + 1) / to_float(things)
            } else {
                0.8
            };
            let half = wide * share / 2.0;
            let y = floor - to_float(height + 1) * STACK_ROW;
            let mut paint = self.drawing.style.owner(name).unwrap_or(Paint::Role(cell));
            if !graded {
                paint = Paint::Ink;
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
            let text = words::short(&spoken, 8);
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

    /// Begins a group that can be clicked, if it can.
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

    /// Who owns a box between dots.
    fn box_of(&mut self, marks: &[Mark], at: [f64; 2]) {
        if let Some(mark) = marks.last() {
            let glyph = self.glyph(mark);
            figure::draw(&mut self.svg, &glyph, at, UNIT * 0.8);
        }
    }

    fn glyph(&self, mark: &Mark) -> Glyph {
        let glyph = self.drawing.style.glyph(&mark.content);
        if mark.bare && matches!(glyph.figure, Figure::Token(_)) {
            return Glyph {
                figure: Figure::Disc,
                paint: glyph.paint,
            };
        }
        glyph
    }

    fn cell(&mut self, plan: &Plan, cell: usize, marks: &[Mark], at: [f64; 2]) {
        let place = &plan.cells[cell];
        if place.ground == Ground::Hole && marks.is_empty() {
            return;
        }
        let id = format!("{}:{}", plan.id, place.name.join(","));
        let seen: Vec<String> = marks
            .iter()
            .filter(|mark| !matches!(mark.manner, Manner::Wall(_) | Manner::Sign(..)))
            .map(|mark| words::spoken(&mark.content))
            .collect();
        let title = if seen.is_empty() {
            place.name.join(" ")
        } else {
            format!("{}: {}", place.name.join(" "), seen.join(", "))
        };
        self.open(&id, &words::short(&title, 120));
        self.ground(plan, cell, at);
        if self.last.contains(id.as_str()) {
            self.shade(
                plan,
                at,
                &format!(r#"fill="{}" fill-opacity=".32""#, svg::ACCENT),
            );
        }
        for mark in marks {
            if mark.manner == Manner::Floor {
                self.floor(mark, at);
            }
        }
        if plan.kind == Kind::Graph {
            let style = format!(r#"fill="{}""#, svg::FAINT);
            let text = words::short(&words::spoken(&place.name[0]), 6);
            self.svg
                .text([at[0], at[1] + UNIT * 0.58], UNIT * 0.24, &text, &style);
        }
        let pieces: Vec<&Mark> = marks.iter().filter(|m| m.manner == Manner::Piece).collect();
        self.pieces(&pieces, plan, at);
        for mark in marks {
            match mark.manner {
                Manner::Ring => {
                    let style = format!(
                        r#"fill="none" stroke="{}" stroke-width="2.5" stroke-dasharray="5 3""#,
                        svg::ACCENT
                    );
                    self.svg.circle(at, UNIT * 0.43, &style);
                }
                Manner::Note => {
                    let spot = [at[0] + UNIT * 0.34, at[1] - UNIT * 0.34];
                    let style = format!(r#"fill="{}""#, svg::FAINT);
                    let text = words::short(&mark.content, 3);
                    self.svg.text(spot, UNIT * 0.2, &text, &style);
                }
                _ => {}
            }
        }
        self.close(&id);
    }

    /// The bare cell.
    fn ground(&mut self, plan: &Plan, cell: usize, at: [f64; 2]) {
        let ground = plan.cells[cell].ground;
        let fill = if ground == Ground::Dark {
            svg::DARK
        } else {
            svg::LIGHT
        };
        if plan.look.wells {
            let half = UNIT / 2.0;
            let style = format!(r#"fill="{}""#, svg::WELL);
            self.svg.rect(
                [at[0] - half, at[1] - half],
                [UNIT + 0.5, UNIT + 0.5],
                &style,
            );
            self.svg
                .circle(at, UNIT * 0.4, &format!(r#"fill="{}""#, svg::PAPER));
            return;
        }
        let line = if plan.look.checkered {
            "none"
        } else {
            svg::FAINT
        };
        let style = format!(r#"fill="{fill}" stroke="{line}" stroke-width="1""#);
        self.shade(plan, at, &style);
    }

    /// The area of a cell.
    fn shade(&mut self, plan: &Plan, at: [f64; 2], style: &str) {
        match plan.kind {
            Kind::Hex => self.svg.polygon(&hexagon(at, UNIT / 2.0), style),
            Kind::Places | Kind::Graph => self.svg.circle(at, UNIT * 0.45, style),
            _ => {
                let half = UNIT / 2.0;
                let rounded = if plan.kind == Kind::Track {
                    r#"rx="8" "#
                } else {
                    ""
                };
                let inset = if plan.kind == Kind::Track { 2.0 } else { 0.0 };
                self.svg.rect(
                    [at[0] - half + inset, at[1] - half + inset],
                    [UNIT - 2.0 * inset, UNIT - 2.0 * inset],
                    &format!("{rounded}{style}"),
                );
            }
        }
    }

    /// What a cell is made of.
    fn floor(&mut self, mark: &Mark, at: [f64; 2]) {
        let glyph = self.glyph(mark);
        if let Figure::Text(text) = &glyph.figure {
            let spot = [at[0] - UNIT * 0.33, at[1] - UNIT * 0.31];
            let style = format!(r#"fill="{}""#, svg::INK);
            self.svg.text(spot, UNIT * 0.26, text, &style);
            return;
        }
        let (fill, ..) = svg::colours(glyph.paint);
        let half = UNIT * 0.46;
        let style = format!(r#"rx="4" fill="{fill}" fill-opacity=".45""#);
        self.svg.rect(
            [at[0] - half, at[1] - half],
            [2.0 * half, 2.0 * half],
            &style,
        );
    }

    /// The pieces of a cell: one in the middle, several side by side.
    fn pieces(&mut self, marks: &[&Mark], plan: &Plan, at: [f64; 2]) {
        let size = if plan.kind == Kind::Hex {
            UNIT * 0.92
        } else {
            UNIT
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
                    let spot = [at[0] + right * UNIT, at[1] + down * UNIT];
                    figure::draw(&mut self.svg, &glyph, spot, size * 0.52);
                }
            }
        }
    }

    /// Walls and signs at the side of a cell.
    fn edge(&mut self, mark: &Mark, at: [f64; 2]) {
        let half = UNIT / 2.0;
        match mark.manner {
            Manner::Wall(direction) => {
                let direction = match direction {
                    [0, 0] => glyph::direction(&words::words(&mark.content)),
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
            Manner::Sign([right, down], less) => {
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
                self.svg.text(spot, UNIT * 0.32, text, &style);
            }
            _ => {}
        }
    }

    /// Columns and rows that can be clicked as a whole.
    fn lines(&mut self, plan: &Plan, [left, top]: [f64; 2]) {
        for (axis, kind) in ["column", "row"].into_iter().enumerate() {
            let Some(place) = plan.axes[axis] else {
                continue;
            };
            let mut seen: FxHashSet<&String> = FxHashSet::default();
            let mut cells: Vec<&crate::model::Cell> = plan.cells.iter().collect();
            cells.sort_by(|a, b| a.point[axis].total_cmp(&b.point[axis]));
            for cell in cells {
                let value = &cell.name[place];
                let id = format!("{}:{kind}:{value}", plan.id);
                let (is_target, is_last) = (
                    self.targets.contains(id.as_str()),
                    self.last.contains(id.as_str()),
                );
                if !(is_target || is_last) || !seen.insert(value) {
                    continue;
                }
                let line = plan.cells.iter().filter(|cell| cell.name[place] == *value);
                let mut low = [f64::MAX; 2];
                let mut high = [f64::MIN; 2];
                for cell in line {
                    for axis in 0..2 {
                        low[axis] = low[axis].min(cell.point[axis] - 0.5);
                        high[axis] = high[axis].max(cell.point[axis] + 0.5);
                    }
                }
                let corner = [left + low[0] * UNIT, top + low[1] * UNIT];
                let size = [(high[0] - low[0]) * UNIT, (high[1] - low[1]) * UNIT];
                if is_last {
                    let style = format!(
                        r#"fill="none" stroke="{}" stroke-width="2" rx="6""#,
                        svg::ACCENT
                    );
                    self.svg.rect(corner, size, &style);
                }
                self.open(&id, &format!("{kind} {}", words::short(value, 20)));
                if is_target {
                    self.svg.rect(corner, size, r#"fill="transparent""#);
                }
                self.close(&id);
            }
        }
    }

    /// What is told beside the boards.
    fn chips(&self) -> Vec<Chip> {
        let mut chips = Vec::new();
        let role_glyph = |role: usize| Glyph {
            figure: Figure::Disc,
            paint: self.drawing.style.of_role(role),
        };
        let role_of = |name: &str| self.drawing.roles.iter().position(|role| role == name);
        for (number, (aside, facts)) in self
            .drawing
            .asides
            .iter()
            .zip(&self.sorted.asides)
            .enumerate()
        {
            for fact in facts {
                let leaf = |leaf: usize| fact.leaves.get(leaf).map_or("", String::as_str);
                match aside {
                    Aside::Control { .. } => chips.push(Chip {
                        glyph: role_of(leaf(0)).map(role_glyph),
                        text: format!("{} to move", words::capital(&words::spoken(leaf(0)))),
                        strong: true,
                        target: None,
                    }),
                    Aside::Counter {
                        title, role, value, ..
                    } => {
                        let role = role.and_then(|role| role_of(leaf(role)));
                        chips.push(Chip {
                            glyph: role.map(role_glyph),
                            text: format!("{title} {}", words::spoken(leaf(*value))),
                            strong: false,
                            target: None,
                        });
                    }
                    Aside::Hand {
                        title, role, item, ..
                    } => {
                        let content = content_of(&fact.leaves, item);
                        let owner = role.map(|role| words::spoken(leaf(role)));
                        chips.push(Chip {
                            glyph: Some(self.drawing.style.glyph(&content)),
                            text: match owner {
                                Some(owner) => format!("{owner}: {title}"),
                                None => title.clone(),
                            },
                            strong: false,
                            target: Some(format!("h{number}:{content}")),
                        });
                    }
                }
            }
        }
        chips.truncate(MAX_CHIPS);
        chips
    }

    /// Draws the chips and the table below the boards; gives the height of everything.
    fn strip(&mut self, chips: &[Chip], table: &[String], top: f64, width: f64) -> f64 {
        let (mut x, mut y) = (GAP, top);
        let mut any = false;
        for chip in chips {
            let room = text_width(&chip.text, 14.0, chip.strong)
                + if chip.glyph.is_some() { 46.0 } else { 22.0 };
            if x > GAP && x + room > width - GAP / 2.0 {
                x = GAP;
                y += LINE;
            }
            let id = chip.target.clone().unwrap_or_default();
            self.open(&id, &chip.text);
            let frame = format!(
                r#"rx="12" fill="{}" stroke="{}" stroke-width="{}""#,
                svg::PAPER,
                if chip.strong { svg::ACCENT } else { svg::FAINT },
                if chip.strong { 2 } else { 1 }
            );
            self.svg.rect([x, y], [room - 6.0, LINE - 6.0], &frame);
            let mut start = x + 8.0;
            if let Some(glyph) = &chip.glyph {
                figure::draw(&mut self.svg, glyph, [x + 15.0, y + LINE / 2.0 - 3.0], 22.0);
                start = x + 30.0;
            }
            let weight = if chip.strong {
                r#" font-weight="600""#
            } else {
                ""
            };
            let style = format!(r#"fill="{}" text-anchor="start"{weight}"#, svg::INK);
            self.svg
                .text([start, y + LINE / 2.0 - 3.0], 14.0, &chip.text, &style);
            self.close(&id);
            x += room;
            any = true;
        }
        if any {
            y += LINE + GAP / 2.0;
        }
        for line in table {
            let style = format!(r#"fill="{}" text-anchor="start""#, svg::INK);
            let most = ((width - 2.0 * GAP) / 7.6).max(10.0);
            #[allow(clippy::cast_sign_loss)]
            let text = words::short(line, most as usize);
            self.svg.text([GAP, y + 8.0], 14.0, &text, &style);
            y += 22.0;
        }
        if table.is_empty() { y } else { y + GAP }
    }
}

/// How many towers there may be, and how wide each is.
fn stack_size(plan: &Plan) -> (usize, f64) {
    let fixed = plan
        .cells
        .iter()
        .filter(|cell| cell.ground == Ground::Dark)
        .count();
    match fixed {
        0 if plan
            .layers
            .first()
            .is_some_and(|layer| layer.manner == Manner::Pile) =>
        {
            (1, UNIT * 5.0)
        }
        0 => (plan.cells.len(), UNIT * 1.2),
        fixed => (fixed, UNIT * 3.2),
    }
}

/// About how wide a text is.
fn text_width(text: &str, size: f64, strong: bool) -> f64 {
    let size = if strong { size * 1.1 } else { size };
    to_float(text.chars().count()) * size * 0.6
}

/// The corners of a hexagon with a corner at the top.
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

/// The picture in words, for those who cannot see it.
fn label(drawing: &Drawing, sorted: &Sorted) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (plan, marks) in drawing.plans.iter().zip(&sorted.marks) {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (cell, marks) in plan.cells.iter().zip(marks) {
            for mark in marks {
                let content = words::spoken(&mark.content);
                let name = cell.name.join(" ");
                match groups.iter_mut().find(|(known, _)| *known == content) {
                    Some((_, cells)) => cells.push(name),
                    None => groups.push((content, vec![name])),
                }
            }
        }
        let [columns, rows] = plan.size;
        parts.push(match plan.kind {
            Kind::Grid => format!("board of {columns} by {rows}"),
            _ => format!("{} with {} places", plan.title, plan.cells.len()),
        });
        for (content, cells) in groups.iter().take(20) {
            let shown: Vec<&str> = cells.iter().take(12).map(String::as_str).collect();
            let more = match cells.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            parts.push(format!("{content} at {}{more}", shown.join(", ")));
        }
    }
    for (aside, facts) in drawing.asides.iter().zip(&sorted.asides) {
        for fact in facts.iter().take(4) {
            let leaves: Vec<String> = fact.leaves.iter().map(|l| words::spoken(l)).collect();
            parts.push(match aside {
                Aside::Control { .. } => format!("{} to move", leaves.join(" ")),
                _ => format!("{} {}", words::spoken(&fact.name), leaves.join(" ")),
            });
        }
    }
    if parts.is_empty() {
        parts.push("no board".to_owned());
    }
    words::short(&words::capital(&parts.join("; ")), 2_000)
}
