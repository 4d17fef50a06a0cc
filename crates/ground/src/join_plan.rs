//! Join plans: the order in which the literals of a clause are joined, and the indexes used.
//!
//! Variables and constants of a clause live in numbered slots. A plan is a list of steps. Each step
//! enumerates the rows of one table that match the bound slots, and binds more; tests run as soon
//! as their slots are bound.

use crate::clause::{Arg, Clause, Literal, Predicates};
use crate::join_order::{JoinOrderer, Purpose};
use crate::tuple_table::{TableId, TupleTables};

/// A register for a term while a plan runs.
pub(crate) type Slot = u32;

/// A test or computation on bound slots.
#[derive(Debug)]
pub(crate) enum JoinOp {
    Distinct(Slot, Slot),
    Constant(Slot),
    /// A rigid atom that must not hold.
    Absent(TableId, Box<[Slot]>),
    /// A positive literal whose arguments are all bound.
    Present {
        table: TableId,
        args: Box<[Slot]>,
        literal: u32,
    },
    /// The head is not in its table yet. A known head needs no further search.
    HeadIsNew(TableId, Box<[Slot]>),
    /// `whole` is set to `functor(parts…)`, or compared with it.
    Compose {
        whole: Slot,
        functor: u32,
        parts: Box<[Slot]>,
        bind: bool,
    },
    /// `whole` must be a `functor(parts…)`. Each part is bound by it or compared with it.
    Decompose {
        whole: Slot,
        functor: u32,
        parts: Box<[(Slot, bool)]>,
    },
}

/// Enumerates rows of a table.
#[derive(Debug)]
pub(crate) struct JoinStep {
    pub(crate) table: TableId,
    pub(crate) literal: u32,
    /// The index and the slots of its key. `None` scans the table.
    pub(crate) access: Option<(u16, Box<[Slot]>)>,
    /// Columns outside the key: the slot, and whether the column binds it or is compared with it.
    pub(crate) columns: Box<[(u16, Slot, bool)]>,
    /// Operations after each row.
    pub(crate) ops: Vec<JoinOp>,
}

/// A plan that enumerates all instances of a clause.
#[derive(Debug)]
pub(crate) struct JoinPlan {
    /// Initial slot values: constants, and zero for variables.
    pub(crate) slots: Vec<u32>,
    pub(crate) ops: Vec<JoinOp>,
    pub(crate) steps: Vec<JoinStep>,
    /// The arguments of the head.
    pub(crate) head: Box<[Slot]>,
    /// Negative dynamic literals: table, arguments, and position in the body.
    pub(crate) negatives: Vec<(TableId, Box<[Slot]>, usize)>,
    /// Number of steps after which everything the result depends on is bound. The remaining steps
    /// are existential: one witness is enough.
    pub(crate) existential_after: usize,
}

struct JoinPlanner<'a> {
    clause: &'a Clause,
    predicates: &'a Predicates,
    constants: Vec<u32>,
}

fn is_known(arg: Arg, bound: &[bool]) -> bool {
    arg.variable().is_none_or(|v| bound[v as usize])
}

/// Whether all variables of a literal are bound.
fn is_bound(literal: &Literal, bound: &[bool]) -> bool {
    let mut all = true;
    literal.for_each_arg(&mut |arg| all &= arg.variable().is_none_or(|v| bound[v as usize]));
    all
}

/// Plans a clause. Distinct counts of the tables in its body must be up to date.
pub(crate) fn plan_join(
    clause: &Clause,
    purpose: Purpose,
    predicates: &Predicates,
    tables: &mut TupleTables,
    terms: usize,
) -> JoinPlan {
    let orderer = JoinOrderer {
        clause,
        predicates,
        tables,
    };
    let (.., order) = orderer.best_order(purpose);
    let mut planner = JoinPlanner {
        clause,
        predicates,
        constants: Vec::new(),
    };
    let mut plan = planner.build(&order, purpose);
    // Indexes are created last because the planner holds the tables immutably.
    for step in &mut plan.steps {
        if let Some((index, _)) = &mut step.access {
            let Some(atom) = clause.body[step.literal as usize].generator() else {
                continue;
            };
            let free = |column: u16| step.columns.iter().any(|(c, ..)| *c == column);
            let columns: Vec<u16> = (0..atom.args.len() as u16).filter(|c| !free(*c)).collect();
            *index = tables.get_mut(step.table).index_on(&columns, terms);
        }
    }
    plan
}

impl JoinPlanner<'_> {
    fn slot(&mut self, arg: Arg) -> Slot {
        match arg {
            Arg::Variable(v) => v,
            Arg::Term(id) => {
                let at = self.constants.iter().position(|c| *c == id);
                let at = at.unwrap_or_else(|| {
                    self.constants.push(id);
                    self.constants.len() - 1
                });
                (self.clause.variables as usize + at) as Slot
            }
        }
    }

    fn slots(&mut self, args: &[Arg]) -> Box<[Slot]> {
        args.iter().map(|arg| self.slot(*arg)).collect()
    }

    fn build(&mut self, order: &[usize], purpose: Purpose) -> JoinPlan {
        let clause = self.clause;
        let needed = self.needed(purpose);
        let mut bound = vec![false; clause.variables as usize];
        let mut done = vec![false; clause.body.len()];
        let mut steps: Vec<JoinStep> = Vec::with_capacity(order.len());
        let mut existential_after = None;
        let forced = match purpose {
            Purpose::Atoms { first } => first,
            Purpose::Rules | Purpose::RulesByHead => None,
        };
        // The literal that reads the delta is a step even if it could be a test.
        let first_ops = if forced.is_some() {
            Vec::new()
        } else {
            self.tests(&mut bound, &mut done)
        };
        let mut ops = first_ops;
        let mut note_bound = |ops: &mut Vec<JoinOp>, bound: &[bool], at: usize, this: &mut Self| {
            if existential_after.is_none() && needed.iter().all(|v| bound[*v as usize]) {
                existential_after = Some(at);
                if matches!(purpose, Purpose::Atoms { .. }) {
                    let head = &clause.head;
                    let table = this.predicates.get(head.predicate).table;
                    ops.push(JoinOp::HeadIsNew(table, this.slots(&head.args)));
                }
            }
        };
        note_bound(&mut ops, &bound, 0, self);
        let opening = ops;
        for literal in order {
            if done[*literal] {
                continue;
            }
            done[*literal] = true;
            let mut step = self.step(*literal, &mut bound);
            step.ops = self.tests(&mut bound, &mut done);
            note_bound(&mut step.ops, &bound, steps.len() + 1, self);
            steps.push(step);
        }
        let head = self.slots(&clause.head.args);
        let mut negatives = Vec::new();
        for (at, literal) in clause.body.iter().enumerate() {
            if let Literal::Negative(atom) = literal
                && !self.predicates.is_rigid(literal)
            {
                let table = self.predicates.get(atom.predicate).table;
                negatives.push((table, self.slots(&atom.args), at));
            }
        }
        let mut slots = vec![0; clause.variables as usize];
        slots.extend(&self.constants);
        JoinPlan {
            slots,
            ops: opening,
            head,
            negatives,
            existential_after: existential_after.unwrap_or(steps.len()),
            steps,
        }
    }

    /// The variables that the result depends on.
    fn needed(&self, purpose: Purpose) -> Vec<u32> {
        let mut needed: Vec<u32> = self
            .clause
            .head
            .args
            .iter()
            .filter_map(|a| a.variable())
            .collect();
        if !matches!(purpose, Purpose::Atoms { .. }) {
            for literal in &self.clause.body {
                if self.predicates.is_dynamic(literal) {
                    needed.extend(literal.variables());
                }
            }
        }
        needed
    }

    fn step(&mut self, literal: usize, bound: &mut [bool]) -> JoinStep {
        let clause = self.clause;
        let Some(atom) = clause.body[literal].generator() else {
            unreachable!("only positive literals generate rows");
        };
        let mut key = Vec::new();
        let mut columns = Vec::new();
        let before = bound.to_vec();
        for (column, arg) in atom.args.iter().enumerate() {
            let slot = self.slot(*arg);
            match arg {
                Arg::Variable(v) if !before[*v as usize] => {
                    let seen = std::mem::replace(&mut bound[*v as usize], true);
                    columns.push((column as u16, slot, !seen));
                }
                _ => key.push(slot),
            }
        }
        JoinStep {
            table: self.predicates.get(atom.predicate).table,
            literal: literal as u32,
            access: (!key.is_empty()).then(|| (0, key.into())),
            columns: columns.into(),
            ops: Vec::new(),
        }
    }

    /// All tests and computations that are possible with the bound variables.
    fn tests(&mut self, bound: &mut [bool], done: &mut [bool]) -> Vec<JoinOp> {
        let clause = self.clause;
        let mut ops = Vec::new();
        loop {
            let mut changed = false;
            for (at, literal) in clause.body.iter().enumerate() {
                if done[at] {
                    continue;
                }
                if let Literal::Compose { whole, .. } = literal {
                    if bound[*whole as usize] && !is_bound(literal, bound) {
                        ops.push(self.decompose(literal, bound));
                        done[at] = true;
                        changed = true;
                        continue;
                    }
                } else if !is_bound(literal, bound) {
                    continue;
                }
                if let Literal::Compose { parts, .. } = literal
                    && !parts.iter().all(|arg| is_known(*arg, bound))
                {
                    continue;
                }
                ops.extend(self.test(at, literal, bound));
                done[at] = true;
                changed = true;
            }
            if !changed {
                return ops;
            }
        }
    }

    fn decompose(&mut self, literal: &Literal, bound: &mut [bool]) -> JoinOp {
        let Literal::Compose {
            whole,
            functor,
            parts,
        } = literal
        else {
            unreachable!("called for compositions only");
        };
        let parts = parts
            .iter()
            .map(|arg| {
                let bind = arg
                    .variable()
                    .is_some_and(|v| !std::mem::replace(&mut bound[v as usize], true));
                (self.slot(*arg), bind)
            })
            .collect();
        JoinOp::Decompose {
            whole: *whole,
            functor: *functor,
            parts,
        }
    }

    /// The test of a literal whose variables or parts are bound. Returns `None` if there is nothing
    /// to test.
    fn test(&mut self, at: usize, literal: &Literal, bound: &mut [bool]) -> Option<JoinOp> {
        match literal {
            Literal::Distinct(left, right) => {
                Some(JoinOp::Distinct(self.slot(*left), self.slot(*right)))
            }
            Literal::Constant(v) => Some(JoinOp::Constant(*v)),
            Literal::Negative(atom) => {
                let predicate = self.predicates.get(atom.predicate);
                predicate
                    .rigid
                    .then(|| JoinOp::Absent(predicate.table, self.slots(&atom.args)))
            }
            Literal::Positive(atom) | Literal::GroundingOnly(atom) => Some(JoinOp::Present {
                table: self.predicates.get(atom.predicate).table,
                args: self.slots(&atom.args),
                literal: at as u32,
            }),
            Literal::Compose {
                whole,
                functor,
                parts,
            } => {
                let bind = !std::mem::replace(&mut bound[*whole as usize], true);
                Some(JoinOp::Compose {
                    whole: *whole,
                    functor: *functor,
                    parts: self.slots(parts),
                    bind,
                })
            }
        }
    }
}
