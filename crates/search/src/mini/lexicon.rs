//! What fluents say: each is read once and known by its number from then on.

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
        let (name, args) = take_apart(text);
        let fact = Fact {
            text: text.into(),
            name: self.word(name),
            args: args.into_iter().map(|arg| self.word(arg)).collect(),
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

/// The name and the arguments of a term in the spacing that this project prints.
fn take_apart(text: &str) -> (&str, Vec<&str>) {
    let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let Some(inside) = inside else {
        return (text, Vec::new());
    };
    let mut parts = Vec::new();
    let (mut depth, mut first) = (0_usize, 0);
    for (place, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => {
                parts.push(&inside[first..place]);
                first = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[first..]);
    let args = parts.split_off(1);
    (parts[0], args)
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
    fn a_fluent_is_taken_apart_at_its_own_level_only() {
        assert_eq!(take_apart("over"), ("over", vec![]));
        assert_eq!(take_apart("(step 12)"), ("step", vec!["12"]));
        let nested = take_apart("(at (pos a (b c)) x)");
        assert_eq!(nested, ("at", vec!["(pos a (b c))", "x"]));
    }

    #[test]
    fn equal_words_have_equal_numbers() {
        let lexicon = lexicon(&["(cell 1 2 x)", "(cell 2 1 o)"]);
        let [a, b] = [0, 1].map(|id| lexicon.fact(FluentId(id)).unwrap());
        assert_eq!(a.name, b.name);
        assert_eq!(a.args[0], b.args[1]);
        assert_ne!(a.args[2], b.args[2]);
    }
}
