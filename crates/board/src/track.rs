//! Boards whose cells have a single name: squares such as `a1`, rows of pits or heaps.

use std::collections::BTreeMap;

use ludorum_logic::{Domains, RelationClass, Rules};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::candidate::Context;
use crate::content::empties;
use crate::form::Form;
use crate::grid::Evidence;
use crate::hex::ROW as HEX_ROW;
use crate::model::{Cell, Ground, Kind, Label, Layer, Look, Manner, Plan, to_float};
use crate::words;

/// Tracks of more cells are not drawn.
const MAX_CELLS: usize = 400;
/// A row of more lamps is not drawn.
const MAX_LAMPS: usize = 40;
/// A track is broken into rows of so many cells.
const ROW: usize = 12;

/// Finds boards among forms that are no grids.
pub(crate) fn find(
    forms: &[&Form],
    context: &Context,
    evidence: &Evidence,
    rules: &Rules,
    domains: &Domains,
) -> Vec<Plan> {
    let mut plans: Vec<Plan> = Vec::new();
    for form in forms {
        let Some((leaf, kind)) = place(form, context) else {
            continue;
        };
        let layer = layer(form, leaf, evidence);
        let values: FxHashSet<&String> = form.values(leaf).iter().collect();
        // Forms that name the same places share a board.
        let home = plans.iter_mut().find(|plan| {
            plan.cells
                .iter()
                .filter(|cell| values.contains(&cell.name[0]))
                .count()
                * 2
                > values.len()
        });
        if let Some(plan) = home {
            plan.layers.push(layer);
            continue;
        }
        let names: Vec<String> = form.values(leaf).to_vec();
        let mut plan = match kind {
            Kind::Places => squares(&whole_board(&names, rules, domains)),
            _ => row(&context.chains.tidy(&names)),
        };
        plan.title = words::spoken(&form.name);
        plan.layers.push(layer);
        plan.index();
        plans.push(plan);
    }
    plans
}

pub(crate) fn layer(form: &Form, leaf: usize, evidence: &Evidence) -> Layer {
    let content: Vec<usize> = (0..form.arity).filter(|other| *other != leaf).collect();
    let title = words::spoken(&form.name);
    let mut empty = empties(form, &content, evidence.roles);
    if content.is_empty() && crate::glyph::is_blank(&form.name) {
        empty.insert(String::new());
    }
    Layer {
        shape: form.shape.clone(),
        key: vec![leaf],
        content,
        title,
        manner: Manner::Piece,
        empty,
    }
}

/// The leaf that names a place, and how these lie.
fn place(form: &Form, context: &Context) -> Option<(usize, Kind)> {
    if form.most() == 0 || form.arity == 0 || form.arity > 4 {
        return None;
    }
    for leaf in 0..form.arity {
        let values = form.values(leaf);
        if values.len() > MAX_CELLS || values.iter().all(|value| context.roles.contains(value)) {
            continue;
        }
        if are_squares(values) {
            return Some((leaf, Kind::Places));
        }
    }
    if form.arity == 1 {
        let parts = words::words(&form.name);
        let lamps = ["lit", "on", "light", "lights", "lamp", "shines", "off"];
        let is_row = (2..=MAX_LAMPS).contains(&form.values(0).len())
            && parts.iter().any(|part| lamps.contains(&part.as_str()));
        return is_row.then_some((0, Kind::Track));
    }
    if form.arity == 2 {
        let values = form.values(0);
        let is_track = (3..=MAX_CELLS).contains(&values.len())
            && form.keyness(&[0]) >= 1.0
            && form.is_total(0)
            && form.most() > 2
            && !values.iter().any(|value| context.roles.contains(value));
        return is_track.then_some((0, Kind::Track));
    }
    None
}

/// All squares of the board where only some can be reached: the most that some argument of a rigid
/// relation has besides these.
fn whole_board(names: &[String], rules: &Rules, domains: &Domains) -> Vec<String> {
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

/// A letter and a number.
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

pub(crate) fn blank(kind: Kind) -> Plan {
    Plan {
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
        look: Look::default(),
    }
}

fn cell(name: &str, point: [f64; 2]) -> Cell {
    Cell {
        name: vec![name.to_owned()],
        point,
        ground: Ground::Plain,
    }
}

/// Squares called by a letter and a number. Where the numbers of each letter begin at one and their
/// counts differ, each letter is a row in the middle, as in the star of Chinese checkers; else
/// letters run across and numbers up.
fn squares(names: &[String]) -> Plan {
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
        let mut plan = blank(Kind::Hex);
        plan.size = [longest, rows.len()];
        for (down, row) in rows.values().enumerate() {
            let indent = (to_float(longest) - to_float(row.len())) / 2.0;
            for (across, (_, name)) in row.iter().enumerate() {
                let x = indent + to_float(across);
                plan.cells.push(cell(name, [x, to_float(down) * HEX_ROW]));
            }
        }
        return plan;
    }
    let mut plan = blank(Kind::Grid);
    let mut numbers: Vec<i64> = rows.values().flatten().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    plan.size = [rows.len(), numbers.len()];
    let count: usize = rows.values().map(Vec::len).sum();
    // Squares that touch are a board with holes; else they are points far from each other.
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
        plan.kind = Kind::Places;
    }
    let y_of = |number: i64| {
        let at = numbers.iter().position(|n| *n == number).unwrap_or(0);
        to_float(numbers.len() - 1 - at)
    };
    for (across, (letter, row)) in rows.iter().enumerate() {
        for (number, name) in row {
            plan.cells
                .push(cell(name, [to_float(across), y_of(*number)]));
        }
        plan.labels.push(Label {
            text: letter.to_string(),
            at: [to_float(across), to_float(numbers.len()) - 0.18],
        });
    }
    for number in &numbers {
        plan.labels.push(Label {
            text: number.to_string(),
            at: [-0.82, y_of(*number)],
        });
    }
    plan
}

/// Cells in a row, each with its name below.
pub(crate) fn row(names: &[String]) -> Plan {
    let mut plan = blank(Kind::Track);
    let across = names.len().clamp(1, ROW);
    plan.size = [across, names.len().div_ceil(across)];
    for (at, name) in names.iter().enumerate() {
        let point = [to_float(at % across), to_float(at / across) * 1.45];
        plan.labels.push(Label {
            text: words::short(&words::spoken(name), 7),
            at: [point[0], point[1] + 0.7],
        });
        plan.cells.push(cell(name, point));
    }
    plan
}
