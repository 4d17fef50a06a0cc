//! Hexagonal boards, recognised by a relation between neighbours or by the outline of the board.

use ludorum_games::CellBackground;
use rustc_hash::{FxHashMap, FxHashSet};

use ludorum_logic::{Domains, Rules};

use crate::model::{BoardLayout, EdgeLabel, LayoutKind, to_float};
use crate::names;
use crate::rigid_relations::RigidRelations;

/// Vertical distance of two rows of hexagons that are 1 wide: sin 60°.
pub(crate) const ROW_HEIGHT: f64 = 0.866;

/// Makes a grid hexagonal if the rules or the outline say so.
pub(crate) fn make_hexagonal(
    layout: &mut BoardLayout,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) {
    let ([Some(column), Some(row)], LayoutKind::Grid) = (layout.axes, layout.kind) else {
        return;
    };
    if layout.cells.first().is_none_or(|cell| cell.name.len() != 2) || center_rows(layout) {
        return;
    }
    let slant = by_neighbours(layout, rules, domains, rigid).or_else(|| by_outline(layout));
    let Some(slant) = slant else { return };
    let rank = |place: usize| -> FxHashMap<String, usize> {
        let axis = usize::from(layout.axes[1] == Some(place));
        let mut values: Vec<(f64, &String)> = layout
            .cells
            .iter()
            .map(|cell| (cell.point[axis], &cell.name[place]))
            .collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
        values.dedup_by(|a, b| a.1 == b.1);
        let names = values.into_iter().map(|(_, name)| name.clone());
        names.enumerate().map(|(at, name)| (name, at)).collect()
    };
    let (columns, rows) = (rank(column), rank(row));
    // The slant refers to the order of names. On the screen, the rows may be in reverse order.
    let flips = is_flipped(layout, column, 0) != is_flipped(layout, row, 1);
    let lean = if slant == flips { -0.5 } else { 0.5 };
    let start = if lean < 0.0 {
        to_float(rows.len().saturating_sub(1)) * 0.5
    } else {
        0.0
    };
    for cell in &mut layout.cells {
        let x = columns
            .get(&cell.name[column])
            .map_or(0.0, |at| to_float(*at));
        let y = rows.get(&cell.name[row]).map_or(0.0, |at| to_float(*at));
        cell.point = [x + lean * y + start, y * ROW_HEIGHT];
    }
    layout.kind = LayoutKind::Hex;
    layout.labels.clear();
    for (name, at) in &rows {
        let y = to_float(*at);
        let line = layout
            .cells
            .iter()
            .filter(|c| c.name[row] == *name && c.ground != CellBackground::Hole);
        let left = line.map(|cell| cell.point[0]).fold(f64::MAX, f64::min);
        layout.labels.push(EdgeLabel {
            text: names::truncate(name, 4),
            at: [left - 0.8, y * ROW_HEIGHT],
        });
    }
    for name in columns.keys() {
        let line = layout
            .cells
            .iter()
            .filter(|c| c.name[column] == *name && c.ground != CellBackground::Hole);
        let top = line.min_by(|a, b| a.point[1].total_cmp(&b.point[1]));
        if let Some(cell) = top {
            layout.labels.push(EdgeLabel {
                text: names::truncate(name, 4),
                at: [cell.point[0] - lean, cell.point[1] - 0.82],
            });
        }
    }
    layout.labels.sort_by(|a, b| a.text.cmp(&b.text));
}

/// Whether the first name of an axis is at its far end.
fn is_flipped(layout: &BoardLayout, place: usize, axis: usize) -> bool {
    let names: Vec<String> = layout
        .cells
        .iter()
        .map(|cell| cell.name[place].clone())
        .collect();
    let mut distinct = names;
    distinct.sort();
    distinct.dedup();
    let Some(sorted) = crate::symbol_order::natural(&distinct) else {
        return false;
    };
    let at = |name: Option<&String>| {
        let cell = layout
            .cells
            .iter()
            .find(|cell| Some(&cell.name[place]) == name);
        cell.map_or(0.0, |cell| cell.point[axis])
    };
    at(sorted.first()) > at(sorted.last())
}

/// Searches for a relation between two cells that connects each with six others. True if the third
/// pair of neighbours is on the diagonal where one coordinate grows while the other one shrinks.
fn by_neighbours(
    layout: &BoardLayout,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) -> Option<bool> {
    let mut sides: Vec<Vec<String>> = Vec::new();
    for place in 0..2 {
        let mut values: Vec<String> = layout.cells.iter().map(|c| c.name[place].clone()).collect();
        values.sort();
        values.dedup();
        sides.push(crate::symbol_order::natural(&values).unwrap_or(values));
    }
    for (id, relation) in rules.relations() {
        if relation.arity != 4 {
            continue;
        }
        let speaks_of_cells = (0..4).all(|place| {
            let domain = domains.argument(id, place);
            let mut known = domains.constants(domain).peekable();
            known.peek().is_some()
                && domains
                    .constants(domain)
                    .filter(|symbol| {
                        let name = rules.terms.symbols.name(*symbol);
                        sides[place % 2].iter().any(|value| value == name)
                    })
                    .count()
                    * 2
                    > sides[place % 2].len()
        });
        if !speaks_of_cells {
            continue;
        }
        if let Some(tuples) = rigid.tuples(id)
            && let Some(slant) = six_neighbours(&tuples, &sides)
        {
            return Some(slant);
        }
    }
    None
}

/// Whether pairs of cells are the six neighbours on a hexagonal board, and on which diagonal.
fn six_neighbours(tuples: &[Vec<String>], sides: &[Vec<String>]) -> Option<bool> {
    let rank: Vec<FxHashMap<&str, i64>> = sides
        .iter()
        .map(|side| side.iter().map(String::as_str).zip(0..).collect())
        .collect();
    let mut steps: FxHashSet<(i64, i64)> = FxHashSet::default();
    for tuple in tuples {
        let at = |place: usize| rank[place % 2].get(tuple[place].as_str()).copied();
        let (Some(a), Some(b), Some(c), Some(d)) = (at(0), at(1), at(2), at(3)) else {
            continue;
        };
        let (mut dx, mut dy) = (c - a, d - b);
        if dx < 0 || (dx == 0 && dy < 0) {
            (dx, dy) = (-dx, -dy);
        }
        steps.insert((dx, dy));
    }
    let falling = [(1, 0), (0, 1), (1, -1)].into_iter().collect();
    let rising = [(1, 0), (0, 1), (1, 1)].into_iter().collect();
    if steps == falling {
        Some(true)
    } else if steps == rising {
        Some(false)
    } else {
        None
    }
}

/// Recognises a hexagon by its outline: a grid without two opposite triangular corners.
fn by_outline(layout: &BoardLayout) -> Option<bool> {
    let [columns, rows] = layout.size;
    if columns < 4 || rows < 4 {
        return None;
    }
    let (w, h) = (to_float(columns) - 1.0, to_float(rows) - 1.0);
    // The distance of a point from the corners top left and bottom right, and from the two other
    // corners.
    let main = |[x, y]: [f64; 2]| (x + y).min(w - x + h - y);
    let other = |[x, y]: [f64; 2]| (w - x + y).min(x + h - y);
    let is_cut = |distance: &dyn Fn([f64; 2]) -> f64| {
        let near = layout
            .cells
            .iter()
            .filter(|cell| distance(cell.point) <= 1.0);
        near.into_iter()
            .all(|cell| cell.ground == CellBackground::Hole)
    };
    let upright = is_flipped(layout, layout.axes[0]?, 0) == is_flipped(layout, layout.axes[1]?, 1);
    match (is_cut(&main), is_cut(&other)) {
        (true, false) => Some(upright),
        (false, true) => Some(!upright),
        _ => None,
    }
}

/// Recognises a hexagon whose lines all start at one side and differ by one cell: each line becomes
/// a centred row. The missing cells are removed.
pub(crate) fn center_rows(layout: &mut BoardLayout) -> bool {
    let holes = layout
        .cells
        .iter()
        .any(|cell| cell.ground == CellBackground::Hole);
    if layout.kind != LayoutKind::Grid || !holes {
        return false;
    }
    let Some((axis, lines)) = (0..2).find_map(|axis| Some((axis, ragged_lines(layout, axis)?)))
    else {
        return false;
    };
    let Some(place) = layout.axes[axis] else {
        return false;
    };
    let longest = lines
        .iter()
        .map(|(_, cells)| cells.len())
        .max()
        .unwrap_or(0);
    layout.labels.clear();
    let mut points: Vec<Option<[f64; 2]>> = vec![None; layout.cells.len()];
    for (down, (_, cells)) in lines.iter().enumerate() {
        let indent = (to_float(longest) - to_float(cells.len())) / 2.0;
        let y = to_float(down) * ROW_HEIGHT;
        for (along, cell) in cells.iter().enumerate() {
            points[*cell] = Some([indent + to_float(along), y]);
        }
        if let Some(cell) = cells.first() {
            layout.labels.push(EdgeLabel {
                text: names::truncate(&layout.cells[*cell].name[place], 4),
                at: [indent - 0.8, y],
            });
        }
    }
    let cells = std::mem::take(&mut layout.cells);
    for (mut cell, point) in cells.into_iter().zip(points) {
        if let Some(point) = point {
            cell.point = point;
            layout.cells.push(cell);
        }
    }
    layout.size = [longest, lines.len()];
    layout.kind = LayoutKind::Hex;
    layout.index();
    true
}

/// A line of a board: its coordinate and its cells.
type Line = (f64, Vec<usize>);

/// The lines along an axis, if all start or all end at the same coordinate and successive lengths
/// differ by one.
fn ragged_lines(layout: &BoardLayout, axis: usize) -> Option<Vec<Line>> {
    let mut lines: Vec<Line> = Vec::new();
    let mut order: Vec<usize> = (0..layout.cells.len()).collect();
    let along = |cell: &usize| layout.cells[*cell].point[1 - axis];
    order.sort_by(|a, b| along(a).total_cmp(&along(b)));
    for cell in order {
        if layout.cells[cell].ground == CellBackground::Hole {
            continue;
        }
        let at = layout.cells[cell].point[axis];
        match lines.iter_mut().find(|(line, _)| (line - at).abs() < 0.1) {
            Some((_, cells)) => cells.push(cell),
            None => lines.push((at, vec![cell])),
        }
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let grows = |pair: &[Line]| pair[0].1.len().abs_diff(pair[1].1.len()) == 1;
    let span = |cells: &[usize]| {
        let (from, to) = (along(&cells[0]), along(&cells[cells.len() - 1]));
        (to - from + 1.0 - to_float(cells.len())).abs() < 0.1
    };
    let starts = |end: &dyn Fn(&[usize]) -> f64| {
        let first = end(&lines[0].1);
        lines
            .iter()
            .all(|(_, cells)| (end(cells) - first).abs() < 0.1)
    };
    let is_ragged = lines.len() >= 4
        && lines.windows(2).all(grows)
        && lines.iter().all(|(_, cells)| span(cells))
        && (starts(&|cells| along(&cells[0])) || starts(&|cells| along(&cells[cells.len() - 1])));
    is_ragged.then_some(lines)
}
