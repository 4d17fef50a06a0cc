//! A compiled game: the immutable data that all forks of the engine share.

use ludorum_logic::rule::RelationId;
use ludorum_logic::{TermId, Terms};

use super::clause::PredicateId;
use super::goals::Goals;
use super::move_ids::MoveIds;
use super::report::ChainReport;
use super::rigid::RigidRelations;
use super::rule_groups;
use super::rule_unit::RuleUnit;
use super::schema::Schema;
use super::sparse_instances::SparseInstances;

/// The rules of a group in evaluation order, and the predicates they derive.
#[derive(Debug, Default)]
pub(super) struct GroupRules {
    pub(super) units: Vec<RuleUnit>,
    pub(super) predicates: Vec<PredicateId>,
}

/// A compiled game.
#[derive(Debug)]
pub(super) struct CompiledGame {
    pub(super) terms: Terms,
    pub(super) roles: Vec<TermId>,
    pub(super) role_names: Vec<String>,
    pub(super) rigid: RigidRelations,
    pub(super) schema: Schema,
    /// By query, the groups it needs.
    pub(super) needs: [Vec<usize>; rule_groups::QUERIES],
    /// By group.
    pub(super) groups: Vec<GroupRules>,
    /// The predicates of `next`, in the order of those of `true`.
    pub(super) next: Vec<PredicateId>,
    /// The predicates of `does`, in the order of those of `legal`.
    pub(super) does: Vec<PredicateId>,
    pub(super) goals: Goals,
    /// The instance of `terminal`; an instance that never holds if no rule derives it.
    pub(super) terminal: u32,
    pub(super) moves: MoveIds,
    /// The fluents of the initial state, sorted.
    pub(super) initial: Vec<u32>,
    pub(super) true_relation: RelationId,
    pub(super) legal_relation: RelationId,
    pub(super) report: ChainReport,
    /// The rows of sparse predicates; all forks add to them.
    pub(super) sparse: Vec<SparseInstances>,
}

impl CompiledGame {
    /// Replaces the rows of sparse predicates by empty ones.
    pub(super) fn reset_sparse(&mut self) {
        let arities = self.schema.sparse.iter();
        self.sparse = arities.map(|arity| SparseInstances::new(*arity)).collect();
    }
}
