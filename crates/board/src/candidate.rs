//! Which leaves of a form are the coordinates of a board, and which say what is there.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::form::Form;
use crate::order::{Chains, MAX_SYMBOLS};
use crate::{glyph, words};

/// Boards with names rather than numbers, side by side.
const MAX_NAMED_PANELS: usize = 6;

/// What the recogniser knows about the whole game.
pub(crate) struct Context<'a> {
    pub(crate) roles: &'a [String],
    pub(crate) chains: &'a Chains,
    /// The values in moves that have several.
    pub(crate) moved: FxHashSet<&'a str>,
}

/// How the cells that a form speaks of are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Something is on a cell.
    Cell,
    /// Two cells next to each other are joined.
    Link,
    /// Two columns and two rows that follow each other meet: something stands between four cells.
    Barrier,
}

/// A form read as a board.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The form, by its place in the list.
    pub(crate) form: usize,
    pub(crate) purpose: Purpose,
    /// The leaves that tell several boards apart.
    pub(crate) panel: Vec<usize>,
    /// The two leaves that are the coordinates on a board.
    pub(crate) pair: [usize; 2],
    /// The other leaves.
    pub(crate) content: Vec<usize>,
    /// The values of panel and pair leaves in order, by leaf.
    pub(crate) sides: FxHashMap<usize, Vec<String>>,
}

impl Candidate {
    /// The leaves that name a cell, in the order of facts.
    pub(crate) fn key(&self) -> Vec<usize> {
        let mut key: Vec<usize> = self.panel.iter().chain(&self.pair).copied().collect();
        key.sort_unstable();
        key
    }
}

/// The values of a leaf in order, if they have one and can be the side of a board.
pub(crate) fn side(form: &Form, leaf: usize, context: &Context) -> Option<Vec<String>> {
    let seen = &form.seen[leaf];
    let allowed = form.allowed[leaf].as_ref();
    let Some(order) = allowed.and_then(|allowed| context.chains.ranked(allowed)) else {
        return context.chains.sorted(seen);
    };
    // What the rules allow is a bound, and a poor one where coordinates share their numbers with
    // counters.
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

/// Reads a form as a board with columns and rows.
pub(crate) fn read(number: usize, form: &Form, context: &Context) -> Option<Candidate> {
    if form.arity < 2 || form.most() == 0 {
        return None;
    }
    let mut sides: FxHashMap<usize, Vec<String>> = FxHashMap::default();
    for leaf in 0..form.arity {
        let is_role = form.values(leaf).iter().all(|v| context.roles.contains(v));
        if is_role {
            continue;
        }
        if let Some(side) = side(form, leaf, context) {
            sides.insert(leaf, side);
        }
    }
    let mut ordered: Vec<usize> = sides.keys().copied().collect();
    ordered.sort_unstable();
    let make =
        |sides: &FxHashMap<usize, Vec<String>>, purpose, panel: Vec<usize>, pair: [usize; 2]| {
            let is_key = |leaf: &usize| panel.contains(leaf) || pair.contains(leaf);
            Candidate {
                form: number,
                purpose,
                content: (0..form.arity)
                    .filter(|leaf| {
                        !(is_key(leaf) || (purpose != Purpose::Cell && sides.contains_key(leaf)))
                    })
                    .collect(),
                sides: sides.clone(),
                panel,
                pair,
            }
        };
    if let [a, b, c, d] = ordered[..] {
        if are_neighbours(form, [a, b, c, d], &sides) {
            return Some(make(&sides, Purpose::Link, vec![], [a, b]));
        }
        if are_steps(form, [a, b], &sides) && are_steps(form, [c, d], &sides) {
            return Some(make(&sides, Purpose::Barrier, vec![], [a, c]));
        }
    }
    if form.arity == 2 && ordered.len() == 2 {
        return marks(form).then(|| make(&sides, Purpose::Cell, vec![], [0, 1]));
    }
    if ordered.len() > 2 {
        without_piece(form, &mut ordered);
    }
    let mut indices = run(&ordered);
    // The fewest leading coordinates that name a cell: what follows them is its content.
    while indices.len() > 2 && is_key(form, &indices[..indices.len() - 1], &sides) {
        indices.pop();
    }
    if let [a, b] = indices[..]
        && let Some(leaf) = named_panel(form, [a, b])
    {
        let mut names = form.values(leaf).to_vec();
        names.sort();
        sides.insert(leaf, names);
        let mut candidate = make(&sides, Purpose::Cell, vec![leaf], [a, b]);
        candidate.content.retain(|content| *content != leaf);
        return Some(candidate);
    }
    let make = |purpose, panel, pair| make(&sides, purpose, panel, pair);
    match indices[..] {
        [a, b] => Some(make(Purpose::Cell, vec![], [a, b])),
        [a, b, c] => {
            let panel = panel_of([a, b, c], &sides);
            let pair: Vec<usize> = indices.iter().copied().filter(|i| *i != panel).collect();
            Some(make(Purpose::Cell, vec![panel], [pair[0], pair[1]]))
        }
        [a, b, c, d] => Some(make(Purpose::Cell, vec![a, b], [c, d])),
        _ => None,
    }
    .filter(|_| indices.len() == 2 || ordered.len() >= 3)
}

/// The longest stretch of leaves side by side: coordinates are not scattered among other things.
fn run(ordered: &[usize]) -> Vec<usize> {
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

/// Whether some leaves name a cell. Where nearly every cell has a fact, a few with two are
/// forgiven; where few have one, chance would make too few leaves look like a name.
fn is_key(form: &Form, leaves: &[usize], sides: &FxHashMap<usize, Vec<String>>) -> bool {
    let keyness = form.keyness(leaves);
    let cells: usize = leaves.iter().map(|leaf| sides[leaf].len()).product();
    keyness >= 1.0 || (keyness > 0.8 && 3 * form.most() >= 2 * cells)
}

/// A leaf whose values tell boards apart though they have no order, such as roles or lanes: without
/// it two coordinates name several facts.
fn named_panel(form: &Form, pair: [usize; 2]) -> Option<usize> {
    let [a, b] = pair;
    if form.keyness(&pair) > 0.85 {
        return None;
    }
    (0..form.arity).find(|leaf| {
        !pair.contains(leaf)
            && (2..=MAX_NAMED_PANELS).contains(&form.values(*leaf).len())
            && form.keyness(&[*leaf, a, b]) >= 1.0
            // What changes with every move is a content.
            && form.is_total(*leaf)
    })
}

/// Drops the leaf that is the number of a piece: it occurs once in a state, and there are
/// coordinates without it.
fn without_piece(form: &Form, ordered: &mut Vec<usize>) {
    if form.most() < 2 {
        return;
    }
    let is_piece = |leaf: &usize| form.keyness(&[*leaf]) >= 1.0;
    let pieces: Vec<usize> = ordered.iter().copied().filter(is_piece).collect();
    if let [piece] = pieces[..] {
        ordered.retain(|leaf| *leaf != piece);
    }
}

/// Whether two ordered leaves without any content are a place: not so if the first is a thing and
/// the second its number.
fn marks(form: &Form) -> bool {
    let parts = words::words(&form.name);
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    if glyph::direction(&parts).is_some() {
        return true;
    }
    // Speeds are no places, and the number of a board is no coordinate.
    let numbers_boards = |leaf: usize| {
        let mut values = form.values(leaf).iter();
        values.all(|value| value.starts_with("board") || value.starts_with("game"))
    };
    if has(&["vel", "velocity", "speed"]) || numbers_boards(0) || numbers_boards(1) {
        return false;
    }
    let several = form.most() > 1;
    !(several && form.keyness(&[0]) >= 1.0 && form.is_total(0))
}

/// Which of three coordinates tells boards apart: the odd one out, else the one with the fewest
/// values, else the last.
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

/// Whether the first two and the last two of four leaves are cells next to each other in every
/// fact.
fn are_neighbours(form: &Form, leaves: [usize; 4], sides: &FxHashMap<usize, Vec<String>>) -> bool {
    let place = |fact: &[String], leaf: usize, side: usize| {
        sides[&side].iter().position(|value| *value == fact[leaf])
    };
    let [a, b, c, d] = leaves;
    let mut facts = 0;
    for fact in form.all() {
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

/// Whether the second leaf follows the first in every fact.
fn are_steps(form: &Form, leaves: [usize; 2], sides: &FxHashMap<usize, Vec<String>>) -> bool {
    let [a, b] = leaves;
    let mut all = sides[&a].clone();
    all.extend(sides[&b].iter().filter(|v| !sides[&a].contains(v)).cloned());
    let all = crate::order::natural(&all).unwrap_or(all);
    let place = |value: &String| all.iter().position(|known| known == value);
    form.most() > 0
        && form.all().all(|fact| {
            place(&fact[a])
                .zip(place(&fact[b]))
                .is_some_and(|(from, to)| to == from + 1)
        })
}
