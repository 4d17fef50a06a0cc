//! Boards whose cells have a single name: squares such as `a1`, and rows of pits, heaps or
//! switches.

use ludorum_games::CellBackground;
use std::collections::BTreeMap;

use ludorum_logic::{Domains, RelationClass, Rules};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::content::empty_contents;
use crate::evidence::Evidence;
use crate::evidence::GameContext;
use crate::hex::ROW_HEIGHT as HEX_ROW;
use crate::model::{
    BoardLayer, BoardLayout, Cell, CellPattern, DrawMode, EdgeLabel, LayoutKind, to_float,
};
use crate::names;
use crate::term_schema::TermSchema;

/// Maximum number of cells of a track.
const MAX_CELLS: usize = 400;
/// Maximum number of switches in a row.
const MAX_SWITCHES: usize = 40;
/// Number of cells in one row of a track.
const ROW_LENGTH: usize = 12;

/// Finds tracks and boards of named squares among the remaining schemas.
pub(crate) fn find(
    schemas: &[&TermSchema],
    context: &GameContext,
    evidence: &Evidence,
    rules: &Rules,
    domains: &Domains,
) -> Vec<BoardLayout> {
    let mut layouts: Vec<BoardLayout> = Vec::new();
    for schema in schemas {
        let Some((leaf, kind)) = place(schema, context) else {
            continue;
        };
        let layer = layer(schema, leaf, evidence);
        let values: FxHashSet<&String> = schema.values(leaf).iter().collect();
        // Schemas with the same cells share a board.
        let home = layouts.iter_mut().find(|layout| {
            layout
                .cells
                .iter()
                .filter(|cell| values.contains(&cell.name[0]))
                .count()
                * 2
                > values.len()
        });
        if let Some(layout) = home {
            layout.layers.push(layer);
            continue;
        }
        let names: Vec<String> = schema.values(leaf).to_vec();
        let mut layout = match kind {
            LayoutKind::Places => squares(&all_squares(&names, rules, domains)),
            _ => row(&context.chains.sorted_or_by_name(&names)),
        };
        layout.title = names::display_name(&schema.name);
        layout.layers.push(layer);
        layout.index();
        layouts.push(layout);
    }
    layouts
}

pub(crate) fn layer(schema: &TermSchema, leaf: usize, evidence: &Evidence) -> BoardLayer {
    let content: Vec<usize> = (0..schema.arity).filter(|other| *other != leaf).collect();
    let title = names::display_name(&schema.name);
    let mut empty = empty_contents(schema, &content, evidence.roles);
    if content.is_empty() && crate::glyph::is_blank(&schema.name) {
        empty.insert(String::new());
    }
    BoardLayer {
        shape: schema.shape.clone(),
        key: vec![leaf],
        content,
        title,
        mode: DrawMode::Piece,
        empty,
    }
}

/// The leaf that names a cell, and the arrangement of the cells.
fn place(schema: &TermSchema, context: &GameContext) -> Option<(usize, LayoutKind)> {
    if schema.max_facts() == 0 || schema.arity == 0 || schema.arity > 4 {
        return None;
    }
    for leaf in 0..schema.arity {
        let values = schema.values(leaf);
        if values.len() > MAX_CELLS || values.iter().all(|value| context.roles.contains(value)) {
            continue;
        }
        if are_squares(values) {
            return Some((leaf, LayoutKind::Places));
        }
    }
    if schema.arity == 1 {
        let parts = names::split_words(&schema.name);
        let switches = ["lit", "on", "light", "lights", "lamp", "shines", "off"];
        let is_row = (2..=MAX_SWITCHES).contains(&schema.values(0).len())
            && parts.iter().any(|part| switches.contains(&part.as_str()));
        return is_row.then_some((0, LayoutKind::Track));
    }
    if schema.arity == 2 {
        let values = schema.values(0);
        let is_track = (3..=MAX_CELLS).contains(&values.len())
            && schema.key_ratio(&[0]) >= 1.0
            && schema.has_constant_values(0)
            && schema.max_facts() > 2
            && !values.iter().any(|value| context.roles.contains(value));
        return is_track.then_some((0, LayoutKind::Track));
    }
    None
}

/// All squares of the board if only some of them can be reached: the largest superset that is the
/// domain of an argument of a rigid relation.
fn all_squares(names: &[String], rules: &Rules, domains: &Domains) -> Vec<String> {
    let mut best = names.to_vec();
    for (id, relation) in rules.relations() {
        if relation.class != RelationClass::Rigid || relation.arity > 4 {
            continue;
        }
        for place in 0..relation.arity {
            let constants = domains.constants(domains.argument(id, place));
            let values: Vec<String> = constants
                .map(|symbol| rules.terms.symbols.name(symbol).to_owned())
                .collect();
            if values.len() > best.len()
                && values.len() <= (3 * names.len()).min(MAX_CELLS)
                && values.iter().all(|value| square(value).is_some())
                && names.iter().all(|name| values.contains(name))
            {
                best = values;
            }
        }
    }
    best
}

/// Parses a letter followed by a number.
fn square(name: &str) -> Option<(char, i64)> {
    let mut chars = name.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let number = chars
        .as_str()
        .parse()
        .ok()
        .filter(|n| (0..100).contains(n))?;
    Some((letter.to_ascii_lowercase(), number))
}

fn are_squares(values: &[String]) -> bool {
    let squares: Vec<(char, i64)> = values.iter().filter_map(|value| square(value)).collect();
    let letters: FxHashSet<char> = squares.iter().map(|(letter, _)| *letter).collect();
    let numbers: FxHashSet<i64> = squares.iter().map(|(_, number)| *number).collect();
    values.len() >= 6
        && squares.len() * 10 >= values.len() * 9
        && letters.len() >= 3
        && numbers.len() >= 2
}

pub(crate) fn empty_layout(kind: LayoutKind) -> BoardLayout {
    BoardLayout {
        id: String::new(),
        title: String::new(),
        kind,
        cells: Vec::new(),
        lookup: FxHashMap::default(),
        layers: Vec::new(),
        labels: Vec::new(),
        links: Vec::new(),
        size: [0, 0],
        axes: [None, None],
        pattern: CellPattern::default(),
    }
}

fn cell(name: &str, point: [f64; 2]) -> Cell {
    Cell {
        name: vec![name.to_owned()],
        point,
        ground: CellBackground::Plain,
    }
}

/// The layout of squares that are named by a letter and a number. If the numbers of each letter
/// start at one and their counts differ, each letter is a centred row, as in the star of Chinese
/// checkers. Otherwise letters are columns and numbers rows, counted upwards.
fn squares(names: &[String]) -> BoardLayout {
    let mut rows: BTreeMap<char, Vec<(i64, &String)>> = BTreeMap::new();
    for name in names {
        if let Some((letter, number)) = square(name) {
            rows.entry(letter).or_default().push((number, name));
        }
    }
    for row in rows.values_mut() {
        row.sort();
    }
    let whole = |row: &Vec<(i64, &String)>| {
        let from = row.first().map_or(0, |(number, _)| *number);
        from <= 1
            && row
                .iter()
                .zip(from..)
                .all(|((number, _), expected)| *number == expected)
    };
    let lengths: FxHashSet<usize> = rows.values().map(Vec::len).collect();
    let longest = rows.values().map(Vec::len).max().unwrap_or(0);
    if rows.values().all(whole) && lengths.len() > 1 {
        let mut layout = empty_layout(LayoutKind::Hex);
        layout.size = [longest, rows.len()];
        for (down, row) in rows.values().enumerate() {
            let indent = (to_float(longest) - to_float(row.len())) / 2.0;
            for (across, (_, name)) in row.iter().enumerate() {
                let x = indent + to_float(across);
                layout.cells.push(cell(name, [x, to_float(down) * HEX_ROW]));
            }
        }
        return layout;
    }
    let mut layout = empty_layout(LayoutKind::Grid);
    let mut numbers: Vec<i64> = rows.values().flatten().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    layout.size = [rows.len(), numbers.len()];
    let count: usize = rows.values().map(Vec::len).sum();
    // Adjacent squares are a board with holes; otherwise they are points at a distance.
    let exists = |letter: char, number: i64| {
        let row = rows.get(&letter);
        row.is_some_and(|row| row.iter().any(|(known, _)| *known == number))
    };
    let touching = rows
        .iter()
        .flat_map(|(letter, row)| row.iter().map(|(number, _)| (*letter, *number)))
        .filter(|(letter, number)| {
            let beside = (u32::from(*letter) + 1).try_into().unwrap_or(*letter);
            exists(beside, *number) || exists(*letter, number + 1)
        })
        .count();
    if 4 * count < 3 * rows.len() * numbers.len() && 2 * touching < count {
        layout.kind = LayoutKind::Places;
    }
    let y_of = |number: i64| {
        let at = numbers.iter().position(|n| *n == number).unwrap_or(0);
        to_float(numbers.len() - 1 - at)
    };
    for (across, (letter, row)) in rows.iter().enumerate() {
        for (number, name) in row {
            layout
                .cells
                .push(cell(name, [to_float(across), y_of(*number)]));
        }
        layout.labels.push(EdgeLabel {
            text: letter.to_string(),
            at: [to_float(across), to_float(numbers.len()) - 0.18],
        });
    }
    for number in &numbers {
        layout.labels.push(EdgeLabel {
            text: number.to_string(),
            at: [-0.82, y_of(*number)],
        });
    }
    layout
}

/// Cells in rows, each with its name below.
pub(crate) fn row(names: &[String]) -> BoardLayout {
    let mut layout = empty_layout(LayoutKind::Track);
    let across = names.len().clamp(1, ROW_LENGTH);
    layout.size = [across, names.len().div_ceil(across)];
    for (at, name) in names.iter().enumerate() {
        let point = [to_float(at % across), to_float(at / across) * 1.45];
        layout.labels.push(EdgeLabel {
            text: names::truncate(&names::display_name(name), 7),
            at: [point[0], point[1] + 0.7],
        });
        layout.cells.push(cell(name, point));
    }
    layout
}
