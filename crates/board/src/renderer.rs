//! The result of the recognition, its inputs and its outputs.

use ludorum_games::{BoardHint, CellBackground};
use ludorum_logic::Rules;
use serde::Serialize;

use crate::clicks::ClickMap;
use crate::fluent_pairs::FluentPair;
use crate::model::{BoardLayout, LayoutKind, StatusItem};
use crate::sample::StateSample;
use crate::style::Style;

/// The input of the recognition.
#[derive(Clone, Copy, Debug)]
pub struct RecognitionInput<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The board hint from the metadata of a shipped game.
    pub hint: Option<&'a BoardHint>,
    /// States of a few random playouts, the initial one first; see [`crate::sample_states`].
    pub samples: &'a [StateSample],
}

/// The recognised boards of a game. It is made once and then renders any state.
#[derive(Clone, Debug)]
pub struct BoardRenderer {
    pub(crate) roles: Vec<String>,
    pub(crate) style: Style,
    pub(crate) layouts: Vec<BoardLayout>,
    pub(crate) statuses: Vec<StatusItem>,
    pub(crate) clicks: ClickMap,
    /// Pairs of fluents that are joined into one.
    pub(crate) pairs: Vec<FluentPair>,
    pub(crate) coverage: Coverage,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) drawn: f64,
    pub(crate) clicked: f64,
}

/// How a state is rendered.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrawOptions<'a> {
    /// The joint move that led to the state: its cells are highlighted.
    pub last: &'a [String],
    /// The legal moves of the viewer: their targets are clickable.
    pub legal: &'a [String],
    /// The role of the viewer.
    pub role: Option<usize>,
    /// The picture is used without a page: it includes its own colours for dark screens.
    pub standalone: bool,
    /// The match is over: no role is marked as the one to move.
    pub over: bool,
}

/// A rendered state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RenderedState {
    /// The picture as SVG.
    pub svg: String,
    /// The facts that the picture does not show, in words.
    pub facts: Vec<String>,
    /// The text alternative of the picture.
    pub label: String,
    /// For each of [`DrawOptions::legal`], the targets to click in order; empty if the picture does
    /// not show the move.
    pub clicks: Vec<Vec<String>>,
}

/// Statistics of the recognition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecognitionReport {
    /// The boards.
    pub boards: Vec<BoardReport>,
    /// The names of fluents that are drawn as hands.
    pub hands: Vec<String>,
    /// The names of fluents that are drawn as counters.
    pub counters: Vec<String>,
    /// Whether a fluent for the role to move was recognised.
    pub control: bool,
    /// The fraction of the sampled facts that are drawn and not only listed in words.
    pub drawn: f64,
    /// The fraction of the sampled legal moves with arguments that can be clicked.
    pub clicked: f64,
}

/// A recognised board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardReport {
    /// `grid`, `hex`, `places`, `track`, `stacks` or `graph`.
    pub kind: &'static str,
    /// Columns and rows of a grid, or of one of its panels.
    pub size: [usize; 2],
    /// The number of cells without holes.
    pub cells: usize,
    /// The fluents that are drawn on the board.
    pub fluents: Vec<String>,
}

impl BoardRenderer {
    /// Statistics of the recognition.
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
