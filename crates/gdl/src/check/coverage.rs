//! Data flow of requirements through the formulas of a clause.
//!
//! Safety and the recursion restriction have the same structure. Some parts of a clause *require* a
//! key: a variable that must be bound, or a term that must be bounded by a relation outside the
//! recursion. Positive conditions *provide* keys. A key that is provided counts wherever the
//! providing condition is sure to hold. For nested `or` and `not`: a conjunction provides the union
//! of what its parts provide, a disjunction the intersection, and `not` exchanges the two. A
//! requirement is met if the formula that contains it, or a formula around that, provides the key.
//! The result is the same as on the disjunctive normal form, which is not built.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Clause, Description, Formula, FormulaId};

/// A required or provided key: a variable or a term.
pub(super) type Key = u32;

/// A requirement that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnmetRequirement {
    pub(super) key: Key,
    /// The condition that requires the key, `None` for the head.
    pub(super) required_by: Option<FormulaId>,
}

/// The unmet requirements of a clause.
#[derive(Debug, Default)]
pub(super) struct UnmetRequirements {
    /// In text order, head first.
    pub(super) gaps: Vec<UnmetRequirement>,
    /// Keys that some part of an `or` provides and another part does not, with that `or`.
    pub(super) partially_provided: FxHashMap<Key, FormulaId>,
}

/// The keys that an atom or `distinct` of a body provides and requires.
pub(super) trait Requirements {
    /// Appends the keys that a condition provides when it holds.
    fn provides(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>);
    /// Appends the keys that a condition requires from other conditions.
    fn requires(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>);
}

/// The unmet requirements of a clause. `head` are the keys that its head requires.
pub(super) fn gaps(
    description: &Description,
    clause: &Clause,
    head: &[Key],
    terms: &impl Requirements,
) -> UnmetRequirements {
    let mut pass = Pass {
        description,
        terms,
        provided: Vec::new(),
        lost: FxHashMap::default(),
        partially_provided: FxHashMap::default(),
        keys: Vec::new(),
    };
    let sure = pass.up(clause);
    let mut gaps: Vec<UnmetRequirement> = Vec::new();
    let mut missed = FxHashSet::default();
    for key in head {
        if !sure.contains(key) && missed.insert(*key) {
            gaps.push(UnmetRequirement {
                key: *key,
                required_by: None,
            });
        }
    }
    pass.down(clause, &sure, &mut gaps);
    UnmetRequirements {
        gaps,
        partially_provided: pass.partially_provided,
    }
}

struct Pass<'a, T> {
    description: &'a Description,
    terms: &'a T,
    /// The keys that the formulas finished so far provide, up to those whose connective is not
    /// finished.
    provided: Vec<FxHashSet<Key>>,
    /// The keys that a part of an `or` provides but the `or` does not, by part. They are available
    /// inside that part only.
    lost: FxHashMap<FormulaId, Vec<Key>>,
    partially_provided: FxHashMap<Key, FormulaId>,
    keys: Vec<Key>,
}

enum Step {
    Enter(FormulaId, bool),
    Leave(FormulaId, bool),
}

impl<T: Requirements> Pass<'_, T> {
    /// Bottom-up pass: the keys that the whole body provides.
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
                        self.terms.provides(id, negated, &mut self.keys);
                        self.provided.push(self.keys.iter().copied().collect());
                    }
                },
                Step::Leave(id, negated) => self.leave(id, negated),
            }
        }
        union(std::mem::take(&mut self.provided))
    }

    fn leave(&mut self, id: FormulaId, negated: bool) {
        let (Formula::And(parts) | Formula::Or(parts)) = self.description.formula(id) else {
            return;
        };
        let is_and = matches!(self.description.formula(id), Formula::And(_));
        let start = self.provided.len().saturating_sub(parts.len());
        let sets = self.provided.split_off(start);
        let provided = if is_and == negated {
            self.intersection(id, parts, sets)
        } else {
            union(sets)
        };
        self.provided.push(provided);
    }

    /// The keys that all parts of an `or` provide. This removes at least half of the keys of the
    /// parts, so the total cost is linear in the number of variables of the clause.
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
                self.partially_provided.insert(*key, id);
            }
            if !lost.is_empty() {
                self.lost.insert(*part, lost);
            }
        }
        counts.retain(|_, count| *count == sets.len());
        counts.into_keys().collect()
    }

    /// Top-down pass: the requirements that no surrounding formula meets.
    fn down(&mut self, clause: &Clause, sure: &FxHashSet<Key>, gaps: &mut Vec<UnmetRequirement>) {
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
                    self.terms.requires(id, negated, &mut self.keys);
                    for key in &self.keys {
                        if !sure.contains(key) && here.get(key).is_none_or(|count| *count == 0) {
                            gaps.push(UnmetRequirement {
                                key: *key,
                                required_by: Some(id),
                            });
                        }
                    }
                }
            }
        }
    }
}

/// The smaller set is merged into the larger one, so that each element moves at most log n times.
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

    /// Positive atoms provide their variables; other leaves require them.
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

    impl Requirements for Variables<'_> {
        fn provides(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
            if self.is_positive(leaf, negated) {
                self.of(leaf, keys);
            }
        }

        fn requires(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
            if !self.is_positive(leaf, negated) {
                self.of(leaf, keys);
            }
        }
    }

    type Conjunction = Vec<(FormulaId, bool)>;

    /// The disjunctive normal form by definition, as a reference.
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

    fn by_normal_form(
        description: &Description,
        clause: &Clause,
        head: &[Key],
    ) -> Vec<UnmetRequirement> {
        let variables = Variables(description);
        let mut gaps = Vec::new();
        let parts = clause
            .body
            .iter()
            .map(|p| normal_form(description, *p, false));
        for conjunction in product(parts) {
            let mut provided = Vec::new();
            for (leaf, negated) in &conjunction {
                variables.provides(*leaf, *negated, &mut provided);
            }
            let mut require = |key: &Key, required_by| {
                if !provided.contains(key) {
                    let key = *key;
                    gaps.push(UnmetRequirement { key, required_by });
                }
            };
            for key in head {
                require(key, None);
            }
            for (leaf, negated) in &conjunction {
                let mut wanted = Vec::new();
                variables.requires(*leaf, *negated, &mut wanted);
                for key in &wanted {
                    require(key, Some(*leaf));
                }
            }
        }
        gaps
    }

    fn sorted(mut gaps: Vec<UnmetRequirement>) -> Vec<(Key, Option<FormulaId>)> {
        let mut pairs: Vec<_> = gaps.drain(..).map(|g| (g.key, g.required_by)).collect();
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
                sorted(by_normal_form(&description, clause, &head)),
                "{}", text
            );
        }
    }
}
