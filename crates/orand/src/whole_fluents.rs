//! Rules with a variable for a whole fluent, such as `(true ?x)` or `(next ?x)`.
//!
//! The fluents of each functor are a relation of their own. A variable for a whole fluent needs one
//! more relation, over whole fluents. Conditions read it, and a rule for each functor fills it from
//! that functor's fluents. Heads write another one, and a rule for each functor takes its fluents
//! from there. Customisation (`customise`) removes what a condition does not need. The value of
//! such a variable need not be a fluent: in `(p ?x) (not (true ?x))` it is any value of `p`.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Atom as RuleAtom, Literal, Pattern};
use ludorum_logic::{Domains, RelationClass, Rules, Terms};

use super::draft::RuleDraft;
use super::flat::{
    Arg, Atom, FlatLiteral, FlatRelation, FlatRelationId, FlatRule, Fluent, RelationKind, Var,
};
use super::shape::{EMPTY, ShapeId, TermShapes, find_name, symbol};

/// The relations over whole fluents, by keyword: `true`, `next`, `init`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeFluents {
    pub(super) shape: ShapeId,
    /// The relations that conditions read.
    pub(super) read: [Option<FlatRelationId>; 3],
    /// The relations that heads write.
    pub(super) written: [Option<FlatRelationId>; 3],
}

/// The index of a keyword that takes a fluent.
pub(super) fn keyword(rules: &Rules, atom: &RuleAtom) -> Option<usize> {
    let keywords = &rules.keywords;
    let all = [keywords.true_, keywords.next, keywords.init];
    all.iter().position(|id| *id == atom.relation)
}

/// The keyword of an atom whose fluent is a variable.
fn of_any(rules: &Rules, atom: &RuleAtom) -> Option<usize> {
    let is_variable = matches!(atom.args.first(), Some(Pattern::Variable(_)));
    keyword(rules, atom).filter(|_| is_variable)
}

/// Which keywords are read and written with a variable for a whole fluent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WholeFluentUses {
    read: [bool; 3],
    written: [bool; 3],
}

impl WholeFluentUses {
    pub(super) fn new(rules: &Rules, drafts: &[RuleDraft]) -> Self {
        let mut uses = Self::default();
        for draft in drafts {
            if let Some(keyword) = of_any(rules, &draft.head) {
                uses.written[keyword] = true;
            }
            let literals = draft.body.iter().chain(draft.fork.iter().flatten());
            for keyword in literals
                .filter_map(Literal::atom)
                .filter_map(|a| of_any(rules, a))
            {
                uses.read[keyword] = true;
            }
        }
        uses
    }

    pub(super) fn any(self) -> bool {
        self != Self::default()
    }
}

/// The functors of all fluents that rules can derive.
pub(super) fn functions(rules: &Rules) -> Vec<(Symbol, usize)> {
    let domains = Domains::new(rules);
    let mut all = Vec::new();
    for keyword in [
        rules.keywords.true_,
        rules.keywords.next,
        rules.keywords.init,
    ] {
        let id = domains.argument(keyword, 0);
        let functions = domains.functions(id);
        all.extend(functions.map(|(name, parts)| (name, parts.len())));
        all.extend(domains.constants(id).map(|name| (name, 0)));
    }
    all
}

/// The name of a keyword, the class of its relations, and the relation of a functor's fluents.
type Keyword = (&'static str, RelationClass, fn(&Fluent) -> FlatRelationId);

/// Adds the relations over whole fluents, and the rules that connect them to those of each functor.
pub(super) fn connect(
    uses: WholeFluentUses,
    shape: ShapeId,
    (shapes, terms): (&TermShapes, &Terms),
    fluents: &[Fluent],
    relations: &mut Vec<FlatRelation>,
    rules: &mut Vec<FlatRule>,
) -> WholeFluents {
    let mut whole = WholeFluents {
        shape,
        ..WholeFluents::default()
    };
    let parts: [Keyword; 3] = [
        ("true", RelationClass::State, |fluent| fluent.now),
        ("next", RelationClass::Action, |fluent| fluent.next),
        ("init", RelationClass::Rigid, |fluent| fluent.init),
    ];
    for (keyword, (name, class, of)) in parts.into_iter().enumerate() {
        let mut add = |used: bool, order: u32| {
            used.then(|| {
                relations.push(FlatRelation {
                    name: format!("{name} of any fluent"),
                    width: shapes.width(shape),
                    kind: RelationKind::Derived,
                    class,
                    component: None,
                    order,
                    facts: Vec::new(),
                    fact_count: 0,
                    rules: Vec::new(),
                });
                relations.len() - 1
            })
        };
        whole.read[keyword] = add(uses.read[keyword], u32::MAX);
        whole.written[keyword] = add(uses.written[keyword], 0);
        for fluent in fluents {
            let mut rule = |from: FlatRelationId, to: FlatRelationId| {
                let (row, args, term, vars) = lay_out(fluent, shape, shapes, terms);
                let is_read = Some(to) == whole.read[keyword];
                let (head, body) = if is_read { (row, args) } else { (args, row) };
                let atom = |relation, args| Atom { relation, args };
                relations[to].rules.push(rules.len());
                rules.push(FlatRule {
                    head: atom(to, head),
                    body: std::iter::once(FlatLiteral::Pos(atom(from, body)))
                        .chain(term)
                        .collect(),
                    fork: Vec::new(),
                    vars,
                });
            };
            if let Some(read) = whole.read[keyword] {
                rule(of(fluent), read);
            }
            if let Some(written) = whole.written[keyword] {
                rule(written, of(fluent));
            }
        }
    }
    whole
}

/// A fluent of one functor: its row as a whole, its arguments, the condition that connects them if
/// one is needed, and the number of variables.
fn lay_out(
    fluent: &Fluent,
    shape: ShapeId,
    shapes: &TermShapes,
    terms: &Terms,
) -> (Vec<Arg>, Vec<Arg>, Option<FlatLiteral>, usize) {
    let width: usize = fluent.shapes.iter().map(|part| shapes.width(*part)).sum();
    let args: Vec<Arg> = (0..width as Var).map(Arg::Var).collect();
    let name = find_name(terms, fluent.functor, fluent.shapes.len());
    let name = Arg::Const(name.map_or(EMPTY, symbol));
    if !shapes.is_closed(shape) {
        let mut row = vec![name];
        row.extend(&args);
        row.resize(shapes.width(shape), Arg::Const(EMPTY));
        return (row, args, None, width);
    }
    if args.is_empty() {
        return (vec![name], args, None, 0);
    }
    // All shapes below a closed shape are closed: each argument is one column.
    let whole = Arg::Var(width as Var);
    let term = FlatLiteral::Term(whole, fluent.functor, args.clone());
    (vec![whole], args, Some(term), width + 1)
}
