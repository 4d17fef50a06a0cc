//! The infix notation of Genesereth and Thielscher 2014: `legal(R,noop) :- role(R)`.
//!
//! The conversion between both notations is lossless. Names and variables map one to one:
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
//! `~` binds tighter than `&`, and that tighter than `|`. A clause ends where an atom is followed
//! by none of `:-`, `&`, `|`; a full stop is optional. Comments start with `%` or `;`.

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
