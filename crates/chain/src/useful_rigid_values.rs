//! Finds the values of rigid relations that rules can use, before the relations are computed.
//!
//! A relation over four numbers up to fifty has six million rows. If its uses only have coordinates
//! up to nine, ten thousand are enough. A value is useful if it can occur in all other conditions
//! on the same variable of a rule, and in the rule's head if its head values are useful.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use ludorum_logic::domain::DomainId;
use ludorum_logic::expansion::variable_domains;
use ludorum_logic::rule::{Atom, Literal, Pattern, RelationId, Rule, Variable};
use ludorum_logic::{Domains, Rules, TermId, Terms};
use rustc_hash::FxHashSet;

use super::budget::{ChainError, WorkClock};
use super::clause::Condition;

/// Maximum size of a domain that is analysed.
const MAX_VALUES: u64 = 10_000;

/// A set of values; `None` for any value.
type Values = Option<FxHashSet<TermId>>;

/// By relation and argument, the useful values, where they are fewer than the domain.
#[derive(Debug)]
pub(super) struct UsefulRigidValues(Vec<Vec<Option<Arc<FxHashSet<TermId>>>>>);

/// The analysis in progress.
struct ValueAnalysis(Vec<Vec<Values>>);

impl UsefulRigidValues {
    pub(super) fn new(rules: &Rules, terms: &Terms, clock: &WorkClock) -> Result<Self, ChainError> {
        let domains = Domains::new(rules);
        let search = ValueAnalysis::new(rules, &domains, terms, clock)?;
        let relations = search.0.into_iter().enumerate().map(|(relation, places)| {
            let places = places.into_iter().enumerate().map(|(place, values)| {
                let at = domains.argument(RelationId(relation as u32), place);
                let all = domains.size(at).unwrap_or(u64::MAX);
                values
                    .filter(|values| (values.len() as u64) < all)
                    .map(Arc::new)
            });
            places.collect()
        });
        Ok(Self(relations.collect()))
    }

    /// Conditions that restrict a rule to useful head values.
    pub(super) fn conditions(&self, head: &Atom) -> impl Iterator<Item = Condition> {
        let places = head.args.iter().zip(&self.0[head.relation.index()]);
        places.filter_map(|(arg, values)| match (arg, values) {
            (Pattern::Variable(_), Some(values)) => {
                Some(Condition::Among(arg.clone(), Arc::clone(values)))
            }
            _ => None,
        })
    }
}

impl ValueAnalysis {
    fn new(
        rules: &Rules,
        domains: &Domains,
        terms: &Terms,
        clock: &WorkClock,
    ) -> Result<Self, ChainError> {
        let keywords = rules.keywords;
        let mut query_relations = vec![keywords.init, keywords.role];
        query_relations.extend(keywords.per_state());
        let mut search = Self(
            rules
                .relations()
                .map(|(id, relation)| {
                    let none = (!query_relations.contains(&id)).then(FxHashSet::default);
                    vec![none; relation.arity]
                })
                .collect(),
        );
        let mut by_head: Vec<Vec<usize>> = vec![Vec::new(); rules.relations().count()];
        for (number, rule) in rules.rules.iter().enumerate() {
            by_head[rule.head.relation.index()].push(number);
        }
        // Dependents come before dependencies, so that most rules are visited once.
        let position = |number: usize| {
            let head = rules.rules[number].head.relation;
            (Reverse(rules.relation(head).component), number)
        };
        let mut todo: BTreeSet<(Reverse<u32>, usize)> =
            (0..rules.rules.len()).map(position).collect();
        while let Some((_, number)) = todo.pop_first() {
            let rule = &rules.rules[number];
            let values = variable_values(rule, domains, terms);
            let values = search.restrict_to_head(rule, values);
            let size: usize = values.iter().flatten().map(FxHashSet::len).sum();
            if clock.spend(u32::try_from(size).unwrap_or(u32::MAX)) {
                clock.check()?;
            }
            for atom in rule.body.iter().filter_map(Literal::atom) {
                if search.add_uses(atom, &values) {
                    let deriving = &by_head[atom.relation.index()];
                    todo.extend(deriving.iter().map(|number| position(*number)));
                }
            }
        }
        Ok(search)
    }

    /// Restricts the values of a rule's variables to those useful in its head.
    fn restrict_to_head(&self, rule: &Rule, mut within: Vec<Values>) -> Vec<Values> {
        let useful = &self.0[rule.head.relation.index()];
        for (arg, useful) in rule.head.args.iter().zip(useful) {
            if let (Pattern::Variable(v), Some(useful)) = (arg, useful) {
                let slot = &mut within[*v as usize];
                match slot {
                    Some(known) => known.retain(|term| useful.contains(term)),
                    None => *slot = Some(useful.clone()),
                }
            }
        }
        within
    }

    /// Adds the values that an atom uses. Returns true if some are new.
    fn add_uses(&mut self, atom: &Atom, values: &[Values]) -> bool {
        let mut grown = false;
        for (arg, slot) in atom.args.iter().zip(&mut self.0[atom.relation.index()]) {
            let Some(known) = slot else { continue };
            let before = known.len();
            match arg {
                Pattern::Ground(term) => {
                    known.insert(*term);
                    grown |= known.len() > before;
                }
                Pattern::Variable(v) if values[*v as usize].is_some() => {
                    known.extend(values[*v as usize].iter().flatten());
                    grown |= known.len() > before;
                }
                _ => {
                    *slot = None;
                    grown = true;
                }
            }
        }
        grown
    }
}

/// The possible values of each variable, by all positive conditions of the rule.
fn variable_values(rule: &Rule, domains: &Domains, terms: &Terms) -> Vec<Values> {
    let mut values: Vec<Values> = vec![None; rule.variables.len()];
    let positive = rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    });
    let mut places: Vec<(Variable, DomainId)> = Vec::new();
    for atom in positive {
        for (place, arg) in atom.args.iter().enumerate() {
            let at = domains.argument(atom.relation, place);
            variable_domains(domains, arg, at, &mut places);
        }
    }
    for (v, at) in places {
        match &mut values[v as usize] {
            Some(known) => known.retain(|term| domains.contains(at, *term, terms)),
            slot => {
                let is_small = domains.size(at).is_some_and(|size| size <= MAX_VALUES);
                if is_small && domains.functions(at).next().is_none() {
                    let constants = domains.constants(at);
                    // A constant that is not interned occurs in no row.
                    let constants = constants.filter_map(|name| terms.get(name, &[]));
                    *slot = Some(constants.collect());
                }
            }
        }
    }
    values
}
