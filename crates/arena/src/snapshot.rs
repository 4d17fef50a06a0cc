//! The view of a match at a step: [`Snapshot`].

use ludorum_gdl::ground_term::without_parentheses;
use serde::{Deserialize, Serialize};

use crate::pictures::RenderedState;

/// The JSON of a match at a step, as one viewer sees it.
#[derive(Debug, Serialize)]
pub(crate) struct Snapshot {
    #[serde(rename = "match")]
    pub(crate) id: String,
    pub(crate) game: String,
    pub(crate) title: String,
    pub(crate) step: u32,
    /// The number of steps of the match.
    pub(crate) steps: u32,
    pub(crate) roles: Vec<String>,
    /// The player of each role.
    pub(crate) players: Vec<String>,
    pub(crate) seats: Vec<RolePlayerView>,
    /// The roles with more than one legal move.
    pub(crate) to_move: Vec<usize>,
    pub(crate) terminal: bool,
    pub(crate) goals: Option<Vec<Option<u8>>>,
    /// The joint move that led here.
    pub(crate) joint: Option<Vec<String>>,
    pub(crate) waiting_for: Vec<usize>,
    pub(crate) finished: bool,
    pub(crate) you: Option<usize>,
    /// The legal moves of the viewer.
    pub(crate) legal: Vec<LegalMove>,
    pub(crate) board: BoardView,
    pub(crate) words: String,
    /// Remaining time of each clock, in milliseconds.
    pub(crate) clocks: Vec<Option<u64>>,
}

/// The kind of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlayerKind {
    /// A person in a browser.
    Person,
    /// A built-in player.
    Player,
    /// A remote player.
    Remote,
}

/// The player of a role.
#[derive(Debug, Serialize)]
pub(crate) struct RolePlayerView {
    pub(crate) role: String,
    pub(crate) kind: PlayerKind,
    pub(crate) name: String,
}

/// A legal move.
#[derive(Debug, Serialize)]
pub(crate) struct LegalMove {
    #[serde(rename = "move")]
    pub(crate) text: String,
    pub(crate) words: String,
    /// The targets on the board to click, in order.
    pub(crate) clicks: Vec<String>,
}

/// The drawing of a state.
#[derive(Debug, Serialize)]
pub(crate) struct BoardView {
    pub(crate) svg: String,
    pub(crate) facts: Vec<String>,
    pub(crate) label: String,
}

impl From<&RenderedState> for BoardView {
    fn from(scene: &RenderedState) -> Self {
        Self {
            svg: scene.svg.clone(),
            facts: scene.facts.clone(),
            label: scene.label.clone(),
        }
    }
}

/// The legal moves of a viewer with their clicks.
pub(crate) fn legal_moves(legal: &[String], scene: &RenderedState) -> Vec<LegalMove> {
    let clicks = scene
        .clicks
        .iter()
        .cloned()
        .chain(std::iter::repeat(Vec::new()));
    let moves = legal.iter().zip(clicks);
    moves
        .map(|(text, clicks)| LegalMove {
            text: text.clone(),
            words: words(text),
            clicks,
        })
        .collect()
}

/// A move for people: without its outer parentheses.
pub(crate) fn words(text: &str) -> String {
    without_parentheses(text).to_owned()
}

/// The status line of a match.
pub(crate) struct StatusLine<'a> {
    pub(crate) roles: &'a [String],
    pub(crate) to_move: &'a [usize],
    pub(crate) you: Option<usize>,
    pub(crate) goals: Option<&'a [Option<u8>]>,
    pub(crate) reason: Option<&'a str>,
    pub(crate) is_now: bool,
    pub(crate) is_finished: bool,
}

impl StatusLine<'_> {
    /// The status as a sentence.
    pub(crate) fn words(&self) -> String {
        if let (true, Some(goals)) = (self.is_finished && self.is_now, self.goals) {
            let result = self.result(goals);
            return match self.reason {
                Some(reason) => format!("{}: {result}", capitalised(reason)),
                None => result,
            };
        }
        if self.is_finished && self.is_now {
            let reason = self.reason.unwrap_or("the match is over");
            return capitalised(reason);
        }
        match self.to_move {
            [] if self.is_now => "Getting ready".to_owned(),
            [] => "No choices".to_owned(),
            [role] if self.you == Some(*role) && self.is_now => "Your move".to_owned(),
            movers => {
                let names: Vec<&str> = movers.iter().filter_map(|role| self.name(*role)).collect();
                capitalised(&format!("{} to move", names.join(" and ")))
            }
        }
    }

    fn name(&self, role: usize) -> Option<&str> {
        self.roles.get(role).map(String::as_str)
    }

    fn result(&self, goals: &[Option<u8>]) -> String {
        if let [goal] = goals {
            return match goal {
                Some(100) => "Solved: 100 points".to_owned(),
                Some(goal) => format!("Over: {goal} of 100 points"),
                None => "Over without a result".to_owned(),
            };
        }
        let best = goals.iter().flatten().max();
        let Some(best) = best else {
            return "Over without a result".to_owned();
        };
        let winners = goals.iter().enumerate();
        let winners: Vec<&str> = winners
            .filter(|(_, goal)| goal.as_ref() == Some(best))
            .filter_map(|(role, _)| self.name(role))
            .collect();
        let points: Vec<String> = goals
            .iter()
            .map(|goal| goal.map_or_else(|| "–".to_owned(), |goal| goal.to_string()))
            .collect();
        let points = points.join(" : ");
        match &winners[..] {
            [winner] => capitalised(&format!("{winner} wins, {points}")),
            all if all.len() == goals.len() => format!("A draw, {points}"),
            some => capitalised(&format!("{} win, {points}", some.join(" and "))),
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status<'a>(roles: &'a [String], goals: &'a [Option<u8>]) -> StatusLine<'a> {
        StatusLine {
            roles,
            to_move: &[],
            you: None,
            goals: Some(goals),
            reason: None,
            is_now: true,
            is_finished: true,
        }
    }

    #[test]
    fn results_are_described_in_words() {
        let roles = ["white".to_owned(), "black".to_owned()];
        let words = |goals: &[Option<u8>]| status(&roles, goals).words();
        assert_eq!(words(&[Some(100), Some(0)]), "White wins, 100 : 0");
        assert_eq!(words(&[Some(50), Some(50)]), "A draw, 50 : 50");
        assert_eq!(words(&[None, None]), "Over without a result");
        let resigned = StatusLine {
            reason: Some("white resigned"),
            ..status(&roles, &[Some(0), Some(100)])
        };
        assert_eq!(resigned.words(), "White resigned: Black wins, 0 : 100");
        let solved = status(&roles[..1], &[Some(100)]);
        assert_eq!(solved.words(), "Solved: 100 points");
    }

    #[test]
    fn the_role_to_move_is_described_from_the_viewers_side() {
        let roles = ["white".to_owned(), "black".to_owned()];
        let words = |to_move: &[usize], you| {
            StatusLine {
                to_move,
                you,
                goals: None,
                is_finished: false,
                ..status(&roles, &[])
            }
            .words()
        };
        assert_eq!(words(&[0], Some(0)), "Your move");
        assert_eq!(words(&[0], Some(1)), "White to move");
        assert_eq!(words(&[0, 1], Some(1)), "White and black to move");
        assert_eq!(words(&[], None), "Getting ready");
    }
}
