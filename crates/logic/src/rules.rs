//! The normalised rules of a game: [`Rules`], its relations and their classes.

use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use rustc_hash::FxBuildHasher;
use serde::Serialize;

use crate::rule::{Fact, Literal, RelationId, Rule};
use crate::term::{TermId, Terms};

/// What the extension of a relation depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RelationClass {
    /// Nothing: it is the same in every state and needs to be computed only once.
    Rigid,
    /// The state.
    State,
    /// The state and the joint move.
    Action,
}

/// A relation of the rules.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: usize,
    /// Its rules, as positions in [`Rules::rules`].
    pub rules: Vec<usize>,
    /// Its facts, as positions in [`Rules::facts`].
    pub facts: Vec<usize>,
    /// What its extension depends on.
    pub class: RelationClass,
    /// The stratum. Relations in negative literals of its rules are in lower strata.
    pub stratum: u32,
    /// The strongly connected component of the dependency graph, numbered in dependency order:
    /// other components that it depends on have lower numbers.
    pub component: u32,
    /// Whether it depends on itself.
    pub recursive: bool,
    /// Whether normalisation added it.
    pub is_helper: bool,
}

/// The game relations of GDL (Love et al. 2008). They exist even if the sheet does not use them.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Keywords {
    pub role: RelationId,
    pub init: RelationId,
    pub true_: RelationId,
    pub does: RelationId,
    pub next: RelationId,
    pub legal: RelationId,
    pub goal: RelationId,
    pub terminal: RelationId,
}

impl Keywords {
    /// The keywords whose extension belongs to a state: all but `role` and `init`.
    pub fn per_state(&self) -> [RelationId; 6] {
        [
            self.true_,
            self.does,
            self.next,
            self.legal,
            self.goal,
            self.terminal,
        ]
    }
}

/// The relations by name and arity.
pub(crate) type RelationTable = IndexMap<(Symbol, usize), Relation, FxBuildHasher>;

/// The normalised rules of a game.
///
/// Bodies are conjunctions of literals, without `or`, nested `not` and `not distinct`. The rules
/// are safe: every variable of a head, a negative literal or a `distinct` occurs in a positive
/// literal of the body. They are stratified. Literals that are always true or false are resolved.
/// `base`, `input` and all relations that no keyword depends on are removed.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Names and ground terms.
    pub terms: Terms,
    /// Ground atoms that always hold, in the order of the sheet.
    pub facts: Vec<Fact>,
    /// The rules, in the order of the sheet.
    pub rules: Vec<Rule>,
    /// The roles in the order of the sheet.
    pub roles: Vec<TermId>,
    /// The keyword relations.
    pub keywords: Keywords,
    pub(crate) relations: RelationTable,
    pub(crate) components: usize,
}

impl Rules {
    /// A relation.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.index()]
    }

    /// The name of a relation.
    pub fn relation_name(&self, id: RelationId) -> &str {
        self.terms.symbols.name(self.relation(id).name)
    }

    /// All relations.
    pub fn relations(&self) -> impl ExactSizeIterator<Item = (RelationId, &Relation)> {
        self.relations
            .values()
            .enumerate()
            .map(|(i, relation)| (RelationId(i as u32), relation))
    }

    /// The relation of a name and an arity.
    pub fn find_relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        let symbol = self.terms.symbols.get(name)?;
        self.relations
            .get_index_of(&(symbol, arity))
            .map(|i| RelationId(i as u32))
    }

    /// The number of strongly connected components of the dependency graph.
    pub fn component_count(&self) -> usize {
        self.components
    }

    /// The rules of a relation.
    pub fn rules_of(&self, id: RelationId) -> impl Iterator<Item = &Rule> {
        self.relation(id).rules.iter().map(|i| &self.rules[*i])
    }

    /// The facts of a relation.
    pub fn facts_of(&self, id: RelationId) -> impl Iterator<Item = &Fact> {
        self.relation(id).facts.iter().map(|i| &self.facts[*i])
    }

    /// The rigid relations, by relation. The keywords of [`Keywords::per_state`] and everything
    /// that depends on them count as not rigid, since engines report their extension for every
    /// state.
    pub fn rigid_relations(&self) -> Vec<bool> {
        let shown = self.keywords.per_state();
        let mut rigid: Vec<bool> = self
            .relations()
            .map(|(id, relation)| relation.class == RelationClass::Rigid && !shown.contains(&id))
            .collect();
        loop {
            let mut changed = false;
            for rule in &self.rules {
                let head = rule.head.relation.index();
                let mut body = rule.body.iter().filter_map(Literal::atom);
                if rigid[head] && body.any(|atom| !rigid[atom.relation.index()]) {
                    rigid[head] = false;
                    changed = true;
                }
            }
            if !changed {
                return rigid;
            }
        }
    }

    /// Whether the relation has an empty extension: it has no fact and no rule, and is neither
    /// `true` nor `does`.
    pub(crate) fn is_empty_relation(&self, id: RelationId) -> bool {
        let relation = self.relation(id);
        relation.rules.is_empty()
            && relation.facts.is_empty()
            && id != self.keywords.true_
            && id != self.keywords.does
    }

    /// Rebuilds the rule and fact lists of every relation.
    pub(crate) fn index(&mut self) {
        for relation in self.relations.values_mut() {
            relation.rules.clear();
            relation.facts.clear();
        }
        for (i, rule) in self.rules.iter().enumerate() {
            self.relations[rule.head.relation.index()].rules.push(i);
        }
        for (i, fact) in self.facts.iter().enumerate() {
            self.relations[fact.relation.index()].facts.push(i);
        }
    }
}

/// The relation with a name and an arity, added if it is new.
pub(crate) fn intern_relation(
    relations: &mut RelationTable,
    name: Symbol,
    arity: usize,
) -> RelationId {
    let entry = relations.entry((name, arity));
    let id = RelationId(entry.index() as u32);
    entry.or_insert_with(|| Relation {
        name,
        arity,
        rules: Vec::new(),
        facts: Vec::new(),
        class: RelationClass::Rigid,
        stratum: 0,
        component: 0,
        recursive: false,
        is_helper: false,
    });
    id
}
