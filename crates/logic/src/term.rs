//! Ground terms, hash-consed: equal terms have equal ids, so comparing and hashing a term costs as much as a number.

use std::fmt::Write as _;

use indexmap::{Equivalent, IndexSet};
use ludorum_gdl::ast::{Description, Term as SyntaxTerm, TermId as SyntaxTermId};
use ludorum_gdl::{Diagnostic, Symbol, Symbols, kif};
use rustc_hash::FxBuildHasher;

/// A ground term of a [`Terms`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

impl TermId {
    /// The position of this term in its table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    functor: Symbol,
    args: Box<[TermId]>,
}

/// A node that is looked up without being built.
#[derive(Hash)]
struct NodeRef<'a> {
    functor: Symbol,
    args: &'a [TermId],
}

impl Equivalent<Node> for NodeRef<'_> {
    fn equivalent(&self, node: &Node) -> bool {
        self.functor == node.functor && *self.args == *node.args
    }
}

/// All ground terms of a game, and the names they are made of. Ids are dense and never change; the table only grows.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The names.
    pub symbols: Symbols,
    nodes: IndexSet<Node, FxBuildHasher>,
    /// How many names each term is written with. Terms share their parts, so this may be far more than the table holds.
    sizes: Vec<u32>,
}

impl Terms {
    /// A table that knows some names and no terms.
    pub fn new(symbols: Symbols) -> Self {
        Self {
            symbols,
            nodes: IndexSet::default(),
            sizes: Vec::new(),
        }
    }

    /// The term `functor(args…)`, made when it is new; a constant has no arguments.
    pub fn intern(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        if let Some(id) = self.get(functor, args) {
            return id;
        }
        let node = Node {
            functor,
            args: args.into(),
        };
        let parts = args.iter().map(|arg| self.sizes[arg.index()]);
        self.sizes.push(parts.fold(1, u32::saturating_add));
        TermId(self.nodes.insert_full(node).0 as u32)
    }

    /// How many names a term is written with, as far as 32 bits count: what its text costs.
    pub fn size(&self, id: TermId) -> u32 {
        self.sizes[id.index()]
    }

    /// The term `functor(args…)` if the table has it.
    pub fn get(&self, functor: Symbol, args: &[TermId]) -> Option<TermId> {
        self.nodes
            .get_index_of(&NodeRef { functor, args })
            .map(|i| TermId(i as u32))
    }

    /// The constant called `name`, made when it is new.
    pub fn constant(&mut self, name: &str) -> TermId {
        let symbol = self.symbols.intern(name);
        self.intern(symbol, &[])
    }

    /// The function name of a term, or the name of a constant.
    pub fn functor(&self, id: TermId) -> Symbol {
        self.nodes[id.index()].functor
    }

    /// The arguments of a term, none for a constant.
    pub fn args(&self, id: TermId) -> &[TermId] {
        &self.nodes[id.index()].args
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The integer that a constant is written as, if it is one.
    pub fn number(&self, id: TermId) -> Option<i64> {
        if !self.args(id).is_empty() {
            return None;
        }
        self.symbols.name(self.functor(id)).parse().ok()
    }

    /// The KIF text of a term.
    pub fn text(&self, root: TermId) -> String {
        enum Todo {
            Term(TermId),
            Close,
        }
        let mut out = String::new();
        let mut todo = vec![Todo::Term(root)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Close => out.push(')'),
                Todo::Term(id) => {
                    if !out.is_empty() {
                        out.push(' ');
                    }
                    let name = self.symbols.name(self.functor(id));
                    let args = self.args(id);
                    if args.is_empty() {
                        out.push_str(name);
                    } else {
                        let _ = write!(out, "({name}");
                        todo.push(Todo::Close);
                        todo.extend(args.iter().rev().map(|arg| Todo::Term(*arg)));
                    }
                }
            }
        }
        out
    }

    /// Reads ground terms from KIF text: the facts of a state, the moves of a joint move.
    pub fn parse(&mut self, text: &str) -> Result<Vec<TermId>, Diagnostic> {
        let mut description = Description::new();
        let ids = kif::parse_ground_terms(text, &mut description)?;
        Ok(ids
            .into_iter()
            .filter_map(|id| self.import(&description, id))
            .collect())
    }

    /// The ground term of a syntax tree; `None` if it has a variable.
    pub fn import(&mut self, description: &Description, root: SyntaxTermId) -> Option<TermId> {
        // Post-order over an explicit stack, so that depth costs memory only.
        enum Todo {
            Enter(SyntaxTermId),
            Build(SyntaxTermId),
        }
        let mut todo = vec![Todo::Enter(root)];
        let mut done: Vec<TermId> = Vec::new();
        while let Some(next) = todo.pop() {
            match next {
                Todo::Enter(id) => match description.term(id) {
                    SyntaxTerm::Variable(_) => return None,
                    SyntaxTerm::Constant(name) => {
                        let name = self.symbols.intern(description.name(*name));
                        done.push(self.intern(name, &[]));
                    }
                    SyntaxTerm::Compound { args, .. } => {
                        todo.push(Todo::Build(id));
                        todo.extend(args.iter().rev().map(|arg| Todo::Enter(*arg)));
                    }
                },
                Todo::Build(id) => {
                    if let SyntaxTerm::Compound { functor, args } = description.term(id) {
                        let functor = self.symbols.intern(description.name(*functor));
                        let from = done.len() - args.len();
                        let term = self.intern(functor, &done[from..]);
                        done.truncate(from);
                        done.push(term);
                    }
                }
            }
        }
        done.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_ids_and_print_as_written() {
        let mut terms = Terms::default();
        let ids = terms.parse("(cell 1 (f b)) noop (cell 1 (f b))").unwrap();
        assert_eq!(ids[0], ids[2]);
        assert_ne!(ids[0], ids[1]);
        assert_eq!(terms.text(ids[0]), "(cell 1 (f b))");
        assert_eq!(terms.text(ids[1]), "noop");
    }

    #[test]
    fn deep_terms_are_only_a_matter_of_memory() {
        let depth = 200_000;
        let text = "(s ".repeat(depth) + "0" + &")".repeat(depth);
        let mut terms = Terms::default();
        let ids = terms.parse(&text).unwrap();
        assert_eq!(terms.text(ids[0]), text);
    }

    #[test]
    fn a_variable_is_no_ground_term() {
        assert!(Terms::default().parse("(cell ?x)").is_err());
    }
}
