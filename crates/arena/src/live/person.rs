//! The chair of a person: [`Person`] waits for what comes from a browser.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ludorum_match::{CancellationToken, Chair, Question};
use tokio::sync::Notify;

/// When a move is meant for: matches that are taken up again after an undo play the same steps in
/// another round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) round: u32,
    pub(super) step: u32,
}

/// Somebody in front of a browser.
#[derive(Debug, Default)]
pub(super) struct Person {
    chosen: Mutex<Chosen>,
    changed: Notify,
    resigned: CancellationToken,
}

#[derive(Debug, Default)]
struct Chosen {
    round: u32,
    /// The move and when it is for.
    answer: Option<(Moment, String)>,
}

impl Person {
    fn lock(&self) -> MutexGuard<'_, Chosen> {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another round begins; what was chosen before does not count.
    pub(super) fn begin(&self, round: u32) {
        let mut chosen = self.lock();
        chosen.round = round;
        chosen.answer = None;
    }

    /// Chooses a legal move; tells whether nothing was chosen for this moment before.
    pub(super) fn choose(&self, moment: Moment, text: String) -> bool {
        let mut chosen = self.lock();
        let is_known = |(known, _): &(Moment, String)| *known == moment;
        if chosen.answer.as_ref().is_some_and(is_known) {
            return false;
        }
        chosen.answer = Some((moment, text));
        drop(chosen);
        self.changed.notify_one();
        true
    }

    /// Gives up.
    pub(super) fn resign(&self) {
        self.resigned.cancel();
    }

    fn answer(&self, step: u32) -> Option<String> {
        let chosen = self.lock();
        let now = Moment {
            round: chosen.round,
            step,
        };
        let (moment, text) = chosen.answer.as_ref()?;
        (*moment == now).then(|| text.clone())
    }
}

impl Chair for Person {
    /// Whoever has one legal move is not bothered.
    fn play(&self, question: Question) -> BoxFuture<'_, String> {
        async move {
            if let [only] = &question.legal[..] {
                return only.clone();
            }
            loop {
                if let Some(text) = self.answer(question.step) {
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

    fn question(step: u32, legal: &[&str]) -> Question {
        Question {
            role: 0,
            step,
            legal: legal.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn a_choice_counts_for_its_moment_and_only_once() {
        let person = Person::default();
        let moment = Moment { round: 0, step: 3 };
        assert!(person.choose(moment, "a".into()));
        assert!(!person.choose(moment, "b".into()));
        let mut asked = person.play(question(4, &["a", "b"]));
        assert!((&mut asked).now_or_never().is_none());
        let asked = person.play(question(3, &["a", "b"]));
        assert_eq!(asked.now_or_never().unwrap(), "a");
        person.begin(1);
        assert!(
            person
                .play(question(3, &["a", "b"]))
                .now_or_never()
                .is_none()
        );
    }

    #[test]
    fn the_only_move_is_played_unasked() {
        let person = Person::default();
        let only = person.play(question(0, &["noop"])).now_or_never();
        assert_eq!(only.unwrap(), "noop");
    }

    #[test]
    fn a_resignation_is_heard_by_whoever_asks_later() {
        let person = Person::default();
        assert!(person.resignation().now_or_never().is_none());
        person.resign();
        assert!(person.resignation().now_or_never().is_some());
    }
}
