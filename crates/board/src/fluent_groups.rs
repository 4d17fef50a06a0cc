//! Boards whose cells are described by several fluents, each for one content: `(blank a)`, `(cross
//! b)`, or `(on 3)` and `(off 4)`.

use ludorum_games::CellBackground;
use rustc_hash::FxHashSet;

use crate::content::empty_contents;
use crate::evidence::Evidence;
use crate::evidence::GameContext;
use crate::glyph;
use crate::model::{BoardLayer, BoardLayout, Cell, DrawMode, EdgeLabel, LayoutKind, to_float};
use crate::names;
use crate::symbol_order;
use crate::term_schema::{TermSchema, ratio};
use crate::track::{empty_layout, row};

/// Number of cells of such a board.
const PLACES: std::ops::RangeInclusive<usize> = 3..=64;
/// Maximum number of boards side by side.
const MAX_PANELS: usize = 9;

/// Finds groups of schemas without a content whose leaves take the same values.
pub(crate) fn find(
    schemas: &[&TermSchema],
    context: &GameContext,
    evidence: &Evidence,
) -> Vec<BoardLayout> {
    let mut layouts = Vec::new();
    let mut done: FxHashSet<&str> = FxHashSet::default();
    for schema in schemas {
        if done.contains(schema.shape.as_str()) || !is_fit(schema, context) {
            continue;
        }
        let group: Vec<&TermSchema> = schemas
            .iter()
            .copied()
            .filter(|other| is_fit(other, context) && domains(other) == domains(schema))
            .collect();
        if group.len() < 2 {
            continue;
        }
        done.extend(group.iter().map(|schema| schema.shape.as_str()));
        if are_exclusive(&group) {
            layouts.extend(one_board(&group, context, evidence));
        } else if schema.arity == 1 {
            // The fluents are not exclusive: draw one row of cells for each.
            for schema in group.iter().take(6) {
                let names = sorted(schema.values(0), context);
                let mut layout = row(&names);
                layout.title = names::display_name(&schema.name);
                layout.labels.push(EdgeLabel {
                    text: names::truncate(&layout.title, 8),
                    at: [-0.9, 0.0],
                });
                layout.layers.push(layer(schema, evidence));
                layout.index();
                layouts.push(layout);
            }
        }
    }
    layouts
}

fn is_fit(schema: &TermSchema, context: &GameContext) -> bool {
    let roles = |leaf: usize| {
        schema
            .values(leaf)
            .iter()
            .any(|value| context.roles.contains(value))
    };
    (1..=2).contains(&schema.arity)
        && schema.max_facts() > 0
        && (0..schema.arity).all(|leaf| !roles(leaf))
        && (0..schema.arity).any(|leaf| PLACES.contains(&schema.values(leaf).len()))
        && (schema.arity == 2 || schema.seen[0].len() > 1)
        && !(schema.arity == 1
            && schema.max_facts() == 1
            && symbol_order::natural(schema.values(0)).is_some())
}

fn domains(schema: &TermSchema) -> Vec<Vec<&String>> {
    (0..schema.arity)
        .map(|leaf| {
            let mut values: Vec<&String> = schema.values(leaf).iter().collect();
            values.sort();
            values
        })
        .collect()
}

/// Whether no cell has two of the fluents in the same state.
fn are_exclusive(group: &[&TermSchema]) -> bool {
    let (mut facts, mut places) = (0, 0);
    for sample in 0..group[0].states.len() {
        let all: Vec<&Vec<String>> = group
            .iter()
            .filter_map(|schema| schema.states.get(sample))
            .flatten()
            .collect();
        facts += all.len();
        places += all.into_iter().collect::<FxHashSet<_>>().len();
    }
    ratio(places, facts) > 0.97
}

fn sorted(values: &[String], context: &GameContext) -> Vec<String> {
    context.chains.sorted_or_by_name(values)
}

fn layer(schema: &TermSchema, evidence: &Evidence) -> BoardLayer {
    let mut empty = empty_contents(schema, &[], evidence.roles);
    if glyph::is_blank(&schema.name) {
        empty.insert(String::new());
    }
    BoardLayer {
        shape: schema.shape.clone(),
        key: (0..schema.arity).collect(),
        content: Vec::new(),
        title: names::display_name(&schema.name),
        mode: DrawMode::Piece,
        empty,
    }
}

/// One board for all fluents: a square if the number of cells is a square number, otherwise a row.
fn one_board(
    group: &[&TermSchema],
    context: &GameContext,
    evidence: &Evidence,
) -> Option<BoardLayout> {
    let schema = group[0];
    let inner = (0..schema.arity).max_by_key(|leaf| schema.values(*leaf).len())?;
    let places = sorted(schema.values(inner), context);
    let panels = match schema.arity {
        2 => sorted(schema.values(1 - inner), context),
        _ => vec![String::new()],
    };
    if !PLACES.contains(&places.len()) || panels.len() > MAX_PANELS {
        return None;
    }
    let side = (3..=8).find(|side| side * side == places.len());
    let across = side.unwrap_or(places.len().min(12));
    let mut layout = empty_layout(if side.is_some() {
        LayoutKind::Grid
    } else {
        LayoutKind::Track
    });
    layout.size = [across, places.len().div_ceil(across)];
    layout.title = names::display_name(&schema.name);
    let height = if side.is_some() { 1.0 } else { 1.45 };
    for (p, panel) in panels.iter().enumerate() {
        let left = to_float(p) * (to_float(across) + 0.5);
        for (at, place) in places.iter().enumerate() {
            let point = [left + to_float(at % across), to_float(at / across) * height];
            let mut name = vec![String::new(); schema.arity];
            name[inner].clone_from(place);
            if schema.arity == 2 {
                name[1 - inner].clone_from(panel);
            }
            if side.is_none() {
                layout.labels.push(EdgeLabel {
                    text: names::truncate(&names::display_name(place), 9),
                    at: [point[0], point[1] + 0.7],
                });
            }
            layout.cells.push(Cell {
                name,
                point,
                ground: CellBackground::Plain,
            });
        }
        if panels.len() > 1 {
            layout.labels.push(EdgeLabel {
                text: names::truncate(&names::display_name(panel), 12),
                at: [left + to_float(across) / 2.0 - 0.5, -0.72],
            });
        }
    }
    layout.layers = group.iter().map(|schema| layer(schema, evidence)).collect();
    layout.index();
    Some(layout)
}
