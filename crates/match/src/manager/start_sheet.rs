//! The rule sheet in START messages.

use ludorum_gdl::ast::Clause;
use ludorum_gdl::{Description, kif};

/// The sheet in prefix KIF without comments, whatever its notation.
pub(super) fn sheet(text: &str) -> String {
    let description = ludorum_gdl::parse(text).description;
    let clauses = description.clauses.iter();
    let clauses = clauses.map(|clause| kif::clause(&description, clause));
    clauses.collect::<Vec<_>>().join(" ")
}

/// The same with a state in place of the initial state, so that a player without knowledge of the
/// match can continue it.
///
/// None if rules refer to `init`: they would change their meaning.
pub(super) fn sheet_from(text: &str, facts: &[String]) -> Option<String> {
    let description = ludorum_gdl::parse(text).description;
    let mut parts = Vec::with_capacity(description.clauses.len() + facts.len());
    for clause in &description.clauses {
        if looks_at_init(&description, clause) {
            return None;
        }
        if description.name(clause.head.relation) != "init" {
            parts.push(kif::clause(&description, clause));
        }
    }
    parts.extend(facts.iter().map(|fact| format!("(init {fact})")));
    Some(parts.join(" "))
}

fn looks_at_init(description: &Description, clause: &Clause) -> bool {
    let mut body = clause.body.iter();
    body.any(|part| kif::formula(description, *part).contains("(init "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_infix_becomes_kif() {
        assert_eq!(sheet("(role a) ; who\n terminal"), "(role a) terminal");
        let infix = "role(a)\nlegal(R,noop) :- role(R)";
        assert_eq!(sheet(infix), "(role a) (<= (legal ?r noop) (role ?r))");
    }

    #[test]
    fn a_state_replaces_the_initial_state() {
        let text = "(role a) (init (step 1)) (<= (init (at ?x)) (place ?x)) (place b)";
        let facts = ["(step 7)".to_owned()];
        let sheet = sheet_from(text, &facts).unwrap();
        assert_eq!(sheet, "(role a) (place b) (init (step 7))");
        let text = "(role a) (<= terminal (init (step 1)))";
        assert_eq!(sheet_from(text, &facts), None);
    }
}
