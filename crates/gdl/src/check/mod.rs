//! The rules of the language, checked one by one.
//!
//! Each rule has a file of its own with one entry, `check`, and a place in the list below; adding a
//! rule touches its file, that list and the table of [`codes`]. What several rules need is worked
//! out once, in the private `sheet` and the tables it holds: relations with their uses, the
//! dependency graph, names, and numbers for equal terms.
//!
//! An *error* means that the sheet has no agreed meaning: players may disagree about what is legal
//! or who won. A *warning* is something that an author should look at, while every reasoner still
//! reads the sheet alike; hundreds of published sheets have warnings and are played.
//!
//! Everything here walks with explicit stacks and in time nearly linear in the size of the sheet.

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

/// The most problems that are told at once.
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

/// Every rule of the language that the description breaks, in the order of the text, at most
/// [`MAX_DIAGNOSTICS`] and a last word on how many more there are.
pub fn check(description: &Description) -> Vec<Diagnostic> {
    find(description).finish()
}

/// Everything that is to be said about a text: problems of notation and broken rules together, in
/// the order of the text.
///
/// When some clause could not be read, nothing is said about things that seem to be missing: the
/// broken clause may hold them.
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
