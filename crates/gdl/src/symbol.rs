//! Interned names: every symbol of a sheet is a small number.

use std::fmt;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A name of a sheet, as an index into its [`Symbols`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The position of this symbol in its table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbol({})", self.0)
    }
}

/// The table of names: text to [`Symbol`] and back.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Symbols {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `name`, made when it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(index) = self.names.get_index_of(name) {
            return Symbol(index as u32);
        }
        Symbol(self.names.insert_full(name.into()).0 as u32)
    }

    /// The symbol of `name` if the table has it.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|i| Symbol(i as u32))
    }

    /// The text of a symbol.
    ///
    /// The symbol must come from this table; a foreign one gives some other name or `"?"`.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get_index(symbol.index()).map_or("?", |s| s)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name at all.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All symbols with their names, in the order they were first seen.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.names
            .iter()
            .enumerate()
            .map(|(i, s)| (Symbol(i as u32), &**s))
    }
}
