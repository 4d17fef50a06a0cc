//! Makes the reference tables of a plan: Definitions 7, 8 and 9.
//!
//! Level by level, every reference number is followed to all instances that agree with it, and what comes out is numbered anew. What cannot lead to a result
//! is then taken out, from the last level to the first.

use hashbrown::HashTable;
use ludorum_logic::rule::Pattern;
use ludorum_logic::{TermId, Terms};
use rustc_hash::FxHasher;
use std::hash::{BuildHasher as _, BuildHasherDefault};

use super::budget::{Clock, Stop};
use super::clause::{Clause, Condition};
use super::join::holds_always;
use super::pattern::{self, FREE};
use super::plan::{Item, Plan, PlanLevel, Source};
use super::knowledge::NEVER;
use super::program::{Access, FAIL, Kind, Level, Program};
use super::rigid::Rigid;
use super::schema::{Predicate, Schema};

/// The most levels of a program: it goes as deep on the stack.
const MAX_LEVELS: usize = 64;

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
    Stop(Stop),
}

impl From<Stop> for NoTables {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// What can come of a clause.
pub(super) enum Made {
    Program(Program),
    /// It never gives a result.
    Idle,
}

/// Reference numbers: the values of the variables that matter, each combination once.
struct References {
    width: usize,
    cells: Vec<TermId>,
    count: u32,
    seen: HashTable<u32>,
}

impl References {
    fn new(width: usize) -> Self {
        Self {
            width,
            cells: Vec::new(),
            count: 0,
            seen: HashTable::new(),
        }
    }

    fn row(&self, number: u32) -> &[TermId] {
        &self.cells[number as usize * self.width..(number as usize + 1) * self.width]
    }

    fn number(&mut self, row: &[TermId]) -> u32 {
        let (cells, width) = (&self.cells, self.width);
        let at = |number: u32| &cells[number as usize * width..(number as usize + 1) * width];
        let hash = hash(row);
        if let Some(known) = self.seen.find(hash, |other| at(*other) == row) {
            return *known;
        }
        let new = self.count;
        self.seen
            .insert_unique(hash, new, |other| self::hash(at(*other)));
        self.cells.extend_from_slice(row);
        self.count += 1;
        new
    }
}

fn hash(row: &[TermId]) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(row)
}

/// A level while it is made.
struct Draft<'a> {
    plan: &'a PlanLevel,
    source: Option<(&'a Predicate, &'a [Pattern])>,
    /// What free variables of the source may be, by column: terms with their places.
    choices: Vec<Vec<(TermId, u32)>>,
    positive: Vec<&'a Condition>,
    negative: Vec<&'a Condition>,
    head: Option<&'a Clause>,
    is_last: bool,
    next: References,
    rows: Vec<u32>,
    /// The table of a scan.
    table: Vec<u32>,
    /// Where the current reference number begins in it.
    offset: usize,
    values: Vec<TermId>,
    trail: Vec<u32>,
    row: Vec<TermId>,
}

impl Maker<'_> {
    /// Makes the program of a clause.
    pub(super) fn program(&mut self, clause: &Clause, plan: &Plan) -> Result<Made, NoTables> {
        if plan.levels.len() > MAX_LEVELS {
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
            } else if !holds_always(condition, &values, self.rigid, self.terms) {
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
        let domains = self.variable_domains(clause);
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

    fn result(&self, clause: &Clause, values: &[TermId]) -> Option<u32> {
        let predicate = self.schema.predicate(clause.predicate);
        self.schema.id(predicate, &clause.head, values, self.terms)
    }

    /// What each variable can be by all dynamic conditions that it stands in; `None` if it stands in none.
    fn variable_domains(&self, clause: &Clause) -> Vec<Option<Vec<TermId>>> {
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
            let predicate = self.schema.predicate(*predicate);
            for (column, arg) in self.schema.columns(predicate).zip(args) {
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
            let Some(extension) = self.rigid.get(*relation) else {
                continue;
            };
            for (column, arg) in args.iter().enumerate() {
                if let Pattern::Variable(v) = arg
                    && let Some(domain) = &mut domains[*v as usize]
                    && domain.len() > 1
                {
                    let values: rustc_hash::FxHashSet<TermId> = (0..extension.len())
                        .map(|row| extension.row(row)[column])
                        .collect();
                    domain.retain(|term| values.contains(term));
                }
            }
        }
        domains
    }

    fn level(
        &mut self,
        mut draft: Draft<'_>,
        is_last: bool,
        references: &References,
        live: &[u32],
    ) -> Result<(Level, References), NoTables> {
        draft.is_last = is_last;
        let size = draft.source.map_or(0, |(predicate, _)| predicate.size as usize);
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
            self.from_source(&mut draft, 0, 0)?;
            starts.push(draft.rows.len() as u32);
        }
        let stride = draft.stride() as u32;
        let access = match &draft.plan.source {
            Source::Scan(_) => {
                let (predicate, _) = draft.source.ok_or(NoTables::TooLarge)?;
                Access::Scan {
                    predicate: predicate.number,
                    base: predicate.base,
                    size: size as u32,
                    table: draft.table.into(),
                }
            }
            _ => {
                self.spend(starts.len())?;
                Access::Walk {
                    starts: starts.into(),
                }
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
    fn from_source(&mut self, draft: &mut Draft<'_>, column: usize, id: u32) -> Result<(), NoTables> {
        self.clock.tick()?;
        let Some((predicate, args)) = draft.source else {
            return self.from_items(draft, 0, NEVER);
        };
        let Some(arg) = args.get(column) else {
            return self.from_items(draft, 0, predicate.base + id);
        };
        let stride = Schema::stride(predicate, column);
        if let Pattern::Variable(v) = arg
            && draft.values[*v as usize] == FREE
        {
            let choices = std::mem::take(&mut draft.choices[column]);
            for (term, place) in &choices {
                draft.values[*v as usize] = *term;
                self.from_source(draft, column + 1, id + place * stride)?;
            }
            draft.values[*v as usize] = FREE;
            draft.choices[column] = choices;
            return Ok(());
        }
        let domain = self.schema.columns(predicate).nth(column);
        if let Some(term) = pattern::value(arg, &draft.values, self.terms) {
            if let Some(place) = domain.and_then(|domain| domain.index(term)) {
                self.from_source(draft, column + 1, id + place * stride)?;
            }
            return Ok(());
        }
        // A term with free variables: whatever fits.
        for (place, term) in domain.iter().flat_map(|d| &d.terms).enumerate() {
            let from = draft.trail.len();
            if pattern::fits(arg, *term, &mut draft.values, &mut draft.trail, self.terms) {
                self.from_source(draft, column + 1, id + place as u32 * stride)?;
            }
            pattern::undo(&mut draft.values, &mut draft.trail, from);
        }
        Ok(())
    }

    /// Takes in what never changes, one condition after the other.
    fn from_items(&mut self, draft: &mut Draft<'_>, item: usize, id: u32) -> Result<(), NoTables> {
        let plan = draft.plan;
        match plan.items.get(item) {
            None => self.finish_row(draft, id),
            Some(Item::Filter(condition)) => {
                if holds_always(condition, &draft.values, self.rigid, self.terms) {
                    return self.from_items(draft, item + 1, id);
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
                        self.from_items(draft, item + 1, id)?;
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

impl<'a> Draft<'a> {
    fn new(
        schema: &'a Schema,
        clause: &'a Clause,
        plan: &'a PlanLevel,
        domains: &[Option<Vec<TermId>>],
        gives_result: bool,
    ) -> Self {
        let source = match &plan.source {
            Source::Scan(condition) | Source::Walk(condition) => match condition {
                Condition::Dynamic {
                    predicate, args, ..
                } => Some((schema.predicate(*predicate), &args[..])),
                _ => None,
            },
            Source::Nothing => None,
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
            let tests = plan.tests.iter().filter(
                move |test| matches!(test, Condition::Dynamic { positive, .. } if *positive == wanted),
            );
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
            next: References::new(plan.live.len()),
            rows: Vec::new(),
            table: Vec::new(),
            offset: 0,
            values: vec![FREE; clause.variables],
            trail: Vec::new(),
            row: Vec::new(),
        }
    }

    fn stride(&self) -> usize {
        let length = self.positive.len()
            + self.negative.len()
            + usize::from(matches!(self.plan.source, Source::Walk(_)))
            + usize::from(self.head.is_some())
            + usize::from(!self.is_last);
        length.max(1)
    }
}

/// Takes out rows that lead nowhere, last level first; false if nothing is left.
fn prune(levels: &mut [Level]) -> bool {
    // Whether a reference number has rows, at the level after the current one.
    let mut alive: Option<Vec<bool>> = None;
    for level in levels.iter_mut().rev() {
        let stride = level.stride as usize;
        let leads_on = |row: &[u32]| match &alive {
            Some(alive) => row.last().is_some_and(|next| alive[*next as usize]),
            None => true,
        };
        let rows = &mut level.rows;
        let here = match &mut level.access {
            Access::Scan { size, table, .. } => {
                let references = table.chunks_exact_mut((*size).max(1) as usize);
                let here = references.map(|entries| {
                    let mut any = false;
                    for entry in entries {
                        if *entry != FAIL {
                            let start = *entry as usize;
                            if leads_on(&rows[start..start + stride]) {
                                any = true;
                            } else {
                                *entry = FAIL;
                            }
                        }
                    }
                    any
                });
                here.collect::<Vec<bool>>()
            }
            Access::Walk { starts } => {
                let mut kept: Vec<u32> = Vec::with_capacity(rows.len());
                let mut here = Vec::with_capacity(starts.len());
                let mut from = 0;
                for start in &mut starts[1..] {
                    let before = kept.len();
                    let to = *start as usize;
                    for row in rows[from..to].chunks_exact(stride) {
                        if leads_on(row) {
                            kept.extend_from_slice(row);
                        }
                    }
                    from = to;
                    *start = kept.len() as u32;
                    here.push(kept.len() > before);
                }
                *rows = kept.into();
                here
            }
        };
        if !here.contains(&true) {
            return false;
        }
        alive = Some(here);
    }
    true
}
