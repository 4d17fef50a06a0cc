//! What fluents say: each is read once and known by its number from then on.

use ludorum_logic::ground_term::term_parts;
use ludorum_reasoner::{FluentId, Reasoner};
use rustc_hash::FxHashMap;

/// A name, or a whole term where it is an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Word(pub(super) u32);

/// A fluent, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) text: Box<str>,
    pub(crate) name: Word,
    pub(crate) args: Box<[Word]>,
}

/// Fluents by number.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    facts: Vec<Option<Fact>>,
    words: FxHashMap<Box<str>, Word>,
}

impl Lexicon {
    /// Makes sure that some fluents are known.
    pub(crate) fn know<R: Reasoner>(&mut self, reasoner: &mut R, fluents: &[FluentId]) {
        for id in fluents {
            if self.fact(*id).is_none() {
                let text = reasoner.fluent_text(*id);
                self.put(*id, &text);
            }
        }
    }

    /// Takes a fluent in.
    pub(crate) fn put(&mut self, id: FluentId, text: &str) {
        let parts = term_parts(text);
        let (name, args) = parts.split_first().unwrap_or((&text, &[]));
        let fact = Fact {
            text: text.into(),
            name: self.word(name),
            args: args.iter().map(|arg| self.word(arg)).collect(),
        };
        if self.facts.len() <= id.index() {
            self.facts.resize(id.index() + 1, None);
        }
        self.facts[id.index()] = Some(fact);
    }

    /// A fluent that is known.
    pub(crate) fn fact(&self, id: FluentId) -> Option<&Fact> {
        self.facts.get(id.index())?.as_ref()
    }

    /// The number of a word, given to it when it is new.
    pub(crate) fn word(&mut self, text: &str) -> Word {
        if let Some(word) = self.words.get(text) {
            return *word;
        }
        let word = Word(self.words.len() as u32);
        self.words.insert(text.into(), word);
        word
    }
}

/// A lexicon for tests, with fluents numbered in the order given.
#[cfg(test)]
pub(crate) fn lexicon(texts: &[&str]) -> Lexicon {
    let mut lexicon = Lexicon::default();
    for (number, text) in texts.iter().enumerate() {
        lexicon.put(FluentId(number as u32), text);
    }
    lexicon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_numbers() {
        let lexicon = lexicon(&["(cell 1 2 x)", "(cell 2 1 o)"]);
        let [a, b] = [0, 1].map(|id| lexicon.fact(FluentId(id)).unwrap());
        assert_eq!(a.name, b.name);
        assert_eq!(a.args[0], b.args[1]);
        assert_ne!(a.args[2], b.args[2]);
    }
}
