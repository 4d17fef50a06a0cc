//! Places of which several fluents speak, each by its name: `(blank a)`, `(cross b)`, or `(on 3)`
//! and `(off 4)`.

use rustc_hash::FxHashSet;

use crate::candidate::Context;
use crate::content::empties;
use crate::form::{Form, share};
use crate::glyph;
use crate::grid::Evidence;
use crate::model::{Cell, Ground, Kind, Label, Layer, Manner, Plan, to_float};
use crate::order;
use crate::track::{blank, row};
use crate::words;

/// How many places there may be on one board.
const PLACES: std::ops::RangeInclusive<usize> = 3..=64;
/// More boards side by side are not drawn.
const MAX_PANELS: usize = 9;

/// Finds groups of forms without content whose leaves take the same values.
pub(crate) fn find(forms: &[&Form], context: &Context, evidence: &Evidence) -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut done: FxHashSet<&str> = FxHashSet::default();
    for form in forms {
        if done.contains(form.shape.as_str()) || !is_fit(form, context) {
            continue;
        }
        let group: Vec<&Form> = forms
            .iter()
            .copied()
            .filter(|other| is_fit(other, context) && domains(other) == domains(form))
            .collect();
        if group.len() < 2 {
            continue;
        }
        done.extend(group.iter().map(|form| form.shape.as_str()));
        if are_exclusive(&group) {
            plans.extend(one_board(&group, context, evidence));
        } else if form.arity == 1 {
            // A row of lamps for each.
            for form in group.iter().take(6) {
                let names = sorted(form.values(0), context);
                let mut plan = row(&names);
                plan.title = words::spoken(&form.name);
                plan.labels.push(Label {
                    text: words::short(&plan.title, 8),
                    at: [-0.9, 0.0],
                });
                plan.layers.push(layer(form, evidence));
                plan.index();
                plans.push(plan);
            }
        }
    }
    plans
}

fn is_fit(form: &Form, context: &Context) -> bool {
    let roles = |leaf: usize| {
        form.values(leaf)
            .iter()
            .any(|value| context.roles.contains(value))
    };
    (1..=2).contains(&form.arity)
        && form.most() > 0
        && (0..form.arity).all(|leaf| !roles(leaf))
        && (0..form.arity).any(|leaf| PLACES.contains(&form.values(leaf).len()))
        && (form.arity == 2 || form.seen[0].len() > 1)
        && !(form.arity == 1 && form.most() == 1 && order::natural(form.values(0)).is_some())
}

fn domains(form: &Form) -> Vec<Vec<&String>> {
    (0..form.arity)
        .map(|leaf| {
            let mut values: Vec<&String> = form.values(leaf).iter().collect();
            values.sort();
            values
        })
        .collect()
}

/// Whether no place has two of the fluents at a time.
fn are_exclusive(group: &[&Form]) -> bool {
    let (mut facts, mut places) = (0, 0);
    for sample in 0..group[0].states.len() {
        let all: Vec<&Vec<String>> = group
            .iter()
            .filter_map(|form| form.states.get(sample))
            .flatten()
            .collect();
        facts += all.len();
        places += all.into_iter().collect::<FxHashSet<_>>().len();
    }
    share(places, facts) > 0.97
}

fn sorted(values: &[String], context: &Context) -> Vec<String> {
    context.chains.tidy(values)
}

fn layer(form: &Form, evidence: &Evidence) -> Layer {
    let mut empty = empties(form, &[], evidence.roles);
    if glyph::is_blank(&form.name) {
        empty.insert(String::new());
    }
    Layer {
        shape: form.shape.clone(),
        key: (0..form.arity).collect(),
        content: Vec::new(),
        title: words::spoken(&form.name),
        manner: Manner::Piece,
        empty,
    }
}

/// All fluents on one board: a square where the number of places is one, else a row.
fn one_board(group: &[&Form], context: &Context, evidence: &Evidence) -> Option<Plan> {
    let form = group[0];
    let inner = (0..form.arity).max_by_key(|leaf| form.values(*leaf).len())?;
    let places = sorted(form.values(inner), context);
    let panels = match form.arity {
        2 => sorted(form.values(1 - inner), context),
        _ => vec![String::new()],
    };
    if !PLACES.contains(&places.len()) || panels.len() > MAX_PANELS {
        return None;
    }
    let side = (3..=8).find(|side| side * side == places.len());
    let across = side.unwrap_or(places.len().min(12));
    let mut plan = blank(if side.is_some() {
        Kind::Grid
    } else {
        Kind::Track
    });
    plan.size = [across, places.len().div_ceil(across)];
    plan.title = words::spoken(&form.name);
    let height = if side.is_some() { 1.0 } else { 1.45 };
    for (p, panel) in panels.iter().enumerate() {
        let left = to_float(p) * (to_float(across) + 0.5);
        for (at, place) in places.iter().enumerate() {
            let point = [left + to_float(at % across), to_float(at / across) * height];
            let mut name = vec![String::new(); form.arity];
            name[inner].clone_from(place);
            if form.arity == 2 {
                name[1 - inner].clone_from(panel);
            }
            if side.is_none() {
                plan.labels.push(Label {
                    text: words::short(&words::spoken(place), 9),
                    at: [point[0], point[1] + 0.7],
                });
            }
            plan.cells.push(Cell {
                name,
                point,
                ground: Ground::Plain,
            });
        }
        if panels.len() > 1 {
            plan.labels.push(Label {
                text: words::short(&words::spoken(panel), 12),
                at: [left + to_float(across) / 2.0 - 0.5, -0.72],
            });
        }
    }
    plan.layers = group.iter().map(|form| layer(form, evidence)).collect();
    plan.index();
    Some(plan)
}
