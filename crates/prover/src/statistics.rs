//! What the initial state tells about the fluents of later states, as a guess for the order of
//! conditions.

use ludorum_gdl::Symbol;
use ludorum_logic::join_cost::{UNKNOWN_SIZE, unknown_answers};
use ludorum_logic::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The fluents of one function.
#[derive(Clone, Debug)]
struct Group {
    count: usize,
    /// How many different terms there are at each place.
    distinct: Vec<usize>,
}

/// Numbers of fluents by function and arity.
#[derive(Clone, Debug, Default)]
pub(super) struct Statistics {
    groups: FxHashMap<(Symbol, usize), Group>,
    fluents: usize,
}

impl Statistics {
    pub(super) fn new(fluents: &[TermId], terms: &Terms) -> Self {
        let mut members: FxHashMap<(Symbol, usize), Vec<TermId>> = FxHashMap::default();
        for fluent in fluents {
            let key = (terms.functor(*fluent), terms.args(*fluent).len());
            members.entry(key).or_default().push(*fluent);
        }
        let group = |arity: usize, members: Vec<TermId>| {
            let distinct = |place| {
                let values = members.iter().map(|fluent| terms.args(*fluent)[place]);
                values.collect::<FxHashSet<_>>().len()
            };
            Group {
                count: members.len(),
                distinct: (0..arity).map(distinct).collect(),
            }
        };
        Self {
            groups: members
                .into_iter()
                .map(|(key, members)| (key, group(key.1, members)))
                .collect(),
            fluents: fluents.len(),
        }
    }

    /// A guess at the number of all fluents.
    #[allow(clippy::cast_precision_loss)] // a guess
    pub(super) fn fluents(&self) -> f64 {
        UNKNOWN_SIZE.max(self.fluents as f64)
    }

    /// A guess at the number of fluents of a function when the given places are known.
    #[allow(clippy::cast_precision_loss)] // a guess
    pub(super) fn estimate(&self, functor: Symbol, known: &[bool]) -> f64 {
        let Some(group) = self.groups.get(&(functor, known.len())) else {
            // Functions that come later: each known place is worth its share.
            let open = known.iter().filter(|known| !**known).count();
            return unknown_answers(open, known.len());
        };
        let mut answers = group.count as f64;
        for (place, distinct) in group.distinct.iter().enumerate() {
            if known[place] {
                answers /= *distinct as f64;
            }
        }
        answers
    }
}
