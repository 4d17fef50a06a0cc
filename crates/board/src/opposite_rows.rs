//! Tracks with two opposite rows, such as the pits of Mancala, recognised by a relation between
//! opposite cells.

use rustc_hash::{FxHashMap, FxHashSet};

use ludorum_logic::{Domains, Rules};

use crate::model::{BoardLayout, LayoutKind, to_float};
use crate::rigid_relations::RigidRelations;

/// Distance between the pits and a store.
const APART: f64 = 0.3;

/// Arranges the cells of a track in two rows of opposite pairs, with the other cells at the ends. A
/// track without such a relation is not changed. The side with more cells in `own` is the lower
/// row.
pub(crate) fn arrange(
    layout: &mut BoardLayout,
    own: &FxHashSet<String>,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) {
    if layout.kind != LayoutKind::Track {
        return;
    }
    let place: FxHashMap<String, usize> = layout
        .cells
        .iter()
        .enumerate()
        .map(|(at, cell)| (cell.name[0].clone(), at))
        .collect();
    let tables: Vec<Vec<Vec<usize>>> = tables(&place, rules, domains, rigid);
    let Some(pairs) = tables
        .iter()
        .find_map(|tuples| matching(tuples, place.len()))
    else {
        return;
    };
    let paired: FxHashSet<usize> = pairs.iter().flatten().copied().collect();
    // The side whose cells are in ascending order is the lower row, unless the first player owns
    // the other side.
    let columns = pairs.len();
    let mut points = vec![[0.0, 0.0]; layout.cells.len()];
    for (column, [below, above]) in pairs.iter().enumerate() {
        points[*below] = [to_float(column + 1), 1.45];
        points[*above] = [to_float(column + 1), 0.0];
    }
    // A store is at the end where some relation connects it with the last pit.
    let last: Vec<usize> = pairs.last().into_iter().flatten().copied().collect();
    let first: Vec<usize> = pairs.first().into_iter().flatten().copied().collect();
    let touches = |store: usize, ends: &[usize]| {
        let mut tuples = tables.iter().flatten();
        tuples.any(|tuple| tuple.contains(&store) && ends.iter().any(|end| tuple.contains(end)))
    };
    let mut ends = [0usize; 2];
    for cell in (0..layout.cells.len()).filter(|cell| !paired.contains(cell)) {
        let (right, left) = (touches(cell, &last), touches(cell, &first));
        let side = if right == left {
            usize::from(ends[0] > ends[1])
        } else {
            usize::from(right)
        };
        let x = if side == 1 {
            to_float(columns + 1 + ends[1]) + APART
        } else {
            -to_float(ends[0]) - APART
        };
        points[cell] = [x, 0.72];
        ends[side] += 1;
    }
    let owned = |side: usize| {
        let pits = pairs.iter().map(|pair| &layout.cells[pair[side]].name[0]);
        pits.filter(|name| own.contains(*name)).count()
    };
    if owned(1) > owned(0) {
        for point in &mut points {
            *point = [to_float(columns + 1) - point[0], 1.45 - point[1]];
        }
    }
    for (cell, point) in layout.cells.iter_mut().zip(points) {
        cell.point = point;
    }
    for (label, cell) in layout.labels.iter_mut().zip(&layout.cells) {
        label.at = [cell.point[0], cell.point[1] + 0.7];
    }
    layout.size = [columns, 2];
}

/// The tuples of rigid relations of two or three arguments, restricted to cells of the track.
fn tables(
    place: &FxHashMap<String, usize>,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) -> Vec<Vec<Vec<usize>>> {
    let mut tables = Vec::new();
    for (id, relation) in rules.relations() {
        let speaks = |argument: usize| {
            let constants = domains.constants(domains.argument(id, argument));
            let mut names = constants.map(|symbol| rules.terms.symbols.name(symbol));
            names.any(|name| place.contains_key(name))
        };
        let count = (0..relation.arity)
            .filter(|argument| speaks(*argument))
            .count();
        if !(2..=3).contains(&relation.arity) || count < 2 {
            continue;
        }
        let Some(tuples) = rigid.tuples(id) else {
            continue;
        };
        let known = |tuple: &Vec<String>| {
            let places = tuple.iter().filter_map(|name| place.get(name).copied());
            places.collect::<Vec<usize>>()
        };
        tables.push(tuples.iter().map(known).filter(|t| t.len() == 2).collect());
    }
    tables
}

/// Pairs of opposite cells in order, if nearly all cells belong to a pair.
fn matching(tuples: &[Vec<usize>], count: usize) -> Option<Vec<[usize; 2]>> {
    let mut pairs: Vec<[usize; 2]> = tuples
        .iter()
        .map(|tuple| [tuple[0].min(tuple[1]), tuple[0].max(tuple[1])])
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let distinct: FxHashSet<usize> = pairs.iter().flatten().copied().collect();
    let is_matching = distinct.len() == 2 * pairs.len() && pairs.len() >= 3;
    // All cells of one side must precede those of the other; otherwise the relation is a chain of
    // neighbours.
    let lower = pairs.iter().map(|pair| pair[0]).max()?;
    let upper = pairs.iter().map(|pair| pair[1]).min()?;
    (is_matching && lower < upper && 4 * distinct.len() >= 3 * count).then_some(pairs)
}
