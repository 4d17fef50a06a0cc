//! Leaves out what no rule can use: a rule's head gets a condition on what is looked for.
//!
//! Forward chaining derives all of a relation, whatever is asked. Where every rule that uses a
//! relation knows some of its arguments beforehand, from the fluents of the state or because its
//! own head is asked for with them, the relation need only be derived for these values. They are
//! collected in a predicate of their own, and every rule of the relation is held to it. In amazons
//! this is the difference between all ways of all queens with any cell left out, and those of the
//! eight that are there.
//!
//! A small form of the magic sets of deductive databases: only fluents say what is looked for, so
//! strata stay as they are.

use ludorum_logic::rule::{Pattern, RelationId};
use ludorum_logic::{RelationClass, Rules};

use super::clause::{Clause, Condition, PredicateId};
use super::rigid::RigidRelations;
use super::schema::Schema;

/// The clauses with conditions on what is looked for, and the clauses that collect it.
pub(super) struct RestrictedClauses {
    pub(super) clauses: Vec<Clause>,
    pub(super) wanted: Vec<Clause>,
}

struct BindingAnalysis<'a> {
    schema: &'a Schema,
    rigid: &'a RigidRelations,
    clauses: &'a [Clause],
    true_relation: RelationId,
    /// By predicate and column, whether all users know its value beforehand.
    known: Vec<Vec<bool>>,
}

impl BindingAnalysis<'_> {
    fn is_fluent(&self, predicate: PredicateId) -> bool {
        self.schema.predicate(predicate).relation == self.true_relation
    }

    /// Whether a user of a clause's condition knows a value beforehand.
    fn knows(&self, clause: &Clause, arg: &Pattern) -> bool {
        let Pattern::Variable(variable) = arg else {
            return arg.is_ground();
        };
        let head = clause
            .head
            .iter()
            .zip(&self.known[clause.predicate as usize]);
        let mut asked = head.filter(|(_, known)| **known);
        asked.any(|(own, _)| own == arg) || self.giver(clause, *variable).is_some()
    }

    /// A condition on fluents that gives a variable its value.
    fn giver(&self, clause: &Clause, variable: u32) -> Option<usize> {
        clause.body.iter().position(|condition| match condition {
            Condition::Dynamic {
                positive: true,
                predicate,
                args,
            } => self.is_fluent(*predicate) && args.contains(&Pattern::Variable(variable)),
            _ => false,
        })
    }

    /// Conditions of a clause on fluents that give the variables of some arguments their values, as
    /// far as the head does not, and those that narrow them down.
    fn givers(&self, clause: &Clause, args: &[Pattern]) -> Vec<Condition> {
        let own = picked(&clause.head, &self.known[clause.predicate as usize]);
        let mut places: Vec<usize> = Vec::new();
        for arg in args {
            arg.for_each_variable(&mut |v| {
                if !own.contains(&Pattern::Variable(v)) {
                    places.extend(self.giver(clause, v));
                }
            });
        }
        let mut bound = vec![false; clause.variables];
        for place in &places {
            clause.body[*place].bind(&mut bound);
        }
        let gives = |place: &usize| {
            let condition = &clause.body[*place];
            let narrows = match condition {
                Condition::Dynamic {
                    positive: true,
                    predicate,
                    ..
                } => self.is_fluent(*predicate),
                Condition::Dynamic { .. } => false,
                // What is not written out may look at more than fluents.
                Condition::Rigid { relation, .. } if self.rigid.top_down(*relation).is_some() => {
                    false
                }
                Condition::Rigid { .. }
                | Condition::Distinct(..)
                | Condition::Constant(_)
                | Condition::Among(..)
                | Condition::Any(_) => true,
            };
            places.contains(place) || narrows && condition.is_bound(&bound)
        };
        let all = (0..clause.body.len()).filter(gives);
        all.map(|place| clause.body[place].clone()).collect()
    }

    /// Takes away columns that some user does not know, until all users know all that is left.
    fn run(&mut self) {
        loop {
            let mut changed = false;
            for clause in self.clauses {
                for (predicate, args) in clause.lookups() {
                    for (column, arg) in args.iter().enumerate() {
                        if self.known[predicate as usize][column] && !self.knows(clause, arg) {
                            self.known[predicate as usize][column] = false;
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// The arguments in the columns that are known beforehand.
fn picked(args: &[Pattern], known: &[bool]) -> Vec<Pattern> {
    let picked = args.iter().zip(known).filter(|(_, known)| **known);
    picked.map(|(arg, _)| arg.clone()).collect()
}

/// Restricts clauses to what is looked for; `None` where nothing can be left out. New predicates
/// may have so many instances.
pub(super) fn restrict(
    rules: &Rules,
    (schema, rigid): (&mut Schema, &RigidRelations),
    clauses: &[Clause],
    most: u64,
) -> Option<RestrictedClauses> {
    let known = known_columns(rules, (schema, rigid), clauses);
    let mut of: Vec<Option<PredicateId>> = vec![None; known.len()];
    for (number, known) in known.iter().enumerate() {
        if known.contains(&true) {
            of[number] = Some(schema.add_part(number as PredicateId, known, most)?);
        }
    }
    if of.iter().all(Option::is_none) {
        return None;
    }
    let search = BindingAnalysis {
        known,
        schema,
        rigid,
        clauses,
        true_relation: rules.keywords.true_,
    };
    let mut wanted: Vec<Clause> = Vec::new();
    let mut restricted: Vec<Clause> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let asked = of[clause.predicate as usize].map(|predicate| Condition::Dynamic {
            positive: true,
            predicate,
            args: picked(&clause.head, &search.known[clause.predicate as usize]),
        });
        for condition in &clause.body {
            if let Condition::Dynamic {
                predicate, args, ..
            } = condition
                && let Some(part) = of[*predicate as usize]
            {
                let head = picked(args, &search.known[*predicate as usize]);
                let mut body = search.givers(clause, &head);
                body.extend(asked.clone());
                let is_idle = body.iter().any(|condition| {
                    matches!(condition, Condition::Dynamic { predicate, args, .. } if *predicate == part && *args == head)
                });
                if !is_idle {
                    wanted.push(Clause {
                        predicate: part,
                        head,
                        body,
                        variables: clause.variables,
                    });
                }
            }
        }
        let mut clause = clause.clone();
        clause.body.extend(asked);
        restricted.push(clause);
    }
    Some(RestrictedClauses {
        clauses: restricted,
        wanted,
    })
}

/// By predicate and column, whether all users know its value beforehand.
fn known_columns(
    rules: &Rules,
    (schema, rigid): (&Schema, &RigidRelations),
    clauses: &[Clause],
) -> Vec<Vec<bool>> {
    let keywords = rules.keywords;
    let asked = keywords.per_state();
    let known = schema.predicates().iter().map(|predicate| {
        let relation = predicate.relation;
        let may =
            !asked.contains(&relation) && rules.relation(relation).class != RelationClass::Action;
        vec![may; schema.columns(predicate).len()]
    });
    let mut search = BindingAnalysis {
        known: known.collect(),
        schema,
        rigid,
        clauses,
        true_relation: keywords.true_,
    };
    // Nobody knows beforehand what is asked of rules that are followed on demand.
    for predicate in rigid.looked_at() {
        search.known[predicate as usize].fill(false);
    }
    search.run();
    search.known
}
