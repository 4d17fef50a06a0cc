//! Symbol interning: every name is represented by a small integer.

use std::fmt;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// An interned name, as an index into its [`Symbols`].
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

/// The symbol table: names to [`Symbol`]s and back.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Symbols {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `name`, added if it is new.
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

    /// The name of a symbol.
    ///
    /// The symbol must come from this table. Another one gives an unspecified name or `"?"`.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get_index(symbol.index()).map_or("?", |s| s)
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All symbols with their names, in the order of interning.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.names
            .iter()
            .enumerate()
            .map(|(i, s)| (Symbol(i as u32), &**s))
    }
}
