//! Where a mind shows what it thinks, for the seat to read at any moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ludorum_reasoner::{MoveId, Role};

/// What a mind thinks. Moves are numbers here; the seat puts them into words.
#[derive(Clone, Debug)]
pub(crate) struct Thought {
    /// The move it would play now.
    pub(crate) choice: MoveId,
    /// Whether that is any move, for want of time.
    pub(crate) is_guess: bool,
    pub(crate) simulations: u64,
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    pub(crate) bytes: u64,
    /// The best first.
    pub(crate) moves: Vec<MoveThought>,
    /// For each role, 0 to 100.
    pub(crate) values: Vec<f64>,
    /// Joint moves.
    pub(crate) line: Vec<Vec<MoveId>>,
    pub(crate) proven: bool,
    /// What each strategy has earned for each role, for minds that have several.
    pub(crate) earnings: Vec<Earning>,
}

impl Thought {
    /// A move and nothing else.
    pub(crate) fn plain(choice: MoveId) -> Self {
        Self {
            choice,
            is_guess: false,
            simulations: 0,
            depth: 0,
            nodes: 0,
            bytes: 0,
            moves: Vec::new(),
            values: Vec::new(),
            line: Vec::new(),
            proven: false,
            earnings: Vec::new(),
        }
    }
}

impl Thought {
    /// Any move, before there was time to compare it with others.
    pub(crate) fn guess(choice: MoveId) -> Self {
        Self {
            is_guess: true,
            ..Self::plain(choice)
        }
    }
}

/// What a strategy of playing has earned for a role.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Earning {
    pub(crate) role: Role,
    pub(crate) strategy: &'static str,
    pub(crate) simulations: u64,
    /// The sum of the role's goals, 0 to 100 each.
    pub(crate) points: f64,
}

/// What a mind thinks of a move.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveThought {
    pub(crate) id: MoveId,
    pub(crate) visits: u64,
    pub(crate) value: Option<f64>,
    pub(crate) bounds: Option<(u8, u8)>,
    /// For each role, 0 to 100; empty if nothing is known.
    pub(crate) values: Vec<f64>,
    /// What is likely to be played after it: joint moves.
    pub(crate) line: Vec<Vec<MoveId>>,
}

/// The board between a seat and its mind. Every order of the seat opens a new page; what is written
/// for an older one is not read.
#[derive(Debug, Default)]
pub(crate) struct Board {
    content: Mutex<Content>,
    changed: Condvar,
    /// Set when nobody wants to know anything any more.
    dismissed: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Content {
    /// The page that the thought belongs to.
    page: u64,
    /// When it was opened.
    begin: Option<Instant>,
    /// Shared: of thousands of moves it is large, and nobody is to wait at the lock while it is
    /// copied.
    thought: Option<Arc<Thought>>,
    done: bool,
    trouble: Option<String>,
    /// Set when the page is turned, so that an engine which is at a long question for it stops
    /// there and then.
    turned: Arc<AtomicBool>,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a new page: whoever still thinks for an older one stops. Gives the number of the page,
    /// and the flag that is set when it is turned.
    pub(crate) fn turn(&self) -> (u64, Arc<AtomicBool>) {
        let mut content = self.lock();
        let page = content.page + 1;
        content.turned.store(true, Ordering::Release);
        let is_over = self.dismissed.load(Ordering::Acquire);
        let turned = Arc::new(AtomicBool::new(is_over));
        let new = Content {
            page,
            begin: Some(Instant::now()),
            done: is_over,
            turned: Arc::clone(&turned),
            ..Content::default()
        };
        let old = std::mem::replace(&mut *content, new);
        // What was thought goes when others may look at the board again.
        drop(content);
        drop(old);
        (page, turned)
    }

    /// Ends all thinking for good: whoever waits is given what there is, and no page is thought
    /// about any more.
    pub(crate) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Release);
        let mut content = self.lock();
        content.turned.store(true, Ordering::Release);
        content.done = true;
        drop(content);
        self.changed.notify_all();
    }

    /// The flag that says so.
    pub(crate) fn dismissed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.dismissed)
    }

    /// When the current page was opened.
    pub(crate) fn begin(&self) -> Option<Instant> {
        self.lock().begin
    }

    /// Waits until the mind is done with the current page, at most until a moment.
    pub(crate) fn wait(&self, until: Instant) -> (Option<Arc<Thought>>, Option<String>) {
        let mut content = self.lock();
        while !content.done {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            content = self
                .changed
                .wait_timeout(content, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        (content.thought.clone(), content.trouble.clone())
    }

    /// What is on the current page, and what went wrong.
    pub(crate) fn read(&self) -> (Option<Arc<Thought>>, Option<String>) {
        let content = self.lock();
        (content.thought.clone(), content.trouble.clone())
    }

    /// Whether the mind is done with the current page.
    pub(crate) fn is_done(&self) -> bool {
        self.lock().done
    }

    /// Changes a page, if it is still the current one. What the change gives back is dropped when
    /// others may look at the board again, and whoever waits is woken then: on a busy machine it
    /// might take the processor at once, and wait for the lock of one who has none.
    fn write<T>(&self, page: u64, change: impl FnOnce(&mut Content) -> T) {
        let mut content = self.lock();
        if content.page == page {
            let old = change(&mut content);
            drop(content);
            self.changed.notify_all();
            drop(old);
        }
    }
}

/// A mind's view of its task: how long it lasts, and where to show what was found.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    board: Arc<Board>,
    page: u64,
    turned: Arc<AtomicBool>,
    /// When thinking ends; none while pondering.
    pub(crate) until: Option<Instant>,
}

impl Watch {
    pub(crate) fn new(
        board: Arc<Board>,
        (page, turned): (u64, Arc<AtomicBool>),
        until: Option<Instant>,
    ) -> Self {
        Self {
            board,
            page,
            turned,
            until,
        }
    }

    /// Whether the seat still waits for this page.
    pub(crate) fn is_current(&self) -> bool {
        !self.turned.load(Ordering::Acquire)
    }

    /// The flag that is set when it no longer does, for engines to look at.
    pub(crate) fn turned(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.turned)
    }

    /// Whether it is time to stop.
    pub(crate) fn is_over(&self) -> bool {
        !self.is_current() || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Shows a thought; the last one counts.
    pub(crate) fn show(&self, thought: Thought) {
        let thought = Arc::new(thought);
        self.board
            .write(self.page, |content| content.thought.replace(thought));
    }

    /// Tells that there is nothing more to come, and why if something went wrong.
    pub(crate) fn finish(&self, trouble: Option<String>) {
        self.board.write(self.page, |content| {
            content.done = true;
            content.trouble = trouble;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_for_an_older_page_is_not_read() {
        let board = Arc::new(Board::default());
        let page = board.turn();
        let old = Watch::new(Arc::clone(&board), page, None);
        assert!(!old.is_over());
        let page = board.turn();
        assert!(old.is_over());
        old.show(Thought::plain(MoveId(1)));
        assert!(board.read().0.is_none());
        assert!(!board.is_done());
        let new = Watch::new(Arc::clone(&board), page, None);
        new.show(Thought::plain(MoveId(2)));
        new.finish(None);
        let (thought, trouble) = board.wait(Instant::now());
        assert_eq!(thought.map(|thought| thought.choice), Some(MoveId(2)));
        assert_eq!(trouble, None);
        assert!(board.is_done());
    }

    #[test]
    fn after_a_dismissal_nobody_thinks_or_waits() {
        let board = Arc::new(Board::default());
        let watch = Watch::new(Arc::clone(&board), board.turn(), None);
        watch.show(Thought::plain(MoveId(1)));
        board.dismiss();
        assert!(watch.is_over());
        let far = Instant::now() + std::time::Duration::from_hours(1);
        let (thought, _) = board.wait(far);
        assert_eq!(thought.map(|thought| thought.choice), Some(MoveId(1)));
        let later = Watch::new(Arc::clone(&board), board.turn(), None);
        assert!(later.is_over() && board.wait(far).0.is_none());
    }
}
