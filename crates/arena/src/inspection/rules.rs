//! The clauses of a rule sheet with the results of normalisation.

use ludorum_gdl::kif;
use ludorum_gdl::source::position;
use ludorum_logic::{LoadOptions, RelationClass, load};
use serde::Serialize;

use crate::library::LibraryGame;

/// Limit on clauses shown.
const MAX_CLAUSES: usize = 5000;

/// A rule sheet, clause by clause.
#[derive(Debug, Serialize)]
pub(crate) struct RulesView {
    clauses: Vec<Clause>,
    strata: u32,
    truncated: bool,
}

#[derive(Debug, Serialize)]
struct Clause {
    text: String,
    line: usize,
    relation: String,
    arity: usize,
    /// The stratum of the relation; none where normalisation removed it.
    stratum: Option<u32>,
    class: Option<RelationClass>,
    recursive: bool,
}

/// The clauses in the order of the sheet.
pub(crate) fn rules(game: &LibraryGame) -> Result<RulesView, String> {
    let unusable = || "the rules cannot be used".to_owned();
    let loaded = load(&game.sheet, &LoadOptions::without_checks()).map_err(|_| unusable())?;
    let description = &loaded.description;
    let rules = loaded.rules.as_ref().ok_or_else(unusable)?;
    let clauses = description.clauses.iter().take(MAX_CLAUSES).map(|clause| {
        let relation = description.name(clause.head.relation).to_owned();
        let arity = clause.head.args.len();
        let found = rules.find_relation(&relation, arity);
        let found = found.map(|id| rules.relation(id));
        Clause {
            text: kif::clause(description, clause),
            line: position(&game.sheet, clause.span.start as usize).line,
            relation,
            arity,
            stratum: found.map(|relation| relation.stratum),
            class: found.map(|relation| relation.class),
            recursive: found.is_some_and(|relation| relation.recursive),
        }
    });
    let strata = rules.relations().map(|(_, relation)| relation.stratum + 1);
    Ok(RulesView {
        strata: strata.max().unwrap_or(0),
        truncated: description.clauses.len() > MAX_CLAUSES,
        clauses: clauses.collect(),
    })
}
