//! From the rules of the sheet to clauses over predicates.
//!
//! A rule with a variable for a whole fluent or move is read once for each function that may stand there.

use ludorum_gdl::Symbol;
use ludorum_logic::domain::{DomainId, Domains};
use ludorum_logic::rule::{Atom, Literal, Pattern, Rule};
use ludorum_logic::{Rules, Terms};
use rustc_hash::FxHashMap;

use super::allowed;
use super::budget::Stop;
use super::clause::{self, Clause, Condition, PredicateId};
use super::rigid::Rigid;
use super::schema::{Schema, Shape};

/// The most readings of one rule.
const MAX_READINGS: usize = 1 << 14;

/// What a variable for a whole fluent or move stands for in one reading.
#[derive(Clone, Copy)]
enum Reading {
    Constant,
    Function(Symbol, usize),
}

/// Makes clauses of all rules and facts about what changes.
pub(super) fn clauses(
    rules: &Rules,
    rigid: &Rigid,
    schema: &mut Schema,
    terms: &mut Terms,
) -> Result<Vec<Clause>, Stop> {
    let mut flattening = Flattening {
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
    drop_idle(rules, schema, &mut clauses);
    allowed::hold(rules, schema, &mut clauses);
    Ok(clauses)
}

/// Drops clauses that need what no clause gives, and conditions that such things are absent.
fn drop_idle(rules: &Rules, schema: &Schema, clauses: &mut Vec<Clause>) {
    loop {
        let given = given(rules, schema, clauses);
        let before = clauses.len();
        clauses.retain(|clause| {
            clause.body.iter().all(|condition| match condition {
                Condition::Dynamic {
                    positive: true,
                    predicate,
                    ..
                } => given[*predicate as usize],
                _ => true,
            })
        });
        for clause in clauses.iter_mut() {
            clause.body.retain(|condition| match condition {
                Condition::Dynamic {
                    positive: false,
                    predicate,
                    ..
                } => given[*predicate as usize],
                _ => true,
            });
        }
        if clauses.len() == before {
            return;
        }
    }
}

/// The predicates that can ever hold.
pub(super) fn given(rules: &Rules, schema: &Schema, clauses: &[Clause]) -> Vec<bool> {
    let outside = [rules.keywords.true_, rules.keywords.does];
    let mut given: Vec<bool> = schema
        .predicates()
        .iter()
        .map(|predicate| outside.contains(&predicate.relation))
        .collect();
    for clause in clauses {
        given[clause.predicate as usize] = true;
    }
    given
}

struct Flattening<'a> {
    rules: &'a Rules,
    rigid: &'a Rigid,
    schema: &'a mut Schema,
    terms: &'a mut Terms,
    clauses: Vec<Clause>,
}

impl Flattening<'_> {
    fn rule(&mut self, rule: &Rule) -> Result<(), Stop> {
        // Variables that stand for what is taken apart somewhere …
        let mut wholes: Vec<(u32, Vec<Reading>)> = Vec::new();
        let atoms = rule.body.iter().filter_map(Literal::atom);
        for atom in atoms.chain([&rule.head]) {
            for (place, arg) in atom.args.iter().enumerate() {
                if let Pattern::Variable(v) = *arg
                    && self.rigid.get(atom.relation).is_none()
                    && self.schema.is_split(atom.relation, place)
                    && !wholes.iter().any(|(w, _)| *w == v)
                {
                    wholes.push((v, Vec::new()));
                }
            }
        }
        // … and what they can be. A negated atom does not say: there, anything may stand.
        let mut at: Vec<(u32, DomainId)> = Vec::new();
        let positive = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        });
        for atom in positive.chain([&rule.head]) {
            for (place, arg) in atom.args.iter().enumerate() {
                let domain = self.schema.domains.argument(atom.relation, place);
                collect_domains(&self.schema.domains, arg, domain, &mut at);
            }
        }
        for (variable, readings) in &mut wholes {
            let domains = at.iter().filter(|(v, _)| v == variable);
            let choices = domains.map(|(_, domain)| readings_of(&self.schema.domains, *domain));
            *readings = choices.min_by_key(Vec::len).unwrap_or_default();
        }
        let count = wholes
            .iter()
            .fold(1usize, |n, (_, readings)| n.saturating_mul(readings.len()));
        if count > MAX_READINGS {
            return Err(Stop::Unsupported(format!(
                "a rule of `{}` can be read in more than {MAX_READINGS} ways",
                self.rules.relation_name(rule.head.relation)
            )));
        }
        for number in 0..count {
            self.reading(rule, &wholes, number)?;
        }
        Ok(())
    }

    /// Adds the reading of a rule with a number: in mixed radix, a digit for each variable.
    fn reading(
        &mut self,
        rule: &Rule,
        wholes: &[(u32, Vec<Reading>)],
        number: usize,
    ) -> Result<(), Stop> {
        let mut digits = number;
        let mut variables = rule.variables.len() as u32;
        let mut values: FxHashMap<u32, Pattern> = FxHashMap::default();
        let mut body: Vec<Condition> = Vec::new();
        for (variable, readings) in wholes {
            let reading = readings[digits % readings.len()];
            digits /= readings.len();
            match reading {
                Reading::Constant => body.push(Condition::Constant(*variable)),
                Reading::Function(functor, arity) => {
                    let parts = (variables..variables + arity as u32).map(Pattern::Variable);
                    values.insert(*variable, Pattern::Compound(functor, parts.collect()));
                    variables += arity as u32;
                }
            }
        }
        let of = |v: u32| values.get(&v).cloned().unwrap_or(Pattern::Variable(v));
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
        self.clause(&head, body, variables as usize)
    }

    fn clause(&mut self, head: &Atom, body: Vec<Condition>, variables: usize) -> Result<(), Stop> {
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

    /// `None` if nothing like it can ever hold.
    fn condition(&mut self, atom: &Atom, positive: bool) -> Result<Option<Condition>, Stop> {
        if let Some(extension) = self.rigid.get(atom.relation) {
            let condition = Condition::Rigid {
                positive,
                relation: atom.relation,
                args: atom.args.clone(),
            };
            return Ok((extension.len() > 0).then_some(condition));
        }
        let flat = self.atom(atom)?;
        Ok(flat.map(|(predicate, args)| Condition::Dynamic {
            positive,
            predicate,
            args,
        }))
    }

    fn atom(&mut self, atom: &Atom) -> Result<Option<(PredicateId, Vec<Pattern>)>, Stop> {
        let mut shape: Shape = vec![None; atom.args.len()];
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

/// Where the variables of a pattern stand in a domain.
fn collect_domains(
    domains: &Domains,
    pattern: &Pattern,
    at: DomainId,
    out: &mut Vec<(u32, DomainId)>,
) {
    match pattern {
        Pattern::Variable(v) => out.push((*v, at)),
        Pattern::Ground(_) => {}
        Pattern::Compound(functor, args) => {
            let mut functions = domains.functions(at);
            let same = functions.find(|(f, parts)| f == functor && parts.len() == args.len());
            for (part, arg) in same.iter().flat_map(|(_, parts)| parts.iter().zip(args)) {
                collect_domains(domains, arg, *part, out);
            }
        }
    }
}

/// What can stand in a domain.
fn readings_of(domains: &Domains, at: DomainId) -> Vec<Reading> {
    let mut readings: Vec<Reading> = domains
        .functions(at)
        .map(|(functor, parts)| Reading::Function(functor, parts.len()))
        .collect();
    if domains.constants(at).next().is_some() {
        readings.push(Reading::Constant);
    }
    readings
}
