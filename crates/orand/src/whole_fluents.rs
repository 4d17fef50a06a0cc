//! Conditions and conclusions about fluents of any kind, as `(true ?x)` and `(next ?x)`.
//!
//! The fluents of each function are a relation of their own. Where a variable stands for a whole
//! fluent, there is a relation more, over whole fluents: conditions read it, and a rule for each
//! function fills it from that function's fluents; conclusions write another one, and a rule for
//! each function takes its fluents from there. Rules made to measure (`customise`) leave of that
//! what a condition needs. The value of such a variable need not be a fluent: in `(p ?x) (not (true
//! ?x))` it is anything that `p` has.

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
    /// What conditions look at.
    pub(super) read: [Option<FlatRelationId>; 3],
    /// What conclusions go to.
    pub(super) written: [Option<FlatRelationId>; 3],
}

/// Which of the keywords about fluents a relation is.
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

/// Which keywords are read and written with a variable for the whole fluent.
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

/// The functions of all fluents that rules can give.
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

/// What a keyword is called, what its rows depend on, and the relation of a function's fluents.
type Keyword = (&'static str, RelationClass, fn(&Fluent) -> FlatRelationId);

/// Adds the relations over whole fluents, and the rules that connect them with those of each
/// function.
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
                let (row, args, term, vars) = lay(fluent, shape, shapes, terms);
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

/// A whole fluent of a function: its row as a whole, its arguments, the condition that connects
/// them if it takes one, and how many variables there are.
fn lay(
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
    // Below a closed shape everything is closed: an argument is a column.
    let whole = Arg::Var(width as Var);
    let term = FlatLiteral::Term(whole, fluent.functor, args.clone());
    (vec![whole], args, Some(term), width + 1)
}
