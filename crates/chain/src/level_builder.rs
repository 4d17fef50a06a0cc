//! A level of a table rule during construction.

use ludorum_logic::TermId;
use ludorum_logic::rule::Pattern;
use rustc_hash::FxHashSet;

use super::clause::{Clause, Condition};
use super::pattern::UNBOUND;
use super::reference_numbers::ReferenceNumbers;
use super::rigid::RigidRelations;
use super::schema::{Predicate, Schema};
use super::table_plan::{LevelPlan, LevelSource};

/// A level during construction.
pub(super) struct LevelBuilder<'a> {
    pub(super) plan: &'a LevelPlan,
    pub(super) source: Option<(&'a Predicate, &'a [Pattern])>,
    /// The possible terms of unbound source variables with their indexes, by column.
    pub(super) choices: Vec<Vec<(TermId, u32)>>,
    pub(super) positive: Vec<&'a Condition>,
    pub(super) negative: Vec<&'a Condition>,
    pub(super) head: Option<&'a Clause>,
    pub(super) is_last: bool,
    pub(super) next: ReferenceNumbers,
    pub(super) rows: Vec<u32>,
    /// The reference table of a scan.
    pub(super) table: Vec<u32>,
    /// The first entry of the current reference number in it.
    pub(super) offset: usize,
    pub(super) values: Vec<TermId>,
    pub(super) trail: Vec<u32>,
    pub(super) row: Vec<TermId>,
}

impl<'a> LevelBuilder<'a> {
    pub(super) fn new(
        schema: &'a Schema,
        clause: &'a Clause,
        plan: &'a LevelPlan,
        domains: &[Option<Vec<TermId>>],
        gives_result: bool,
    ) -> Self {
        let source = match &plan.source {
            LevelSource::Scan(condition) | LevelSource::Walk(condition) => match condition {
                Condition::Dynamic {
                    predicate, args, ..
                } => Some((schema.predicate(*predicate), &args[..])),
                _ => None,
            },
            LevelSource::Nothing => None,
        };
        let choices = source.map_or(Vec::new(), |(predicate, args)| {
            let columns = schema.columns(predicate).zip(args);
            let choices = columns.map(|(column, arg)| match arg {
                Pattern::Variable(v) => {
                    let domain = domains[*v as usize].as_ref().unwrap_or(&column.terms);
                    let places = domain.iter().filter_map(|t| Some((*t, column.index(*t)?)));
                    places.collect()
                }
                _ => Vec::new(),
            });
            choices.collect()
        });
        let of_sign = |wanted: bool| {
            let tests = plan.tests.iter().filter(move |test| match test {
                Condition::Dynamic { positive, .. } => *positive == wanted,
                _ => false,
            });
            tests.collect::<Vec<_>>()
        };
        Self {
            plan,
            source,
            choices,
            positive: of_sign(true),
            negative: of_sign(false),
            head: gives_result.then_some(clause),
            is_last: false,
            next: ReferenceNumbers::new(plan.live.len()),
            rows: Vec::new(),
            table: Vec::new(),
            offset: 0,
            values: vec![UNBOUND; clause.variables],
            trail: Vec::new(),
            row: Vec::new(),
        }
    }

    /// The length of a row.
    pub(super) fn stride(&self) -> usize {
        let length = self.positive.len()
            + self.negative.len()
            + usize::from(matches!(self.plan.source, LevelSource::Walk(_)))
            + usize::from(self.head.is_some())
            + usize::from(!self.is_last);
        length.max(1)
    }
}

/// The possible values of each variable, by all conditions on it. `None` for variables without a
/// dynamic condition.
pub(super) fn variable_domains(
    clause: &Clause,
    schema: &Schema,
    rigid: &RigidRelations,
) -> Vec<Option<Vec<TermId>>> {
    let mut domains: Vec<Option<Vec<TermId>>> = vec![None; clause.variables];
    for condition in &clause.body {
        let Condition::Dynamic {
            positive: true,
            predicate,
            args,
        } = condition
        else {
            continue;
        };
        let predicate = schema.predicate(*predicate);
        for (column, arg) in schema.columns(predicate).zip(args) {
            if let Pattern::Variable(v) = arg {
                match &mut domains[*v as usize] {
                    Some(domain) => domain.retain(|term| column.index(*term).is_some()),
                    domain => *domain = Some(column.terms.clone()),
                }
            }
        }
    }
    for condition in &clause.body {
        if let Condition::Among(Pattern::Variable(v), allowed) = condition
            && let Some(domain) = &mut domains[*v as usize]
        {
            domain.retain(|term| allowed.contains(term));
        }
        let Condition::Rigid {
            positive: true,
            relation,
            args,
        } = condition
        else {
            continue;
        };
        let Some(extension) = rigid.get(*relation) else {
            continue;
        };
        for (column, arg) in args.iter().enumerate() {
            if let Pattern::Variable(v) = arg
                && let Some(domain) = &mut domains[*v as usize]
                && domain.len() > 1
            {
                let values: FxHashSet<TermId> = (0..extension.len())
                    .map(|row| extension.row(row)[column])
                    .collect();
                domain.retain(|term| values.contains(term));
            }
        }
    }
    domains
}
