//! Taking fluents and moves apart: which arguments become columns, and the ways to read a rule that
//! has a variable for a whole one.
//!
//! Engines that number facts want `(true (cell ?x ?y ?c))` as a relation of its own with three
//! columns. A rule with a variable for a whole fluent, `(true ?f)`, is then read once for each
//! function that may stand there.

use ludorum_gdl::Symbol;
use rustc_hash::FxHashMap;

use crate::domain::{DomainId, Domains};
use crate::rule::{Literal, Pattern, RelationId, Rule, Variable};
use crate::rules::Rules;

/// What a variable for a whole fluent or move stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Constant,
    Function(Symbol, usize),
}

/// All ways to read a rule.
#[derive(Clone, Debug)]
pub struct RuleExpansions {
    /// The variables that stand for something that is taken apart, each with what it can be.
    wholes: Vec<(Variable, Vec<Reading>)>,
    /// How many variables the rule has.
    variables: u32,
}

/// One way to read a rule.
#[derive(Clone, Debug, Default)]
pub struct RuleExpansion {
    /// The variables that stand for constants.
    pub constants: Vec<Variable>,
    /// The variables that stand for functions of new variables.
    functions: FxHashMap<Variable, Pattern>,
    /// How many variables there are now.
    pub variables: u32,
}

impl RuleExpansion {
    /// What a variable of the rule is here.
    pub fn pattern(&self, variable: Variable) -> Pattern {
        let function = self.functions.get(&variable);
        function.cloned().unwrap_or(Pattern::Variable(variable))
    }
}

impl RuleExpansions {
    /// The ways to read a rule; `is_split` tells which arguments are taken apart.
    pub fn new(
        rule: &Rule,
        domains: &Domains,
        is_split: impl Fn(RelationId, usize) -> bool,
    ) -> Self {
        let mut wholes: Vec<(Variable, Vec<Reading>)> = Vec::new();
        let atoms = rule.body.iter().filter_map(Literal::atom);
        for atom in atoms.chain([&rule.head]) {
            for (place, arg) in atom.args.iter().enumerate() {
                if let Pattern::Variable(v) = *arg
                    && is_split(atom.relation, place)
                    && !wholes.iter().any(|(w, _)| *w == v)
                {
                    wholes.push((v, Vec::new()));
                }
            }
        }
        // A negated atom does not say what a variable can be: there, anything may stand.
        let mut at: Vec<(Variable, DomainId)> = Vec::new();
        let positive = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        });
        for atom in positive.chain([&rule.head]) {
            for (place, arg) in atom.args.iter().enumerate() {
                let domain = domains.argument(atom.relation, place);
                variable_domains(domains, arg, domain, &mut at);
            }
        }
        for (variable, readings) in &mut wholes {
            let places = at.iter().filter(|(v, _)| v == variable);
            let choices = places.map(|(_, domain)| readings_of(domains, *domain));
            *readings = choices.min_by_key(Vec::len).unwrap_or_default();
        }
        Self {
            wholes,
            variables: rule.variables.len() as u32,
        }
    }

    /// How many ways there are.
    pub fn count(&self) -> usize {
        let sizes = self.wholes.iter().map(|(_, readings)| readings.len());
        sizes.fold(1, usize::saturating_mul)
    }

    /// The way with a number: in mixed radix, a digit for each variable.
    pub fn get(&self, number: usize) -> RuleExpansion {
        let mut digits = number;
        let mut reader = RuleExpansion {
            variables: self.variables,
            ..RuleExpansion::default()
        };
        for (variable, readings) in &self.wholes {
            match readings[digits % readings.len()] {
                Reading::Constant => reader.constants.push(*variable),
                Reading::Function(functor, arity) => {
                    let from = reader.variables;
                    reader.variables += arity as u32;
                    let parts = (from..reader.variables).map(Pattern::Variable);
                    let whole = Pattern::Compound(functor, parts.collect());
                    reader.functions.insert(*variable, whole);
                }
            }
            digits /= readings.len();
        }
        reader
    }
}

/// By relation and place, the arguments to take apart: fluents and moves always; others, unless
/// they are of a relation that is to be left `whole`, where only one function can stand.
pub fn flattened_arguments(
    rules: &Rules,
    domains: &Domains,
    whole: &[RelationId],
) -> Vec<Vec<bool>> {
    let keywords = &rules.keywords;
    let always = [
        (keywords.true_, 0),
        (keywords.next, 0),
        (keywords.init, 0),
        (keywords.legal, 1),
        (keywords.does, 1),
    ];
    let places = rules.relations().map(|(id, relation)| {
        let places = (0..relation.arity).map(|place| {
            let at = domains.argument(id, place);
            always.contains(&(id, place))
                || !whole.contains(&id)
                    && domains.constants(at).next().is_none()
                    && domains.functions(at).take(2).count() == 1
        });
        places.collect()
    });
    places.collect()
}

/// Notes where the variables of a pattern stand that stands in a domain.
pub fn variable_domains(
    domains: &Domains,
    pattern: &Pattern,
    at: DomainId,
    out: &mut Vec<(Variable, DomainId)>,
) {
    match pattern {
        Pattern::Variable(v) => out.push((*v, at)),
        Pattern::Ground(_) => {}
        Pattern::Compound(functor, args) => {
            let mut functions = domains.functions(at);
            let same = functions.find(|(f, parts)| f == functor && parts.len() == args.len());
            for (part, arg) in same.iter().flat_map(|(_, parts)| parts.iter().zip(args)) {
                variable_domains(domains, arg, *part, out);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_for_a_whole_fluent_is_read_once_for_each_function() {
        let rules = Rules::from_text(
            "(role r) (init (at a)) (init (on a b)) (init done) (legal r go)
             (<= (next ?f) (true ?f)) (<= terminal (true done)) (goal r 0)",
        )
        .expect("rules");
        let domains = Domains::new(&rules);
        let split = flattened_arguments(&rules, &domains, &[]);
        let rule = rules.rules_of(rules.keywords.next).next().expect("a rule");
        let readings = RuleExpansions::new(rule, &domains, |id, place| split[id.index()][place]);
        assert_eq!(readings.count(), 3);
        let readers: Vec<RuleExpansion> = (0..3).map(|number| readings.get(number)).collect();
        let constants = readers.iter().filter(|reader| reader.constants == [0]);
        assert_eq!(constants.count(), 1);
        let mut widths: Vec<u32> = readers.iter().map(|reader| reader.variables - 1).collect();
        widths.sort_unstable();
        assert_eq!(widths, [0, 1, 2]);
    }
}
