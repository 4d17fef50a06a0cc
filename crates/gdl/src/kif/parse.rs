//! Parser of KIF: from nested lists to the syntax tree. No function recurses, so the depth is
//! limited by memory only.

use super::lexer::lex;
use super::tree::{Forest, Node, NodeId, build};
use crate::Parsed;
use crate::ast::{Clause, Description, Formula, FormulaId, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use crate::diagnostic::{Diagnostic, DiagnosticList, arguments};
use crate::keyword;
use crate::source::Span;
use crate::symbol::Symbol;

/// Parses a sheet in KIF. Clauses with syntax errors are left out and reported.
pub fn parse(text: &str) -> Parsed {
    let mut report = DiagnosticList::default();
    let (tokens, comments) = lex(text, &mut report);
    let forest = build(text, &tokens, &mut report);
    let mut parser = Parser {
        text,
        forest: &forest,
        description: Description::new(),
        report,
    };
    parser.description.comments = comments;
    for root in parser.clause_nodes() {
        if let Err(problem) = parser.clause(root) {
            parser.report.push(*problem);
        }
    }
    if parser.description.clauses.is_empty() && parser.report.is_empty() {
        parser.report.push(
            Diagnostic::error("E011", "the sheet is empty")
                .at(Span::new(0, 0), "the text has no clause")
                .help(
                    "a sheet consists of facts such as `(role white)` and rules such as \
                    `(<= terminal …)`",
                ),
        );
    }
    Parsed {
        description: parser.description,
        diagnostics: parser.report.into_diagnostics(),
    }
}

/// Parses a sequence of ground terms into `description`, such as the facts of a state or a joint
/// move.
pub(crate) fn parse_ground_terms(
    text: &str,
    description: &mut Description,
) -> Result<Vec<SyntaxTermId>, Diagnostic> {
    let mut report = DiagnosticList::default();
    let (tokens, _) = lex(text, &mut report);
    let forest = build(text, &tokens, &mut report);
    if let Some(problem) = report.into_diagnostics().into_iter().next() {
        return Err(problem);
    }
    let mut parser = Parser {
        text,
        forest: &forest,
        description: std::mem::take(description),
        report: DiagnosticList::default(),
    };
    let mut ids = Vec::with_capacity(forest.roots.len());
    let mut failure = None;
    for root in &forest.roots {
        match parser.term(*root) {
            Ok(id) if parser.description.is_ground(id) => ids.push(id),
            Ok(id) => {
                failure = Some(
                    Diagnostic::error("E014", "a variable where a ground term is needed")
                        .at(parser.description.term_span(id), "this term has a variable"),
                );
                break;
            }
            Err(problem) => {
                failure = Some(*problem);
                break;
            }
        }
    }
    *description = parser.description;
    failure.map_or(Ok(ids), Err)
}

type Problem = Box<Diagnostic>;

struct Parser<'t> {
    text: &'t str,
    forest: &'t Forest,
    description: Description,
    report: DiagnosticList,
}

/// A list whose members are being converted.
struct Frame<T> {
    node: NodeId,
    next: usize,
    done: Vec<T>,
}

/// The connective of a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Connective {
    Not,
    And,
    Or,
}

impl<'t> Parser<'t> {
    /// The lists that are clauses: all roots, or the members of a single list around the whole
    /// sheet.
    fn clause_nodes(&self) -> Vec<NodeId> {
        if let [root] = self.forest.roots[..]
            && let Some(children) = &self.node(root).children
            && let Some(first) = children.first()
            && self.node(*first).children.is_some()
        {
            return children.clone();
        }
        self.forest.roots.clone()
    }

    fn node(&self, id: NodeId) -> &'t Node {
        self.forest.node(id)
    }

    fn word(&self, id: NodeId) -> Option<&'t str> {
        let node = self.node(id);
        node.children.is_none().then(|| node.span.of(self.text))
    }

    fn intern(&mut self, word: &str) -> Symbol {
        let word = keyword::relation(word).unwrap_or(word);
        self.description.symbols.intern(word)
    }

    fn clause(&mut self, id: NodeId) -> Result<(), Problem> {
        let node = self.node(id);
        let span = node.span;
        let Some(children) = &node.children else {
            let head = self.atom(id)?;
            self.description.clauses.push(Clause {
                head,
                body: Vec::new(),
                is_rule: false,
                span,
            });
            return Ok(());
        };
        let is_rule = children.first().and_then(|c| self.word(*c)) == Some("<=");
        let (head, body) = if is_rule {
            let Some(head) = children.get(1) else {
                return Err(Box::new(
                    Diagnostic::error("E007", "a rule without a head")
                        .at(span, "there is no head after `<=`")
                        .help("write `(<= head condition …)`"),
                ));
            };
            (self.head(*head)?, &children[2..])
        } else {
            (self.head(id)?, &[][..])
        };
        let mut formulas = Vec::with_capacity(body.len());
        for part in body {
            formulas.push(self.formula(*part)?);
        }
        self.description.clauses.push(Clause {
            head,
            body: formulas,
            is_rule,
            span,
        });
        Ok(())
    }

    fn head(&mut self, id: NodeId) -> Result<SyntaxAtom, Problem> {
        if let Some(children) = &self.node(id).children
            && let Some(word) = children.first().and_then(|c| self.word(*c))
            && let Some(connective) = keyword::connective(word)
        {
            return Err(Box::new(
                Diagnostic::error(
                    "E009",
                    format!("`{connective}` cannot be the head of a rule or a fact"),
                )
                .at(self.node(id).span, "this is the head of the clause")
                .help(
                    "the head must be a relation; put conditions with `not`, `or`, `and` or \
                    `distinct` into the body",
                ),
            ));
        }
        self.atom(id)
    }

    /// Parses an atom.
    fn atom(&mut self, id: NodeId) -> Result<SyntaxAtom, Problem> {
        let node = self.node(id);
        let Some(children) = &node.children else {
            let word = self.plain_word(id, "relation")?;
            return Ok(SyntaxAtom {
                relation: self.intern(word),
                args: Vec::new(),
                span: node.span,
                name_span: node.span,
            });
        };
        let name = self.list_name(id, "relation")?;
        let relation = self.intern(name);
        let name_span = self.node(children[0]).span;
        if children.len() == 1 {
            self.needless_parentheses(node.span, name);
        }
        let mut args = Vec::with_capacity(children.len() - 1);
        for child in &children[1..] {
            args.push(self.term(*child)?);
        }
        Ok(SyntaxAtom {
            relation,
            args,
            span: node.span,
            name_span,
        })
    }

    /// A word that is a name: neither a variable nor the arrow `<=`.
    fn plain_word(&self, id: NodeId, what: &str) -> Result<&'t str, Problem> {
        let span = self.node(id).span;
        let word = span.of(self.text);
        if word.starts_with('?') {
            return Err(Box::new(
                Diagnostic::error("E010", format!("a variable where a {what} is required"))
                    .at(span, format!("`{word}` is a variable"))
                    .help(
                        "relations and functions have fixed names; variables can only be \
                        arguments",
                    ),
            ));
        }
        if word == "<=" {
            return Err(Box::new(misplaced_arrow(span)));
        }
        Ok(word)
    }

    /// The name at the start of a list.
    fn list_name(&self, id: NodeId, what: &str) -> Result<&'t str, Problem> {
        let node = self.node(id);
        let children = node.children.as_deref().unwrap_or(&[]);
        let Some(first) = children.first() else {
            return Err(Box::new(
                Diagnostic::error("E003", "empty parentheses")
                    .at(node.span, "the parentheses are empty")
                    .help(format!("remove them or write a {what}")),
            ));
        };
        if self.node(*first).children.is_some() {
            return Err(Box::new(
                Diagnostic::error(
                    "E004",
                    format!("a list where the name of a {what} is required"),
                )
                .at(self.node(*first).span, "this is a list")
                .help(format!(
                    "an open parenthesis must be followed by the name of a {what}; check for \
                        an extra parenthesis"
                )),
            ));
        }
        self.plain_word(*first, what)
    }

    fn needless_parentheses(&mut self, span: Span, name: &str) {
        self.report.push(
            Diagnostic::warning("W001", format!("unnecessary parentheses around `{name}`"))
                .at(span, "the parentheses contain only a name")
                .help(format!("write `{name}`")),
        );
    }

    fn term(&mut self, root: NodeId) -> Result<SyntaxTermId, Problem> {
        let mut stack: Vec<Frame<SyntaxTermId>> = Vec::new();
        let mut current = root;
        loop {
            // Descend: a word is finished at once, a list waits for its members.
            let node = self.node(current);
            let mut done = match &node.children {
                None => self.simple_term(current)?,
                Some(children) => {
                    let name = self.list_name(current, "function")?;
                    if children.len() > 1 {
                        stack.push(Frame {
                            node: current,
                            next: 2,
                            done: Vec::with_capacity(children.len() - 1),
                        });
                        current = children[1];
                        continue;
                    }
                    self.needless_parentheses(node.span, name);
                    let symbol = self.intern(name);
                    self.description
                        .add_term(SyntaxTerm::Constant(symbol), node.span)
                }
            };
            // Ascend: pass the finished term to its list. A list with all its members is a finished
            // term itself.
            loop {
                let Some(frame) = stack.last_mut() else {
                    return Ok(done);
                };
                frame.done.push(done);
                let node = self.forest.node(frame.node);
                let children = node.children.as_deref().unwrap_or(&[]);
                if let Some(child) = children.get(frame.next) {
                    frame.next += 1;
                    current = *child;
                    break;
                }
                let args = std::mem::take(&mut frame.done);
                stack.pop();
                let name = self.node(children[0]).span.of(self.text);
                let functor = self.intern(name);
                done = self
                    .description
                    .add_term(SyntaxTerm::Compound { functor, args }, node.span);
            }
        }
    }

    fn simple_term(&mut self, id: NodeId) -> Result<SyntaxTermId, Problem> {
        let span = self.node(id).span;
        let word = span.of(self.text);
        let term = match word.strip_prefix('?') {
            Some("") => {
                return Err(Box::new(
                    Diagnostic::error("E005", "a variable without a name")
                        .at(span, "only a question mark")
                        .help("write a name after the question mark, such as `?x`"),
                ));
            }
            Some(name) => SyntaxTerm::Variable(self.description.symbols.intern(name)),
            None if word == "<=" => return Err(Box::new(misplaced_arrow(span))),
            None => SyntaxTerm::Constant(self.intern(word)),
        };
        Ok(self.description.add_term(term, span))
    }

    fn connective(&self, id: NodeId) -> Result<Option<Connective>, Problem> {
        let node = self.node(id);
        let Some(children) = &node.children else {
            return Ok(None);
        };
        let Some(word) = children.first().and_then(|c| self.word(*c)) else {
            return Ok(None);
        };
        let parts = children.len() - 1;
        let (connective, fits, right) = match keyword::connective(word) {
            Some("not") => (
                Connective::Not,
                parts == 1,
                "`not` takes one condition: `(not p)`",
            ),
            Some("and") => (
                Connective::And,
                parts > 0,
                "write `(and p q …)` with at least one condition",
            ),
            Some("or") => (
                Connective::Or,
                parts > 0,
                "write `(or p q …)` with at least one condition",
            ),
            _ => return Ok(None),
        };
        if fits {
            return Ok(Some(connective));
        }
        Err(Box::new(
            Diagnostic::error(
                "E008",
                format!("`{}` with {}", word.to_ascii_lowercase(), arguments(parts)),
            )
            .at(node.span, "the number of arguments is wrong")
            .help(right),
        ))
    }

    fn formula(&mut self, root: NodeId) -> Result<FormulaId, Problem> {
        let mut stack: Vec<(Connective, Frame<FormulaId>)> = Vec::new();
        let mut current = root;
        loop {
            if let Some(connective) = self.connective(current)? {
                let children = self.node(current).children.as_deref().unwrap_or(&[]);
                stack.push((
                    connective,
                    Frame {
                        node: current,
                        next: 2,
                        done: Vec::with_capacity(children.len() - 1),
                    },
                ));
                current = children[1];
                continue;
            }
            let mut done = self.simple_formula(current)?;
            loop {
                let Some((connective, frame)) = stack.last_mut() else {
                    return Ok(done);
                };
                frame.done.push(done);
                let node = self.forest.node(frame.node);
                let children = node.children.as_deref().unwrap_or(&[]);
                if let Some(child) = children.get(frame.next) {
                    frame.next += 1;
                    current = *child;
                    break;
                }
                let parts = std::mem::take(&mut frame.done);
                let formula = match connective {
                    Connective::Not => Formula::Not(parts[0]),
                    Connective::And => Formula::And(parts),
                    Connective::Or => Formula::Or(parts),
                };
                stack.pop();
                done = self.description.add_formula(formula, node.span);
            }
        }
    }

    fn simple_formula(&mut self, id: NodeId) -> Result<FormulaId, Problem> {
        let node = self.node(id);
        if let Some(children) = &node.children
            && let Some(word) = children.first().and_then(|c| self.word(*c))
        {
            if word == "<=" {
                return Err(Box::new(misplaced_arrow(node.span)));
            }
            if keyword::connective(word) == Some("distinct") {
                let &[_, left, right] = &children[..] else {
                    return Err(Box::new(
                        Diagnostic::error(
                            "E008",
                            format!("`distinct` with {}", arguments(children.len() - 1)),
                        )
                        .at(node.span, "the number of arguments is wrong")
                        .help("`distinct` compares two terms: `(distinct ?x ?y)`"),
                    ));
                };
                let left = self.term(left)?;
                let right = self.term(right)?;
                return Ok(self
                    .description
                    .add_formula(Formula::Distinct(left, right), node.span));
            }
        }
        let atom = self.atom(id)?;
        Ok(self.description.add_formula(Formula::Atom(atom), node.span))
    }
}

fn misplaced_arrow(span: Span) -> Diagnostic {
    Diagnostic::error("E012", "a rule inside another clause")
        .at(span, "`<=` may only start a clause")
        .help("a closing parenthesis is probably missing in the previous clause")
}
