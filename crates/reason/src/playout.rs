//! Random games from a state to the end.

use crate::contract::{Goal, MoveId, ReasonError, Reasoner, Role};
use crate::dice::Dice;

/// Why a playout stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The game ended.
    Terminal,
    /// The step limit was reached first.
    Limit,
    /// A role had no legal move in a state that is not terminal: a fault of the sheet.
    Stuck,
}

/// What came out of a playout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// The goal of each role in the last state.
    pub goals: Vec<Goal>,
    /// How many joint moves were made.
    pub steps: u32,
    /// Why it stopped.
    pub end: End,
}

/// What came out of many playouts from one state, added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many playouts there were.
    pub playouts: u64,
    /// All joint moves made.
    pub steps: u64,
    /// For each role the sum of its goals.
    pub points: Vec<u64>,
    /// For each role how many playouts gave it a goal value.
    pub scored: Vec<u64>,
    /// Playouts that were cut at the step limit.
    pub limited: u64,
    /// Playouts that ended because a role had no legal move.
    pub stuck: u64,
}

impl Tally {
    /// Nothing yet, for a game with so many roles.
    pub fn new(roles: usize) -> Self {
        Self {
            points: vec![0; roles],
            scored: vec![0; roles],
            ..Self::default()
        }
    }

    /// Takes in a playout.
    pub fn add(&mut self, playout: &Playout) {
        self.add_times(playout, 1);
    }

    /// Takes in a playout that came out the same way several times.
    pub(crate) fn add_times(&mut self, playout: &Playout, times: u64) {
        self.playouts += times;
        self.steps += times * u64::from(playout.steps);
        for (role, goal) in playout.goals.iter().enumerate() {
            if let Some(value) = goal.value() {
                self.points[role] += times * u64::from(value);
                self.scored[role] += times;
            }
        }
        match playout.end {
            End::Terminal => {}
            End::Limit => self.limited += times,
            End::Stuck => self.stuck += times,
        }
    }

    /// Takes in another tally of the same game.
    pub fn merge(&mut self, other: &Self) {
        self.playouts += other.playouts;
        self.steps += other.steps;
        for (sum, more) in self.points.iter_mut().zip(&other.points) {
            *sum += more;
        }
        for (sum, more) in self.scored.iter_mut().zip(&other.scored) {
            *sum += more;
        }
        self.limited += other.limited;
        self.stuck += other.stuck;
    }

    /// The mean goal of a role, if it ever had one.
    #[allow(clippy::cast_precision_loss)] // sums far below 2^52
    pub fn mean(&self, role: usize) -> Option<f64> {
        match self.scored.get(role) {
            Some(0) | None => None,
            Some(scored) => Some(self.points[role] as f64 / *scored as f64),
        }
    }
}

/// A playout by the four questions alone; every engine can do this.
pub fn random<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    dice: &mut Dice,
    limit: u32,
) -> Result<Playout, ReasonError> {
    step_by_step(reasoner, state, limit, |_, legal| {
        legal[dice.below(legal.len())]
    })
}

/// A playout in which somebody chooses among the legal moves of a role, of which there is at least one.
fn step_by_step<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    limit: u32,
    mut choose: impl FnMut(Role, &mut Vec<MoveId>) -> MoveId,
) -> Result<Playout, ReasonError> {
    let roles = reasoner.roles().len();
    let mut state = state.clone();
    let mut legal: Vec<MoveId> = Vec::new();
    let mut joint: Vec<MoveId> = Vec::with_capacity(roles);
    let mut steps = 0;
    let end = 'game: loop {
        if reasoner.is_terminal(&state)? {
            break End::Terminal;
        }
        if steps >= limit {
            break End::Limit;
        }
        joint.clear();
        for role in 0..roles {
            reasoner.legal_moves(&state, role, &mut legal)?;
            if legal.is_empty() {
                break 'game End::Stuck;
            }
            joint.push(choose(role, &mut legal));
        }
        state = reasoner.next(&state, &joint)?;
        steps += 1;
    };
    let goals = (0..roles)
        .map(|role| reasoner.goal(&state, role))
        .collect::<Result<_, _>>()?;
    Ok(Playout { goals, steps, end })
}

/// Which moves a guided playout prefers.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The share of moves that are drawn at random all the same, 0 to 1.
    pub epsilon: f64,
    /// For every role the score of each of its moves, by number; a move without one has the score 0. The legal move with the highest score is played;
    /// among equal scores chance decides.
    pub scores: Vec<Vec<f32>>,
}

impl Guide {
    /// The score of a move.
    pub fn score(&self, role: usize, id: MoveId) -> f32 {
        let scores = self.scores.get(role);
        scores
            .and_then(|scores| scores.get(id.index()))
            .copied()
            .unwrap_or(0.0)
    }
}

/// Guided playouts that are wanted.
#[derive(Debug)]
pub struct Wanted<'a, S> {
    /// Where they begin.
    pub starts: &'a [S],
    /// For each start the group whose history its playouts go into; empty for one group.
    pub groups: &'a [u32],
    /// So many from each start.
    pub each: u32,
    /// Which moves they prefer.
    pub guide: &'a Guide,
    /// The steps after which a playout is cut.
    pub limit: u32,
}

/// What came out of guided playouts: a tally for each start, a history for each group.
pub type Guided = (Vec<Tally>, Vec<History>);

impl<'a, S> Wanted<'a, S> {
    /// The same from the same starts in another form, with a guide that means the same.
    pub(crate) fn put<T>(&self, starts: &'a [T], guide: &'a Guide) -> Wanted<'a, T> {
        Wanted {
            starts,
            groups: self.groups,
            each: self.each,
            guide,
            limit: self.limit,
        }
    }

    /// The group of a start.
    pub fn group(&self, start: usize) -> usize {
        self.groups.get(start).map_or(0, |group| *group as usize)
    }

    /// How many groups there are, one at least.
    pub fn group_count(&self) -> usize {
        let last = self.groups.iter().max();
        last.map_or(1, |last| *last as usize + 1)
    }

    /// An empty history for each group of a game with so many roles.
    pub(crate) fn histories(&self, roles: usize) -> Vec<History> {
        vec![History::new(roles); self.group_count()]
    }
}

/// What is known of a move from playouts in which it was played at least once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveRecord {
    /// How many such playouts gave its role a goal value.
    pub playouts: u64,
    /// The sum of those values.
    pub points: u64,
}

/// What guided playouts played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// For every role its moves, by number, as far as any has been played.
    pub moves: Vec<Vec<MoveRecord>>,
}

impl History {
    /// Nothing yet, for a game with so many roles.
    pub fn new(roles: usize) -> Self {
        Self {
            moves: vec![Vec::new(); roles],
        }
    }

    /// The record of a move.
    pub fn of(&self, role: usize, id: MoveId) -> MoveRecord {
        let records = self.moves.get(role);
        records
            .and_then(|records| records.get(id.index()))
            .copied()
            .unwrap_or_default()
    }

    /// Takes in playouts in which a move was played.
    pub(crate) fn add(&mut self, role: usize, id: MoveId, playouts: u64, points: u64) {
        let records = &mut self.moves[role];
        if records.len() <= id.index() {
            records.resize(id.index() + 1, MoveRecord::default());
        }
        records[id.index()].playouts += playouts;
        records[id.index()].points += points;
    }
}

/// A guided playout by the four questions alone.
pub fn guided<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    guide: &Guide,
    history: &mut History,
    dice: &mut Dice,
    limit: u32,
) -> Result<Playout, ReasonError> {
    let mut played: Vec<(Role, MoveId)> = Vec::new();
    let playout = step_by_step(reasoner, state, limit, |role, legal| {
        if dice.unit() >= guide.epsilon {
            let best = legal.iter().map(|id| guide.score(role, *id));
            let best = best.max_by(f32::total_cmp).unwrap_or_default();
            // A score that is no number must not leave the role without a move.
            legal.retain(|id| guide.score(role, *id).total_cmp(&best).is_ge());
        }
        let id = legal[dice.below(legal.len())];
        played.push((role, id));
        id
    })?;
    if playout.end == End::Stuck {
        // Of the last joint move only the roles before the one without a move have chosen: it was not made.
        played.truncate(playout.steps as usize * playout.goals.len());
    }
    played.sort_unstable();
    played.dedup();
    for (role, id) in played {
        if let Some(value) = playout.goals[role].value() {
            history.add(role, id, 1, u64::from(value));
        }
    }
    Ok(playout)
}

/// Guided playouts from several states, one after the other.
pub fn guided_tallies<R: Reasoner>(
    reasoner: &mut R,
    wanted: &Wanted<'_, R::State>,
    dice: &mut Dice,
) -> Result<Guided, ReasonError> {
    let roles = reasoner.roles().len();
    let mut histories = wanted.histories(roles);
    let mut tallies = Vec::with_capacity(wanted.starts.len());
    for (i, start) in wanted.starts.iter().enumerate() {
        let history = &mut histories[wanted.group(i)];
        let mut tally = Tally::new(roles);
        for _ in 0..wanted.each {
            let Wanted { guide, limit, .. } = *wanted;
            tally.add(&guided(reasoner, start, guide, history, dice, limit)?);
        }
        tallies.push(tally);
    }
    Ok((tallies, histories))
}

/// Random playouts from several states, one after the other.
pub fn tallies<R: Reasoner>(
    reasoner: &mut R,
    starts: &[R::State],
    each: u32,
    dice: &mut Dice,
    limit: u32,
) -> Result<Vec<Tally>, ReasonError> {
    let roles = reasoner.roles().len();
    starts
        .iter()
        .map(|start| {
            let mut tally = Tally::new(roles);
            for _ in 0..each {
                tally.add(&reasoner.playout(start, dice, limit)?);
            }
            Ok(tally)
        })
        .collect()
}
