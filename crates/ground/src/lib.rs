/*!
Ground programs: the rules of a game with all variables gone.
*/

mod budget;
mod clause;
mod demand;
mod emit;
mod estimate;
mod finish;
mod flatten;
mod instantiate;
mod join;
mod order;
mod plan;
pub mod program;
mod simplify;
mod split;
pub mod stats;
mod table;
pub mod testing;

use ludorum_logic::Rules;
use rustc_hash::FxHashMap;

pub use budget::{Budget, Limit, Phase, Progress, Verdict};
pub use program::{
    AtomId, Component, Fluent, Goal, GroundLiteral, GroundRelation, Kind, Move, Program,
};
pub use stats::Stats;

use crate::budget::Meter;
use crate::clause::{Clause, View};
use crate::emit::Numbering;
use crate::estimate::Sketch;
use crate::flatten::Flat;
use crate::instantiate::Grounder;
use crate::join::{Scratch, Vault};
use crate::split::Splitter;
use crate::stats::PhaseTimes;
use crate::table::TableId;

/// Grounds rules within a budget; `progress` hears how it goes, many times a second.
pub fn ground(
    rules: &Rules,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Program, Verdict> {
    let mut terms = rules.terms.clone();
    let mut meter = Meter::new(budget, progress);
    let flat = flatten::flatten(rules, &mut terms, &mut meter)?;
    let mut times = PhaseTimes {
        flatten: meter.elapsed(),
        ..PhaseTimes::default()
    };
    let Flat {
        predicates,
        mut tables,
        clauses,
        fluents,
        widths,
        ..
    } = flat;
    let fixed = |table: usize| tables.all[table].len() > 0;
    let derived: Vec<bool> = {
        let mut derived = vec![false; tables.all.len()];
        for clause in &clauses {
            derived[predicates.get(clause.head.predicate).table as usize] = true;
        }
        derived
    };
    let full: Vec<bool> = (0..tables.all.len())
        .map(|table| derived[table] || !fixed(table))
        .collect();
    let sketches: Vec<Sketch> = (0..tables.all.len())
        .map(|table| {
            if full[table] {
                Sketch::full(&widths[table])
            } else {
                Sketch::actual(&mut tables, table as TableId)
            }
        })
        .collect();
    let mut grounder = Grounder {
        predicates,
        tables,
        vault: Vault::new(&mut terms),
        meter,
        scratch: Scratch::default(),
        sketches,
        splitter: Splitter::default(),
        components: Vec::new(),
    };

    // Relations that never change, exactly.
    let (rigid, fluid): (Vec<Clause>, Vec<Clause>) = clauses
        .into_iter()
        .partition(|clause| grounder.predicates.get(clause.head.predicate).rigid);
    let mut seeds: FxHashMap<TableId, f64> = FxHashMap::default();
    for clause in &rigid {
        let table = grounder.predicates.get(clause.head.predicate).table;
        seeds.insert(table, f64::from(grounder.tables.get(table).len()));
    }
    let rigid = grounder.split(rigid, &seeds);
    grounder.evaluate(&rigid, Phase::Rigid)?;
    for table in 0..grounder.tables.all.len() as TableId {
        let is_rigid = grounder
            .predicates
            .all
            .iter()
            .any(|predicate| predicate.table == table && predicate.rigid);
        if is_rigid {
            grounder.sketches[table as usize] = Sketch::actual(&mut grounder.tables, table);
        }
    }
    times.rigid = grounder.meter.elapsed() - times.flatten;

    // All that may hold in any state.
    let mut seeds: FxHashMap<TableId, f64> = FxHashMap::default();
    for (init, fluent) in &fluents {
        let rows = grounder.tables.get(*init).len();
        for row in 0..rows {
            let cells = grounder.tables.get(*init).row(row).to_vec();
            grounder.tables.get_mut(*fluent).insert(&cells);
        }
        seeds.insert(*fluent, f64::from(rows));
    }
    grounder.refine(&fluid, &seeds);
    let fluid = grounder.restrict(fluid);
    let fluid = grounder.split(fluid, &seeds);
    let (helpers, fluid): (Vec<Clause>, Vec<Clause>) = fluid
        .into_iter()
        .partition(|clause| grounder.predicates.get(clause.head.predicate).rigid);
    grounder.evaluate(&helpers, Phase::Rigid)?;
    grounder.evaluate(&fluid, Phase::Atoms)?;
    times.atoms = grounder.meter.elapsed() - times.rigid - times.flatten;

    // The rules.
    let mut numbering = Numbering::new(&grounder.predicates, &grounder.tables);
    let emitted = grounder.emit(&fluid, &numbering)?;
    grounder.number_shared(&mut numbering, emitted.shared);
    times.rules = grounder.meter.elapsed() - times.atoms - times.rigid - times.flatten;
    grounder.meter.phase = Phase::Finish;
    for table in &mut grounder.tables.all {
        table.drop_indexes();
    }
    let mut initial = vec![false; numbering.count as usize];
    for (at, predicate) in grounder.predicates.all.iter().enumerate() {
        if predicate.view == View::True
            && let Some((init, fluent)) = fluents.iter().find(|(_, f)| *f == predicate.table)
        {
            let init = grounder.tables.get(*init);
            let fluent = grounder.tables.get(*fluent);
            for row in 0..init.len() {
                if let Some(row) = fluent.find(init.row(row)) {
                    initial[(numbering.first[at] + row) as usize] = true;
                }
            }
        }
    }
    let simplified = simplify::simplify(
        &emitted,
        &numbering,
        &grounder.predicates,
        &grounder.tables,
        &initial,
    );
    let mut program = finish::finish(
        &mut grounder,
        rules,
        &numbering,
        &emitted,
        &simplified,
        &initial,
    );
    times.total = grounder.meter.elapsed();
    times.finish = times.total - times.rules - times.atoms - times.rigid - times.flatten;
    program.stats = Stats {
        atoms: program.atom_count(),
        rules: program.rule_count(),
        literals: program.literal_count(),
        instances: emitted.heads.len() as u64,
        helpers: grounder
            .predicates
            .all
            .iter()
            .filter(|p| p.relation.is_none())
            .count(),
        cyclic_components: program.cyclic.iter().filter(|cyclic| **cyclic).count(),
        table_bytes: grounder.tables.bytes() as u64,
        relations: finish::relation_stats(&program),
        components: std::mem::take(&mut grounder.components),
        times,
        ..Stats::default()
    };
    Ok(program)
}
