//! The move source of a person: [`PersonPlayer`] waits for moves from the browser.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ludorum_match::{CancellationToken, MoveRequest, MoveSource};
use tokio::sync::Notify;

/// Identifies a decision: after moves are taken back, the same steps are played in another round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MoveTurn {
    pub(super) round: u32,
    pub(super) step: u32,
}

/// A person in a browser.
#[derive(Debug, Default)]
pub(super) struct PersonPlayer {
    chosen: Mutex<Chosen>,
    changed: Notify,
    resigned: CancellationToken,
}

#[derive(Debug, Default)]
struct Chosen {
    round: u32,
    /// The chosen move and the decision it is for.
    answer: Option<(MoveTurn, String)>,
}

impl PersonPlayer {
    fn lock(&self) -> MutexGuard<'_, Chosen> {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a new round; earlier choices are dropped.
    pub(super) fn begin(&self, round: u32) {
        let mut chosen = self.lock();
        chosen.round = round;
        chosen.answer = None;
    }

    /// Chooses a legal move; false if a move was chosen for this decision before.
    pub(super) fn choose(&self, turn: MoveTurn, text: String) -> bool {
        let mut chosen = self.lock();
        let is_known = |(known, _): &(MoveTurn, String)| *known == turn;
        if chosen.answer.as_ref().is_some_and(is_known) {
            return false;
        }
        chosen.answer = Some((turn, text));
        drop(chosen);
        self.changed.notify_one();
        true
    }

    /// Resigns.
    pub(super) fn resign(&self) {
        self.resigned.cancel();
    }

    fn answer(&self, step: u32) -> Option<String> {
        let chosen = self.lock();
        let now = MoveTurn {
            round: chosen.round,
            step,
        };
        let (turn, text) = chosen.answer.as_ref()?;
        (*turn == now).then(|| text.clone())
    }
}

impl MoveSource for PersonPlayer {
    /// A single legal move is played without asking.
    fn play(&self, request: MoveRequest) -> BoxFuture<'_, String> {
        async move {
            if let [only] = &request.legal[..] {
                return only.clone();
            }
            loop {
                if let Some(text) = self.answer(request.step) {
                    return text;
                }
                self.changed.notified().await;
            }
        }
        .boxed()
    }

    fn resignation(&self) -> BoxFuture<'_, ()> {
        self.resigned.cancelled().boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(step: u32, legal: &[&str]) -> MoveRequest {
        MoveRequest {
            role: 0,
            step,
            legal: legal.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn a_choice_counts_once_and_only_for_its_decision() {
        let person = PersonPlayer::default();
        let turn = MoveTurn { round: 0, step: 3 };
        assert!(person.choose(turn, "a".into()));
        assert!(!person.choose(turn, "b".into()));
        let mut answer = person.play(request(4, &["a", "b"]));
        assert!((&mut answer).now_or_never().is_none());
        let answer = person.play(request(3, &["a", "b"]));
        assert_eq!(answer.now_or_never().unwrap(), "a");
        person.begin(1);
        assert!(
            person
                .play(request(3, &["a", "b"]))
                .now_or_never()
                .is_none()
        );
    }

    #[test]
    fn a_single_legal_move_is_played_without_asking() {
        let person = PersonPlayer::default();
        let only = person.play(request(0, &["noop"])).now_or_never();
        assert_eq!(only.unwrap(), "noop");
    }

    #[test]
    fn a_resignation_is_remembered() {
        let person = PersonPlayer::default();
        assert!(person.resignation().now_or_never().is_none());
        person.resign();
        assert!(person.resignation().now_or_never().is_some());
    }
}
