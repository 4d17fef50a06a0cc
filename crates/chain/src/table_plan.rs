//! How a clause is to be run in a given order of conditions: what each level reads, tests and
//! settles beforehand.

use ludorum_logic::rule::Pattern;

use super::clause::{Clause, Condition};
use super::extension::ColumnSet;
use super::join_step::known_columns;
use super::pattern;
use super::rigid::RigidRelations;
use super::schema::Schema;

/// Something that is done while tables are made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LevelItem {
    /// Rows of a rigid relation give values; some columns are known.
    Rigid(Condition, ColumnSet),
    /// A test that looks at no state.
    Filter(Condition),
}

/// How a level gets at its instances.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LevelSource {
    /// Nothing that changes.
    Nothing,
    /// Through the list of the condition's predicate.
    Scan(Condition),
    /// Through all instances that agree.
    Walk(Condition),
}

/// A level to be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LevelPlan {
    pub(super) source: LevelSource,
    pub(super) items: Vec<LevelItem>,
    /// Dynamic conditions all of whose variables have values by then.
    pub(super) tests: Vec<Condition>,
    /// The variables that matter after this level.
    pub(super) live: Vec<u32>,
}

/// A clause in an order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TablePlan {
    /// Conditions without variables.
    pub(super) ground: Vec<Condition>,
    pub(super) levels: Vec<LevelPlan>,
    /// After so many levels the result is known.
    pub(super) cut: usize,
}

/// What is known about the sizes of things.
pub(super) struct SizeEstimates<'a> {
    pub(super) schema: &'a Schema,
    /// How many instances of each predicate hold at a time, on average.
    pub(super) averages: &'a [f64],
}

impl SizeEstimates<'_> {
    /// How many instances agree with what is known of a dynamic condition.
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

/// Plans a clause. `scan_first` makes the first level scan, so that it can be run on a part of the
/// list.
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
        // The first level must be the list that grows, even if there is nothing to find out from
        // it.
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
    let cut = settle(clause, &mut levels);
    TablePlan {
        ground,
        levels,
        cut,
    }
}

/// Finds out after which level the result is known, and which variables matter after each.
fn settle(clause: &Clause, levels: &mut [LevelPlan]) -> usize {
    let mut bound = vec![false; clause.variables];
    let knows_result = |bound: &[bool]| clause.head.iter().all(|arg| pattern::is_bound(arg, bound));
    let mut cut = if knows_result(&bound) { Some(0) } else { None };
    for (number, level) in levels.iter().enumerate() {
        level.for_each_condition(&mut |condition| condition.bind(&mut bound));
        if cut.is_none() && knows_result(&bound) {
            cut = Some(number + 1);
        }
    }
    let cut = cut.unwrap_or(levels.len());
    let mut needed = vec![false; clause.variables];
    for number in (0..levels.len()).rev() {
        // What the levels after this one look at, and the result if it is not known yet.
        let live = (0..clause.variables as u32).filter(|v| needed[*v as usize]);
        levels[number].live = live.collect();
        if number + 1 == cut {
            for arg in &clause.head {
                arg.for_each_variable(&mut |v| needed[v as usize] = true);
            }
        }
        levels[number].for_each_condition(&mut |condition| condition.bind(&mut needed));
    }
    // Variables get their values at one level and are free before it.
    let mut bound = vec![false; clause.variables];
    for level in levels {
        level.for_each_condition(&mut |condition| condition.bind(&mut bound));
        level.live.retain(|v| bound[*v as usize]);
    }
    cut
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
