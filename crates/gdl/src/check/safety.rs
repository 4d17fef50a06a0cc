//! Checks E110 to E113, safety: every variable of a head, a negative literal or a `distinct` must
//! occur in a positive literal of the body (Love et al. 2008, definition of safety).

use rustc_hash::FxHashMap;

use super::codes::{FACT_WITH_VARIABLE, UNSAFE_DISTINCT, UNSAFE_HEAD, UNSAFE_NEGATION};
use super::coverage::{Key, Requirements, UnmetRequirement, UnmetRequirements, gaps};
use super::found::Found;
use super::names::{leaf_terms, terms};
use super::sheet::Sheet;
use crate::ast::{Clause, Formula, FormulaId, SyntaxTerm, SyntaxTermId};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;

/// Maximum number of positions that are shown for one variable.
const PLACES: usize = 4;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (index, clause) in sheet.clauses() {
        let mut head = Vec::new();
        for arg in &clause.head.args {
            variables(sheet, *arg, &mut head);
        }
        if clause.body.is_empty() {
            // A variable as a role has a check of its own.
            let relation = sheet.relations.get(sheet.relations.head(index));
            if relation.keyword != Some("role") {
                facts(sheet, found, clause, &head);
            }
            continue;
        }
        let UnmetRequirements {
            gaps,
            partially_provided,
        } = gaps(sheet.description, clause, &head, &Variables { sheet });
        let mut by_variable: indexmap::IndexMap<
            Key,
            Vec<UnmetRequirement>,
            rustc_hash::FxBuildHasher,
        > = indexmap::IndexMap::default();
        for gap in gaps {
            by_variable.entry(gap.key).or_default().push(gap);
        }
        for (variable, gaps) in by_variable {
            unsafe_variable(
                sheet,
                found,
                clause,
                Symbol(variable),
                &gaps,
                &partially_provided,
            );
        }
    }
}

struct Variables<'a, 'd> {
    sheet: &'a Sheet<'d>,
}

impl Requirements for Variables<'_, '_> {
    fn provides(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
        if let Some(atom) = self.sheet.atom(leaf)
            && !negated
        {
            for arg in &atom.args {
                variables(self.sheet, *arg, keys);
            }
        }
    }

    fn requires(&self, leaf: FormulaId, negated: bool, keys: &mut Vec<Key>) {
        let is_distinct = matches!(self.sheet.description.formula(leaf), Formula::Distinct(..));
        if negated || is_distinct {
            for term in leaf_terms(self.sheet.description, leaf) {
                variables(self.sheet, term, keys);
            }
        }
    }
}

fn variables(sheet: &Sheet<'_>, root: SyntaxTermId, keys: &mut Vec<Key>) {
    for id in sheet.description.subterms(root) {
        if let SyntaxTerm::Variable(name) = sheet.description.term(id) {
            keys.push(name.0);
        }
    }
}

fn facts(sheet: &Sheet<'_>, found: &mut Found, clause: &Clause, variables: &[Key]) {
    let mut reported = rustc_hash::FxHashSet::default();
    for variable in variables {
        if !reported.insert(*variable) {
            continue;
        }
        found.add(FACT_WITH_VARIABLE, || {
            let variable = Symbol(*variable);
            let name = sheet.name(variable);
            let place = sheet
                .variable_span(clause.head.args.iter().copied(), variable)
                .unwrap_or(clause.span);
            Diagnostic::error(
                FACT_WITH_VARIABLE,
                format!("a fact with the variable `?{name}`"),
            )
            .at(place, "no condition gives this variable a value")
            .help(format!(
                "write a constant, or a rule with a condition that gives `?{name}` its values"
            ))
        });
    }
}

fn unsafe_variable(
    sheet: &Sheet<'_>,
    found: &mut Found,
    clause: &Clause,
    variable: Symbol,
    gaps: &[UnmetRequirement],
    partially_provided: &FxHashMap<Key, FormulaId>,
) {
    let is_distinct =
        |id: FormulaId| matches!(sheet.description.formula(id), Formula::Distinct(..));
    let (code, place) = match gaps[0].required_by {
        None => (UNSAFE_HEAD, "the head"),
        Some(id) if is_distinct(id) => (UNSAFE_DISTINCT, "a `distinct`"),
        Some(_) => (UNSAFE_NEGATION, "a negation"),
    };
    found.add(code, || {
        let name = sheet.name(variable);
        let mut diagnostic = Diagnostic::error(
            code,
            format!("variable `?{name}` of {place} gets no value from a positive condition"),
        );
        let mut last = None;
        for gap in gaps.iter().take(PLACES) {
            if last == Some(gap.required_by) {
                continue;
            }
            last = Some(gap.required_by);
            let (span, text) = match gap.required_by {
                None => (
                    sheet.variable_span(clause.head.args.iter().copied(), variable),
                    format!("`?{name}` has no value here"),
                ),
                Some(id) => (
                    sheet.variable_span(leaf_terms(sheet.description, id), variable),
                    if is_distinct(id) {
                        format!("`distinct` compares `?{name}` but does not give it a value")
                    } else {
                        format!("a negation does not give `?{name}` a value")
                    },
                ),
            };
            diagnostic = diagnostic.at(span.unwrap_or(clause.span), text);
        }
        if let Some(or) = partially_provided.get(&variable.0) {
            return diagnostic
                .at(
                    sheet.description.formula_span(*or),
                    format!("only some of these alternatives give `?{name}` a value"),
                )
                .help(format!(
                    "use `?{name}` in a positive condition of every alternative, or in one \
                        outside the `or`"
                ));
        }
        diagnostic.help(match likely_meant(sheet, clause, variable) {
            Some(other) => format!("did you mean `?{other}`?"),
            None => format!("add a positive condition that gives `?{name}` its values"),
        })
    });
}

/// A variable of the same clause with a similar name, in case of a typing error.
fn likely_meant<'d>(sheet: &Sheet<'d>, clause: &'d Clause, variable: Symbol) -> Option<&'d str> {
    let mut others = Vec::new();
    for root in terms(sheet.description, clause) {
        variables(sheet, root, &mut others);
    }
    others.sort_unstable();
    others.dedup();
    let others = others
        .into_iter()
        .filter(|key| *key != variable.0)
        .map(|key| sheet.name(Symbol(key)));
    sheet.speller.nearest(sheet.name(variable), others)
}
