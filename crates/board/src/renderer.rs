//! What was recognised of a game, ready to draw any of its states.

use ludorum_games::{BoardHint, CellBackground};
use ludorum_logic::Rules;
use serde::Serialize;

use crate::clicks::ClickMap;
use crate::fluent_pairs::FluentPair;
use crate::model::{BoardLayout, LayoutKind, StatusItem};
use crate::sample::StateSample;
use crate::style::Style;

/// A game to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct RecognitionInput<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// What the metadata of a shipped game say about its board.
    pub hint: Option<&'a BoardHint>,
    /// States seen in a few random playouts, the initial one first; see [`crate::sample_states`].
    pub samples: &'a [StateSample],
}

/// What was recognised of a game: made once, then it draws any state.
#[derive(Clone, Debug)]
pub struct BoardRenderer {
    pub(crate) roles: Vec<String>,
    pub(crate) style: Style,
    pub(crate) layouts: Vec<BoardLayout>,
    pub(crate) statuses: Vec<StatusItem>,
    pub(crate) clicks: ClickMap,
    /// Fluents that are read as one.
    pub(crate) pairs: Vec<FluentPair>,
    pub(crate) coverage: Coverage,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) drawn: f64,
    pub(crate) clicked: f64,
}

/// How a state is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrawOptions<'a> {
    /// The joint move that led here: its cells are marked.
    pub last: &'a [String],
    /// The legal moves of the viewer: what they name can be clicked.
    pub legal: &'a [String],
    /// The role of the viewer.
    pub role: Option<usize>,
    /// The picture stands alone, not in a page: it brings its own colours for dark screens.
    pub standalone: bool,
    /// The match is over: nobody is to move any more, whatever the state says.
    pub over: bool,
}

/// A state, drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RenderedState {
    /// The picture.
    pub svg: String,
    /// What the picture does not show, in words.
    pub facts: Vec<String>,
    /// The picture in words.
    pub label: String,
    /// For each of [`DrawOptions::legal`], the targets to click one after the other; none if the
    /// move is in no picture.
    pub clicks: Vec<Vec<String>>,
}

/// What was recognised, in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecognitionReport {
    /// The boards.
    pub boards: Vec<BoardReport>,
    /// The names of fluents that are drawn as things at hand.
    pub hands: Vec<String>,
    /// The names of fluents that are drawn as numbers.
    pub counters: Vec<String>,
    /// Whether some fluent says whose turn it is.
    pub control: bool,
    /// The share of the facts of all samples that are drawn and not only told.
    pub drawn: f64,
    /// The share of legal moves in all samples that can be clicked, of those that name anything.
    pub clicked: f64,
}

/// A board that was recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardReport {
    /// `grid`, `hex`, `places`, `track`, `stacks` or `graph`.
    pub kind: &'static str,
    /// Columns and rows of a grid, or of one of its panels.
    pub size: [usize; 2],
    /// How many cells there are, holes not counted.
    pub cells: usize,
    /// The fluents that are drawn on it.
    pub fluents: Vec<String>,
}

impl BoardRenderer {
    /// What was recognised.
    pub fn report(&self) -> RecognitionReport {
        let name = |shape: &str| {
            let shape = shape.trim_start_matches('(');
            let end = shape.find([' ', ')']).unwrap_or(shape.len());
            shape[..end].to_owned()
        };
        let statuses = |wanted: fn(&StatusItem) -> bool| {
            let shapes = self.statuses.iter().filter(|status| wanted(status));
            shapes.map(|status| name(status.shape())).collect()
        };
        RecognitionReport {
            boards: self
                .layouts
                .iter()
                .map(|layout| BoardReport {
                    kind: match layout.kind {
                        LayoutKind::Grid => "grid",
                        LayoutKind::Hex => "hex",
                        LayoutKind::Places => "places",
                        LayoutKind::Track => "track",
                        LayoutKind::Stacks => "stacks",
                        LayoutKind::Graph => "graph",
                    },
                    size: layout.size,
                    cells: layout
                        .cells
                        .iter()
                        .filter(|c| c.ground != CellBackground::Hole)
                        .count(),
                    fluents: layout
                        .layers
                        .iter()
                        .map(|layer| name(&layer.shape))
                        .collect(),
                })
                .collect(),
            hands: statuses(|status| matches!(status, StatusItem::Hand { .. })),
            counters: statuses(|status| matches!(status, StatusItem::Counter { .. })),
            control: self
                .statuses
                .iter()
                .any(|status| matches!(status, StatusItem::Control { .. })),
            drawn: self.coverage.drawn,
            clicked: self.coverage.clicked,
        }
    }
}
