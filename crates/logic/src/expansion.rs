//! Flattening of fluents and moves, and expansion of rules with a variable for a whole one.
//!
//! Engines with relational tables represent `(true (cell ?x ?y ?c))` as a relation of its own with
//! three columns. A rule with a variable for a whole fluent, `(true ?f)`, is expanded into one
//! instance for each functor in the domain of the variable.

use ludorum_gdl::Symbol;
use rustc_hash::FxHashMap;

use crate::domain::{DomainId, Domains};
use crate::rule::{Literal, Pattern, RelationId, Rule, Variable};
use crate::rules::Rules;

/// The term that a variable for a whole fluent or move is replaced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replacement {
    Constant,
    Function(Symbol, usize),
}

/// All expansions of a rule.
#[derive(Clone, Debug)]
pub struct RuleExpansions {
    /// The variables at flattened arguments, each with its possible replacements.
    wholes: Vec<(Variable, Vec<Replacement>)>,
    /// The number of variables of the rule.
    variables: u32,
}

/// One expansion of a rule: a substitution for its variables at flattened arguments.
#[derive(Clone, Debug, Default)]
pub struct RuleExpansion {
    /// The variables that are restricted to constants.
    pub constants: Vec<Variable>,
    /// The variables that are replaced by a functor over fresh variables.
    functions: FxHashMap<Variable, Pattern>,
    /// The number of variables, fresh ones included.
    pub variables: u32,
}

impl RuleExpansion {
    /// The pattern that replaces a variable of the rule.
    pub fn pattern(&self, variable: Variable) -> Pattern {
        let function = self.functions.get(&variable);
        function.cloned().unwrap_or(Pattern::Variable(variable))
    }
}

impl RuleExpansions {
    /// The expansions of a rule; `is_split` tells which arguments are flattened.
    pub fn new(
        rule: &Rule,
        domains: &Domains,
        is_split: impl Fn(RelationId, usize) -> bool,
    ) -> Self {
        let mut wholes: Vec<(Variable, Vec<Replacement>)> = Vec::new();
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
        // Negative literals do not restrict the domain of a variable.
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
        for (variable, replacements) in &mut wholes {
            let places = at.iter().filter(|(v, _)| v == variable);
            let choices = places.map(|(_, domain)| replacements_in(domains, *domain));
            *replacements = choices.min_by_key(Vec::len).unwrap_or_default();
        }
        Self {
            wholes,
            variables: rule.variables.len() as u32,
        }
    }

    /// The number of expansions.
    pub fn count(&self) -> usize {
        let sizes = self
            .wholes
            .iter()
            .map(|(_, replacements)| replacements.len());
        sizes.fold(1, usize::saturating_mul)
    }

    /// The expansion with an index, read as a mixed radix number with a digit for each variable.
    pub fn get(&self, number: usize) -> RuleExpansion {
        let mut digits = number;
        let mut expansion = RuleExpansion {
            variables: self.variables,
            ..RuleExpansion::default()
        };
        for (variable, replacements) in &self.wholes {
            match replacements[digits % replacements.len()] {
                Replacement::Constant => expansion.constants.push(*variable),
                Replacement::Function(functor, arity) => {
                    let from = expansion.variables;
                    expansion.variables += arity as u32;
                    let parts = (from..expansion.variables).map(Pattern::Variable);
                    let whole = Pattern::Compound(functor, parts.collect());
                    expansion.functions.insert(*variable, whole);
                }
            }
            digits /= replacements.len();
        }
        expansion
    }
}

/// The arguments to flatten, by relation and position.
///
/// Fluents and moves are always flattened. Other arguments are flattened if their domain has one
/// functor and no constant, except those of the relations in `whole`.
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

/// Appends the domain of every variable occurrence of `pattern`, given the domain of the pattern.
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

/// The functors of a domain, and a constant if it has any.
fn replacements_in(domains: &Domains, at: DomainId) -> Vec<Replacement> {
    let mut replacements: Vec<Replacement> = domains
        .functions(at)
        .map(|(functor, parts)| Replacement::Function(functor, parts.len()))
        .collect();
    if domains.constants(at).next().is_some() {
        replacements.push(Replacement::Constant);
    }
    replacements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_for_a_whole_fluent_is_expanded_once_for_each_functor() {
        let rules = Rules::from_text(
            "(role r) (init (at a)) (init (on a b)) (init done) (legal r go)
             (<= (next ?f) (true ?f)) (<= terminal (true done)) (goal r 0)",
        )
        .expect("rules");
        let domains = Domains::new(&rules);
        let split = flattened_arguments(&rules, &domains, &[]);
        let rule = rules.rules_of(rules.keywords.next).next().expect("a rule");
        let expansions = RuleExpansions::new(rule, &domains, |id, place| split[id.index()][place]);
        assert_eq!(expansions.count(), 3);
        let all: Vec<RuleExpansion> = (0..3).map(|number| expansions.get(number)).collect();
        let constants = all.iter().filter(|expansion| expansion.constants == [0]);
        assert_eq!(constants.count(), 1);
        let mut widths: Vec<u32> = all
            .iter()
            .map(|expansion| expansion.variables - 1)
            .collect();
        widths.sort_unstable();
        assert_eq!(widths, [0, 1, 2]);
    }
}
