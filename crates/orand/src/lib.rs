/*!
The OR-AND interpreter: proves conditions for whole sets of rows at once, on the rules as they are.

[`Orand`] is the engine of chapter 6 of the thesis. Rules are laid out over flat tuples of symbols
(`shape`, `flatten`, `flat`). A condition of a rule is an OR node, the rules for it, made to measure
(`customise`), are its AND nodes; every node has a rowset, rows of symbols in one block of memory
(`rows`, `table`). An AND node takes its conditions in an order chosen by cost (`plan`,
`statistics`, `guard`) and merges their results into its rowset one after the other (`merge`); what
it has found so far filters what its conditions are asked for, so that only rows that can matter are
ever proved (`prove`, `ask`, `filter`), and nothing that is known already (`superset`).
[`OrandSettings`] has a switch for each optional part. [`GoalTree`] tells how nearly a goal is
reached.
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

use game::Game;
pub use goal_tree::{GoalDegree, GoalTree};
use ludorum_reasoner::contract::{
    FluentId, Goal, MoveId, ReasonError, Reasoner, Role, check_move_count,
};
use ludorum_reasoner::dice::Dice;
use ludorum_reasoner::footprint::Footprint as _;
use ludorum_reasoner::playout::Playout;
use ludorum_reasoner::vocabulary::Vocabulary;
pub use settings::{OrandSettings, RowLookup};
pub use state::OrandState;

/// A game over symbols of 16 bits, or of 32 where a sheet needs them.
#[derive(Clone, Debug)]
enum SymbolWidth {
    Narrow(Box<Game<u16>>),
    Wide(Box<Game<u32>>),
}

/// Runs code on the game, whichever width it has.
macro_rules! on {
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
    /// An interpreter for the rules.
    pub fn new(rules: &Rules, settings: OrandSettings) -> Result<Self, ReasonError> {
        Self::with_deadline(rules, settings, None)
    }

    /// The same, if it is ready in time.
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
        on!(&mut self.game, game => &mut game.machine.vocabulary)
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

    /// How nearly the best goal of a role is reached in a state; `None` if no rule gives the role a
    /// goal.
    pub fn goal_degree(
        &mut self,
        state: &OrandState,
        role: Role,
    ) -> Result<Option<GoalDegree>, ReasonError> {
        self.check_role(role)?;
        on!(&mut self.game, game => {
            game.look(state);
            game.goal_degree(role)
        })
    }

    /// The tree of a role's best goal.
    pub fn goal_tree(&mut self, role: Role) -> Result<Arc<GoalTree>, ReasonError> {
        self.check_role(role)?;
        Ok(on!(&mut self.game, game => game.goal_tree(role)))
    }

    /// Which conditions of a role's best goal hold in a state, by their places in its tree.
    pub fn satisfied_conditions(
        &mut self,
        state: &OrandState,
        role: Role,
    ) -> Result<Vec<bool>, ReasonError> {
        self.check_role(role)?;
        on!(&mut self.game, game => {
            game.look(state);
            let tree = game.goal_tree(role);
            game.satisfied_conditions(&tree)
        })
    }

    /// The fluent with a KIF text, if the rules say anything about such a fluent.
    pub fn find_fluent(&mut self, text: &str) -> Option<FluentId> {
        let [term] = self.vocabulary().parse(text).ok()?[..] else {
            return None;
        };
        on!(&mut self.game, game => game.place(term)).ok()?;
        Some(FluentId(term.0))
    }

    /// The state with exactly the given fluents, which come from [`Self::find_fluent`].
    pub fn state_from_fluents(&mut self, fluents: &[FluentId]) -> OrandState {
        let fluents = fluents.iter().map(|id| TermId(id.0)).collect();
        on!(&mut self.game, game => game.state(fluents))
    }

    /// How many filters are in use so far, and how many of them were found not to pay.
    pub fn filter_counts(&self) -> (usize, usize) {
        on!(&self.game, game => game.machine.sites.count())
    }

    /// The bytes that all rowsets take, and the terms in them. They only shrink when they took too
    /// much for a question.
    pub fn rowset_bytes(&self) -> usize {
        on!(&self.game, game => game.footprint())
    }

    /// How many OR nodes there are so far.
    pub fn node_count(&self) -> usize {
        on!(&self.game, game => game.machine.nodes.len())
    }
}

impl Reasoner for Orand {
    type State = OrandState;

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&mut self) -> Result<OrandState, ReasonError> {
        let state = on!(&mut self.game, game => game.initial())?;
        self.check_sizes(state)
    }

    fn is_terminal(&mut self, state: &OrandState) -> Result<bool, ReasonError> {
        on!(&mut self.game, game => {
            game.look(state);
            game.prove_terminal()
        })
    }

    fn goal(&mut self, state: &OrandState, role: Role) -> Result<Goal, ReasonError> {
        self.check_role(role)?;
        on!(&mut self.game, game => {
            game.look(state);
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
        on!(&mut self.game, game => {
            game.look(state);
            game.legal(role, moves)
        })
    }

    fn next(
        &mut self,
        state: &OrandState,
        joint_move: &[MoveId],
    ) -> Result<OrandState, ReasonError> {
        check_move_count(self.roles.len(), joint_move)?;
        let illegal = on!(&mut self.game, game => {
            game.look(state);
            game.make(joint_move)?
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
        let state = on!(&mut self.game, game => game.next())?;
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
            let placed = on!(&mut self.game, game => game.place(term));
            placed.map_err(|reason| ReasonError::BadText {
                text: fact.clone(),
                reason: reason.to_owned(),
            })?;
            fluents.push(term);
        }
        Ok(on!(&mut self.game, game => game.state(fluents)))
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
        on!(&mut self.game, game => game.machine.meter.cancel = cancel);
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        on!(&mut self.game, game => game.machine.meter.deadline = deadline);
    }

    fn components(&self) -> Option<usize> {
        Some(self.node_count())
    }

    fn playout(
        &mut self,
        state: &OrandState,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        on!(&mut self.game, game => playout::play(game, state, dice, limit))
    }
}
