//! The compiled game: which engine answers what, and the numbers of moves.

use std::sync::Arc;

use super::state::{AutoState, Form};
use crate::contract::{MoveId, ReasonError, Reasoner, Role};
use crate::dice::Dice;
use crate::ground_game::BitState;
use crate::playout::Playout;
use crate::propnet::{Differential, Propnet};
use crate::prover::Prover;

/// The engines of a game that could be grounded.
///
/// An engine that is better at playouts than the network joins as a field of its own, made in [`Compiled::new`] and asked in
/// [`Compiled::playout`]; its states are the network's.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// For single states.
    pub(super) network: Propnet<Differential>,
    moves: Arc<Numbers>,
    joint: Vec<MoveId>,
    scratch: Vec<MoveId>,
}

/// The numbers of moves: the network's own, and the prover's, which are the ones to be seen from outside.
#[derive(Clone, Debug)]
struct Numbers {
    /// Whether they are the same, because nobody had asked the prover for a move when the network was ready.
    same: bool,
    /// By role and network's number.
    outside: Vec<Vec<MoveId>>,
    /// By role and outside number; the network has no such move where it is `None`.
    inside: Vec<Vec<Option<MoveId>>>,
}

/// A move that the network does not have: no role can ever make it.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnknownMove {
    pub(super) role: Role,
}

impl Compiled {
    /// Numbers the moves of a network with the prover.
    pub(super) fn new(network: Propnet<Differential>, prover: &mut Prover) -> Self {
        let game = &network.network().game;
        let mut numbers = Numbers {
            same: true,
            outside: Vec::new(),
            inside: Vec::new(),
        };
        for role in 0..game.roles.len() {
            let count = game.moves_of(role).len() as u32;
            let mut outside = Vec::with_capacity(count as usize);
            let mut inside: Vec<Option<MoveId>> = Vec::new();
            for id in (0..count).map(MoveId) {
                // The text is the network's own print of a term, so the prover can read it.
                let Some(number) = prover.find_move(role, &game.move_text(role, id)) else {
                    continue;
                };
                numbers.same &= number == id;
                outside.push(number);
                if inside.len() <= number.index() {
                    inside.resize(number.index() + 1, None);
                }
                inside[number.index()] = Some(id);
            }
            numbers.outside.push(outside);
            numbers.inside.push(inside);
        }
        Self {
            network,
            moves: Arc::new(numbers),
            joint: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// A state from its bits.
    pub(super) fn state(&self, bits: BitState) -> AutoState {
        AutoState {
            key: self.network.network().game.key(&bits),
            form: Form::Network(bits),
        }
    }

    pub(super) fn initial(&mut self) -> Result<AutoState, ReasonError> {
        let bits = self.network.initial()?;
        Ok(self.state(bits))
    }

    pub(super) fn legal_moves(
        &mut self,
        bits: &BitState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        if self.moves.same {
            return self.network.legal_moves(bits, role, moves);
        }
        self.network.legal_moves(bits, role, &mut self.scratch)?;
        let outside = &self.moves.outside[role];
        moves.clear();
        moves.extend(self.scratch.iter().map(|id| outside[id.index()]));
        Ok(())
    }

    /// The state after a joint move; `key` is that of the state before.
    pub(super) fn next(
        &mut self,
        bits: &BitState,
        key: u128,
        joint_move: &[MoveId],
    ) -> Result<Result<AutoState, UnknownMove>, ReasonError> {
        let next = if self.moves.same {
            self.network.next(bits, joint_move)?
        } else {
            self.joint.clear();
            for (role, id) in joint_move.iter().enumerate() {
                let Some(Some(id)) = self.moves.inside[role].get(id.index()) else {
                    return Ok(Err(UnknownMove { role }));
                };
                self.joint.push(*id);
            }
            self.network.next(bits, &self.joint)?
        };
        let game = &self.network.network().game;
        Ok(Ok(AutoState {
            key: game.key_after(key, bits, &next),
            form: Form::Network(next),
        }))
    }

    /// A random playout, by whatever is best at it.
    pub(super) fn playout(
        &mut self,
        bits: &BitState,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.network.playout(bits, dice, limit)
    }
}
