//! The orientation of a board: which coordinate is the column and which the row, and in which
//! direction they count.

use rustc_hash::FxHashMap;

use crate::candidate::BoardCandidate;
use crate::content::content_of;
use crate::evidence::Evidence;
use crate::flat_term::FlatTerm;
use crate::glyph;
use crate::names;
use crate::style::Style;
use crate::term_schema::TermSchema;

/// The orientation of a board, as positions within a cell name and directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Orientation {
    pub(crate) column: usize,
    pub(crate) row: usize,
    /// The last column is at the left.
    pub(crate) leftwards: bool,
    /// The first row is at the bottom.
    pub(crate) upwards: bool,
}

/// Determines the orientation of a board by votes of several heuristics. `pair` are the two
/// components of a cell name that are its coordinates.
pub(crate) fn find(
    lead: &BoardCandidate,
    sides: &[Vec<String>],
    pair: [usize; 2],
    evidence: &Evidence,
) -> Orientation {
    let schema = &evidence.schemas[lead.schema];
    let mut votes = Votes::default();
    vote_by_names(schema, lead.pair, &mut votes);
    vote_by_symbols(sides, pair, &mut votes);
    vote_by_drops(lead, sides, pair, evidence, &mut votes);
    vote_by_directions(lead, evidence, &mut votes);
    let first_is_row = votes.first_is_row > 0;
    let (column, row) = if first_is_row {
        (pair[1], pair[0])
    } else {
        (pair[0], pair[1])
    };
    vote_by_home_rows(lead, first_is_row, evidence, &mut votes);
    Orientation {
        column,
        row,
        leftwards: votes.leftwards > 0,
        // Coordinates of mathematics and chess count upwards, those of tables downwards.
        upwards: match votes.upwards {
            0 => !first_is_row && !votes.table,
            vote => vote > 0,
        },
    }
}

/// Votes for each property: the sign is the answer, the magnitude the weight.
#[derive(Debug, Default)]
struct Votes {
    first_is_row: i32,
    upwards: i32,
    leftwards: i32,
    table: bool,
}

/// Votes by the names of variables in the rules.
fn vote_by_names(schema: &TermSchema, pair: [usize; 2], votes: &mut Votes) {
    let is_row = |name: &str| name.starts_with("row") || name.starts_with("rank");
    let is_column = |name: &str| name.starts_with("col") || name.starts_with("file");
    let count = |leaf: usize, test: &dyn Fn(&str) -> bool| -> i32 {
        let names: &FxHashMap<String, usize> = &schema.variables[leaf];
        let count: usize = names
            .iter()
            .filter(|(name, _)| test(name))
            .map(|(_, count)| *count)
            .sum();
        i32::try_from(count.min(3)).unwrap_or(3)
    };
    let [first, second] = pair;
    let mut words = count(first, &is_row) + count(second, &is_column);
    words -= count(first, &is_column) + count(second, &is_row);
    let initial = |letter: char| move |name: &str| name.starts_with(letter) && name.len() <= 3;
    let mut letters = count(first, &initial('r')).min(count(second, &initial('c')));
    letters += count(first, &initial('y')).min(count(second, &initial('x')));
    letters -= count(first, &initial('c')).min(count(second, &initial('r')));
    letters -= count(first, &initial('x')).min(count(second, &initial('y')));
    votes.first_is_row += 3 * words + 2 * letters;
    // By convention of matrices, `m` is the row and `n` the column.
    let mn = count(first, &|name| name == "m").min(count(second, &|name| name == "n"));
    if votes.first_is_row == 0 && mn > 0 {
        votes.first_is_row = 1;
    }
    if words != 0 {
        votes.table = true;
    }
}

/// Votes by the symbols of the coordinates: letters are columns and numbers rows, `r1` is a row and
/// `c1` a column.
fn vote_by_symbols(sides: &[Vec<String>], pair: [usize; 2], votes: &mut Votes) {
    let [first, second] = pair.map(|place| prefix(&sides[place]));
    let kind = |prefix: &Prefix| match prefix {
        Prefix::Letters => -1,
        Prefix::Named(name) if name.starts_with('r') || name.starts_with('y') => 2,
        Prefix::Named(name) if name.starts_with('x') || name.starts_with("col") => -2,
        Prefix::Named(name) if name.starts_with('c') => -1,
        Prefix::Numbers | Prefix::Named(_) => 0,
    };
    let (one, other) = (kind(&first), kind(&second));
    if one != other {
        votes.first_is_row += 4 * (one - other);
    }
    match (&first, &second) {
        (Prefix::Letters, Prefix::Numbers | Prefix::Named(_))
        | (Prefix::Numbers | Prefix::Named(_), Prefix::Letters) => votes.upwards += 1,
        (Prefix::Named(a), Prefix::Named(b)) if a != b => votes.table = true,
        _ => {}
    }
}

enum Prefix {
    Letters,
    Numbers,
    Named(String),
}

fn prefix(values: &[String]) -> Prefix {
    let stem = |value: &String| {
        value
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .to_ascii_lowercase()
    };
    let first = values.first().map(stem).unwrap_or_default();
    if values.iter().all(|value| value.parse::<i64>().is_ok()) {
        Prefix::Numbers
    } else if values.iter().all(|value| value.len() == 1) {
        Prefix::Letters
    } else if values.iter().all(|value| stem(value) == first) {
        Prefix::Named(first)
    } else {
        Prefix::Numbers
    }
}

/// Votes for games where pieces drop into columns: moves name the column, and the first pieces lie
/// at the bottom.
fn vote_by_drops(
    lead: &BoardCandidate,
    sides: &[Vec<String>],
    pair: [usize; 2],
    evidence: &Evidence,
    votes: &mut Votes,
) {
    let schema = &evidence.schemas[lead.schema];
    if lead.content.is_empty() {
        return;
    }
    let empty = crate::content::empty_contents(schema, &lead.content, evidence.roles);
    let place = |axis: usize, value: &String| sides[pair[axis]].iter().position(|v| v == value);
    let mut across = [0i32; 2];
    let mut heights: Vec<usize> = Vec::new();
    for (sample, joint) in evidence.joints.iter().enumerate() {
        let (Some(joint), true) = (joint, sample > 0) else {
            continue;
        };
        let terms: Vec<FlatTerm> = joint.iter().map(|text| FlatTerm::read(text)).collect();
        let named: Vec<&String> = terms
            .iter()
            .filter(|term| term.leaves.len() == 1)
            .map(|term| &term.leaves[0])
            .collect();
        if named.is_empty() {
            continue;
        }
        let before = &schema.states[sample - 1];
        for fact in &schema.states[sample] {
            if before.contains(fact) || empty.contains(&content_of(fact, &lead.content)) {
                continue;
            }
            for axis in 0..2 {
                if named.contains(&&fact[lead.pair[axis]]) {
                    across[axis] += 1;
                }
            }
            if before
                .iter()
                .all(|fact| empty.contains(&content_of(fact, &lead.content)))
            {
                heights.push(sample);
            }
        }
    }
    let strength = across[0] - across[1];
    if strength.abs() < 2 {
        return;
    }
    let column = usize::from(strength < 0);
    votes.first_is_row += if column == 1 { 20 } else { -20 };
    let row = 1 - column;
    let size = sides[pair[row]].len();
    let mut low = 0i32;
    for sample in heights {
        for fact in &schema.states[sample] {
            if empty.contains(&content_of(fact, &lead.content)) {
                continue;
            }
            if let Some(at) = place(row, &fact[lead.pair[row]]) {
                low += if 2 * at < size { 1 } else { -1 };
            }
        }
    }
    votes.upwards += 10 * low.signum();
}

/// Votes by moves that name a direction, and by what they changed.
fn vote_by_directions(lead: &BoardCandidate, evidence: &Evidence, votes: &mut Votes) {
    let schema = &evidence.schemas[lead.schema];
    let number =
        |value: &String, axis: usize| lead.sides[&lead.pair[axis]].iter().position(|v| v == value);
    for (sample, joint) in evidence.joints.iter().enumerate() {
        let (Some(joint), true) = (joint, sample > 0) else {
            continue;
        };
        let directions: Vec<[i8; 2]> = joint
            .iter()
            .filter_map(|text| {
                let term = FlatTerm::read(text);
                let mut parts = names::split_words(&term.name);
                parts.extend(term.leaves.iter().flat_map(|leaf| names::split_words(leaf)));
                parts.iter().find_map(|part| {
                    let bare = part.strip_prefix("move").unwrap_or(part).to_owned();
                    glyph::direction(&[bare])
                })
            })
            .collect();
        let [direction] = directions[..] else {
            continue;
        };
        let (before, now) = (&schema.states[sample - 1], &schema.states[sample]);
        let gone: Vec<_> = before.iter().filter(|fact| !now.contains(fact)).collect();
        let come: Vec<_> = now.iter().filter(|fact| !before.contains(fact)).collect();
        let ([gone], [come]) = (&gone[..], &come[..]) else {
            continue;
        };
        if content_of(gone, &lead.content) != content_of(come, &lead.content) {
            continue;
        }
        let change = |axis: usize| -> i32 {
            let leaf = lead.pair[axis];
            match (number(&gone[leaf], axis), number(&come[leaf], axis)) {
                (Some(from), Some(to)) if from < to => 1,
                (Some(from), Some(to)) if from > to => -1,
                _ => 0,
            }
        };
        let changes = [change(0), change(1)];
        let vertical = direction[1] != 0;
        match changes {
            [moved, 0] if moved != 0 => {
                votes.first_is_row += if vertical { 3 } else { -3 };
                add_vote(votes, direction, moved);
            }
            [0, moved] if moved != 0 => {
                votes.first_is_row += if vertical { -3 } else { 3 };
                add_vote(votes, direction, moved);
            }
            _ => {}
        }
    }
}

fn add_vote(votes: &mut Votes, direction: [i8; 2], moved: i32) {
    let [right, down] = direction.map(i32::from);
    if down != 0 {
        votes.upwards += -3 * down * moved;
    } else {
        votes.leftwards += -3 * right * moved;
    }
}

/// Votes by the home rows: the first role is at the bottom.
fn vote_by_home_rows(
    lead: &BoardCandidate,
    first_is_row: bool,
    evidence: &Evidence,
    votes: &mut Votes,
) {
    let schema = &evidence.schemas[lead.schema];
    if evidence.roles.len() != 2 || lead.content.is_empty() {
        return;
    }
    let style = Style::new(
        evidence.roles,
        &schema
            .all()
            .map(|fact| content_of(fact, &lead.content))
            .collect(),
        std::collections::BTreeMap::default(),
    );
    let row = lead.pair[usize::from(!first_is_row)];
    let side = &lead.sides[&row];
    let mut sums = [(0usize, 0usize); 2];
    let Some(first) = schema.states.first() else {
        return;
    };
    for fact in first {
        let Some(owner) = style.owner(&content_of(fact, &lead.content)) else {
            continue;
        };
        let Some(at) = side.iter().position(|value| *value == fact[row]) else {
            continue;
        };
        for (role, sum) in sums.iter_mut().enumerate() {
            if style.of_role(role) == owner {
                sum.0 += at;
                sum.1 += 1;
            }
        }
    }
    let [(a, n), (b, m)] = sums;
    if n > 0 && m > 0 {
        let apart = a * m < b * n;
        // No vote if both roles start at about the same height.
        if (a * m).abs_diff(b * n) * 3 > side.len() * n * m {
            votes.upwards += if apart { 3 } else { -3 };
        }
    }
}
