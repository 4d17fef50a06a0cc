/*!
The normalised rules of a game: the input of every engine.

The principal type is [`Rules`]. It is made from a [`ludorum_gdl::Description`] and holds flat
[`rule::Rule`]s over hash-consed ground terms ([`Terms`]), the [`rules::Relation`]s with stratum,
strongly connected component and [`RelationClass`] (rigid, state, action), and the roles.
[`Domains`] bounds the terms that each argument of each relation can take.

```
use ludorum_logic::{RelationClass, Rules};

let rules = Rules::from_text(
    "(role white) (init (cell 1)) (succ 1 2)
     (<= (legal white (go ?y)) (true (cell ?x)) (succ ?x ?y))
     (<= (next (cell ?x)) (does white (go ?x)))
     (<= terminal (not (legal white (go 2))))
     (goal white 100)",
)
.unwrap();
let succ = rules.find_relation("succ", 2).unwrap();
assert_eq!(rules.relation(succ).class, RelationClass::Rigid);
assert_eq!(rules.relation(rules.keywords.terminal).stratum, 1);
```

The pipeline is [`Rules::new`] in `normalise`. Its stages are:

1. `lower`: syntax tree to flat rules in negation normal form, with `safety` and `unify`;
2. `simplify`: literals that are always true or always false;
3. `unfold`: relations that are only another name for a single condition;
4. `prune`: relations that no keyword depends on;
5. `graph`: strongly connected components, strata and classes.

Two further stages accept sheets that violate the language where their meaning is still clear:
`split_relation` (negative cycles between different values of an argument) and `restrict` (queries
that depend on moves or on the state before these are known).
*/

pub mod domain;
pub mod expansion;
mod graph;
pub mod join_cost;
pub mod load;
mod lower;
mod nesting;
mod normal_form;
mod normalise;
pub mod print;
mod prune;
mod restrict;
pub mod rule;
pub mod rules;
mod safety;
mod simplify;
mod split_relation;
pub mod term;
mod unfold;
mod unify;
pub mod visited;

pub use domain::Domains;
pub use load::{LoadOptions, Loaded, load};
pub use ludorum_gdl::ground_term;
pub use nesting::MAX_NESTING;
pub use rules::{RelationClass, Rules};
pub use term::{TermId, Terms};
