//! Moves as clicks: which terms of a move name cells, columns or things at hand.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::form::Form;
use crate::grid::Evidence;
use crate::model::{Aside, Kind, Plan};
use crate::term::Term;
use crate::words;

/// A move is at most so many clicks.
const MAX_CLICKS: usize = 3;

/// What a click of a move points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The cell of a board named by some leaves, with the name of the mover put in at a place where
    /// boards belong to roles.
    Cell {
        plan: usize,
        leaves: Vec<usize>,
        mover: Option<usize>,
    },
    /// A whole column (0) or row (1) of a board.
    Line {
        plan: usize,
        axis: usize,
        leaf: usize,
    },
    /// A thing at hand.
    Item { aside: usize, leaf: usize },
}

/// By shape of a move, its clicks.
pub(crate) type Clicks = FxHashMap<String, Vec<Step>>;

/// Finds out how moves are clicked.
pub(crate) fn find(plans: &[Plan], asides: &[Aside], evidence: &Evidence) -> Clicks {
    let mut clicks = Clicks::default();
    for form in evidence.moves {
        let mut steps = cells(form, plans, evidence.roles);
        steps.extend(items(form, asides, evidence.forms, &steps));
        steps.sort_by_key(|step| match step {
            Step::Cell { leaves, .. } => leaves.first().copied().unwrap_or(0),
            Step::Line { leaf, .. } | Step::Item { leaf, .. } => *leaf,
        });
        if steps.is_empty() {
            steps.extend(line(form, plans, evidence));
        }
        if !steps.is_empty() {
            clicks.insert(form.shape.clone(), steps);
        }
    }
    clicks
}

/// The groups of leaves that name cells in every move of the form that was seen.
fn cells(form: &Form, plans: &[Plan], roles: &[String]) -> Vec<Step> {
    let movers: Vec<Option<usize>> = plans.iter().map(|plan| mover(plan, form, roles)).collect();
    let size = |plan: usize| {
        let name = plans[plan].cells.first().map_or(0, |cell| cell.name.len());
        name - usize::from(movers[plan].is_some())
    };
    let mut steps: Vec<Step> = Vec::new();
    let mut at = 0;
    while at < form.arity {
        let fitting: Vec<usize> = (0..plans.len())
            .filter(|number| {
                let (plan, size) = (&plans[*number], size(*number));
                let names = |leaves: &Vec<String>| {
                    let name = with_mover(&leaves[at..at + size], movers[*number], &roles[0]);
                    plan.find(&name).is_some()
                };
                size > 0 && at + size <= form.arity && form.most() > 0 && form.all().all(names)
            })
            .collect();
        let chosen = match fitting[..] {
            [] => None,
            [plan] => Some(plan),
            _ => kindred(form, plans, &fitting).or_else(|| {
                let size = size(fitting[0]);
                let each = form.arity == size * fitting.len();
                each.then(|| fitting[at / size])
            }),
        };
        match chosen {
            Some(plan) => {
                let size = size(plan);
                steps.push(Step::Cell {
                    plan,
                    leaves: (at..at + size).collect(),
                    mover: movers[plan],
                });
                at += size;
            }
            None => at += 1,
        }
    }
    steps
}

/// The place of a cell's name that is a role, where moves do not name it: everybody has a board.
fn mover(plan: &Plan, form: &Form, roles: &[String]) -> Option<usize> {
    let length = plan.cells.first()?.name.len();
    let named = form
        .seen
        .iter()
        .flatten()
        .any(|value| roles.contains(value));
    let is_role = |place: &usize| {
        plan.cells
            .iter()
            .all(|cell| roles.contains(&cell.name[*place]))
    };
    (0..length).find(is_role).filter(|_| length > 1 && !named)
}

/// A name with the name of a role put in.
fn with_mover(name: &[String], place: Option<usize>, role: &str) -> Vec<String> {
    let mut name = name.to_vec();
    if let Some(place) = place {
        name.insert(place.min(name.len()), role.to_owned());
    }
    name
}

/// The board that a move belongs to by its name: `mark2` goes with `cell2`.
fn kindred(form: &Form, plans: &[Plan], fitting: &[usize]) -> Option<usize> {
    let mut best: Vec<(usize, usize)> = fitting
        .iter()
        .map(|plan| {
            let title = plans[*plan].layers.first().map_or("", |layer| {
                let name = layer.shape.trim_start_matches('(');
                name.split(' ').next().unwrap_or("")
            });
            (likeness(&form.name, title), *plan)
        })
        .collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    match best[..] {
        [(first, plan), (second, _), ..] if first > second => Some(plan),
        _ => None,
    }
}

/// How many characters two names share at their ends.
fn likeness(a: &str, b: &str) -> usize {
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b)
            .take_while(|(a, b)| a.eq_ignore_ascii_case(b))
            .count()
    };
    let front = common(&mut a.chars(), &mut b.chars());
    let back = common(&mut a.chars().rev(), &mut b.chars().rev());
    front.max(back)
}

/// Leaves that name things at hand.
fn items(form: &Form, asides: &[Aside], forms: &[Form], steps: &[Step]) -> Vec<Step> {
    let mut found = Vec::new();
    for leaf in 0..form.arity {
        let taken = steps.iter().any(|step| match step {
            Step::Cell { leaves, .. } => leaves.contains(&leaf),
            _ => false,
        });
        if taken || form.seen[leaf].is_empty() {
            continue;
        }
        for (number, aside) in asides.iter().enumerate() {
            if let Aside::Hand { shape, item, .. } = aside
                && let [item] = item[..]
                && let Some(hand) = forms.iter().find(|form| form.shape == *shape)
                && form.seen[leaf]
                    .iter()
                    .all(|value| hand.values(item).contains(value))
            {
                found.push(Step::Item {
                    aside: number,
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
fn line(form: &Form, plans: &[Plan], evidence: &Evidence) -> Option<Step> {
    if form.arity != 1 || form.most() == 0 {
        return None;
    }
    let parts = words::words(&form.name);
    let has = |word: &str| parts.iter().any(|part| part.starts_with(word));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (number, plan) in plans.iter().enumerate() {
        let is_flat = plan.cells.first().is_some_and(|cell| cell.name.len() == 2);
        if !is_flat || (plan.kind != Kind::Grid && plan.kind != Kind::Hex) {
            continue;
        }
        for axis in 0..2 {
            let Some(place) = plan.axes[axis] else {
                continue;
            };
            let values: FxHashSet<&String> = plan.cells.iter().map(|c| &c.name[place]).collect();
            let fits = form.seen[0].iter().all(|value| values.contains(value));
            let called = if axis == 0 { has("col") } else { has("row") };
            let other = if axis == 0 { has("row") } else { has("col") };
            if fits && !other && (called || changes(form, plan, place, evidence)) {
                found.push((number, axis));
            }
        }
    }
    let plan = match &found[..] {
        [] => return None,
        [(plan, _)] => *plan,
        [(plan, _), rest @ ..] if rest.iter().all(|(other, _)| other == plan) => *plan,
        _ => {
            let mut fitting: Vec<usize> = found.iter().map(|(plan, _)| *plan).collect();
            fitting.dedup();
            kindred(form, plans, &fitting)?
        }
    };
    let (_, axis) = found.into_iter().find(|(number, _)| *number == plan)?;
    Some(Step::Line {
        plan,
        axis,
        leaf: 0,
    })
}

/// Whether playing a move of the form changed something in the line it names, nearly every time.
fn changes(form: &Form, plan: &Plan, place: usize, evidence: &Evidence) -> bool {
    let mut played = 0;
    let mut changed = 0;
    for (sample, joint) in evidence.joints.iter().enumerate() {
        let (Some(joint), true) = (joint, sample > 0) else {
            continue;
        };
        for text in *joint {
            let term = Term::read(text);
            if term.shape != form.shape {
                continue;
            }
            played += 1;
            changed += usize::from(plan.layers.iter().any(|layer| {
                let facts = evidence.forms.iter().find(|form| form.shape == layer.shape);
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
    clicks: &Clicks,
    plans: &[Plan],
    moves: &[String],
    role: &str,
) -> Vec<Vec<String>> {
    let full: Vec<(String, Vec<String>)> = moves
        .iter()
        .map(|text| {
            let term = Term::read(text);
            let targets = clicks.get(&term.shape).and_then(|steps| {
                steps
                    .iter()
                    .map(|step| target(step, plans, &term, role))
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
fn target(step: &Step, plans: &[Plan], term: &Term, role: &str) -> Option<String> {
    match step {
        Step::Cell {
            plan,
            leaves,
            mover,
        } => {
            let plan = &plans[*plan];
            let name: Vec<String> = leaves
                .iter()
                .filter_map(|leaf| term.leaves.get(*leaf).cloned())
                .collect();
            let name = with_mover(&name, *mover, role);
            plan.find(&name)?;
            Some(format!("{}:{}", plan.id, name.join(",")))
        }
        Step::Line { plan, axis, leaf } => {
            let line = if *axis == 0 { "column" } else { "row" };
            Some(format!(
                "{}:{line}:{}",
                plans[*plan].id,
                term.leaves.get(*leaf)?
            ))
        }
        Step::Item { aside, leaf } => Some(format!("h{aside}:{}", term.leaves.get(*leaf)?)),
    }
}
