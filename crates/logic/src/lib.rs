/*!
The rules of a game, normalised: what every engine starts from.

The principal type is [`Rules`]. It is made from a [`ludorum_gdl::Description`] and holds flat
[`rule::Rule`]s over hash-consed ground terms ([`Terms`]), the [`rules::Relation`]s with stratum,
component and [`RelationClass`] (rigid, state, action), and the roles. [`Domains`] tells which terms each
argument of each relation can take.

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

The data flows one way: `lower` (syntax to flat rules), `simplify` (what is always true or false),
`unfold` (relations that are just another name), `prune` (what no query reaches), `graph` (strata
and classes). Two repairs serve sheets that bend the language where the meaning is still plain:
`split` (negation cycles that exist by name only) and `blind` (queries that look at what is not
known yet).
*/

mod blind;
mod depth;
pub mod domain;
pub mod expansion;
mod graph;
mod lower;
mod normal;
pub mod print;
mod prune;
pub mod rule;
pub mod rules;
mod safety;
mod simplify;
mod split;
pub mod term;
mod unfold;
mod unify;

pub use domain::Domains;
pub use lower::MAX_NESTING;
pub use rules::{RelationClass, Rules};
pub use term::{TermId, Terms};
