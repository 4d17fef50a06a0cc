//! Finds recursions with a list of visited nodes: the list argument of each relation, the node
//! relation, its key, and the conditions on the list.

use rustc_hash::{FxHashMap, FxHashSet};

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
    /// The variable of the element, and whose node it belongs to.
    pub(super) element: Option<(Variable, Owner)>,
}

/// A use of a relation of the recursion by another relation.
#[derive(Debug)]
pub(super) struct Entry<'r> {
    pub(super) relation: RelationId,
    /// The list, ground or with one variable, which is the element of the node.
    pub(super) list: &'r Pattern,
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
    pub(super) entries: Vec<Entry<'r>>,
    /// The argument of the node relation that is the element; `None` if facts lead from elements to
    /// nodes.
    pub(super) element_argument: Option<usize>,
    /// All terms that can be elements.
    pub(super) elements: Vec<TermId>,
}

/// How an element determines the arguments of a node that change.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    /// It is the only one of them.
    Argument,
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
            entries: entries(rules, &lists),
            lists,
            steps,
            element_argument: None,
            elements: Vec::new(),
        };
        let mut members = members.iter();
        let has_nodes = members.any(|node| recursion.take_nodes(*node));
        (has_nodes && recursion.stays_safe()).then_some(recursion)
    }

    /// Whether the conditions on the list, and the uses, treat all elements alike.
    pub(super) fn treats_elements_alike(&self) -> bool {
        let elements: FxHashSet<TermId> = self.elements.iter().copied().collect();
        self.entries_are_plain(&elements) && self.is_symmetric(&elements)
    }

    /// Takes a relation as the node relation; false if elements do not determine its nodes.
    fn take_nodes(&mut self, node: RelationId) -> bool {
        let changing = self.changing(node);
        let mut key: Option<Key> = None;
        let mut owners = Vec::new();
        for step in &self.steps {
            let Some((element, _)) = step.element else {
                owners.push(Owner::Head);
                continue;
            };
            let sides = [
                (Owner::Head, Some(&step.rule.head)),
                (Owner::Callee, step.callee_atom()),
            ];
            // An element that is itself the argument is the plainest key: try it first.
            let found = [Self::argument_key, Self::facts_key]
                .into_iter()
                .find_map(|key| {
                    sides.iter().find_map(|(owner, atom)| {
                        let atom = atom.filter(|atom| atom.relation == node)?;
                        let args: Vec<&Pattern> = changing.iter().map(|p| &atom.args[*p]).collect();
                        Some((*owner, key(self, step, element, &args)?))
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
            Some(Key::Argument) => self.element_argument = Some(changing[0]),
            Some(Key::Facts(relation, place, _)) => {
                let facts = self.rules.facts_of(relation);
                self.elements = facts.map(|fact| fact.args[place]).collect();
                self.elements.sort_unstable();
                self.elements.dedup();
            }
        }
        for (step, owner) in self.steps.iter_mut().zip(owners) {
            step.element = step.element.map(|(variable, _)| (variable, owner));
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

    /// The key of an element that is the only changing argument of a node.
    #[allow(clippy::unused_self)] // one signature with `facts_key`
    fn argument_key(&self, _: &Step<'_>, element: Variable, args: &[&Pattern]) -> Option<Key> {
        matches!(args, [Pattern::Variable(v)] if *v == element).then_some(Key::Argument)
    }

    /// The key of an element from which facts lead to the changing arguments of a node.
    fn facts_key(&self, step: &Step<'_>, element: Variable, args: &[&Pattern]) -> Option<Key> {
        step.rule.body.iter().enumerate().find_map(|(at, literal)| {
            let Literal::Positive(atom) = literal else {
                return None;
            };
            let relation = self.rules.relation(atom.relation);
            if step.conditions.contains(&at) || !relation.rules.is_empty() {
                return None;
            }
            if relation.facts.is_empty() {
                return None;
            }
            let place = place_of(atom, &Pattern::Variable(element))?;
            let places: Option<Vec<usize>> = args.iter().map(|arg| place_of(atom, arg)).collect();
            let places = places?;
            let mut seen: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
            let unique = self.rules.facts_of(atom.relation).all(|fact| {
                let node: Vec<TermId> = places.iter().map(|p| fact.args[*p]).collect();
                let known = seen.entry(fact.args[place]);
                *known.or_insert_with(|| node.clone()) == node
            });
            unique.then_some(Key::Facts(atom.relation, place, places))
        })
    }

    /// Whether the lists of all uses are ground and have no element, or have the element of the
    /// node as their only variable.
    fn entries_are_plain(&self, elements: &FxHashSet<TermId>) -> bool {
        let keyed_by_argument = |atom: &Atom, list: &Pattern| {
            let Some(place) = self.element_argument else {
                return false;
            };
            let Pattern::Variable(own) = &atom.args[place] else {
                return false;
            };
            let mut only = true;
            list.for_each_variable(&mut |v| only &= v == *own);
            only && atom.relation == self.node
        };
        self.uses().all(|atom| {
            let list = &atom.args[self.lists[&atom.relation]];
            !mentions(list, elements, &self.rules.terms)
                && (list.is_ground() || keyed_by_argument(atom, list))
        })
    }

    /// The atoms of the recursion in rules of other relations.
    fn uses(&self) -> impl Iterator<Item = &'r Atom> {
        uses(self.rules, &self.lists)
    }

    /// Whether swapping two elements changes nothing that the conditions on the list depend on.
    fn is_symmetric(&self, elements: &FxHashSet<TermId>) -> bool {
        let terms = &self.rules.terms;
        let free = |literal: &Literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                !atom.args.iter().any(|arg| mentions(arg, elements, terms))
            }
            Literal::Distinct(left, right) => {
                !mentions(left, elements, terms) && !mentions(right, elements, terms)
            }
        };
        let mut todo: Vec<RelationId> = Vec::new();
        for step in &self.steps {
            for at in &step.conditions {
                let literal = &step.rule.body[*at];
                todo.extend(literal.atom().map(|atom| atom.relation));
                if !free(literal) {
                    return false;
                }
            }
            let lists = [Some(&step.rule.head), step.callee_atom()];
            for atom in lists.into_iter().flatten() {
                if mentions(&atom.args[self.lists[&atom.relation]], elements, terms) {
                    return false;
                }
            }
        }
        let mut seen: FxHashSet<RelationId> = FxHashSet::default();
        while let Some(relation) = todo.pop() {
            if !seen.insert(relation) {
                continue;
            }
            for rule in self.rules.rules_of(relation) {
                if rule.head.args.iter().any(|a| mentions(a, elements, terms))
                    || !rule.body.iter().all(free)
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

    /// Whether the facts of a relation stay the same when two elements are swapped. Swaps of
    /// neighbours in a fixed order generate all permutations.
    fn facts_are_symmetric(&self, relation: RelationId, elements: &FxHashSet<TermId>) -> bool {
        let facts: FxHashSet<&[TermId]> = self
            .rules
            .facts_of(relation)
            .map(|fact| &fact.args[..])
            .collect();
        let terms = &self.rules.terms;
        facts.iter().all(|fact| {
            let plain = fact.iter().all(|arg| {
                elements.contains(arg) || !mentions(&Pattern::Ground(*arg), elements, terms)
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
    let mut others: FxHashSet<Variable> = FxHashSet::default();
    let mut note = |v: Variable, of_list: &mut FxHashSet<Variable>| {
        if sizes[v as usize].is_none() {
            of_list.insert(v);
        } else {
            others.insert(v);
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
    let mut others = others.into_iter();
    let element = others.next().map(|v| (v, Owner::Head));
    if others.next().is_some() {
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

/// The uses of the recursion by other relations, and their lists.
fn entries<'r>(rules: &'r Rules, lists: &FxHashMap<RelationId, usize>) -> Vec<Entry<'r>> {
    let mut entries: Vec<Entry<'r>> = Vec::new();
    for atom in uses(rules, lists) {
        let list = &atom.args[lists[&atom.relation]];
        let mut known = entries.iter();
        if !known.any(|entry| entry.relation == atom.relation && entry.list == list) {
            entries.push(Entry {
                relation: atom.relation,
                list,
            });
        }
    }
    entries
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

/// Whether a pattern has one of some constants in it.
fn mentions(pattern: &Pattern, elements: &FxHashSet<TermId>, terms: &Terms) -> bool {
    let mut todo: Vec<TermId> = Vec::new();
    let mut patterns = vec![pattern];
    while let Some(pattern) = patterns.pop() {
        match pattern {
            Pattern::Variable(_) => {}
            Pattern::Ground(term) => todo.push(*term),
            Pattern::Compound(_, args) => patterns.extend(args),
        }
    }
    while let Some(term) = todo.pop() {
        if elements.contains(&term) {
            return true;
        }
        todo.extend_from_slice(terms.args(term));
    }
    false
}
