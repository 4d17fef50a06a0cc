//! Term shapes: how many columns an argument takes when compound terms are laid out flat (arity
//! normalisation; Świechowski 2015, section A.3).
//!
//! Arguments that can share a value have one shape, found by unification over all rules. A shape
//! has the maximum arity of the functors at its position, and the shapes of their arguments. A term
//! takes one column for its functor and the columns of its arguments; shorter terms are padded with
//! the empty symbol. Where terms nest without bound or would take too many columns, the shape is
//! closed: a whole term is one symbol, which rules compose and decompose.
//!
//! A functor has a symbol for each arity: `f`, `(f a)` and `(f a b)` may occur at one position and
//! are unrelated.

use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};

/// Index of a shape in [`TermShapes`].
pub(super) type ShapeId = usize;

/// Maximum number of columns of a term.
const MAX_WIDTH: usize = 48;

/// The symbol that pads short terms.
pub(super) const EMPTY: u32 = 0;

/// The symbol of a term: of a constant, or of a whole term where the shape is closed.
pub(super) fn symbol(term: TermId) -> u32 {
    term.0 + 1
}

/// The term whose symbol stands for a functor with an arity: the constant itself, or the functor
/// applied to its own name. The first column of a layout never holds another compound term, so the
/// two cannot be confused.
pub(super) fn intern_name(terms: &mut Terms, name: Symbol, arity: usize) -> TermId {
    let constant = terms.intern(name, &[]);
    if arity == 0 {
        return constant;
    }
    terms.intern(name, &vec![constant; arity])
}

/// The same, if it is interned.
pub(super) fn find_name(terms: &Terms, name: Symbol, arity: usize) -> Option<TermId> {
    let constant = terms.get(name, &[])?;
    if arity == 0 {
        return Some(constant);
    }
    terms.get(name, &vec![constant; arity])
}

/// The term of a symbol.
pub(super) fn term(symbol: u32) -> TermId {
    TermId(symbol.wrapping_sub(1))
}

#[derive(Clone, Debug, Default)]
struct Shape {
    parent: ShapeId,
    parts: Vec<ShapeId>,
    width: usize,
    closed: bool,
}

/// All shapes of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct TermShapes {
    table: Vec<Shape>,
}

impl TermShapes {
    pub(super) fn add(&mut self) -> ShapeId {
        let id = self.table.len();
        self.table.push(Shape {
            parent: id,
            ..Shape::default()
        });
        id
    }

    fn root(&mut self, mut id: ShapeId) -> ShapeId {
        while self.table[id].parent != id {
            self.table[id].parent = self.table[self.table[id].parent].parent;
            id = self.table[id].parent;
        }
        id
    }

    /// Unifies two shapes.
    pub(super) fn unify(&mut self, a: ShapeId, b: ShapeId) {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                continue;
            }
            let (to, from) = if self.table[a].parts.len() >= self.table[b].parts.len() {
                (a, b)
            } else {
                (b, a)
            };
            self.table[from].parent = to;
            let parts = std::mem::take(&mut self.table[from].parts);
            for (i, part) in parts.into_iter().enumerate() {
                todo.push((self.table[to].parts[i], part));
            }
        }
    }

    /// The shapes of the arguments of a functor at a position.
    pub(super) fn parts(&mut self, id: ShapeId, arity: usize) -> Vec<ShapeId> {
        let id = self.root(id);
        while self.table[id].parts.len() < arity {
            let part = self.add();
            self.table[id].parts.push(part);
        }
        self.table[id].parts[..arity].to_vec()
    }

    /// Extends a shape for a ground term.
    pub(super) fn extend_for(&mut self, id: ShapeId, term: TermId, terms: &Terms) {
        let mut todo = vec![(id, term)];
        while let Some((id, term)) = todo.pop() {
            let args = terms.args(term);
            if !args.is_empty() {
                let parts = self.parts(id, args.len());
                todo.extend(parts.into_iter().zip(args.iter().copied()));
            }
        }
    }

    /// Computes the widths. No shape may be unified afterwards.
    pub(super) fn compute_widths(&mut self) {
        for id in 0..self.table.len() {
            let root = self.root(id);
            self.table[id].parent = root;
        }
        for id in 0..self.table.len() {
            let parts = self.table[id].parts.clone();
            self.table[id].parts = parts.into_iter().map(|p| self.root(p)).collect();
        }
        // Closing a shape changes the widths of others: repeat up to a fixpoint.
        loop {
            let before = self.table.iter().filter(|shape| shape.closed).count();
            self.measure();
            self.close_below();
            if self.table.iter().filter(|shape| shape.closed).count() == before {
                break;
            }
        }
        for id in 0..self.table.len() {
            let root = self.table[id].parent;
            self.table[id].closed = self.table[root].closed;
            self.table[id].width = self.table[root].width;
        }
    }

    /// Closes the shapes below closed ones, since their terms are never laid out.
    fn close_below(&mut self) {
        let closed = (0..self.table.len()).filter(|id| self.table[*id].closed);
        let mut todo: Vec<ShapeId> = closed.collect();
        let mut seen = vec![false; self.table.len()];
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id], true) {
                self.table[id].closed = true;
                self.table[id].width = 1;
                todo.extend(self.table[id].parts.iter().copied());
            }
        }
    }

    /// Computes widths bottom-up without recursion. A shape that contains itself is closed.
    fn measure(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            New,
            Open,
            Done,
        }
        let mut visits = vec![Visit::New; self.table.len()];
        let roots = (0..self.table.len()).filter(|id| self.table[*id].parent == *id);
        let mut todo: Vec<ShapeId> = roots.collect();
        while let Some(&id) = todo.last() {
            match visits[id] {
                Visit::New => {
                    visits[id] = Visit::Open;
                    for part in self.table[id].parts.clone() {
                        match visits[part] {
                            Visit::New => todo.push(part),
                            Visit::Open => self.table[part].closed = true,
                            Visit::Done => {}
                        }
                    }
                }
                Visit::Open => {
                    todo.pop();
                    visits[id] = Visit::Done;
                    // A part that is still open contains this shape, and is closed by now.
                    let widths = self.table[id].parts.iter().map(|p| self.table[*p].width);
                    let width: usize = widths.fold(1, usize::saturating_add);
                    let shape = &mut self.table[id];
                    shape.closed |= width > MAX_WIDTH;
                    shape.width = if shape.closed { 1 } else { width };
                }
                Visit::Done => {
                    todo.pop();
                }
            }
        }
    }

    pub(super) fn width(&self, id: ShapeId) -> usize {
        self.table[id].width
    }

    pub(super) fn is_closed(&self, id: ShapeId) -> bool {
        self.table[id].closed
    }

    pub(super) fn any_closed(&self) -> bool {
        self.table.iter().any(|shape| shape.closed)
    }

    /// The argument shapes, once widths are computed.
    pub(super) fn part_shapes(&self, id: ShapeId) -> &[ShapeId] {
        &self.table[self.table[id].parent].parts
    }

    /// Appends the layout of a ground term. Returns false if the term does not fit, or if its
    /// functor has no symbol for its arity.
    pub(super) fn lay_out(
        &self,
        id: ShapeId,
        term: TermId,
        terms: &Terms,
        out: &mut Vec<u32>,
    ) -> bool {
        enum Todo {
            Term(ShapeId, TermId),
            Empty(usize),
        }
        let mut todo = vec![Todo::Term(id, term)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Empty(count) => out.extend(std::iter::repeat_n(EMPTY, count)),
                Todo::Term(id, term) => {
                    let args = terms.args(term);
                    if self.is_closed(id) {
                        out.push(symbol(term));
                        continue;
                    }
                    let parts = self.part_shapes(id);
                    if args.len() > parts.len() {
                        return false;
                    }
                    let Some(name) = find_name(terms, terms.functor(term), args.len()) else {
                        return false;
                    };
                    out.push(symbol(name));
                    for (i, part) in parts.iter().enumerate().rev() {
                        match args.get(i) {
                            Some(arg) => todo.push(Todo::Term(*part, *arg)),
                            None => todo.push(Todo::Empty(self.width(*part))),
                        }
                    }
                }
            }
        }
        true
    }

    /// The term of a layout, created by `intern`.
    pub(super) fn rebuild_term(
        &self,
        id: ShapeId,
        cells: &[u32],
        intern: &mut impl FnMut(TermId, &[TermId]) -> TermId,
    ) -> TermId {
        let name = term(cells[0]);
        if self.is_closed(id) {
            return name;
        }
        // The recursion is as deep as the shape, which is at most its width.
        let mut args = Vec::new();
        let mut at = 1;
        for part in self.part_shapes(id) {
            let width = self.width(*part);
            if cells[at] == EMPTY {
                break;
            }
            args.push(self.rebuild_term(*part, &cells[at..at + width], intern));
            at += width;
        }
        if args.is_empty() {
            return name;
        }
        intern(name, &args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(text: &[&str]) -> (TermShapes, Terms, ShapeId, Vec<TermId>) {
        let mut terms = Terms::default();
        let mut shapes = TermShapes::default();
        let id = shapes.add();
        let parsed: Vec<TermId> = text.iter().map(|t| terms.parse(t).unwrap()[0]).collect();
        for term in &parsed {
            shapes.extend_for(id, *term, &terms);
        }
        for i in 0..terms.len() {
            let id = TermId(i as u32);
            let (functor, arity) = (terms.functor(id), terms.args(id).len());
            intern_name(&mut terms, functor, arity);
        }
        shapes.compute_widths();
        (shapes, terms, id, parsed)
    }

    #[test]
    fn short_terms_are_padded_and_round_trip() {
        let (shapes, mut terms, id, parsed) =
            lay_out(&["wk", "(white king)", "(f (g a b) c)", "(f a)"]);
        assert_eq!(shapes.width(id), 5);
        for term in parsed {
            let mut cells = Vec::new();
            assert!(shapes.lay_out(id, term, &terms, &mut cells));
            assert_eq!(cells.len(), 5);
            let back = shapes.rebuild_term(id, &cells, &mut |name, args| {
                let functor = terms.functor(name);
                terms.intern(functor, args)
            });
            assert_eq!(back, term);
        }
    }

    #[test]
    fn a_functor_has_a_symbol_for_each_arity() {
        let (shapes, terms, id, parsed) = lay_out(&["f", "(f a)", "(f a b)", "(f f)"]);
        let name = |term: &TermId| {
            let mut cells = Vec::new();
            assert!(shapes.lay_out(id, *term, &terms, &mut cells));
            cells[0]
        };
        let names: Vec<u32> = parsed.iter().map(name).collect();
        assert!(names[0] != names[1] && names[0] != names[2] && names[1] != names[2]);
        assert_eq!(names[1], names[3]);
    }

    #[test]
    fn a_shape_that_contains_itself_is_closed() {
        let mut shapes = TermShapes::default();
        let number = shapes.add();
        let inner = shapes.parts(number, 1)[0];
        shapes.unify(inner, number);
        shapes.compute_widths();
        assert!(shapes.is_closed(number));
        assert_eq!(shapes.width(number), 1);
    }
}
