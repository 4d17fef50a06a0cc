//! The fluents that the staged rules assume to have exactly one value in every state, such as the
//! position of a king.

use ludorum_factor::StagedGame;
use ludorum_logic::TermId;
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::vocabulary::Vocabulary;

/// Stands for a variable in a pattern that is read as a ground term. No sheet has such a name.
const WILDCARD: &str = "ludorum-any-value-";

/// Sets of fluents of which exactly one is assumed to hold.
#[derive(Debug, Default)]
pub(super) struct SingleValues(Vec<BitState>);

impl SingleValues {
    /// The sets of a staged game, by the terms of its fluents. `None` if a pattern cannot be read.
    pub(super) fn new(
        staged: &StagedGame,
        fluent_terms: &[TermId],
        vocabulary: &mut Vocabulary,
    ) -> Option<Self> {
        let sets = staged.assumed.iter().map(|pattern| {
            let text = pattern.replace('?', WILDCARD);
            let [condition] = vocabulary.parse(&text).ok()?[..] else {
                return None;
            };
            let [pattern] = *vocabulary.terms().args(condition) else {
                return None;
            };
            let mut set = BitState::empty(fluent_terms.len());
            for (i, term) in fluent_terms.iter().enumerate() {
                set.set(i, matches(vocabulary, pattern, *term));
            }
            Some(set)
        });
        sets.collect::<Option<Vec<BitState>>>().map(Self)
    }

    /// Whether a state is as assumed.
    pub(super) fn hold_in(&self, state: &BitState) -> bool {
        self.0.iter().all(|set| {
            let words = set.words.iter().zip(&state.words);
            let count: u32 = words.map(|(set, word)| (set & word).count_ones()).sum();
            count == 1
        })
    }
}

/// Whether a term is an instance of a pattern. All variables of a pattern differ, and stand for
/// whole arguments.
fn matches(vocabulary: &Vocabulary, pattern: TermId, term: TermId) -> bool {
    let terms = vocabulary.terms();
    let (own, others) = (terms.args(pattern), terms.args(term));
    terms.functor(pattern) == terms.functor(term)
        && own.len() == others.len()
        && own.iter().zip(others).all(|(own, other)| {
            own == other || {
                let name = terms.symbols.name(terms.functor(*own));
                name.starts_with(WILDCARD)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludorum_factor::{StageOptions, stage};
    use ludorum_logic::Rules;

    #[test]
    fn a_state_has_one_value_of_each_kind() {
        let game = ludorum_games::find("tic-tac-toe").expect("a shipped game");
        let rules = Rules::from_text(game.text).expect("rules");
        let mut staged = stage(&rules, StageOptions::default()).expect("a staged game");
        staged.assumed = vec!["(true (cell ?v0 2 x))".to_owned()];
        let mut vocabulary = Vocabulary::new(rules.terms.clone(), 2);
        let facts = [
            "(cell 1 2 x)",
            "(cell 2 2 x)",
            "(cell 1 1 x)",
            "(cell 1 2 o)",
        ];
        let terms = facts.map(|fact| vocabulary.fluent(fact).expect("a fluent"));
        let values = SingleValues::new(&staged, &terms, &mut vocabulary).expect("patterns");
        let holds_in = |facts: &[usize]| {
            let mut state = BitState::empty(terms.len());
            facts.iter().for_each(|fact| state.set(*fact, true));
            values.hold_in(&state)
        };
        assert!(holds_in(&[0]));
        assert!(holds_in(&[1, 2, 3]));
        assert!(!holds_in(&[0, 1]));
        assert!(!holds_in(&[2, 3]));
    }
}
