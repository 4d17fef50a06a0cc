//! Builds the reference tables of a plan (Schofield and Saffidine 2013, definitions 7 to 9).
//!
//! Level by level, every reference number is extended by all instances that agree with it, and the
//! resulting bindings are numbered anew. Rows that cannot lead to a result are then removed, from
//! the last level to the first ([`prune`](super::prune)).

use ludorum_logic::rule::Pattern;
use ludorum_logic::{TermId, Terms};

use super::budget::{ChainError, JoinStop, WorkClock};
use super::clause::{Clause, Condition};
use super::join::JoinContext;
use super::knowledge_base::NEVER_HOLDS;
use super::level_builder::{LevelBuilder, variable_domains};
use super::pattern::{self, UNBOUND};
use super::prune::prune;
use super::reference_numbers::ReferenceNumbers;
use super::rigid::RigidRelations;
use super::schema::Schema;
use super::table_plan::{LevelItem, LevelSource, TablePlan};
use super::table_rule::{FAIL, LevelAccess, RowKind, RuleLevel, TableRule};

/// Maximum number of levels: evaluation recurses once for each level.
const MAX_LEVELS: usize = 64;

/// Maximum number of rigid conditions and tests in a level: construction recurses once for each.
const MAX_ITEMS: usize = 1_000;

/// The inputs of construction.
pub(super) struct TableBuilder<'a> {
    pub(super) schema: &'a Schema,
    pub(super) rigid: &'a RigidRelations,
    pub(super) terms: &'a Terms,
    pub(super) clock: &'a WorkClock,
    /// Number of table entries that may still be added.
    pub(super) entries: usize,
}

/// Why a rule has no tables.
pub(super) enum TableFailure {
    /// The tables are too large.
    TooLarge,
    /// The time for tables is over.
    Late,
}

impl From<ChainError> for TableFailure {
    fn from(_: ChainError) -> Self {
        Self::Late
    }
}

impl From<JoinStop> for TableFailure {
    fn from(halt: JoinStop) -> Self {
        match halt {
            JoinStop::Error(error) => error.into(),
            JoinStop::TooLarge | JoinStop::Enough => Self::TooLarge,
        }
    }
}

/// The tables of a clause.
pub(super) enum BuiltTables {
    Rule(TableRule),
    /// The clause never derives anything.
    NeverFires,
}

impl TableBuilder<'_> {
    /// Builds the tables of a clause.
    pub(super) fn build(
        &mut self,
        clause: &Clause,
        plan: &TablePlan,
    ) -> Result<BuiltTables, TableFailure> {
        let mut items = plan.levels.iter().map(|level| level.items.len());
        if plan.levels.len() > MAX_LEVELS || items.any(|count| count > MAX_ITEMS) {
            return Err(TableFailure::TooLarge);
        }
        let mut present = Vec::new();
        let mut absent = Vec::new();
        let values = vec![UNBOUND; clause.variables];
        for condition in &plan.ground {
            if let Condition::Dynamic {
                positive,
                predicate,
                args,
            } = condition
            {
                let predicate = self.schema.predicate(*predicate);
                match self.schema.id(predicate, args, &values, self.terms) {
                    Some(id) if *positive => present.push(id),
                    Some(id) => absent.push(id),
                    None if *positive => return Ok(BuiltTables::NeverFires),
                    None => {}
                }
            } else if !self.rigid_context().holds(condition, &values)? {
                return Ok(BuiltTables::NeverFires);
            }
        }
        let mut result = NEVER_HOLDS;
        if plan.result_level == 0 {
            match self.result(clause, &values) {
                Some(id) => result = id,
                None => return Ok(BuiltTables::NeverFires),
            }
        }
        let domains = variable_domains(clause, self.schema, self.rigid);
        let mut references = ReferenceNumbers::new(0);
        references.number(&[]);
        let mut live: Vec<u32> = Vec::new();
        let mut levels = Vec::with_capacity(plan.levels.len());
        for (number, level) in plan.levels.iter().enumerate() {
            let gives_result = number + 1 == plan.result_level;
            let builder = LevelBuilder::new(self.schema, clause, level, &domains, gives_result);
            let is_last = number + 1 == plan.levels.len();
            let (made, next) = self.level(builder, is_last, &references, &live)?;
            levels.push(made);
            references = next;
            live.clone_from(&level.live);
        }
        if !prune(&mut levels) {
            return Ok(BuiltTables::NeverFires);
        }
        let last = levels.len().saturating_sub(1);
        for (number, level) in levels.iter_mut().enumerate() {
            level.specialise(number == last);
        }
        let rule = TableRule {
            predicate: clause.predicate,
            present: present.into(),
            absent: absent.into(),
            levels: levels.into(),
            result_level: plan.result_level as u32,
            result,
        };
        let head = self.schema.predicate(clause.predicate);
        let instances = head.base..head.base + head.size as u32;
        // A safeguard of the unchecked accesses: an unsound rule would run without tables.
        if !rule.is_sound(self.schema.ids, instances) {
            return Err(TableFailure::TooLarge);
        }
        Ok(BuiltTables::Rule(rule))
    }

    /// The context for conditions that do not depend on the state.
    fn rigid_context(&self) -> JoinContext<'_> {
        JoinContext {
            rigid: self.rigid,
            terms: self.terms,
            clock: self.clock,
            dynamic: None,
            table: None,
        }
    }

    fn result(&self, clause: &Clause, values: &[TermId]) -> Option<u32> {
        let predicate = self.schema.predicate(clause.predicate);
        self.schema.id(predicate, &clause.head, values, self.terms)
    }

    fn level(
        &mut self,
        mut builder: LevelBuilder<'_>,
        is_last: bool,
        references: &ReferenceNumbers,
        live: &[u32],
    ) -> Result<(RuleLevel, ReferenceNumbers), TableFailure> {
        builder.is_last = is_last;
        let size = builder
            .source
            .map_or(0, |(predicate, _)| predicate.size as usize);
        let scans = matches!(builder.plan.source, LevelSource::Scan(_));
        if scans {
            let entries = size.saturating_mul(references.count as usize);
            self.spend(entries)?;
            builder.table = vec![FAIL; entries];
        }
        let mut starts = vec![0u32];
        for reference in 0..references.count {
            for (v, term) in live.iter().zip(references.row(reference)) {
                builder.values[*v as usize] = *term;
            }
            builder.offset = reference as usize * size;
            self.extend_by_source(&mut builder, 0, 0)?;
            starts.push(builder.rows.len() as u32);
        }
        let stride = builder.stride() as u32;
        let access = if scans {
            let (predicate, _) = builder.source.ok_or(TableFailure::TooLarge)?;
            LevelAccess::Scan {
                predicate: predicate.number,
                base: predicate.base,
                size: size as u32,
                table: builder.table.into(),
            }
        } else {
            self.spend(starts.len())?;
            LevelAccess::Walk {
                starts: starts.into(),
            }
        };
        let walks = matches!(builder.plan.source, LevelSource::Walk(_));
        let level = RuleLevel {
            access,
            stride,
            rows: builder.rows.into(),
            positive: (builder.positive.len() + usize::from(walks)) as u32,
            negative: builder.negative.len() as u32,
            gives_result: builder.head.is_some(),
            kind: RowKind::General,
        };
        Ok((level, builder.next))
    }

    fn spend(&mut self, entries: usize) -> Result<(), TableFailure> {
        self.entries = self
            .entries
            .checked_sub(entries)
            .ok_or(TableFailure::TooLarge)?;
        Ok(())
    }

    /// Extends the binding by the columns of the source; `id` is the instance so far.
    fn extend_by_source(
        &mut self,
        builder: &mut LevelBuilder<'_>,
        column: usize,
        id: u32,
    ) -> Result<(), TableFailure> {
        self.clock.tick()?;
        let Some((predicate, args)) = builder.source else {
            return self.extend_by_items(builder, 0, NEVER_HOLDS);
        };
        let Some(arg) = args.get(column) else {
            return self.extend_by_items(builder, 0, predicate.base + id);
        };
        let stride = Schema::stride(predicate, column);
        if let Pattern::Variable(v) = arg
            && builder.values[*v as usize] == UNBOUND
        {
            let choices = std::mem::take(&mut builder.choices[column]);
            for (term, place) in &choices {
                builder.values[*v as usize] = *term;
                self.extend_by_source(builder, column + 1, id + place * stride)?;
            }
            builder.values[*v as usize] = UNBOUND;
            builder.choices[column] = choices;
            return Ok(());
        }
        let domain = self.schema.columns(predicate).nth(column);
        if let Some(term) = pattern::value(arg, &builder.values, self.terms) {
            if let Some(place) = domain.and_then(|domain| domain.index(term)) {
                self.extend_by_source(builder, column + 1, id + place * stride)?;
            }
            return Ok(());
        }
        // A compound pattern with unbound variables: try all terms of the domain.
        for (place, term) in domain.iter().flat_map(|d| &d.terms).enumerate() {
            let from = builder.trail.len();
            if pattern::fits(
                arg,
                *term,
                &mut builder.values,
                &mut builder.trail,
                self.terms,
            ) {
                self.extend_by_source(builder, column + 1, id + place as u32 * stride)?;
            }
            pattern::undo(&mut builder.values, &mut builder.trail, from);
        }
        Ok(())
    }

    /// Extends the binding by the rigid conditions of the level.
    fn extend_by_items(
        &mut self,
        builder: &mut LevelBuilder<'_>,
        item: usize,
        id: u32,
    ) -> Result<(), TableFailure> {
        let plan = builder.plan;
        match plan.items.get(item) {
            None => self.finish_row(builder, id),
            Some(LevelItem::Filter(condition)) => {
                if self.rigid_context().holds(condition, &builder.values)? {
                    return self.extend_by_items(builder, item + 1, id);
                }
                Ok(())
            }
            Some(LevelItem::Rigid(condition, columns)) => {
                let Condition::Rigid { relation, args, .. } = condition else {
                    return Ok(());
                };
                let rigid = self.rigid;
                let Some(extension) = rigid.get(*relation) else {
                    return Ok(());
                };
                let key: Option<Vec<TermId>> = args
                    .iter()
                    .enumerate()
                    .filter(|(column, _)| super::extension::has(*columns, *column))
                    .map(|(_, arg)| pattern::value(arg, &builder.values, self.terms))
                    .collect();
                let Some(key) = key else { return Ok(()) };
                let some = extension.rows_with(*columns, &key);
                let count = some.map_or(extension.len(), <[u32]>::len);
                for i in 0..count {
                    self.clock.tick()?;
                    let row = extension.row(some.map_or(i, |rows| rows[i] as usize));
                    let from = builder.trail.len();
                    let fits = args.iter().zip(row).all(|(arg, cell)| {
                        pattern::fits(
                            arg,
                            *cell,
                            &mut builder.values,
                            &mut builder.trail,
                            self.terms,
                        )
                    });
                    if fits {
                        self.extend_by_items(builder, item + 1, id)?;
                    }
                    pattern::undo(&mut builder.values, &mut builder.trail, from);
                }
                Ok(())
            }
        }
    }

    /// Adds a row for the current binding.
    fn finish_row(&mut self, builder: &mut LevelBuilder<'_>, id: u32) -> Result<(), TableFailure> {
        let start = builder.rows.len();
        if matches!(builder.plan.source, LevelSource::Walk(_)) {
            builder.rows.push(id);
        }
        let instance = |condition: &Condition, values: &[TermId]| match condition {
            Condition::Dynamic {
                predicate, args, ..
            } => {
                let predicate = self.schema.predicate(*predicate);
                self.schema.id(predicate, args, values, self.terms)
            }
            _ => None,
        };
        for condition in &builder.positive {
            // An atom that is no instance never holds.
            let Some(id) = instance(condition, &builder.values) else {
                builder.rows.truncate(start);
                return Ok(());
            };
            builder.rows.push(id);
        }
        for condition in &builder.negative {
            let id = instance(condition, &builder.values).unwrap_or(NEVER_HOLDS);
            builder.rows.push(id);
        }
        if let Some(clause) = builder.head {
            let Some(id) = self.result(clause, &builder.values) else {
                builder.rows.truncate(start);
                return Ok(());
            };
            builder.rows.push(id);
        }
        if !builder.is_last {
            builder.row.clear();
            for v in &builder.plan.live {
                builder.row.push(builder.values[*v as usize]);
            }
            let before = builder.next.count;
            let next = builder.next.number(&builder.row);
            if builder.next.count > before {
                self.entries = self
                    .entries
                    .checked_sub(builder.row.len() + 2)
                    .ok_or(TableFailure::TooLarge)?;
            }
            builder.rows.push(next);
        }
        if builder.rows.len() == start {
            // An empty row would be invisible: rows are counted by their length.
            builder.rows.push(NEVER_HOLDS);
        }
        if matches!(builder.plan.source, LevelSource::Scan(_)) {
            let (predicate, _) = builder.source.ok_or(TableFailure::TooLarge)?;
            builder.table[builder.offset + (id - predicate.base) as usize] = start as u32;
        }
        // Sums of row offsets must fit 32 bits.
        if builder.rows.len() >= 1 << 31 {
            return Err(TableFailure::TooLarge);
        }
        self.spend(builder.rows.len() - start)
    }
}
