//! Shapes: which arguments are taken apart into columns, and how they are put together again.

use ludorum_gdl::Symbol;
use ludorum_logic::domain::{DomainId, Domains};
use ludorum_logic::rule::Pattern;
use ludorum_logic::{Rules, TermId, Terms};

use crate::clause::Predicate;

/// For each argument, the function that was taken apart there and how many columns it has.
pub(crate) type Shape = Vec<Option<(Symbol, usize)>>;

/// What a variable for a whole fluent or move stands for in one reading.
#[derive(Clone, Copy)]
pub(crate) enum Reading {
    Constant,
    Function(Symbol, usize),
}

/// The arguments that are taken apart: fluents and moves always, others where only one function can stand.
pub(crate) fn split_places(rules: &Rules, domains: &Domains) -> Vec<Vec<bool>> {
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
                || domains.constants(at).next().is_none()
                    && domains.functions(at).take(2).count() == 1
        });
        places.collect()
    });
    places.collect()
}

/// Where the variables of a pattern stand in a domain.
pub(crate) fn collect_domains(
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
pub(crate) fn readings_of(domains: &Domains, at: DomainId) -> Vec<Reading> {
    let mut readings: Vec<Reading> = domains
        .functions(at)
        .map(|(functor, parts)| Reading::Function(functor, parts.len()))
        .collect();
    if domains.constants(at).next().is_some() {
        readings.push(Reading::Constant);
    }
    readings
}

/// The arguments of an atom, put together again.
pub(crate) fn arguments(
    terms: &mut Terms,
    predicate: &Predicate,
    cells: &[u32],
    out: &mut Vec<TermId>,
) {
    if predicate.shape.is_empty() {
        out.extend(cells.iter().map(|cell| TermId(*cell)));
        return;
    }
    let mut at = 0;
    for function in &predicate.shape {
        let Some((functor, arity)) = function else {
            out.push(TermId(cells[at]));
            at += 1;
            continue;
        };
        let parts: Vec<TermId> = cells[at..at + arity].iter().map(|c| TermId(*c)).collect();
        out.push(terms.intern(*functor, &parts));
        at += arity;
    }
}
