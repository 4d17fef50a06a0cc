//! The interpreter: OR nodes, their results, and the rowsets of facts, fluents and moves.

use std::sync::Arc;

use ludorum_logic::RelationClass;
use rustc_hash::FxHashMap;

use super::and_plan::{NodePlan, PlanHost, RowSource, Superset};
use super::and_rowset::AndRowset;
use super::cell::Cell;
use super::customise::{ColumnSlot, Condition, customise};
use super::filter_sites::FilterSites;
use super::flat::{FlatRelationId, FlatRules, RelationKind};
use super::node_table::NodeTable;
use super::planner::plan;
use super::row_number_set::RowNumberSet;
use super::rowset::{Rowset, Spans};
use super::settings::OrandSettings;
use super::statistics::SizeStatistics;
use super::work_meter::WorkMeter;
use ludorum_reasoner::ReasonError;
use ludorum_reasoner::vocabulary::Vocabulary;

/// Maximum number of nodes of a recurrent relation before constants become filter values.
/// Conditions such as `(p ?y ?x c)` below `(p ?x ?y c)` would otherwise have a node for every row.
const MAX_RECURRENT_NODES: u32 = 512;

/// Maximum number of nodes of another relation before constants become filter values.
const MAX_NODES: u32 = 8_192;

/// Minimum growth of node memory between two measurements.
const MIN_GROWTH: usize = 1 << 20;

/// Maximum number of cells of one rowset.
pub(super) const MAX_CELLS: usize = 1 << 26;

/// An OR node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) condition: Condition,
    pub(super) class: RelationClass,
    pub(super) component: Option<usize>,
    /// Made at the first visit.
    pub(super) plan: Option<Arc<NodePlan>>,
    /// How its results are found among those of its whole relation, once computed.
    pub(super) superset: Option<Arc<Superset>>,
}

/// Bytes of a node without plan and rows: the condition, twice as it is also a key, and its tables.
fn node_bytes<C: Cell>(condition: &Condition) -> usize {
    let slots = condition.slots.len() * size_of::<ColumnSlot>();
    let spans = condition.free().count() * size_of::<Spans>();
    size_of::<Node>() + size_of::<NodeTable<C>>() + size_of::<Condition>() + 32 + 2 * slots + spans
}

/// A component of mutually recursive nodes.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct RecurrentComponent {
    pub(super) members: Vec<usize>,
    /// Whether some member is being proved.
    pub(super) active: bool,
    /// Whether incomplete results were used.
    pub(super) cyclic: bool,
    /// Whether the members are proved in rounds, up to a fixpoint.
    pub(super) rounds: bool,
    pub(super) changed: bool,
}

/// The data of the interpreter.
#[derive(Clone, Debug)]
pub(super) struct Interpreter<C> {
    pub(super) flat: Arc<FlatRules>,
    pub(super) settings: OrandSettings,
    pub(super) vocabulary: Vocabulary,
    /// The rows of facts, fluents and moves, by relation (leaf OR nodes).
    pub(super) leaves: Vec<Rowset<C>>,
    pub(super) nodes: Vec<Node>,
    ids: FxHashMap<Condition, usize>,
    /// By relation, the node without constraints; `node_counts` counts the nodes of each relation.
    pub(super) unconstrained: Vec<Option<usize>>,
    node_counts: Vec<u32>,
    pub(super) tables: Vec<NodeTable<C>>,
    pub(super) components: Vec<RecurrentComponent>,
    component_ids: FxHashMap<u32, usize>,
    /// By relation class: incremented when the data that its results depend on changes.
    pub(super) epochs: [u64; 3],
    pub(super) statistics: SizeStatistics,
    pub(super) sites: FilterSites,
    /// Nodes of recurrent conditions by path, where nodes are not shared.
    pub(super) copies: FxHashMap<(usize, usize), usize>,
    /// Buffers for reuse.
    pub(super) blocks: Vec<AndRowset<C>>,
    pub(super) lists: Vec<Vec<u32>>,
    pub(super) keys: Vec<Vec<C>>,
    pub(super) unique_numbers: RowNumberSet,
    pub(super) meter: WorkMeter,
    /// Bytes of nodes and plans, and their value at the last measurement.
    pub(super) node_bytes: usize,
    node_bytes_measured: usize,
    /// Bytes of remembered rows of fluents and moves, which are never freed.
    pub(super) kept_bytes: usize,
    /// Why planning was aborted.
    overdue: Option<ReasonError>,
    /// The removed filter without which a condition took too much work.
    pub(super) filter_to_restore: Option<usize>,
    /// Bytes of rowsets whose proofs wait for conditions below them.
    pub(super) waiting: usize,
    pub(super) depth: usize,
    /// Number of times all nodes were dropped. Earlier node and access numbers are invalid.
    pub(super) generation: u64,
}

impl<C: Cell> Interpreter<C> {
    pub(super) fn new(
        flat: Arc<FlatRules>,
        vocabulary: Vocabulary,
        settings: OrandSettings,
    ) -> Self {
        let leaf = |relation: &super::flat::FlatRelation| {
            let mut rows = Rowset::new(relation.width, settings);
            if relation.kind == RelationKind::Facts {
                rows.data = relation.facts.iter().map(|s| C::of(*s)).collect();
                rows.len = relation.fact_count;
            }
            rows
        };
        let leaves: Vec<Rowset<C>> = flat.relations.iter().map(leaf).collect();
        let mut interpreter = Self {
            leaves,
            flat,
            settings,
            vocabulary,
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            unconstrained: Vec::new(),
            node_counts: Vec::new(),
            tables: Vec::new(),
            components: Vec::new(),
            component_ids: FxHashMap::default(),
            epochs: [1, 1, 1],
            statistics: SizeStatistics::default(),
            sites: FilterSites::default(),
            copies: FxHashMap::default(),
            blocks: Vec::new(),
            lists: Vec::new(),
            keys: Vec::new(),
            unique_numbers: RowNumberSet::default(),
            meter: WorkMeter::new(settings.max_bytes),
            node_bytes: 0,
            node_bytes_measured: 0,
            kept_bytes: 0,
            overdue: None,
            filter_to_restore: None,
            waiting: 0,
            depth: 0,
            generation: 0,
        };
        for id in 0..interpreter.flat.relations.len() {
            if interpreter.flat.relations[id].kind == RelationKind::Facts {
                interpreter.statistics.note(id, &interpreter.leaves[id]);
            }
        }
        interpreter
    }

    /// Drops all nodes, so that they are planned anew.
    pub(super) fn forget_nodes(&mut self) {
        self.nodes.clear();
        self.ids.clear();
        self.unconstrained.clear();
        self.node_counts.clear();
        self.node_bytes = 0;
        self.node_bytes_measured = 0;
        self.tables.clear();
        self.components.clear();
        self.component_ids.clear();
        self.copies.clear();
        self.sites = FilterSites::default();
        self.generation += 1;
    }

    /// Frees memory after rowsets exceeded the limit. Must be called between queries, when no
    /// results are needed any more.
    pub(super) fn free_memory(&mut self) {
        if !std::mem::take(&mut self.meter.is_full) {
            return;
        }
        self.forget_nodes();
        self.nodes = Vec::new();
        self.ids = FxHashMap::default();
        self.tables = Vec::new();
        self.blocks = Vec::new();
        self.lists = Vec::new();
        self.keys = Vec::new();
        self.unique_numbers = RowNumberSet::default();
        self.leaves.iter_mut().for_each(Rowset::forget_accesses);
    }

    /// Starts a query with a work limit.
    pub(super) fn begin(&mut self, limit: Option<u64>) -> Result<(), ReasonError> {
        self.depth = 0;
        self.waiting = 0;
        self.meter.begin(limit)?;
        self.measure()
    }

    /// Checks the limits of work, time and memory.
    #[inline]
    pub(super) fn check(&mut self) -> Result<(), ReasonError> {
        if self.meter.is_due() {
            self.meter.check_limits(0)?;
            self.measure()?;
        }
        Ok(())
    }

    fn measure(&mut self) -> Result<(), ReasonError> {
        if !self.meter.wants_measurement() {
            return Ok(());
        }
        self.measure_now()
    }

    fn measure_now(&mut self) -> Result<(), ReasonError> {
        self.node_bytes_measured = self.node_bytes;
        let (bytes, terms) = (self.footprint(), self.term_bytes());
        self.meter.measured(bytes, terms, self.nodes.len())
    }

    /// Invalidates all results after an error.
    pub(super) fn reset(&mut self) {
        for epoch in &mut self.epochs {
            *epoch += 1;
        }
        for table in &mut self.tables {
            table.epoch = 0;
        }
        for component in &mut self.components {
            component.active = false;
            component.rounds = false;
        }
        self.depth = 0;
    }

    /// The state has changed.
    pub(super) fn state_changed(&mut self) {
        self.epochs[RelationClass::State as usize] += 1;
        self.epochs[RelationClass::Action as usize] += 1;
        self.sites.next_state();
    }

    /// The joint move has changed.
    pub(super) fn action_changed(&mut self) {
        self.epochs[RelationClass::Action as usize] += 1;
    }

    pub(super) fn reuse_block(&mut self, stride: usize) -> AndRowset<C> {
        let mut block = self.blocks.pop().unwrap_or_default();
        block.clear(stride);
        block
    }

    /// The plan of a node, made at its first visit.
    pub(super) fn plan(&mut self, node: usize) -> Result<Arc<NodePlan>, ReasonError> {
        if let Some(plan) = &self.nodes[node].plan {
            return Ok(Arc::clone(plan));
        }
        let condition = self.nodes[node].condition.clone();
        let flat = Arc::clone(&self.flat);
        let statistics = std::mem::take(&mut self.statistics);
        let mut rules = Vec::new();
        for number in &flat.relations[condition.relation].rules {
            let _ = self.spend_planning(flat.rules[*number].body.len() as u64);
            if self.overdue.is_some() {
                break;
            }
            if let Some(rule) = customise(&flat.rules[*number], &condition) {
                let filters = self.settings.filters;
                rules.extend(plan(
                    &rule,
                    &condition,
                    &flat,
                    &statistics,
                    filters,
                    C::NUMBER,
                    self,
                ));
            }
        }
        self.statistics = statistics;
        if let Some(error) = self.overdue.take() {
            return Err(error);
        }
        let plan = Arc::new(NodePlan { rules });
        self.node_bytes += plan.footprint();
        self.nodes[node].plan = Some(Arc::clone(&plan));
        let grown = self.node_bytes - self.node_bytes_measured;
        if grown > MIN_GROWTH.max(self.node_bytes_measured / 8) {
            self.measure_now()?;
        }
        Ok(plan)
    }

    fn add_node(&mut self, condition: Condition) -> usize {
        let id = self.nodes.len();
        let relation = &self.flat.relations[condition.relation];
        let component = relation.component.map(|number| {
            let next = self.component_ids.len();
            let component = *self.component_ids.entry(number).or_insert(next);
            if component == self.components.len() {
                self.components.push(RecurrentComponent::default());
            }
            self.components[component].members.push(id);
            component
        });
        let (bound, free) = (condition.bound().count(), condition.free().count());
        if self.node_counts.len() <= condition.relation {
            self.node_counts.resize(condition.relation + 1, 0);
            self.unconstrained.resize(condition.relation + 1, None);
        }
        self.node_counts[condition.relation] += 1;
        if free == condition.slots.len() {
            self.unconstrained[condition.relation] = Some(id);
        }
        self.node_bytes += node_bytes::<C>(&condition);
        self.tables.push(NodeTable::new(bound, free, self.settings));
        self.nodes.push(Node {
            class: relation.class,
            component,
            plan: None,
            superset: None,
            condition,
        });
        id
    }

    /// The node of a recurrent condition for one path, where nodes are not shared.
    pub(super) fn copy(&mut self, from: usize, site: usize, node: usize) -> usize {
        if let Some(copy) = self.copies.get(&(from, site)) {
            return *copy;
        }
        let copy = self.add_node(self.nodes[node].condition.clone());
        let plan = self.nodes[node].plan.clone();
        self.nodes[copy].plan = plan;
        self.copies.insert((from, site), copy);
        copy
    }
}

impl<C: Cell> PlanHost for Interpreter<C> {
    fn node(&mut self, condition: Condition) -> usize {
        if let Some(id) = self.ids.get(&condition) {
            return *id;
        }
        let id = self.add_node(condition.clone());
        self.ids.insert(condition, id);
        id
    }

    fn access(&mut self, source: RowSource, columns: &[usize]) -> usize {
        match source {
            RowSource::Leaf(relation) => self.leaves[relation].access(columns),
            RowSource::Node(node) => self.tables[node].results.access(columns),
        }
    }

    fn site(&mut self, whole: usize) -> usize {
        self.sites.add(whole)
    }

    fn has_many_nodes(&self, relation: FlatRelationId) -> bool {
        let most = match self.flat.relations[relation].component {
            Some(_) => MAX_RECURRENT_NODES,
            None => MAX_NODES,
        };
        self.node_counts
            .get(relation)
            .is_some_and(|count| *count > most)
    }

    fn spend_planning(&mut self, work: u64) -> Option<()> {
        match self.meter.plan(work) {
            Ok(()) => Some(()),
            Err(error) => {
                self.overdue = Some(error);
                None
            }
        }
    }

    fn holds(&mut self, relation: FlatRelationId, row: &[u32]) -> bool {
        let rows = &mut self.leaves[relation];
        if rows.width == 0 {
            return rows.len > 0;
        }
        let columns: Vec<usize> = (0..rows.width).collect();
        let access = rows.access(&columns);
        rows.ready(access);
        let key: Vec<C> = row.iter().map(|symbol| C::of(*symbol)).collect();
        rows.any(access, &key, &[], &mut 0)
    }
}
