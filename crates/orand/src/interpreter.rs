//! The nodes of the trees, their results, and the rowsets of facts, fluents and moves that they end
//! in.

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
use ludorum_reasoner::contract::ReasonError;
use ludorum_reasoner::vocabulary::Vocabulary;

/// How many nodes conditions on a recursive relation, and on another, may have before constants
/// become filters: `(p ?y ?x c)` below `(p ?x ?y c)` and so on would have a node for every row.
const MAX_RECURRENT_NODES: u32 = 512;
const MAX_NODES: u32 = 8_192;
/// How much the memory of nodes grows between two measurements, at the least.
const GROWTH: usize = 1 << 20;

/// The most cells of one rowset.
pub(super) const MAX_CELLS: usize = 1 << 26;

/// An OR node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) condition: Condition,
    pub(super) class: RelationClass,
    pub(super) component: Option<usize>,
    /// Made when the node is first visited.
    pub(super) plan: Option<Arc<NodePlan>>,
    /// How its results are found among those of its whole relation, once that was looked for.
    pub(super) superset: Option<Arc<Superset>>,
}

/// What a node takes before it has a plan or a row: the condition, also as a key, what it proved,
/// its place among others.
fn node_bytes<C: Cell>(condition: &Condition) -> usize {
    let slots = condition.slots.len() * size_of::<ColumnSlot>();
    let spans = condition.free().count() * size_of::<Spans>();
    size_of::<Node>() + size_of::<NodeTable<C>>() + size_of::<Condition>() + 32 + 2 * slots + spans
}

/// A component of recurrent nodes.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(super) struct RecurrentComponent {
    pub(super) members: Vec<usize>,
    /// Whether some member is being proved.
    pub(super) active: bool,
    /// Whether someone used results that were not complete.
    pub(super) cyclic: bool,
    /// Whether the members are proved in rounds, until a round brings nothing new.
    pub(super) rounds: bool,
    pub(super) changed: bool,
}

/// The interpreter's memory and state.
#[derive(Clone, Debug)]
pub(super) struct Interpreter<C> {
    pub(super) flat: Arc<FlatRules>,
    pub(super) settings: OrandSettings,
    pub(super) vocabulary: Vocabulary,
    /// The rows of facts, fluents and moves, by relation.
    pub(super) leaves: Vec<Rowset<C>>,
    pub(super) nodes: Vec<Node>,
    ids: FxHashMap<Condition, usize>,
    /// By relation: the node of all of it, and how many nodes there are.
    pub(super) wholes: Vec<Option<usize>>,
    crowds: Vec<u32>,
    pub(super) tables: Vec<NodeTable<C>>,
    pub(super) components: Vec<RecurrentComponent>,
    component_ids: FxHashMap<u32, usize>,
    /// By class: changes when what results of the class depend on does.
    pub(super) epochs: [u64; 3],
    pub(super) statistics: SizeStatistics,
    pub(super) sites: FilterSites,
    /// Nodes of recurrent conditions by the path to them, where they are not shared.
    pub(super) copies: FxHashMap<(usize, usize), usize>,
    /// Free memory.
    pub(super) blocks: Vec<AndRowset<C>>,
    pub(super) lists: Vec<Vec<u32>>,
    pub(super) keys: Vec<Vec<C>>,
    pub(super) unique_numbers: RowNumberSet,
    pub(super) meter: WorkMeter,
    /// The bytes of nodes and plans, and how many they were when memory was last measured.
    pub(super) node_bytes: usize,
    node_bytes_measured: usize,
    /// The bytes of what the game remembers about fluents and moves; they stay.
    pub(super) kept_bytes: usize,
    /// Why the plan under way is given up.
    overdue: Option<ReasonError>,
    /// The dropped filter without which a condition took too much work.
    pub(super) missed: Option<usize>,
    /// The bytes of rowsets that wait for conditions below them to be proved.
    pub(super) waiting: usize,
    pub(super) depth: usize,
    /// How often all nodes were forgotten: numbers of nodes and accesses from before mean nothing.
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
        let mut machine = Self {
            leaves,
            flat,
            settings,
            vocabulary,
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            wholes: Vec::new(),
            crowds: Vec::new(),
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
            missed: None,
            waiting: 0,
            depth: 0,
            generation: 0,
        };
        for id in 0..machine.flat.relations.len() {
            if machine.flat.relations[id].kind == RelationKind::Facts {
                machine.statistics.note(id, &machine.leaves[id]);
            }
        }
        machine
    }

    /// Forgets all nodes, so that they are planned anew.
    pub(super) fn forget_nodes(&mut self) {
        self.nodes.clear();
        self.ids.clear();
        self.wholes.clear();
        self.crowds.clear();
        self.node_bytes = 0;
        self.node_bytes_measured = 0;
        self.tables.clear();
        self.components.clear();
        self.component_ids.clear();
        self.copies.clear();
        self.sites = FilterSites::default();
        self.generation += 1;
    }

    /// Gives memory back after rowsets took too much of it. To be called when no question is under
    /// way and nobody needs the results of earlier ones.
    pub(super) fn recover(&mut self) {
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

    /// Starts a question with a bound on its work.
    pub(super) fn begin(&mut self, limit: Option<u64>) -> Result<(), ReasonError> {
        self.depth = 0;
        self.waiting = 0;
        self.meter.begin(limit)?;
        self.measure()
    }

    /// Notices that too much is done, that time is over, or that there is too much memory in use.
    #[inline]
    pub(super) fn check(&mut self) -> Result<(), ReasonError> {
        if self.meter.is_due() {
            self.meter.look(0)?;
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

    /// After an error: nothing that was under way is any good.
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

    pub(super) fn take_block(&mut self, stride: usize) -> AndRowset<C> {
        let mut block = self.blocks.pop().unwrap_or_default();
        block.clear(stride);
        block
    }

    /// The plan of a node, made on its first visit.
    pub(super) fn plan(&mut self, node: usize) -> Result<Arc<NodePlan>, ReasonError> {
        if let Some(plan) = &self.nodes[node].plan {
            return Ok(Arc::clone(plan));
        }
        let condition = self.nodes[node].condition.clone();
        let flat = Arc::clone(&self.flat);
        let statistics = std::mem::take(&mut self.statistics);
        let mut rules = Vec::new();
        for number in &flat.relations[condition.relation].rules {
            let _ = self.spend(flat.rules[*number].body.len() as u64);
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
        if grown > GROWTH.max(self.node_bytes_measured / 8) {
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
        if self.crowds.len() <= condition.relation {
            self.crowds.resize(condition.relation + 1, 0);
            self.wholes.resize(condition.relation + 1, None);
        }
        self.crowds[condition.relation] += 1;
        if free == condition.slots.len() {
            self.wholes[condition.relation] = Some(id);
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
            RowSource::Node(node) => self.tables[node].answers.access(columns),
        }
    }

    fn site(&mut self, whole: usize) -> usize {
        self.sites.add(whole)
    }

    fn is_crowded(&self, relation: FlatRelationId) -> bool {
        let most = match self.flat.relations[relation].component {
            Some(_) => MAX_RECURRENT_NODES,
            None => MAX_NODES,
        };
        self.crowds.get(relation).is_some_and(|count| *count > most)
    }

    fn spend(&mut self, work: u64) -> Option<()> {
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
