//! Makes the reference tables of a plan: Definitions 7, 8 and 9.
//!
//! Level by level, every reference number is followed to all instances that agree with it, and what
//! comes out is numbered anew. What cannot lead to a result is then taken out, from the last level
//! to the first.

use ludorum_logic::rule::Pattern;
use ludorum_logic::{TermId, Terms};

use super::budget::{ChainError, Clock, Halt};
use super::clause::{Clause, Condition};
use super::draft::{Draft, variable_domains};
use super::join::World;
use super::knowledge::NEVER;
use super::pattern::{self, FREE};
use super::plan::{Item, Plan, Source};
use super::program::{Access, FAIL, Kind, Level, Program};
use super::prune::prune;
use super::references::References;
use super::rigid::Rigid;
use super::schema::Schema;

/// The most levels of a program: it goes as deep on the stack.
const MAX_LEVELS: usize = 64;

/// The most things in a level that never change: making it goes as deep.
const MAX_ITEMS: usize = 1_000;

/// What tables are made from.
pub(super) struct Maker<'a> {
    pub(super) schema: &'a Schema,
    pub(super) rigid: &'a Rigid,
    pub(super) terms: &'a Terms,
    pub(super) clock: &'a Clock,
    /// How many more table entries there may be.
    pub(super) entries: usize,
}

/// Why there are no tables.
pub(super) enum NoTables {
    /// They would be too large.
    TooLarge,
    /// There is no time.
    Late,
}

impl From<ChainError> for NoTables {
    fn from(_: ChainError) -> Self {
        Self::Late
    }
}

impl From<Halt> for NoTables {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stop(stop) => stop.into(),
            Halt::TooLarge | Halt::Enough => Self::TooLarge,
        }
    }
}

/// What can come of a clause.
pub(super) enum Made {
    Program(Program),
    /// It never gives a result.
    Idle,
}

impl Maker<'_> {
    /// Makes the program of a clause.
    pub(super) fn program(&mut self, clause: &Clause, plan: &Plan) -> Result<Made, NoTables> {
        let mut items = plan.levels.iter().map(|level| level.items.len());
        if plan.levels.len() > MAX_LEVELS || items.any(|count| count > MAX_ITEMS) {
            return Err(NoTables::TooLarge);
        }
        let mut present = Vec::new();
        let mut absent = Vec::new();
        let values = vec![FREE; clause.variables];
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
                    None if *positive => return Ok(Made::Idle),
                    None => {}
                }
            } else if !self.world().holds(condition, &values)? {
                return Ok(Made::Idle);
            }
        }
        let mut result = NEVER;
        if plan.cut == 0 {
            match self.result(clause, &values) {
                Some(id) => result = id,
                None => return Ok(Made::Idle),
            }
        }
        let domains = variable_domains(clause, self.schema, self.rigid);
        let mut references = References::new(0);
        references.number(&[]);
        let mut live: Vec<u32> = Vec::new();
        let mut levels = Vec::with_capacity(plan.levels.len());
        for (number, level) in plan.levels.iter().enumerate() {
            let gives_result = number + 1 == plan.cut;
            let draft = Draft::new(self.schema, clause, level, &domains, gives_result);
            let is_last = number + 1 == plan.levels.len();
            let (made, next) = self.level(draft, is_last, &references, &live)?;
            levels.push(made);
            references = next;
            live.clone_from(&level.live);
        }
        if !prune(&mut levels) {
            return Ok(Made::Idle);
        }
        let last = levels.len().saturating_sub(1);
        for (number, level) in levels.iter_mut().enumerate() {
            level.specialise(number == last);
        }
        let program = Program {
            predicate: clause.predicate,
            present: present.into(),
            absent: absent.into(),
            levels: levels.into(),
            cut: plan.cut as u32,
            result,
        };
        let head = self.schema.predicate(clause.predicate);
        let instances = head.base..head.base + head.size as u32;
        // Tables are made like that; if ever they were not, the rule would run without.
        if !program.is_sound(self.schema.ids, instances) {
            return Err(NoTables::TooLarge);
        }
        Ok(Made::Program(program))
    }

    /// What never changes.
    fn world(&self) -> World<'_> {
        World {
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
        mut draft: Draft<'_>,
        is_last: bool,
        references: &References,
        live: &[u32],
    ) -> Result<(Level, References), NoTables> {
        draft.is_last = is_last;
        let size = draft
            .source
            .map_or(0, |(predicate, _)| predicate.size as usize);
        let scans = matches!(draft.plan.source, Source::Scan(_));
        if scans {
            let entries = size.saturating_mul(references.count as usize);
            self.spend(entries)?;
            draft.table = vec![FAIL; entries];
        }
        let mut starts = vec![0u32];
        for reference in 0..references.count {
            for (v, term) in live.iter().zip(references.row(reference)) {
                draft.values[*v as usize] = *term;
            }
            draft.offset = reference as usize * size;
            self.follow_source(&mut draft, 0, 0)?;
            starts.push(draft.rows.len() as u32);
        }
        let stride = draft.stride() as u32;
        let access = if scans {
            let (predicate, _) = draft.source.ok_or(NoTables::TooLarge)?;
            Access::Scan {
                predicate: predicate.number,
                base: predicate.base,
                size: size as u32,
                table: draft.table.into(),
            }
        } else {
            self.spend(starts.len())?;
            Access::Walk {
                starts: starts.into(),
            }
        };
        let walks = matches!(draft.plan.source, Source::Walk(_));
        let level = Level {
            access,
            stride,
            rows: draft.rows.into(),
            positive: (draft.positive.len() + usize::from(walks)) as u32,
            negative: draft.negative.len() as u32,
            gives_result: draft.head.is_some(),
            kind: Kind::General,
        };
        Ok((level, draft.next))
    }

    fn spend(&mut self, entries: usize) -> Result<(), NoTables> {
        self.entries = self
            .entries
            .checked_sub(entries)
            .ok_or(NoTables::TooLarge)?;
        Ok(())
    }

    /// Gives the source's columns values, one after the other; `id` is the instance so far.
    fn follow_source(
        &mut self,
        draft: &mut Draft<'_>,
        column: usize,
        id: u32,
    ) -> Result<(), NoTables> {
        self.clock.tick()?;
        let Some((predicate, args)) = draft.source else {
            return self.follow_items(draft, 0, NEVER);
        };
        let Some(arg) = args.get(column) else {
            return self.follow_items(draft, 0, predicate.base + id);
        };
        let stride = Schema::stride(predicate, column);
        if let Pattern::Variable(v) = arg
            && draft.values[*v as usize] == FREE
        {
            let choices = std::mem::take(&mut draft.choices[column]);
            for (term, place) in &choices {
                draft.values[*v as usize] = *term;
                self.follow_source(draft, column + 1, id + place * stride)?;
            }
            draft.values[*v as usize] = FREE;
            draft.choices[column] = choices;
            return Ok(());
        }
        let domain = self.schema.columns(predicate).nth(column);
        if let Some(term) = pattern::value(arg, &draft.values, self.terms) {
            if let Some(place) = domain.and_then(|domain| domain.index(term)) {
                self.follow_source(draft, column + 1, id + place * stride)?;
            }
            return Ok(());
        }
        // A term with free variables: whatever fits.
        for (place, term) in domain.iter().flat_map(|d| &d.terms).enumerate() {
            let from = draft.trail.len();
            if pattern::fits(arg, *term, &mut draft.values, &mut draft.trail, self.terms) {
                self.follow_source(draft, column + 1, id + place as u32 * stride)?;
            }
            pattern::undo(&mut draft.values, &mut draft.trail, from);
        }
        Ok(())
    }

    /// Takes in what never changes, one condition after the other.
    fn follow_items(
        &mut self,
        draft: &mut Draft<'_>,
        item: usize,
        id: u32,
    ) -> Result<(), NoTables> {
        let plan = draft.plan;
        match plan.items.get(item) {
            None => self.finish_row(draft, id),
            Some(Item::Filter(condition)) => {
                if self.world().holds(condition, &draft.values)? {
                    return self.follow_items(draft, item + 1, id);
                }
                Ok(())
            }
            Some(Item::Rigid(condition, columns)) => {
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
                    .map(|(_, arg)| pattern::value(arg, &draft.values, self.terms))
                    .collect();
                let Some(key) = key else { return Ok(()) };
                let some = extension.rows_with(*columns, &key);
                let count = some.map_or(extension.len(), <[u32]>::len);
                for i in 0..count {
                    self.clock.tick()?;
                    let row = extension.row(some.map_or(i, |rows| rows[i] as usize));
                    let from = draft.trail.len();
                    let fits = args.iter().zip(row).all(|(arg, cell)| {
                        pattern::fits(arg, *cell, &mut draft.values, &mut draft.trail, self.terms)
                    });
                    if fits {
                        self.follow_items(draft, item + 1, id)?;
                    }
                    pattern::undo(&mut draft.values, &mut draft.trail, from);
                }
                Ok(())
            }
        }
    }

    /// Writes a row for the values that have been found.
    fn finish_row(&mut self, draft: &mut Draft<'_>, id: u32) -> Result<(), NoTables> {
        let start = draft.rows.len();
        if matches!(draft.plan.source, Source::Walk(_)) {
            draft.rows.push(id);
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
        for condition in &draft.positive {
            // What is no instance never holds.
            let Some(id) = instance(condition, &draft.values) else {
                draft.rows.truncate(start);
                return Ok(());
            };
            draft.rows.push(id);
        }
        for condition in &draft.negative {
            let id = instance(condition, &draft.values).unwrap_or(NEVER);
            draft.rows.push(id);
        }
        if let Some(clause) = draft.head {
            let Some(id) = self.result(clause, &draft.values) else {
                draft.rows.truncate(start);
                return Ok(());
            };
            draft.rows.push(id);
        }
        if !draft.is_last {
            draft.row.clear();
            for v in &draft.plan.live {
                draft.row.push(draft.values[*v as usize]);
            }
            let before = draft.next.count;
            let next = draft.next.number(&draft.row);
            if draft.next.count > before {
                self.entries = self
                    .entries
                    .checked_sub(draft.row.len() + 2)
                    .ok_or(NoTables::TooLarge)?;
            }
            draft.rows.push(next);
        }
        if draft.rows.len() == start {
            // A row must have a length to be counted.
            draft.rows.push(NEVER);
        }
        if matches!(draft.plan.source, Source::Scan(_)) {
            let (predicate, _) = draft.source.ok_or(NoTables::TooLarge)?;
            draft.table[draft.offset + (id - predicate.base) as usize] = start as u32;
        }
        // Half of the range of numbers, so that sums stay in it.
        if draft.rows.len() >= 1 << 31 {
            return Err(NoTables::TooLarge);
        }
        self.spend(draft.rows.len() - start)
    }
}
