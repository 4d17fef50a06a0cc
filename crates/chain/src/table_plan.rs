//! Plans of table rules: what each level reads, tests and resolves at build time, for a given order
//! of conditions.

use ludorum_logic::rule::Pattern;

use super::clause::{Clause, Condition};
use super::extension::ColumnSet;
use super::join_step::known_columns;
use super::pattern;
use super::rigid::RigidRelations;
use super::schema::Schema;

/// A condition that is resolved while tables are built.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LevelItem {
    /// Binds variables by the rows of a rigid relation; with its bound columns.
    Rigid(Condition, ColumnSet),
    /// A test that does not depend on the state.
    Filter(Condition),
}

/// How a level enumerates instances.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LevelSource {
    /// It reads no dynamic predicate.
    Nothing,
    /// It scans the list of the condition's predicate.
    Scan(Condition),
    /// It walks through all instances that agree with the reference number.
    Walk(Condition),
}

/// The plan of a level.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LevelPlan {
    pub(super) source: LevelSource,
    pub(super) items: Vec<LevelItem>,
    /// Dynamic conditions whose variables are all bound at this level.
    pub(super) tests: Vec<Condition>,
    /// Variables that later levels or the result need.
    pub(super) live: Vec<u32>,
}

/// The plan of a clause.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TablePlan {
    /// Conditions without variables.
    pub(super) ground: Vec<Condition>,
    pub(super) levels: Vec<LevelPlan>,
    /// Number of levels after which the result is determined.
    pub(super) result_level: usize,
}

/// Cardinality estimates of predicates.
pub(super) struct SizeEstimates<'a> {
    pub(super) schema: &'a Schema,
    /// Average number of true instances of each predicate.
    pub(super) averages: &'a [f64],
}

impl SizeEstimates<'_> {
    /// Number of possible instances that agree with the bound variables of a dynamic condition.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn candidates(&self, condition: &Condition, bound: &[bool]) -> f64 {
        let Condition::Dynamic {
            predicate, args, ..
        } = condition
        else {
            return 1.0;
        };
        let predicate = self.schema.predicate(*predicate);
        let mut seen: Vec<&Pattern> = Vec::new();
        let columns = self.schema.columns(predicate).zip(args);
        columns.fold(1.0, |product, (column, arg)| {
            if pattern::is_bound(arg, bound) || seen.contains(&arg) {
                return product;
            }
            seen.push(arg);
            product * column.len() as f64
        })
    }
}

/// Plans a clause. With `scan_first`, the first level scans, so that the rule can be run on the new
/// entries of a list.
pub(super) fn plan(
    clause: &Clause,
    order: &[usize],
    scan_first: bool,
    sizes: &SizeEstimates<'_>,
    rigid: &mut RigidRelations,
) -> TablePlan {
    let mut bound = vec![false; clause.variables];
    let mut left: Vec<&Condition> = order.iter().map(|i| &clause.body[*i]).collect();
    left.extend(clause.body.iter().filter(|condition| !condition.binds()));
    let mut ground = Vec::new();
    left.retain(|condition| {
        let is_ground = condition.is_bound(&bound);
        // The first level of a semi-naive variant scans its list even if it binds nothing.
        if is_ground && !(scan_first && std::ptr::eq(*condition, &raw const clause.body[order[0]]))
        {
            ground.push((*condition).clone());
            return false;
        }
        true
    });
    let mut levels: Vec<LevelPlan> = Vec::new();
    while !left.is_empty() {
        let place = left.iter().position(|condition| condition.binds());
        let condition = left.remove(place.unwrap_or(0));
        match condition {
            Condition::Rigid { relation, .. } => {
                let columns = known_columns(condition, &bound);
                let extension = rigid.get_mut(*relation);
                let is_function = extension.is_none_or(|e| e.is_function_of(columns));
                let item = LevelItem::Rigid(condition.clone(), columns);
                match levels.last_mut() {
                    Some(level)
                        if is_function
                            || level.source == LevelSource::Nothing && level.tests.is_empty() =>
                    {
                        level.items.push(item);
                    }
                    _ => levels.push(LevelPlan {
                        source: LevelSource::Nothing,
                        items: vec![item],
                        tests: Vec::new(),
                        live: Vec::new(),
                    }),
                }
            }
            Condition::Dynamic { predicate, .. } => {
                let average = sizes.averages[*predicate as usize];
                let walk = sizes.candidates(condition, &bound) < average;
                let source = if walk && !(scan_first && levels.is_empty()) {
                    LevelSource::Walk(condition.clone())
                } else {
                    LevelSource::Scan(condition.clone())
                };
                levels.push(LevelPlan {
                    source,
                    items: Vec::new(),
                    tests: Vec::new(),
                    live: Vec::new(),
                });
            }
            Condition::Distinct(..)
            | Condition::Constant(_)
            | Condition::Among(..)
            | Condition::Any(_) => {}
        }
        condition.bind(&mut bound);
        let Some(level) = levels.last_mut() else {
            break;
        };
        left.retain(|condition| {
            if !condition.is_bound(&bound) {
                return true;
            }
            match condition {
                Condition::Dynamic { .. } => level.tests.push((*condition).clone()),
                _ => level.items.push(LevelItem::Filter((*condition).clone())),
            }
            false
        });
    }
    let result_level = find_result_level(clause, &mut levels);
    TablePlan {
        ground,
        levels,
        result_level,
    }
}

/// Finds the level after which the result is determined, and the live variables of each level.
fn find_result_level(clause: &Clause, levels: &mut [LevelPlan]) -> usize {
    let mut bound = vec![false; clause.variables];
    let knows_result = |bound: &[bool]| clause.head.iter().all(|arg| pattern::is_bound(arg, bound));
    let mut result_level = if knows_result(&bound) { Some(0) } else { None };
    for (number, level) in levels.iter().enumerate() {
        level.for_each_condition(&mut |condition| condition.bind(&mut bound));
        if result_level.is_none() && knows_result(&bound) {
            result_level = Some(number + 1);
        }
    }
    let result_level = result_level.unwrap_or(levels.len());
    let mut needed = vec![false; clause.variables];
    for number in (0..levels.len()).rev() {
        // The variables of later levels, and of the result if it is not determined yet.
        let live = (0..clause.variables as u32).filter(|v| needed[*v as usize]);
        levels[number].live = live.collect();
        if number + 1 == result_level {
            for arg in &clause.head {
                arg.for_each_variable(&mut |v| needed[v as usize] = true);
            }
        }
        levels[number].for_each_condition(&mut |condition| condition.bind(&mut needed));
    }
    // Variables are live from the level that binds them.
    let mut bound = vec![false; clause.variables];
    for level in levels {
        level.for_each_condition(&mut |condition| condition.bind(&mut bound));
        level.live.retain(|v| bound[*v as usize]);
    }
    result_level
}

impl LevelPlan {
    fn for_each_condition(&self, visit: &mut impl FnMut(&Condition)) {
        match &self.source {
            LevelSource::Nothing => {}
            LevelSource::Scan(condition) | LevelSource::Walk(condition) => visit(condition),
        }
        for item in &self.items {
            match item {
                LevelItem::Rigid(condition, _) | LevelItem::Filter(condition) => visit(condition),
            }
        }
        self.tests.iter().for_each(visit);
    }
}
