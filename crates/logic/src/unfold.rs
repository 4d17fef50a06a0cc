//! Unfolds trivial relations: one that is just another name for a single condition is replaced by
//! it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rule::{Atom, Literal, Pattern, RelationId, Rule, Variable};
use crate::rules::Rules;

/// So many names of names are followed for one condition. A longer chain keeps relations that could
/// go, and nothing else.
const MAX_STEPS: usize = 64;

/// Conditions and aliases with more names and variables than this are left alone: terms may double
/// with every step.
const MAX_SIZE: usize = 256;

/// A relation `name(x1 … xn) <= literal` over distinct variables.
struct Alias {
    /// The literal; variable `i` is the relation's `i`-th argument.
    literal: Literal,
}

/// Replaces aliases in all bodies. Their rules stay behind unreachable and are pruned.
pub(crate) fn unfold(rules: &mut Rules) {
    let aliases = find_aliases(rules);
    if aliases.is_empty() {
        return;
    }
    let mut all = std::mem::take(&mut rules.rules);
    for rule in &mut all {
        for place in 0..rule.body.len() {
            for _ in 0..MAX_STEPS {
                let Some(unfolded) = step(rule, place, &aliases, rules) else {
                    break;
                };
                rule.body[place] = unfolded;
            }
        }
        rule.compact();
    }
    rules.rules = all;
}

fn find_aliases(rules: &Rules) -> FxHashMap<RelationId, Alias> {
    let mut aliases = FxHashMap::default();
    let keywords = [
        rules.keywords.role,
        rules.keywords.init,
        rules.keywords.next,
        rules.keywords.legal,
        rules.keywords.goal,
        rules.keywords.terminal,
    ];
    for (id, relation) in rules.relations() {
        if relation.rules.len() == 1
            && relation.facts.is_empty()
            && !keywords.contains(&id)
            && let Some(alias) = alias_of(&rules.rules[relation.rules[0]])
        {
            aliases.insert(id, alias);
        }
    }
    // An alias that leads back to itself holds nowhere; leave such a loop to the engines.
    for id in looping(&aliases) {
        aliases.remove(&id);
    }
    aliases
}

/// The aliases from which following names never ends.
fn looping(aliases: &FxHashMap<RelationId, Alias>) -> Vec<RelationId> {
    let mut ends: FxHashMap<RelationId, bool> = FxHashMap::default();
    for start in aliases.keys() {
        let mut path = Vec::new();
        let mut on_path = FxHashSet::default();
        let mut at = *start;
        let does_end = loop {
            if let Some(known) = ends.get(&at) {
                break *known;
            }
            if !on_path.insert(at) {
                break false;
            }
            match aliases.get(&at).and_then(|alias| alias.literal.atom()) {
                Some(atom) => {
                    path.push(at);
                    at = atom.relation;
                }
                None => break true,
            }
        };
        ends.extend(path.into_iter().map(|id| (id, does_end)));
    }
    let looping = ends.into_iter().filter(|(_, does_end)| !does_end);
    looping.map(|(id, _)| id).collect()
}

fn alias_of(rule: &Rule) -> Option<Alias> {
    let [literal] = &rule.body[..] else {
        return None;
    };
    if literal.atom()?.size() > MAX_SIZE {
        return None;
    }
    let mut numbers: FxHashMap<Variable, Variable> = FxHashMap::default();
    for (i, arg) in rule.head.args.iter().enumerate() {
        let Pattern::Variable(variable) = arg else {
            return None;
        };
        if numbers.insert(*variable, i as Variable).is_some() {
            return None;
        }
    }
    // A literal with variables of its own says 'for some': negated it would say something else, and
    // as it is, every use would multiply the instances of the rule by all that there is.
    let mut is_closed = true;
    literal.for_each_variable(&mut |v| is_closed &= numbers.contains_key(&v));
    is_closed.then(|| Alias {
        literal: literal.rename(&|v| numbers[&v]),
    })
}

/// The condition that the literal at `place` stands for, if its relation is an alias.
fn step(
    rule: &Rule,
    place: usize,
    aliases: &FxHashMap<RelationId, Alias>,
    rules: &mut Rules,
) -> Option<Literal> {
    let (atom, positive) = match &rule.body[place] {
        Literal::Positive(atom) => (atom, true),
        Literal::Negative(atom) => (atom, false),
        Literal::Distinct(..) => return None,
    };
    let alias = aliases.get(&atom.relation)?;
    if atom.size() > MAX_SIZE {
        return None;
    }
    let values = atom.args.clone();
    let literal = alias
        .literal
        .substitute(&mut rules.terms, &|v| values[v as usize].clone());
    Some(match literal {
        Literal::Positive(atom) => signed(atom, positive),
        Literal::Negative(atom) => signed(atom, !positive),
        Literal::Distinct(..) => return None,
    })
}

fn signed(atom: Atom, positive: bool) -> Literal {
    if positive {
        Literal::Positive(atom)
    } else {
        Literal::Negative(atom)
    }
}
