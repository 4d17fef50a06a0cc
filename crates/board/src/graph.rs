//! Graphs: cells without coordinates that a rigid relation connects, laid out such that neighbours
//! are close to each other.

use ludorum_games::CellBackground;
use rustc_hash::{FxHashMap, FxHashSet};

use ludorum_logic::{Domains, Rules};

use crate::evidence::Evidence;
use crate::evidence::GameContext;
use crate::model::{BoardLayout, Cell, LayoutKind, to_float};
use crate::names;
use crate::rigid_relations::RigidRelations;
use crate::term_schema::TermSchema;
use crate::track::{empty_layout, layer};

/// Number of cells of a graph.
const PLACES: std::ops::RangeInclusive<usize> = 4..=40;
/// Minimum distance of two cells.
const NEAREST: f64 = 1.15;
/// Iterations of the layout.
const ROUNDS: usize = 400;

/// Finds graphs: schemas with a leaf whose values are connected by a rigid relation of two
/// arguments.
pub(crate) fn find(
    schemas: &[&TermSchema],
    context: &GameContext,
    evidence: &Evidence,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) -> Vec<BoardLayout> {
    let mut layouts: Vec<BoardLayout> = Vec::new();
    for schema in schemas {
        if schema.max_facts() == 0 || !(1..=2).contains(&schema.arity) {
            continue;
        }
        for leaf in 0..schema.arity {
            let values = schema.values(leaf);
            let known: FxHashSet<&String> = values.iter().collect();
            let home = layouts.iter_mut().find(|layout: &&mut BoardLayout| {
                !values.is_empty()
                    && values
                        .iter()
                        .all(|v| layout.find(std::slice::from_ref(v)).is_some())
            });
            if let Some(layout) = home {
                layout.layers.push(layer(schema, leaf, evidence));
                break;
            }
            let numbers = values.iter().all(|value| value.parse::<i64>().is_ok());
            if !PLACES.contains(&values.len())
                || numbers
                || values.iter().any(|value| context.roles.contains(value))
            {
                continue;
            }
            let Some(edges) = edges(&known, false, rules, domains, rigid) else {
                continue;
            };
            let mut layout = stress_layout(&context.chains.sorted_or_by_name(values), &edges);
            layout.title = names::display_name(&schema.name);
            layout.layers.push(layer(schema, leaf, evidence));
            layout.index();
            layouts.push(layout);
            break;
        }
    }
    layouts
}

/// Turns a grid into a graph if the rules link squares over a distance. The cells keep their points
/// if the links can be drawn there without crossing other cells; otherwise the graph is laid out
/// anew.
pub(crate) fn convert_to_graph(
    layout: &mut BoardLayout,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) {
    if layout.kind != LayoutKind::Grid || layout.cells.iter().any(|cell| cell.name.len() != 1) {
        return;
    }
    let names: FxHashSet<&String> = layout.cells.iter().map(|cell| &cell.name[0]).collect();
    let Some(edges) = edges(&names, true, rules, domains, rigid) else {
        return;
    };
    let find = |name: &String| layout.find(std::slice::from_ref(name));
    let links: Vec<[usize; 2]> = edges
        .iter()
        .filter_map(|[from, to]| Some([find(from)?, find(to)?]))
        .collect();
    let step = |[from, to]: &[usize; 2]| {
        let (a, b) = (layout.cells[*from].point, layout.cells[*to].point);
        [(b[0] - a[0]).abs(), (b[1] - a[1]).abs()]
    };
    let far = links.iter().filter(|link| {
        let [dx, dy] = step(link);
        dx.max(dy) > 1.1
    });
    let far = far.count();
    let is_untied = 4 * far >= links.len() || (far > 0 && has_unlinked_neighbours(layout, &links));
    if !is_untied || links.len() > 2 * layout.cells.len() {
        return;
    }
    let crooked = links.iter().filter(|link| {
        let [dx, dy] = step(link);
        dx > 0.1 && dy > 0.1 && (dx - dy).abs() > 0.1
    });
    if 10 * crooked.count() < links.len() && !links_cross_cells(layout, &links) {
        layout.kind = LayoutKind::Places;
        return;
    }
    let names: Vec<String> = layout
        .cells
        .iter()
        .map(|cell| cell.name[0].clone())
        .collect();
    let drawn = stress_layout(&names, &edges);
    layout.kind = LayoutKind::Graph;
    layout.cells = drawn.cells;
    layout.links = drawn.links;
    layout.size = drawn.size;
    layout.labels.clear();
    layout.index();
}

/// Whether more than a fifth of the adjacent squares is not linked.
fn has_unlinked_neighbours(layout: &BoardLayout, links: &[[usize; 2]]) -> bool {
    let known: FxHashSet<[usize; 2]> = links.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
    let (mut sides, mut joined) = (0, 0);
    for at in 1..layout.cells.len() {
        for other in 0..at {
            let (a, b) = (layout.cells[at].point, layout.cells[other].point);
            if ((a[0] - b[0]).abs() + (a[1] - b[1]).abs() - 1.0).abs() < 0.1 {
                sides += 1;
                joined += usize::from(known.contains(&[other, at]));
            }
        }
    }
    5 * joined < 4 * sides
}

/// Whether at least a tenth of the links crosses cells that it does not connect.
fn links_cross_cells(layout: &BoardLayout, links: &[[usize; 2]]) -> bool {
    let over = |[from, to]: &&[usize; 2]| {
        let (a, b) = (layout.cells[*from].point, layout.cells[*to].point);
        let length = (b[0] - a[0]).hypot(b[1] - a[1]).max(0.01);
        layout.cells.iter().any(|cell| {
            let [x, y] = [cell.point[0] - a[0], cell.point[1] - a[1]];
            let along = (x * (b[0] - a[0]) + y * (b[1] - a[1])) / length;
            let aside = (x * (b[1] - a[1]) - y * (b[0] - a[0])) / length;
            aside.abs() < 0.4 && (0.4..length - 0.4).contains(&along)
        })
    };
    10 * links.iter().filter(over).count() >= links.len()
}

/// Adds links to a board whose cells have points already, if its rules connect them.
pub(crate) fn add_links(
    layout: &mut BoardLayout,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) {
    let names: FxHashSet<&String> = layout.cells.iter().map(|cell| &cell.name[0]).collect();
    let Some(edges) = edges(&names, true, rules, domains, rigid) else {
        return;
    };
    let find = |name: &String| layout.find(std::slice::from_ref(name));
    layout.links = edges
        .iter()
        .filter_map(|[from, to]| Some([find(from)?, find(to)?]))
        .collect();
}

/// The undirected edges between some values, from the first relation that connects at least 80 % of
/// them. With `is_symmetric`, only a symmetric relation is accepted.
fn edges(
    values: &FxHashSet<&String>,
    is_symmetric: bool,
    rules: &Rules,
    domains: &Domains,
    rigid: &mut RigidRelations,
) -> Option<Vec<[String; 2]>> {
    for (id, relation) in rules.relations() {
        if relation.arity != 2 && relation.arity != 3 {
            continue;
        }
        let fits = |place: usize| {
            let constants = domains.constants(domains.argument(id, place));
            let names: Vec<&str> = constants.map(|s| rules.terms.symbols.name(s)).collect();
            let known = names
                .iter()
                .filter(|n| values.iter().any(|v| v == *n))
                .count();
            known * 5 >= values.len() * 4 && known * 5 >= names.len() * 4
        };
        let places: Vec<usize> = (0..relation.arity).filter(|place| fits(*place)).collect();
        let [from, to] = places[..] else { continue };
        let Some(tuples) = rigid.tuples(id) else {
            continue;
        };
        // A relation in one direction may be a turn or an order instead of a line of the board.
        let pairs: FxHashSet<[&String; 2]> = tuples.iter().map(|t| [&t[from], &t[to]]).collect();
        if is_symmetric && !pairs.iter().all(|[a, b]| pairs.contains(&[*b, *a])) {
            continue;
        }
        let mut seen = FxHashSet::default();
        let mut edges = Vec::new();
        for tuple in &tuples {
            let mut edge = [tuple[from].clone(), tuple[to].clone()];
            edge.sort();
            if edge[0] != edge[1] && seen.insert(edge.clone()) {
                edges.push(edge);
            }
        }
        let touched: FxHashSet<&String> = edges.iter().flatten().collect();
        let dense = edges.len() > 4 * values.len() || is_path(&edges);
        if touched.len() * 5 >= values.len() * 4 && !dense {
            edges.sort();
            return Some(edges);
        }
    }
    None
}

/// Whether the edges form a single path: then the relation counts something.
fn is_path(edges: &[[String; 2]]) -> bool {
    let mut degree: FxHashMap<&String, usize> = FxHashMap::default();
    for name in edges.iter().flatten() {
        *degree.entry(name).or_default() += 1;
    }
    degree.values().all(|degree| *degree <= 2) && edges.len() + 1 == degree.len()
}

/// Lays out a graph by stress majorisation (Gansner et al. 2005), starting from a circle.
fn stress_layout(names: &[String], edges: &[[String; 2]]) -> BoardLayout {
    let place: FxHashMap<&String, usize> = names.iter().enumerate().map(|(i, n)| (n, i)).collect();
    let links: Vec<[usize; 2]> = edges
        .iter()
        .filter_map(|[a, b]| Some([*place.get(a)?, *place.get(b)?]))
        .collect();
    let count = to_float(names.len());
    let radius = (count / 5.0).max(1.2);
    let mut points: Vec<[f64; 2]> = (0..names.len())
        .map(|at| {
            let turn = to_float(at) / count * std::f64::consts::TAU;
            [radius * turn.sin(), -radius * turn.cos()]
        })
        .collect();
    let distances = distances(names.len(), &links);
    // Local update of stress majorisation: move each cell to the weighted mean of the positions
    // that the other cells suggest, with the weight 1 / distance².
    let scale = 1.35;
    for _ in 0..ROUNDS {
        for at in 0..points.len() {
            let (mut sum, mut weight) = ([0.0, 0.0], 0.0);
            for other in 0..points.len() {
                if other == at {
                    continue;
                }
                let ideal = scale * distances[at][other];
                let share = 1.0 / (ideal * ideal);
                let (dx, dy) = (
                    points[at][0] - points[other][0],
                    points[at][1] - points[other][1],
                );
                let real = dx.hypot(dy).max(0.01);
                sum[0] += share * (points[other][0] + ideal * dx / real);
                sum[1] += share * (points[other][1] + ideal * dy / real);
                weight += share;
            }
            if weight > 0.0 {
                points[at] = [sum[0] / weight, sum[1] / weight];
            }
        }
    }
    separate(&mut points);
    let mut layout = empty_layout(LayoutKind::Graph);
    layout.size = [names.len(), 1];
    layout.links = links;
    layout.cells = names
        .iter()
        .zip(points)
        .map(|(name, point)| Cell {
            name: vec![name.clone()],
            point,
            ground: CellBackground::Plain,
        })
        .collect();
    layout
}

/// Separates cells that would overlap.
fn separate(points: &mut [[f64; 2]]) {
    for _ in 0..ROUNDS {
        for at in 1..points.len() {
            for other in 0..at {
                let dx = points[at][0] - points[other][0];
                let dy = points[at][1] - points[other][1];
                let real = dx.hypot(dy).max(0.01);
                if real < NEAREST {
                    let push = (NEAREST - real) / real / 2.0;
                    for (axis, way) in [dx, dy].into_iter().enumerate() {
                        points[at][axis] += push * way;
                        points[other][axis] -= push * way;
                    }
                }
            }
        }
    }
}

/// The shortest path lengths between all pairs of cells, by breadth-first search.
fn distances(count: usize, links: &[[usize; 2]]) -> Vec<Vec<f64>> {
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); count];
    for [a, b] in links {
        near[*a].push(*b);
        near[*b].push(*a);
    }
    (0..count)
        .map(|start| {
            let mut distance = vec![to_float(count).sqrt() + 1.0; count];
            distance[start] = 0.0;
            let mut seen = vec![false; count];
            seen[start] = true;
            let mut level = vec![start];
            let mut steps = 0.0;
            while !level.is_empty() {
                steps += 1.0;
                let mut next = Vec::new();
                for at in level {
                    for other in &near[at] {
                        if !std::mem::replace(&mut seen[*other], true) {
                            distance[*other] = steps;
                            next.push(*other);
                        }
                    }
                }
                level = next;
            }
            distance
        })
        .collect()
}
