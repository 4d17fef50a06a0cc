//! Printing of the syntax tree in infix notation, one clause on each line. [`crate::format`] has
//! the formatter.

use super::name::{write_name, write_variable};
use crate::ast::{Clause, Description, Formula, FormulaId, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use crate::symbol::Symbol;

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

/// A clause. A rule without conditions ends in a full stop, since the next clause would be read as
/// its body otherwise.
pub fn clause(description: &Description, clause: &Clause) -> String {
    let mut out = atom(description, &clause.head);
    if clause.is_rule {
        out.push_str(" :- ");
        if clause.body.is_empty() {
            out.push('.');
        }
    }
    for (i, part) in clause.body.iter().enumerate() {
        if i > 0 {
            out.push_str(" & ");
        }
        out.push_str(&formula(description, *part));
    }
    out
}

/// An atom: `cell(1,1,b)`, `terminal`.
pub fn atom(description: &Description, atom: &SyntaxAtom) -> String {
    let mut todo = Vec::new();
    let mut out = String::new();
    push_application(description, atom.relation, &atom.args, &mut out, &mut todo);
    write(description, out, todo)
}

/// A term.
pub fn term(description: &Description, id: SyntaxTermId) -> String {
    write(description, String::new(), vec![Todo::Term(id)])
}

/// A formula. `and` and `or` with several parts are parenthesised.
pub fn formula(description: &Description, id: FormulaId) -> String {
    write(description, String::new(), vec![Todo::Formula(id)])
}

/// The opening and the separator of a connective with several parts. A single part needs the prefix
/// form.
pub(crate) fn connective(formula: &Formula) -> (&'static str, &'static str) {
    match formula {
        Formula::Not(_) => ("~", ""),
        Formula::And(parts) if parts.len() == 1 => ("and(", ""),
        Formula::Or(parts) if parts.len() == 1 => ("or(", ""),
        Formula::And(_) => ("(", " & "),
        Formula::Or(_) => ("(", " | "),
        Formula::Atom(_) | Formula::Distinct(..) => ("", ""),
    }
}

fn push_application(
    description: &Description,
    name: Symbol,
    args: &[SyntaxTermId],
    out: &mut String,
    todo: &mut Vec<Todo>,
) {
    write_name(description.name(name), out);
    if !args.is_empty() {
        out.push('(');
        todo.push(Todo::Text(")"));
        push_joined(args, Todo::Term, ",", todo);
    }
}

/// Pushes all parts with the separator between them, the first on top.
fn push_joined<T: Copy>(
    parts: &[T],
    make: impl Fn(T) -> Todo,
    separator: &'static str,
    todo: &mut Vec<Todo>,
) {
    for (i, part) in parts.iter().enumerate().rev() {
        todo.push(make(*part));
        if i > 0 {
            todo.push(Todo::Text(separator));
        }
    }
}

fn write(description: &Description, mut out: String, mut todo: Vec<Todo>) -> String {
    while let Some(next) = todo.pop() {
        match next {
            Todo::Text(text) => out.push_str(text),
            Todo::Term(id) => match description.term(id) {
                SyntaxTerm::Variable(name) => write_variable(description.name(*name), &mut out),
                SyntaxTerm::Constant(name) => write_name(description.name(*name), &mut out),
                SyntaxTerm::Compound { functor, args } => {
                    push_application(description, *functor, args, &mut out, &mut todo);
                }
            },
            Todo::Formula(id) => {
                let formula = description.formula(id);
                let (opening, separator) = connective(formula);
                out.push_str(opening);
                match formula {
                    Formula::Atom(atom) => {
                        push_application(
                            description,
                            atom.relation,
                            &atom.args,
                            &mut out,
                            &mut todo,
                        );
                    }
                    Formula::Not(part) => todo.push(Todo::Formula(*part)),
                    Formula::And(parts) | Formula::Or(parts) => {
                        todo.push(Todo::Text(")"));
                        push_joined(parts, Todo::Formula, separator, &mut todo);
                    }
                    Formula::Distinct(left, right) => {
                        out.push_str("distinct(");
                        todo.push(Todo::Text(")"));
                        push_joined(&[*left, *right], Todo::Term, ",", &mut todo);
                    }
                }
            }
        }
    }
    out
}
