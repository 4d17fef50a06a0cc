//! Playouts that prefer moves by a score, and what they tell about moves.

use std::borrow::Borrow;

use rustc_hash::FxHashMap;

use super::{End, Playout, Tally, go_on, step_by_step};
use crate::contract::{MoveId, ReasonError, Reasoner, Role};
use crate::dice::Dice;

/// Which moves a guided playout prefers.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The share of moves that are drawn at random all the same, 0 to 1.
    pub epsilon: f64,
    /// The same for each role, where roles differ; empty if they do not.
    pub epsilons: Vec<f64>,
    /// For every role the score of each of its moves, by number; a move without one has the score
    /// 0. The legal move with the highest score is played; among equal scores chance decides.
    pub scores: Vec<Vec<f32>>,
    /// The scores of moves after the move before them, where they are known; none if nobody wants
    /// to know them. With them a move's score is the mean of both. Playouts that look at pairs are
    /// played one at a time.
    pub pairs: Option<FxHashMap<Pair, f32>>,
}

/// A move and the one before it: what the first role that had a choice did in the step before (an
/// N-gram of two).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    /// The one before, with its role.
    pub before: (Role, MoveId),
    /// The role of the move.
    pub role: Role,
    /// The move.
    pub id: MoveId,
}

impl Guide {
    /// The share of a role's moves that are drawn at random.
    pub fn epsilon_of(&self, role: Role) -> f64 {
        self.epsilons.get(role).copied().unwrap_or(self.epsilon)
    }

    /// The score of a move.
    pub fn score(&self, role: usize, id: MoveId) -> f32 {
        let scores = self.scores.get(role);
        scores
            .and_then(|scores| scores.get(id.index()))
            .copied()
            .unwrap_or(0.0)
    }

    /// The score of a move after another.
    fn score_after(&self, before: Option<(Role, MoveId)>, role: Role, id: MoveId) -> f32 {
        let alone = self.score(role, id);
        let pair = before.map(|before| Pair { before, role, id });
        let pair = pair.and_then(|pair| self.pairs.as_ref()?.get(&pair));
        pair.map_or(alone, |pair| f32::midpoint(*pair, alone))
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
    /// Whether to wait until the engine can follow the guide: some have to [make something
    /// ready](Reasoner::is_ready_to_guide) for it, and when that is there depends on the clock.
    ///
    /// The rule: whoever has a budget of playouts waits, for there the clock is to make no
    /// difference. Whoever has a clock does not, for a move must not pass with waiting: then
    /// playouts are random ones until the engine is ready, and their histories are empty.
    pub waits: bool,
}

/// What came out of guided playouts: a tally for each start, a history for each group.
pub type Guided = (Vec<Tally>, Vec<History>);

impl<'a, S> Wanted<'a, S> {
    /// The same from the same starts in another form, with a guide that means the same.
    pub fn put<'b, T>(&'b self, starts: &'b [T], guide: &'b Guide) -> Wanted<'b, T> {
        Wanted {
            starts,
            groups: self.groups,
            each: self.each,
            guide,
            limit: self.limit,
            waits: self.waits,
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
    pub fn histories(&self, roles: usize) -> Vec<History> {
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
    /// The same for moves after others, if the guide asks for them.
    pub pairs: FxHashMap<Pair, MoveRecord>,
}

impl History {
    /// Nothing yet, for a game with so many roles.
    pub fn new(roles: usize) -> Self {
        Self {
            moves: vec![Vec::new(); roles],
            pairs: FxHashMap::default(),
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
    pub fn add(&mut self, role: usize, id: MoveId, playouts: u64, points: u64) {
        let records = &mut self.moves[role];
        if records.len() <= id.index() {
            records.resize(id.index() + 1, MoveRecord::default());
        }
        records[id.index()].playouts += playouts;
        records[id.index()].points += points;
    }
}

/// A move and who makes it.
type RoleMove = (Role, MoveId);

/// A guided playout by the four questions alone.
pub fn guided<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    guide: &Guide,
    history: &mut History,
    dice: &mut Dice,
    limit: u32,
) -> Result<Playout, ReasonError> {
    // What was played, each with what came before.
    let mut played: Vec<(RoleMove, Option<RoleMove>)> = Vec::new();
    let (mut before, mut latest) = (None, None);
    let playout = step_by_step(reasoner, state, limit, |role, legal| {
        if role == 0 {
            before = latest.or(before);
            latest = None;
        }
        let is_choice = legal.len() > 1;
        if dice.unit() >= guide.epsilon_of(role) {
            let score = |id: &MoveId| guide.score_after(before, role, *id);
            let best = legal.iter().map(score).max_by(f32::total_cmp);
            let best = best.unwrap_or_default();
            // A score that is no number must not leave the role without a move.
            legal.retain(|id| score(id).total_cmp(&best).is_ge());
        }
        let id = legal[dice.below(legal.len())];
        played.push(((role, id), before));
        if is_choice && latest.is_none() {
            latest = Some((role, id));
        }
        id
    })?;
    if playout.end == End::Stuck {
        // Of the last joint move only the roles before the one without a move have chosen: it was
        // not made.
        played.truncate(playout.steps as usize * playout.goals.len());
    }
    played.sort_unstable();
    played.dedup();
    let mut last = None;
    for ((role, id), before) in played {
        let Some(value) = playout.goals[role].value() else {
            continue;
        };
        if last.replace((role, id)) != Some((role, id)) {
            history.add(role, id, 1, u64::from(value));
        }
        if let (Some(before), Some(_)) = (before, &guide.pairs) {
            let record = history.pairs.entry(Pair { before, role, id }).or_default();
            record.playouts += 1;
            record.points += u64::from(value);
        }
    }
    Ok(playout)
}

/// Guided playouts from several states, one after the other.
pub fn guided_tallies<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    wanted: &Wanted<'_, B>,
    dice: &mut Dice,
) -> Result<Guided, ReasonError> {
    let roles = reasoner.roles().len();
    let mut histories = wanted.histories(roles);
    let mut tallies = Vec::with_capacity(wanted.starts.len());
    let mut is_first = true;
    for (i, start) in wanted.starts.iter().enumerate() {
        let history = &mut histories[wanted.group(i)];
        let mut tally = Tally::new(roles);
        for _ in 0..wanted.each {
            go_on(reasoner, &mut is_first)?;
            let Wanted { guide, limit, .. } = *wanted;
            tally.add(&guided(
                reasoner,
                start.borrow(),
                guide,
                history,
                dice,
                limit,
            )?);
        }
        tallies.push(tally);
    }
    Ok((tallies, histories))
}
