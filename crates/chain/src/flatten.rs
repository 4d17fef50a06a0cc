//! Flattens rules into clauses over predicates.
//!
//! A rule with a variable for a whole fluent or move is expanded for each functor it may stand for.

use ludorum_logic::expansion::{RuleExpansion, RuleExpansions};
use ludorum_logic::rule::{Atom, Literal, Pattern, Rule};
use ludorum_logic::{Rules, Terms};

use super::budget::ChainError;
use super::clause::{self, Clause, Condition, PredicateId};
use super::rigid::RigidRelations;
use super::schema::{PredicateShape, Schema};
use super::useful_values;

/// Maximum number of expansions of one rule.
const MAX_EXPANSIONS: usize = 1 << 14;

/// Makes the clauses of all dynamic rules and facts.
pub(super) fn clauses(
    rules: &Rules,
    rigid: &RigidRelations,
    schema: &mut Schema,
    terms: &mut Terms,
) -> Result<Vec<Clause>, ChainError> {
    let mut flattening = Flattener {
        rules,
        rigid,
        schema,
        terms,
        clauses: Vec::new(),
    };
    for fact in &rules.facts {
        if rigid.get(fact.relation).is_none() {
            let head = Atom {
                relation: fact.relation,
                args: fact.args.iter().map(|id| Pattern::Ground(*id)).collect(),
            };
            flattening.clause(&head, Vec::new(), 0)?;
        }
    }
    for rule in &rules.rules {
        if rigid.get(rule.head.relation).is_none() {
            flattening.rule(rule)?;
        }
    }
    let mut clauses = clause::merge(flattening.clauses);
    drop_underivable(rules, schema, &mut clauses);
    useful_values::restrict_heads(rules, schema, &mut clauses);
    Ok(clauses)
}

/// Drops clauses with a positive condition that no clause derives, and negative conditions on such
/// predicates.
fn drop_underivable(rules: &Rules, schema: &Schema, clauses: &mut Vec<Clause>) {
    loop {
        let derivable = derivable(rules, schema, clauses);
        let before = clauses.len();
        clauses.retain(|clause| {
            clause.body.iter().all(|condition| match condition {
                Condition::Dynamic {
                    positive: true,
                    predicate,
                    ..
                } => derivable[*predicate as usize],
                _ => true,
            })
        });
        for clause in clauses.iter_mut() {
            clause.body.retain(|condition| match condition {
                Condition::Dynamic {
                    positive: false,
                    predicate,
                    ..
                } => derivable[*predicate as usize],
                _ => true,
            });
        }
        if clauses.len() == before {
            return;
        }
    }
}

/// The predicates that can hold in some state.
pub(super) fn derivable(rules: &Rules, schema: &Schema, clauses: &[Clause]) -> Vec<bool> {
    let outside = [rules.keywords.true_, rules.keywords.does];
    let mut derivable: Vec<bool> = schema
        .predicates()
        .iter()
        .map(|predicate| outside.contains(&predicate.relation))
        .collect();
    for clause in clauses {
        derivable[clause.predicate as usize] = true;
    }
    derivable
}

struct Flattener<'a> {
    rules: &'a Rules,
    rigid: &'a RigidRelations,
    schema: &'a mut Schema,
    terms: &'a mut Terms,
    clauses: Vec<Clause>,
}

impl Flattener<'_> {
    fn rule(&mut self, rule: &Rule) -> Result<(), ChainError> {
        let expansions = RuleExpansions::new(rule, &self.schema.domains, |relation, place| {
            self.rigid.get(relation).is_none() && self.schema.is_split(relation, place)
        });
        let count = expansions.count();
        if count > MAX_EXPANSIONS {
            return Err(ChainError::Unsupported(format!(
                "a rule of `{}` has more than {MAX_EXPANSIONS} expansions",
                self.rules.relation_name(rule.head.relation)
            )));
        }
        for number in 0..count {
            self.add_expansion(rule, &expansions.get(number))?;
        }
        Ok(())
    }

    /// Adds one expansion of a rule.
    fn add_expansion(&mut self, rule: &Rule, expansion: &RuleExpansion) -> Result<(), ChainError> {
        let of = |v: u32| expansion.pattern(v);
        let constants = expansion.constants.iter();
        let mut body: Vec<Condition> = constants.map(|v| Condition::Constant(*v)).collect();
        for literal in &rule.body {
            let literal = literal.substitute(self.terms, &of);
            let condition = match literal {
                Literal::Positive(atom) => match self.condition(&atom, true)? {
                    Some(condition) => condition,
                    None => return Ok(()),
                },
                Literal::Negative(atom) => match self.condition(&atom, false)? {
                    Some(condition) => condition,
                    None => continue,
                },
                Literal::Distinct(left, right) => Condition::Distinct(left, right),
            };
            if !body.contains(&condition) {
                body.push(condition);
            }
        }
        let head = rule.head.substitute(self.terms, &of);
        self.clause(&head, body, expansion.variables as usize)
    }

    fn clause(
        &mut self,
        head: &Atom,
        body: Vec<Condition>,
        variables: usize,
    ) -> Result<(), ChainError> {
        if let Some((predicate, head)) = self.atom(head)? {
            self.clauses.push(Clause {
                predicate,
                head,
                body,
                variables,
            });
        }
        Ok(())
    }

    /// A condition on an atom. `None` if no such atom can ever hold.
    fn condition(&mut self, atom: &Atom, positive: bool) -> Result<Option<Condition>, ChainError> {
        if let Some(extension) = self.rigid.get(atom.relation) {
            let condition = Condition::Rigid {
                positive,
                relation: atom.relation,
                args: atom.args.clone(),
            };
            let can_hold = extension.len() > 0 || self.rigid.top_down(atom.relation).is_some();
            return Ok(can_hold.then_some(condition));
        }
        let flat = self.atom(atom)?;
        Ok(flat.map(|(predicate, args)| Condition::Dynamic {
            positive,
            predicate,
            args,
        }))
    }

    fn atom(&mut self, atom: &Atom) -> Result<Option<(PredicateId, Vec<Pattern>)>, ChainError> {
        let mut shape: PredicateShape = vec![None; atom.args.len()];
        let mut args = Vec::with_capacity(atom.args.len());
        for (at, arg) in atom.args.iter().enumerate() {
            if self.schema.is_split(atom.relation, at) {
                match arg {
                    Pattern::Compound(functor, parts) => {
                        shape[at] = Some((*functor, parts.len()));
                        args.extend(parts.iter().cloned());
                        continue;
                    }
                    Pattern::Ground(id) if !self.terms.args(*id).is_empty() => {
                        let parts = self.terms.args(*id);
                        shape[at] = Some((self.terms.functor(*id), parts.len()));
                        args.extend(parts.iter().map(|part| Pattern::Ground(*part)));
                        continue;
                    }
                    _ => {}
                }
            }
            args.push(arg.clone());
        }
        let predicate = self
            .schema
            .add(self.rules, atom.relation, shape, self.terms)?;
        Ok(predicate.map(|predicate| (predicate, args)))
    }
}
