//! Evaluation of rigid relations, such as neighbourhoods, from which the recognition derives the
//! geometry of a board.
//!
//! Naive forward chaining with a small budget. There is no result for relations that exceed it or
//! that have compound terms.

use ludorum_logic::rule::{Atom, Literal, Pattern, RelationId, Rule};
use ludorum_logic::{RelationClass, Rules, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of literals that are evaluated.
const MAX_STEPS: usize = 1_500_000;
/// Maximum number of tuples of a relation.
const MAX_TUPLES: usize = 40_000;

type Tuple = Vec<TermId>;

/// The tuples of a relation.
#[derive(Debug, Default)]
struct TupleTable {
    tuples: Vec<Tuple>,
    known: FxHashSet<Tuple>,
    /// Index of the tuples by the term at an argument.
    index: FxHashMap<(usize, TermId), Vec<usize>>,
}

impl TupleTable {
    fn add(&mut self, tuple: Tuple) -> bool {
        if !self.known.insert(tuple.clone()) {
            return false;
        }
        for (place, term) in tuple.iter().enumerate() {
            let list = self.index.entry((place, *term)).or_default();
            list.push(self.tuples.len());
        }
        self.tuples.push(tuple);
        true
    }
}

/// Evaluates rigid relations on demand; all share one budget.
pub(crate) struct RigidRelations<'r> {
    rules: &'r Rules,
    tables: FxHashMap<RelationId, Option<TupleTable>>,
    steps: usize,
}

impl<'r> RigidRelations<'r> {
    pub(crate) fn new(rules: &'r Rules) -> Self {
        Self {
            rules,
            tables: FxHashMap::default(),
            steps: 0,
        }
    }

    /// The tuples of a rigid relation as text; `None` if it is not rigid or exceeds the budget.
    pub(crate) fn tuples(&mut self, relation: RelationId) -> Option<Vec<Vec<String>>> {
        self.compute(relation)?;
        let table = self.tables.get(&relation)?.as_ref()?;
        let texts = |tuple: &Tuple| {
            tuple
                .iter()
                .map(|term| self.rules.terms.text(*term))
                .collect()
        };
        Some(table.tuples.iter().map(texts).collect())
    }

    fn compute(&mut self, target: RelationId) -> Option<()> {
        let mut needed = self.needed(target)?;
        needed.sort_by_key(|id| self.rules.relation(*id).component);
        let mut from = 0;
        while from < needed.len() {
            let component = self.rules.relation(needed[from]).component;
            let mut to = from;
            while to < needed.len() && self.rules.relation(needed[to]).component == component {
                to += 1;
            }
            let group = &needed[from..to];
            if !group.iter().all(|id| self.tables.contains_key(id)) {
                let done = self.component(group).is_some();
                if !done {
                    for id in group {
                        self.tables.insert(*id, None);
                    }
                    return None;
                }
            } else if group
                .iter()
                .any(|id| matches!(self.tables.get(id), Some(None)))
            {
                return None;
            }
            from = to;
        }
        Some(())
    }

    /// All relations that a relation depends on, including itself.
    fn needed(&self, target: RelationId) -> Option<Vec<RelationId>> {
        let mut found = vec![target];
        let mut seen: FxHashSet<RelationId> = found.iter().copied().collect();
        let mut at = 0;
        while at < found.len() {
            let id = found[at];
            at += 1;
            if self.rules.relation(id).class != RelationClass::Rigid {
                return None;
            }
            for rule in self.rules.rules_of(id) {
                for atom in rule.body.iter().filter_map(Literal::atom) {
                    if seen.insert(atom.relation) {
                        found.push(atom.relation);
                    }
                }
            }
        }
        Some(found)
    }

    /// Computes the least fixpoint of a strongly connected component. The components that it
    /// depends on are complete.
    fn component(&mut self, group: &[RelationId]) -> Option<()> {
        for id in group {
            let mut table = TupleTable::default();
            for fact in self.rules.facts_of(*id) {
                table.add(fact.args.clone());
            }
            self.tables.insert(*id, Some(table));
        }
        loop {
            let mut grown = false;
            for id in group {
                for number in self.rules.relation(*id).rules.clone() {
                    let rule = &self.rules.rules[number];
                    let found = self.derive(rule)?;
                    let table = self.tables.get_mut(id)?.as_mut()?;
                    for tuple in found {
                        grown |= table.add(tuple);
                        if table.tuples.len() > MAX_TUPLES {
                            return None;
                        }
                    }
                }
            }
            if !grown {
                return Some(());
            }
        }
    }

    /// Derives all heads of a rule. Partial bindings are kept in a work list instead of a
    /// recursion.
    fn derive(&mut self, rule: &Rule) -> Option<Vec<Tuple>> {
        let mut bindings: Vec<Vec<Option<TermId>>> = vec![vec![None; rule.variables.len()]];
        let mut waiting: Vec<&Literal> = rule.body.iter().collect();
        while !waiting.is_empty() {
            let bound = bindings.first()?.clone();
            let next = choose(&waiting, &bound)?;
            let literal = waiting.remove(next);
            let mut extended = Vec::new();
            for binding in &bindings {
                self.steps += 1;
                if self.steps > MAX_STEPS {
                    return None;
                }
                match literal {
                    Literal::Distinct(left, right) => {
                        if value(left, binding)? != value(right, binding)? {
                            extended.push(binding.clone());
                        }
                    }
                    Literal::Negative(atom) => {
                        let tuple: Option<Tuple> =
                            atom.args.iter().map(|arg| value(arg, binding)).collect();
                        let table = self.tables.get(&atom.relation)?.as_ref()?;
                        if !table.known.contains(&tuple?) {
                            extended.push(binding.clone());
                        }
                    }
                    Literal::Positive(atom) => {
                        self.steps += self.matches(atom, binding, &mut extended)?;
                        if self.steps > MAX_STEPS || extended.len() > MAX_TUPLES {
                            return None;
                        }
                    }
                }
            }
            bindings = extended;
            if bindings.is_empty() {
                return Some(Vec::new());
            }
        }
        bindings
            .iter()
            .map(|binding| {
                rule.head
                    .args
                    .iter()
                    .map(|arg| value(arg, binding))
                    .collect()
            })
            .collect()
    }

    /// Extends a binding by all tuples that match an atom. Returns the number of visited tuples.
    fn matches(
        &self,
        atom: &Atom,
        binding: &[Option<TermId>],
        extended: &mut Vec<Vec<Option<TermId>>>,
    ) -> Option<usize> {
        let table = self.tables.get(&atom.relation)?.as_ref()?;
        let mut narrow: Option<&[usize]> = None;
        for (place, arg) in atom.args.iter().enumerate() {
            if let Some(term) = value(arg, binding) {
                let list = table
                    .index
                    .get(&(place, term))
                    .map_or(&[][..], Vec::as_slice);
                if narrow.is_none_or(|narrow| list.len() < narrow.len()) {
                    narrow = Some(list);
                }
            }
        }
        let all: Vec<usize>;
        let list = if let Some(list) = narrow {
            list
        } else {
            all = (0..table.tuples.len()).collect();
            &all
        };
        'tuples: for number in list {
            let mut next = binding.to_vec();
            for (arg, term) in atom.args.iter().zip(&table.tuples[*number]) {
                match arg {
                    Pattern::Ground(known) if known == term => {}
                    Pattern::Variable(variable) => {
                        let slot = next.get_mut(*variable as usize)?;
                        if slot.is_some_and(|known| known != *term) {
                            continue 'tuples;
                        }
                        *slot = Some(*term);
                    }
                    Pattern::Ground(_) => continue 'tuples,
                    Pattern::Compound(..) => return None,
                }
            }
            extended.push(next);
        }
        Some(list.len() + 1)
    }
}

fn value(pattern: &Pattern, binding: &[Option<TermId>]) -> Option<TermId> {
    match pattern {
        Pattern::Ground(id) => Some(*id),
        Pattern::Variable(variable) => *binding.get(*variable as usize)?,
        Pattern::Compound(..) => None,
    }
}

/// Selects the next literal: a test as soon as its variables are bound, otherwise the atom with the
/// most bound arguments.
fn choose(waiting: &[&Literal], bound: &[Option<TermId>]) -> Option<usize> {
    let is_bound = |pattern: &Pattern| value(pattern, bound).is_some();
    let rank = |literal: &Literal| match literal {
        Literal::Distinct(left, right) => (is_bound(left) && is_bound(right)).then_some(1_000),
        Literal::Negative(atom) => atom.args.iter().all(is_bound).then_some(900),
        Literal::Positive(atom) => {
            let known = atom.args.iter().filter(|arg| is_bound(arg)).count();
            Some(if known == atom.args.len() { 800 } else { known })
        }
    };
    let ranked = waiting.iter().enumerate();
    let best = ranked.filter_map(|(at, literal)| Some((rank(literal)?, std::cmp::Reverse(at))));
    best.max().map(|(_, std::cmp::Reverse(at))| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuples(text: &str, relation: &str, arity: usize) -> Option<Vec<String>> {
        let rules = Rules::from_text(text).unwrap();
        let id = rules.find_relation(relation, arity)?;
        let mut found: Vec<String> = RigidRelations::new(&rules)
            .tuples(id)?
            .iter()
            .map(|tuple| tuple.join(" "))
            .collect();
        found.sort();
        Some(found)
    }

    const GAME: &str = "(role r) (init (at 1)) (succ 1 2) (succ 2 3)
        (<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x))
        (<= (far ?x ?y) (below ?x ?y) (not (near ?x ?y)) (distinct ?x 9))
        (<= (below ?x ?y) (succ ?x ?y)) (<= (below ?x ?z) (below ?x ?y) (succ ?y ?z))
        (<= (here ?x ?y) (true (at ?x)) (far ?x ?y))
        (<= (legal r (go ?y)) (true (at ?x)) (near ?x ?y)) (<= (legal r (leap ?y)) (here ?x ?y))
        (<= (next (at ?x)) (does r (go ?x))) (<= (next (at ?x)) (does r (leap ?x)))
        (<= terminal (true (at 3))) (goal r 100)";

    #[test]
    fn rules_over_rules_are_computed_to_their_fixpoint() {
        let near = tuples(GAME, "near", 2).unwrap();
        assert_eq!(near, ["1 2", "2 1", "2 3", "3 2"]);
        assert_eq!(tuples(GAME, "far", 2).unwrap(), ["1 3"]);
    }

    #[test]
    fn what_changes_has_no_answer() {
        assert_eq!(tuples(GAME, "here", 2), None);
    }
}
