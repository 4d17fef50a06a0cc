//! Moves as clicks: which terms of a move name cells, columns or things at hand.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::evidence::Evidence;
use crate::flat_term::FlatTerm;
use crate::model::{BoardLayout, LayoutKind, StatusItem};
use crate::names;
use crate::term_schema::TermSchema;

/// A move is at most so many clicks.
const MAX_CLICKS: usize = 3;

/// What a click of a move points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClickStep {
    /// The cell of a board named by some leaves, with the name of the role_position put in at a place where
    /// boards belong to roles.
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
    /// A thing at hand.
    Item { status: usize, leaf: usize },
}

/// By shape of a move, its clicks.
pub(crate) type ClickMap = FxHashMap<String, Vec<ClickStep>>;

/// Finds out how moves are clicked.
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

/// The groups of leaves that name cells in every move of the schema that was seen.
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

/// The place of a cell's name that is a role, where moves do not name it: everybody has a board.
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

/// A name with the name of a role put in.
fn with_role(name: &[String], place: Option<usize>, role: &str) -> Vec<String> {
    let mut name = name.to_vec();
    if let Some(place) = place {
        name.insert(place.min(name.len()), role.to_owned());
    }
    name
}

/// The board that a move belongs to by its name: `mark2` goes with `cell2`.
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

/// How many characters two names share at their ends.
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

/// LeafValues that name things at hand.
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

/// A move that names nothing but a column or a row, where playing it changed that line or where its
/// name says so.
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

/// Whether playing a move of the schema changed something in the line it names, nearly every time.
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

/// The different clicks of the moves of one shape, with and without those between the first and the
/// last.
#[derive(Default)]
struct Spread<'t> {
    ends: FxHashSet<Vec<String>>,
    whole: FxHashSet<&'t Vec<String>>,
}

/// The targets of every move, in the order of clicks. Middle cells are left out where first and
/// last say enough.
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

/// The id of what a step of a move points at.
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
