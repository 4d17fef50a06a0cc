//! What the conditions of a clause provide for each other.
//!
//! Two rules of the language have this shape: some places of a clause *want* things (a variable that must have a value, a
//! term that must be held down by a relation outside the loop), positive conditions *offer* them, and an offer counts wherever
//! it is sure to hold together with the want. With `or` and `not` nested to any depth that means: an `and` offers what some part
//! offers, an `or` what all parts offer, `not` turns one into the other, and a want is met when the formula it stands in, or
//! some formula around that, offers the thing. This is what the disjunctive normal form would say, without
//! building it.

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
    /// What a part of an `or` offers and the `or` does not, by part: it holds inside that part only.
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

    /// What all parts of an `or` offer. At least half of what the parts offer is gone afterwards, so all calls together
    /// cost no more than there are variables in the clause.
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
