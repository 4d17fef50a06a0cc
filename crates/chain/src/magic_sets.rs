//! Magic sets (Bancilhon et al. 1986), restricted to demand that comes from fluents.
//!
//! Forward chaining derives whole relations, whatever is asked. If all uses of a relation bind some
//! of its arguments beforehand, by fluents of the state or because their own head is demanded with
//! them, the relation need only be derived for these values. The values are collected in a demand
//! predicate, and every rule of the relation gets a condition on it. In amazons this is the
//! difference between the moves of all possible queens and those of the eight queens on the board.
//!
//! Only fluents provide bindings, so the stratification of the rules does not change.

use ludorum_logic::rule::{Pattern, RelationId};
use ludorum_logic::{RelationClass, Rules};

use super::clause::{Clause, Condition, PredicateId};
use super::rigid::RigidRelations;
use super::schema::Schema;

/// The restricted clauses, and the clauses that collect the demand.
pub(super) struct RestrictedClauses {
    pub(super) clauses: Vec<Clause>,
    pub(super) demand_clauses: Vec<Clause>,
}

struct BindingAnalysis<'a> {
    schema: &'a Schema,
    rigid: &'a RigidRelations,
    clauses: &'a [Clause],
    true_relation: RelationId,
    /// By predicate and column, whether all uses bind it beforehand.
    known: Vec<Vec<bool>>,
}

impl BindingAnalysis<'_> {
    fn is_fluent(&self, predicate: PredicateId) -> bool {
        self.schema.predicate(predicate).relation == self.true_relation
    }

    /// Whether a use binds an argument beforehand.
    fn is_known(&self, clause: &Clause, arg: &Pattern) -> bool {
        let Pattern::Variable(variable) = arg else {
            return arg.is_ground();
        };
        let head = clause
            .head
            .iter()
            .zip(&self.known[clause.predicate as usize]);
        let mut demand = head.filter(|(_, known)| **known);
        demand.any(|(own, _)| own == arg) || self.binding_fluent(clause, *variable).is_some()
    }

    /// The position of a fluent condition that binds a variable.
    fn binding_fluent(&self, clause: &Clause, variable: u32) -> Option<usize> {
        clause.body.iter().position(|condition| match condition {
            Condition::Dynamic {
                positive: true,
                predicate,
                args,
            } => self.is_fluent(*predicate) && args.contains(&Pattern::Variable(variable)),
            _ => false,
        })
    }

    /// The conditions that bind the variables of some arguments that the head does not bind:
    /// fluents, and tests on the same variables.
    fn binding_conditions(&self, clause: &Clause, args: &[Pattern]) -> Vec<Condition> {
        let own = selected(&clause.head, &self.known[clause.predicate as usize]);
        let mut places: Vec<usize> = Vec::new();
        for arg in args {
            arg.for_each_variable(&mut |v| {
                if !own.contains(&Pattern::Variable(v)) {
                    places.extend(self.binding_fluent(clause, v));
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
                // Top-down relations may depend on more than fluents.
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

    /// Unmarks columns that some use does not bind, to a fixpoint.
    fn run(&mut self) {
        loop {
            let mut changed = false;
            for clause in self.clauses {
                for (predicate, args) in clause.lookups() {
                    for (column, arg) in args.iter().enumerate() {
                        if self.known[predicate as usize][column] && !self.is_known(clause, arg) {
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

/// The arguments in the marked columns.
fn selected(args: &[Pattern], known: &[bool]) -> Vec<Pattern> {
    let selected = args.iter().zip(known).filter(|(_, known)| **known);
    selected.map(|(arg, _)| arg.clone()).collect()
}

/// Restricts clauses to demanded values. Returns `None` if no column can be restricted or the
/// demand predicates exceed `most` ids.
pub(super) fn restrict(
    rules: &Rules,
    (schema, rigid): (&mut Schema, &RigidRelations),
    clauses: &[Clause],
    most: u64,
) -> Option<RestrictedClauses> {
    let known = known_columns(rules, (schema, rigid), clauses);
    let mut demand_of: Vec<Option<PredicateId>> = vec![None; known.len()];
    for (number, known) in known.iter().enumerate() {
        if known.contains(&true) {
            demand_of[number] = Some(schema.add_part(number as PredicateId, known, most)?);
        }
    }
    if demand_of.iter().all(Option::is_none) {
        return None;
    }
    let search = BindingAnalysis {
        known,
        schema,
        rigid,
        clauses,
        true_relation: rules.keywords.true_,
    };
    let mut demand_clauses: Vec<Clause> = Vec::new();
    let mut restricted: Vec<Clause> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let demand = demand_of[clause.predicate as usize].map(|predicate| Condition::Dynamic {
            positive: true,
            predicate,
            args: selected(&clause.head, &search.known[clause.predicate as usize]),
        });
        for condition in &clause.body {
            if let Condition::Dynamic {
                predicate, args, ..
            } = condition
                && let Some(part) = demand_of[*predicate as usize]
            {
                let head = selected(args, &search.known[*predicate as usize]);
                let mut body = search.binding_conditions(clause, &head);
                body.extend(demand.clone());
                let is_trivial = body.iter().any(|condition| match condition {
                    Condition::Dynamic {
                        predicate, args, ..
                    } => *predicate == part && *args == head,
                    _ => false,
                });
                if !is_trivial {
                    demand_clauses.push(Clause {
                        predicate: part,
                        head,
                        body,
                        variables: clause.variables,
                    });
                }
            }
        }
        let mut clause = clause.clone();
        clause.body.extend(demand);
        restricted.push(clause);
    }
    Some(RestrictedClauses {
        clauses: restricted,
        demand_clauses,
    })
}

/// By predicate and column, whether all uses bind it beforehand.
fn known_columns(
    rules: &Rules,
    (schema, rigid): (&Schema, &RigidRelations),
    clauses: &[Clause],
) -> Vec<Vec<bool>> {
    let keywords = rules.keywords;
    let demand = keywords.per_state();
    let known = schema.predicates().iter().map(|predicate| {
        let relation = predicate.relation;
        let may =
            !demand.contains(&relation) && rules.relation(relation).class != RelationClass::Action;
        vec![may; schema.columns(predicate).len()]
    });
    let mut search = BindingAnalysis {
        known: known.collect(),
        schema,
        rigid,
        clauses,
        true_relation: keywords.true_,
    };
    // The bindings of top-down evaluation are not known beforehand.
    for predicate in rigid.used_predicates() {
        search.known[predicate as usize].fill(false);
    }
    search.run();
    search.known
}
