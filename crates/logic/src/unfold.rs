//! Unfolding of alias relations: a relation defined by one rule with a single literal is replaced
//! by that literal.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rule::{Atom, Literal, Pattern, RelationId, Rule, Variable};
use crate::rules::Rules;

/// Maximum number of unfolding steps for one condition. After that the remaining aliases stay,
/// which is correct but slower.
const MAX_STEPS: usize = 64;

/// Maximum size of conditions and aliases that are unfolded: a term may double with every step.
const MAX_SIZE: usize = 256;

/// A relation `name(x1 … xn) <= literal` over distinct variables.
struct Alias {
    /// The literal; variable `i` is the relation's `i`-th argument.
    literal: Literal,
}

/// Replaces aliases in all bodies. The rules of aliases become unreachable and are pruned later.
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
    // A cycle of aliases has an empty extension. It cannot be unfolded and stays in the rules.
    for id in cyclic(&aliases) {
        aliases.remove(&id);
    }
    aliases
}

/// The aliases whose chain ends in a cycle.
fn cyclic(aliases: &FxHashMap<RelationId, Alias>) -> Vec<RelationId> {
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
    let cyclic = ends.into_iter().filter(|(_, does_end)| !does_end);
    cyclic.map(|(id, _)| id).collect()
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
    // A variable that occurs only in the body is existentially quantified. Under negation the
    // unfolded literal would change its meaning, and in a positive literal it would multiply the
    // instances of the rule.
    let mut is_closed = true;
    literal.for_each_variable(&mut |v| is_closed &= numbers.contains_key(&v));
    is_closed.then(|| Alias {
        literal: literal.rename(&|v| numbers[&v]),
    })
}

/// The literal that replaces the one at `place`, if its relation is an alias.
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
