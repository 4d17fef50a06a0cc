//! Compiles clauses: orders their conditions, plans them, and builds tables where there is room.

use ludorum_logic::Rules;

use super::budget::{ChainError, WorkClock};
use super::clause::{Clause, Condition, PredicateId};
use super::compiled::{CompiledGame, GroupRules};
use super::condition_order::OrderSearch;
use super::join_step;
use super::rule_groups::{self, ALL_QUERIES, GROUPS};
use super::rule_unit::{CompiledRule, JoinRule, RuleUnit};
use super::schema::Schema;
use super::settings::{ChainSettings, ConditionOrder};
use super::statistics::{self, PlayStatistics};
use super::table_builder::{BuiltTables, TableBuilder, TableFailure};
use super::table_plan::{SizeEstimates, TablePlan, plan};

/// Inverse of the share of the table memory that one rule may take.
const RULE_SHARE_DIVISOR: usize = 8;

/// A clause with its place in the evaluation order.
pub(super) struct ClauseEntry {
    clause: Clause,
    /// The component of its head. Demand clauses have none and run first.
    component: Option<u32>,
    group: usize,
    /// Positions of conditions on predicates of the same component. Each gets a semi-naive variant
    /// that begins with it.
    recursive: Vec<usize>,
}

/// A variant of a clause: its entry, and the condition that comes first.
type Variant = (usize, Option<usize>);

/// The result of trying to build tables.
enum TableAttempt {
    Built(BuiltTables),
    TooLarge,
    None,
}

/// The clauses in evaluation order. `demand_clauses` are the demand clauses of magic sets.
pub(super) fn entries(
    rules: &Rules,
    schema: &Schema,
    clauses: Vec<Clause>,
    demand_clauses: Vec<Clause>,
) -> Vec<ClauseEntry> {
    let collected: Vec<PredicateId> = demand_clauses
        .iter()
        .map(|clause| clause.predicate)
        .collect();
    let groups = rule_groups::groups(rules);
    let component = |predicate: PredicateId| {
        let relation = schema.predicate(predicate).relation;
        rules.relation(relation).component
    };
    let mut entries: Vec<ClauseEntry> = Vec::new();
    for clause in clauses {
        let relation = schema.predicate(clause.predicate).relation;
        let Some(group) = groups[relation.index()] else {
            continue;
        };
        let own = component(clause.predicate);
        let outside = [rules.keywords.true_, rules.keywords.does];
        let recursive = (0..clause.body.len()).filter(|i| match &clause.body[*i] {
            Condition::Dynamic {
                positive: true,
                predicate,
                ..
            } => {
                !outside.contains(&schema.predicate(*predicate).relation)
                    && !collected.contains(predicate)
                    && component(*predicate) == own
            }
            _ => false,
        });
        entries.push(ClauseEntry {
            recursive: recursive.collect(),
            component: Some(own),
            group,
            clause,
        });
    }
    for clause in demand_clauses {
        let recursive = (0..clause.body.len()).filter(|i| match &clause.body[*i] {
            Condition::Dynamic { predicate, .. } => collected.contains(predicate),
            _ => false,
        });
        entries.push(ClauseEntry {
            recursive: recursive.collect(),
            component: None,
            group: GROUPS - 1,
            clause,
        });
    }
    entries.sort_by_key(|entry| (entry.group, entry.component));
    entries
}

/// Compiles clauses.
pub(super) struct RuleCompiler<'a> {
    pub(super) entries: Vec<ClauseEntry>,
    pub(super) settings: &'a ChainSettings,
    pub(super) clock: &'a WorkClock,
    /// Ends the construction of tables; the remaining rules run without.
    pub(super) table_clock: WorkClock,
}

impl RuleCompiler<'_> {
    /// Compiles with the statistics known so far, and collects new ones by random play.
    pub(super) fn collect_statistics(
        &mut self,
        compiled: &mut CompiledGame,
        known: Option<&[f64]>,
    ) -> Result<PlayStatistics, ChainError> {
        let mut estimates = statistics::initial_estimates(compiled);
        if let Some(known) = known {
            estimates[..known.len()].copy_from_slice(known);
        }
        let ordering = match self.settings.condition_order {
            // Statistics are collected with an order that is likely to be good.
            ConditionOrder::HighestCost => ConditionOrder::AsWritten,
            other => other,
        };
        compiled.reset_sparse();
        self.table_clock = self.clock.with_cpu_limit(self.settings.table_time);
        self.build(compiled, &estimates, ordering)?;
        let clock = self.clock.with_cpu_limit(self.settings.statistics_time);
        Ok(statistics::collect(
            compiled,
            self.settings,
            &clock,
            estimates,
        ))
    }

    /// Compiles all rules with given estimates.
    pub(super) fn build(
        &mut self,
        compiled: &mut CompiledGame,
        averages: &[f64],
        ordering: ConditionOrder,
    ) -> Result<(), ChainError> {
        // Drop earlier tables first: only one set fits the memory limit.
        compiled.groups = Vec::new();
        let mut groups: Vec<GroupRules> = (0..=GROUPS).map(|_| GroupRules::default()).collect();
        let knowledge = compiled.schema.ids as usize * 5;
        let mut left = self.settings.max_bytes.saturating_sub(knowledge) / 4;
        compiled.report.rules_without_tables = 0;
        compiled.report.rules = 0;
        let mut at = 0;
        while at < self.entries.len() {
            let (group, component) = (self.entries[at].group, self.entries[at].component);
            let same = |e: &ClauseEntry| e.group == group && e.component == component;
            let to = at + self.entries[at..].iter().take_while(|e| same(e)).count();
            let mut once = Vec::new();
            let mut repeat = Vec::new();
            for number in at..to {
                let predicate = self.entries[number].clause.predicate;
                let rules = &mut groups[group];
                if !rules.predicates.contains(&predicate) {
                    rules.predicates.push(predicate);
                }
                if self.entries[number].recursive.is_empty() {
                    once.extend(self.compile_rule(
                        compiled,
                        (number, None),
                        averages,
                        ordering,
                        &mut left,
                    )?);
                    continue;
                }
                for place in self.entries[number].recursive.clone() {
                    let Condition::Dynamic { predicate, .. } =
                        self.entries[number].clause.body[place]
                    else {
                        continue;
                    };
                    let variant = (number, Some(place));
                    let made =
                        self.compile_rule(compiled, variant, averages, ordering, &mut left)?;
                    repeat.extend(made.map(|rule| (predicate, rule)));
                }
            }
            let units = &mut groups[group].units;
            if repeat.is_empty() {
                units.extend(once.into_iter().map(RuleUnit::Once));
            } else {
                units.push(RuleUnit::Loop { once, repeat });
            }
            at = to;
        }
        let compiled_rules = groups
            .iter()
            .flat_map(|g| &g.units)
            .flat_map(RuleUnit::compiled_rules);
        compiled.report.table_bytes = compiled_rules.map(CompiledRule::bytes).sum();
        compiled.report.knowledge_bytes = knowledge;
        // Queries skip groups without rules.
        for (number, query) in ALL_QUERIES.into_iter().enumerate() {
            let mut needs = rule_groups::groups_of(query);
            needs.retain(|group| !groups[*group].units.is_empty());
            compiled.needs[number] = needs;
        }
        compiled.groups = groups;
        Ok(())
    }

    /// Whether a clause can have tables: everything it uses is materialised, and table time is
    /// left.
    fn may_have_tables(&self, compiled: &CompiledGame, clause: &Clause) -> bool {
        let CompiledGame { schema, rigid, .. } = compiled;
        let is_sparse = |number: PredicateId| schema.predicate(number).sparse.is_some();
        let is_top_down = |condition: &Condition| match condition {
            Condition::Dynamic { predicate, .. } => is_sparse(*predicate),
            Condition::Rigid { relation, .. } => rigid.top_down(*relation).is_some(),
            _ => false,
        };
        !is_sparse(clause.predicate)
            && !clause.body.iter().any(|condition| match condition {
                Condition::Any(tests) => tests.iter().any(is_top_down),
                condition => is_top_down(condition),
            })
            && self.table_clock.check().is_ok()
    }

    /// Tries to build the tables of a plan.
    fn tables(
        &self,
        compiled: &CompiledGame,
        clause: &Clause,
        plan: &TablePlan,
        left: &mut usize,
    ) -> Result<TableAttempt, ChainError> {
        let allowed = (*left).min(self.settings.max_bytes / 4 / RULE_SHARE_DIVISOR);
        let mut table_builder = TableBuilder {
            schema: &compiled.schema,
            rigid: &compiled.rigid,
            terms: &compiled.terms,
            clock: &self.table_clock,
            entries: allowed,
        };
        match table_builder.build(clause, plan) {
            Ok(made) => {
                *left -= allowed - table_builder.entries;
                Ok(TableAttempt::Built(made))
            }
            Err(TableFailure::TooLarge) => Ok(TableAttempt::TooLarge),
            // Either the time for tables is over, or the deadline has passed.
            Err(TableFailure::Late) => self.clock.check().map(|()| TableAttempt::None),
        }
    }

    /// Compiles a variant of a clause. `None` if it can never derive anything.
    fn compile_rule(
        &mut self,
        compiled: &mut CompiledGame,
        variant: Variant,
        averages: &[f64],
        ordering: ConditionOrder,
        left: &mut usize,
    ) -> Result<Option<CompiledRule>, ChainError> {
        self.clock.check()?;
        let clause = &self.entries[variant.0].clause;
        let mut orders = OrderSearch {
            sizes: SizeEstimates {
                schema: &compiled.schema,
                averages,
            },
            rigid: &mut compiled.rigid,
            ordering,
        };
        let order = orders.order(clause, variant.1);
        compiled.report.rules += 1;
        let mut attempt = TableAttempt::None;
        if self.may_have_tables(compiled, clause) {
            let sizes = SizeEstimates {
                schema: &compiled.schema,
                averages,
            };
            let scans = variant.1.is_some();
            let plans = plan(clause, &order, scans, &sizes, &mut compiled.rigid);
            attempt = self.tables(compiled, clause, &plans, left)?;
        }
        if matches!(attempt, TableAttempt::TooLarge) && ordering == ConditionOrder::LowestCost {
            // Larger but slower tables are better than none: order once more as if all instances
            // held, which minimises table sizes.
            let full = compiled.schema.predicates().iter();
            #[allow(clippy::cast_precision_loss)]
            let full: Vec<f64> = full.map(|predicate| predicate.size as f64).collect();
            let mut orders = OrderSearch {
                sizes: SizeEstimates {
                    schema: &compiled.schema,
                    averages: &full,
                },
                rigid: &mut compiled.rigid,
                ordering,
            };
            let order = orders.order(clause, variant.1);
            let sizes = SizeEstimates {
                schema: &compiled.schema,
                averages,
            };
            let small = plan(clause, &order, variant.1.is_some(), &sizes, orders.rigid);
            attempt = self.tables(compiled, clause, &small, left)?;
        }
        match attempt {
            TableAttempt::Built(BuiltTables::NeverFires) => return Ok(None),
            TableAttempt::Built(BuiltTables::Rule(program)) => {
                return Ok(Some(CompiledRule::Tables(program)));
            }
            TableAttempt::TooLarge | TableAttempt::None => {}
        }
        let relation = compiled.schema.predicate(clause.predicate).relation;
        log::debug!("a rule of relation {} runs without tables", relation.0);
        compiled.report.rules_without_tables += 1;
        let steps = join_step::steps(&clause.body, &order, vec![false; clause.variables]);
        compiled.rigid.prepare(&steps);
        Ok(Some(CompiledRule::Join(JoinRule {
            predicate: clause.predicate,
            head: clause.head.clone(),
            steps,
            variables: clause.variables,
        })))
    }
}
