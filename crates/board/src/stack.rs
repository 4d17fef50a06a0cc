//! Stacks: towers of blocks, discs on pegs, and piles that a single fact lists from top to bottom.

use ludorum_games::CellBackground;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::evidence::GameContext;
use crate::model::{BoardLayer, BoardLayout, Cell, DrawMode, LayoutKind};
use crate::names;
use crate::term_schema::TermSchema;
use crate::track::empty_layout;

/// Maximum number of objects.
const MAX_THINGS: usize = 40;

/// Finds stacks and adds all schemas that they show as layers.
pub(crate) fn find(schemas: &[&TermSchema], context: &GameContext) -> Vec<BoardLayout> {
    let mut layouts: Vec<BoardLayout> = Vec::new();
    for schema in schemas {
        let layout = tower(schema, context).or_else(|| pile(schema, context));
        let Some(mut layout) = layout else { continue };
        // Facts such as `clear` or `ontable` follow from the drawing of the stack.
        let names: FxHashSet<&String> = layout.cells.iter().map(|cell| &cell.name[0]).collect();
        let silent: Vec<BoardLayer> = schemas
            .iter()
            .filter(|other| {
                let is_state = ["clear", "table", "top", "free", "ontable"]
                    .iter()
                    .any(|word| other.name.starts_with(word));
                other.arity == 1
                    && is_state
                    && suffix(&other.name) == suffix(&schema.name)
                    && other.seen[0].iter().all(|value| names.contains(value))
            })
            .map(|other| layer(other, DrawMode::Silent, vec![0]))
            .collect();
        layout.layers.extend(silent);
        layout.title = names::display_name(&schema.name);
        layout.index();
        layouts.push(layout);
    }
    layouts
}

/// The digits at the end of a name: `on2` belongs to `clear2`.
fn suffix(name: &str) -> &str {
    &name[name.trim_end_matches(|c: char| c.is_ascii_digit()).len()..]
}

fn layer(schema: &TermSchema, mode: DrawMode, key: Vec<usize>) -> BoardLayer {
    BoardLayer {
        shape: schema.shape.clone(),
        key,
        content: Vec::new(),
        title: names::display_name(&schema.name),
        mode,
        empty: FxHashSet::default(),
    }
}

/// `(on object support)`: each object has one support, which is another object or a fixed base.
fn tower(schema: &TermSchema, context: &GameContext) -> Option<BoardLayout> {
    let parts = names::split_words(&schema.name);
    let is_called = parts.iter().any(|part| {
        ["on", "above", "over", "stacked"]
            .contains(&part.trim_end_matches(|c: char| c.is_ascii_digit()))
    });
    if schema.arity != 2 || !is_called || schema.max_facts() == 0 {
        return None;
    }
    // The object is the leaf whose value occurs once in a state. If both leaves have that property,
    // as in towers of blocks, it is the one that never names the table.
    let within = |leaf: usize| {
        let others = schema.values(1 - leaf);
        schema
            .values(leaf)
            .iter()
            .all(|value| others.contains(value))
    };
    let order = if within(1) && !within(0) {
        [1, 0]
    } else {
        [0, 1]
    };
    let mut order = order.into_iter();
    let thing = order.find(|leaf| schema.key_ratio(&[*leaf]) >= 1.0)?;
    let support = 1 - thing;
    let is_table = |value: &&String| ["table", "floor", "ground"].contains(&value.as_str());
    let things: FxHashSet<&String> = schema
        .values(thing)
        .iter()
        .filter(|value| !is_table(value))
        .collect();
    let mut fixed: Vec<String> = schema
        .values(support)
        .iter()
        .filter(|value| !things.contains(value))
        .cloned()
        .collect();
    let is_tower = schema
        .values(support)
        .iter()
        .any(|value| things.contains(value));
    let count = things.len() + fixed.len();
    if !(3..=MAX_THINGS).contains(&count) || (!is_tower && !(2..=6).contains(&fixed.len())) {
        return None;
    }
    // A single base that supports any number of objects is a table and not a peg.
    let table = (is_tower && fixed.len() == 1).then(|| fixed.remove(0));
    let fixed = context.chains.sorted_or_by_name(&fixed);
    let names: Vec<String> = things.into_iter().cloned().collect();
    let names = context.chains.sorted_or_by_name(&names);
    let mut layout = empty_layout(LayoutKind::Stacks);
    layout.size = [fixed.len().max(1), names.len()];
    for (ground, name) in names
        .iter()
        .map(|name| (CellBackground::Plain, name))
        .chain(fixed.iter().map(|name| (CellBackground::Dark, name)))
    {
        layout.cells.push(Cell {
            name: vec![name.clone()],
            point: [0.0, 0.0],
            ground,
        });
    }
    // The table is not an object, but it can be clicked.
    layout.cells.extend(table.iter().map(|table| Cell {
        name: vec![table.clone()],
        point: [0.0, 0.0],
        ground: CellBackground::Hole,
    }));
    let mut on = layer(schema, DrawMode::On, vec![thing, support]);
    on.empty.extend(table);
    layout.layers.push(on);
    Some(layout)
}

/// `(order p3 p1 p2)`: one fact lists a whole pile.
fn pile(schema: &TermSchema, context: &GameContext) -> Option<BoardLayout> {
    if !(3..=16).contains(&schema.arity) || schema.max_facts() != 1 {
        return None;
    }
    let all: FxHashSet<&String> = schema.seen.iter().flatten().collect();
    let is_permutation = schema.all().all(|fact| {
        let distinct: FxHashSet<&String> = fact.iter().collect();
        distinct.len() == schema.arity
    });
    if all.len() != schema.arity || !is_permutation {
        return None;
    }
    let mut names: Vec<String> = all.into_iter().cloned().collect();
    names.sort();
    let names = context.chains.sorted(&names)?;
    let mut layout = empty_layout(LayoutKind::Stacks);
    layout.size = [1, schema.arity];
    layout.cells = names
        .iter()
        .map(|name| Cell {
            name: vec![name.clone()],
            point: [0.0, 0.0],
            ground: CellBackground::Plain,
        })
        .collect();
    layout
        .layers
        .push(layer(schema, DrawMode::Pile, (0..schema.arity).collect()));
    Some(layout)
}

/// The column of each object of a stack, and the number of objects below it.
pub(crate) fn tower_positions(
    layout: &BoardLayout,
    pairs: &[(usize, usize)],
) -> Vec<Option<(usize, usize)>> {
    let support: FxHashMap<usize, usize> = pairs.iter().copied().collect();
    let mut columns: Vec<usize> = Vec::new();
    let is_fixed = |cell: usize| layout.cells[cell].ground == CellBackground::Dark;
    columns.extend((0..layout.cells.len()).filter(|cell| is_fixed(*cell)));
    let roots: Vec<Option<usize>> = (0..layout.cells.len())
        .map(|cell| {
            let mut at = cell;
            // The bound ends the loop if the supports form a cycle.
            for _ in 0..=layout.cells.len() {
                match support.get(&at) {
                    Some(below) => at = *below,
                    None => return Some(at),
                }
            }
            None
        })
        .collect();
    let is_table = |cell: usize| layout.cells[cell].ground == CellBackground::Hole;
    for root in roots.iter().flatten() {
        if !columns.contains(root) && !is_table(*root) {
            columns.push(*root);
        }
    }
    columns.sort_unstable();
    let mut placed: Vec<Option<(usize, usize)>> = vec![None; layout.cells.len()];
    for (column, root) in columns.iter().enumerate() {
        let base = usize::from(!is_fixed(*root));
        let mut level = vec![*root];
        let mut height = 0;
        placed[*root] = Some((column, 0));
        // Objects on one peg without an order are sorted by size, the largest at the bottom.
        while !level.is_empty() && height <= layout.cells.len() {
            let mut above: Vec<usize> = pairs
                .iter()
                .filter(|(thing, below)| level.contains(below) && placed[*thing].is_none())
                .map(|(thing, _)| *thing)
                .collect();
            above.sort_unstable_by(|a, b| b.cmp(a));
            for thing in &above {
                placed[*thing] = Some((column, height + base));
                height += 1;
            }
            level = above;
        }
    }
    placed
}
