//! Queries of a game: translates between terms outside and rows inside.

use std::sync::Arc;

use ludorum_logic::{Rules, TermId};
use rustc_hash::FxHashMap;

use super::and_plan::{PlanHost as _, RowSource};
use super::cell::Cell;
use super::customise::Condition;
use super::flat::{FlatRelationId, FlatRule, RelationKind};
use super::goal_tree::GoalTree;
use super::interpreter::Interpreter;
use super::rowset::Rowset;
use super::state::OrandState;
use ludorum_reasoner::{Goal, MoveId, ReasonError, Role};

/// Approximate overhead of a row in a map.
const MAP_ENTRY_BYTES: usize = 64;

/// A game at a state.
#[derive(Clone, Debug)]
pub(super) struct OrandGame<C> {
    pub(super) interpreter: Interpreter<C>,
    pub(super) roles: usize,
    /// The cells of each role.
    pub(super) role_cells: Vec<Vec<C>>,
    /// The terms of fluents by row, and in `fluent_rows` the rows by term.
    fluent_terms: Vec<FxHashMap<Box<[C]>, TermId>>,
    fluent_rows: FxHashMap<TermId, (usize, Box<[C]>)>,
    /// The ids of moves by row, and in `move_rows` the rows by id.
    move_ids: Vec<FxHashMap<Box<[C]>, MoveId>>,
    move_rows: Vec<Vec<Option<Box<[C]>>>>,
    /// The state held by the rowsets, if it has an outside representation.
    pub(super) current: Option<OrandState>,
    initial: Option<OrandState>,
    /// The rules before facts were joined, for goal trees.
    pub(super) written: Arc<[FlatRule]>,
    /// The goal trees of the roles, created on demand.
    pub(super) goal_trees: Vec<Option<Arc<GoalTree>>>,
    /// A work limit that replaces the usual limit of queries.
    pub(super) max_work: Option<u64>,
    pub(super) scratch: Vec<u32>,
}

impl<C: Cell> OrandGame<C> {
    pub(super) fn new(
        interpreter: Interpreter<C>,
        rules: &Rules,
        written: Arc<[FlatRule]>,
    ) -> Result<Self, ReasonError> {
        let mut role_cells = Vec::new();
        for role in &rules.roles {
            let mut cells = Vec::new();
            let (flat, terms) = (&interpreter.flat, interpreter.vocabulary.terms());
            let fits = flat
                .shapes
                .lay_out(flat.role_shape, *role, terms, &mut cells);
            debug_assert!(fits, "the shape of roles has room for all of them");
            role_cells.push(cells.into_iter().map(C::of).collect());
        }
        let mut game = Self {
            roles: rules.roles.len(),
            role_cells,
            fluent_terms: vec![FxHashMap::default(); interpreter.flat.fluents.len()],
            fluent_rows: FxHashMap::default(),
            move_ids: vec![FxHashMap::default(); rules.roles.len()],
            move_rows: vec![Vec::new(); rules.roles.len()],
            current: None,
            initial: None,
            written,
            goal_trees: vec![None; rules.roles.len()],
            max_work: None,
            scratch: Vec::new(),
            interpreter,
        };
        // Proving the initial state may exceed a limit. The engine is built all the same; queries
        // will report the error.
        match game.initial() {
            Err(ReasonError::Stopped) => Err(ReasonError::Stopped),
            _ => Ok(game),
        }
    }

    /// Proves all of a relation. Its rows are then available from [`Self::rows`].
    pub(super) fn prove(&mut self, relation: FlatRelationId) -> Result<(), ReasonError> {
        if self.interpreter.flat.relations[relation].kind != RelationKind::Derived {
            return Ok(());
        }
        self.interpreter.free_memory();
        let width = self.interpreter.flat.relations[relation].width;
        let node = self.interpreter.node(Condition::all(relation, width));
        match self.max_work {
            None => self.interpreter.query(node),
            limit => {
                let outcome = self
                    .interpreter
                    .begin(limit)
                    .and_then(|()| self.interpreter.prove_all(node));
                if outcome.is_err() {
                    self.interpreter.reset();
                }
                outcome
            }
        }
    }

    pub(super) fn rows(&mut self, relation: FlatRelationId) -> &Rowset<C> {
        let source = self.source(relation);
        self.rows_of(source)
    }

    /// The source of a relation's rows.
    pub(super) fn source(&mut self, relation: FlatRelationId) -> RowSource {
        if self.interpreter.flat.relations[relation].kind != RelationKind::Derived {
            return RowSource::Leaf(relation);
        }
        let width = self.interpreter.flat.relations[relation].width;
        RowSource::Node(self.interpreter.node(Condition::all(relation, width)))
    }

    pub(super) fn rows_of(&self, source: RowSource) -> &Rowset<C> {
        match source {
            RowSource::Leaf(relation) => &self.interpreter.leaves[relation],
            RowSource::Node(node) => &self.interpreter.tables[node].results,
        }
    }

    pub(super) fn is_role(&self, row: &[C], role: Role) -> bool {
        row.starts_with(&self.role_cells[role])
    }

    /// The cells of the second argument of `legal`, `does` or `goal`.
    pub(super) fn after_role<'a>(&self, row: &'a [C]) -> &'a [C] {
        &row[self
            .interpreter
            .flat
            .shapes
            .width(self.interpreter.flat.role_shape)..]
    }

    pub(super) fn rebuild_term(&mut self, shape: usize, cells: &[C]) -> TermId {
        let symbols: Vec<u32> = cells.iter().map(|cell| cell.symbol()).collect();
        let flat = Arc::clone(&self.interpreter.flat);
        let vocabulary = &mut self.interpreter.vocabulary;
        flat.shapes
            .rebuild_term(shape, &symbols, &mut |name, args| {
                let functor = vocabulary.terms().functor(name);
                vocabulary.intern(functor, args)
            })
    }

    /// Bytes of all rowsets.
    pub(super) fn footprint(&self) -> usize {
        self.interpreter.footprint()
    }

    pub(super) fn initial(&mut self) -> Result<OrandState, ReasonError> {
        if let Some(initial) = &self.initial {
            return Ok(initial.clone());
        }
        let state = self.collect(|fluent| fluent.init)?;
        self.initial = Some(state.clone());
        Ok(state)
    }

    /// The state whose fluents are the rows of some relations.
    fn collect(
        &mut self,
        relation: impl Fn(&super::flat::Fluent) -> FlatRelationId,
    ) -> Result<OrandState, ReasonError> {
        let mut fluents = Vec::new();
        for number in 0..self.interpreter.flat.fluents.len() {
            let id = relation(&self.interpreter.flat.fluents[number]);
            self.prove(id)?;
            for i in 0..self.rows(id).len {
                let row: &[C] = self.rows(id).row(i);
                let row: Box<[C]> = row.into();
                fluents.push(self.fluent_term(number, row));
            }
        }
        Ok(self.state(fluents))
    }

    fn fluent_term(&mut self, fluent: usize, row: Box<[C]>) -> TermId {
        if let Some(term) = self.fluent_terms[fluent].get(&row) {
            return *term;
        }
        let flat = Arc::clone(&self.interpreter.flat);
        let mut args = Vec::new();
        let mut at = 0;
        for shape in &flat.fluents[fluent].shapes {
            let width = flat.shapes.width(*shape);
            args.push(self.rebuild_term(*shape, &row[at..at + width]));
            at += width;
        }
        let term = self
            .interpreter
            .vocabulary
            .intern(flat.fluents[fluent].functor, &args);
        self.count_kept(row.len());
        self.fluent_rows.insert(term, (fluent, row.clone()));
        self.fluent_terms[fluent].insert(row, term);
        term
    }

    pub(super) fn state(&mut self, fluents: Vec<TermId>) -> OrandState {
        let (fluents, key) = self.interpreter.vocabulary.state(fluents);
        OrandState { fluents, key }
    }

    /// Lays out a fluent as a row. An error says why that is impossible.
    pub(super) fn lay_out_fluent(&mut self, term: TermId) -> Result<(), &'static str> {
        if self.fluent_rows.contains_key(&term) {
            return Ok(());
        }
        self.interpreter.vocabulary.know(term);
        let terms = self.interpreter.vocabulary.terms();
        let flat = &self.interpreter.flat;
        let (functor, args) = (terms.functor(term), terms.args(term));
        let mut fluents = flat.fluents.iter();
        let number = fluents
            .position(|f| f.functor == functor && f.shapes.len() == args.len())
            .ok_or("no rule of the game has such a fluent")?;
        let mut cells = Vec::new();
        for (shape, arg) in flat.fluents[number].shapes.iter().zip(args) {
            if !flat.shapes.lay_out(*shape, *arg, terms, &mut cells) {
                return Err("its arguments have a form that no rule of the game gives them");
            }
        }
        if cells.iter().any(|cell| *cell > C::MAX) {
            return Err("it has a name that is not in the rules, and there is no room for more");
        }
        let row: Box<[C]> = cells.into_iter().map(C::of).collect();
        self.count_kept(row.len());
        self.fluent_terms[number].insert(row.clone(), term);
        self.fluent_rows.insert(term, (number, row));
        Ok(())
    }

    /// Loads a state.
    pub(super) fn load_state(&mut self, state: &OrandState) {
        if self.current.as_ref() == Some(state) {
            return;
        }
        for number in 0..self.interpreter.flat.fluents.len() {
            let now = self.interpreter.flat.fluents[number].now;
            self.interpreter.leaves[now].clear();
        }
        for term in state.fluents.iter() {
            if self.lay_out_fluent(*term).is_ok()
                && let Some((number, row)) = self.fluent_rows.get(term)
            {
                let now = self.interpreter.flat.fluents[*number].now;
                self.interpreter.leaves[now].push(row);
            }
        }
        let does = self.interpreter.flat.does;
        self.interpreter.leaves[does].clear();
        self.interpreter.state_changed();
        self.current = Some(state.clone());
    }

    pub(super) fn load_initial(&mut self) -> Result<(), ReasonError> {
        let state = self.initial()?;
        self.load_state(&state);
        Ok(())
    }

    pub(super) fn prove_terminal(&mut self) -> Result<bool, ReasonError> {
        let terminal = self.interpreter.flat.terminal;
        self.prove(terminal)?;
        Ok(self.rows(terminal).len > 0)
    }

    pub(super) fn goal(&mut self, role: Role) -> Result<Goal, ReasonError> {
        let goal = self.interpreter.flat.goal;
        self.prove(goal)?;
        let mut values = Vec::new();
        for i in 0..self.rows(goal).len {
            let row: Box<[C]> = self.rows(goal).row(i).into();
            if self.is_role(&row, role) {
                let shape = self.interpreter.flat.value_shape;
                let term = self.rebuild_term(shape, self.after_role(&row).to_vec().as_slice());
                values.push(self.interpreter.vocabulary.terms().text(term));
            }
        }
        Ok(Goal::from_texts(values))
    }

    pub(super) fn legal(&mut self, role: Role, moves: &mut Vec<MoveId>) -> Result<(), ReasonError> {
        let legal = self.interpreter.flat.legal;
        moves.clear();
        self.prove(legal)?;
        for i in 0..self.rows(legal).len {
            let row: Box<[C]> = self.rows(legal).row(i).into();
            if self.is_role(&row, role) {
                let id = self.move_id(role, row);
                moves.push(id);
            }
        }
        self.interpreter.vocabulary.sort_moves(role, moves);
        Ok(())
    }

    fn move_id(&mut self, role: Role, row: Box<[C]>) -> MoveId {
        if let Some(id) = self.move_ids[role].get(&row) {
            return *id;
        }
        let shape = self.interpreter.flat.move_shape;
        let cells = self.after_role(&row).to_vec();
        let term = self.rebuild_term(shape, &cells);
        let id = self.interpreter.vocabulary.move_id(role, term);
        self.note_move(role, id, row);
        id
    }

    fn note_move(&mut self, role: Role, id: MoveId, row: Box<[C]>) {
        let rows = &mut self.move_rows[role];
        if rows.len() <= id.index() {
            rows.resize(id.index() + 1, None);
        }
        rows[id.index()] = Some(row.clone());
        self.count_kept(row.len());
        self.move_ids[role].insert(row, id);
    }

    /// Counts the memory of a row that is remembered in both directions.
    fn count_kept(&mut self, cells: usize) {
        self.interpreter.kept_bytes += 2 * (cells * size_of::<C>() + MAP_ENTRY_BYTES);
    }

    /// The row of a move, if it can have one.
    fn move_row(&mut self, role: Role, id: MoveId) -> Option<Box<[C]>> {
        if let Some(Some(row)) = self.move_rows[role].get(id.index()) {
            return Some(row.clone());
        }
        let (term, _) = self.interpreter.vocabulary.move_of(role, id)?;
        let mut cells = Vec::new();
        let flat = &self.interpreter.flat;
        let fits = flat.shapes.lay_out(
            flat.move_shape,
            term,
            self.interpreter.vocabulary.terms(),
            &mut cells,
        );
        if !fits || cells.iter().any(|cell| *cell > C::MAX) {
            return None;
        }
        let mut row = self.role_cells[role].clone();
        row.extend(cells.into_iter().map(C::of));
        let row: Box<[C]> = row.into();
        self.note_move(role, id, row.clone());
        Some(row)
    }

    /// Makes the moves if all are legal. Otherwise returns the first role whose move is not.
    pub(super) fn make_moves(
        &mut self,
        joint_move: &[MoveId],
    ) -> Result<Option<Role>, ReasonError> {
        let (legal, does) = (self.interpreter.flat.legal, self.interpreter.flat.does);
        self.prove(legal)?;
        let mut joint: Vec<Box<[C]>> = Vec::with_capacity(joint_move.len());
        for (role, id) in joint_move.iter().enumerate() {
            let row = self.move_row(role, *id);
            let rows = self.rows(legal);
            match row {
                Some(row) if (0..rows.len).any(|i| rows.row(i) == &*row) => joint.push(row),
                _ => return Ok(Some(role)),
            }
        }
        self.interpreter.leaves[does].clear();
        for row in joint {
            self.interpreter.leaves[does].push(&row);
        }
        self.interpreter.action_changed();
        Ok(None)
    }

    /// The successor state after the moves that were made.
    pub(super) fn next(&mut self) -> Result<OrandState, ReasonError> {
        self.collect(|fluent| fluent.next)
    }
}
