//! Interned fluents: name and arguments of each fluent, parsed once and addressed by number.

use ludorum_logic::ground_term::term_parts;
use ludorum_reasoner::{FluentId, Reasoner};
use rustc_hash::FxHashMap;

/// An interned symbol: a name, or a whole term in the place of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(pub(super) u32);

/// A fluent with its name and arguments.
#[derive(Clone, Debug)]
pub(crate) struct FluentTerm {
    pub(crate) text: Box<str>,
    pub(crate) name: SymbolId,
    pub(crate) args: Box<[SymbolId]>,
}

/// The fluents that were met so far, by number.
#[derive(Debug, Default)]
pub(crate) struct FluentTerms {
    facts: Vec<Option<FluentTerm>>,
    words: FxHashMap<Box<str>, SymbolId>,
}

impl FluentTerms {
    /// Parses and interns fluents that are not known yet.
    pub(crate) fn intern_all<R: Reasoner>(&mut self, reasoner: &mut R, fluents: &[FluentId]) {
        for id in fluents {
            if self.fact(*id).is_none() {
                let text = reasoner.fluent_text(*id);
                self.put(*id, &text);
            }
        }
    }

    /// Parses and stores a fluent.
    pub(crate) fn put(&mut self, id: FluentId, text: &str) {
        let parts = term_parts(text);
        let (name, args) = parts.split_first().unwrap_or((&text, &[]));
        let fact = FluentTerm {
            text: text.into(),
            name: self.symbol(name),
            args: args.iter().map(|arg| self.symbol(arg)).collect(),
        };
        if self.facts.len() <= id.index() {
            self.facts.resize(id.index() + 1, None);
        }
        self.facts[id.index()] = Some(fact);
    }

    /// The parsed form of a fluent, if it is known.
    pub(crate) fn fact(&self, id: FluentId) -> Option<&FluentTerm> {
        self.facts.get(id.index())?.as_ref()
    }

    /// The number of a symbol; a new symbol gets the next number.
    pub(crate) fn symbol(&mut self, text: &str) -> SymbolId {
        if let Some(word) = self.words.get(text) {
            return *word;
        }
        let word = SymbolId(self.words.len() as u32);
        self.words.insert(text.into(), word);
        word
    }
}

/// Fluents for tests, numbered in the order given.
#[cfg(test)]
pub(crate) fn fluent_terms(texts: &[&str]) -> FluentTerms {
    let mut fluent_terms = FluentTerms::default();
    for (number, text) in texts.iter().enumerate() {
        fluent_terms.put(FluentId(number as u32), text);
    }
    fluent_terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_symbols_have_equal_numbers() {
        let fluent_terms = fluent_terms(&["(cell 1 2 x)", "(cell 2 1 o)"]);
        let [a, b] = [0, 1].map(|id| fluent_terms.fact(FluentId(id)).unwrap());
        assert_eq!(a.name, b.name);
        assert_eq!(a.args[0], b.args[1]);
        assert_ne!(a.args[2], b.args[2]);
    }
}
