//! Statistics of the fluents of the initial state. They serve as estimates for later states when
//! the conditions of rules are ordered.

use ludorum_gdl::Symbol;
use ludorum_logic::join_cost::{UNKNOWN_SIZE, unknown_answers};
use ludorum_logic::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The fluents with one function symbol and arity.
#[derive(Clone, Debug)]
struct Group {
    count: usize,
    /// The number of different terms at each argument position.
    distinct: Vec<usize>,
}

/// Statistics by function symbol and arity.
#[derive(Clone, Debug, Default)]
pub(super) struct FluentStatistics {
    groups: FxHashMap<(Symbol, usize), Group>,
    fluents: usize,
}

impl FluentStatistics {
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

    /// An estimate of the number of all fluents.
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub(super) fn fluents(&self) -> f64 {
        UNKNOWN_SIZE.max(self.fluents as f64)
    }

    /// An estimate of the number of fluents of a function when the given arguments are known.
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub(super) fn estimate(&self, functor: Symbol, known: &[bool]) -> f64 {
        let Some(group) = self.groups.get(&(functor, known.len())) else {
            // The function does not occur in the initial state: use the default estimate.
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
