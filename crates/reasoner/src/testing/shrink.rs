//! Minimises a failing rule sheet: removes clauses, then conditions, as long as it still fails.

use ludorum_gdl::{Description, kif};

/// The smallest sheet found that still fails.
pub fn shrink(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut best = text.to_owned();
    loop {
        let mut smaller = None;
        for candidate in candidates(&best) {
            if fails(&candidate) {
                smaller = Some(candidate);
                break;
            }
        }
        match smaller {
            Some(text) => best = text,
            None => return best,
        }
    }
}

fn candidates(text: &str) -> Vec<String> {
    let description = ludorum_gdl::parse(text).description;
    let mut all = Vec::new();
    for i in 0..description.clauses.len() {
        let mut fewer = description.clone();
        fewer.clauses.remove(i);
        all.push(kif::sheet(&fewer));
    }
    for (i, clause) in description.clauses.iter().enumerate() {
        for j in 0..clause.body.len() {
            let mut fewer: Description = description.clone();
            fewer.clauses[i].body.remove(j);
            all.push(kif::sheet(&fewer));
        }
    }
    all
}
