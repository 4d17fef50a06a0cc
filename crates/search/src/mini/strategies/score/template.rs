//! The template of a score (Świechowski 2015, section 3.3.7): what the rules alone say about
//! relations that hold it.
//!
//! The conditions are numbered as in that section. Conditions 1, 3, 5 and 6 are decided here, 2 and
//! 4 are checked in simulations. A relation in the sense of the template is the functor of a
//! fluent, such as `piece_count` in `(true (piece_count white ?n))`.

use ludorum_logic::rule::{Literal, Pattern, RelationId};
use ludorum_logic::{Domains, Rules, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A functor of fluents that may hold the score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The name of the functor.
    pub(crate) name: String,
    /// The argument that names the player, 0 or 1; the other is the value.
    pub(crate) player_at: usize,
    /// The rank of each value.
    pub(crate) ranks: FxHashMap<String, u32>,
}

/// All functors that conform to the template by the rules, in the order of the goal rules.
pub(crate) fn candidates(rules: &Rules) -> Vec<Candidate> {
    let name = |symbol| rules.terms.symbols.name(symbol);
    let roles: FxHashSet<&str> = rules
        .roles
        .iter()
        .map(|role| name(rules.terms.functor(*role)))
        .collect();
    let successions = successions(rules);
    if successions.is_empty() {
        return Vec::new();
    }
    let domains = Domains::new(rules);
    let fluents = domains.argument(rules.keywords.true_, 0);
    let mut found: Vec<Candidate> = Vec::new();
    for function in scored_functions(rules) {
        // Condition 1: two arguments.
        let mut functions = domains.functions(fluents);
        let places =
            functions.find(|(known, places)| name(*known) == function && places.len() == 2);
        let Some((_, places)) = places else {
            continue;
        };
        let names = |place: usize| -> FxHashSet<&str> {
            let constants = domains.constants(places[place]);
            constants.map(name).collect()
        };
        let is_flat = |place: usize| domains.functions(places[place]).next().is_none();
        let conforming = [0, 1].into_iter().find_map(|player_at| {
            let value_at = 1 - player_at;
            if !is_flat(player_at) || !is_flat(value_at) {
                return None;
            }
            // Condition 3: one argument names the players.
            if names(player_at) != roles {
                return None;
            }
            // Condition 5: the other is ordered by a successor relation.
            let values = names(value_at);
            let ranks = successions
                .iter()
                .find(|ranks| values.iter().all(|value| ranks.contains_key(*value)))?;
            Some(Candidate {
                name: function.clone(),
                player_at,
                ranks: ranks.clone(),
            })
        });
        found.extend(conforming);
    }
    found
}

/// Condition 6: the functors of which some goal rule has as many conditions as there are players.
/// Beyond Świechowski 2015, after those: functors in a goal rule with a variable role that occurs
/// in the condition. Written out for every role it has as many conditions as there are players.
fn scored_functions(rules: &Rules) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut own: Vec<String> = Vec::new();
    for rule in rules.rules_of(rules.keywords.goal) {
        let mut counts: Vec<(String, usize)> = Vec::new();
        let player = rule.head.args.first();
        let player = player.filter(|player| matches!(player, Pattern::Variable(_)));
        for literal in &rule.body {
            let Literal::Positive(atom) = literal else {
                continue;
            };
            if atom.relation != rules.keywords.true_ {
                continue;
            }
            let functor = match &atom.args[..] {
                [Pattern::Compound(functor, args)] if args.len() == 2 => *functor,
                [Pattern::Ground(id)] if rules.terms.args(*id).len() == 2 => {
                    rules.terms.functor(*id)
                }
                _ => continue,
            };
            let name = rules.terms.symbols.name(functor);
            if let ([Pattern::Compound(_, args)], Some(player)) = (&atom.args[..], player)
                && args.contains(player)
            {
                own.push(name.to_owned());
            }
            match counts.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name.to_owned(), 1)),
            }
        }
        for (name, count) in counts {
            if count == rules.roles.len() && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    for name in own {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The ranks that each successor relation gives to its symbols, in the order of the relations.
fn successions(rules: &Rules) -> Vec<FxHashMap<String, u32>> {
    let is_keyword = |id: &RelationId| {
        let keywords = &rules.keywords;
        [keywords.legal, keywords.does, keywords.goal].contains(id)
    };
    let relations = rules.relations();
    relations
        // Conditions a and c: two arguments, facts only.
        .filter(|(id, relation)| {
            let has_facts_alone = relation.rules.is_empty() && !relation.facts.is_empty();
            relation.arity == 2 && has_facts_alone && !is_keyword(id)
        })
        .filter_map(|(id, _)| ranks(rules, id))
        .collect()
}

/// The ranks of a relation's symbols if it is a successor relation: one chain from a first symbol
/// to a last.
fn ranks(rules: &Rules, relation: RelationId) -> Option<FxHashMap<String, u32>> {
    let mut next: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut followers: FxHashSet<TermId> = FxHashSet::default();
    for fact in rules.facts_of(relation) {
        let [before, after] = fact.args[..] else {
            return None;
        };
        let is_symbol = |id: TermId| rules.terms.args(id).is_empty();
        // Conditions d and f: each symbol at most once in each argument.
        let is_new = next.insert(before, after).is_none() && followers.insert(after);
        if !is_new || !is_symbol(before) || !is_symbol(after) {
            return None;
        }
    }
    // Condition b: one domain, so only one symbol follows no other. Condition e: a chain from it
    // that contains all facts has no cycle.
    let mut firsts = next.keys().filter(|symbol| !followers.contains(symbol));
    let (Some(first), None) = (firsts.next(), firsts.next()) else {
        return None;
    };
    let mut ranks = FxHashMap::default();
    let mut symbol = *first;
    loop {
        ranks.insert(rules.terms.text(symbol), ranks.len() as u32);
        match next.get(&symbol) {
            Some(after) => symbol = *after,
            None => break,
        }
    }
    (ranks.len() == next.len() + 1).then_some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(order: &str, goal: &str) -> Rules {
        let sheet = format!(
            "(role white) (role black) (init (count white 2)) (init (count black 2)) (init (at 7))
            {order}
            (<= (greater ?a ?b) (succ ?b ?a)) (<= (greater ?a ?b) (succ ?c ?a) (greater ?c ?b))
            (legal white wait) (<= (legal black (take ?n)) (true (count white ?n)))
            (<= (next (count ?r ?m)) (true (count ?r ?n)) (succ ?m ?n) (does black (take ?n)))
            (<= (next (at ?x)) (true (at ?x)))
            {goal}
            (<= terminal (true (count white 0)))"
        );
        Rules::from_text(&sheet).unwrap()
    }

    const ORDER: &str = "(succ 0 1) (succ 1 2) (succ 2 3)";
    const GOAL: &str =
        "(<= (goal white 100) (true (count white ?w)) (true (count black ?b)) (greater ?w ?b))
        (<= (goal black 100) (true (count white ?w)) (true (count black ?b)) (greater ?b ?w))";

    #[test]
    fn a_count_of_pieces_that_the_goal_compares_is_a_candidate() {
        let found = candidates(&rules(ORDER, GOAL));
        let [candidate] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((&candidate.name[..], candidate.player_at), ("count", 0));
        let ranks = ["0", "1", "2", "3"].map(|value| candidate.ranks[value]);
        assert_eq!(ranks, [0, 1, 2, 3]);
    }

    #[test]
    fn a_goal_with_a_condition_on_one_player_alone_is_not_enough() {
        let goal = "(<= (goal white 100) (true (count white ?w)) (greater ?w 1)) (<= (goal black 0) (true (at 7)))";
        assert_eq!(candidates(&rules(ORDER, goal)), []);
    }

    #[test]
    fn a_goal_that_all_players_have_for_their_own_count_is_enough() {
        let goal = "(points 0 0) (points 1 40) (points 2 70) (points 3 100)
            (<= (goal ?r ?n) (true (count ?r ?c)) (points ?c ?n))";
        let found = candidates(&rules(ORDER, goal));
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].name[..], found[0].player_at), ("count", 0));
    }

    #[test]
    fn values_need_a_successor_relation_that_orders_all_of_them() {
        for order in [
            // A cycle.
            "(succ 0 1) (succ 1 2) (succ 2 0)",
            // Two chains.
            "(succ 0 1) (succ 2 3)",
            // Two successors of one symbol.
            "(succ 0 1) (succ 0 2) (succ 1 2)",
            // A cycle besides a chain.
            "(succ 0 1) (succ 1 2) (succ 5 6) (succ 6 5)",
            // 2 is missing.
            "(succ 0 1) (succ 1 3)",
        ] {
            assert_eq!(candidates(&rules(order, GOAL)), [], "{order}");
        }
    }
}
