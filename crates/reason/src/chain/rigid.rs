//! Relations that look at no state, computed once: bottom up, component by component, only with what is new in each round.

use ludorum_logic::rule::{Atom, Literal, RelationId, Rule};
use ludorum_logic::{Class, Rules, TermId, Terms};

use super::budget::{Clock, Stop};
use super::clause::{Condition, rigid_body};
use super::extension::Extension;
use super::join::{self, World};
use super::pattern::{self, FREE};

/// The longest term that is made, in names.
const MAX_TERM: u32 = 1 << 12;

/// The most ways to satisfy a rule in one round.
const MAX_FOUND: usize = 8_000_000;

/// The rigid relations of a game.
#[derive(Debug)]
pub(super) struct Rigid {
    /// By relation; `None` for those that change.
    pub(super) extensions: Vec<Option<Extension>>,
}

/// What computing them may use.
pub(super) struct RigidLimits<'a> {
    /// The most rows of a relation.
    pub(super) rows: usize,
    pub(super) clock: &'a Clock,
}

/// Which relations never change, less the keywords that are asked for and what depends on them.
fn rigid_relations(rules: &Rules) -> Vec<bool> {
    let keywords = &rules.keywords;
    let asked = [
        keywords.true_,
        keywords.does,
        keywords.next,
        keywords.legal,
        keywords.goal,
        keywords.terminal,
    ];
    let mut rigid: Vec<bool> = rules
        .relations()
        .map(|(id, relation)| relation.class == Class::Rigid && !asked.contains(&id))
        .collect();
    loop {
        let mut changed = false;
        for rule in &rules.rules {
            let head = rule.head.relation.index();
            let mut body = rule.body.iter().filter_map(Literal::atom);
            if rigid[head] && body.any(|atom| !rigid[atom.relation.index()]) {
                rigid[head] = false;
                changed = true;
            }
        }
        if !changed {
            return rigid;
        }
    }
}

impl Rigid {
    /// Computes them.
    pub(super) fn new(
        rules: &Rules,
        terms: &mut Terms,
        limits: &RigidLimits<'_>,
    ) -> Result<Self, Stop> {
        let is_rigid = rigid_relations(rules);
        let mut extensions: Vec<Option<Extension>> = rules
            .relations()
            .map(|(id, relation)| is_rigid[id.index()].then(|| Extension::new(relation.arity)))
            .collect();
        for fact in &rules.facts {
            if let Some(extension) = &mut extensions[fact.relation.index()] {
                extension.insert(&fact.args);
            }
        }
        let mut rigid = Self { extensions };
        let mut components: Vec<Vec<&Rule>> = vec![Vec::new(); rules.component_count()];
        for rule in &rules.rules {
            if is_rigid[rule.head.relation.index()] {
                let component = rules.relation(rule.head.relation).component;
                components[component as usize].push(rule);
            }
        }
        for component in components {
            rigid.component(rules, &component, terms, limits)?;
        }
        Ok(rigid)
    }

    fn component(
        &mut self,
        rules: &Rules,
        component: &[&Rule],
        terms: &mut Terms,
        limits: &RigidLimits<'_>,
    ) -> Result<(), Stop> {
        let Some(first) = component.first() else {
            return Ok(());
        };
        let number = rules.relation(first.head.relation).component;
        let inside = |atom: &Atom| rules.relation(atom.relation).component == number;
        // What was there when the last round began: a round joins what is new since then.
        let mut from = self.sizes();
        let mut is_first = true;
        loop {
            let to = self.sizes();
            let mut grown = false;
            for rule in component {
                let recursive: Vec<usize> = (0..rule.body.len())
                    .filter(|i| matches!(&rule.body[*i], Literal::Positive(atom) if inside(atom)))
                    .collect();
                if is_first {
                    grown |= self.apply(rules, rule, None, terms, limits)?;
                    continue;
                }
                for place in recursive {
                    let relation = rule.body[place].atom().map_or(0, |a| a.relation.index());
                    let news = from[relation]..to[relation];
                    if !news.is_empty() {
                        grown |= self.apply(rules, rule, Some((place, news)), terms, limits)?;
                    }
                }
            }
            if !grown {
                return Ok(());
            }
            if !is_first {
                from = to;
            }
            is_first = false;
        }
    }

    /// The rows of a relation that never changes.
    pub(super) fn get(&self, relation: RelationId) -> Option<&Extension> {
        self.extensions[relation.index()].as_ref()
    }

    pub(super) fn get_mut(&mut self, relation: RelationId) -> Option<&mut Extension> {
        self.extensions[relation.index()].as_mut()
    }

    fn sizes(&self) -> Vec<usize> {
        let size = |extension: &Option<Extension>| extension.as_ref().map_or(0, Extension::len);
        self.extensions.iter().map(size).collect()
    }

    /// Applies a rule, with only some rows of one condition if wanted; true if something was new.
    fn apply(
        &mut self,
        rules: &Rules,
        rule: &Rule,
        news: Option<(usize, std::ops::Range<usize>)>,
        terms: &mut Terms,
        limits: &RigidLimits<'_>,
    ) -> Result<bool, Stop> {
        let body = rigid_body(rule);
        let first = news.as_ref().map(|(place, _)| *place);
        let order = join::greedy_order(&body, first, rule.variables.len(), self);
        let steps = join::steps(&body, &order, rule.variables.len());
        for step in &steps {
            if let Condition::Rigid { relation, .. } = &step.condition
                && let Some(extension) = &mut self.extensions[relation.index()]
            {
                extension.index(step.columns);
            }
        }
        let mut found: Vec<TermId> = Vec::new();
        let mut values = vec![FREE; rule.variables.len()];
        let width = values.len();
        let mut count = 0usize;
        let world = World {
            rigid: self,
            terms,
            clock: limits.clock,
            dynamic: None,
        };
        let news = news.map(|(_, range)| range);
        world.solve(&steps, news, &mut values, &mut |values| {
            found.extend_from_slice(values);
            count += 1;
            if count > MAX_FOUND {
                return Err(Stop::Unsupported(format!(
                    "a rule of `{}` can be satisfied in more than {MAX_FOUND} ways",
                    rules.relation_name(rule.head.relation)
                )));
            }
            Ok(())
        })?;
        let mut grown = false;
        let Some(extension) = &mut self.extensions[rule.head.relation.index()] else {
            return Ok(false);
        };
        let mut row = Vec::with_capacity(extension.arity);
        for solution in 0..count {
            let values = &found[solution * width..(solution + 1) * width];
            row.clear();
            for arg in &rule.head.args {
                let term = pattern::make(arg, values, terms);
                if terms.size(term) > MAX_TERM {
                    return Err(Stop::nesting(rules.relation_name(rule.head.relation)));
                }
                row.push(term);
            }
            grown |= extension.insert(&row);
        }
        if extension.len() > limits.rows {
            return Err(Stop::Unsupported(format!(
                "`{}` has more than {} rows",
                rules.relation_name(rule.head.relation),
                limits.rows
            )));
        }
        Ok(grown)
    }
}
