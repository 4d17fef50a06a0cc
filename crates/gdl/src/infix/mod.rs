//! The infix notation of the GGP book: `legal(R,noop) :- role(R)`.
//!
//! Every sheet can be written in either notation and back without loss. Names and variables map one
//! to one:
//!
//! | KIF | infix |
//! | --- | --- |
//! | `cell`, `100`, `x_1` | `cell`, `100`, `x_1` |
//! | `map+`, `-1`, `Cell` | `'map+'`, `'-1'`, `'Cell'`, with `\'` and `\\` inside |
//! | `or` as a name | `'or'` |
//! | `?x`, `?oldRow` | `X`, `OldRow` |
//! | `?X`, `?1`, `?_a` | `_X`, `_1`, `__a` |
//! | `?h-speed` | `?'h-speed'` |
//! | `(or p q)`, `(or p)` | `p \| q`, `or(p)` |
//! | `(<= (p a))` | `p(a) :- .` |
//!
//! `&` binds tighter than `|`, `~` tighter than both. A clause ends where an atom is followed by
//! none of `:-`, `&`, `|`; a full stop may mark that. Comments start with `%` or `;`.

mod body;
mod detect;
pub(crate) mod lexer;
mod name;
mod parse;
mod print;
mod problem;

pub use detect::detect;
pub use parse::parse;
pub(crate) use print::connective;
pub use print::{atom, clause, formula, sheet, term};
