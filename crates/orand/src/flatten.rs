//! Flattens rules over terms into rules over tuples of symbols (Świechowski 2015, appendix A):
//! shapes, columns, and a relation for the fluents of each functor.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Atom as RuleAtom, Literal, Pattern, RelationId};
use ludorum_logic::{RelationClass, Rules, TermId, Terms};
use rustc_hash::FxHashMap;

use super::draft::{RuleDraft, drafts};
use super::flat::{
    Arg, Atom, FlatLiteral, FlatRelation, FlatRelationId, FlatRule, FlatRules, Fluent,
    RelationKind, Var, pin_facts,
};
use super::or_fork;
use super::rule_columns::RuleColumns;
use super::shape::{EMPTY, ShapeId, TermShapes, find_name, intern_name, symbol};
use super::whole_fluents::{self, WholeFluentUses, WholeFluents};

/// Flattens the rules. Terms for the names of functors are interned, so that these have symbols.
pub(super) fn flatten(rules: &Rules, terms: &mut Terms, forks: bool) -> FlatRules {
    let mut drafts = drafts(rules, terms);
    if forks {
        drafts = or_fork::join(drafts);
    }
    let uses = WholeFluentUses::new(rules, &drafts);
    let functions = if uses.any() {
        whole_fluents::functions(rules)
    } else {
        Vec::new()
    };
    for (functor, arity) in &functions {
        intern_name(terms, *functor, *arity);
    }
    for i in 0..terms.len() {
        let id = TermId(i as u32);
        let (functor, arity) = (terms.functor(id), terms.args(id).len());
        intern_name(terms, functor, arity);
    }
    let mut flattener = Flattener {
        rules,
        terms,
        shapes: TermShapes::default(),
        places: Vec::new(),
        fluents: Vec::new(),
        fluent_ids: FxHashMap::default(),
        variables: Vec::new(),
        distinct: Vec::new(),
        whole: WholeFluents::default(),
    };
    flattener.infer(&drafts, uses, &functions);
    flattener.run(&drafts, uses)
}

pub(super) struct Flattener<'a> {
    pub(super) rules: &'a Rules,
    pub(super) terms: &'a Terms,
    pub(super) shapes: TermShapes,
    /// The shapes of the arguments of each relation.
    pub(super) places: Vec<Vec<ShapeId>>,
    pub(super) fluents: Vec<Fluent>,
    pub(super) fluent_ids: FxHashMap<(Symbol, usize), usize>,
    /// The shapes of the variables of each rule.
    pub(super) variables: Vec<Vec<ShapeId>>,
    /// The shape of the sides of each `distinct`, in order of occurrence.
    pub(super) distinct: Vec<Vec<ShapeId>>,
    pub(super) whole: WholeFluents,
}

impl Flattener<'_> {
    pub(super) fn is_fluent(&self, id: RelationId) -> bool {
        let keywords = &self.rules.keywords;
        id == keywords.true_ || id == keywords.init || id == keywords.next
    }

    pub(super) fn fluent(&mut self, functor: Symbol, arity: usize) -> usize {
        if let Some(id) = self.fluent_ids.get(&(functor, arity)) {
            return *id;
        }
        let shapes = (0..arity).map(|_| self.shapes.add()).collect();
        self.fluents.push(Fluent {
            functor,
            shapes,
            now: 0,
            next: 0,
            init: 0,
        });
        self.fluent_ids
            .insert((functor, arity), self.fluents.len() - 1);
        self.fluents.len() - 1
    }

    fn width(&self, shapes: &[ShapeId]) -> usize {
        shapes.iter().map(|shape| self.shapes.width(*shape)).sum()
    }

    fn run(mut self, drafts: &[RuleDraft], uses: WholeFluentUses) -> FlatRules {
        let keywords = self.rules.keywords;
        let mut relations: Vec<FlatRelation> = self
            .rules
            .relations()
            .map(|(id, relation)| FlatRelation {
                name: self.rules.relation_name(id).to_owned(),
                width: self.width(&self.places[id.index()]),
                kind: match id {
                    id if id == keywords.does => RelationKind::Does,
                    _ if relation.rules.is_empty() => RelationKind::Facts,
                    _ => RelationKind::Derived,
                },
                class: relation.class,
                component: relation.recursive.then_some(relation.component),
                order: relation.component,
                facts: Vec::new(),
                fact_count: 0,
                rules: Vec::new(),
            })
            .collect();
        for i in 0..self.fluents.len() {
            let width = self.width(&self.fluents[i].shapes);
            let name = self.terms.symbols.name(self.fluents[i].functor).to_owned();
            let mut add = |id: RelationId, kind: RelationKind, class: RelationClass| {
                let base = &relations[id.index()];
                let relation = FlatRelation {
                    name: format!("{} {name}", base.name),
                    width,
                    kind,
                    class,
                    ..base.clone()
                };
                relations.push(relation);
                relations.len() - 1
            };
            self.fluents[i].now = add(keywords.true_, RelationKind::Fluents, RelationClass::State);
            self.fluents[i].next = add(keywords.next, RelationKind::Derived, RelationClass::Action);
            self.fluents[i].init = add(keywords.init, RelationKind::Derived, RelationClass::Rigid);
        }
        for fact in &self.rules.facts {
            let mut row = Vec::new();
            let relation = if self.is_fluent(fact.relation) {
                let functor = self.terms.functor(fact.args[0]);
                let args = self.terms.args(fact.args[0]);
                let fluent = self.fluent_ids[&(functor, args.len())];
                for (shape, arg) in self.fluents[fluent].shapes.iter().zip(args) {
                    self.shapes.lay_out(*shape, *arg, self.terms, &mut row);
                }
                self.fluent_relation(fact.relation, fluent)
            } else {
                for (shape, arg) in self.places[fact.relation.index()].iter().zip(&fact.args) {
                    self.shapes.lay_out(*shape, *arg, self.terms, &mut row);
                }
                fact.relation.index()
            };
            relations[relation].facts.extend(row);
            relations[relation].fact_count += 1;
        }
        let mut rules = Vec::with_capacity(drafts.len());
        if uses.any() {
            self.whole = whole_fluents::connect(
                uses,
                self.whole.shape,
                (&self.shapes, self.terms),
                &self.fluents,
                &mut relations,
                &mut rules,
            );
        }
        for (number, draft) in drafts.iter().enumerate() {
            let rule = self.rule(number, draft);
            relations[rule.head.relation].rules.push(rules.len());
            rules.push(rule);
        }
        pin_facts(&mut relations, &mut rules);
        FlatRules {
            legal: keywords.legal.index(),
            does: keywords.does.index(),
            goal: keywords.goal.index(),
            terminal: keywords.terminal.index(),
            role_shape: self.places[keywords.legal.index()][0],
            move_shape: self.places[keywords.legal.index()][1],
            value_shape: self.places[keywords.goal.index()][1],
            relations,
            rules,
            fluents: self.fluents,
            shapes: self.shapes,
        }
    }

    fn fluent_relation(&self, id: RelationId, fluent: usize) -> FlatRelationId {
        let fluent = &self.fluents[fluent];
        if id == self.rules.keywords.true_ {
            fluent.now
        } else if id == self.rules.keywords.next {
            fluent.next
        } else {
            fluent.init
        }
    }

    fn rule(&self, number: usize, draft: &RuleDraft) -> FlatRule {
        let mut columns = RuleColumns {
            first: Vec::new(),
            count: 0,
            extra: Vec::new(),
            terms: FxHashMap::default(),
        };
        for shape in &self.variables[number] {
            columns.first.push(columns.count);
            columns.count += self.shapes.width(*shape) as Var;
        }
        let head = self.atom(&draft.head, true, number, &mut columns);
        let mut head_terms = std::mem::take(&mut columns.extra);
        let mut sides = self.distinct[number].iter();
        let mut body = self.literals(&draft.body, number, &mut columns, &mut sides);
        body.append(&mut head_terms);
        // Terms decomposed in one alternative are not available to the others.
        let terms = columns.terms.clone();
        let mut fork = Vec::with_capacity(draft.fork.len());
        for branch in &draft.fork {
            fork.push(self.literals(branch, number, &mut columns, &mut sides));
            columns.terms.clone_from(&terms);
        }
        FlatRule {
            head,
            body,
            fork,
            vars: columns.count as usize,
        }
    }

    fn literals<'s>(
        &self,
        literals: &[Literal],
        number: usize,
        columns: &mut RuleColumns,
        sides: &mut impl Iterator<Item = &'s ShapeId>,
    ) -> Vec<FlatLiteral> {
        let mut body = Vec::new();
        for literal in literals {
            let lit = match literal {
                Literal::Positive(atom) => {
                    FlatLiteral::Pos(self.atom(atom, false, number, columns))
                }
                Literal::Negative(atom) => {
                    FlatLiteral::Neg(self.atom(atom, false, number, columns))
                }
                Literal::Distinct(a, b) => {
                    let side = sides.next().copied().unwrap_or_default();
                    let mut left = Vec::new();
                    let mut right = Vec::new();
                    self.pattern(side, a, number, columns, &mut left);
                    self.pattern(side, b, number, columns, &mut right);
                    FlatLiteral::Distinct(left.into_iter().zip(right).collect())
                }
            };
            body.push(lit);
        }
        body.append(&mut columns.extra);
        body
    }

    fn atom(
        &self,
        atom: &RuleAtom,
        is_head: bool,
        number: usize,
        columns: &mut RuleColumns,
    ) -> Atom {
        let mut args = Vec::new();
        if !self.is_fluent(atom.relation) {
            for (shape, arg) in self.places[atom.relation.index()].iter().zip(&atom.args) {
                self.pattern(*shape, arg, number, columns, &mut args);
            }
            return Atom {
                relation: atom.relation.index(),
                args,
            };
        }
        let fluent = match &atom.args[0] {
            Pattern::Compound(functor, parts) => {
                let fluent = self.fluent_ids[&(*functor, parts.len())];
                for (shape, arg) in self.fluents[fluent].shapes.iter().zip(parts) {
                    self.pattern(*shape, arg, number, columns, &mut args);
                }
                fluent
            }
            Pattern::Ground(id) => {
                let parts = self.terms.args(*id);
                let fluent = self.fluent_ids[&(self.terms.functor(*id), parts.len())];
                for (shape, arg) in self.fluents[fluent].shapes.iter().zip(parts) {
                    self.pattern(*shape, &Pattern::Ground(*arg), number, columns, &mut args);
                }
                fluent
            }
            Pattern::Variable(_) => {
                self.pattern(self.whole.shape, &atom.args[0], number, columns, &mut args);
                let keyword = whole_fluents::keyword(self.rules, atom).unwrap_or_default();
                let relations = if is_head {
                    &self.whole.written
                } else {
                    &self.whole.read
                };
                let relation = relations[keyword].unwrap_or_default();
                return Atom { relation, args };
            }
        };
        Atom {
            relation: self.fluent_relation(atom.relation, fluent),
            args,
        }
    }

    /// The columns of a pattern: cases 1 to 3 of section A.3.2.
    fn pattern(
        &self,
        shape: ShapeId,
        pattern: &Pattern,
        number: usize,
        columns: &mut RuleColumns,
        out: &mut Vec<Arg>,
    ) {
        match pattern {
            Pattern::Variable(v) => {
                let width = self.shapes.width(self.variables[number][*v as usize]) as Var;
                let first = columns.first[*v as usize];
                out.extend((first..first + width).map(Arg::Var));
            }
            Pattern::Ground(id) => {
                let mut cells = Vec::new();
                self.shapes.lay_out(shape, *id, self.terms, &mut cells);
                out.extend(cells.into_iter().map(Arg::Const));
            }
            Pattern::Compound(functor, args) if self.shapes.is_closed(shape) => {
                let mut parts = Vec::new();
                for (part, arg) in self.shapes.part_shapes(shape).iter().zip(args) {
                    self.pattern(*part, arg, number, columns, &mut parts);
                }
                out.push(columns.term(*functor, parts));
            }
            Pattern::Compound(functor, args) => {
                let name = find_name(self.terms, *functor, args.len());
                out.push(Arg::Const(name.map_or(EMPTY, symbol)));
                for (i, part) in self.shapes.part_shapes(shape).iter().enumerate() {
                    match args.get(i) {
                        Some(arg) => self.pattern(*part, arg, number, columns, out),
                        None => out.extend(std::iter::repeat_n(
                            Arg::Const(EMPTY),
                            self.shapes.width(*part),
                        )),
                    }
                }
            }
        }
    }
}
