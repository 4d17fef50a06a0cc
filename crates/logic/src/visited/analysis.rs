//! Finds recursions with a list of visited nodes: the list argument of each relation, the node
//! relation, its key, and the conditions on the list.

use ludorum_gdl::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use super::query::Queries;
use crate::domain::Domains;
use crate::rule::{Atom, Literal, Pattern, RelationId, Rule, Variable};
use crate::rules::Rules;
use crate::term::{TermId, Terms};

/// Whose node an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The head of the rule.
    Head,
    /// The recursive condition.
    Callee,
}

/// A rule of a relation of the recursion.
#[derive(Debug)]
pub(super) struct Step<'r> {
    pub(super) rule: &'r Rule,
    /// Its position in [`Rules::rules`].
    pub(super) number: usize,
    /// The recursive condition, as a position in the body.
    pub(super) callee: Option<usize>,
    /// The conditions on the list, as positions in the body.
    pub(super) conditions: Vec<usize>,
    /// The element, a variable or a compound term over variables, and whose node it belongs to.
    pub(super) element: Option<(Pattern, Owner)>,
}

/// A linear recursion with a list argument.
#[derive(Debug)]
pub(super) struct Recursion<'r> {
    pub(super) rules: &'r Rules,
    /// The relations with the place of the list.
    pub(super) lists: FxHashMap<RelationId, usize>,
    /// The relation whose atoms are the nodes.
    pub(super) node: RelationId,
    pub(super) steps: Vec<Step<'r>>,
    /// The atoms of the recursion in rules of other relations.
    pub(super) entries: Vec<&'r Atom>,
    /// The arguments of the node relation that the element consists of; `None` if facts lead from
    /// elements to nodes.
    pub(super) element_arguments: Option<Vec<usize>>,
    /// The functor of compound elements.
    pub(super) functor: Option<Symbol>,
    /// All terms that can be elements.
    pub(super) elements: Vec<TermId>,
    /// The terms of the rules and the elements.
    pub(super) terms: Terms,
}

/// How an element determines the arguments of a node that change.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    /// It consists of these arguments of the node, under a functor if it is compound.
    Arguments(Option<Symbol>, Vec<usize>),
    /// Facts of a relation lead from the element, at a place, to them, at these places.
    Facts(RelationId, usize, Vec<usize>),
}

/// The recursive relations that are no keywords, by component.
pub(super) fn recursive_components(rules: &Rules) -> Vec<Vec<RelationId>> {
    let keywords = &rules.keywords;
    let mut components: FxHashMap<u32, Vec<RelationId>> = FxHashMap::default();
    for (id, relation) in rules.relations() {
        if relation.recursive {
            components.entry(relation.component).or_default().push(id);
        }
    }
    let shown = keywords.per_state();
    let mut components: Vec<Vec<RelationId>> = components
        .into_values()
        .filter(|members| {
            let mut members = members.iter();
            members.all(|id| !shown.contains(id) && *id != keywords.init && *id != keywords.role)
        })
        .collect();
    components.sort();
    components
}

impl<'r> Recursion<'r> {
    /// The recursion through some mutually recursive relations, if it has the shape described in
    /// the parent module. The conditions on the list are not tested here.
    pub(super) fn new(rules: &'r Rules, domains: &Domains, members: &[RelationId]) -> Option<Self> {
        let mut lists = FxHashMap::default();
        for id in members {
            let arity = rules.relation(*id).arity;
            let mut unbounded =
                (0..arity).filter(|place| domains.size(domains.argument(*id, *place)).is_none());
            lists.insert(*id, unbounded.next()?);
            if unbounded.next().is_some() || !rules.relation(*id).facts.is_empty() {
                return None;
            }
        }
        let rigid = rules.rigid_relations();
        let mut steps = Vec::new();
        for (number, rule) in rules.rules.iter().enumerate() {
            if lists.contains_key(&rule.head.relation) {
                steps.push(step(rules, domains, &lists, &rigid, rule, number)?);
            }
        }
        let mut recursion = Self {
            rules,
            node: members[0],
            entries: uses(rules, &lists).collect(),
            lists,
            steps,
            element_arguments: None,
            functor: None,
            elements: Vec::new(),
            terms: rules.terms.clone(),
        };
        let mut members = members.iter();
        let has_nodes = members.any(|node| recursion.take_nodes(*node));
        (has_nodes && recursion.stays_safe()).then_some(recursion)
    }

    /// Whether the conditions on the list, and the uses, treat all elements alike.
    pub(super) fn treats_elements_alike(&self, domains: &Domains) -> bool {
        let elements = Elements {
            set: self.elements.iter().copied().collect(),
            functor: self.functor,
            terms: &self.terms,
        };
        self.entries_are_plain(&elements) && self.is_symmetric(&elements, domains)
    }

    /// Takes a relation as the node relation; false if elements do not determine its nodes.
    fn take_nodes(&mut self, node: RelationId) -> bool {
        let changing = self.changing(node);
        let mut key: Option<Key> = None;
        let mut owners = Vec::new();
        for step in &self.steps {
            let Some((element, _)) = &step.element else {
                owners.push(Owner::Head);
                continue;
            };
            let sides = [
                (Owner::Head, Some(&step.rule.head)),
                (Owner::Callee, step.callee_atom()),
            ];
            // Arguments of the node are the plainest key: try them first.
            let found = [arguments_key, facts_key].into_iter().find_map(|key| {
                sides.iter().find_map(|(owner, atom)| {
                    let atom = atom.filter(|atom| atom.relation == node)?;
                    Some((*owner, key(self.rules, step, element, atom, &changing)?))
                })
            });
            let Some((owner, found)) = found else {
                return false;
            };
            if key.as_ref().is_some_and(|key| *key != found) {
                return false;
            }
            key = Some(found);
            owners.push(owner);
        }
        match key {
            None => return false,
            Some(Key::Arguments(functor, places)) => {
                self.functor = functor;
                self.element_arguments = Some(places);
            }
            Some(Key::Facts(relation, place, _)) => {
                let facts = self.rules.facts_of(relation);
                self.elements = facts.map(|fact| fact.args[place]).collect();
                self.elements.sort_unstable();
                self.elements.dedup();
            }
        }
        for (step, owner) in self.steps.iter_mut().zip(owners) {
            step.element = step.element.take().map(|(element, _)| (element, owner));
        }
        self.node = node;
        true
    }

    /// The places of a relation that may change on the way from one of its atoms to another,
    /// without the list.
    fn changing(&self, node: RelationId) -> Vec<usize> {
        let arity = self.rules.relation(node).arity;
        let mut fixed: Vec<bool> = (0..arity).map(|p| p != self.lists[&node]).collect();
        // For each relation and place, the argument of the last node that it holds. Starts with the
        // assumption that all places of the node relation are fixed, and is corrected until nothing
        // changes (greatest fixpoint).
        'assumption: loop {
            let own = (0..arity).map(|p| fixed[p].then_some(p)).collect();
            let mut holds: FxHashMap<RelationId, Vec<Option<usize>>> =
                [(node, own)].into_iter().collect();
            loop {
                let mut changed = false;
                for step in &self.steps {
                    let (head, Some(callee)) = (&step.rule.head, step.callee_atom()) else {
                        continue;
                    };
                    let Some(from) = holds.get(&head.relation).cloned() else {
                        continue;
                    };
                    let passed: Vec<Option<usize>> = callee
                        .args
                        .iter()
                        .map(|arg| {
                            let Pattern::Variable(_) = arg else {
                                return None;
                            };
                            let mut same = (0..from.len())
                                .filter(|p| from[*p].is_some() && head.args[*p] == *arg);
                            same.next().and_then(|p| from[p])
                        })
                        .collect();
                    if callee.relation == node {
                        for place in 0..arity {
                            if fixed[place] && passed[place] != Some(place) {
                                fixed[place] = false;
                                continue 'assumption;
                            }
                        }
                        continue;
                    }
                    match holds.get_mut(&callee.relation) {
                        None => {
                            holds.insert(callee.relation, passed);
                            changed = true;
                        }
                        Some(known) => {
                            for (known, passed) in known.iter_mut().zip(passed) {
                                if known.is_some() && *known != passed {
                                    *known = None;
                                    changed = true;
                                }
                            }
                        }
                    }
                }
                if !changed {
                    break 'assumption;
                }
            }
        }
        let list = self.lists[&node];
        (0..arity).filter(|p| *p != list && !fixed[*p]).collect()
    }

    /// The element of the node of an atom, if it consists of arguments of the node.
    pub(super) fn element_of(&self, atom: &Atom) -> Option<Pattern> {
        let places = self.element_arguments.as_ref()?;
        if atom.relation != self.node {
            return None;
        }
        let parts: Vec<Pattern> = places
            .iter()
            .map(|place| atom.args[*place].clone())
            .collect();
        let Some(functor) = self.functor else {
            return parts.into_iter().next();
        };
        let ground: Option<Vec<TermId>> = parts
            .iter()
            .map(|part| match part {
                Pattern::Ground(term) => Some(*term),
                _ => None,
            })
            .collect();
        match ground {
            Some(parts) => self.terms.get(functor, &parts).map(Pattern::Ground),
            None => Some(Pattern::Compound(functor, parts.into())),
        }
    }

    /// Whether the lists of all uses have no elements but that of their node, and no variables
    /// outside of it.
    fn entries_are_plain(&self, elements: &Elements<'_>) -> bool {
        self.entries.iter().all(|atom| {
            let list = &atom.args[self.lists[&atom.relation]];
            let own = self.element_of(atom);
            let mut known: FxHashSet<Variable> = FxHashSet::default();
            if let Some(own) = &own {
                own.for_each_variable(&mut |v| _ = known.insert(v));
            }
            let mut bound = true;
            list.for_each_variable(&mut |v| bound &= known.contains(&v));
            bound && !elements.are_in(list, own.as_ref())
        })
    }

    /// Whether swapping two elements changes nothing that the conditions on the list depend on.
    fn is_symmetric(&self, elements: &Elements<'_>, domains: &Domains) -> bool {
        let mut todo: Vec<RelationId> = Vec::new();
        for step in &self.steps {
            let own = step.element.as_ref().map(|(element, _)| element);
            for at in &step.conditions {
                let literal = &step.rule.body[*at];
                todo.extend(literal.atom().map(|atom| atom.relation));
                if elements.are_in_literal(literal, own) {
                    return false;
                }
            }
            let ends = [Some(&step.rule.head), step.callee_atom()];
            for atom in ends.into_iter().flatten() {
                if elements.are_in(&atom.args[self.lists[&atom.relation]], own) {
                    return false;
                }
            }
        }
        let mut queries = Queries::new(self.rules, self.terms.clone());
        let mut seen: FxHashSet<RelationId> = FxHashSet::default();
        while let Some(relation) = todo.pop() {
            if !seen.insert(relation) || self.is_uniform(relation, domains, &mut queries) {
                continue;
            }
            for rule in self.rules.rules_of(relation) {
                let mut head = rule.head.args.iter();
                let mut body = rule.body.iter();
                if head.any(|arg| elements.are_in(arg, None))
                    || body.any(|literal| elements.are_in_literal(literal, None))
                {
                    return false;
                }
                todo.extend(
                    rule.body
                        .iter()
                        .filter_map(Literal::atom)
                        .map(|a| a.relation),
                );
            }
            if !self.facts_are_symmetric(relation, elements) {
                return false;
            }
        }
        true
    }

    /// Whether a relation with one argument holds for all elements or for none, and for nothing
    /// that has elements in it, so that its definition does not matter.
    fn is_uniform(
        &self,
        relation: RelationId,
        domains: &Domains,
        queries: &mut Queries<'_>,
    ) -> bool {
        if self.rules.relation(relation).arity != 1 {
            return false;
        }
        let domain = domains.argument(relation, 0);
        if domains
            .functions(domain)
            .any(|(name, _)| Some(name) != self.functor)
        {
            return false;
        }
        let mut held = 0;
        for element in &self.elements {
            match queries.holds(relation, *element) {
                Ok(holds) => held += usize::from(holds),
                Err(_) => return false,
            }
        }
        held == 0 || held == self.elements.len()
    }

    /// Whether the facts of a relation stay the same when two elements are swapped. Swaps of
    /// neighbours in a fixed order generate all permutations.
    fn facts_are_symmetric(&self, relation: RelationId, elements: &Elements<'_>) -> bool {
        let facts: FxHashSet<&[TermId]> = self
            .rules
            .facts_of(relation)
            .map(|fact| &fact.args[..])
            .collect();
        facts.iter().all(|fact| {
            let plain = fact.iter().all(|arg| {
                elements.set.contains(arg) || !elements.are_in(&Pattern::Ground(*arg), None)
            });
            let swapped = self.elements.windows(2).all(|pair| {
                let swap = |arg: &TermId| match *arg {
                    arg if arg == pair[0] => pair[1],
                    arg if arg == pair[1] => pair[0],
                    arg => arg,
                };
                let args: Vec<TermId> = fact.iter().map(swap).collect();
                facts.contains(&args[..])
            });
            plain && swapped
        })
    }

    /// Whether every rule binds its variables without the conditions on the list.
    fn stays_safe(&self) -> bool {
        self.steps.iter().all(|step| {
            let mut bound: FxHashSet<Variable> = FxHashSet::default();
            let mut needed: FxHashSet<Variable> = FxHashSet::default();
            for (at, literal) in step.rule.body.iter().enumerate() {
                if step.conditions.contains(&at) {
                    continue;
                }
                let list = literal.atom().and_then(|atom| {
                    let place = self.lists.get(&atom.relation)?;
                    Some((atom, *place))
                });
                match (literal, list) {
                    (Literal::Positive(_), Some((atom, list))) => {
                        for (place, arg) in atom.args.iter().enumerate() {
                            if place != list {
                                arg.for_each_variable(&mut |v| _ = bound.insert(v));
                            }
                        }
                    }
                    (Literal::Positive(_), None) => {
                        literal.for_each_variable(&mut |v| _ = bound.insert(v));
                    }
                    _ => literal.for_each_variable(&mut |v| _ = needed.insert(v)),
                }
            }
            let list = self.lists[&step.rule.head.relation];
            for (place, arg) in step.rule.head.args.iter().enumerate() {
                if place != list {
                    arg.for_each_variable(&mut |v| _ = needed.insert(v));
                }
            }
            let has_body = step.rule.body.len() > step.conditions.len();
            has_body && needed.is_subset(&bound)
        })
    }
}

impl<'r> Step<'r> {
    pub(super) fn callee_atom(&self) -> Option<&'r Atom> {
        self.callee.and_then(|at| self.rule.body[at].atom())
    }
}

/// Analyses a rule of the recursion; `None` if it has not the wanted shape.
fn step<'r>(
    rules: &Rules,
    domains: &Domains,
    lists: &FxHashMap<RelationId, usize>,
    rigid: &[bool],
    rule: &'r Rule,
    number: usize,
) -> Option<Step<'r>> {
    let mut callee = None;
    for (at, literal) in rule.body.iter().enumerate() {
        let Some(atom) = literal.atom() else {
            continue;
        };
        if lists.contains_key(&atom.relation) {
            let positive = matches!(literal, Literal::Positive(_));
            if callee.replace(at).is_some() || !positive {
                return None;
            }
        }
    }
    let sizes = domains.variable_sizes(rule, &rules.terms);
    // Variables for lists are those that are not bounded and are connected with the list of the
    // head or the callee.
    let mut of_list: FxHashSet<Variable> = FxHashSet::default();
    let note = |v: Variable, of_list: &mut FxHashSet<Variable>| {
        if sizes[v as usize].is_none() {
            of_list.insert(v);
        }
    };
    let callee_atom = callee.and_then(|at: usize| rule.body[at].atom());
    let ends = [Some(&rule.head), callee_atom];
    for atom in ends.into_iter().flatten() {
        let place = lists[&atom.relation];
        atom.args[place].for_each_variable(&mut |v| note(v, &mut of_list));
    }
    let mut conditions: Vec<usize> = Vec::new();
    loop {
        let before = conditions.len();
        for (at, literal) in rule.body.iter().enumerate() {
            if Some(at) == callee || conditions.contains(&at) {
                continue;
            }
            let mut linked = false;
            literal.for_each_variable(&mut |v| linked |= of_list.contains(&v));
            if linked {
                if literal
                    .atom()
                    .is_some_and(|atom| !rigid[atom.relation.index()])
                {
                    return None;
                }
                conditions.push(at);
                literal.for_each_variable(&mut |v| note(v, &mut of_list));
            }
        }
        if conditions.len() == before {
            break;
        }
    }
    // The list occurs nowhere else.
    for atom in ends.into_iter().flatten() {
        let place = lists[&atom.relation];
        for (at, arg) in atom.args.iter().enumerate() {
            let mut linked = false;
            arg.for_each_variable(&mut |v| linked |= of_list.contains(&v));
            if linked && at != place {
                return None;
            }
        }
    }
    // All that lists and conditions have besides lists must be one element.
    let mut elements: Vec<&Pattern> = Vec::new();
    for atom in ends.into_iter().flatten() {
        add_elements(&atom.args[lists[&atom.relation]], &of_list, &mut elements);
    }
    for at in &conditions {
        match &rule.body[*at] {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                for arg in &atom.args {
                    add_elements(arg, &of_list, &mut elements);
                }
            }
            Literal::Distinct(left, right) => {
                add_elements(left, &of_list, &mut elements);
                add_elements(right, &of_list, &mut elements);
            }
        }
    }
    let element = elements
        .first()
        .map(|element| ((*element).clone(), Owner::Head));
    if elements.len() > 1 {
        return None;
    }
    conditions.sort_unstable();
    Some(Step {
        rule,
        number,
        callee,
        conditions,
        element,
    })
}

/// Adds the largest parts of a pattern that have variables but none of a list.
fn add_elements<'p>(
    pattern: &'p Pattern,
    of_list: &FxHashSet<Variable>,
    elements: &mut Vec<&'p Pattern>,
) {
    let mut linked = false;
    pattern.for_each_variable(&mut |v| linked |= of_list.contains(&v));
    match pattern {
        Pattern::Ground(_) => {}
        Pattern::Compound(_, args) if linked => {
            for arg in args {
                add_elements(arg, of_list, elements);
            }
        }
        _ if linked || elements.contains(&pattern) => {}
        _ => elements.push(pattern),
    }
}

/// The key of an element that consists of arguments of its node, all that change among them.
fn arguments_key(
    _: &Rules,
    _: &Step<'_>,
    element: &Pattern,
    node: &Atom,
    changing: &[usize],
) -> Option<Key> {
    let (functor, parts) = match element {
        Pattern::Variable(_) => (None, std::slice::from_ref(element)),
        Pattern::Compound(functor, parts) => (Some(*functor), &parts[..]),
        Pattern::Ground(_) => return None,
    };
    let places: Option<Vec<usize>> = parts
        .iter()
        .map(|part| match part {
            Pattern::Variable(_) => place_of(node, part),
            _ => None,
        })
        .collect();
    let places = places?;
    let complete = changing.iter().all(|place| places.contains(place));
    complete.then_some(Key::Arguments(functor, places))
}

/// The key of an element from which facts lead to the changing arguments of a node.
fn facts_key(
    rules: &Rules,
    step: &Step<'_>,
    element: &Pattern,
    node: &Atom,
    changing: &[usize],
) -> Option<Key> {
    if !matches!(element, Pattern::Variable(_)) {
        return None;
    }
    step.rule.body.iter().enumerate().find_map(|(at, literal)| {
        let Literal::Positive(atom) = literal else {
            return None;
        };
        let relation = rules.relation(atom.relation);
        let is_facts = relation.rules.is_empty() && !relation.facts.is_empty();
        if step.conditions.contains(&at) || !is_facts {
            return None;
        }
        let place = place_of(atom, element)?;
        let args = changing.iter().map(|place| &node.args[*place]);
        let places: Option<Vec<usize>> = args.map(|arg| place_of(atom, arg)).collect();
        let places = places?;
        let mut seen: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        let unique = rules.facts_of(atom.relation).all(|fact| {
            let node: Vec<TermId> = places.iter().map(|p| fact.args[*p]).collect();
            let known = seen.entry(fact.args[place]);
            *known.or_insert_with(|| node.clone()) == node
        });
        unique.then_some(Key::Facts(atom.relation, place, places))
    })
}

/// The atoms of the recursion in rules of other relations.
fn uses<'r>(
    rules: &'r Rules,
    lists: &FxHashMap<RelationId, usize>,
) -> impl Iterator<Item = &'r Atom> {
    let outside = rules.rules.iter();
    outside
        .filter(|rule| !lists.contains_key(&rule.head.relation))
        .flat_map(|rule| rule.body.iter().filter_map(Literal::atom))
        .filter(|atom| lists.contains_key(&atom.relation))
}

/// The place of an argument that is a pattern.
fn place_of(atom: &Atom, pattern: &Pattern) -> Option<usize> {
    atom.args.iter().position(|arg| arg == pattern)
}

/// The elements of lists.
struct Elements<'t> {
    set: FxHashSet<TermId>,
    functor: Option<Symbol>,
    terms: &'t Terms,
}

impl Elements<'_> {
    /// Whether a pattern has an element in it, or a term with the functor of elements, other than
    /// `own`.
    fn are_in(&self, pattern: &Pattern, own: Option<&Pattern>) -> bool {
        let mut todo: Vec<TermId> = Vec::new();
        let mut patterns = vec![pattern];
        while let Some(pattern) = patterns.pop() {
            match pattern {
                _ if Some(pattern) == own => {}
                Pattern::Variable(_) => {}
                Pattern::Ground(term) => todo.push(*term),
                Pattern::Compound(functor, _) if Some(*functor) == self.functor => return true,
                Pattern::Compound(_, args) => patterns.extend(args),
            }
        }
        while let Some(term) = todo.pop() {
            if own == Some(&Pattern::Ground(term)) {
                continue;
            }
            if self.set.contains(&term) || Some(self.terms.functor(term)) == self.functor {
                return true;
            }
            todo.extend_from_slice(self.terms.args(term));
        }
        false
    }

    fn are_in_literal(&self, literal: &Literal, own: Option<&Pattern>) -> bool {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter().any(|arg| self.are_in(arg, own))
            }
            Literal::Distinct(left, right) => self.are_in(left, own) || self.are_in(right, own),
        }
    }
}
