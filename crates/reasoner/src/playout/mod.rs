//! Games from a state to the end: at random here, after a guide in [`guided`](mod@guided).

mod guided;

pub use guided::{Guide, Guided, History, MoveRecord, Pair, Wanted, guided, guided_tallies};

use std::borrow::Borrow;

use smallvec::SmallVec;

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

/// A playout with what was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The joint moves, from the first step on.
    pub moves: Vec<Vec<MoveId>>,
    /// What came out.
    pub playout: Playout,
}

/// A number for each role; in games for two it takes no block of its own.
pub type PerRole = SmallVec<[u64; 2]>;

/// What came out of many playouts from one state, added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many playouts there were.
    pub playouts: u64,
    /// All joint moves made.
    pub steps: u64,
    /// For each role the sum of its goals.
    pub points: PerRole,
    /// For each role how many playouts gave it a goal value.
    pub scored: PerRole,
    /// Playouts that were cut at the step limit.
    pub limited: u64,
    /// Playouts that ended because a role had no legal move.
    pub stuck: u64,
}

impl Tally {
    /// Nothing yet, for a game with so many roles.
    pub fn new(roles: usize) -> Self {
        Self {
            points: SmallVec::from_elem(0, roles),
            scored: SmallVec::from_elem(0, roles),
            ..Self::default()
        }
    }

    /// Takes in a playout.
    pub fn add(&mut self, playout: &Playout) {
        self.add_times(playout, 1);
    }

    /// Takes in a playout that came out the same way several times.
    pub fn add_times(&mut self, playout: &Playout, times: u64) {
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

/// The same with what was played.
pub fn recorded<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    dice: &mut Dice,
    limit: u32,
) -> Result<Record, ReasonError> {
    let roles = reasoner.roles().len().max(1);
    let mut moves = Vec::new();
    let playout = step_by_step(reasoner, state, limit, |_, legal| {
        let id = legal[dice.below(legal.len())];
        moves.push(id);
        id
    })?;
    // In a state where somebody has no move, the others may have chosen theirs.
    let moves = moves.chunks(roles).take(playout.steps as usize);
    Ok(Record {
        moves: moves.map(<[_]>::to_vec).collect(),
        playout,
    })
}

/// A playout in which somebody chooses among the legal moves of a role, of which there is at least
/// one.
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

/// Ends a row of playouts that nobody waits for any more. The first is played in any case: many are
/// asked for one at a time, and a look at the clock would be dear for them.
fn go_on<R: Reasoner>(reasoner: &R, is_first: &mut bool) -> Result<(), ReasonError> {
    if !std::mem::take(is_first) && reasoner.is_late() {
        return Err(ReasonError::Late);
    }
    Ok(())
}

/// Recorded playouts from several states, one after the other.
pub fn records<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    starts: &[B],
    each: u32,
    dice: &mut Dice,
    limit: u32,
) -> Result<Vec<Vec<Record>>, ReasonError> {
    let mut is_first = true;
    let one = |start: &B| {
        let record = |_| {
            go_on(reasoner, &mut is_first)?;
            recorded(reasoner, start.borrow(), dice, limit)
        };
        (0..each).map(record).collect()
    };
    starts.iter().map(one).collect()
}

/// Random playouts from several states, one after the other.
pub fn tallies<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    starts: &[B],
    each: u32,
    dice: &mut Dice,
    limit: u32,
) -> Result<Vec<Tally>, ReasonError> {
    let roles = reasoner.roles().len();
    let mut is_first = true;
    starts
        .iter()
        .map(|start| {
            let mut tally = Tally::new(roles);
            for _ in 0..each {
                go_on(reasoner, &mut is_first)?;
                tally.add(&reasoner.playout(start.borrow(), dice, limit)?);
            }
            Ok(tally)
        })
        .collect()
}
