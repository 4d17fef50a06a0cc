//! The checks of the language, mostly the restrictions of Love et al. 2008.
//!
//! Each check is a module with one entry point, `check`, and an entry in the list `CHECKS`. To add
//! a check, add the module, the entry in the list and its code in [`codes`]. Data that several
//! checks need is computed once in the private module `sheet`: relations with their uses, the
//! dependency graph, names, and ids of equal terms.
//!
//! An *error* means that the sheet has no agreed meaning: players may disagree about legal moves or
//! results. A *warning* marks something suspicious that every reasoner interprets in the same way.
//! Hundreds of published sheets have warnings.
//!
//! All checks use explicit stacks and run in nearly linear time.

pub mod codes;

mod clause_graph;
mod coverage;
mod dependencies;
mod found;
mod names;
mod path;
mod relations;
mod shapes;
mod sheet;
mod spelling;

mod arity;
mod case;
mod dependence;
mod duplicate;
mod fluent;
mod gdl2;
mod goal;
mod keywords;
mod place;
mod recursion;
mod required;
mod role;
mod role_name;
mod safety;
mod stratification;
mod undefined;
mod unused;

pub use codes::explain;

use crate::{Description, Diagnostic, Parsed};
use found::Found;
use sheet::Sheet;

/// Maximum number of reported diagnostics.
pub const MAX_DIAGNOSTICS: usize = 200;

type Check = fn(&Sheet<'_>, &mut Found);

const CHECKS: [Check; 17] = [
    role::check,
    required::check,
    role_name::check,
    keywords::check,
    place::check,
    dependence::check,
    safety::check,
    stratification::check,
    recursion::check,
    goal::check,
    arity::check,
    undefined::check,
    unused::check,
    fluent::check,
    case::check,
    duplicate::check,
    gdl2::check,
];

/// Runs all checks on a description. Returns the diagnostics in text order, at most
/// [`MAX_DIAGNOSTICS`] and one with the number of the others.
pub fn check(description: &Description) -> Vec<Diagnostic> {
    find(description).finish()
}

/// All diagnostics of a text, those of the parser and of the checks, in text order.
///
/// If a clause could not be parsed, diagnostics about something missing are suppressed, since that
/// clause may contain it.
pub fn diagnose(parsed: &Parsed) -> Vec<Diagnostic> {
    let mut found = find(&parsed.description);
    if parsed.has_errors() {
        found.retain(|diagnostic| !codes::is_about_absence(diagnostic.code));
    }
    found.extend(&parsed.diagnostics);
    found.finish()
}

fn find(description: &Description) -> Found {
    let sheet = Sheet::of(description);
    let mut found = Found::default();
    for check in CHECKS {
        check(&sheet, &mut found);
    }
    found
}
