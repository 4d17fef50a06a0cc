//! From rules to tables: what all forks of the engine share.

use std::time::{Duration, Instant};

use ludorum_logic::rule::RelationId;
use ludorum_logic::{Rules, TermId, Terms};

use super::budget::{ChainSettings, Clock, Ordering, Stop};
use super::clause::{Clause, Condition, PredicateId};
use super::demand::{self, ALL_QUESTIONS, GROUPS};
use super::flatten;
use super::goals::Goals;
use super::join;
use super::moves::Moves;
use super::order::Orders;
use super::plan::{Sizes, plan};
use super::report::ChainReport;
use super::rigid::{Rigid, RigidLimits};
use super::schema::Schema;
use super::relevance::{self, Relevant};
use super::sparse::Sparse;
use super::statistics::{self, Gathered};
use super::tables::{Made, Maker, NoTables};
use super::unit::{Bare, Routine, Unit};

/// With more facts than this in a state, on average, rules are held to what is looked for.
const MANY_FACTS: f64 = 1_000.0;

/// One rule may take this part of the memory for tables.
const RULE_SHARE: usize = 8;

/// The rules of a group, in order, and what they derive.
#[derive(Debug, Default)]
pub(super) struct GroupRules {
    pub(super) units: Vec<Unit>,
    pub(super) predicates: Vec<PredicateId>,
}

/// A compiled game.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) terms: Terms,
    pub(super) roles: Vec<TermId>,
    pub(super) role_names: Vec<String>,
    pub(super) rigid: Rigid,
    pub(super) schema: Schema,
    /// By question, the groups it needs.
    pub(super) needs: [Vec<usize>; demand::QUESTIONS],
    /// By group.
    pub(super) groups: Vec<GroupRules>,
    /// The predicates of `next`, in the order of those of `true`.
    pub(super) next: Vec<PredicateId>,
    /// The predicates of `does`, in the order of those of `legal`.
    pub(super) does: Vec<PredicateId>,
    pub(super) goals: Goals,
    /// The number of `terminal`; nobody's if the game cannot end.
    pub(super) terminal: u32,
    pub(super) moves: Moves,
    /// The fluents of the initial state, sorted.
    pub(super) initial: Vec<u32>,
    pub(super) true_relation: RelationId,
    pub(super) legal_relation: RelationId,
    pub(super) report: ChainReport,
    /// The rows of sparse predicates, which all forks add to.
    pub(super) sparse: Vec<Sparse>,
}

impl Compiled {
    /// Lets sparse predicates begin anew.
    fn forget_sparse(&mut self) {
        let arities = self.schema.sparse.iter();
        self.sparse = arities.map(|arity| Sparse::new(*arity)).collect();
    }
}

/// A clause with what has been decided about it.
struct Entry {
    clause: Clause,
    /// The component; what is looked for comes before all others.
    component: Option<u32>,
    group: usize,
    /// Conditions on what the clause's component derives: for each there is a variant that begins with it.
    recursive: Vec<usize>,
}

/// A way to run a clause: which clause, and which condition first.
type Variant = (usize, Option<usize>);

/// Compiles rules.
pub(super) fn compile(
    rules: &Rules,
    settings: &ChainSettings,
    deadline: Option<Instant>,
) -> Result<Compiled, Stop> {
    let begin = Instant::now();
    let clock = Clock::until(deadline);
    let mut terms = rules.terms.clone();
    let limits = RigidLimits {
        rows: settings.rows,
        clock: &clock,
    };
    let rigid = Rigid::new(rules, &mut terms, &limits)?;
    clock.check()?;
    let mut schema = Schema::new(rules, &mut terms)?;
    let clauses = flatten::clauses(rules, &rigid, &mut schema, &mut terms)?;
    clock.check()?;
    let used = flatten::given(rules, &schema, &clauses);
    // Five bytes for each instance: its place in the list, and whether it is there.
    let most = (settings.bytes as u64 / 2 / 5).min(u64::from(u32::MAX / 2));
    schema.number(rules, &terms, &used, most)?;
    let mut compiled = frame(rules, terms, rigid, schema)?;
    compiled.report.read = begin.elapsed();

    let begin = Instant::now();
    let mut builder = Builder {
        entries: entries(rules, &compiled.schema, clauses.clone(), Vec::new()),
        settings,
        clock: &clock,
        table_end: None,
    };
    let mut gathered = builder.gather(&mut compiled, None)?;
    // Where much is derived, it pays to ask what for.
    if gathered.facts() > MANY_FACTS {
        let (predicates, ids) = (compiled.schema.predicates().len(), compiled.schema.ids);
        let relevant = relevance::restrict(rules, &mut compiled.schema, &clauses, most);
        let mut is_better = false;
        if let Some(Relevant { clauses, wanted }) = relevant {
            let plain = std::mem::take(&mut builder.entries);
            builder.entries = entries(rules, &compiled.schema, clauses, wanted);
            let other = builder.gather(&mut compiled, Some(&gathered.averages))?;
            is_better = other.is_faster_than(&gathered);
            if is_better {
                gathered = other;
            } else {
                builder.entries = plain;
            }
        }
        if !is_better {
            compiled.schema.truncate(predicates, ids);
        }
        compiled.report.restricted = is_better;
    }
    compiled.report.ordering = begin.elapsed();

    let begin = Instant::now();
    builder.table_end = Some(Instant::now() + settings.table_time);
    builder.build(&mut compiled, &gathered.averages, settings.ordering)?;
    compiled.forget_sparse();
    compiled.report.grounding = begin.elapsed();
    Ok(compiled)
}

/// All but the rules.
fn frame(rules: &Rules, terms: Terms, rigid: Rigid, schema: Schema) -> Result<Compiled, Stop> {
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
            let id = fact.and_then(|(predicate, cells)| {
                schema.id_of(predicate, |i| cells.get(i).copied())
            });
            initial.push(id.ok_or_else(|| {
                Stop::Unsupported("the initial state is outside of the domains".to_owned())
            })?);
        }
    }
    initial.sort_unstable();
    Ok(Compiled {
        next: of(keywords.next),
        does: of(keywords.does),
        goals: Goals::new(&schema, &of(keywords.goal), &rules.roles, &terms),
        terminal: schema.proposition(keywords.terminal).unwrap_or(0),
        moves: Moves::new(&schema, &rules.roles, &terms),
        roles: rules.roles.clone(),
        role_names: rules.roles.iter().map(|role| terms.text(*role)).collect(),
        needs: ALL_QUESTIONS.map(demand::groups_of),
        groups: Vec::new(),
        initial,
        true_relation: keywords.true_,
        legal_relation: keywords.legal,
        report: ChainReport::default(),
        sparse: schema.sparse.iter().map(|arity| Sparse::new(*arity)).collect(),
        terms,
        rigid,
        schema,
    })
}

fn entries(rules: &Rules, schema: &Schema, clauses: Vec<Clause>, wanted: Vec<Clause>) -> Vec<Entry> {
    let collected: Vec<PredicateId> = wanted.iter().map(|clause| clause.predicate).collect();
    let groups = demand::groups(rules);
    let component = |predicate: PredicateId| {
        let relation = schema.predicate(predicate).relation;
        rules.relation(relation).component
    };
    let mut entries: Vec<Entry> = Vec::new();
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
        entries.push(Entry {
            recursive: recursive.collect(),
            component: Some(own),
            group,
            clause,
        });
    }
    for clause in wanted {
        let recursive = (0..clause.body.len()).filter(|i| {
            matches!(&clause.body[*i], Condition::Dynamic { predicate, .. } if collected.contains(predicate))
        });
        entries.push(Entry {
            recursive: recursive.collect(),
            component: None,
            group: GROUPS - 1,
            clause,
        });
    }
    entries.sort_by_key(|entry| (entry.group, entry.component));
    entries
}

/// Makes routines of clauses.
struct Builder<'a> {
    entries: Vec<Entry>,
    settings: &'a ChainSettings,
    clock: &'a Clock,
    /// When to stop making tables and let the rest run without.
    table_end: Option<Instant>,
}

impl Builder<'_> {
    /// Builds with what is known so far, plays, and counts.
    fn gather(&mut self, compiled: &mut Compiled, known: Option<&[f64]>) -> Result<Gathered, Stop> {
        let mut guesses = statistics::guesses(compiled);
        if let Some(known) = known {
            guesses[..known.len()].copy_from_slice(known);
        }
        let ordering = match self.settings.ordering {
            // Statistics are gathered in an order that is likely good.
            Ordering::Worst => Ordering::Original,
            other => other,
        };
        compiled.forget_sparse();
        let time = self.settings.statistics_time.max(Duration::from_secs(1));
        self.table_end = Some(Instant::now() + time);
        self.build(compiled, &guesses, ordering)?;
        let deadline = self.clock.earlier(None);
        statistics::gather(compiled, self.settings, deadline, guesses)
    }

    fn build(
        &mut self,
        compiled: &mut Compiled,
        averages: &[f64],
        ordering: Ordering,
    ) -> Result<(), Stop> {
        let mut groups: Vec<GroupRules> = (0..=GROUPS).map(|_| GroupRules::default()).collect();
        let knowledge = compiled.schema.ids as usize * 5;
        let mut left = self.settings.bytes.saturating_sub(knowledge) / 4;
        compiled.report.bare = 0;
        compiled.report.rules = 0;
        let mut at = 0;
        while at < self.entries.len() {
            let (group, component) = (self.entries[at].group, self.entries[at].component);
            let same = |e: &Entry| e.group == group && e.component == component;
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
                    once.extend(self.routine(compiled, (number, None), averages, ordering, &mut left)?);
                    continue;
                }
                for place in self.entries[number].recursive.clone() {
                    let Condition::Dynamic { predicate, .. } =
                        self.entries[number].clause.body[place]
                    else {
                        continue;
                    };
                    let variant = (number, Some(place));
                    let made = self.routine(compiled, variant, averages, ordering, &mut left)?;
                    repeat.extend(made.map(|routine| (predicate, routine)));
                }
            }
            let units = &mut groups[group].units;
            if repeat.is_empty() {
                units.extend(once.into_iter().map(Unit::Once));
            } else {
                units.push(Unit::Loop { once, repeat });
            }
            at = to;
        }
        let routines = groups.iter().flat_map(|g| &g.units).flat_map(Unit::routines);
        compiled.report.table_bytes = routines.map(Routine::bytes).sum();
        compiled.report.knowledge_bytes = knowledge;
        // Only what has rules is worth a look in every state.
        for (number, question) in ALL_QUESTIONS.into_iter().enumerate() {
            let mut needs = demand::groups_of(question);
            needs.retain(|group| !groups[*group].units.is_empty());
            compiled.needs[number] = needs;
        }
        compiled.groups = groups;
        Ok(())
    }

    /// A clause in one of its variants; `None` if it never gives anything.
    fn routine(
        &mut self,
        compiled: &mut Compiled,
        variant: Variant,
        averages: &[f64],
        ordering: Ordering,
        left: &mut usize,
    ) -> Result<Option<Routine>, Stop> {
        self.clock.check()?;
        let clause = &self.entries[variant.0].clause;
        let mut orders = Orders {
            sizes: Sizes {
                schema: &compiled.schema,
                averages,
            },
            rigid: &mut compiled.rigid,
            ordering,
        };
        let order = orders.order(clause, variant.1);
        let plan = plan(clause, &order, variant.1.is_some(), &orders.sizes, orders.rigid);
        compiled.report.rules += 1;
        let is_late = self.table_end.is_some_and(|end| Instant::now() >= end);
        let schema = &compiled.schema;
        let is_sparse = |number: PredicateId| schema.predicate(number).sparse.is_some();
        let mentions_sparse = is_sparse(clause.predicate)
            || clause.body.iter().any(|condition| {
                matches!(condition, Condition::Dynamic { predicate, .. } if is_sparse(*predicate))
            });
        if !is_late && !mentions_sparse {
            let table_clock = Clock::until(self.clock.earlier(self.table_end));
            let mut maker = Maker {
                schema: &compiled.schema,
                rigid: &compiled.rigid,
                terms: &compiled.terms,
                clock: &table_clock,
                entries: (*left).min(self.settings.bytes / 4 / RULE_SHARE),
            };
            let allowed = maker.entries;
            let made = maker.program(clause, &plan);
            let rest = *left - (allowed - maker.entries);
            match made {
                Ok(Made::Idle) => return Ok(None),
                Ok(Made::Program(program)) => {
                    *left = rest;
                    return Ok(Some(Routine::Tables(program)));
                }
                Err(NoTables::TooLarge) => {}
                Err(NoTables::Stop(stop)) => self.clock.check().map_err(|_| stop)?,
            }
        }
        compiled.report.bare += 1;
        let steps = join::steps(&clause.body, &order, clause.variables);
        for step in &steps {
            if let Condition::Rigid { relation, .. } = &step.condition
                && let Some(extension) = compiled.rigid.get_mut(*relation)
            {
                extension.index(step.columns);
            }
        }
        Ok(Some(Routine::Bare(Bare {
            predicate: clause.predicate,
            head: clause.head.clone(),
            steps,
            variables: clause.variables,
        })))
    }
}
