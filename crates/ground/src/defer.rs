//! Replaces conditions on rigid relations that are too large for a table by chains of small ones.
//!
//! "Exactly one of nine arguments is `?x`" has a third of a billion rows, and every rule that asks
//! for it has bindings for its arguments anyway. Such a relation is not computed. The conditions on
//! it in a rule, together, become one [decision diagram](crate::diagram) over their variables, and
//! the diagram becomes a chain of conditions `(step1 ?x1 ?s1) (step2 ?s1 ?x2 ?s2) …`, in which
//! `?s1` is the node that is reached with `?x1`. The rule then falls apart into helpers at these
//! variables, as any other chain (`decompose`): a number of rules for each edge of the diagram
//! instead of one for each row of the relation.
//!
//! A definition is used if it is not recursive and refers to tables and other definitions of that
//! kind. Where a diagram would be too large, the relation is computed as usual, within the budget.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::GroundError;
use crate::clause::{
    Apply, Arg, Atom, Clause, Literal, Predicate, PredicateId, PredicateView, Predicates,
};
use crate::diagram::{ALWAYS, Diagrams, NEVER, NodeId, TooLarge};
use crate::estimate::TableEstimate;
use crate::instantiate::Grounder;
use crate::tuple_table::TupleTables;

/// Relations with more estimated rows are not computed if that can be avoided.
const MAX_ROWS: f64 = 4_000_000.0;
/// Maximum number of conditions, definitions unfolded, of which a diagram is made.
const MAX_CONDITIONS: usize = 20_000;
/// Maximum number of variables tested by a diagram, those inside definitions included.
const MAX_LEVELS: u32 = 200;

/// The rigid clauses, by what is done with them.
pub(crate) struct DeferredClauses {
    /// Definitions of relations that are not computed.
    pub(crate) deferred: Vec<Clause>,
    /// Clauses that depend on them.
    pub(crate) dependent: Vec<Clause>,
    /// All other clauses.
    pub(crate) others: Vec<Clause>,
}

/// Rigid clauses and dynamic ones.
type RigidAndDynamic = (Vec<Clause>, Vec<Clause>);

/// An argument during the construction of a diagram: the level of a variable, or a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Level(u32),
    Term(u32),
}

/// A diagram is not made: it would be too large, or a condition has no finite one.
struct Refused;

impl From<TooLarge> for Refused {
    fn from(_: TooLarge) -> Self {
        Self
    }
}

/// Makes diagrams of conditions.
struct DiagramMaker<'a> {
    definitions: &'a FxHashMap<PredicateId, Vec<Clause>>,
    predicates: &'a Predicates,
    tables: &'a TupleTables,
    diagrams: Diagrams,
    /// The level of the next hidden variable.
    next_level: u32,
    conditions: usize,
}

impl Grounder<'_, '_> {
    /// Sorts the rigid clauses into those that are computed and those that are not. Estimates must
    /// be refined.
    pub(crate) fn defer(&self, rigid: Vec<Clause>, dynamic: &[Clause]) -> DeferredClauses {
        let mut deferred = self.too_large(&rigid);
        let of = |clause: &Clause| clause.head.predicate;
        loop {
            // Predicates that depend on deferred ones without being deferred.
            let mut dependent: FxHashSet<PredicateId> = FxHashSet::default();
            loop {
                let before = dependent.len();
                for clause in &rigid {
                    let depends =
                        atoms(clause).any(|(p, _)| deferred.contains(&p) || dependent.contains(&p));
                    if depends && !deferred.contains(&of(clause)) {
                        dependent.insert(of(clause));
                    }
                }
                if dependent.len() == before {
                    break;
                }
            }
            let mut kept = deferred.clone();
            for clause in &rigid {
                let unusable = atoms(clause).any(|(p, _)| dependent.contains(&p))
                    || !clause.body.iter().all(|l| self.is_expressible(l));
                if unusable {
                    kept.remove(&of(clause));
                }
            }
            // Negated conditions outside of definitions have no bounded diagram.
            for clause in rigid.iter().chain(dynamic) {
                if !deferred.contains(&of(clause)) {
                    for (predicate, negated) in atoms(clause) {
                        if negated {
                            kept.remove(&predicate);
                        }
                    }
                }
            }
            if kept.len() == deferred.len() {
                let (given_up, rest): (Vec<Clause>, Vec<Clause>) =
                    rigid.into_iter().partition(|c| deferred.contains(&of(c)));
                let (dependent, others) =
                    rest.into_iter().partition(|c| dependent.contains(&of(c)));
                return DeferredClauses {
                    deferred: given_up,
                    dependent,
                    others,
                };
            }
            deferred = kept;
        }
    }

    /// The rigid predicates with many rows by estimate that are not recursive and have no facts.
    fn too_large(&self, rigid: &[Clause]) -> FxHashSet<PredicateId> {
        let mut large: FxHashSet<PredicateId> = rigid
            .iter()
            .map(|clause| clause.head.predicate)
            .filter(|id| {
                let table = self.predicates.get(*id).table;
                self.estimates[table as usize].rows > MAX_ROWS && self.tables.get(table).len() == 0
            })
            .collect();
        if large.is_empty() {
            return large;
        }
        let mut below: FxHashMap<PredicateId, FxHashSet<PredicateId>> = FxHashMap::default();
        for clause in rigid {
            let used = below.entry(clause.head.predicate).or_default();
            used.extend(atoms(clause).map(|(predicate, _)| predicate));
        }
        large.retain(|id| {
            let mut seen: FxHashSet<PredicateId> = FxHashSet::default();
            let mut todo = vec![*id];
            while let Some(at) = todo.pop() {
                for next in below.get(&at).into_iter().flatten() {
                    if next == id {
                        return false;
                    }
                    if seen.insert(*next) {
                        todo.push(*next);
                    }
                }
            }
            true
        });
        large
    }

    fn is_expressible(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Positive(_) | Literal::Negative(_) => self.predicates.is_rigid(literal),
            Literal::Distinct(..) => true,
            Literal::GroundingOnly(_) | Literal::Compose { .. } | Literal::Constant(_) => false,
        }
    }

    /// The clauses that depend on deferred relations and the dynamic ones, without conditions on
    /// deferred relations; `None` if a diagram is not made. The tables that other clauses compute
    /// must be complete.
    pub(crate) fn without_deferred(
        &mut self,
        deferred: &[Clause],
        dependent: &[Clause],
        dynamic: &[Clause],
    ) -> Result<Option<RigidAndDynamic>, GroundError> {
        let mut definitions: FxHashMap<PredicateId, Vec<Clause>> = FxHashMap::default();
        for clause in deferred {
            let of = definitions.entry(clause.head.predicate).or_default();
            of.push(clause.clone());
        }
        let Some(dependent) = self.chain(dependent, &definitions)? else {
            return Ok(None);
        };
        let dynamic = self.chain(dynamic, &definitions)?;
        Ok(dynamic.map(|dynamic| (dependent, dynamic)))
    }

    /// The clauses with chains in place of their conditions on deferred relations.
    fn chain(
        &mut self,
        clauses: &[Clause],
        definitions: &FxHashMap<PredicateId, Vec<Clause>>,
    ) -> Result<Option<Vec<Clause>>, GroundError> {
        let mut chained = Vec::with_capacity(clauses.len());
        for clause in clauses {
            if atoms(clause).any(|(predicate, _)| definitions.contains_key(&predicate)) {
                self.meter.check()?;
                match self.chain_clause(clause, definitions) {
                    Ok(clause) => chained.extend(clause),
                    Err(Refused) => return Ok(None),
                }
            } else {
                chained.push(clause.clone());
            }
        }
        Ok(Some(chained))
    }

    /// The clause with chains; `None` if it has no instance.
    fn chain_clause(
        &mut self,
        clause: &Clause,
        definitions: &FxHashMap<PredicateId, Vec<Clause>>,
    ) -> Result<Option<Clause>, Refused> {
        let mut clause = clause.clone();
        let (mut conditions, rest): (Vec<Literal>, Vec<Literal>) =
            std::mem::take(&mut clause.body).into_iter().partition(|literal| {
                matches!(literal, Literal::Positive(atom) if definitions.contains_key(&atom.predicate))
            });
        // Variables in the order in which dynamic conditions bind them: neighbours on the board
        // stay neighbours in the chain.
        let mut order: Vec<u32> = Vec::new();
        for literal in rest
            .iter()
            .filter(|l| self.predicates.is_dynamic(l))
            .chain(&conditions)
        {
            for v in literal.variables() {
                if !order.contains(&v) {
                    order.push(v);
                }
            }
        }
        clause.body = rest;
        while let Some(first) = conditions.pop() {
            // The conditions that share variables with the first, directly or not.
            let mut group = vec![first];
            let mut variables = group[0].variables();
            while let Some(at) = conditions.iter().position(|other| {
                let mut others = other.variables().into_iter();
                others.any(|v| variables.contains(&v))
            }) {
                let other = conditions.swap_remove(at);
                variables.extend(other.variables());
                group.push(other);
            }
            let variables: Vec<u32> = order
                .iter()
                .copied()
                .filter(|v| variables.contains(v))
                .collect();
            if !self.chain_group(&mut clause, &group, &variables, definitions)? {
                return Ok(None);
            }
        }
        clause.compact();
        Ok(Some(clause))
    }

    /// Adds the chain of some conditions to a clause. Returns false if they never hold together.
    fn chain_group(
        &mut self,
        clause: &mut Clause,
        group: &[Literal],
        variables: &[u32],
        definitions: &FxHashMap<PredicateId, Vec<Clause>>,
    ) -> Result<bool, Refused> {
        let mut maker = DiagramMaker {
            definitions,
            predicates: &self.predicates,
            tables: &self.tables,
            diagrams: Diagrams::new(),
            next_level: variables.len() as u32,
            conditions: 0,
        };
        let place = |arg: &Arg| match arg {
            Arg::Term(term) => Place::Term(*term),
            Arg::Variable(v) => {
                let level = variables.iter().position(|other| other == v);
                Place::Level(level.unwrap_or_default() as u32)
            }
        };
        let mut root = ALWAYS;
        for literal in group {
            let Literal::Positive(atom) = literal else {
                return Err(Refused);
            };
            let places: Vec<Place> = atom.args.iter().map(place).collect();
            let (holds, _) = maker.defined(atom.predicate, &places)?;
            root = maker.diagrams.and(root, holds)?;
        }
        let diagrams = maker.diagrams;
        if root == NEVER {
            return Ok(false);
        }
        let name = match &group[0] {
            Literal::Positive(atom) => self.predicates.get(atom.predicate).name.clone(),
            _ => return Err(Refused),
        };
        // The nodes of a level, in the order in which they are reached, are the states of the
        // chain.
        let mut states = vec![root];
        let mut state: Option<u32> = None;
        for (level, variable) in variables.iter().enumerate() {
            let is_last = level + 1 == variables.len();
            let mut rows: Vec<Vec<u32>> = Vec::new();
            let mut next: Vec<NodeId> = Vec::new();
            let mut numbers: FxHashMap<NodeId, usize> = FxHashMap::default();
            for (number, id) in states.iter().enumerate() {
                let node = diagrams.get(*id);
                if node.level != level as u32 || node.otherwise != NEVER {
                    // A variable without a bound.
                    return Err(Refused);
                }
                for (value, to) in &node.edges {
                    if *to == NEVER {
                        continue;
                    }
                    let mut row = Vec::with_capacity(3);
                    if state.is_some() {
                        row.push(self.state_term(number));
                    }
                    row.push(*value);
                    if !is_last {
                        let at = *numbers.entry(*to).or_insert_with(|| {
                            next.push(*to);
                            next.len() - 1
                        });
                        row.push(self.state_term(at));
                    }
                    rows.push(row);
                }
            }
            let after = (!is_last).then(|| {
                clause.variables += 1;
                clause.variables - 1
            });
            let args = [state, Some(*variable), after];
            let args: Vec<Arg> = args.into_iter().flatten().map(Arg::Variable).collect();
            let predicate = self.rigid_table(format!("{name}#step"), args.len(), &rows);
            clause
                .body
                .push(Literal::Positive(Apply { predicate, args }));
            state = after;
            states = next;
        }
        Ok(true)
    }

    fn state_term(&mut self, number: usize) -> u32 {
        self.term_store.terms.constant(&number.to_string()).0
    }

    /// Adds a rigid predicate with these rows.
    fn rigid_table(&mut self, name: String, arity: usize, rows: &[Vec<u32>]) -> PredicateId {
        let table = self.tables.add(arity);
        for row in rows {
            self.tables.get_mut(table).insert(row);
        }
        self.estimates
            .push(TableEstimate::actual(&mut self.tables, table));
        self.predicates.add(Predicate {
            relation: None,
            name,
            shape: Vec::new(),
            table,
            view: PredicateView::Plain,
            rigid: true,
            grounding_only: false,
        })
    }
}

impl DiagramMaker<'_> {
    /// The diagram of a condition on a deferred relation, and the values of each of its arguments.
    /// Recurses over definitions, which are not recursive.
    fn defined(
        &mut self,
        predicate: PredicateId,
        places: &[Place],
    ) -> Result<(NodeId, Vec<Vec<u32>>), Refused> {
        let definitions = self.definitions;
        let mut union = NEVER;
        let mut values: Vec<Vec<u32>> = vec![Vec::new(); places.len()];
        for clause in definitions.get(&predicate).into_iter().flatten() {
            let (holds, of) = self.clause(clause, places)?;
            if holds == NEVER {
                continue;
            }
            union = self.diagrams.or(union, holds)?;
            for (values, of) in values.iter_mut().zip(of) {
                values.extend(of);
                values.sort_unstable();
                values.dedup();
            }
        }
        Ok((union, values))
    }

    /// The diagram of one clause of a definition for the arguments of a condition.
    fn clause(
        &mut self,
        clause: &Clause,
        places: &[Place],
    ) -> Result<(NodeId, Vec<Vec<u32>>), Refused> {
        self.conditions += clause.body.len();
        if self.conditions > MAX_CONDITIONS || self.next_level > MAX_LEVELS {
            return Err(Refused);
        }
        let empty = (NEVER, vec![Vec::new(); places.len()]);
        let first_hidden = self.next_level;
        // The place of each variable of the clause. Equations between places are kept for later.
        let mut of: Vec<Option<Place>> = vec![None; clause.variables as usize];
        let mut equal: Vec<(Place, Place)> = Vec::new();
        for (arg, place) in clause.head.args.iter().zip(places) {
            match arg {
                Arg::Term(term) => equal.push((Place::Term(*term), *place)),
                Arg::Variable(v) => match of[*v as usize] {
                    None => of[*v as usize] = Some(*place),
                    Some(known) => equal.push((known, *place)),
                },
            }
        }
        for place in &mut of {
            if place.is_none() {
                *place = Some(Place::Level(self.next_level));
                self.next_level += 1;
            }
        }
        let place = |arg: &Arg| match arg {
            Arg::Term(term) => Place::Term(*term),
            Arg::Variable(v) => of[*v as usize].unwrap_or(Place::Term(u32::MAX)),
        };
        let mut all = ALWAYS;
        let mut values: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        // Conditions that bind come first; they give the values of the variables.
        for literal in &clause.body {
            if let Literal::Positive(atom) = literal {
                let places: Vec<Place> = atom.args.iter().map(place).collect();
                let (holds, of) = self.condition(atom, &places)?;
                all = self.diagrams.and(all, holds)?;
                for (place, found) in places.iter().zip(of) {
                    if let Place::Level(level) = place {
                        let known = values.entry(*level).or_insert_with(|| found.clone());
                        known.retain(|value| found.binary_search(value).is_ok());
                    }
                }
            }
            if all == NEVER {
                self.next_level = first_hidden;
                return Ok(empty);
            }
        }
        let tests = clause.body.iter().map(|literal| match literal {
            Literal::Distinct(left, right) => Ok((false, place(left), place(right))),
            _ => Err(literal),
        });
        let equations = equal
            .into_iter()
            .map(|(left, right)| Ok((true, left, right)));
        for test in tests.chain(equations) {
            let holds = match test {
                Err(Literal::Negative(atom)) => {
                    let places: Vec<Place> = atom.args.iter().map(place).collect();
                    let (holds, _) = self.condition(atom, &places)?;
                    self.diagrams.not(holds)?
                }
                Err(_) => ALWAYS,
                Ok((equal, left, right)) => {
                    let holds = self.test(equal, left, right, &values)?;
                    if equal {
                        learn(left, right, &mut values);
                    }
                    holds
                }
            };
            all = self.diagrams.and(all, holds)?;
        }
        let all = self.diagrams.project(all, first_hidden)?;
        self.next_level = first_hidden;
        let values = places
            .iter()
            .map(|place| match place {
                Place::Level(level) => values.get(level).cloned().unwrap_or_default(),
                Place::Term(term) => vec![*term],
            })
            .collect();
        Ok((all, values))
    }

    /// The diagram of an equation or its negation.
    fn test(
        &mut self,
        equal: bool,
        left: Place,
        right: Place,
        values: &FxHashMap<u32, Vec<u32>>,
    ) -> Result<NodeId, Refused> {
        let bool = |holds: bool| if holds { ALWAYS } else { NEVER };
        Ok(match (left, right) {
            (left, right) if left == right => bool(equal),
            (Place::Term(_), Place::Term(_)) => bool(!equal),
            (Place::Level(level), Place::Term(term)) | (Place::Term(term), Place::Level(level)) => {
                let edges = vec![(term, bool(equal))];
                self.diagrams.node(level, edges, bool(!equal))?
            }
            (Place::Level(first), Place::Level(second)) => {
                let values = values.get(&first).ok_or(Refused)?;
                self.diagrams.pairs(first, second, values, equal)?
            }
        })
    }

    /// The diagram of a condition on any rigid relation, and the values of its arguments.
    fn condition(
        &mut self,
        atom: &Atom,
        places: &[Place],
    ) -> Result<(NodeId, Vec<Vec<u32>>), Refused> {
        if self.definitions.contains_key(&atom.predicate) {
            return self.defined(atom.predicate, places);
        }
        let table = self.tables.get(self.predicates.get(atom.predicate).table);
        self.diagrams.charge(u64::from(table.len()))?;
        let mut levels: Vec<u32> = places
            .iter()
            .filter_map(|place| match place {
                Place::Level(level) => Some(*level),
                Place::Term(_) => None,
            })
            .collect();
        levels.sort_unstable();
        levels.dedup();
        let mut tuples: Vec<Vec<u32>> = Vec::new();
        let mut values: Vec<Vec<u32>> = vec![Vec::new(); places.len()];
        for row in 0..table.len() {
            let row = table.row(row);
            let mut tuple: Vec<Option<u32>> = vec![None; levels.len()];
            let fits = places.iter().zip(row).all(|(place, cell)| match place {
                Place::Term(term) => term == cell,
                Place::Level(level) => {
                    let at = levels.binary_search(level).unwrap_or_default();
                    *tuple[at].get_or_insert(*cell) == *cell
                }
            });
            if fits {
                tuples.push(tuple.into_iter().flatten().collect());
                for (values, cell) in values.iter_mut().zip(row) {
                    values.push(*cell);
                }
            }
        }
        for values in &mut values {
            values.sort_unstable();
            values.dedup();
        }
        Ok((self.diagrams.tuples(&levels, &mut tuples)?, values))
    }
}

/// Notes the values of a variable that equals a term or another variable.
fn learn(left: Place, right: Place, values: &mut FxHashMap<u32, Vec<u32>>) {
    let (level, found) = match (left, right) {
        (Place::Term(term), Place::Level(level)) | (Place::Level(level), Place::Term(term)) => {
            (level, vec![term])
        }
        (Place::Level(first), Place::Level(level)) => {
            (level, values.get(&first).cloned().unwrap_or_default())
        }
        (Place::Term(_), Place::Term(_)) => return,
    };
    values.entry(level).or_insert(found);
}

/// The predicates of a clause's conditions, and whether they are negated.
fn atoms(clause: &Clause) -> impl Iterator<Item = (PredicateId, bool)> {
    clause.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) | Literal::GroundingOnly(atom) => Some((atom.predicate, false)),
        Literal::Negative(atom) => Some((atom.predicate, true)),
        _ => None,
    })
}
