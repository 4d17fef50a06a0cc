//! Compiles rules to a game that forks of the engine share.

use std::time::{Duration, Instant};

use ludorum_logic::rule::RelationId;
use ludorum_logic::{Rules, Terms};

use super::budget::{ChainError, WorkClock};
use super::clause::PredicateId;
use super::compiled::CompiledGame;
use super::flatten;
use super::goals::Goals;
use super::magic_sets::{self, RestrictedClauses};
use super::make_top_down::make_top_down;
use super::move_ids::MoveIds;
use super::order_trial;
use super::report::ChainReport;
use super::rigid::RigidRelations;
use super::rigid_build::RigidLimits;
use super::rule_compiler::{RuleCompiler, entries};
use super::rule_groups::{self, ALL_QUERIES};
use super::schema::Schema;
use super::settings::{ChainSettings, ConditionOrder, MagicSets};
use super::sparse_instances::SparseInstances;
use super::useful_rigid_values::UsefulRigidValues;

/// Average number of derived facts in a state above which magic sets are tried.
const MAGIC_SETS_MIN_FACTS: f64 = 1_000.0;

/// Maximum build time of the tables for which the order of the game description is built and tried
/// as well.
const MAX_TRIAL_BUILD: Duration = Duration::from_millis(300);

/// Compiles rules.
pub(super) fn compile(
    rules: &Rules,
    settings: &ChainSettings,
    clock: &WorkClock,
) -> Result<CompiledGame, ChainError> {
    let begin = Instant::now();
    let mut terms = rules.terms.clone();
    let useful = UsefulRigidValues::new(rules, &terms, clock)?;
    let limits = RigidLimits {
        useful: &useful,
        rows: settings.max_rigid_rows,
        clock,
    };
    let mut rigid = RigidRelations::new(rules, &mut terms, &limits)?;
    clock.check()?;
    let mut schema = Schema::new(rules, &mut terms)?;
    let mut clauses = flatten::clauses(rules, &rigid, &mut schema, &mut terms)?;
    make_top_down(rules, &schema, &mut rigid, &mut clauses);
    clock.check()?;
    let used = flatten::derivable(rules, &schema, &clauses);
    // Five bytes for each instance: its place in the list, and its entry in the boolean array.
    let max_ids = (settings.max_bytes as u64 / 2 / 5).min(u64::from(u32::MAX / 2));
    schema.number(rules, &terms, &used, max_ids)?;
    let mut compiled = without_rules(rules, terms, rigid, schema)?;
    compiled.report.rigid_time = begin.elapsed();

    let begin = Instant::now();
    let mut compiler = RuleCompiler {
        entries: entries(rules, &compiled.schema, clauses.clone(), Vec::new()),
        settings,
        clock,
        table_clock: clock.clone(),
    };
    let mut statistics = compiler.collect_statistics(&mut compiled, None)?;
    // Magic sets pay where many facts are derived in a state.
    let tries_magic_sets = match settings.magic_sets {
        MagicSets::Always => true,
        MagicSets::Never => false,
        MagicSets::WhereFaster => statistics.derived_facts() > MAGIC_SETS_MIN_FACTS,
    };
    if tries_magic_sets {
        let (predicates, ids) = (compiled.schema.predicates().len(), compiled.schema.ids);
        let restricted = magic_sets::restrict(
            rules,
            (&mut compiled.schema, &compiled.rigid),
            &clauses,
            max_ids,
        );
        let mut is_better = false;
        if let Some(RestrictedClauses {
            clauses,
            demand_clauses,
        }) = restricted
        {
            let plain = std::mem::take(&mut compiler.entries);
            compiler.entries = entries(rules, &compiled.schema, clauses, demand_clauses);
            let other = compiler.collect_statistics(&mut compiled, Some(&statistics.averages))?;
            is_better =
                settings.magic_sets == MagicSets::Always || other.is_faster_than(&statistics);
            if is_better {
                statistics = other;
            } else {
                compiler.entries = plain;
            }
        }
        if !is_better {
            compiled.schema.truncate(predicates, ids);
        }
        compiled.report.magic_sets = is_better;
    }
    compiled.report.ordering_time = begin.elapsed();

    let begin = Instant::now();
    compiler.table_clock = clock.with_cpu_limit(settings.table_time);
    compiler.build(
        &mut compiled,
        &statistics.averages,
        settings.condition_order,
    )?;
    compiled.reset_sparse();
    // Both sets of tables exist during the trial.
    let report = &compiled.report;
    let is_small = report.table_bytes * 2 + report.knowledge_bytes <= settings.max_bytes;
    if settings.condition_order == ConditionOrder::LowestCost
        && !settings.order_trial_time.is_zero()
        && is_small
        && begin.elapsed() < MAX_TRIAL_BUILD
    {
        order_trial::take_faster(&mut compiler, &mut compiled, &statistics.averages)?;
    }
    compiled.report.table_time = begin.elapsed();
    compiled.report.rigid_bytes = compiled.rigid.bytes();
    compiled.report.top_down_relations = compiled.rigid.top_down_count();
    Ok(compiled)
}

/// The compiled game without its rules.
fn without_rules(
    rules: &Rules,
    terms: Terms,
    rigid: RigidRelations,
    schema: Schema,
) -> Result<CompiledGame, ChainError> {
    let keywords = rules.keywords;
    let of = |relation: RelationId| -> Vec<PredicateId> {
        let predicates = schema.predicates().iter();
        let mut those: Vec<_> = predicates.filter(|p| p.relation == relation).collect();
        those.sort_by_key(|predicate| predicate.base);
        those.iter().map(|predicate| predicate.number).collect()
    };
    let mut initial = Vec::new();
    if let Some(init) = rigid.get(keywords.init) {
        for row in 0..init.len() {
            let fluent = init.row(row)[0];
            let parts = (terms.functor(fluent), terms.args(fluent));
            let fact = schema.fact(keywords.true_, None, parts, &terms);
            let id = fact
                .and_then(|(predicate, cells)| schema.id_of(predicate, |i| cells.get(i).copied()));
            initial.push(id.ok_or_else(|| {
                ChainError::Unsupported("the initial state is outside of the domains".to_owned())
            })?);
        }
    }
    initial.sort_unstable();
    Ok(CompiledGame {
        next: of(keywords.next),
        does: of(keywords.does),
        goals: Goals::new(&schema, &of(keywords.goal), &rules.roles, &terms),
        terminal: schema.proposition(keywords.terminal).unwrap_or(0),
        moves: MoveIds::new(&schema, &rules.roles, &terms),
        roles: rules.roles.clone(),
        role_names: rules.roles.iter().map(|role| terms.text(*role)).collect(),
        needs: ALL_QUERIES.map(rule_groups::groups_of),
        groups: Vec::new(),
        initial,
        true_relation: keywords.true_,
        legal_relation: keywords.legal,
        report: ChainReport::default(),
        sparse: schema
            .sparse
            .iter()
            .map(|arity| SparseInstances::new(*arity))
            .collect(),
        terms,
        rigid,
        schema,
    })
}
