/*!
The OR-AND interpreter: proves conditions for whole sets of rows at once, without grounding.

[`Orand`] implements the interpreter of Świechowski 2015, chapter 6, and of Świechowski and Mańdziuk
2014. Rules are flattened to tuples of symbols (`shape`, `flatten`, `flat`; appendix A). A condition
is an OR node; the rules for it, customised by its constants (`customise`, A.4), are its AND nodes.
Facts, fluents and moves are leaf OR nodes. Every node has a rowset, rows of symbols in one block of
memory (`rowset`, `and_rowset`; section 6.4.2).

An AND node runs a plan (`and_plan`, made by `planner`, `condition_plan` and `fork_plan`): it takes
its conditions in a greedy order and merges their results into its rowset one after the other
(`merge`; section 6.4.3). The rows found so far filter the next condition, so that only rows that
can matter are proved (`filtered_merge`, `prove`; section 6.5), and results are reused while they are
valid (`node_table`, `superset`; B.5). [`OrandSettings`] has a switch for each optional part.

Differences from Świechowski 2015:
- a filter is a set of requests that an OR node receives from its nearest AND node, and results are
  memoised by request (`node_table`);
- conditions are ordered by estimated result sizes (`statistics`);
- filters are removed by total work and can be restored (`filter_sites`, `filter_probe`; B.2);
- recurrent nodes are proved to a fixpoint instead of being created for each depth (`prove`);
- conditions on constant facts are joined beforehand (`join_facts`).

[`GoalTree`] gives the degree to which a goal is satisfied (Approximate Goal Evaluation, section
3.3.2).
*/

mod and_plan;
mod and_rowset;
mod build;
mod cell;
mod condition_plan;
mod customise;
mod draft;
mod filter_probe;
mod filter_sites;
mod filtered_merge;
mod flat;
mod flatten;
mod footprint;
mod fork_plan;
mod game;
mod goal_tree;
mod goal_tree_builder;
mod interpreter;
mod join_facts;
mod merge;
mod node_table;
mod or_fork;
mod planner;
mod playout;
mod prove;
mod recursion_guard;
mod row_number_set;
mod rowset;
mod rule_columns;
mod settings;
mod shape;
mod shape_inference;
mod state;
mod statistics;
mod superset;
mod whole_fluents;
mod work_meter;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ludorum_logic::{Rules, TermId};

use game::OrandGame;
pub use goal_tree::{GoalDegree, GoalTree};
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{
    FluentId, Goal, HeapSize as _, MoveId, Playout, ReasonError, Reasoner, Rng, Role,
    check_move_count,
};
pub use settings::{OrandSettings, RowLookup};
pub use state::OrandState;

/// A game over symbols of 16 bits, or of 32 bits where these do not suffice.
#[derive(Clone, Debug)]
enum SymbolWidth {
    Narrow(Box<OrandGame<u16>>),
    Wide(Box<OrandGame<u32>>),
}

/// Runs code on the game of either width.
macro_rules! with_game {
    ($width:expr, $game:ident => $code:expr) => {
        match $width {
            SymbolWidth::Narrow($game) => $code,
            SymbolWidth::Wide($game) => $code,
        }
    };
}

/// The OR-AND interpreter of a game.
#[derive(Clone, Debug)]
pub struct Orand {
    game: SymbolWidth,
    roles: Arc<[String]>,
}

impl Orand {
    /// Builds an interpreter.
    pub fn new(rules: &Rules, settings: OrandSettings) -> Result<Self, ReasonError> {
        Self::with_deadline(rules, settings, None)
    }

    /// Builds an interpreter before a deadline.
    pub fn with_deadline(
        rules: &Rules,
        settings: OrandSettings,
        deadline: Option<Instant>,
    ) -> Result<Self, ReasonError> {
        let roles = rules
            .roles
            .iter()
            .map(|role| rules.terms.text(*role))
            .collect();
        let parts = build::parts(rules, settings.or_forks);
        let game = if parts.wide {
            SymbolWidth::Wide(Box::new(build::game(rules, parts, settings, deadline)?))
        } else {
            SymbolWidth::Narrow(Box::new(build::game(rules, parts, settings, deadline)?))
        };
        Ok(Self { game, roles })
    }

    fn vocabulary(&mut self) -> &mut Vocabulary {
        with_game!(&mut self.game, game => &mut game.interpreter.vocabulary)
    }

    fn check_role(&self, role: Role) -> Result<(), ReasonError> {
        if role < self.roles.len() {
            return Ok(());
        }
        Err(ReasonError::UnknownRole {
            role,
            count: self.roles.len(),
        })
    }

    fn check_sizes(&mut self, state: OrandState) -> Result<OrandState, ReasonError> {
        self.vocabulary().check_sizes(&state.fluents)?;
        Ok(state)
    }

    /// The degree to which a role's best goal is satisfied in a state (Approximate Goal
    /// Evaluation). `None` if no rule gives the role a goal.
    pub fn goal_degree(
        &mut self,
        state: &OrandState,
        role: Role,
    ) -> Result<Option<GoalDegree>, ReasonError> {
        self.check_role(role)?;
        with_game!(&mut self.game, game => {
            game.load_state(state);
            game.goal_degree(role)
        })
    }

    /// The tree of a role's best goal.
    pub fn goal_tree(&mut self, role: Role) -> Result<Arc<GoalTree>, ReasonError> {
        self.check_role(role)?;
        Ok(with_game!(&mut self.game, game => game.goal_tree(role)))
    }

    /// Which conditions of a role's best goal hold in a state, by tree node.
    pub fn satisfied_conditions(
        &mut self,
        state: &OrandState,
        role: Role,
    ) -> Result<Vec<bool>, ReasonError> {
        self.check_role(role)?;
        with_game!(&mut self.game, game => {
            game.load_state(state);
            let tree = game.goal_tree(role);
            game.satisfied_conditions(&tree)
        })
    }

    /// The fluent with a KIF text, if the rules can contain it.
    pub fn find_fluent(&mut self, text: &str) -> Option<FluentId> {
        let [term] = self.vocabulary().parse(text).ok()?[..] else {
            return None;
        };
        with_game!(&mut self.game, game => game.lay_out_fluent(term)).ok()?;
        Some(FluentId(term.0))
    }

    /// The state with exactly the given fluents, obtained from [`Self::find_fluent`].
    pub fn state_from_fluents(&mut self, fluents: &[FluentId]) -> OrandState {
        let fluents = fluents.iter().map(|id| TermId(id.0)).collect();
        with_game!(&mut self.game, game => game.state(fluents))
    }

    /// Queries end with [`ReasonError::Stopped`] when another thread sets this flag. It is
    /// independent of the cancel flag of the caller.
    pub fn set_interrupt(&mut self, flag: Option<Arc<AtomicBool>>) {
        with_game!(&mut self.game, game => game.interpreter.meter.interrupt = flag);
    }

    /// The term of a fluent in another vocabulary of the same rules.
    pub fn export_fluent(&mut self, id: FluentId, to: &mut Vocabulary) -> TermId {
        self.export_term(TermId(id.0), to)
    }

    /// The fluent with a term of another vocabulary of the same rules, if the rules can contain it.
    pub fn import_fluent(&mut self, term: TermId, from: &mut Vocabulary) -> Option<FluentId> {
        let term = self.import_term(term, from);
        with_game!(&mut self.game, game => game.lay_out_fluent(term)).ok()?;
        Some(FluentId(term.0))
    }

    /// The id of a move in another vocabulary of the same rules.
    pub fn export_move(&mut self, role: Role, id: MoveId, to: &mut Vocabulary) -> Option<MoveId> {
        let (term, _) = self.vocabulary().move_of(role, id)?;
        let term = self.export_term(term, to);
        Some(to.move_id(role, term))
    }

    /// The move with an id of another vocabulary of the same rules.
    pub fn import_move(&mut self, role: Role, id: MoveId, from: &mut Vocabulary) -> Option<MoveId> {
        let (term, _) = from.move_of(role, id)?;
        let term = self.import_term(term, from);
        Some(self.vocabulary().move_id(role, term))
    }

    fn export_term(&mut self, term: TermId, to: &mut Vocabulary) -> TermId {
        let own = self.vocabulary();
        own.know(term);
        to.import_from(own, &[term])[0]
    }

    fn import_term(&mut self, term: TermId, from: &mut Vocabulary) -> TermId {
        from.know(term);
        self.vocabulary().import_from(from, &[term])[0]
    }

    /// Number of filters in use so far, and how many of them were removed.
    pub fn filter_counts(&self) -> (usize, usize) {
        with_game!(&self.game, game => game.interpreter.sites.count())
    }

    /// Bytes of all rowsets and their terms. They only shrink after a query exceeded the memory
    /// limit.
    pub fn rowset_bytes(&self) -> usize {
        with_game!(&self.game, game => game.footprint())
    }

    /// Number of OR nodes so far.
    pub fn node_count(&self) -> usize {
        with_game!(&self.game, game => game.interpreter.nodes.len())
    }
}

impl Reasoner for Orand {
    type State = OrandState;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&mut self) -> Result<OrandState, ReasonError> {
        let state = with_game!(&mut self.game, game => game.initial())?;
        self.check_sizes(state)
    }

    fn is_terminal(&mut self, state: &OrandState) -> Result<bool, ReasonError> {
        with_game!(&mut self.game, game => {
            game.load_state(state);
            game.prove_terminal()
        })
    }

    fn goal(&mut self, state: &OrandState, role: Role) -> Result<Goal, ReasonError> {
        self.check_role(role)?;
        with_game!(&mut self.game, game => {
            game.load_state(state);
            game.goal(role)
        })
    }

    fn legal_moves(
        &mut self,
        state: &OrandState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.check_role(role)?;
        with_game!(&mut self.game, game => {
            game.load_state(state);
            game.legal(role, moves)
        })
    }

    fn next(
        &mut self,
        state: &OrandState,
        joint_move: &[MoveId],
    ) -> Result<OrandState, ReasonError> {
        check_move_count(self.roles.len(), joint_move)?;
        let illegal = with_game!(&mut self.game, game => {
            game.load_state(state);
            game.make_moves(joint_move)?
        });
        if let Some(role) = illegal {
            let id = joint_move[role];
            let text = self.move_text(role, id);
            return Err(ReasonError::IllegalMove {
                role: self.roles[role].clone(),
                text: if text.is_empty() {
                    format!("move {}", id.0)
                } else {
                    text
                },
            });
        }
        let state = with_game!(&mut self.game, game => game.next())?;
        self.check_sizes(state)
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        let found = self.vocabulary().move_of(role, id);
        found.map(|(_, text)| text.to_owned()).unwrap_or_default()
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.vocabulary().find_move(role, text)
    }

    fn facts(&mut self, state: &OrandState) -> Vec<String> {
        self.vocabulary().facts(&state.fluents)
    }

    fn fluents(&mut self, state: &OrandState, fluents: &mut Vec<FluentId>) {
        fluents.clear();
        fluents.extend(state.fluents.iter().map(|id| FluentId(id.0)));
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.vocabulary().term_text(TermId(id.0))
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<OrandState, ReasonError> {
        let mut fluents = Vec::with_capacity(facts.len());
        for fact in facts {
            let term = self.vocabulary().fluent(fact)?;
            let placed = with_game!(&mut self.game, game => game.lay_out_fluent(term));
            placed.map_err(|reason| ReasonError::BadText {
                text: fact.clone(),
                reason: reason.to_owned(),
            })?;
            fluents.push(term);
        }
        Ok(with_game!(&mut self.game, game => game.state(fluents)))
    }

    fn key(&self, state: &OrandState) -> u128 {
        state.key
    }

    fn state_bytes(&self, state: &OrandState) -> usize {
        size_of::<OrandState>() + state.heap_bytes()
    }

    fn fork(&self) -> Self {
        let mut fork = self.clone();
        fork.set_cancel(None);
        fork
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        with_game!(&mut self.game, game => game.interpreter.meter.cancel = cancel);
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        with_game!(&mut self.game, game => game.interpreter.meter.deadline = deadline);
    }

    fn components(&self) -> Option<usize> {
        Some(self.node_count())
    }

    fn playout(
        &mut self,
        state: &OrandState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        with_game!(&mut self.game, game => playout::play(game, state, rng, limit))
    }
}
