//! Check W118 and W119: names, or variables of one clause, that differ only in case.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::codes::{NAME_CASE, VARIABLE_CASE};
use super::found::Found;
use super::names::terms;
use super::sheet::Sheet;
use crate::ast::SyntaxTerm;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::symbol::Symbol;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    // Group names by their lower-case form. Most groups have one member and need no further work.
    let mut folded: FxHashMap<String, u32> = FxHashMap::default();
    let groups: Vec<u32> = sheet
        .description
        .symbols
        .iter()
        .map(|(_, name)| {
            let next = folded.len() as u32;
            *folded.entry(name.to_lowercase()).or_insert(next)
        })
        .collect();
    let mut sizes = vec![0_u32; folded.len()];
    for group in &groups {
        sizes[*group as usize] += 1;
    }
    let group = |symbol: Symbol| {
        let group = groups[symbol.index()];
        (sizes[group as usize] > 1).then_some(group)
    };
    names(sheet, found, &group);
    variables(sheet, found, &group);
}

/// The spellings of one name with the first position of each.
type Spellings = IndexMap<Symbol, Span, FxBuildHasher>;

fn names(sheet: &Sheet<'_>, found: &mut Found, group: &impl Fn(Symbol) -> Option<u32>) {
    let mut groups: IndexMap<u32, Spellings, FxBuildHasher> = IndexMap::default();
    let mut enter = |symbol: Symbol, span: Span| {
        if let Some(group) = group(symbol) {
            let first = groups
                .entry(group)
                .or_default()
                .entry(symbol)
                .or_insert(span);
            *first = span.min(*first);
        }
    };
    for (_, relation) in sheet.relations.iter() {
        let head = relation.heads.iter().map(|c| &sheet.clause(*c).head);
        let uses = relation.uses.iter().filter_map(|u| {
            let usage = sheet.relations.usage(*u);
            sheet.atom(usage.formula)
        });
        // Heads and uses are both in text order.
        for first in [head.take(1).next(), uses.take(1).next()]
            .into_iter()
            .flatten()
        {
            enter(relation.symbol, first.name_span);
        }
    }
    for ((name, _), occurrences) in &sheet.names.functions {
        enter(*name, occurrences.first);
    }
    for (name, occurrences) in &sheet.names.constants {
        enter(*name, occurrences.first);
    }
    for spellings in groups.values().filter(|s| s.len() > 1) {
        found.add(NAME_CASE, || {
            diagnostic(sheet, NAME_CASE, "names", "", spellings)
                .help("names are case-sensitive; use one spelling if the same name is meant")
        });
    }
}

fn variables(sheet: &Sheet<'_>, found: &mut Found, group: &impl Fn(Symbol) -> Option<u32>) {
    for (_, clause) in sheet.clauses() {
        let mut groups: IndexMap<u32, Spellings, FxBuildHasher> = IndexMap::default();
        for root in terms(sheet.description, clause) {
            for id in sheet.description.subterms(root) {
                if let SyntaxTerm::Variable(name) = sheet.description.term(id)
                    && let Some(group) = group(*name)
                {
                    let span = sheet.description.term_span(id);
                    let spellings = groups.entry(group).or_default();
                    spellings.entry(*name).or_insert(span);
                }
            }
        }
        for spellings in groups.values().filter(|s| s.len() > 1) {
            found.add(VARIABLE_CASE, || {
                diagnostic(sheet, VARIABLE_CASE, "variables", "?", spellings).help(
                    "variables are case-sensitive; use one spelling if the same variable is \
                        meant",
                )
            });
        }
    }
}

fn diagnostic(
    sheet: &Sheet<'_>,
    code: &'static str,
    what: &str,
    mark: &str,
    spellings: &Spellings,
) -> Diagnostic {
    let mut places: Vec<(Span, Symbol)> = spellings.iter().map(|(s, span)| (*span, *s)).collect();
    places.sort_unstable();
    places.truncate(6);
    let list: Vec<String> = places
        .iter()
        .map(|(_, symbol)| format!("`{mark}{}`", sheet.name(*symbol)))
        .collect();
    let mut diagnostic = Diagnostic::warning(
        code,
        format!("{what} that differ only in case: {}", list.join(" and ")),
    );
    // The later spelling is the more likely error.
    for ((span, _), text) in places.iter().zip(&list).rev() {
        diagnostic = diagnostic.at(*span, format!("first use of {text}"));
    }
    diagnostic
}
