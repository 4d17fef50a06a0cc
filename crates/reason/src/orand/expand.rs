//! Rules about fluents of any kind become rules about the fluents of each function.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Atom as RuleAtom, Literal, Pattern, Variable};
use ludorum_logic::{Domains, Rules, Terms};

use super::shape::intern_name;

/// The most rules that a rule over any fluent may become.
const MAX_EXPANSIONS: usize = 20_000;

/// A rule on its way: fluents have names, variables are still terms.
pub(super) struct Draft {
    pub(super) head: RuleAtom,
    pub(super) body: Vec<Literal>,
    /// The alternatives of an `or`; none if there is no `or`.
    pub(super) fork: Vec<Vec<Literal>>,
    pub(super) names: Vec<Symbol>,
    pub(super) clause: u32,
}

/// Puts every function of fluents in place of variables that stand for a whole fluent.
pub(super) fn expand(rules: &Rules, terms: &mut Terms) -> Option<Vec<Draft>> {
    let keywords = &rules.keywords;
    let is_fluent = |id| id == keywords.true_ || id == keywords.init || id == keywords.next;
    let variable = |atom: &RuleAtom| match atom.args.first() {
        Some(Pattern::Variable(v)) if is_fluent(atom.relation) => Some(*v),
        _ => None,
    };
    let mut universe: Option<Vec<(Symbol, usize)>> = None;
    let mut todo: Vec<Draft> = rules
        .rules
        .iter()
        .rev()
        .map(|rule| Draft {
            head: rule.head.clone(),
            body: rule.body.clone(),
            fork: Vec::new(),
            names: rule.variables.clone(),
            clause: rule.clause,
        })
        .collect();
    let mut done = Vec::with_capacity(todo.len());
    while let Some(draft) = todo.pop() {
        let atoms = draft.body.iter().filter_map(Literal::atom);
        let open = std::iter::once(&draft.head).chain(atoms).find_map(variable);
        let Some(open) = open else {
            for atom in
                std::iter::once(&draft.head).chain(draft.body.iter().filter_map(Literal::atom))
            {
                for arg in &atom.args {
                    intern_functors(arg, terms);
                }
            }
            for literal in &draft.body {
                if let Literal::Distinct(a, b) = literal {
                    intern_functors(a, terms);
                    intern_functors(b, terms);
                }
            }
            done.push(draft);
            continue;
        };
        let universe = universe.get_or_insert_with(|| {
            let domains = Domains::new(rules);
            let id = domains.argument(keywords.true_, 0);
            let functions = domains
                .functions(id)
                .map(|(name, parts)| (name, parts.len()));
            let mut all: Vec<_> = functions.collect();
            all.extend(domains.constants(id).map(|name| (name, 0)));
            all
        });
        if done.len() + todo.len() + universe.len() > MAX_EXPANSIONS {
            return None;
        }
        for (functor, arity) in universe.iter().rev() {
            let first = draft.names.len() as Variable;
            let parts = (0..*arity).map(|i| Pattern::Variable(first + i as Variable));
            let fluent = Pattern::compound(terms, *functor, parts.collect());
            let of = |v: Variable| {
                if v == open {
                    fluent.clone()
                } else {
                    Pattern::Variable(v)
                }
            };
            let mut names = draft.names.clone();
            names.extend(std::iter::repeat_n(draft.names[open as usize], *arity));
            todo.push(Draft {
                head: draft.head.substitute(terms, &of),
                body: draft
                    .body
                    .iter()
                    .map(|l| l.substitute(terms, &of))
                    .collect(),
                fork: Vec::new(),
                names,
                clause: draft.clause,
            });
        }
    }
    Some(done)
}

fn intern_functors(pattern: &Pattern, terms: &mut Terms) {
    if let Pattern::Compound(functor, args) = pattern {
        intern_name(terms, *functor, args.len());
        args.iter().for_each(|arg| intern_functors(arg, terms));
    }
}
