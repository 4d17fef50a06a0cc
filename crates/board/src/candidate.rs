//! Board candidates: which leaves of a fact schema are coordinates, and which are the content of a
//! cell.

use rustc_hash::FxHashMap;

use crate::symbol_order::MAX_SYMBOLS;

use crate::evidence::GameContext;
use crate::term_schema::TermSchema;
use crate::{glyph, names};

/// Maximum number of panels that are distinguished by names without an order.
const MAX_NAMED_PANELS: usize = 6;

/// What the coordinates of a candidate refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidateKind {
    /// A single cell with a content.
    Cell,
    /// A link between two adjacent cells.
    Link,
    /// A barrier between four cells, given by two successive columns and two successive rows.
    Barrier,
}

/// A fact schema interpreted as a board.
#[derive(Clone, Debug)]
pub(crate) struct BoardCandidate {
    /// The index of the schema.
    pub(crate) schema: usize,
    pub(crate) purpose: CandidateKind,
    /// The leaves that select one of several boards side by side.
    pub(crate) panel: Vec<usize>,
    /// The leaves that are the two coordinates on a board.
    pub(crate) pair: [usize; 2],
    /// The other leaves: the content of the cell.
    pub(crate) content: Vec<usize>,
    /// The ordered values of the panel and coordinate leaves, by leaf.
    pub(crate) sides: FxHashMap<usize, Vec<String>>,
}

impl BoardCandidate {
    /// The leaves that identify a cell, in the order of the fact.
    pub(crate) fn key(&self) -> Vec<usize> {
        let mut key: Vec<usize> = self.panel.iter().chain(&self.pair).copied().collect();
        key.sort_unstable();
        key
    }
}

/// The ordered values of a leaf, if they have an order and are few enough for a side of a board.
pub(crate) fn side(schema: &TermSchema, leaf: usize, context: &GameContext) -> Option<Vec<String>> {
    let seen = &schema.seen[leaf];
    let allowed = schema.allowed[leaf].as_ref();
    let Some(order) = allowed.and_then(|allowed| context.chains.sorted_unbounded(allowed)) else {
        return context.chains.sorted(seen);
    };
    // The values that the rules allow are only an upper bound. It is far too large if coordinates
    // and counters share their numbers.
    if order.len() <= (2 * seen.len() + 2).min(MAX_SYMBOLS) {
        return Some(order);
    }
    let hull = |test: &dyn Fn(&String) -> bool| {
        let first = order.iter().position(test)?;
        let last = order.iter().rposition(test)?;
        (last > first && last - first < MAX_SYMBOLS).then(|| order[first..=last].to_vec())
    };
    let wide = hull(&|value| seen.contains(value) || context.moved.contains(value.as_str()));
    let wide = wide.filter(|wide| wide.len() <= 2 * seen.len() + 6);
    wide.or_else(|| hull(&|value| seen.contains(value)))
}

/// Interprets a schema as a board with columns and rows; `None` if it has no two coordinates.
pub(crate) fn read(
    number: usize,
    schema: &TermSchema,
    context: &GameContext,
) -> Option<BoardCandidate> {
    if schema.arity < 2 || schema.max_facts() == 0 {
        return None;
    }
    let mut sides: FxHashMap<usize, Vec<String>> = FxHashMap::default();
    for leaf in 0..schema.arity {
        let is_role = schema
            .values(leaf)
            .iter()
            .all(|v| context.roles.contains(v));
        if is_role {
            continue;
        }
        if let Some(side) = side(schema, leaf, context) {
            sides.insert(leaf, side);
        }
    }
    let mut ordered: Vec<usize> = sides.keys().copied().collect();
    ordered.sort_unstable();
    let make =
        |sides: &FxHashMap<usize, Vec<String>>, purpose, panel: Vec<usize>, pair: [usize; 2]| {
            let is_key = |leaf: &usize| panel.contains(leaf) || pair.contains(leaf);
            BoardCandidate {
                schema: number,
                purpose,
                content: (0..schema.arity)
                    .filter(|leaf| {
                        !(is_key(leaf)
                            || (purpose != CandidateKind::Cell && sides.contains_key(leaf)))
                    })
                    .collect(),
                sides: sides.clone(),
                panel,
                pair,
            }
        };
    if let [a, b, c, d] = ordered[..] {
        if are_neighbours(schema, [a, b, c, d], &sides) {
            return Some(make(&sides, CandidateKind::Link, vec![], [a, b]));
        }
        if are_steps(schema, [a, b], &sides) && are_steps(schema, [c, d], &sides) {
            return Some(make(&sides, CandidateKind::Barrier, vec![], [a, c]));
        }
    }
    if schema.arity == 2 && ordered.len() == 2 {
        return is_position(schema).then(|| make(&sides, CandidateKind::Cell, vec![], [0, 1]));
    }
    if ordered.len() > 2 {
        remove_piece_number(schema, &mut ordered);
    }
    let mut indices = longest_run(&ordered);
    // Take the fewest leading coordinates that identify a cell; the leaves after them are its
    // content.
    while indices.len() > 2 && is_key(schema, &indices[..indices.len() - 1], &sides) {
        indices.pop();
    }
    if let [a, b] = indices[..]
        && let Some(leaf) = named_panel(schema, [a, b])
    {
        let mut names = schema.values(leaf).to_vec();
        names.sort();
        sides.insert(leaf, names);
        let mut candidate = make(&sides, CandidateKind::Cell, vec![leaf], [a, b]);
        candidate.content.retain(|content| *content != leaf);
        return Some(candidate);
    }
    let make = |purpose, panel, pair| make(&sides, purpose, panel, pair);
    match indices[..] {
        [a, b] => Some(make(CandidateKind::Cell, vec![], [a, b])),
        [a, b, c] => {
            let panel = panel_of([a, b, c], &sides);
            let pair: Vec<usize> = indices.iter().copied().filter(|i| *i != panel).collect();
            Some(make(CandidateKind::Cell, vec![panel], [pair[0], pair[1]]))
        }
        [a, b, c, d] => Some(make(CandidateKind::Cell, vec![a, b], [c, d])),
        _ => None,
    }
    .filter(|_| indices.len() == 2 || ordered.len() >= 3)
}

/// The longest run of adjacent leaves: coordinates are adjacent in all known games.
fn longest_run(ordered: &[usize]) -> Vec<usize> {
    let mut best: &[usize] = &[];
    for from in 0..ordered.len() {
        let mut to = from + 1;
        while to < ordered.len() && ordered[to] == ordered[to - 1] + 1 {
            to += 1;
        }
        if to - from > best.len() {
            best = &ordered[from..to];
        }
    }
    if best.len() < 2 { ordered } else { best }.to_vec()
}

/// Whether some leaves identify a cell. A few cells with two facts are tolerated if nearly every
/// cell has a fact. With few facts, too few leaves would identify them by chance.
fn is_key(schema: &TermSchema, leaves: &[usize], sides: &FxHashMap<usize, Vec<String>>) -> bool {
    let key_ratio = schema.key_ratio(leaves);
    let cells: usize = leaves.iter().map(|leaf| sides[leaf].len()).product();
    key_ratio >= 1.0 || (key_ratio > 0.8 && 3 * schema.max_facts() >= 2 * cells)
}

/// A leaf that selects a board by values without an order, such as roles or lanes. Without it, two
/// coordinates identify several facts.
fn named_panel(schema: &TermSchema, pair: [usize; 2]) -> Option<usize> {
    let [a, b] = pair;
    if schema.key_ratio(&pair) > 0.85 {
        return None;
    }
    (0..schema.arity).find(|leaf| {
        !pair.contains(leaf)
            && (2..=MAX_NAMED_PANELS).contains(&schema.values(*leaf).len())
            && schema.key_ratio(&[*leaf, a, b]) >= 1.0
            // A leaf that changes with every move is a content.
            && schema.has_constant_values(*leaf)
    })
}

/// Removes the leaf that is the number of a piece: every value occurs once in a state, and there
/// are enough coordinates without it.
fn remove_piece_number(schema: &TermSchema, ordered: &mut Vec<usize>) {
    if schema.max_facts() < 2 {
        return;
    }
    let is_piece = |leaf: &usize| schema.key_ratio(&[*leaf]) >= 1.0;
    let pieces: Vec<usize> = ordered.iter().copied().filter(is_piece).collect();
    if let [piece] = pieces[..] {
        ordered.retain(|leaf| *leaf != piece);
    }
}

/// Whether two ordered leaves without a content are a position. They are not if the first one names
/// a thing and the second one counts it.
fn is_position(schema: &TermSchema) -> bool {
    let parts = names::split_words(&schema.name);
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    if glyph::direction(&parts).is_some() {
        return true;
    }
    // Velocities are not positions, and the number of a board is not a coordinate.
    let numbers_boards = |leaf: usize| {
        let mut values = schema.values(leaf).iter();
        values.all(|value| value.starts_with("board") || value.starts_with("game"))
    };
    if has(&["vel", "velocity", "speed"]) || numbers_boards(0) || numbers_boards(1) {
        return false;
    }
    let several = schema.max_facts() > 1;
    !(several && schema.key_ratio(&[0]) >= 1.0 && schema.has_constant_values(0))
}

/// The leaf of three coordinates that selects a board: the one whose values differ from the two
/// others, otherwise the one with the fewest values, otherwise the last one.
fn panel_of(leaves: [usize; 3], sides: &FxHashMap<usize, Vec<String>>) -> usize {
    let side = |leaf: usize| &sides[&leaf];
    let [a, b, c] = leaves;
    let same = |a, b| side(a) == side(b);
    match (same(a, b), same(b, c), same(a, c)) {
        (true, false, _) => c,
        (false, true, _) => a,
        (false, false, true) => b,
        _ => {
            let size = |leaf: &usize| (side(*leaf).len(), usize::MAX - *leaf);
            leaves.into_iter().min_by_key(size).unwrap_or(c)
        }
    }
}

/// Whether the first two and the last two of four leaves are adjacent cells in every fact.
fn are_neighbours(
    schema: &TermSchema,
    leaves: [usize; 4],
    sides: &FxHashMap<usize, Vec<String>>,
) -> bool {
    let place = |fact: &[String], leaf: usize, side: usize| {
        sides[&side].iter().position(|value| *value == fact[leaf])
    };
    let [a, b, c, d] = leaves;
    let mut facts = 0;
    for fact in schema.all() {
        facts += 1;
        let across = place(fact, a, a).zip(place(fact, c, a));
        let down = place(fact, b, b).zip(place(fact, d, b));
        let Some((across, down)) = across.zip(down) else {
            return false;
        };
        if across.0.abs_diff(across.1) + down.0.abs_diff(down.1) != 1 {
            return false;
        }
    }
    facts > 0
}

/// Whether the second leaf is the successor of the first one in every fact.
fn are_steps(
    schema: &TermSchema,
    leaves: [usize; 2],
    sides: &FxHashMap<usize, Vec<String>>,
) -> bool {
    let [a, b] = leaves;
    let mut all = sides[&a].clone();
    all.extend(sides[&b].iter().filter(|v| !sides[&a].contains(v)).cloned());
    let all = crate::symbol_order::natural(&all).unwrap_or(all);
    let place = |value: &String| all.iter().position(|known| known == value);
    schema.max_facts() > 0
        && schema.all().all(|fact| {
            place(&fact[a])
                .zip(place(&fact[b]))
                .is_some_and(|(from, to)| to == from + 1)
        })
}
