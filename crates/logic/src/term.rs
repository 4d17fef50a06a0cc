//! Ground terms, hash-consed: equal terms have equal ids, so comparing and hashing a term costs as
//! much as a number.

use std::fmt::Write as _;
use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use ludorum_gdl::ast::{Description, SyntaxTerm, SyntaxTermId};
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

/// A term: its name and where its arguments lie.
#[derive(Clone, Copy, Debug)]
struct Node {
    functor: Symbol,
    from: u32,
    to: u32,
    /// How many names it is written with; 0 for a term that is not known here.
    size: u32,
}

/// The place of a term that another table has.
const UNKNOWN: Node = Node {
    functor: Symbol(u32::MAX),
    from: 0,
    to: 0,
    size: 0,
};

/// All ground terms of a game, and the names they are made of. Ids never change; the table only
/// grows.
///
/// Ids are dense, unless terms are [adopted](Self::copy_term) from a larger table: then the ids of
/// those that are not known here are left out.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The names.
    pub symbols: Symbols,
    nodes: Vec<Node>,
    /// The arguments of all terms.
    args: Vec<TermId>,
    /// Every known term, by its name and arguments.
    ids: HashTable<TermId>,
}

fn hash(functor: Symbol, args: &[TermId]) -> u64 {
    FxBuildHasher.hash_one((functor, args))
}

impl Terms {
    /// A table that knows some names and no terms.
    pub fn new(symbols: Symbols) -> Self {
        Self {
            symbols,
            ..Self::default()
        }
    }

    /// The term `functor(args…)`, made when it is new; a constant has no arguments.
    ///
    /// Its id is the next one: where terms are adopted from another table, new ones are to be made
    /// there.
    pub fn intern(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        if let Some(id) = self.get(functor, args) {
            return id;
        }
        let id = TermId(self.nodes.len() as u32);
        // Terms share their parts, so this may be far more than the table holds.
        let sizes = args.iter().map(|arg| self.size(*arg));
        let size = sizes.fold(1, u32::saturating_add);
        self.put(id, functor, args, size);
        id
    }

    /// Puts a new term into its place.
    fn put(&mut self, id: TermId, functor: Symbol, args: &[TermId], size: u32) {
        let from = self.args.len() as u32;
        self.args.extend_from_slice(args);
        if id.index() >= self.nodes.len() {
            self.nodes.resize(id.index() + 1, UNKNOWN);
        }
        self.nodes[id.index()] = Node {
            functor,
            from,
            to: self.args.len() as u32,
            size,
        };
        let (nodes, all) = (&self.nodes, &self.args);
        self.ids.insert_unique(hash(functor, args), id, |id| {
            let node = nodes[id.index()];
            hash(node.functor, &all[node.from as usize..node.to as usize])
        });
    }

    /// Takes over a term, with all that it is made of, from a table with the same names and the
    /// same ids for all terms that are known here.
    pub fn copy_term(&mut self, root: TermId, from: &Self) {
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            if !self.contains(id) {
                let args = from.args(id);
                self.put(id, from.functor(id), args, from.size(id));
                todo.extend(args.iter().filter(|arg| !self.contains(**arg)));
            }
        }
    }

    /// Whether there is a term with this id here.
    pub fn contains(&self, id: TermId) -> bool {
        self.nodes.get(id.index()).is_some_and(|node| node.size > 0)
    }

    /// How many names a term is written with, as far as 32 bits count: what its text costs.
    pub fn size(&self, id: TermId) -> u32 {
        debug_assert!(self.contains(id), "{id:?} is not known here");
        self.nodes[id.index()].size
    }

    /// The term `functor(args…)` if the table has it.
    pub fn get(&self, functor: Symbol, args: &[TermId]) -> Option<TermId> {
        let is_it = |id: &TermId| self.functor(*id) == functor && self.args(*id) == args;
        self.ids.find(hash(functor, args), is_it).copied()
    }

    /// The constant called `name`, made when it is new.
    pub fn constant(&mut self, name: &str) -> TermId {
        let symbol = self.symbols.intern(name);
        self.intern(symbol, &[])
    }

    /// The function name of a term, or the name of a constant.
    pub fn functor(&self, id: TermId) -> Symbol {
        debug_assert!(self.contains(id), "{id:?} is not known here");
        self.nodes[id.index()].functor
    }

    /// The arguments of a term, none for a constant.
    pub fn args(&self, id: TermId) -> &[TermId] {
        debug_assert!(self.contains(id), "{id:?} is not known here");
        let node = &self.nodes[id.index()];
        &self.args[node.from as usize..node.to as usize]
    }

    /// How many terms there are, those that are left out included: all ids are below.
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
        Ok(self.import_all(&description, &ids))
    }

    /// The ground terms of several syntax trees; those with a variable are left out.
    pub fn import_all(&mut self, description: &Description, roots: &[SyntaxTermId]) -> Vec<TermId> {
        let roots = roots.iter();
        roots
            .filter_map(|root| self.import(description, *root))
            .collect()
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
    fn a_term_is_adopted_with_all_that_it_is_made_of_and_nothing_else() {
        let mut large = Terms::default();
        let ids = large.parse("a b c (f a (g b)) (f c (g c))").unwrap();
        let mut small = Terms::new(large.symbols.clone());
        small.copy_term(ids[4], &large);
        small.copy_term(ids[4], &large);
        assert_eq!(small.text(ids[4]), "(f c (g c))");
        assert_eq!((small.size(ids[4]), small.len()), (4, large.len()));
        assert!(small.contains(ids[2]) && !small.contains(ids[0]) && !small.contains(ids[3]));
        assert!(!small.contains(TermId(u32::MAX)));
        // What both know has the same number; what one lacks is not found there.
        let [f, g, c] = ["f", "g", "c"].map(|name| small.symbols.get(name).unwrap());
        let c = small.get(c, &[]).unwrap();
        let inner = small.get(g, &[c]).unwrap();
        assert_eq!(small.get(f, &[c, inner]), Some(ids[4]));
        assert_eq!(small.get(f, &[inner, c]), None);
        assert_eq!(ids[2], c);
    }

    #[test]
    fn terms_that_share_their_parts_are_adopted_in_no_time() {
        let mut large = Terms::default();
        let mut term = large.constant("z");
        let pair = large.symbols.intern("pair");
        for _ in 0..40 {
            term = large.intern(pair, &[term, term]);
        }
        let mut small = Terms::new(large.symbols.clone());
        small.copy_term(term, &large);
        assert_eq!(small.size(term), u32::MAX);
        assert_eq!(small.len(), large.len());
    }

    #[test]
    fn a_variable_is_no_ground_term() {
        assert!(Terms::default().parse("(cell ?x)").is_err());
    }
}
