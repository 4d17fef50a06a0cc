/*!
The Game Description Language (Love et al. 2008): parser, checker, printer and formatter.

The principal type is [`Description`], the syntax tree of a rule sheet with the span of every node.
[`parse`] reads KIF and the infix notation of Genesereth and Thielscher 2014, and recovers from
errors: a [`Parsed`] holds every clause without syntax errors and a [`Diagnostic`] for every other
one. [`check()`] reports the restrictions of the language that a description violates. [`kif`] and
[`infix`] print descriptions; [`mod@format`] formats them with their comments.

```
let parsed = ludorum_gdl::parse("(role white) (<= (legal white (mark ?x)) (true (cell ?x blank)))");
assert!(parsed.diagnostics.is_empty());
assert_eq!(parsed.description.clauses.len(), 2);
```

Nothing here evaluates rules. Normalisation begins in the `logic` crate.
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

/// The result of parsing: the clauses without syntax errors, and the diagnostics of the parser.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The clauses.
    pub description: Description,
    /// The diagnostics of the parser.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether some clause could not be parsed.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// The two notations of rule sheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `(<= (legal ?r noop) (role ?r))`
    Kif,
    /// `legal(R,noop) :- role(R)`
    Infix,
}

impl Notation {
    /// Detects the notation of a text.
    pub fn detect(text: &str) -> Self {
        infix::detect(text)
    }
}

/// Parses a sheet in the detected notation.
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
