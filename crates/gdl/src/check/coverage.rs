//! What the conditions of a clause provide for each other.
//!
//! Two rules of the language have this shape: some places of a clause *want* things (a variable
//! that must have a value, a term that must be held down by a relation outside the loop), positive
//! conditions *offer* them, and an offer counts wherever it is sure to hold together with the want.
//! With `or` and `not` nested to any depth that means: an `and` offers what some part offers, an
//! `or` what all parts offer, `not` turns one into the other, and a want is met when the formula it
//! stands in, or some formula around that, offers the thing. This is what the disjunctive normal
//! form would say, without building it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Clause, Description, Formula, FormulaId};

/// The thing wanted or offered.
pub(super) type Key = u32;

/// A want that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) key: Key,
    /// The condition that wants it, `None` for the head.
    pub(super) wanted_by: Option<FormulaId>,
}

/// The gaps of a clause.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// In the order of the text, head first.
    pub(super) gaps: Vec<Gap>,
    /// For things that some part of an `or` offers and another does not: that `or`.
    pub(super) half_offered: FxHashMap<Key, FormulaId>,
}

/// What one atom or `distinct` of a body offers and wants.
pub(super) trait Terms {
    /// Adds what a condition offers when it holds.
    fn offers(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>);
    /// Adds what a condition wants to be offered by others.
    fn wants(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>);
}

/// The wants of a clause that no condition meets. `head` is what its head wants.
pub(super) fn gaps(
    description: &Description,
    clause: &Clause,
    head: &[Key],
    terms: &impl Terms,
) -> Gaps {
    let mut pass = Pass {
        description,
        terms,
        offered: Vec::new(),
        lost: FxHashMap::default(),
        half_offered: FxHashMap::default(),
        keys: Vec::new(),
    };
    let sure = pass.up(clause);
    let mut gaps: Vec<Gap> = Vec::new();
    let mut missed = FxHashSet::default();
    for key in head {
        if !sure.contains(key) && missed.insert(*key) {
            gaps.push(Gap {
                key: *key,
                wanted_by: None,
            });
        }
    }
    pass.down(clause, &sure, &mut gaps);
    Gaps {
        gaps,
        half_offered: pass.half_offered,
    }
}

struct Pass<'a, T> {
    description: &'a Description,
    terms: &'a T,
    /// What the formulas finished so far offer, those last whose connective is not finished.
    offered: Vec<FxHashSet<Key>>,
    /// What a part of an `or` offers and the `or` does not, by part: it holds inside that part
    /// only.
    lost: FxHashMap<FormulaId, Vec<Key>>,
    half_offered: FxHashMap<Key, FormulaId>,
    keys: Vec<Key>,
}

enum Step {
    Enter(FormulaId, bool),
    Leave(FormulaId, bool),
}

impl<T: Terms> Pass<'_, T> {
    /// From the leaves to the root: what the whole body offers.
    fn up(&mut self, clause: &Clause) -> FxHashSet<Key> {
        let mut steps: Vec<Step> = Vec::new();
        for part in clause.body.iter().rev() {
            steps.push(Step::Enter(*part, false));
        }
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(id, negated) => match self.description.formula(id) {
                    Formula::Not(part) => steps.push(Step::Enter(*part, !negated)),
                    Formula::And(parts) | Formula::Or(parts) => {
                        steps.push(Step::Leave(id, negated));
                        steps.extend(parts.iter().rev().map(|p| Step::Enter(*p, negated)));
                    }
                    Formula::Atom(_) | Formula::Distinct(..) => {
                        self.keys.clear();
                        self.terms.offers(id, negated, &mut self.keys);
                        self.offered.push(self.keys.iter().copied().collect());
                    }
                },
                Step::Leave(id, negated) => self.leave(id, negated),
            }
        }
        union(std::mem::take(&mut self.offered))
    }

    fn leave(&mut self, id: FormulaId, negated: bool) {
        let (Formula::And(parts) | Formula::Or(parts)) = self.description.formula(id) else {
            return;
        };
        let is_and = matches!(self.description.formula(id), Formula::And(_));
        let start = self.offered.len().saturating_sub(parts.len());
        let sets = self.offered.split_off(start);
        let offered = if is_and == negated {
            self.intersection(id, parts, sets)
        } else {
            union(sets)
        };
        self.offered.push(offered);
    }

    /// What all parts of an `or` offer. At least half of what the parts offer is gone afterwards,
    /// so all calls together cost no more than there are variables in the clause.
    fn intersection(
        &mut self,
        id: FormulaId,
        parts: &[FormulaId],
        mut sets: Vec<FxHashSet<Key>>,
    ) -> FxHashSet<Key> {
        if sets.len() == 1 {
            return sets.pop().unwrap_or_default();
        }
        let mut counts: FxHashMap<Key, usize> = FxHashMap::default();
        for key in sets.iter().flatten() {
            *counts.entry(*key).or_default() += 1;
        }
        for (part, set) in parts.iter().zip(&sets) {
            let lost: Vec<Key> = set
                .iter()
                .copied()
                .filter(|key| counts[key] < sets.len())
                .collect();
            for key in &lost {
                self.half_offered.insert(*key, id);
            }
            if !lost.is_empty() {
                self.lost.insert(*part, lost);
            }
        }
        counts.retain(|_, count| *count == sets.len());
        counts.into_keys().collect()
    }

    /// From the root to the leaves: which wants are met by nothing around them.
    fn down(&mut self, clause: &Clause, sure: &FxHashSet<Key>, gaps: &mut Vec<Gap>) {
        let mut here: FxHashMap<Key, usize> = FxHashMap::default();
        let mut steps: Vec<Step> = Vec::new();
        for part in clause.body.iter().rev() {
            steps.push(Step::Enter(*part, false));
        }
        while let Some(step) = steps.pop() {
            let (id, negated) = match step {
                Step::Enter(id, negated) => (id, negated),
                Step::Leave(id, _) => {
                    for key in self.lost.get(&id).into_iter().flatten() {
                        *here.entry(*key).or_default() -= 1;
                    }
                    continue;
                }
            };
            if let Some(keys) = self.lost.get(&id) {
                for key in keys {
                    *here.entry(*key).or_default() += 1;
                }
                steps.push(Step::Leave(id, negated));
            }
            match self.description.formula(id) {
                Formula::Not(part) => steps.push(Step::Enter(*part, !negated)),
                Formula::And(parts) | Formula::Or(parts) => {
                    steps.extend(parts.iter().rev().map(|p| Step::Enter(*p, negated)));
                }
                Formula::Atom(_) | Formula::Distinct(..) => {
                    self.keys.clear();
                    self.terms.wants(id, negated, &mut self.keys);
                    for key in &self.keys {
                        if !sure.contains(key) && here.get(key).is_none_or(|count| *count == 0) {
                            gaps.push(Gap {
                                key: *key,
                                wanted_by: Some(id),
                            });
                        }
                    }
                }
            }
        }
    }
}

/// The smaller set goes into the larger one, so that no element moves more than log n times.
fn union(sets: Vec<FxHashSet<Key>>) -> FxHashSet<Key> {
    let mut all = FxHashSet::default();
    for mut set in sets {
        if set.len() > all.len() {
            std::mem::swap(&mut set, &mut all);
        }
        all.extend(set);
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::ast::SyntaxTerm;

    /// Positive atoms offer their variables, other leaves want them.
    struct Variables<'d>(&'d Description);

    impl Variables<'_> {
        fn of(&self, leaf: FormulaId, keys: &mut Vec<Key>) {
            let terms = match self.0.formula(leaf) {
                Formula::Atom(atom) => atom.args.clone(),
                Formula::Distinct(left, right) => vec![*left, *right],
                _ => Vec::new(),
            };
            for root in terms {
                for id in self.0.subterms(root) {
                    if let SyntaxTerm::Variable(name) = self.0.term(id) {
                        keys.push(name.0);
                    }
                }
            }
        }

        fn is_positive(&self, leaf: FormulaId, negated: bool) -> bool {
            !negated && matches!(self.0.formula(leaf), Formula::Atom(_))
        }
    }

    impl Terms for Variables<'_> {
        fn offers(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
            if self.is_positive(leaf, negated) {
                self.of(leaf, keys);
            }
        }

        fn wants(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
            if !self.is_positive(leaf, negated) {
                self.of(leaf, keys);
            }
        }
    }

    type Conjunction = Vec<(FormulaId, bool)>;

    /// The disjunctive normal form, by the book.
    fn normal_form(description: &Description, id: FormulaId, negated: bool) -> Vec<Conjunction> {
        match description.formula(id) {
            Formula::Not(part) => normal_form(description, *part, !negated),
            Formula::And(parts) | Formula::Or(parts) => {
                let parts = parts.iter().map(|p| normal_form(description, *p, negated));
                if matches!(description.formula(id), Formula::And(_)) == negated {
                    parts.flatten().collect()
                } else {
                    product(parts)
                }
            }
            Formula::Atom(_) | Formula::Distinct(..) => vec![vec![(id, negated)]],
        }
    }

    fn product(parts: impl Iterator<Item = Vec<Conjunction>>) -> Vec<Conjunction> {
        parts.fold(vec![Vec::new()], |all, part| {
            let pairs = all.iter().flat_map(|a| part.iter().map(move |b| (a, b)));
            pairs.map(|(a, b)| [&a[..], &b[..]].concat()).collect()
        })
    }

    fn by_the_book(description: &Description, clause: &Clause, head: &[Key]) -> Vec<Gap> {
        let variables = Variables(description);
        let mut gaps = Vec::new();
        let parts = clause
            .body
            .iter()
            .map(|p| normal_form(description, *p, false));
        for conjunction in product(parts) {
            let mut offered = Vec::new();
            for (leaf, negated) in &conjunction {
                variables.offers(*leaf, *negated, &mut offered);
            }
            let mut want = |key: &Key, wanted_by| {
                if !offered.contains(key) {
                    let key = *key;
                    gaps.push(Gap { key, wanted_by });
                }
            };
            for key in head {
                want(key, None);
            }
            for (leaf, negated) in &conjunction {
                let mut wanted = Vec::new();
                variables.wants(*leaf, *negated, &mut wanted);
                for key in &wanted {
                    want(key, Some(*leaf));
                }
            }
        }
        gaps
    }

    fn sorted(mut gaps: Vec<Gap>) -> Vec<(Key, Option<FormulaId>)> {
        let mut pairs: Vec<_> = gaps.drain(..).map(|g| (g.key, g.wanted_by)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn condition() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "\\(p \\?[xyz]\\)",
            "\\(q \\?[xyz] \\(f \\?[xyz]\\)\\)",
            "\\(distinct \\?[xyz] a\\)",
            Just("open".to_owned()),
        ];
        leaf.prop_recursive(4, 12, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|p| format!("(not {p})")),
                prop::collection::vec(inner.clone(), 1..=3)
                    .prop_map(|ps| format!("(and {})", ps.join(" "))),
                prop::collection::vec(inner, 1..=3).prop_map(|ps| format!("(or {})", ps.join(" "))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..ProptestConfig::default()
        })]

        #[test]
        fn gaps_are_those_of_the_disjunctive_normal_form(
            body in prop::collection::vec(condition(), 1..=3)
        ) {
            let text = format!("(<= (h ?x ?y) {})", body.join(" "));
            let description = crate::kif::parse(&text).description;
            let clause = &description.clauses[0];
            let mut head = Vec::new();
            for arg in &clause.head.args {
                if let SyntaxTerm::Variable(name) = description.term(*arg) {
                    head.push(name.0);
                }
            }
            let found = gaps(&description, clause, &head, &Variables(&description)).gaps;
            prop_assert_eq!(
                sorted(found),
                sorted(by_the_book(&description, clause, &head)),
                "{}", text
            );
        }
    }
}
