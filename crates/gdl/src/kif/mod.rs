//! KIF, the prefix notation of rule sheets: `(<= (legal ?r noop) (role ?r))`.

mod lexer;
mod parse;
mod print;
mod tree;

pub use parse::parse;
pub(crate) use parse::parse_ground_terms;
pub use print::{atom, clause, formula, sheet, term};
