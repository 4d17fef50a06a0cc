//! The rules of a game, ready for any engine.

use indexmap::IndexMap;
use ludorum_gdl::{Description, Diagnostic, Symbol};
use rustc_hash::FxBuildHasher;
use serde::Serialize;

use crate::graph::Graph;
use crate::rule::{Fact, Literal, RelationId, Rule};
use crate::term::{TermId, Terms};
use crate::{blind, lower, prune, simplify, split, unfold};

/// What the truth of a relation may change with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RelationClass {
    /// Nothing: it is the same in every state and can be computed once.
    Rigid,
    /// The state.
    State,
    /// The state and the moves of the players.
    Action,
}

/// A relation of the rules.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name.
    pub name: Symbol,
    /// How many arguments it has.
    pub arity: usize,
    /// Its rules, as positions in [`Rules::rules`].
    pub rules: Vec<usize>,
    /// Its facts, as positions in [`Rules::facts`].
    pub facts: Vec<usize>,
    /// What it may change with.
    pub class: RelationClass,
    /// The stratum: negation only looks to lower strata.
    pub stratum: u32,
    /// The component of mutually dependent relations, numbered so that all it depends on has lower
    /// numbers.
    pub component: u32,
    /// Whether it depends on itself.
    pub recursive: bool,
    /// Whether normalisation made it up.
    pub is_helper: bool,
}

/// The relations with a meaning of their own; always there, also when the sheet leaves them out.
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
    /// What a state is made of and what is asked about it: all but `role` and `init`.
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
/// Bodies are flat conjunctions: `or`, `and`, `not not` and `not distinct` are gone, every variable
/// of a head, a negation or a `distinct` is bound by a positive literal, negation is stratified,
/// and literals that are always true or false are resolved. `base` and `input`, which say nothing
/// about play, are dropped together with all that no query can reach.
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
    /// Normalises a description.
    ///
    /// Fails with at least one error where the description has no meaning: no role, an unsafe rule,
    /// negation in a cycle. The checker of the `gdl` crate says more, and says it better; this is
    /// the guard behind it.
    pub fn new(description: &Description) -> Result<Self, Vec<Diagnostic>> {
        let mut rules = lower::lower(description)?;
        simplify::simplify(&mut rules);
        unfold::unfold(&mut rules);
        simplify::simplify(&mut rules);
        prune::prune(&mut rules);
        rules.index();
        rules.stratify()?;
        rules.blind_queries();
        rules.roles = rules
            .facts_of(rules.keywords.role)
            .map(|fact| fact.args[0])
            .collect();
        if rules.roles.is_empty() {
            return Err(vec![
                Diagnostic::error("E301", "the sheet has no role")
                    .help("name the players with facts such as `(role white)`"),
            ]);
        }
        Ok(rules)
    }

    /// Parses and normalises a text, for callers that have no use for warnings.
    pub fn from_text(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let parsed = ludorum_gdl::parse(text);
        if parsed.has_errors() {
            let errors = parsed.diagnostics.into_iter();
            return Err(errors.filter(Diagnostic::is_error).collect());
        }
        Self::new(&parsed.description)
    }

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

    /// How many components of mutually dependent relations there are.
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

    /// By relation, whether its truth never changes, less the keywords of play, which engines show
    /// also where they never change, and what depends on them.
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

    /// Whether nothing can make the relation true: no fact, no rule, and it is neither `true` nor
    /// `does`.
    pub(crate) fn is_empty_relation(&self, id: RelationId) -> bool {
        let relation = self.relation(id);
        relation.rules.is_empty()
            && relation.facts.is_empty()
            && id != self.keywords.true_
            && id != self.keywords.does
    }

    /// Takes negation out of cycles where splitting a relation does it, and classifies all
    /// relations.
    fn stratify(&mut self) -> Result<(), Vec<Diagnostic>> {
        loop {
            let graph = Graph::new(self);
            let Some(cycle) = graph.unstratified() else {
                graph.classify(self);
                return Ok(());
            };
            if !split::split(self, &cycle.component) {
                return Err(vec![cycle.diagnostic(self)]);
            }
        }
    }

    /// Makes queries independent of what is not known when they are asked.
    fn blind_queries(&mut self) {
        let Keywords { true_, does, .. } = self.keywords;
        let queries = [
            (self.keywords.legal, RelationClass::State),
            (self.keywords.goal, RelationClass::State),
            (self.keywords.terminal, RelationClass::State),
            (self.keywords.init, RelationClass::Rigid),
            (self.keywords.role, RelationClass::Rigid),
        ];
        let mut blinded = false;
        for (query, most) in queries {
            if self.relation(query).class > most {
                let hidden = [does, true_];
                let hidden = &hidden[..if most == RelationClass::State { 1 } else { 2 }];
                blind::blind(self, query, hidden);
                blinded = true;
            }
        }
        if blinded {
            simplify::simplify(self);
            prune::prune(self);
            self.index();
            Graph::new(self).classify(self);
        }
    }

    /// Fills the rule and fact lists of every relation.
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

/// The relation of a name and an arity, made when it is new.
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
