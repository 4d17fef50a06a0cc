//! Generators of random sheets for property tests and of mutated sheets for fuzz tests, with the
//! feature `testing`.
//!
//! Random sheets conform to the grammar but not to the restrictions of the language: relations of
//! any arity, keywords as names, unusual names, all connectives nested in each other. Code that
//! only handles text and syntax trees must be correct for all of them.

mod mutation;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::ast::{Clause, Description, Formula, FormulaId, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use crate::diagnostic::DiagnosticList;
use crate::infix::lexer;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::{Notation, infix, keyword, kif};

pub use mutation::fuzz;

/// A term that is not part of a description yet.
#[derive(Clone, Debug)]
enum TermPlan {
    Variable(String),
    Constant(String),
    Compound(String, Vec<TermPlan>),
}

/// A formula that is not part of a description yet.
#[derive(Clone, Debug)]
enum FormulaPlan {
    Atom(String, Vec<TermPlan>),
    Not(Box<FormulaPlan>),
    And(Vec<FormulaPlan>),
    Or(Vec<FormulaPlan>),
    Distinct(TermPlan, TermPlan),
}

/// A name: plain, a keyword or connective, or with arbitrary characters.
fn name() -> impl Strategy<Value = String> {
    let words = select(vec![
        "a", "b", "cell", "mark", "1", "100", "x_1", "noop", "Cell", "X", "_", "_a", "-1", "map+",
        "a.b", "it's", "'", "\\", "\\'", "''", "%", "%a", "a:-b", ":-", "&", "|", "~p", ",", ".",
        "a?", "<=x", "<", "é", "Ünder", "王", "sees", "random", "h-speed",
    ]);
    let keywords = select(
        keyword::RELATIONS
            .into_iter()
            .chain(keyword::CONNECTIVES)
            .chain(["OR", "Not", "aNd", "Distinct"])
            .collect::<Vec<_>>(),
    );
    prop_oneof![
        6 => words.prop_map(str::to_owned),
        2 => keywords.prop_map(str::to_owned),
        2 => "[!-'*-:<-~]{1,6}".prop_map(String::from),
        1 => "\\PC{1,4}".prop_map(String::from),
    ]
    .prop_map(|word| {
        // Apply the restrictions of both parsers: no blanks or parentheses, no leading question
        // mark, keywords in lower case.
        let word: String = word
            .chars()
            .filter(|c| crate::source::is_name_char(*c))
            .collect();
        let word = word.trim_start_matches('?');
        match keyword::relation(word) {
            Some(keyword) => keyword.to_owned(),
            None if word.is_empty() || word == "<=" => "odd".to_owned(),
            None => word.to_owned(),
        }
    })
}

fn variable_name() -> impl Strategy<Value = String> {
    const NAMES: [&str; 13] = [
        "x", "y", "row", "oldRow", "X", "_", "_a", "1", "?x", "x,y", "n++", "role", "ROLE",
    ];
    prop_oneof![
        4 => select(&NAMES[..]).prop_map(str::to_owned),
        1 => name(),
    ]
}

fn term() -> impl Strategy<Value = TermPlan> {
    let leaf = prop_oneof![
        variable_name().prop_map(TermPlan::Variable),
        name().prop_map(TermPlan::Constant),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        (name(), vec(inner, 1..4)).prop_map(|(functor, args)| TermPlan::Compound(functor, args))
    })
}

/// A relation and its arguments. With arguments, its name must not be a connective.
fn atom() -> impl Strategy<Value = (String, Vec<TermPlan>)> {
    (name(), vec(term(), 0..4)).prop_map(|(relation, args)| {
        if !args.is_empty() && keyword::connective(&relation).is_some() {
            ("p".to_owned(), args)
        } else {
            (relation, args)
        }
    })
}

fn formula() -> impl Strategy<Value = FormulaPlan> {
    let leaf = prop_oneof![
        3 => atom().prop_map(|(relation, args)| FormulaPlan::Atom(relation, args)),
        1 => (term(), term()).prop_map(|(left, right)| FormulaPlan::Distinct(left, right)),
    ];
    leaf.prop_recursive(6, 24, 4, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|part| FormulaPlan::Not(Box::new(part))),
            vec(inner.clone(), 1..4).prop_map(FormulaPlan::And),
            vec(inner, 1..4).prop_map(FormulaPlan::Or),
        ]
    })
}

/// A random sheet without comments. Its spans are empty.
pub fn description() -> impl Strategy<Value = Description> {
    let clause = (atom(), vec(formula(), 0..4), any::<bool>());
    vec(clause, 1..6).prop_map(|clauses| {
        let mut description = Description::new();
        for ((relation, args), body, is_rule) in clauses {
            let head = add_atom(&mut description, &relation, &args);
            let body: Vec<FormulaId> = body
                .iter()
                .map(|part| add_formula(&mut description, part))
                .collect();
            let is_rule = is_rule || !body.is_empty();
            description.clauses.push(Clause {
                head,
                body,
                is_rule,
                span: Span::default(),
            });
        }
        description
    })
}

/// The text of a random sheet, with comments, blanks and line breaks between any two tokens.
pub fn text(notation: Notation) -> impl Strategy<Value = String> {
    let gap = prop_oneof![
        12 => Just(" ".to_owned()),
        2 => Just("\n".to_owned()),
        2 => Just("\n\n\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => "[ -~é]{0,12}".prop_map(|text| format!(" ;{text}\n")),
        1 => "[ -~é]{0,12}".prop_map(|text| format!("\n; {text}\r\n")),
    ];
    (description(), vec(gap, 1..80)).prop_map(move |(description, gaps)| {
        let sheet = match notation {
            Notation::Kif => kif::sheet(&description),
            Notation::Infix => infix::sheet(&description),
        };
        let mut out = String::new();
        for (token, gap) in tokens(&sheet, notation)
            .into_iter()
            .zip(gaps.iter().cycle())
        {
            out.push_str(token);
            out.push_str(gap);
        }
        out
    })
}

fn tokens(sheet: &str, notation: Notation) -> Vec<&str> {
    match notation {
        Notation::Infix => {
            let (tokens, _) = lexer::lex(sheet, &mut DiagnosticList::default());
            tokens.iter().map(|token| token.span.of(sheet)).collect()
        }
        Notation::Kif => sheet
            .split_inclusive(['(', ')'])
            .flat_map(|piece| {
                let word = piece.trim_end_matches(['(', ')']);
                word.split_whitespace()
                    .chain(std::iter::once(&piece[word.len()..]))
            })
            .filter(|token| !token.is_empty())
            .collect(),
    }
}

fn add_atom(description: &mut Description, relation: &str, args: &[TermPlan]) -> SyntaxAtom {
    SyntaxAtom {
        relation: description.symbols.intern(relation),
        args: args.iter().map(|arg| add_term(description, arg)).collect(),
        span: Span::default(),
        name_span: Span::default(),
    }
}

// These functions recurse; the strategies above bound the depth.

fn add_term(description: &mut Description, plan: &TermPlan) -> SyntaxTermId {
    let term = match plan {
        TermPlan::Variable(name) => SyntaxTerm::Variable(description.symbols.intern(name)),
        TermPlan::Constant(name) => SyntaxTerm::Constant(description.symbols.intern(name)),
        TermPlan::Compound(functor, args) => {
            let args = args.iter().map(|arg| add_term(description, arg)).collect();
            let functor: Symbol = description.symbols.intern(functor);
            SyntaxTerm::Compound { functor, args }
        }
    };
    description.add_term(term, Span::default())
}

fn add_formula(description: &mut Description, plan: &FormulaPlan) -> FormulaId {
    let formula = match plan {
        FormulaPlan::Atom(relation, args) => Formula::Atom(add_atom(description, relation, args)),
        FormulaPlan::Not(part) => Formula::Not(add_formula(description, part)),
        FormulaPlan::And(parts) => {
            Formula::And(parts.iter().map(|p| add_formula(description, p)).collect())
        }
        FormulaPlan::Or(parts) => {
            Formula::Or(parts.iter().map(|p| add_formula(description, p)).collect())
        }
        FormulaPlan::Distinct(left, right) => {
            let left = add_term(description, left);
            Formula::Distinct(left, add_term(description, right))
        }
    };
    description.add_formula(formula, Span::default())
}
