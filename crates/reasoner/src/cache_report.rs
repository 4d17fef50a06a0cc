//! What a cache has been good for.

use serde::Serialize;

/// The questions that a cache answers.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    /// Whether a state is terminal.
    Terminal,
    /// The goal of a role.
    Goal,
    /// The legal moves of a role.
    Legal,
    /// The successor of a joint move.
    Next,
}

/// How often a kind of question was asked, and how often the answer was remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Questions.
    pub asked: u64,
    /// Questions whose answer was remembered.
    pub hits: u64,
}

impl Rate {
    /// The share of questions whose answer was remembered, 0 if there were none.
    #[allow(clippy::cast_precision_loss)] // a figure for people
    pub fn share(&self) -> f64 {
        if self.asked == 0 {
            0.0
        } else {
            self.hits as f64 / self.asked as f64
        }
    }

    fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.hits += other.hits;
    }
}

/// How full a cache is and what it has answered, summed over all forks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheReport {
    /// Whether a state is terminal.
    pub terminal: Rate,
    /// Goals.
    pub goal: Rate,
    /// Legal moves.
    pub legal: Rate,
    /// Next states.
    pub next: Rate,
    /// States and successors remembered at the moment.
    pub items: usize,
    /// The bytes they take.
    pub bytes: usize,
    /// The most bytes they may take.
    pub limit: usize,
    /// Items that had to go.
    pub evicted: u64,
}

impl CacheReport {
    /// All questions together.
    pub fn total(&self) -> Rate {
        let mut total = self.terminal;
        for rate in [self.goal, self.legal, self.next] {
            total.add(rate);
        }
        total
    }

    /// Counts a question, and a hit if its answer was cached.
    pub fn count(&mut self, question: Question, hit: bool) {
        let rate = match question {
            Question::Terminal => &mut self.terminal,
            Question::Goal => &mut self.goal,
            Question::Legal => &mut self.legal,
            Question::Next => &mut self.next,
        };
        rate.asked += 1;
        rate.hits += u64::from(hit);
    }

    /// Adds the figures of another cache, or of another shard of the same one.
    pub fn add(&mut self, other: &Self) {
        self.terminal.add(other.terminal);
        self.goal.add(other.goal);
        self.legal.add(other.legal);
        self.next.add(other.next);
        self.items += other.items;
        self.bytes += other.bytes;
        self.limit += other.limit;
        self.evicted += other.evicted;
    }
}
