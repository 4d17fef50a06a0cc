//! Computes rigid relations once, by semi-naive evaluation, component by component. Relations that
//! are too large to materialise keep their rules and are evaluated top-down.

use std::time::Duration;

use cpu_time::ThreadTime;
use ludorum_logic::domain::Domains;
use ludorum_logic::rule::{Atom, Literal, Pattern, Rule};
use ludorum_logic::{Rules, TermId, Terms};

use super::budget::{ChainError, JoinStop, WorkClock};
use super::clause::rigid_body;
use super::column_domain;
use super::extension::Extension;
use super::join::JoinContext;
use super::join_plan::greedy_order;
use super::join_step;
use super::pattern::{self, UNBOUND};
use super::reference_numbers::ReferenceNumbers;
use super::rigid::RigidRelations;
use super::top_down::{TopDownRelation, TopDownRule};
use super::useful_rigid_values::UsefulRigidValues;

/// Maximum size of a term, in names.
const MAX_TERM: u32 = 1 << 12;

/// Maximum number of bindings of one rule in one round.
const MAX_BINDINGS: usize = 8_000_000;

/// Maximum number of fluents of the initial state.
const MAX_INITIAL: usize = 1_000_000;

/// CPU time for one component of mutually recursive rules.
const MAX_COMPONENT_TIME: Duration = Duration::from_secs(5);

/// CPU time for all rigid relations. Relations not computed by then are evaluated top-down.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Maximum number of cells of all rigid relations.
const MAX_CELLS: usize = 40_000_000;

/// Limits of the computation.
pub(super) struct RigidLimits<'a> {
    /// Maximum rows of a materialised relation.
    pub(super) rows: usize,
    pub(super) clock: &'a WorkClock,
    /// The values that rules can use.
    pub(super) useful: &'a UsefulRigidValues,
}

impl RigidRelations {
    /// Computes all rigid relations.
    pub(super) fn new(
        rules: &Rules,
        terms: &mut Terms,
        limits: &RigidLimits<'_>,
    ) -> Result<Self, ChainError> {
        let is_rigid = rules.rigid_relations();
        let mut extensions: Vec<Option<Extension>> = rules
            .relations()
            .map(|(id, relation)| is_rigid[id.index()].then(|| Extension::new(relation.arity)))
            .collect();
        for fact in &rules.facts {
            if let Some(extension) = &mut extensions[fact.relation.index()] {
                extension.insert(&fact.args);
            }
        }
        let mut rigid = Self {
            top_down: extensions.iter().map(|_| None).collect(),
            extensions,
        };
        let mut components: Vec<Vec<&Rule>> = vec![Vec::new(); rules.component_count()];
        for rule in &rules.rules {
            if is_rigid[rule.head.relation.index()] {
                let component = rules.relation(rule.head.relation).component;
                components[component as usize].push(rule);
            }
        }
        let begin = ThreadTime::now();
        for component in components {
            let left = MAX_TIME.saturating_sub(begin.elapsed());
            let limits = RigidLimits {
                rows: limits.rows,
                clock: &limits.clock.with_cpu_limit(MAX_COMPONENT_TIME.min(left)),
                useful: limits.useful,
            };
            match rigid.component(rules, &component, terms, &limits) {
                Ok(()) => {}
                Err(JoinStop::Error(error @ ChainError::Unsupported(_))) => return Err(error),
                // A limit of this component was exceeded, unless the deadline of the whole build
                // has passed.
                Err(JoinStop::Error(_) | JoinStop::TooLarge | JoinStop::Enough) => {
                    limits.clock.check_deadline()?;
                    rigid.make_top_down(rules, &component, terms)?;
                }
            }
        }
        Ok(rigid)
    }

    fn component(
        &mut self,
        rules: &Rules,
        component: &[&Rule],
        terms: &mut Terms,
        limits: &RigidLimits<'_>,
    ) -> Result<(), JoinStop> {
        // Row counts at the start of the last round: the delta is what was added since.
        let mut from = self.sizes();
        let mut is_first = true;
        loop {
            let to = self.sizes();
            let mut grown = false;
            for rule in component {
                let recursive: Vec<usize> = (0..rule.body.len())
                    .filter(|i| match &rule.body[*i] {
                        Literal::Positive(atom) => is_recursive(rules, rule, atom),
                        _ => false,
                    })
                    .collect();
                if is_first {
                    grown |= self.apply(rules, rule, None, terms, limits)?;
                    continue;
                }
                for place in recursive {
                    let relation = rule.body[place].atom().map_or(0, |a| a.relation.index());
                    let delta = from[relation]..to[relation];
                    if !delta.is_empty() {
                        grown |= self.apply(rules, rule, Some((place, delta)), terms, limits)?;
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

    /// Leaves the relations of a component to top-down evaluation.
    fn make_top_down(
        &mut self,
        rules: &Rules,
        component: &[&Rule],
        terms: &mut Terms,
    ) -> Result<(), ChainError> {
        // Top-down evaluation creates no terms, so all terms of the columns are interned now.
        let has_functions = |rule: &Rule| {
            let mut args = rule.head.args.iter();
            args.any(|arg| matches!(arg, Pattern::Compound(..)))
        };
        let mut domains_of_terms = component
            .iter()
            .any(|rule| has_functions(rule))
            .then(|| (Domains::new(rules), column_domain::ColumnDomains::default()));
        for rule in component {
            let relation = rule.head.relation;
            let name = rules.relation_name(relation);
            log::debug!("`{name}` is not materialised");
            if relation == rules.keywords.init {
                return Err(ChainError::Unsupported(
                    "the initial state is too large".to_owned(),
                ));
            }
            if let Some((domains, columns)) = &mut domains_of_terms {
                for place in 0..rule.head.args.len() {
                    let domain = domains.argument(relation, place);
                    let column = columns.column(domain, false, false, domains, terms);
                    column.map_err(|_| match domains.size(domain) {
                        None => ChainError::nesting(name),
                        Some(_) => ChainError::too_many_values(name),
                    })?;
                }
            }
            let place = relation.index();
            if self.top_down[place].is_some() {
                continue;
            }
            let mut facts = Extension::new(rules.relation(relation).arity);
            for fact in rules.facts_of(relation) {
                facts.insert(&fact.args);
            }
            self.extensions[place] = Some(facts);
            let mut all = component.iter().flat_map(|rule| {
                let atoms = rule.body.iter().filter_map(Literal::atom);
                atoms.map(|atom| is_recursive(rules, rule, atom))
            });
            let own = component.iter().filter(|own| own.head.relation == relation);
            let own = own.map(|rule| TopDownRule {
                head: rule.head.args.clone(),
                body: rigid_body(rule),
                variables: rule.variables.len(),
            });
            self.top_down[place] = Some(TopDownRelation::new(
                own.collect(),
                rules.relation(relation).component,
                all.any(|is_recursive| is_recursive),
            ));
        }
        Ok(())
    }

    /// Applies a rule. `delta` restricts one condition to a range of rows. Returns true if rows
    /// were added.
    fn apply(
        &mut self,
        rules: &Rules,
        rule: &Rule,
        delta: Option<(usize, std::ops::Range<usize>)>,
        terms: &mut Terms,
        limits: &RigidLimits<'_>,
    ) -> Result<bool, JoinStop> {
        let mut body = rigid_body(rule);
        body.extend(limits.useful.conditions(&rule.head));
        let first = delta.as_ref().map(|(place, _)| *place);
        let unbound = vec![false; rule.variables.len()];
        let order = greedy_order(&body, first, unbound.clone(), self);
        let steps = join_step::steps(&body, &order, unbound);
        // A rule that enumerates a top-down relation is too large itself.
        if steps.iter().any(|step| {
            let top_down = step.condition.rigid_relation().map(|r| self.top_down(r));
            !step.is_test && step.columns == 0 && top_down.flatten().is_some()
        }) {
            return Err(JoinStop::TooLarge);
        }
        self.prepare(&steps);
        let mut variables: Vec<u32> = Vec::new();
        for arg in &rule.head.args {
            arg.for_each_variable(&mut |v| {
                if !variables.contains(&v) {
                    variables.push(v);
                }
            });
        }
        // The initial state must be materialised.
        let is_initial = rule.head.relation == rules.keywords.init;
        let max_rows = limits.rows.max(if is_initial { MAX_INITIAL } else { 0 });
        let mut found = ReferenceNumbers::new(variables.len());
        let mut values = vec![UNBOUND; rule.variables.len()];
        let mut bindings = 0usize;
        let mut row: Vec<TermId> = Vec::with_capacity(variables.len());
        let context = JoinContext {
            rigid: self,
            terms,
            clock: limits.clock,
            dynamic: None,
            table: None,
        };
        let delta = delta.map(|(_, range)| range);
        context.solve(&steps, delta, &mut values, &mut |values| {
            row.clear();
            row.extend(variables.iter().map(|v| values[*v as usize]));
            found.number(&row);
            bindings += 1;
            if bindings > MAX_BINDINGS || found.count as usize > max_rows {
                return Err(JoinStop::TooLarge);
            }
            Ok(())
        })?;
        let mut grown = false;
        let Some(extension) = &mut self.extensions[rule.head.relation.index()] else {
            return Ok(false);
        };
        for solution in 0..found.count {
            for (v, term) in variables.iter().zip(found.row(solution)) {
                values[*v as usize] = *term;
            }
            row.clear();
            for arg in &rule.head.args {
                let term = pattern::make(arg, &values, terms);
                if terms.size(term) > MAX_TERM {
                    let name = rules.relation_name(rule.head.relation);
                    return Err(ChainError::nesting(name).into());
                }
                row.push(term);
            }
            grown |= extension.insert(&row);
        }
        if extension.len() > max_rows {
            return Err(JoinStop::TooLarge);
        }
        let extensions = self.extensions.iter().flatten();
        if !is_initial && extensions.map(Extension::cell_count).sum::<usize>() > MAX_CELLS {
            return Err(JoinStop::TooLarge);
        }
        Ok(grown)
    }
}

/// Whether a body atom belongs to the component of the head.
fn is_recursive(rules: &Rules, rule: &Rule, atom: &Atom) -> bool {
    rules.relation(atom.relation).component == rules.relation(rule.head.relation).component
}
