//! Pairs of fluents that are the two coordinates of one position: `(x 3)` and `(y 5)` are joined
//! into one fact.

use crate::flat_term::FlatTerm;
use crate::sample::StateSample;

/// The two schemas of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FluentPair {
    /// The shapes of the facts for the column and the row.
    shapes: [String; 2],
    /// The name of the joined fact.
    name: String,
}

/// Suffix of the names of joined facts. It does not occur in the names of a sheet.
pub(crate) const PAIR_SUFFIX: char = '+';

/// Finds the pairs in the facts of the samples.
pub(crate) fn find(samples: &[StateSample]) -> Vec<FluentPair> {
    let mut schemas: Vec<(String, String, usize, bool)> = Vec::new();
    for text in samples.iter().take(20).flat_map(|sample| &sample.facts) {
        let term = FlatTerm::read(text);
        let is_number = term.leaves.last().is_some_and(|leaf| number(leaf));
        match schemas.iter().position(|(shape, ..)| *shape == term.shape) {
            Some(at) => schemas[at].3 &= is_number,
            None if schemas.len() < 100 => {
                schemas.push((term.shape, term.name, term.leaves.len(), is_number));
            }
            None => {}
        }
    }
    let mut pairs = Vec::new();
    for (shape, name, arity, numbers) in &schemas {
        let Some((front, back)) = name.split_once('x').filter(|_| *numbers && *arity <= 2) else {
            continue;
        };
        let partner = format!("{front}y{back}");
        let is_coordinate = front.is_empty() || ["pos", "loc", "at", "cell"].contains(&front);
        let other = schemas
            .iter()
            .find(|(_, known, size, numbers)| *known == partner && size == arity && *numbers);
        if let (Some((row, ..)), true) = (other, is_coordinate && back.len() <= 2) {
            let thing = if front.is_empty() { "position" } else { front };
            pairs.push(FluentPair {
                shapes: [shape.clone(), row.clone()],
                name: format!("{thing}{back}{PAIR_SUFFIX}"),
            });
        }
    }
    pairs
}

fn number(leaf: &str) -> bool {
    let digits = leaf.trim_start_matches(['p', 'n', '-']);
    leaf.len() - digits.len() <= 1 && digits.parse::<u32>().is_ok()
}

/// Replaces the facts of every pair by the joined fact.
pub(crate) fn join(pairs: &[FluentPair], facts: &[String]) -> Vec<String> {
    if pairs.is_empty() {
        return facts.to_vec();
    }
    let terms: Vec<FlatTerm> = facts.iter().map(|text| FlatTerm::read(text)).collect();
    let mut used = vec![false; facts.len()];
    let mut joined = Vec::new();
    for pair in pairs {
        for (at, column) in terms.iter().enumerate() {
            if column.shape != pair.shapes[0] {
                continue;
            }
            let rest = &column.leaves[..column.leaves.len() - 1];
            let partner = terms.iter().position(|row| {
                row.shape == pair.shapes[1] && row.leaves[..row.leaves.len() - 1] == *rest
            });
            let Some(partner) = partner else { continue };
            let mut words = vec![pair.name.clone()];
            words.extend(rest.iter().cloned());
            words.extend(column.leaves.last().cloned());
            words.extend(terms[partner].leaves.last().cloned());
            joined.push(format!("({})", words.join(" ")));
            used[at] = true;
            used[partner] = true;
        }
    }
    let others = facts.iter().zip(used).filter(|(_, used)| !used);
    joined.extend(others.map(|(fact, _)| fact.clone()));
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_coordinates_become_one_position() {
        let facts = [
            "(posx red p3)",
            "(posy red p1)",
            "(posx blue p0)",
            "(posy blue n1)",
            "(step 3)",
        ];
        let facts = facts.map(str::to_owned).to_vec();
        let samples = [StateSample {
            facts: facts.clone(),
            ..StateSample::default()
        }];
        let pairs = find(&samples);
        assert_eq!(
            join(&pairs, &facts),
            ["(pos+ red p3 p1)", "(pos+ blue p0 n1)", "(step 3)"]
        );
    }

    #[test]
    fn names_with_an_x_in_them_are_left_alone() {
        let facts = ["(next 1)", "(nyxt 2)", "(box 3)"]
            .map(str::to_owned)
            .to_vec();
        let samples = [StateSample {
            facts,
            ..StateSample::default()
        }];
        assert!(find(&samples).is_empty());
    }
}
