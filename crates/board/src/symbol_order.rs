//! Order of symbols: only ordered symbols can be the columns or rows of a board.

use ludorum_logic::Rules;
use rustc_hash::FxHashMap;

/// Maximum number of symbols on the side of a board.
pub(crate) const MAX_SYMBOLS: usize = 64;
/// Maximum number of symbols that are sorted.
const MAX_RANKED: usize = 1_000;
/// Maximum number of facts of a successor relation.
const MAX_LINKS: usize = 2_000;

/// The orders that successor relations such as `(succ 1 2)` define.
#[derive(Debug, Default)]
pub(crate) struct SuccessorChains {
    /// The position of each symbol, by chain.
    chains: Vec<FxHashMap<String, usize>>,
}

impl SuccessorChains {
    pub(crate) fn new(rules: &Rules) -> Self {
        let mut chains = Vec::new();
        for (id, relation) in rules.relations() {
            if relation.arity != 2 || relation.facts.len() > MAX_LINKS {
                continue;
            }
            let mut after: FxHashMap<&str, &str> = FxHashMap::default();
            let mut before: FxHashMap<&str, &str> = FxHashMap::default();
            let mut is_chain = true;
            for fact in rules.facts_of(id) {
                let [from, to] = fact.args[..] else { continue };
                if !rules.terms.args(from).is_empty() || !rules.terms.args(to).is_empty() {
                    is_chain = false;
                    break;
                }
                let name = |term| rules.terms.symbols.name(rules.terms.functor(term));
                let (from, to) = (name(from), name(to));
                is_chain &= after.insert(from, to).is_none() && before.insert(to, from).is_none();
            }
            if is_chain {
                chains.extend(paths(&after, &before));
            }
        }
        Self { chains }
    }

    /// The symbols in their order; without one, sorted by stem and number.
    pub(crate) fn sorted_or_by_name(&self, symbols: &[String]) -> Vec<String> {
        self.sorted(symbols).unwrap_or_else(|| {
            let mut names = symbols.to_vec();
            names.sort_by_cached_key(|name| {
                let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
                let number: u64 = name[stem.len()..].parse().unwrap_or(0);
                (stem.to_owned(), number, name.clone())
            });
            names
        })
    }

    /// The symbols in their order, if they have one and are few enough for a side of a board.
    pub(crate) fn sorted(&self, symbols: &[String]) -> Option<Vec<String>> {
        if symbols.len() > MAX_SYMBOLS {
            return None;
        }
        self.sorted_unbounded(symbols)
    }

    /// The symbols in their order, if they have one.
    pub(crate) fn sorted_unbounded(&self, symbols: &[String]) -> Option<Vec<String>> {
        if symbols.len() < 2 || symbols.len() > MAX_RANKED {
            return None;
        }
        natural(symbols).or_else(|| {
            let chain = self
                .chains
                .iter()
                .find(|chain| symbols.iter().all(|symbol| chain.contains_key(symbol)))?;
            let mut sorted = symbols.to_vec();
            sorted.sort_by_key(|symbol| chain.get(symbol));
            Some(sorted)
        })
    }
}

/// The chains of a successor relation, without its cycles.
fn paths(
    after: &FxHashMap<&str, &str>,
    before: &FxHashMap<&str, &str>,
) -> Vec<FxHashMap<String, usize>> {
    let mut starts: Vec<&str> = after
        .keys()
        .copied()
        .filter(|symbol| !before.contains_key(symbol))
        .collect();
    starts.sort_unstable();
    let path = |start: &str| {
        let mut path = FxHashMap::default();
        let mut at = Some(start);
        while let Some(symbol) = at {
            path.insert(symbol.to_owned(), path.len());
            at = after.get(symbol).copied();
        }
        path
    };
    starts.into_iter().map(path).collect()
}

/// The conventional order of numbers, letters and numbered names such as `c1`, `c2`.
pub(crate) fn natural(symbols: &[String]) -> Option<Vec<String>> {
    let keys: Option<Vec<(i64, &String)>> = numbers(symbols)
        .or_else(|| letters(symbols))
        .or_else(|| numbered(symbols))
        .or_else(|| words(symbols))
        .map(|keys| keys.into_iter().zip(symbols).collect());
    let mut keys = keys?;
    keys.sort();
    let distinct = keys.windows(2).all(|pair| pair[0].0 != pair[1].0);
    distinct.then(|| keys.into_iter().map(|(_, symbol)| symbol.clone()).collect())
}

fn numbers(symbols: &[String]) -> Option<Vec<i64>> {
    // Some sheets write negative numbers as n1, n2 beside plain numbers or p1, p2.
    let plain = |symbol: &String| symbol.parse().ok();
    let signed = |symbol: &String| {
        let digits = |rest: &str| rest.parse::<u32>().ok().map(i64::from);
        if let Some(rest) = symbol.strip_prefix('n') {
            return digits(rest).map(|number| -number);
        }
        digits(symbol.strip_prefix('p').unwrap_or(symbol))
    };
    let all_plain: Option<Vec<i64>> = symbols.iter().map(plain).collect();
    all_plain.or_else(|| {
        let mixed = symbols.iter().any(|s| s.starts_with('n'))
            && symbols.iter().any(|s| !s.starts_with('n'));
        symbols
            .iter()
            .map(signed)
            .collect::<Option<_>>()
            .filter(|_| mixed)
    })
}

fn letters(symbols: &[String]) -> Option<Vec<i64>> {
    let letter = |symbol: &String| {
        let mut chars = symbol.chars();
        let first = chars.next()?;
        let single = chars.next().is_none() && first.is_ascii_alphabetic();
        single.then(|| i64::from(first.to_ascii_lowercase() as u32))
    };
    symbols.iter().map(letter).collect()
}

fn numbered(symbols: &[String]) -> Option<Vec<i64>> {
    let split = |symbol: &String| {
        let prefix = symbol.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = symbol[prefix.len()..].parse().ok()?;
        Some((prefix.to_owned(), number))
    };
    let pairs: Vec<(String, i64)> = symbols.iter().map(split).collect::<Option<_>>()?;
    let same = pairs.windows(2).all(|pair| pair[0].0 == pair[1].0);
    same.then(|| pairs.into_iter().map(|(_, number)| number).collect())
}

fn words(symbols: &[String]) -> Option<Vec<i64>> {
    const ORDERS: [&[&str]; 4] = [
        &[
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        ],
        &[
            "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
        ],
        &["left", "middle", "right"],
        &["left", "center", "right"],
    ];
    // Only `left` and `right` are two sides, not positions in a row.
    if symbols.len() < 3 {
        return None;
    }
    ORDERS.iter().find_map(|order| {
        let place = |symbol: &String| {
            let mut numbered = order.iter().zip(0..);
            let found = numbered.find(|(word, _)| symbol.eq_ignore_ascii_case(word));
            found.map(|(_, number)| number)
        };
        symbols.iter().map(place).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn numbers_letters_and_numbered_names_have_a_natural_order() {
        let sorted = |texts: &[&str]| natural(&symbols(texts)).map(|order| order.join(" "));
        assert_eq!(sorted(&["10", "9", "1"]).unwrap(), "1 9 10");
        assert_eq!(sorted(&["b", "a"]).unwrap(), "a b");
        assert_eq!(sorted(&["c10", "c2"]).unwrap(), "c2 c10");
        assert_eq!(sorted(&["n1", "0", "n2", "3"]).unwrap(), "n2 n1 0 3");
        assert_eq!(
            sorted(&["right", "middle", "left"]).unwrap(),
            "left middle right"
        );
        assert_eq!(sorted(&["right", "left"]), None);
        assert_eq!(sorted(&["white", "black"]), None);
        assert_eq!(sorted(&["a1", "b1"]), None);
    }

    #[test]
    fn facts_of_the_rules_give_an_order_to_any_names() {
        let rules = Rules::from_text(
            "(role r) (after ash oak) (after oak fir) (init (at ash))
             (<= (legal r (go ?y)) (true (at ?x)) (after ?x ?y))
             (<= (next (at ?x)) (does r (go ?x))) (<= terminal (true (at fir))) (goal r 100)",
        )
        .unwrap();
        let chains = SuccessorChains::new(&rules);
        let sorted = chains.sorted(&symbols(&["fir", "ash", "oak"])).unwrap();
        assert_eq!(sorted, ["ash", "oak", "fir"]);
        assert_eq!(chains.sorted(&symbols(&["fir", "elm"])), None);
    }
}
