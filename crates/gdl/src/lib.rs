/*!
The Game Description Language: text to syntax tree and back.

The principal type is [`Description`], the syntax tree of a rule sheet with the place of everything
in the text. It comes from [`parse`], which reads KIF and the infix notation of the GGP book and
never stops at the first problem: a [`Parsed`] holds every clause that could be read and a
[`Diagnostic`] for every one that could not. [`check()`] then tells which rules of the language a
description breaks. [`kif`] and [`infix`] print it back; [`mod@format`] lays it out as a careful
author would.

```
let parsed = ludorum_gdl::parse("(role white) (<= (legal white (mark ?x)) (true (cell ?x blank)))");
assert!(parsed.diagnostics.is_empty());
assert_eq!(parsed.description.clauses.len(), 2);
```

Nothing here reasons about a game; that begins in the `logic` crate.
*/

pub mod ast;
pub mod check;
pub mod diagnostic;
pub mod format;
pub mod ground_term;
pub mod infix;
pub mod keyword;
pub mod kif;
pub mod line_index;
pub mod source;
pub mod symbol;
#[cfg(feature = "testing")]
pub mod testing;

pub use ast::Description;
pub use check::check;
pub use diagnostic::{Diagnostic, Severity};
pub use ground_term::GroundTerms;
pub use source::Span;
pub use symbol::{Symbol, Symbols};

/// What a text holds: the clauses that could be read, and the problems met on the way.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The clauses.
    pub description: Description,
    /// Problems of notation.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether some clause could not be read.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// The two ways to write a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `(<= (legal ?r noop) (role ?r))`
    Kif,
    /// `legal(R,noop) :- role(R)`
    Infix,
}

impl Notation {
    /// The notation that a text seems to be written in.
    pub fn detect(text: &str) -> Self {
        infix::detect(text)
    }
}

/// Parses a sheet in the notation that it seems to be written in.
pub fn parse(text: &str) -> Parsed {
    parse_as(text, Notation::detect(text))
}

/// Parses a sheet in a given notation.
pub fn parse_as(text: &str, notation: Notation) -> Parsed {
    match notation {
        Notation::Kif => kif::parse(text),
        Notation::Infix => infix::parse(text),
    }
}
