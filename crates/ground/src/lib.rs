/*!
Grounding: instantiates the rules of a game into a propositional program, within a budget.

[`ground`] turns [`Rules`] into a [`GroundProgram`], or returns a [`GroundError`] that says which
limit of the [`GroundBudget`] was exceeded and where. The program lists fluents, moves and goals,
stores ground rules in flat arrays by head, and gives the strongly connected components of its atoms
in evaluation order ([`AtomComponent`]).

```
use ludorum_ground::{GroundBudget, ground};
use ludorum_logic::Rules;

let rules = Rules::from_text(
    "(role robot) (init (at 1)) (succ 1 2) (succ 2 3)
     (<= (legal robot (go ?y)) (true (at ?x)) (succ ?x ?y))
     (<= (next (at ?y)) (does robot (go ?y)))
     (<= (goal robot 100) (true (at 3)))
     (<= terminal (true (at 3)))",
)
.unwrap();
let program = ground(&rules, &GroundBudget::default(), &mut |_| {}).unwrap();
assert_eq!(program.fluents.len(), 3);
assert_eq!(program.moves[0].len(), 2);
assert!(program.text().contains("(legal robot (go 3)) <= (true (at 2))."));
```

# How it works

First, lists of visited nodes leave recursions that hold without them
([`ludorum_logic::visited`]). Then:

1. `flatten`: one predicate for each functor of fluents and moves, so that joins run over flat
   columns. `true` and `next` of a functor share one `tuple_table`, and so do `legal` and `does`.
2. Rigid relations, which are the same in all states, are computed exactly, including negation.
   They never appear in ground rules. Those that are too large for a table are not computed: the
   conditions on them become chains of conditions on small tables (`defer`, by decision diagrams,
   `diagram`).
3. `project` replaces conditions on several arguments, of which `dependencies` proves that at most
   one combination holds, by conditions on each argument.
   `magic_sets`: relations of which only a part is demanded are restricted to that part.
4. `split` and `decompose`: rules with many variables become trees of helper relations, where the
   cardinality `estimate` favours it. `unfold` replaces conditions on rigid relations by their
   definitions where that makes the tree much smaller. Rules are split twice: by estimates to find
   the atoms, and by exact table sizes to instantiate the rules (`resplit`).
5. `instantiate`: semi-naive evaluation computes all atoms that may hold in some state, component
   by component. It over-approximates: `true` is what `init` or `next` can derive, `does` is what
   `legal` can derive, and negated dynamic conditions are ignored. `join_order` orders joins by
   table sizes, `join_plan` plans them and `join` executes them.
6. `emit`: with all tables complete, every rule is joined once more and its instances are written.
   The first pass needs only heads and stops at the first witness of each; the second pass knows
   which negated atoms can never hold, and joins over tables of known sizes.
   `nested` builds large unions from each other.
7. `simplify` propagates atoms that always or never hold. `build_program` numbers the atoms,
   removes duplicate rules and finds components.

Everything runs on one thread and the result is deterministic. Nearly all known games are grounded
in milliseconds; a second thread is of more use for the network that follows.

# What is stable

[`ground`], [`GroundBudget`], [`GroundError`], [`GroundProgram`] with its fields and methods, and
the guarantees in its documentation. The names and number of helper relations (with `#` in their
names) may change at any time.
*/

mod budget;
mod build_program;
mod clause;
mod decompose;
mod defer;
mod dependencies;
mod diagram;
mod emit;
mod emitted;
mod estimate;
mod flatten;
mod instantiate;
mod join;
mod join_order;
mod join_plan;
mod magic_sets;
mod nested;
pub mod program;
mod project;
mod resplit;
mod scc;
mod shape;
mod simplify;
mod split;
pub mod stats;
mod substitution;
pub mod testing;
mod tuple_table;
mod unfold;

use std::time::Duration;

use ludorum_logic::Rules;
use ludorum_logic::visited::without_visited_lists;
use rustc_hash::FxHashMap;

pub use budget::{GroundBudget, GroundError, GroundLimit, GroundPhase, GroundProgress};
pub use program::{
    AtomComponent, AtomId, AtomKind, GroundFluent, GroundGoal, GroundLiteral, GroundMove,
    GroundProgram, GroundRelation,
};
pub use stats::GroundStats;

use crate::budget::BudgetMeter;
use crate::clause::{Clause, PredicateView};
use crate::defer::DeferredClauses;
use crate::emit::AtomNumbering;
use crate::emitted::EmittedRules;
use crate::flatten::FlatRules;
use crate::instantiate::Grounder;
use crate::stats::PhaseTimes;
use crate::tuple_table::TableId;
use crate::unfold::RigidDefinitions;

/// Grounds rules within a budget. `progress` is called many times a second.
pub fn ground(
    rules: &Rules,
    budget: &GroundBudget,
    progress: &mut dyn FnMut(&GroundProgress<'_>),
) -> Result<GroundProgram, GroundError> {
    let shorter = without_visited_lists(rules);
    let rules = shorter.as_ref().unwrap_or(rules);
    let mut terms = rules.terms.clone();
    let mut meter = BudgetMeter::new(budget, progress);
    let mut times = PhaseTimes::default();
    let flat = flatten::flatten(rules, &mut terms, &mut meter)?;
    let FlatRules {
        predicates,
        tables,
        clauses,
        fluents,
        widths,
        ..
    } = flat;
    let mut grounder = Grounder::new(predicates, tables, &widths, &clauses, &mut terms, meter);
    let mut clock = Duration::ZERO;
    times.flatten = grounder.lap(&mut clock);

    let (rigid, dynamic): (Vec<Clause>, Vec<Clause>) = clauses
        .into_iter()
        .partition(|clause| grounder.predicates.get(clause.head.predicate).rigid);
    let dynamic = compute_rigid(&mut grounder, rigid, dynamic)?;
    times.rigid = grounder.lap(&mut clock);

    let clauses = find_atoms(&mut grounder, dynamic, &fluents)?;
    times.atoms = grounder.lap(&mut clock);

    let mut numbering = AtomNumbering::new(&grounder.predicates, &grounder.tables);
    let mut emitted = grounder.emit(&clauses, &numbering)?;
    nested::nest_unions(&mut emitted, &grounder.predicates, &numbering);
    grounder.number_shared(&mut numbering, emitted.shared);
    times.rules = grounder.lap(&mut clock);

    let mut program = finish_program(&mut grounder, rules, &numbering, &emitted, &fluents)?;
    times.finish = grounder.lap(&mut clock);
    times.total = clock;
    program.stats = GroundStats {
        atoms: program.atom_count(),
        rules: program.rule_count(),
        literals: program.literal_count(),
        rigid_rows: grounder.rigid_rows(),
        instances: emitted.heads.len() as u64,
        helpers: grounder.helper_count(),
        cyclic_components: program.cyclic.iter().filter(|cyclic| **cyclic).count(),
        table_bytes: grounder.tables.bytes() as u64,
        program_bytes: program.bytes() as u64,
        relations: build_program::relation_stats(&program),
        components: std::mem::take(&mut grounder.components),
        times,
    };
    Ok(program)
}

/// Computes the rigid relations. Returns the other clauses, with conditions on rigid relations that
/// are too large replaced.
fn compute_rigid(
    grounder: &mut Grounder<'_, '_>,
    clauses: Vec<Clause>,
    dynamic: Vec<Clause>,
) -> Result<Vec<Clause>, GroundError> {
    let mut seeds: FxHashMap<TableId, f64> = FxHashMap::default();
    for clause in &clauses {
        let table = grounder.predicates.get(clause.head.predicate).table;
        seeds.insert(table, f64::from(grounder.tables.get(table).len()));
    }
    let estimates = grounder.estimates.clone();
    grounder.refine(&clauses, &seeds);
    let DeferredClauses {
        deferred,
        dependent,
        others,
    } = grounder.defer(clauses, &dynamic);
    grounder.estimates = estimates;
    let definitions = RigidDefinitions::new(&others, &grounder.predicates, &grounder.tables);
    let compute = |grounder: &mut Grounder<'_, '_>, clauses: Vec<Clause>| {
        let clauses = grounder.split(clauses, &seeds);
        grounder.evaluate(&clauses, GroundPhase::Rigid)
    };
    compute(grounder, others)?;
    let dynamic = if deferred.is_empty() {
        dynamic
    } else {
        grounder.estimate_rigid();
        let chained = grounder.without_deferred(&deferred, &dependent, &dynamic)?;
        let (rigid, dynamic) = chained.unwrap_or_else(|| ([deferred, dependent].concat(), dynamic));
        compute(grounder, rigid)?;
        dynamic
    };
    grounder.estimate_rigid();
    grounder.definitions = definitions;
    Ok(dynamic)
}

/// Finds all atoms that may hold in some state. Returns the clauses to instantiate.
fn find_atoms(
    grounder: &mut Grounder<'_, '_>,
    clauses: Vec<Clause>,
    fluents: &[(TableId, TableId)],
) -> Result<Vec<Clause>, GroundError> {
    let mut seeds: FxHashMap<TableId, f64> = FxHashMap::default();
    for (init, fluent) in fluents {
        let rows = grounder.tables.get(*init).len();
        for row in 0..rows {
            let cells = grounder.tables.get(*init).row(row).to_vec();
            grounder.tables.get_mut(*fluent).insert(&cells);
        }
        seeds.insert(*fluent, f64::from(rows));
    }
    grounder.refine(&clauses, &seeds);
    let clauses = grounder.project(clauses);
    let whole = grounder.restrict(clauses);
    let clauses = grounder.split(whole.clone(), &seeds);
    grounder.evaluate_split(&clauses)?;
    grounder.split_again(whole, &clauses)
}

/// Turns the emitted instances into a program.
fn finish_program(
    grounder: &mut Grounder<'_, '_>,
    rules: &Rules,
    numbering: &AtomNumbering,
    emitted: &EmittedRules,
    fluents: &[(TableId, TableId)],
) -> Result<GroundProgram, GroundError> {
    grounder.meter.phase = GroundPhase::Finish;
    for table in &mut grounder.tables.all {
        table.drop_indexes();
    }
    // Check memory once more before the occurrence lists and the program itself are allocated.
    let (instances, literals) = (emitted.heads.len() as u64, emitted.literals.len() as u64);
    grounder.meter.table_bytes = grounder.tables.bytes() as u64;
    grounder.meter.other_bytes =
        emitted.bytes() as u64 + 20 * literals + 32 * instances + 40 * u64::from(numbering.count);
    grounder.meter.check()?;
    let mut initial = vec![false; numbering.count as usize];
    for (at, predicate) in grounder.predicates.all.iter().enumerate() {
        if predicate.view == PredicateView::True
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
        emitted,
        numbering,
        &grounder.predicates,
        &grounder.tables,
        &initial,
    );
    grounder.meter.check()?;
    Ok(build_program::build_program(
        grounder,
        rules,
        numbering,
        emitted,
        &simplified,
        &initial,
    ))
}
