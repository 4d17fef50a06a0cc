//! Things on top of each other: towers of blocks, discs on pegs, and piles that one fact tells from
//! top to bottom.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::candidate::Context;
use crate::form::Form;
use crate::model::{Cell, Ground, Kind, Layer, Manner, Plan};
use crate::track::blank;
use crate::words;

/// More things are not piled up.
const MAX_THINGS: usize = 40;

/// Finds stacks. Each uses up the forms of its layers.
pub(crate) fn find(forms: &[&Form], context: &Context) -> Vec<Plan> {
    let mut plans: Vec<Plan> = Vec::new();
    for form in forms {
        let plan = tower(form, context).or_else(|| pile(form, context));
        let Some(mut plan) = plan else { continue };
        // What says only that a thing is on the table, or free, is seen without words.
        let names: FxHashSet<&String> = plan.cells.iter().map(|cell| &cell.name[0]).collect();
        let silent: Vec<Layer> = forms
            .iter()
            .filter(|other| {
                let is_state = ["clear", "table", "top", "free", "ontable"]
                    .iter()
                    .any(|word| other.name.starts_with(word));
                other.arity == 1
                    && is_state
                    && suffix(&other.name) == suffix(&form.name)
                    && other.seen[0].iter().all(|value| names.contains(value))
            })
            .map(|other| layer(other, Manner::Silent, vec![0]))
            .collect();
        plan.layers.extend(silent);
        plan.title = words::spoken(&form.name);
        plan.index();
        plans.push(plan);
    }
    plans
}

/// The digits at the end of a name: `on2` goes with `clear2`.
fn suffix(name: &str) -> &str {
    &name[name.trim_end_matches(|c: char| c.is_ascii_digit()).len()..]
}

fn layer(form: &Form, manner: Manner, key: Vec<usize>) -> Layer {
    Layer {
        shape: form.shape.clone(),
        key,
        content: Vec::new(),
        title: words::spoken(&form.name),
        manner,
        empty: FxHashSet::default(),
    }
}

/// `(on thing support)`: each thing has one support, which is another thing or a fixed place.
fn tower(form: &Form, context: &Context) -> Option<Plan> {
    let parts = words::words(&form.name);
    let is_called = parts.iter().any(|part| {
        ["on", "above", "over", "stacked"]
            .contains(&part.trim_end_matches(|c: char| c.is_ascii_digit()))
    });
    if form.arity != 2 || !is_called || form.most() == 0 {
        return None;
    }
    // One of the two leaves is the thing: it occurs once in a state.
    // Where both do, as in towers of blocks, it is the one that never names the table.
    let within = |leaf: usize| {
        let others = form.values(1 - leaf);
        form.values(leaf).iter().all(|value| others.contains(value))
    };
    let order = if within(1) && !within(0) {
        [1, 0]
    } else {
        [0, 1]
    };
    let mut order = order.into_iter();
    let thing = order.find(|leaf| form.keyness(&[*leaf]) >= 1.0)?;
    // Towers of blocks are one to one: then the first is above.
    let support = 1 - thing;
    let is_table = |value: &&String| ["table", "floor", "ground"].contains(&value.as_str());
    let things: FxHashSet<&String> = form
        .values(thing)
        .iter()
        .filter(|value| !is_table(value))
        .collect();
    let mut fixed: Vec<String> = form
        .values(support)
        .iter()
        .filter(|value| !things.contains(value))
        .cloned()
        .collect();
    let is_tower = form
        .values(support)
        .iter()
        .any(|value| things.contains(value));
    let count = things.len() + fixed.len();
    if !(3..=MAX_THINGS).contains(&count) || (!is_tower && !(2..=6).contains(&fixed.len())) {
        return None;
    }
    // A single place that everything may lie on is a table, not a peg.
    let table = (is_tower && fixed.len() == 1).then(|| fixed.remove(0));
    let fixed = context.chains.tidy(&fixed);
    let names: Vec<String> = things.into_iter().cloned().collect();
    let names = context.chains.tidy(&names);
    let mut plan = blank(Kind::Stacks);
    plan.size = [fixed.len().max(1), names.len()];
    for (ground, name) in names
        .iter()
        .map(|name| (Ground::Plain, name))
        .chain(fixed.iter().map(|name| (Ground::Dark, name)))
    {
        plan.cells.push(Cell {
            name: vec![name.clone()],
            point: [0.0, 0.0],
            ground,
        });
    }
    // The table is no thing, but it can be clicked.
    plan.cells.extend(table.iter().map(|table| Cell {
        name: vec![table.clone()],
        point: [0.0, 0.0],
        ground: Ground::Hole,
    }));
    let mut on = layer(form, Manner::On, vec![thing, support]);
    on.empty.extend(table);
    plan.layers.push(on);
    Some(plan)
}

/// `(order p3 p1 p2)`: one fact tells a whole pile.
fn pile(form: &Form, context: &Context) -> Option<Plan> {
    if !(3..=16).contains(&form.arity) || form.most() != 1 {
        return None;
    }
    let all: FxHashSet<&String> = form.seen.iter().flatten().collect();
    let is_permutation = form.all().all(|fact| {
        let distinct: FxHashSet<&String> = fact.iter().collect();
        distinct.len() == form.arity
    });
    if all.len() != form.arity || !is_permutation {
        return None;
    }
    let mut names: Vec<String> = all.into_iter().cloned().collect();
    names.sort();
    let names = context.chains.sorted(&names)?;
    let mut plan = blank(Kind::Stacks);
    plan.size = [1, form.arity];
    plan.cells = names
        .iter()
        .map(|name| Cell {
            name: vec![name.clone()],
            point: [0.0, 0.0],
            ground: Ground::Plain,
        })
        .collect();
    plan.layers
        .push(layer(form, Manner::Pile, (0..form.arity).collect()));
    Some(plan)
}

/// Where each thing of a stack lies: the column, and how many things are below it.
pub(crate) fn heights(plan: &Plan, pairs: &[(usize, usize)]) -> Vec<Option<(usize, usize)>> {
    let support: FxHashMap<usize, usize> = pairs.iter().copied().collect();
    let mut columns: Vec<usize> = Vec::new();
    let is_fixed = |cell: usize| plan.cells[cell].ground == Ground::Dark;
    columns.extend((0..plan.cells.len()).filter(|cell| is_fixed(*cell)));
    let roots: Vec<Option<usize>> = (0..plan.cells.len())
        .map(|cell| {
            let mut at = cell;
            // A ring of supports is no tower; the count stops it.
            for _ in 0..=plan.cells.len() {
                match support.get(&at) {
                    Some(below) => at = *below,
                    None => return Some(at),
                }
            }
            None
        })
        .collect();
    let is_table = |cell: usize| plan.cells[cell].ground == Ground::Hole;
    for root in roots.iter().flatten() {
        if !columns.contains(root) && !is_table(*root) {
            columns.push(*root);
        }
    }
    columns.sort_unstable();
    let mut placed: Vec<Option<(usize, usize)>> = vec![None; plan.cells.len()];
    for (column, root) in columns.iter().enumerate() {
        let base = usize::from(!is_fixed(*root));
        let mut level = vec![*root];
        let mut height = 0;
        placed[*root] = Some((column, 0));
        // Things on one peg without an order among them lie by size, the largest at the bottom.
        while !level.is_empty() && height <= plan.cells.len() {
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
