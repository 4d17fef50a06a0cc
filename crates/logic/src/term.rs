//! Hash-consed ground terms: equal terms have equal ids, so a term is compared and hashed as an
//! integer.

use std::fmt::Write as _;
use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use ludorum_gdl::ast::{Description, SyntaxTerm, SyntaxTermId};
use ludorum_gdl::{Diagnostic, GroundTerms, Symbol, Symbols};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A ground term of a [`Terms`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

impl TermId {
    /// The position of this term in its table.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term: its functor and the range of its arguments in [`Terms::args`].
#[derive(Clone, Copy, Debug)]
struct Node {
    functor: Symbol,
    from: u32,
    to: u32,
    /// The number of symbols of the printed term, saturating; 0 for an id without a term.
    size: u32,
}

/// Placeholder for the id of a term that only another table has.
const UNKNOWN: Node = Node {
    functor: Symbol(u32::MAX),
    from: 0,
    to: 0,
    size: 0,
};

/// The table of all ground terms of a game and of their names. Ids never change; the table only
/// grows.
///
/// Ids are dense, unless terms are [copied](Self::copy_term) from a larger table. The ids of terms
/// that were not copied are then unused.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The names.
    pub symbols: Symbols,
    nodes: Vec<Node>,
    /// The arguments of all terms.
    args: Vec<TermId>,
    /// Hash-consing index: terms by functor and arguments.
    ids: HashTable<TermId>,
}

fn hash(functor: Symbol, args: &[TermId]) -> u64 {
    FxBuildHasher.hash_one((functor, args))
}

impl Terms {
    /// A table with some names and no terms.
    pub fn new(symbols: Symbols) -> Self {
        Self {
            symbols,
            ..Self::default()
        }
    }

    /// The term `functor(args…)`, added if it is new. A constant has no arguments.
    ///
    /// A new term gets the next id. If this table copies terms from another one, new terms must be
    /// interned there and copied.
    pub fn intern(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        if let Some(id) = self.get(functor, args) {
            return id;
        }
        let id = TermId(self.nodes.len() as u32);
        // Subterms are shared, so the printed size can exceed the size of the table.
        let sizes = args.iter().map(|arg| self.size(*arg));
        let size = sizes.fold(1, u32::saturating_add);
        self.put(id, functor, args, size);
        id
    }

    /// Stores a new term under an id.
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

    /// Copies a term and its subterms from another table under the same ids. The other table must
    /// have the same names, and the same ids for all terms of this one.
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

    /// Whether the table has a term with this id.
    #[inline]
    pub fn contains(&self, id: TermId) -> bool {
        self.nodes.get(id.index()).is_some_and(|node| node.size > 0)
    }

    /// The number of symbols of the printed term, saturating at 32 bits.
    pub fn size(&self, id: TermId) -> u32 {
        debug_assert!(self.contains(id), "{id:?} is not known here");
        self.nodes[id.index()].size
    }

    /// The term `functor(args…)` if the table has it.
    #[inline]
    pub fn get(&self, functor: Symbol, args: &[TermId]) -> Option<TermId> {
        let is_it = |id: &TermId| self.functor(*id) == functor && self.args(*id) == args;
        self.ids.find(hash(functor, args), is_it).copied()
    }

    /// The constant called `name`, added if it is new.
    pub fn constant(&mut self, name: &str) -> TermId {
        let symbol = self.symbols.intern(name);
        self.intern(symbol, &[])
    }

    /// The functor of a compound term, or the name of a constant.
    #[inline]
    pub fn functor(&self, id: TermId) -> Symbol {
        debug_assert!(self.contains(id), "{id:?} is not known here");
        self.nodes[id.index()].functor
    }

    /// The arguments of a term, none for a constant.
    #[inline]
    pub fn args(&self, id: TermId) -> &[TermId] {
        debug_assert!(self.contains(id), "{id:?} is not known here");
        let node = &self.nodes[id.index()];
        &self.args[node.from as usize..node.to as usize]
    }

    /// Rebuilds a term for another table, of which the first `common` terms are the same as here.
    /// `make` gives the term there with a name and arguments; `None` ends the work. `known` maps
    /// the subterms rebuilt so far.
    pub fn rebuild(
        &self,
        root: TermId,
        common: usize,
        known: &mut FxHashMap<TermId, TermId>,
        mut make: impl FnMut(&str, &[TermId]) -> Option<TermId>,
    ) -> Option<TermId> {
        // Postorder with an explicit stack, because terms may nest deeply.
        let mut stack = vec![root];
        let mut args = Vec::new();
        loop {
            let id = *stack.last()?;
            let rebuilt = |id: &TermId| {
                if id.index() < common {
                    Some(*id)
                } else {
                    known.get(id).copied()
                }
            };
            if let Some(rebuilt) = rebuilt(&id) {
                stack.pop();
                if stack.is_empty() {
                    return Some(rebuilt);
                }
                continue;
            }
            let before = stack.len();
            stack.extend(self.args(id).iter().filter(|arg| rebuilt(arg).is_none()));
            if stack.len() == before {
                args.clear();
                args.extend(self.args(id).iter().filter_map(rebuilt));
                let made = make(self.symbols.name(self.functor(id)), &args)?;
                known.insert(id, made);
            }
        }
    }

    /// One more than the largest id. Unused ids are counted.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the table has no term.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The value of a constant that is an integer.
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

    /// Parses ground terms in KIF, such as the facts of a state or the moves of a joint move.
    pub fn parse(&mut self, text: &str) -> Result<Vec<TermId>, Diagnostic> {
        Ok(self.import_all(&GroundTerms::read(text)?))
    }

    /// Reads exactly one ground term from KIF text: a fact or a move.
    pub fn parse_one(&mut self, text: &str) -> Result<TermId, String> {
        match self.parse(text).map_err(|problem| problem.message)?[..] {
            [term] => Ok(term),
            _ => Err("exactly one term is needed".to_owned()),
        }
    }

    /// Interns ground terms that were read.
    pub fn import_all(&mut self, read: &GroundTerms) -> Vec<TermId> {
        let roots = read.roots.iter();
        roots
            .filter_map(|root| self.import(&read.description, *root))
            .collect()
    }

    /// The ground term of a syntax tree; `None` if it has a variable.
    pub fn import(&mut self, description: &Description, root: SyntaxTermId) -> Option<TermId> {
        // Post-order traversal with an explicit stack: terms can be nested deeply.
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
    fn deeply_nested_terms_do_not_overflow_the_stack() {
        let depth = 200_000;
        let text = "(s ".repeat(depth) + "0" + &")".repeat(depth);
        let mut terms = Terms::default();
        let ids = terms.parse(&text).unwrap();
        assert_eq!(terms.text(ids[0]), text);
    }

    #[test]
    fn a_term_is_copied_with_its_subterms_and_nothing_else() {
        let mut large = Terms::default();
        let ids = large.parse("a b c (f a (g b)) (f c (g c))").unwrap();
        let mut small = Terms::new(large.symbols.clone());
        small.copy_term(ids[4], &large);
        small.copy_term(ids[4], &large);
        assert_eq!(small.text(ids[4]), "(f c (g c))");
        assert_eq!((small.size(ids[4]), small.len()), (4, large.len()));
        assert!(small.contains(ids[2]) && !small.contains(ids[0]) && !small.contains(ids[3]));
        assert!(!small.contains(TermId(u32::MAX)));
        // Copied terms keep their ids, and terms that were not copied are not found.
        let [f, g, c] = ["f", "g", "c"].map(|name| small.symbols.get(name).unwrap());
        let c = small.get(c, &[]).unwrap();
        let inner = small.get(g, &[c]).unwrap();
        assert_eq!(small.get(f, &[c, inner]), Some(ids[4]));
        assert_eq!(small.get(f, &[inner, c]), None);
        assert_eq!(ids[2], c);
    }

    #[test]
    fn copying_visits_shared_subterms_once() {
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
    fn a_rebuilt_term_has_the_same_text_and_common_terms_keep_their_ids() {
        let mut rules = Terms::default();
        let common = rules.parse("a b (f a)").unwrap();
        let (mut here, mut there) = (rules.clone(), rules);
        there.parse("x y z").unwrap();
        let ids = here.parse("(f a) (g (f a) (f b) c)").unwrap();
        let mut known = FxHashMap::default();
        let mut rebuild = |id| {
            here.rebuild(id, common.len(), &mut known, |name, args| {
                let functor = there.symbols.intern(name);
                Some(there.intern(functor, args))
            })
        };
        let rebuilt: Vec<TermId> = ids.iter().filter_map(|id| rebuild(*id)).collect();
        assert_eq!(rebuilt[0], ids[0]);
        assert_eq!(there.text(rebuilt[1]), here.text(ids[1]));
        let mut known = FxHashMap::default();
        let none = here.rebuild(ids[1], common.len(), &mut known, |_, _| None);
        assert_eq!(none, None);
    }

    #[test]
    fn parsing_rejects_variables() {
        assert!(Terms::default().parse("(cell ?x)").is_err());
    }
}
