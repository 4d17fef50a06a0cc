//! Printing of the syntax tree in KIF, one clause on each line. [`crate::format`] has the
//! formatter.

use std::fmt::Write as _;

use crate::ast::{Clause, Description, Formula, FormulaId, SyntaxAtom, SyntaxTerm, SyntaxTermId};

/// An item of the output stack.
enum Todo {
    Term(SyntaxTermId),
    Formula(FormulaId),
    Text(&'static str),
}

/// All clauses without comments, one on each line.
pub fn sheet(description: &Description) -> String {
    let mut out = String::new();
    for one in &description.clauses {
        out.push_str(&clause(description, one));
        out.push('\n');
    }
    out
}

/// A clause.
pub fn clause(description: &Description, clause: &Clause) -> String {
    let head = atom(description, &clause.head);
    if !clause.is_rule {
        return head;
    }
    let mut out = format!("(<= {head}");
    for part in &clause.body {
        out.push(' ');
        out.push_str(&formula(description, *part));
    }
    out.push(')');
    out
}

/// An atom: `(cell 1 1 b)`, `terminal`.
pub fn atom(description: &Description, atom: &SyntaxAtom) -> String {
    let mut todo = Vec::new();
    let mut out = String::new();
    push_atom(description, atom, &mut out, &mut todo);
    write(description, out, todo)
}

/// A term.
pub fn term(description: &Description, id: SyntaxTermId) -> String {
    write(description, String::new(), vec![Todo::Term(id)])
}

/// A formula.
pub fn formula(description: &Description, id: FormulaId) -> String {
    write(description, String::new(), vec![Todo::Formula(id)])
}

fn push_atom(description: &Description, atom: &SyntaxAtom, out: &mut String, todo: &mut Vec<Todo>) {
    let name = description.name(atom.relation);
    if atom.args.is_empty() {
        out.push_str(name);
        return;
    }
    let _ = write!(out, "({name}");
    todo.push(Todo::Text(")"));
    push_spaced(&atom.args, Todo::Term, todo);
}

/// Pushes all parts with a space before each, the first on top.
fn push_spaced<T: Copy>(parts: &[T], make: impl Fn(T) -> Todo, todo: &mut Vec<Todo>) {
    for part in parts.iter().rev() {
        todo.push(make(*part));
        todo.push(Todo::Text(" "));
    }
}

fn write(description: &Description, mut out: String, mut todo: Vec<Todo>) -> String {
    while let Some(next) = todo.pop() {
        match next {
            Todo::Text(text) => out.push_str(text),
            Todo::Term(id) => match description.term(id) {
                SyntaxTerm::Variable(name) => {
                    let _ = write!(out, "?{}", description.name(*name));
                }
                SyntaxTerm::Constant(name) => out.push_str(description.name(*name)),
                SyntaxTerm::Compound { functor, args } => {
                    let _ = write!(out, "({}", description.name(*functor));
                    todo.push(Todo::Text(")"));
                    push_spaced(args, Todo::Term, &mut todo);
                }
            },
            Todo::Formula(id) => match description.formula(id) {
                Formula::Atom(atom) => push_atom(description, atom, &mut out, &mut todo),
                Formula::Not(part) => {
                    out.push_str("(not");
                    todo.push(Todo::Text(")"));
                    push_spaced(&[*part], Todo::Formula, &mut todo);
                }
                Formula::And(parts) => {
                    out.push_str("(and");
                    todo.push(Todo::Text(")"));
                    push_spaced(parts, Todo::Formula, &mut todo);
                }
                Formula::Or(parts) => {
                    out.push_str("(or");
                    todo.push(Todo::Text(")"));
                    push_spaced(parts, Todo::Formula, &mut todo);
                }
                Formula::Distinct(left, right) => {
                    out.push_str("(distinct");
                    todo.push(Todo::Text(")"));
                    push_spaced(&[*left, *right], Todo::Term, &mut todo);
                }
            },
        }
    }
    out
}
