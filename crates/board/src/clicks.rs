//! Mapping from moves to click targets: which terms of a move name cells, columns or items of a
//! hand.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::evidence::Evidence;
use crate::flat_term::FlatTerm;
use crate::model::{BoardLayout, LayoutKind, StatusItem};
use crate::names;
use crate::term_schema::TermSchema;

/// Maximum number of clicks of a move.
const MAX_CLICKS: usize = 3;

/// The target of one click of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClickStep {
    /// The cell named by some leaves. Where every role has a board of its own, `mover` is the
    /// position of the role in the name of the cell.
    Cell {
        layout: usize,
        leaves: Vec<usize>,
        role_position: Option<usize>,
    },
    /// A whole column (0) or row (1) of a board.
    Line {
        layout: usize,
        axis: usize,
        leaf: usize,
    },
    /// An item of a hand.
    Item { status: usize, leaf: usize },
}

/// The clicks of a move, by its shape.
pub(crate) type ClickMap = FxHashMap<String, Vec<ClickStep>>;

/// Determines the clicks of every schema of moves.
pub(crate) fn find(
    layouts: &[BoardLayout],
    statuses: &[StatusItem],
    evidence: &Evidence,
) -> ClickMap {
    let mut clicks = ClickMap::default();
    for schema in evidence.moves {
        let mut steps = cells(schema, layouts, evidence.roles);
        steps.extend(items(schema, statuses, evidence.schemas, &steps));
        steps.sort_by_key(|step| match step {
            ClickStep::Cell { leaves, .. } => leaves.first().copied().unwrap_or(0),
            ClickStep::Line { leaf, .. } | ClickStep::Item { leaf, .. } => *leaf,
        });
        if steps.is_empty() {
            steps.extend(line(schema, layouts, evidence));
        }
        if !steps.is_empty() {
            clicks.insert(schema.shape.clone(), steps);
        }
    }
    clicks
}

/// The groups of leaves that name a cell in every sampled move of the schema.
fn cells(schema: &TermSchema, layouts: &[BoardLayout], roles: &[String]) -> Vec<ClickStep> {
    let role_positions: Vec<Option<usize>> = layouts
        .iter()
        .map(|layout| role_position(layout, schema, roles))
        .collect();
    let size = |layout: usize| {
        let name = layouts[layout]
            .cells
            .first()
            .map_or(0, |cell| cell.name.len());
        name - usize::from(role_positions[layout].is_some())
    };
    let mut steps: Vec<ClickStep> = Vec::new();
    let mut at = 0;
    while at < schema.arity {
        let fitting: Vec<usize> = (0..layouts.len())
            .filter(|number| {
                let (layout, size) = (&layouts[*number], size(*number));
                let names = |leaves: &Vec<String>| {
                    let name =
                        with_role(&leaves[at..at + size], role_positions[*number], &roles[0]);
                    layout.find(&name).is_some()
                };
                size > 0
                    && at + size <= schema.arity
                    && schema.max_facts() > 0
                    && schema.all().all(names)
            })
            .collect();
        let chosen = match fitting[..] {
            [] => None,
            [layout] => Some(layout),
            _ => best_by_name(schema, layouts, &fitting).or_else(|| {
                let size = size(fitting[0]);
                let each = schema.arity == size * fitting.len();
                each.then(|| fitting[at / size])
            }),
        };
        match chosen {
            Some(layout) => {
                let size = size(layout);
                steps.push(ClickStep::Cell {
                    layout,
                    leaves: (at..at + size).collect(),
                    role_position: role_positions[layout],
                });
                at += size;
            }
            None => at += 1,
        }
    }
    steps
}

/// The position of the role within the name of a cell, for boards that belong to roles while moves
/// do not name the role.
fn role_position(layout: &BoardLayout, schema: &TermSchema, roles: &[String]) -> Option<usize> {
    let length = layout.cells.first()?.name.len();
    let named = schema
        .seen
        .iter()
        .flatten()
        .any(|value| roles.contains(value));
    let is_role = |place: &usize| {
        layout
            .cells
            .iter()
            .all(|cell| roles.contains(&cell.name[*place]))
    };
    (0..length).find(is_role).filter(|_| length > 1 && !named)
}

/// Inserts the role into the name of a cell.
fn with_role(name: &[String], place: Option<usize>, role: &str) -> Vec<String> {
    let mut name = name.to_vec();
    if let Some(place) = place {
        name.insert(place.min(name.len()), role.to_owned());
    }
    name
}

/// The board with the name most similar to that of the move: `mark2` belongs to `cell2`.
fn best_by_name(schema: &TermSchema, layouts: &[BoardLayout], fitting: &[usize]) -> Option<usize> {
    let mut best: Vec<(usize, usize)> = fitting
        .iter()
        .map(|layout| {
            let title = layouts[*layout].layers.first().map_or("", |layer| {
                let name = layer.shape.trim_start_matches('(');
                name.split(' ').next().unwrap_or("")
            });
            (common_affix(&schema.name, title), *layout)
        })
        .collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    match best[..] {
        [(first, layout), (second, _), ..] if first > second => Some(layout),
        _ => None,
    }
}

/// The length of the longest common prefix or suffix of two names.
fn common_affix(a: &str, b: &str) -> usize {
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b)
            .take_while(|(a, b)| a.eq_ignore_ascii_case(b))
            .count()
    };
    let front = common(&mut a.chars(), &mut b.chars());
    let back = common(&mut a.chars().rev(), &mut b.chars().rev());
    front.max(back)
}

/// Clicks for leaves that name items of a hand.
fn items(
    schema: &TermSchema,
    statuses: &[StatusItem],
    schemas: &[TermSchema],
    steps: &[ClickStep],
) -> Vec<ClickStep> {
    let mut found = Vec::new();
    for leaf in 0..schema.arity {
        let taken = steps.iter().any(|step| match step {
            ClickStep::Cell { leaves, .. } => leaves.contains(&leaf),
            _ => false,
        });
        if taken || schema.seen[leaf].is_empty() {
            continue;
        }
        for (number, status) in statuses.iter().enumerate() {
            if let StatusItem::Hand { shape, item, .. } = status
                && let [item] = item[..]
                && let Some(hand) = schemas.iter().find(|schema| schema.shape == *shape)
                && schema.seen[leaf]
                    .iter()
                    .all(|value| hand.values(item).contains(value))
            {
                found.push(ClickStep::Item {
                    status: number,
                    leaf,
                });
                break;
            }
        }
    }
    found
}

/// A click on a whole column or row, for moves that name nothing else. Either playing the move
/// changed that line, or the name of the move says so.
fn line(schema: &TermSchema, layouts: &[BoardLayout], evidence: &Evidence) -> Option<ClickStep> {
    if schema.arity != 1 || schema.max_facts() == 0 {
        return None;
    }
    let parts = names::split_words(&schema.name);
    let has = |word: &str| parts.iter().any(|part| part.starts_with(word));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (number, layout) in layouts.iter().enumerate() {
        let is_flat = layout
            .cells
            .first()
            .is_some_and(|cell| cell.name.len() == 2);
        if !is_flat || (layout.kind != LayoutKind::Grid && layout.kind != LayoutKind::Hex) {
            continue;
        }
        for axis in 0..2 {
            let Some(place) = layout.axes[axis] else {
                continue;
            };
            let values: FxHashSet<&String> = layout.cells.iter().map(|c| &c.name[place]).collect();
            let fits = schema.seen[0].iter().all(|value| values.contains(value));
            let called = if axis == 0 { has("col") } else { has("row") };
            let other = if axis == 0 { has("row") } else { has("col") };
            if fits && !other && (called || changes(schema, layout, place, evidence)) {
                found.push((number, axis));
            }
        }
    }
    let layout = match &found[..] {
        [] => return None,
        [(layout, _)] => *layout,
        [(layout, _), rest @ ..] if rest.iter().all(|(other, _)| other == layout) => *layout,
        _ => {
            let mut fitting: Vec<usize> = found.iter().map(|(layout, _)| *layout).collect();
            fitting.dedup();
            best_by_name(schema, layouts, &fitting)?
        }
    };
    let (_, axis) = found.into_iter().find(|(number, _)| *number == layout)?;
    Some(ClickStep::Line {
        layout,
        axis,
        leaf: 0,
    })
}

/// Whether playing a move of the schema changed a cell of the line that it names in at least 80 %
/// of the samples.
fn changes(schema: &TermSchema, layout: &BoardLayout, place: usize, evidence: &Evidence) -> bool {
    let mut played = 0;
    let mut changed = 0;
    for (sample, joint) in evidence.joints.iter().enumerate() {
        let (Some(joint), true) = (joint, sample > 0) else {
            continue;
        };
        for text in *joint {
            let term = FlatTerm::read(text);
            if term.shape != schema.shape {
                continue;
            }
            played += 1;
            changed += usize::from(layout.layers.iter().any(|layer| {
                let facts = evidence
                    .schemas
                    .iter()
                    .find(|schema| schema.shape == layer.shape);
                facts.is_some_and(|facts| {
                    let (before, now) = (&facts.states[sample - 1], &facts.states[sample]);
                    let leaf = layer.key.get(place).copied().unwrap_or(0);
                    now.iter()
                        .any(|fact| fact[leaf] == term.leaves[0] && !before.contains(fact))
                })
            }));
        }
    }
    played > 1 && 10 * changed >= 8 * played
}

/// The distinct click sequences of the moves of one shape, reduced to the first and last click and
/// complete.
#[derive(Default)]
struct Spread<'t> {
    ends: FxHashSet<Vec<String>>,
    whole: FxHashSet<&'t Vec<String>>,
}

/// The click targets of every move in order. Clicks between the first and the last one are left out
/// if these two identify the move.
pub(crate) fn targets(
    clicks: &ClickMap,
    layouts: &[BoardLayout],
    moves: &[String],
    role: &str,
) -> Vec<Vec<String>> {
    let full: Vec<(String, Vec<String>)> = moves
        .iter()
        .map(|text| {
            let term = FlatTerm::read(text);
            let targets = clicks.get(&term.shape).and_then(|steps| {
                steps
                    .iter()
                    .map(|step| target(step, layouts, &term, role))
                    .collect()
            });
            (term.shape, targets.unwrap_or_default())
        })
        .collect();
    let ends = |targets: &Vec<String>| match &targets[..] {
        [first, .., last] => vec![first.clone(), last.clone()],
        _ => targets.clone(),
    };
    let mut distinct: FxHashMap<&String, Spread> = FxHashMap::default();
    for (shape, targets) in &full {
        let entry = distinct.entry(shape).or_default();
        entry.ends.insert(ends(targets));
        entry.whole.insert(targets);
    }
    full.iter()
        .map(|(shape, targets)| {
            let enough = distinct
                .get(shape)
                .is_some_and(|spread| spread.ends.len() == spread.whole.len());
            let mut chosen = if enough {
                ends(targets)
            } else {
                targets.clone()
            };
            chosen.truncate(MAX_CLICKS);
            chosen
        })
        .collect()
}

/// The identifier of the target of a click.
fn target(
    step: &ClickStep,
    layouts: &[BoardLayout],
    term: &FlatTerm,
    role: &str,
) -> Option<String> {
    match step {
        ClickStep::Cell {
            layout,
            leaves,
            role_position,
        } => {
            let layout = &layouts[*layout];
            let name: Vec<String> = leaves
                .iter()
                .filter_map(|leaf| term.leaves.get(*leaf).cloned())
                .collect();
            let name = with_role(&name, *role_position, role);
            layout.find(&name)?;
            Some(format!("{}:{}", layout.id, name.join(",")))
        }
        ClickStep::Line { layout, axis, leaf } => {
            let line = if *axis == 0 { "column" } else { "row" };
            Some(format!(
                "{}:{line}:{}",
                layouts[*layout].id,
                term.leaves.get(*leaf)?
            ))
        }
        ClickStep::Item { status, leaf } => Some(format!("h{status}:{}", term.leaves.get(*leaf)?)),
    }
}
